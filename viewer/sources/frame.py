"""Frames, and the protocol of the sources that serve them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.cameras.calibration import Calibration, assumed
from wheatstone.viewer.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.footage.counters import Counters
from wheatstone.viewer.footage.planes import AnyView, Planes, pixels_of
from wheatstone.viewer.footage.reader import Reader
from wheatstone.viewer.footage.thumbnails import Thumbnails
from wheatstone.viewer.reading.picture_size import LARGEST as LARGEST

Pixels = NDArray[np.uint8]


class Frame:
    """One stereo frame. The arrays may be shared between calls: read them, never write.

    Attributes:
        left: (H, W) gray levels or (H, W, 3) RGB, rectified.
        right: like ``left`` and of the same height and width; None for a single image.
        index: position in the source, from 0.
        truth: (H, W) exact disparity of the left view in pixels, NaN where unknown; None without
            ground truth.
        occluded: (H, W), True where the right view cannot see the left pixel; None when that is
            not known.
        calibration: what makes depths of disparities; None when that is not known.
        raw: the views as they were taken, if they have to be rectified first; the host does that
            only when ``left`` or ``right`` is asked for, as it converts decoded video.
    """

    def __init__(
        self,
        left: AnyView,
        right: AnyView | None,
        index: int,
        truth: NDArray[np.float32] | None = None,
        occluded: NDArray[np.bool_] | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self._left, self._right, self.index = left, right, index
        self.truth, self.occluded, self.calibration = truth, occluded, calibration
        self.raw: RawPair | None = None

    @classmethod
    def of_raw(
        cls,
        raw: RawPair,
        index: int,
        truth: NDArray[np.float32] | None = None,
        occluded: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Make a frame of views that have to be rectified; truth is that of the rectified pair."""
        known = raw.rectification.calibration
        frame = cls(raw.left_view, raw.right_view, index, truth, occluded, known)
        frame.raw = raw
        return frame

    @property
    def left(self) -> Pixels:
        """Look up the left view, rectified."""
        return self.raw.rectified[0] if self.raw else pixels_of(self._left)

    @property
    def right(self) -> Pixels | None:
        """Look up the right view, rectified; None for a single image."""
        if self.raw:
            return self.raw.rectified[1]
        return None if self._right is None else pixels_of(self._right)

    def pixel(self, side: int, row: int, column: int) -> Pixels:
        """Look up a pixel of the left view, 0, or the right one, 1: one grey level, or (3,) RGB.

        The view is not rectified or converted for that, as it is when it is asked for as a whole.
        """
        if self.raw:
            return self.raw.pixel(side, row, column)
        view = (self._left, self._right)[side]
        assert view is not None
        return view.pixel(row, column) if isinstance(view, Planes) else view[row, column]

    @property
    def is_pair(self) -> bool:
        """Tell whether there are two views, without rectifying them."""
        return self.raw is not None or self._right is not None

    @property
    def shape(self) -> tuple[int, int]:
        """Look up height and width of the views."""
        if self.raw:
            return self.raw.rectification.left.fraction.shape
        return self._left.shape[:2]

    @property
    def taken(self) -> tuple[AnyView, AnyView | None]:
        """Look up both views as they were taken, not rectified and not converted."""
        return self._left, self._right

    @property
    def planes(self) -> tuple[Planes, Planes] | None:
        """Look up what a video decoder gave both views by, as taken; None for other sources."""
        if isinstance(self._left, Planes) and isinstance(self._right, Planes):
            return self._left, self._right
        return None

    @property
    def calibration_or_assumed(self) -> Calibration:
        """Look up the calibration; where it is not known, assume one, of relative lengths."""
        height, width = self.shape
        return self.calibration or assumed(width, height)


class Live(Protocol):
    """What goes on by itself behind a source, whether or not its frames are asked for."""

    @property
    def newest(self) -> int:
        """Number of the newest frame that can be had."""
        ...

    @property
    def oldest(self) -> int:
        """Number of the oldest frame that is kept."""
        ...

    @property
    def state(self) -> str:
        """Tell whether frames come: ``opening``, ``live``, ``stalled`` or ``lost``."""
        ...

    @property
    def ended(self) -> bool:
        """Tell whether no frame can come any more, as from a pipe that has ended."""
        ...

    @property
    def alarm(self) -> str:
        """Say what makes the frame shown doubtful, such as a lost camera; empty if nothing does."""
        ...

    @property
    def counters(self) -> Counters:
        """Look up what became of the frames so far."""
        ...

    @property
    def readers(self) -> tuple[Reader, ...]:
        """Look up what reads the devices, the left one's first."""
        ...

    def note_shown(self, number: int) -> None:
        """Note that the frame of a number is on the screen."""
        ...


class Source(Protocol):
    """A still, a sequence or a scene, opened; classes of sources inherit what is set here.

    Attributes:
        name: short, for the window's title and the status line.
        height, width: of every frame, in pixels.
        length: number of frames; 1 for a still, and more than will ever come of a live source.
        rate: frames per second at which to play the source; 0 for a still.
        times: seconds from the first frame to each, rising, where frames are not equally far apart;
            None: they are ``1 / rate`` apart.
        live: what goes on behind a camera or a stream, whose newest frame is shown; None: nothing.
        notes: one-line remarks for the user, such as "left.png: 16-bit scaled to 8 bits (value //
            257)".
        layouts: where its views may lie in its pictures, as the user can choose; the first is where
            they do. None of a source that has no such choice.
        decoding: who decodes its frames, such as "GPU decoding"; empty where none are decoded.
        planar: whether its frames have ``planes``.
        rectification: how its views, which come as they were taken, are rectified; None if they
            are rectified already.
        files: its pictures and ground truth, wherever links and manifests lead.
        recipe: what reopens the source; strings and whole numbers only, so that TOML can hold it.
        damaged: frames found so far that the file does not hold intact.
        thumbnails: small pictures of it, made beside the display; None where there are none.
    """

    name: str
    height: int
    width: int
    length: int
    rate: float
    times: NDArray[np.float64] | None = None
    layouts: tuple[str, ...] = ()
    decoding: str = ""
    planar: bool = False
    live: Live | None = None
    notes: tuple[str, ...] = ()
    rectification: Rectification | None = None
    files: tuple[Path, ...] = ()
    recipe: Mapping[str, str | int]
    damaged: int = 0
    thumbnails: Thumbnails | None = None

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` modulo ``length``, computing or reading it when it is not ready.

        Raises:
            OSError, ValueError: a file of a sequence cannot be read or does not fit the others.
        """

    def frame_files(self, index: int) -> tuple[Path, ...]:
        """List the files that frame ``index`` modulo ``length`` is read from."""
        return self.files

    def frame_name(self, index: int) -> str:
        """Name frame ``index`` for the user."""
        return self.name

    def ready(self, index: int) -> bool:
        """Tell whether ``frame(index)`` would return at once."""

    def rest(self, rests: bool) -> None:
        """Prepare and decode no frames that nobody asked for while nobody sees them, or go on."""
        return

    def close(self) -> None:
        """Stop reading ahead; the source serves no frame after this."""
