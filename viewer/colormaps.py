"""Colour maps: 256 colours for a range of values, and one more for pixels without a value."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.resources import ASSETS

# The colour of invalid pixels lies outside its map, at least 40 levels from each of its colours,
# and is quiet: a hole should not outshine the data. Among greys that takes a hue.
INVALID = {
    "turbo": (72, 64, 60),
    "cividis": (72, 64, 60),
    "viridis": (72, 64, 60),
    "grey": (110, 36, 88),
    "hysteresis": (72, 64, 60),
    "direction": (72, 64, 60),
    "reasons": (110, 36, 88),
    "berlin": (72, 64, 60),
    "errors": (74, 62, 62),
}
COLORMAPS = ("cividis", "turbo", "viridis", "grey")
"""The maps for users; the first, readable with any colour vision, is the default."""
COLORMAPS_MEAN = {
    "turbo": "All hues, which makes small steps visible; unsuitable for colour-blind viewers.",
    "cividis": "Blue to yellow, with increasing lightness; suitable for colour-blind viewers.",
    "viridis": "Violet to yellow, with increasing lightness.",
    "grey": "Black to white.",
}
LABELS = ("hysteresis", "direction", "reasons")
"""The maps of labels, declared by images; users cannot change the meaning of a label."""
SIGNED = "berlin"
"""The map of signed differences: black in the middle; its ends also differ for the colour-blind."""
ERRORS = "errors"
"""The map of errors: steps that double, like the thresholds of benchmarks; see ERROR_STEPS."""
ERROR_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The largest error of every step but the last, in pixels; the map has 16 entries per pixel."""
ROWS = (*COLORMAPS, *LABELS, SIGNED, ERRORS)
"""All maps, in the order of the rows of ``palette``."""


@cache
def colormap(name: str) -> NDArray[np.uint8]:
    """Read a colour map: (256, 3) RGB colours, starting with that of the lowest value."""
    file = ASSETS / "colormaps" / f"{name}.csv"
    return np.loadtxt(file, delimiter=",", dtype=np.uint8)


def palette() -> NDArray[np.uint8]:
    """Return all colour maps, one per row in the order of ``ROWS``: (maps, 257, 3) RGB.

    The last entry of a row is the colour of invalid pixels.
    """
    rows = [np.vstack([colormap(name), INVALID[name]]) for name in ROWS]
    return np.array(rows, np.uint8)
