"""Determine the launches of a user's kernel: by its grid, or by the base variant's launcher."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wheatstone.gpu.emulation.program import why_not_launched
from wheatstone.gpu.kernels.kernel import Dim, Launch, blocks, noted_launches
from wheatstone.gpu.kernels.placeholders import placeholder
from wheatstone.gpu.own_kernels.contract import OwnStage, StageContract
from wheatstone.gpu.own_kernels.expressions import evaluate
from wheatstone.gpu.steps import implementation

DYNAMIC = re.compile(r"\bextern\s+__shared__[^;[]*\[\s*\]")
"""The declaration of an array in dynamic shared memory."""


@dataclass(frozen=True)
class ImageForm:
    """The shape and the type of an image that a stage is called with.

    Attributes:
        texture: whether the base variant holds it in a texture.
    """

    shape: tuple[int, ...]
    dtype: str
    texture: bool = False


def planned_launches(
    own: OwnStage, contract: StageContract, images: Sequence[ImageForm], arguments: Sequence[Any]
) -> list[Launch]:
    """List the launches of one call of a stage; images are placeholders, numbered in order.

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
    if why := why_not_launched(_along_3(grid), _along_3(own.block), shared):
        raise ValueError(why)
    if not shared and DYNAMIC.search(own.text):
        raise ValueError(f"{own.file}: give the bytes of its dynamic shared memory as: shared")
    kernel = contract.kernel(own, [form.dtype for form in images])
    with noted_launches() as noted:
        kernel(grid, own.block, *placed, *lengths.values(), *numbers.values(), shared=shared)
    return noted


def _along_3(counts: Dim) -> tuple[int, int, int]:
    """Return counts along three axes; those left out are 1."""
    x, y, z = (*counts, 1, 1)[:3]
    return x, y, z


def _launches_of_base(
    own: OwnStage, contract: StageContract, images: Sequence[ImageForm], arguments: Sequence[Any]
) -> list[Launch]:
    """List the launches of the base variant, with the user's text in place of the stage's file."""
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
    """Return the name of the base variant's file with the kernels of a stage."""
    return f"{contract.step.name}.cu"


def expression_values(
    own: OwnStage, lengths: Mapping[str, int], numbers: Mapping[str, int | float]
) -> dict[str, int]:
    """Return the names that the expressions of a grid may use, with their values."""
    whole = {name: value for name, value in numbers.items() if isinstance(value, int)}
    sides = zip(("block_x", "block_y", "block_z"), (*own.block, 1, 1), strict=False)
    return {**lengths, **whole, **dict(sides)}


def grid_of(own: OwnStage, values: Mapping[str, int]) -> Dim:
    """Compute the grid of a kernel."""
    height, width = values.get("height", 1), values.get("width", values.get("length", 1))
    if own.threads == "pixel":
        return blocks((*own.block, 1)[:2], width, height)
    if own.threads == "row":
        return blocks(own.block[:1], height if "height" in values else width)
    return tuple(evaluate(text, values) for text in own.grid)
