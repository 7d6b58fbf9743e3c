"""Tone: a rule that maps a source's 16-bit pixels to the 8 bits that pipelines read.

It is applied before all pipelines, so that every variant gets the same bits. A source takes it from
its first frame and uses it for both views of all frames.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.sources.depth import Stored, to_eight_bits
from wheatstone.viewer.io.sources.source_spec import TONES

LINEAR, PERCENTILE, CLAHE = TONES
SHARE = 0.001
"""The share of the pixels that may lie below the range shown, and the share above it."""
LEVELS = 65536
CLIP, TILES = 2.0, (8, 8)
"""Contrast limit and tiles of CLAHE, OpenCV's usual ones."""


@dataclass(frozen=True)
class Tone:
    """A mapping of 16-bit pixel values to 8 bits.

    Attributes:
        rule: ``percentile``, or ``clahe``, which then equalizes the contrast of each view by tiles.
        low, high: the numbers that become 0 and 255; those between lie on a line, rounded to even.
    """

    rule: str
    low: int
    high: int

    def applied(self, stored: Stored) -> NDArray[np.uint8]:
        """Convert a 16-bit image to 8 bits by this mapping."""
        span = max(self.high - self.low, 1)
        clipped = np.clip(np.arange(LEVELS) - self.low, 0, span)
        levels = np.rint(clipped * 255 / span).astype(np.uint8)
        pixels = stored.unscaled.converted(lambda strip: levels[strip])
        return _equalized(pixels) if self.rule == CLAHE else pixels

    @property
    def note(self) -> str:
        """Describe the mapping of 16-bit numbers to 8 bits in a note for the user."""
        return f"16 bit {self.low}..{self.high} shown as 0..255 ({self.rule})"


def is_deep(stored: Stored) -> bool:
    """Return whether an image holds integers of more than 8 bits."""
    dtype = stored.dtype
    return (dtype.kind == "u" and dtype.itemsize == 2) or dtype == np.int32


def measured_tone(rule: str | None, views: Sequence[Stored]) -> Tone | None:
    """Determine a source's mapping of 16 bits to 8 from the views of its first frame.

    Args:
        rule: one of ``TONES``; None: linear.
        views: its views.

    Returns:
        None for the linear rule, which needs no range, and if a view is not deep.
    """
    if rule in (None, LINEAR) or not all(map(is_deep, views)):
        return None
    counts = np.zeros(LEVELS, np.int64)
    for view in views:
        for _, strip in view.unscaled.strips():
            if strip.dtype == np.int32 and (strip.min() < 0 or strip.max() >= LEVELS):
                return None  # the conversion refuses it
            counts += np.bincount(strip.ravel(), minlength=LEVELS)
    below = np.cumsum(counts)
    low = int(np.searchsorted(below, SHARE * below[-1], side="right"))
    high = int(np.searchsorted(below, (1 - SHARE) * below[-1]))
    assert rule
    return Tone(rule, low, max(high, low + 1))


def with_tone(path: Path, stored: Stored, tone: Tone | None) -> tuple[NDArray[np.uint8], list[str]]:
    """Convert an image to 8 bits with a tone, or linearly; return it with notes.

    Raises:
        ValueError: as ``to_eight_bits``.
    """
    if tone is None or not is_deep(stored):
        return to_eight_bits(path, stored)
    if stored.dtype == np.int32:
        to_eight_bits(path, stored)  # refuses numbers beyond 16 bits
    return tone.applied(stored), [tone.note]


def sixteen_bits(stored: Stored) -> NDArray[np.uint16] | None:
    """Return the unscaled values of an image of more than 8 bits; None for other images."""
    if not is_deep(stored):
        return None
    return stored.unscaled.converted(lambda strip: strip.astype(np.uint16))


def _equalized(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Equalize contrast by tiles; in colour images, only that of lightness."""
    import cv2

    clahe: Any = cv2.createCLAHE(CLIP, TILES)
    if pixels.ndim == 2:
        return np.asarray(clahe.apply(pixels), np.uint8)
    lab = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)
    lab[..., 0] = clahe.apply(np.ascontiguousarray(lab[..., 0]))
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), np.uint8)
