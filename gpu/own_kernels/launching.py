"""Determine the launches of a user's kernel: by its grid, or by the base variant's launcher."""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from wheatstone.gpu.emulation.program import why_not_launched
from wheatstone.gpu.emulation.report import three
from wheatstone.gpu.kernels.kernel import Dim, Launch, blocks, noted_launches
from wheatstone.gpu.kernels.placeholders import placeholder
from wheatstone.gpu.own_kernels.contract import OwnStage, StageContract
from wheatstone.gpu.steps import implementation

LONGEST = 200  # characters of an expression
LARGEST = 2**31 - 1
OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
"""The operators; a quotient is rounded down."""
FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max}


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """Compute the value of an arithmetic expression with names, such as ``min(width, 32) + 1``.

    It may contain names, numbers, ``+ - * / %``, ``min`` and ``max``.

    Raises:
        ValueError: it is no such expression, divides by 0, or its value is below 0 or too large.
    """
    try:
        value = _value(_parsed(text), values)
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by 0") from None
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None
    if not 0 <= value <= LARGEST:
        raise ValueError(f"{text!r} must be in [0, {LARGEST}] (got {value})")
    return value


@cache
def _parsed(text: str) -> ast.expr:
    """Parse an expression. Raises ``ValueError`` if it is too long or not an expression."""
    if len(text) > LONGEST:
        raise ValueError(f"longer than {LONGEST} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError("not an expression") from None


def _value(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)) if type(number) is int:
            return number
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.Name(id=name):
            raise ValueError(f"there is no {name!r}; there is {', '.join(values)}")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            value = OPERATORS[type(op)](_value(left, values), _value(right, values))
            if abs(value) > LARGEST**2:
                raise ValueError("the value is too large")
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, *_] as terms, keywords=[]):
            return FUNCTIONS[name]([_value(each, values) for each in terms])
    raise ValueError("only numbers, names, + - * / %, min and max are allowed")


DYNAMIC = re.compile(r"\bextern\s+__shared__[^;[]*\[\s*\]")
"""The declaration of an array in dynamic shared memory."""


@dataclass(frozen=True)
class ImageForm:
    """The shape and dtype of an image that is an argument of a stage.

    Attributes:
        texture: whether the base variant holds it in a texture.
    """

    shape: tuple[int, ...]
    dtype: str
    texture: bool = False


def planned_launches(
    own: OwnStage, contract: StageContract, images: Sequence[ImageForm], arguments: Sequence[Any]
) -> list[Launch]:
    """List the launches of one call of a stage, with numbered placeholders for the images.

    Args:
        images: those that the stage reads, then those that it writes.
        arguments: the stage's parameters.

    Raises:
        ValueError: the grid or the shared memory is impossible.
    """
    if contract.as_base:
        return _launches_of_base(own, contract, images, arguments)
    forms = list(zip(contract.images, images, strict=True))
    placed = [
        placeholder(form.shape, form.dtype, number, texture=image.texture)
        for number, (image, form) in enumerate(forms)
    ]
    lengths = contract.lengths([form.shape for form in images])
    numbers = contract.numbers(arguments)
    values = expression_values(own, lengths, numbers)
    grid, shared = grid_of(own, values), evaluate(own.shared, values)
    if why := why_not_launched(three(grid), three(own.block), shared):
        raise ValueError(why)
    if not shared and DYNAMIC.search(own.text):
        raise ValueError(
            f"{own.file} has extern __shared__ memory: give its bytes in kernel.toml, "
            f"as shared below [stages.{own.stage}]"
        )
    kernel = contract.kernel(own, [form.dtype for form in images])
    with noted_launches() as noted:
        kernel(grid, own.block, *placed, *lengths.values(), *numbers.values(), shared=shared)
    return noted


def _launches_of_base(
    own: OwnStage, contract: StageContract, images: Sequence[ImageForm], arguments: Sequence[Any]
) -> list[Launch]:
    """List the launches of the base variant, with the user's file instead of the stage's file."""
    placed = [
        placeholder(form.shape, form.dtype, number, texture=form.texture)
        for number, form in enumerate(images)
    ]
    launcher, file = implementation(contract.base, contract.step), file_of(contract)
    with noted_launches() as noted:
        launcher(*placed, *arguments)
    return [
        replace(launch, kernel=replace(launch.kernel, file=own.file, text=own.text))
        if launch.kernel.file == file
        else launch
        for launch in noted
    ]


def file_of(contract: StageContract) -> str:
    """Return the name of the CUDA file in which the base variant computes a stage."""
    return f"{contract.step.name}.cu"


def expression_values(
    own: OwnStage, lengths: Mapping[str, int], numbers: Mapping[str, int | float]
) -> dict[str, int]:
    """Return the values of all names that the expressions of a grid may use."""
    whole = {name: value for name, value in numbers.items() if isinstance(value, int)}
    sides = zip(("block_x", "block_y", "block_z"), (*own.block, 1, 1), strict=False)
    return {**lengths, **whole, **dict(sides)}


def grid_of(own: OwnStage, values: Mapping[str, int]) -> Dim:
    """Compute the grid of a user's kernel, by its threads or its expressions."""
    height, width = values.get("height", 1), values.get("width", values.get("length", 1))
    if own.threads == "pixel":
        return blocks((*own.block, 1)[:2], width, height)
    if own.threads == "row":
        return blocks(own.block[:1], height if "height" in values else width)
    return tuple(evaluate(text, values) for text in own.grid)
