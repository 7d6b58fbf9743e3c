"""The number of disparities that the calibration of a pair asks for (Middlebury's ``ndisp``)."""

import math
from contextlib import suppress
from pathlib import Path

from wheatstone.viewer.findings import SourceFinding
from wheatstone.viewer.io.cameras.calibration_files import MIDDLEBURY, searched_disparities
from wheatstone.viewer.io.sources.disparity_survey import MOST_SEARCHED

STEP = 16  # disparities are searched in multiples of it


def stated_disparities(left: Path, calibrations: tuple[str, ...] = ()) -> int | None:
    """Return how many disparities a pair's calibration asks for; None if it does not say.

    Args:
        left: the left image; ``calib.txt`` in its folder or the one above counts.
        calibrations: the files that the user gave instead.
    """
    beside = (left.parent / MIDDLEBURY, left.parent.parent / MIDDLEBURY)
    for path in map(Path, calibrations) if calibrations else beside:
        if path.is_file() and path.suffix.lower() == ".txt":
            with suppress(OSError, ValueError):  # told where the calibration is read
                count = searched_disparities(path)
                return count if count and count > 0 else None
    return None


def in_steps(count: int) -> int:
    """Return the number of disparities to search so that ``count`` are covered."""
    return STEP * math.ceil(count / STEP)


def possible(count: int) -> int:
    """Return the number of disparities to search: ``count`` covered, or the most that can be."""
    return min(in_steps(count), MOST_SEARCHED)


def range_note(count: int) -> str:
    """Describe the range that is searched by default where a calibration asks for ``count``."""
    if count <= MOST_SEARCHED:
        return f"{possible(count)} disparities are searched: the calibration asks for {count}"
    return way_out(count)


def way_out(count: int) -> SourceFinding:
    """Explain how to search more disparities than possible at once."""
    by, begin = math.ceil(count / MOST_SEARCHED), in_steps(count - MOST_SEARCHED)
    return SourceFinding("range stated", asked=count, most=MOST_SEARCHED, begin=begin, by=by)
