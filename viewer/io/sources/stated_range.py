"""The number of disparities to search for a pair, from calibration, data set or ground truth."""

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np

from wheatstone.gpu.pipelines.sgm.params import MOST_DISPARITIES
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration_files import MIDDLEBURY, searched_disparities
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.data_set_layouts import folder_layout_of
from wheatstone.viewer.io.sources.data_sets import KITTI_DISPARITIES
from wheatstone.viewer.io.sources.disparity_survey import MOST_SEARCHED
from wheatstone.viewer.io.sources.pillow_images import picture_size
from wheatstone.viewer.io.sources.truth import TruthFiles, read_disparity
from wheatstone.viewer.io.sources.value_files import read_values

STEP = 16  # disparities are searched in multiples of it
TRUTH = "the ground truth"
USUAL = 64  # are searched unless something asks for others; a ground truth only adds to them
SAMPLED = 16  # ground truths of a source that are read for their largest disparity


class AskedCount(int):
    """A required number of disparities, with the name of the file or data that requires it.

    Attributes:
        by: what asks for it, as the subject of a sentence.
    """

    by: str

    def __new__(cls, count: int, by: str) -> Self:
        """Create a number of disparities that a calibration, data set or ground truth requires."""
        asked = super().__new__(cls, count)
        asked.by = by
        return asked

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Pickle only the number of disparities, without the name of the file or data."""
        return int, (int(self),)


def stated_disparities(left: Path, calibrations: tuple[str, ...] = ()) -> AskedCount | None:
    """Return the number of disparities stated for a pair by its calibration or data set, or None.

    Args:
        left: the left image; ``calib.txt`` in its folder or the one above counts.
        calibrations: the files that the user gave instead.
    """
    candidates = _middlebury_files(left.absolute().parent)
    for path in map(Path, calibrations) if calibrations else candidates:
        if path.is_file() and path.suffix.lower() == ".txt":
            with suppress(OSError, ValueError):  # told where the calibration is read
                count = searched_disparities(path, picture_size(left))
                return AskedCount(count, label(path.name)) if count and count > 0 else None
    layout = folder_layout_of(left)
    count = layout[0].disparities if layout else None
    return AskedCount(count, layout[0].name) if layout and count else None


@lru_cache(maxsize=64)  # asked for each image of a folder
def _middlebury_files(folder: Path) -> tuple[Path, Path]:
    """Return the two paths where Middlebury's calibration of a folder's images may be."""
    return folder / MIDDLEBURY, folder.parent / MIDDLEBURY


def disparities_of_truth(truths: Sequence[TruthFiles]) -> AskedCount | None:
    """Return how many disparities must be searched to cover the ground truth of pairs.

    Truth whose scale is a guess does not count, and neither do disparities beyond the width.

    Args:
        truths: of all pairs; of many, some are read.

    Returns:
        None without truth, or if the usual number is enough.
    """
    if any(truth.seen_truth for truth in truths):
        return AskedCount(KITTI_DISPARITIES, f"{TRUTH} of KITTI")
    sampled = truths[:: math.ceil(len(truths) / SAMPLED) or 1]
    count = min(round(max(map(_largest, sampled), default=0.0)) + 1, MOST_SEARCHED)
    return AskedCount(count, TRUTH) if count > USUAL else None


@lru_cache(maxsize=256)  # a run asks for each frame
def _largest(truth: TruthFiles) -> float:
    """Return the largest disparity of a ground truth, at least 0; 0 if it cannot be read."""
    with suppress(OSError, ValueError):  # told where the truth is used
        values = read_disparity(truth)
        largest = float(values[np.isfinite(values)].max(initial=0))
        guessed = truth.scale is None and truth.truth.suffix.lower() in (".png", ".pgm")
        if guessed and not truth.packed and read_values(truth.truth).encoding == "8 bits":
            return 0.0
        return largest if largest < values.shape[1] else 0.0
    return 0.0


def in_steps(count: int) -> int:
    """Round a number of disparities up to the next number that can be searched."""
    return STEP * math.ceil(count / STEP)


def possible(count: int) -> int:
    """Round a number of disparities up to one that can be searched, or down to the maximum."""
    return min(in_steps(count), MOST_SEARCHED)


def largest_stated(first: int, count: int | None) -> float:
    """Return the last disparity of a stated range; infinite if unknown or from a ground truth.

    Args:
        first: the first disparity of the range.
        count: how many disparities are asked for; None: it is not known.
    """
    by_truth = isinstance(count, AskedCount) and count.by.startswith(TRUTH)
    return math.inf if count is None or by_truth else first + count - 1


def range_note(count: int, least: int | None = None) -> str:
    """Describe for the user the default range searched, where ``count`` disparities are required.

    Args:
        least: what the pair of a data set with the smallest range asks for.
    """
    if least and possible(least) < possible(count) and count <= MOST_SEARCHED:
        ends = f"{possible(least)} to {possible(count)}"
        return f"{ends} disparities are searched: as many as each pair asks for"
    if count <= MOST_SEARCHED:
        return f"{possible(count)} disparities are searched: {_asking(count)} asks for {count}"
    return way_out(count)


def _asking(count: int) -> str:
    return count.by if isinstance(count, AskedCount) else "the data set"


def way_out(count: int) -> Finding:
    """Return a remark on how to search more disparities than all variants support."""
    times, begin = math.ceil(count / MOST_SEARCHED), in_steps(count - MOST_SEARCHED)
    every = min(in_steps(count), MOST_DISPARITIES)
    facts = {"asked": count, "most": MOST_SEARCHED, "all": every, "begin": begin, "times": times}
    return Finding("range stated", by=_asking(count), **facts)
