"""What a picture shows, as plain data."""

from dataclasses import dataclass

import numpy as np

BACKGROUND = (18, 18, 20)
"""Colour around the images."""


@dataclass(frozen=True)
class Pane:
    """What is shown of one image.

    Attributes:
        image: its name, as uploaded.
        scale: multiplies a stored value into the unit of ``low`` and ``high``.
        low, high: values shown in the first and in the last colour of the map; beyond, these two.
        invalid: the stored value without meaning; in float images whatever is not finite, too.
        colormap: one of ``COLORMAPS``. None shows uint8 images as they are, averaged when minified,
            and others in grey.
    """

    image: str
    scale: float = 1.0
    low: float = 0.0
    high: float = 255.0
    invalid: float | None = None
    colormap: str | None = None

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
    """

    panes: tuple[Pane, ...]
    anaglyph: bool = False
    zoom: float = 1.0
    center: tuple[float, float] = (0.5, 0.5)
