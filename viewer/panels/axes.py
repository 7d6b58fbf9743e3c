"""Helpers for plots in panels: axis ticks and limits at round numbers, and small margins."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.panels.widgets import plot_spacing


def nice_ticks(longest: float, most: int = 6) -> list[float]:
    """List round numbers from 0 up to a length, in steps of 1, 2 or 5 times a power of ten.

    Empty for a length that is not positive.
    """
    if longest <= 0:
        return []
    exponent = -9
    steps = (base * 10.0**e for e in range(exponent, 12) for base in (1, 2, 5))
    step = next(step for step in steps if longest / step < most)
    return [n * step for n in range(int(longest / step + 1e-9) + 1)]


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the powers of ten below and above positive numbers, never equal; 1 and 10 if empty."""
    if not values:
        return 1.0, 10.0
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return 10.0**low, 10.0**high


def decade_ticks(low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """List powers of ten in a range and their labels, evenly spaced and at most ``most``."""
    first, last = round(math.log10(low)), round(math.log10(high))
    every = -(-(last - first + 1) // most)
    powers = range(first, last + 1, every)
    return [10.0**power for power in powers], [f"{10.0**power:g}" for power in powers]


@contextmanager
def filling_plot(name: str, height: float = -1.0) -> Iterator[bool]:
    """Begin a plot with small margins, end it after the block; yield whether it is visible.

    Args:
        height: in pixels; without it, the plot fills the free space.
    """
    font = imgui.get_font_size()
    spaces = {
        "plot_padding": (font, font / 2),
        "label_padding": (font / 4, font / 6),
        "plot_min_size": (4 * font, 4 * font),
    }
    kinds = implot.Flags_
    flags = kinds.no_title | kinds.no_menus | kinds.no_mouse_text | kinds.no_box_select
    with plot_spacing(spaces):
        seen = implot.begin_plot(f"##{name}", (-1, height), int(flags))
        yield seen
        if seen:
            implot.end_plot()
