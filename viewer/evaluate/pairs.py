"""A pair of a data set: its files, and what they hold."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.metrics import Mask, not_covered, seen_by_both
from viewer.bench.inputs import to_grey
from viewer.sources.images import read_image
from viewer.sources.value_files import KITTI_STEPS, Coding, read_values

SEEN = 255  # in a mask, of a pixel that both views see


@dataclass(frozen=True)
class Entry:
    """The files of a pair.

    Attributes:
        scale: stored values per pixel of disparity, in a truth of integers; None: what is usual,
            256 for 16 bits and 1 for 8.
        unknown: the stored value in it that means no truth.
        truth_right: the right view's truth, of the same encoding.
        mask: a picture that is 255 where both views see the left view's pixel.
        seen_truth: a truth that is known only where both views see the pixel.
        disparities: how many the data set says to search; None: it does not say.
        min_disparity: the first of them.
    """

    name: str
    left: Path
    right: Path
    truth: Path
    scale: float | None = None
    unknown: int = 0
    truth_right: Path | None = None
    mask: Path | None = None
    seen_truth: Path | None = None
    disparities: int | None = None
    min_disparity: int = 0

    @property
    def occlusions(self) -> str:
        """How it is known which pixels both views see."""
        if self.mask or self.seen_truth:
            return "data set"
        return "right truth" if self.truth_right else "left truth"


@dataclass(frozen=True, eq=False)
class Pair:
    """A pair in memory.

    Attributes:
        truth: (H, W) disparities of the left view, NaN where they are unknown.
        seen: (H, W) whether both views see the left view's pixel.
    """

    left: NDArray[np.uint8]
    right: NDArray[np.uint8]
    truth: NDArray[np.float32]
    seen: Mask


def load(entry: Entry) -> Pair:
    """Read a pair.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file cannot be understood, or sizes differ.
    """
    left, right = (to_grey(read_image(path).pixels) for path in (entry.left, entry.right))
    _require_size(entry.right, right.shape, left.shape)
    truth = _truth(entry, entry.truth, left.shape)
    return Pair(left, right, truth, _seen(entry, truth))


def _truth(entry: Entry, path: Path, shape: tuple[int, ...]) -> NDArray[np.float32]:
    eight = Coding(entry.scale or 1, entry.unknown)
    sixteen = Coding(entry.scale or KITTI_STEPS, entry.unknown)
    pixels = read_values(path, eight, sixteen).pixels
    _require_size(path, pixels.shape, shape)
    if path.suffix.lower() == ".npy" and entry.scale:
        pixels = pixels / np.float32(entry.scale)
    return pixels


def _seen(entry: Entry, truth: NDArray[np.float32]) -> Mask:
    if entry.mask:
        mask = read_image(entry.mask).pixels
        _require_size(entry.mask, mask.shape[:2], truth.shape)
        seen: Mask = to_grey(mask) == SEEN
        return seen
    if entry.seen_truth:
        return np.isfinite(_truth(entry, entry.seen_truth, truth.shape))
    if entry.truth_right:
        return seen_by_both(truth, _truth(entry, entry.truth_right, truth.shape))
    return not_covered(truth)


def _require_size(path: Path, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if shape != expected:
        raise ValueError(
            f"{path}: must have the left image's size {expected[1]}x{expected[0]} "
            f"(found {shape[1]}x{shape[0]})"
        )
