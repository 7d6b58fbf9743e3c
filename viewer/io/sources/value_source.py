"""A source of one file of values, such as another program's disparities, shown as they are."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.values import values_pipeline
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import Frame, Pixels, SingleFrame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.truth import TruthFiles, read_disparity
from wheatstone.viewer.io.sources.truth_places import is_packed
from wheatstone.viewer.io.sources.value_files import Coding, read_values

PIXELS = "px"  # the unit of disparities
ENDS = (1, 99)  # percentiles of the values that the range shown begins and ends with
DIGITS = 3  # of these


class ValueSource(SingleFrame):
    """A file with one number per pixel, as a `Source` of one frame."""

    def __init__(self, spec: SourceSpec) -> None:
        """Read the file of values, and make the source's only frame of them, in grey levels.

        Args:
            spec: with ``values_in``, the unit of the values.

        Raises:
            OSError, ValueError: the file cannot be read, or does not hold one number per pixel.
        """
        path = Path(spec.left or "")
        self.name, self.spec, self.files = label(path.name), spec.resolved(), (path,)
        values = _read(path, spec)
        low, high = _range(values)
        unit = "" if spec.values_in == "none" else spec.values_in or PIXELS
        self.values = values_pipeline(unit, low, high)
        self._frame = Frame(_grey(values, low, high), None, 0)
        self._frame.values = values
        self.height, self.width = values.shape


def _read(path: Path, spec: SourceSpec) -> NDArray[np.float32]:
    """Read the values, NaN where unknown: disparities in pixels, all other values as stored."""
    if spec.values_in == PIXELS:
        return read_disparity(TruthFiles(path, spec.truth_scale, packed=is_packed(path)))
    plain = Coding(spec.truth_scale or 1)
    return read_values(path, plain, plain).pixels


def _range(values: NDArray[np.float32]) -> tuple[float, float]:
    """Return a range of round numbers that contains nearly all values."""
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low, high = (float(f"{end:.{DIGITS}g}") for end in np.percentile(known, ENDS))
    return (low, high) if low < high else (low, low + 1.0)


def _grey(values: NDArray[np.float32], low: float, high: float) -> Pixels:
    """Convert values to grey levels over a range; unknown ones become black."""
    share = np.clip((np.nan_to_num(values, nan=low) - low) / (high - low), 0, 1)
    grey: Pixels = (share * 255).astype(np.uint8)
    return grey
