"""Frames of a pair: as it is, or rectified without a calibration as ``--rectify auto`` says."""

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
"""How a pair is rectified other than its calibration says: by its features, or not at all."""


class FrameMaker(Protocol):
    """Makes the frames of a source of what was read."""

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame, and say what is worth saying of its calibration; as ``Calibrations``."""
        ...


def frames_of(calibration: GivenCalibration, rectify: str | None) -> FrameMaker:
    """Choose how the frames of a source are made.

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
    """Makes frames that are shown as they were taken, whatever their calibration says."""

    def __init__(self, calibrations: Calibrations) -> None:
        self._calibrations = calibrations

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame; one that would have to be rectified is left without calibration."""
        frame, notes = self._calibrations.frame(taken)
        if not frame.raw:
            return frame, notes
        plain = Frame(taken.left, taken.right, taken.index)
        return plain, (*notes, "shown as it was taken: not rectified")


class FeatureRectification:
    """Makes the frames of one source; all its pairs are rectified as the first one has to be."""

    def __init__(self) -> None:
        self._rectification: Rectification | None = None
        self._divisor = 1

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame of views as they were read, with notes on how the first is rectified.

        Truth and calibration are left out: the pixels lie elsewhere then.

        Raises:
            ValueError: the views do not tell how to rectify them.
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
    """Look up the parameters that search the disparities which a rectified pair should have.

    Args:
        known: names of the parameters that there are.

    Returns:
        Of ``min_disparity`` and ``disparities`` those known; none where nothing is expected.
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
