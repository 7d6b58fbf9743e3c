"""A still: one image file, or the two of a pair."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from viewer.cameras.rectification import Rectification
from viewer.reading.plain_text import label
from viewer.sources.calibrated import NOTHING_GIVEN, GivenCalibration
from viewer.sources.frame import Frame
from viewer.sources.images import read_image
from viewer.sources.levelling import frames_of
from viewer.sources.truth import TruthFiles, read_truths
from viewer.sources.truth_places import find_truth, why_no_truth


class StillSource:
    """A single image or a pair, a `Source` of one frame."""

    def __init__(
        self,
        left: str,
        right: str | None,
        calibration: GivenCalibration = NOTHING_GIVEN,
        truth: str | None = None,
        truth_scale: float | None = None,
        rectify: str | None = None,
    ) -> None:
        """Read the files.

        Args:
            calibration: its files; none: that beside the left image, if there is one.
            truth: file of a pair's ground truth; None: that beside the left image, if there is one.
            truth_scale: as ``TruthFiles.scale``.
            rectify: as ``frames_of`` has it.

        Raises:
            OSError, ValueError: see ``read_image``; or the two sizes differ; or the pair cannot be
                rectified.
        """
        pictures = [read_image(Path(path)) for path in (left, right) if path is not None]
        self.name = " | ".join(label(Path(path).name) for path in (left, right) if path is not None)
        shape = pictures[0].pixels.shape[:2]
        self.length, self.rate = 1, 0.0
        self.notes: tuple[str, ...] = sum((picture.notes for picture in pictures), ())
        self.recipe: Mapping[str, str | int] = {"left": str(Path(left).resolve())}
        if right is not None:
            require_same_size(Path(left), pictures[0].pixels, Path(right), pictures[1].pixels)
            self.recipe = {**self.recipe, "right": str(Path(right).resolve())}
        self.recipe = {**self.recipe, **calibration.recipe}
        if rectify is not None:
            self.recipe = {**self.recipe, "rectify": rectify}
        given = {"truth": str(Path(truth).resolve()) if truth else None}
        given["truth_scale"] = f"{truth_scale:g}" if truth_scale else None
        self.recipe = {**self.recipe, **{name: said for name, said in given.items() if said}}
        files = None
        if right is not None:
            files = _truth_files(Path(left), truth, truth_scale)
            remark = "" if files else why_no_truth(Path(left), truth_scale)
            self.notes += (remark,) if remark else ()
        found = read_truths(files, shape) if files else None
        self._frame, remarks = frames_of(calibration, rectify).frame(
            (Path(left), Path(right) if right is not None else None),
            (pictures[0].pixels, pictures[1].pixels if right is not None else None),
            0,
            found.disparity if found else None,
            ~found.seen if found else None,
        )
        self.height, self.width = self._frame.shape
        self.notes += remarks
        raw = self._frame.raw
        self.rectification: Rectification | None = raw.rectification if raw else None

    def frame(self, index: int) -> Frame:
        """Return the one frame there is."""
        return self._frame

    def ready(self, index: int) -> bool:
        """Return True: a still is read when it is opened."""
        return True

    def close(self) -> None:
        """Do nothing: a still holds neither a file nor a thread."""


def _truth_files(left: Path, truth: str | None, scale: float | None) -> TruthFiles | None:
    return TruthFiles(Path(truth), scale) if truth else find_truth(left, scale)


def require_same_size(
    left: Path, left_pixels: NDArray[np.uint8], right: Path, right_pixels: NDArray[np.uint8]
) -> None:
    """Raise ValueError unless both views have the same height and width."""
    if left_pixels.shape[:2] != right_pixels.shape[:2]:
        (height, width), (other_height, other_width) = left_pixels.shape[:2], right_pixels.shape[:2]
        raise ValueError(
            f"left and right must have the same size ({left} is {width}x{height}, "
            f"{right} is {other_width}x{other_height}); rectify or crop them alike"
        )
