"""Accept the text typed into the fields of a parameter, or refuse it with a message."""

import math
from dataclasses import dataclass
from typing import Any

from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.words import in_words
from wheatstone.viewer.panels.parameters.parameter_rows import ParameterRow, nearest

LARGEST = 2**31 - 1  # of what is typed; every bound lies far below


@dataclass(frozen=True)
class Typed:
    """The texts in the fields of a parameter: one for a number, four for a region."""

    texts: tuple[str, ...]


def number_text(value: float) -> str:
    """Format a number for its text field."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def take_typed(state: ViewerState, row: ParameterRow, typed: Typed) -> None:
    """Set a parameter to the typed value; report a refused or adjusted value to the user."""
    try:
        numbers = tuple(map(_number, typed.texts))
    except ValueError as error:
        state.report_error(f"{row.label} stays {in_words(row.value)}: {error}")
        return
    if row.control.kind == "region":
        tuning.set_parameter(state, row.name, tuple(map(round, numbers)))
        return
    value: Any = nearest(row.control, numbers[0])
    tuning.set_parameter(state, row.name, value)
    if value != numbers[0] and tuning.tuned(state).params.values()[row.name] == value:
        bounds = f"{row.control.bounds} {row.control.unit}".rstrip()
        state.warn(f"{row.label} {in_words(value)}, not {typed.texts[0].strip()}: {bounds}")


def _number(text: str) -> float:
    """Parse a number. Raises ``ValueError`` if the text is not a number or too large."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{text.strip()!r} is not a number")
    if abs(number) > LARGEST:
        raise ValueError(f"{text.strip()} is too large")
    return number
