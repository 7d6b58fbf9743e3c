"""Evaluate integer arithmetic from a document, such as ``(width + 31) / 32``."""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache

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
    """Compute the value of an expression of names, numbers, ``+ - * / %``, ``min`` and ``max``.

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
        raise ValueError(f"{text!r} must lie in [0, {LARGEST}] (got {value})")
    return value


@cache
def _parsed(text: str) -> ast.expr:
    """Parse an expression. Raises ``ValueError`` if it is too long or no expression."""
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
