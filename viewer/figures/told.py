"""Describe the results of a figure in words: below every image, and in the accompanying table."""

import math
from collections.abc import Iterable

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES
from wheatstone.viewer.figures.panes import FigurePane
from wheatstone.viewer.frames.figures import CONSISTENT, DIGITS, FILLED, OWN, Figures
from wheatstone.viewer.measuring.tables import RESULT, number

UNITS = {**MEASURES, **OWN}
"""The unit of every metric."""


def lines_below(pane: FigurePane) -> list[list[str]]:
    """Return lines about a pane's result, each as a list of facts."""
    metrics = []
    if pane.figures:
        metrics = [value_told(pane.figures, name) for name in measures_told(pane)]
    lines = [[fact for fact in metrics if fact], measured_told(pane)]
    return [line for line in lines if line]


def measures_told(pane: FigurePane) -> tuple[str, ...]:
    """Return the names of the most important metrics of a pane: by truth where there is one."""
    judged = pane.figures is not None and pane.figures.judged
    return CONVENTIONS[pane.convention].first if judged else (FILLED, CONSISTENT)


def value_told(found: Figures, name: str) -> str:
    """Format a metric with its name and unit; empty if it has no value."""
    value = found.values.get(name, math.nan)
    unit = UNITS[name]
    return f"{name} {value:.{DIGITS[unit]}f} {unit}" if math.isfinite(value) else ""


def measured_told(pane: FigurePane) -> list[str]:
    """Describe a variant's time and whether its result is right; empty without a result."""
    if not pane.measured or pane.why:
        return []
    time = pane.measured.milliseconds
    told = [f"{number(time)} ms"] if time is not None else ["not timed"]
    return [*told, RESULT[pane.measured.identity]]


def timed_on(panes: Iterable[FigurePane]) -> str:
    """Describe the times of panes and the machine that they are of; empty without times."""
    devices = [pane.measured.device for pane in panes if pane.measured and pane.measured.device]
    names = " and ".join(dict.fromkeys(devices))
    return f"times: median of a frame, on {names}" if names else ""
