"""The layout of the parameter grid: the choice of its two parameters and of their values."""

from dataclasses import dataclass
from itertools import product
from typing import Any

from wheatstone.gpu.parameters import Control, Params, controls
from wheatstone.gpu.stage import Variant
from wheatstone.viewer.choices.panel_choices import ParameterGridChoice
from wheatstone.viewer.words import in_words, spoken


@dataclass(frozen=True)
class GridPlace:
    """One cell of the parameter grid: its parameters, or why its values cannot be combined."""

    column: int
    row: int
    params: Params | None
    why: str = ""


@dataclass(frozen=True)
class ParameterGrid:
    """The axes of a parameter grid: two parameters, and their values."""

    across: str
    down: str
    columns: tuple[Any, ...]
    rows: tuple[Any, ...]

    def values_at(self, place: GridPlace) -> str:
        """Describe the values of a cell, such as ``p1 18, p2 100``."""
        x, y = self.columns[place.column], self.rows[place.row]
        return f"{spoken(self.across)} {in_words(x)}, {spoken(self.down)} {in_words(y)}"

    def places(self, params: Params) -> tuple[GridPlace, ...]:
        """List the cells of the grid, row by row; all other parameters keep their values."""
        cells = product(enumerate(self.rows), enumerate(self.columns))
        return tuple(self._place(params, column, row, x, y) for (row, y), (column, x) in cells)

    def _place(self, params: Params, column: int, row: int, x: Any, y: Any) -> GridPlace:
        try:
            return GridPlace(column, row, params.changed(**{self.across: x, self.down: y}))
        except ValueError as error:
            return GridPlace(column, row, None, str(error))


def numeric(params: type[Params], variant: Variant | None = None) -> dict[str, Control]:
    """List the parameters that are numbers, in the order of declaration.

    Args:
        variant: that computes; of a peer only what its own stages read are listed.
    """
    numbers = {n: c for n, c in controls(params).items() if c.kind in ("int", "float")}
    if not variant or not variant.peer:
        return numbers
    read = {name for stage in variant.fused for name in stage.params}
    return {name: control for name, control in numbers.items() if name in read}


def grid_of(
    params: Params, choice: ParameterGridChoice, variant: Variant | None = None
) -> ParameterGrid:
    """Build a parameter grid around the current values of two parameters.

    A parameter that was not chosen, or does not exist here, is taken from the first ordered pair,
    such as ``p1`` and ``p2``, else from the first numbers that are declared.

    Raises:
        ValueError: there are no two numbers to go over.
    """
    known = numeric(type(params), variant)
    pairs = [pair for pair in params.ordered if known.keys() >= set(pair)]
    usual = [*(pairs[0] if pairs else ()), *known]
    chosen = [name for name in (choice.across, choice.down) if name in known]
    if len(known) < 2:
        raise ValueError("the variant reads fewer than two numeric parameters")
    across = choice.across if choice.across in known else _first(usual, chosen)
    down = choice.down if choice.down in known else ""
    if not down or down == across:
        down = _first(usual, [across])
    values = params.values()
    sides = [spread(known[name], values[name], choice.size) for name in (across, down)]
    return ParameterGrid(across, down, *sides)


def _first(names: list[str], taken: list[str]) -> str:
    return next(name for name in names if name not in taken)


def spread(control: Control, value: Any, count: int) -> tuple[Any, ...]:
    """List at most ``count`` ascending values around ``value``: doubles and halves, or steps."""
    doubled = [value * 2.0**n for n in range(-count, count + 1)] if value > 0 else []
    unit = max(control.step, (control.high - control.low) / 64)
    stepped = [value + n * unit for n in range(-count, count + 1)]
    longest: list[Any] = []
    for candidates in (doubled, stepped):
        allowed = {_allowed(control, each) for each in candidates} | {value}
        ordered = sorted(allowed)
        here = ordered.index(value)
        begin = min(max(here - count // 2, 0), max(len(ordered) - count, 0))
        chosen = ordered[begin : begin + count]
        longest = chosen if len(chosen) > len(longest) else longest
    return tuple(longest)


def _allowed(control: Control, value: float) -> Any:
    inside = min(max(value, control.low), control.high)
    if control.kind == "float":
        return float(round(inside, 4))
    return int(control.low + round((inside - control.low) / control.stride) * control.stride)
