"""Reading of ground truth for a left view, and of masks of pixels seen in both views.

``viewer.io.sources.truth_places`` finds these files in published data sets.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.metrics import Mask, not_covered, seen_by_both
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.sources.decoding import Size
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.value_files import KITTI_STEPS, Coding, read_values

LEAST_LOST = 0.01  # share of a truth that is not searched for, of which the user is told
PACKED = np.array([4, 1 / 64, 1 / 16384], np.float32)  # pixels per step of red, green and blue
SEEN = 255  # value in a mask of a pixel that both views see


@dataclass(frozen=True)
class TruthFiles:
    """The files that hold a pair's ground truth.

    Attributes:
        scale: stored values per pixel of disparity, in a truth of integers; None: the usual ones,
            256 for 16 bits and 1 for 8.
        unknown: the stored value that means no truth, in a truth of integers.
        zero: the stored value of disparity 0, in a truth of integers.
        truth_right: the right view's truth, of the same encoding.
        mask: a picture that is 255 where both views see the left view's pixel.
        seen_truth: a truth that is known only where both views see the pixel.
        packed: whether the truth is a colour PNG of Sintel, whose channels add up.
        hidden: pictures that are not 0 where the right view does not see the left view's pixel.
        objects: a picture that is 0 in the background.
        positive: whether disparities that are not above 0 are unknown.
    """

    truth: Path
    scale: float | None = None
    unknown: int = 0
    truth_right: Path | None = None
    mask: Path | None = None
    seen_truth: Path | None = None
    packed: bool = False
    zero: int = 0
    hidden: tuple[Path, ...] = ()
    objects: Path | None = None
    positive: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """List the paths of all files given for the ground truth, including masks."""
        named = self.truth, self.truth_right, self.mask, self.seen_truth, *self.hidden, self.objects
        return tuple(path for path in named if path)


@dataclass(frozen=True, eq=False)
class Truth:
    """A pair's ground truth in memory.

    Attributes:
        disparity: (H, W) of the left view in pixels, NaN where unknown.
        seen: (H, W) whether both views see the left view's pixel.
        objects: (H, W) whether a pixel is in the foreground; None: it is not known.
    """

    disparity: NDArray[np.float32]
    seen: Mask
    objects: Mask | None = None


def read_truths(files: TruthFiles, shape: Size) -> Truth:
    """Read a pair's ground truth, and determine which pixels both views see.

    Without a mask, a second truth or the right view's, a pixel counts as seen unless the left
    truth maps a nearer one to the same position.

    Args:
        shape: of the left view, (H, W).

    Raises:
        OSError: a file cannot be read.
        ValueError: a file has another format or another size.
    """
    truth = read_disparity(files, shape)
    objects = _marked(files.objects, truth.shape) if files.objects else None
    return Truth(truth, _seen(files, truth), objects)


def read_disparity(files: TruthFiles, expected: Size | None = None) -> NDArray[np.float32]:
    """Read the left view's disparities from ground truth files, with ``read_truth``'s errors."""
    if files.packed:
        return read_packed(files.truth, expected)
    pixels = read_truth(files.truth, files.scale, files.unknown, expected, files.zero)
    if files.positive:
        pixels[~(pixels > 0)] = np.nan
    return pixels


def read_truth(
    path: Path,
    scale: float | None = None,
    unknown: int = 0,
    expected: Size | None = None,
    zero: int = 0,
) -> NDArray[np.float32]:
    """Read a disparity map in pixels; NaN where unknown.

    PFM, TIFF and NPY hold pixels, not finite where unknown; an NPY is divided by ``scale``. PNG
    and PGM hold integers: ``zero`` and ``scale`` times the disparity, ``unknown`` where unknown.

    Args:
        scale: stored values per pixel; None: 256 for 16 bits (KITTI's), 1 for 8 bits.
        expected: the left view's size; None: any.

    Returns:
        (H, W) disparities of the left view.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is none of these, truncated, or not of the size expected.
    """
    eight, sixteen = (Coding(scale or usual, unknown, zero) for usual in (1, KITTI_STEPS))
    pixels = read_values(path, eight, sixteen, expected).pixels
    if path.suffix.lower() == ".npy" and scale:
        pixels = pixels / np.float32(scale)
    return pixels


def read_packed(path: Path, expected: Size | None = None) -> NDArray[np.float32]:
    """Read a disparity map of Sintel: 4 red + green / 64 + blue / 16384 pixels.

    Raises:
        OSError, ValueError: as ``read_image``; or the picture is grey.
    """
    pixels = read_image(path, expected).pixels
    if pixels.ndim != 3:
        raise ValueError(f"{path}: disparities in three channels are needed (found a grey picture)")
    packed: NDArray[np.float32] = pixels.astype(np.float32) @ PACKED
    return packed


def not_searched(truth: NDArray[np.float32], first: int, count: int) -> str:
    """Return a warning if many disparities of a ground truth are not searched; else empty.

    Args:
        truth: (H, W) disparities in pixels, NaN where unknown.
        first: the first disparity searched, an integer number of pixels.
    """
    known, last = truth[np.isfinite(truth)], first + count - 1
    share = np.mean((known < first - 0.5) | (known > last + 0.5)) if known.size else 0.0
    if share < LEAST_LOST:
        return ""
    lowest, highest = round(float(known.min())), round(float(known.max()))
    facts = {"lowest": lowest, "highest": highest, "first": first, "last": last}
    return Finding("truth range", share=float(share), **facts)


def _seen(files: TruthFiles, truth: NDArray[np.float32]) -> Mask:
    """Return a mask of the left pixels that both views see, from the best file available."""
    if files.mask:
        mask = read_image(files.mask, truth.shape).pixels
        seen: Mask = np.all(mask.reshape(*truth.shape, -1) == SEEN, axis=2)
        return seen
    if files.hidden:
        unseen: Mask = np.any([_marked(path, truth.shape) for path in files.hidden], axis=0)
        return ~unseen
    other = files.seen_truth or files.truth_right
    if not other:
        return not_covered(truth)
    other_truth = read_truth(other, files.scale, files.unknown, truth.shape, files.zero)
    return np.isfinite(other_truth) if files.seen_truth else seen_by_both(truth, other_truth)


def _marked(path: Path, expected: Size) -> Mask:
    """Return a mask of a picture's pixels that are not 0."""
    pixels = read_image(path, expected).pixels
    marked: Mask = np.any(pixels.reshape(*expected, -1) != 0, axis=2)
    return marked
