"""What a picture shows, as plain data."""

import math
from dataclasses import dataclass

import numpy as np

from viewer.legend import Entry

MOST_BOXES = 64
BACKGROUND = (18, 18, 20)
"""Colour around the images."""
MARK = (255, 0, 255)
"""Colour of overlays and boxes: no colour map has one like it, and no photo has much of it."""
CHOSEN = (255, 255, 255)
"""Colour of the region that the user chose."""
CASING = (0, 0, 0)
"""Colour around outlines, so that they show on light and dark alike."""


@dataclass(frozen=True)
class Pane:
    """What is shown of one image.

    Attributes:
        image: its name, as uploaded.
        scale: multiplies a stored value into the unit of ``low`` and ``high``.
        low, high: values shown in the first and in the last colour of the map; beyond, these two.
        invalid: the stored value without meaning; in float images whatever is not finite, too.
        colormap: one of ``colormaps.ROWS``. None shows uint8 images as they are, averaged when
            minified, and others in grey.
    """

    image: str
    scale: float = 1.0
    low: float = 0.0
    high: float = 255.0
    invalid: float | None = None
    colormap: str | None = None

    def entry(self, stored: float) -> int:
        """Which colour of the map shows a stored value."""
        low, entries = self.ramp
        return min(max(math.floor((stored - low) * entries), 0), 255)

    @property
    def ramp(self) -> tuple[float, float]:
        """``low`` and ``entries`` of the shader: entry = floor((stored - low) * entries).

        An entry stands for the values nearest to it, so the first and the last take half a share.
        """
        span = max(self.high - self.low, abs(self.scale))
        entries = 255 * self.scale / span
        return float(np.float32(self.low / self.scale - 0.5 / entries)), float(np.float32(entries))


@dataclass(frozen=True)
class Picture:
    """What is drawn: panes left to right, or two on top of each other, red and cyan.

    Attributes:
        zoom: 1 fits every image into its pane.
        center: what lies in the middle of every pane, in fractions of the image (x, y).
        overlay: a uint8 image of the panes' size, drawn over each in ``MARK`` where it is not 0; in
            a minified picture where any texel under the pixel is not.
        boxes: an (N, 4) int32 image of rectangles (x0, y0, x1, y1), both ends included, at most
            ``MOST_BOXES``, whose outlines are drawn over every pane in ``MARK``, around them
            outlines in ``CASING``, each one texel wide and never less than a pixel; one with
            x1 < x0 or y1 < y0 is left out.
        region: a rectangle (x, y, width, height), outlined alike in ``CHOSEN``.
        legend: names and colours in a strip below the panes; left out where it would take more than
            half of the picture.
    """

    panes: tuple[Pane, ...]
    anaglyph: bool = False
    zoom: float = 1.0
    center: tuple[float, float] = (0.5, 0.5)
    overlay: str = ""
    boxes: str = ""
    region: tuple[int, int, int, int] | None = None
    legend: tuple[Entry, ...] = ()
