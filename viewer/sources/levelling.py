"""Making of a pair's frames: by calibration, unrectified, or rectified by features."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Literal, Protocol, get_args

from wheatstone.viewer.cameras.calibration_files import calibration_of
from wheatstone.viewer.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.cameras.uncalibrated import divisor, rectify_uncalibrated, scaled_down
from wheatstone.viewer.footage.planes import pixels_of
from wheatstone.viewer.sources.calibrated import Calibrations, GivenCalibration
from wheatstone.viewer.sources.frame import Frame, Pixels, Source
from wheatstone.viewer.sources.grey import grey_levels
from wheatstone.viewer.sources.taken import Taken

Rectify = Literal["auto", "off"]
RECTIFY: tuple[str, ...] = get_args(Rectify)
"""How a pair is rectified without its calibration: by its features, or not at all."""


class FrameMaker(Protocol):
    """Makes the frames of a source from the views that were read."""

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame, with notes on its calibration; see ``Calibrations.frame``."""
        ...


def frames_of(calibration: GivenCalibration, rectify: str | None) -> FrameMaker:
    """Return the object that makes the frames of a source.

    Args:
        calibration: the files that the user named.
        rectify: ``auto``: pairs are rectified by their features; ``off``: not at all; None: as
            their calibration says.
    """
    if rectify == "auto":
        return FeatureRectification()
    calibrations = Calibrations(calibration)
    return AsTaken(calibrations) if rectify == "off" else calibrations


class AsTaken:
    """Makes frames without rectification, even if their calibration requires it."""

    def __init__(self, calibrations: Calibrations) -> None:
        self._calibrations = calibrations

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame that is not rectified; one that needs rectification gets no calibration."""
        frame, notes = self._calibrations.frame(taken)
        if not frame.raw:
            return frame, notes
        plain = Frame(taken.left, taken.right, taken.index)
        return plain, (*notes, "shown as it was taken: not rectified")


class FeatureRectification:
    """Makes the frames of one source; all pairs are rectified by the features of the first."""

    def __init__(self) -> None:
        self._rectification: Rectification | None = None
        self._divisor = 1

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame that is rectified by features, with notes for the first pair.

        Truth and calibration are left out, because rectification moves the pixels.

        Raises:
            ValueError: the views do not determine a rectification.
        """
        if taken.right is None:
            return Frame(taken.left, None, taken.index), ()
        by = self._divisor if self._rectification else divisor(*taken.size)
        left, right = (scaled_down(pixels_of(view), by) for view in (taken.left, taken.right))
        notes: tuple[str, ...] = ()
        if not self._rectification:
            found = rectify_uncalibrated(grey_levels(left), grey_levels(right))
            self._rectification, self._divisor = found.rectification, by
            beside = calibration_of(taken.files[0], taken.size, ())[0]
            notes = (*_scaled_words(left, by), *found.notes, *_left_out(taken.truth, beside))
        return Frame.of_raw(RawPair(left, right, self._rectification), taken.index), notes


def expected_range(source: Source, known: Iterable[str]) -> dict[str, int]:
    """Return the parameters that cover the expected disparities of a rectified pair.

    Args:
        known: names of the parameters that exist.

    Returns:
        ``min_disparity`` and ``disparities`` if known; empty if no range is expected.
    """
    with suppress(OSError, ValueError):  # told where the frame is shown
        raw = source.frame(0).raw
        if raw and raw.rectification.disparities:
            first, count = raw.rectification.disparities
            expected = {"min_disparity": first, "disparities": count}
            return {name: expected[name] for name in known if name in expected}
    return {}


def _scaled_words(left: Pixels, by: int) -> tuple[str, ...]:
    height, width = left.shape[:2]
    return (f"views scaled down by {by} to {width}x{height}, to be matched live",) * (by > 1)


def _left_out(truth: object, calibration: object) -> tuple[str, ...]:
    lost = {"ground truth": truth, "calibration": calibration}
    names = " and ".join(name for name, found in lost.items() if found is not None)
    return (f"{names} left out: that of views that are not rectified anew",) if names else ()
