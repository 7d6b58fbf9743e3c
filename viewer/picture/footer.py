"""The strip below the panes: colour bars, then the legend; it hides no pixel of the picture."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from viewer.picture.colorbar import Colorbar, colorbar_strip
from viewer.picture.legend import Entry, legend_strip


@lru_cache(maxsize=4)
def footer_strip(
    bars: tuple[Colorbar, ...], legend: tuple[Entry, ...], width: int
) -> NDArray[np.uint8]:
    """The strip, (H, width, 3); of height 0 where there is nothing to say."""
    parts = [np.empty((0, max(width, 0), 3), np.uint8)]
    if bars and width > 0:
        parts.append(colorbar_strip(bars, width))
    if legend and width > 0:
        parts.append(legend_strip(legend, width))
    return np.vstack(parts)


def footer(
    bars: tuple[Colorbar, ...], legend: tuple[Entry, ...], width: int, height: int
) -> NDArray[np.uint8]:
    """The strip in a picture of this size, itself included: (H, width, 3).

    Where it would take more than half of the picture the bars are left out, and where that does
    not suffice the legend too.
    """
    for kept in (bars, ()):
        strip = footer_strip(kept, legend, width)
        if 2 * len(strip) <= height:
            return strip
    return footer_strip((), (), width)


def with_footer(
    bars: tuple[Colorbar, ...], legend: tuple[Entry, ...], width: int, height: int
) -> tuple[int, int]:
    """The size of a picture whose panes have this size above the strip."""
    for kept in (bars, ()):
        needed = len(footer_strip(kept, legend, width))
        if needed <= height:
            return width, height + needed
    return width, height
