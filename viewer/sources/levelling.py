"""Frames of a pair: as it is, or rectified without a calibration as ``--rectify auto`` says."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from viewer.cameras.calibration import Calibration
from viewer.cameras.rectification import RawPair, Rectification
from viewer.cameras.uncalibrated import divisor, rectify_uncalibrated, scaled_down
from viewer.sources.frame import Frame, Pixels, Source
from viewer.sources.grey import grey_levels

Rectify = Literal["auto", "off"]
RECTIFY: tuple[str, ...] = get_args(Rectify)
"""How a pair is rectified that has no calibration: by its features, or not at all."""


class Levelling:
    """Makes the frames of one source; all its pairs are rectified as the first one has to be.

    Attributes:
        notes: lines for the user on how pairs are rectified; empty before the first frame, and
            where they are not.
    """

    def __init__(self, rectify: str | None) -> None:
        """Note how pairs are rectified: one of ``RECTIFY``, or None, which is ``off``."""
        self.notes: tuple[str, ...] = ()
        self._auto = rectify == "auto"
        self._rectification: Rectification | None = None
        self._divisor = 1

    def frame(
        self,
        left: Pixels,
        right: Pixels | None,
        index: int,
        truth: NDArray[np.float32] | None = None,
        occluded: NDArray[np.bool_] | None = None,
        calibration: Calibration | None = None,
    ) -> Frame:
        """Make a frame of views as they were read, and of what belongs to them.

        Of a pair that is rectified here, truth and calibration are left out: its pixels lie
        elsewhere then.

        Raises:
            ValueError: the views do not tell how to rectify them.
        """
        if not self._auto or right is None:
            return Frame(left, right, index, truth, occluded, calibration)
        by = self._divisor if self._rectification else divisor(left.shape[1], left.shape[0])
        left, right = scaled_down(left, by), scaled_down(right, by)
        if not self._rectification:
            found = rectify_uncalibrated(grey_levels(left), grey_levels(right))
            self._rectification, self._divisor = found.rectification, by
            self.notes = (*_scaled_words(left, by), *found.notes, *_left_out(truth, calibration))
        return Frame.of_raw(RawPair(left, right, self._rectification), index)


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


def _left_out(
    truth: NDArray[np.float32] | None, calibration: Calibration | None
) -> tuple[str, ...]:
    lost = {"ground truth": truth, "calibration": calibration}
    names = " and ".join(name for name, found in lost.items() if found is not None)
    return (f"{names} left out: that of views that are not rectified anew",) if names else ()
