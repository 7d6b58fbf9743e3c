"""Stereo pairs of a data set with ground truth: their files, and reading them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.metrics import Mask
from wheatstone.viewer.sources.decoding import require_size
from wheatstone.viewer.sources.grey import grey_levels
from wheatstone.viewer.sources.images import read_image
from wheatstone.viewer.sources.truth import TruthFiles, read_truths


@dataclass(frozen=True)
class PairFiles:
    """The files of a pair with ground truth, and the encoding of the truth.

    Attributes:
        truth, scale, unknown, truth_right, mask, seen_truth: as in ``TruthFiles``.
        disparities: number of disparities to search, given by the data set; None: not given.
        min_disparity: the first disparity to search.
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
    def files(self) -> TruthFiles:
        """List the files that hold the ground truth."""
        return TruthFiles(
            self.truth, self.scale, self.unknown, self.truth_right, self.mask, self.seen_truth
        )

    @property
    def paths(self) -> tuple[Path, ...]:
        """List the files of the views and of the ground truth."""
        return self.left, self.right, *self.files.paths

    @property
    def occlusions(self) -> str:
        """Return the origin of the occlusions: the data set, the right truth or the left truth."""
        if self.mask or self.seen_truth:
            return "data set"
        return "right truth" if self.truth_right else "left truth"


@dataclass(frozen=True, eq=False)
class Pair:
    """A stereo pair with ground truth in memory.

    Attributes:
        left, right: (H, W) grey levels.
        truth: (H, W) disparities of the left view in pixels, NaN where they are unknown.
        seen: (H, W) whether both views see the left view's pixel.
    """

    left: NDArray[np.uint8]
    right: NDArray[np.uint8]
    truth: NDArray[np.float32]
    seen: Mask


def load(entry: PairFiles) -> Pair:
    """Read the images of a pair in grey levels, and its ground truth.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file has another format, or sizes differ.
    """
    left, right = (grey_levels(read_image(path).pixels) for path in (entry.left, entry.right))
    require_size(entry.right, right.shape, left.shape)
    found = read_truths(entry.files, left.shape)
    return Pair(left, right, found.disparity, found.seen)
