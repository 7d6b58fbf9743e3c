"""The footer: a strip below the panes with colour bars, then the legend."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.picture.colorbar import Colorbar, colorbar_strip
from wheatstone.viewer.picture.legend import Entry, legend_strip
from wheatstone.viewer.theme import USUAL, Manner


@lru_cache(maxsize=4)
def footer_strip(
    bars: tuple[Colorbar, ...], legend: tuple[Entry, ...], width: int, manner: Manner = USUAL
) -> NDArray[np.uint8]:
    """Draw the colour bars and, below them, the legend: (H, width, 3); H is 0 without either."""
    parts = [np.empty((0, max(width, 0), 3), np.uint8)]
    if bars and width > 0:
        parts.append(colorbar_strip(bars, width, manner))
    if legend and width > 0:
        parts.append(legend_strip(legend, width, manner))
    return np.vstack(parts)


def footer(
    bars: tuple[Colorbar, ...],
    legend: tuple[Entry, ...],
    width: int,
    height: int,
    manner: Manner = USUAL,
) -> NDArray[np.uint8]:
    """Draw the footer for a picture whose size includes the footer: (H, width, 3).

    If it would take more than half of the picture the bars are left out, and if that is not
    enough the legend too.
    """
    for kept in (bars, ()):
        strip = footer_strip(kept, legend, width, manner)
        if 2 * len(strip) <= height:
            return strip
    return footer_strip((), (), width, manner)


def with_footer(
    bars: tuple[Colorbar, ...],
    legend: tuple[Entry, ...],
    width: int,
    height: int,
    manner: Manner = USUAL,
) -> tuple[int, int]:
    """Compute the size (width, height) of panes and footer from the size of the panes."""
    for kept in (bars, ()):
        needed = len(footer_strip(kept, legend, width, manner))
        if needed <= height:
            return width, height + needed
    return width, height
