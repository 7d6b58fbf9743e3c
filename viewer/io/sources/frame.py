"""Stereo frames, and the protocol of the sources that provide them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.io.cameras.calibration import Calibration, assumed
from wheatstone.viewer.io.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.io.footage.planes import AnyView, Planes, pixels_of
from wheatstone.viewer.io.footage.thumbnails import Thumbnails
from wheatstone.viewer.io.sources.georeference import Georeference
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec

if TYPE_CHECKING:
    from wheatstone.viewer.io.footage.feed import Feed

Pixels = NDArray[np.uint8]


@dataclass
class Elsewhere:
    """A reference to another process, which has the GPU and may decode this frame's video.

    Attributes:
        spec: what opens the video there.
        possible: whether that process decodes it.
    """

    spec: SourceSpec
    possible: bool = True


@dataclass(frozen=True, eq=False)
class DeepViews:
    """The 16-bit pixels of a frame's views, as they are stored: neither 8 bits nor rectified.

    Attributes:
        left, right: (H, W) or (H, W, 3); ``right`` is None for a single image.
    """

    left: NDArray[np.uint16]
    right: NDArray[np.uint16] | None


class Frame:
    """A stereo frame: both views of a moment, with ground truth and calibration if known.

    Its arrays may be shared between calls, and must not be written to.

    Attributes:
        left: (H, W) gray levels or (H, W, 3) RGB, rectified.
        right: like ``left`` and of the same height and width; None for a single image.
        index: position in the source, from 0.
        truth: (H, W) exact disparity of the left view in pixels, NaN where unknown; None without
            ground truth.
        occluded: (H, W), True where the right view cannot see the left pixel; None when that is
            not known.
        calibration: converts disparities to depths; None when it is not known.
        calibration_files: the files that it was read from; empty: none.
        raw: the views before rectification, if they need it; the host rectifies them, and converts
            decoded video, only when ``left`` or ``right`` is read.
        deep: the views with 16 bits, for people; None if they have 8.
        values: (H, W) the numbers of a file of values, NaN where there is none; None for images.
        objects: (H, W), True in the foreground of the ground truth; None when that is not known.
        exchange: the layout that exchanges the views; empty: none does, or it is not known.
        georeference: places the left view's pixels on a map; None: it is not known.
        elsewhere: the process that may decode the frame instead of this one; None: this one does.
        damaged: returns whether the frame, as far as it is decoded here, is damaged in its file, or
            an earlier one is, since the last key frame.
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
        self.calibration_files: tuple[Path, ...] = ()
        self.raw: RawPair | None = None
        self.deep: DeepViews | None = None
        self.values: NDArray[np.float32] | None = None
        self.objects: NDArray[np.bool_] | None = None
        self.exchange = ""
        self.georeference: Georeference | None = None
        self.elsewhere: Elsewhere | None = None
        self.damaged: Callable[[], bool] = lambda: False

    @classmethod
    def of_raw(
        cls,
        raw: RawPair,
        index: int,
        truth: NDArray[np.float32] | None = None,
        occluded: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Make a frame of unrectified views, with truth and occlusion of the rectified pair."""
        known = raw.rectification.calibration
        frame = cls(raw.left_view, raw.right_view, index, truth, occluded, known)
        frame.raw = raw
        return frame

    def of_pair(self, pair: "Frame") -> "Frame":
        """Copy this frame of a value file, with ground truth and calibration of a given pair."""
        known = pair.truth, pair.occluded, pair.calibration
        frame = type(self)(self._left, self._right, self.index, *known)
        frame.values = self.values
        return frame

    @property
    def left(self) -> Pixels:
        """Return the left view of the frame, rectified."""
        return self.raw.rectified[0] if self.raw else pixels_of(self._left)

    @property
    def right(self) -> Pixels | None:
        """Return the right view of the frame, rectified; None for a single image."""
        if self.raw:
            return self.raw.rectified[1]
        return None if self._right is None else pixels_of(self._right)

    def pixel(self, side: int, row: int, column: int) -> Pixels:
        """Return a pixel of the left (0) or right (1) view: one grey level or (3,) RGB.

        Only this pixel is rectified or converted, not the whole view.
        """
        if self.raw:
            return self.raw.pixel(side, row, column)
        view = (self._left, self._right)[side]
        assert view is not None
        return view.pixel(row, column) if isinstance(view, Planes) else view[row, column]

    def deep_pixel(self, side: int, row: int, column: int) -> NDArray[np.uint16] | None:
        """Return one pixel of the left (0) or right (1) view with 16 bits: a number or (3,) RGB.

        Of a rectified view it is that of the nearest pixel before rectification. None: the frame
        has 8 bits, or the pixel shows nothing of the view.
        """
        view = (self.deep.left, self.deep.right)[side] if self.deep else None
        if view is None:
            return None
        if self.raw:
            maps = self.raw.rectification
            size = (self.raw.left_view, self.raw.right_view)[side].shape
            place = (maps.left, maps.right)[side].at(row, column)
            row, column = (
                round((at + 0.5) * whole / part - 0.5)
                for at, whole, part in zip(place, view.shape, size, strict=False)
            )
        if not (0 <= row < view.shape[0] and 0 <= column < view.shape[1]):
            return None
        pixel: NDArray[np.uint16] = view[row, column]
        return pixel

    @property
    def is_pair(self) -> bool:
        """Return whether the frame has two views, without rectifying them."""
        return self.raw is not None or self._right is not None

    @property
    def is_rectified_by_rig(self) -> bool:
        """Return whether the views are rectified by a rig's calibration, not by their features."""
        return self.raw is not None and bool(self.raw.rectification.facts)

    @property
    def shape(self) -> tuple[int, int]:
        """Return height and width of the frame's views."""
        if self.raw:
            return self.raw.rectification.left.fraction.shape
        return self._left.shape[:2]

    @property
    def taken(self) -> tuple[AnyView, AnyView | None]:
        """Return both views as they were taken, neither rectified nor converted."""
        return self._left, self._right

    @property
    def planes(self) -> tuple[Planes, Planes] | None:
        """Return the decoded video planes of both views, not rectified; None for other sources."""
        if isinstance(self._left, Planes) and isinstance(self._right, Planes):
            return self._left, self._right
        return None

    @property
    def calibration_or_assumed(self) -> Calibration:
        """Return the calibration; if it is not known, an assumed one with relative lengths."""
        height, width = self.shape
        return self.calibration or assumed(width, height)


class Source(Protocol):
    """The protocol of sources of frames: stills, sequences, videos, cameras and scenes.

    Classes of sources inherit the defaults set here.

    Attributes:
        name: short, for the window's title and the status line.
        height, width: of every frame, in pixels.
        length: number of frames; 1 for a still; a live source has a number that is never reached.
        rate: frames per second at which to play the source; 0 for a still.
        times: seconds from the first frame to each, rising, where frames are not equally far apart;
            None: they are ``1 / rate`` apart.
        begun: time of the first frame in nanoseconds since 1970; 0 if it is not known.
        live: the state of a camera or a stream, whose newest frame is shown; None: not live.
        notes: one-line remarks for the user, such as "left.png: 16-bit scaled to 8 bits (value //
            257)".
        layouts: the layouts of views in a picture that the user can choose; the first is in use.
            Empty for a source without such a choice.
        decoding: the decoder of its frames, such as "GPU decoding"; empty if none are decoded.
        planar: whether its frames have ``planes``.
        rectification: how its views are rectified; None if they are rectified already.
        values: shows the frames of a file of values; None for images.
        files: its pictures and ground truth, with links and manifests followed.
        spec: what opens the source again; empty for one that cannot be opened again.
        damaged: number of frames so far that are damaged in the file.
        thumbnails: small pictures of it, made in the background; None if there are none.
        key_frames: numbers of the key frames of a video; empty: all are, or it is not known.
    """

    name: str
    height: int
    width: int
    length: int
    rate: float
    times: NDArray[np.float64] | None = None
    begun: int = 0
    layouts: tuple[str, ...] = ()
    decoding: str = ""
    planar: bool = False
    live: "Feed | None" = None
    notes: tuple[str, ...] = ()
    rectification: Rectification | None = None
    values: Pipeline | None = None
    files: tuple[Path, ...] = ()
    spec: SourceSpec = NO_SOURCE
    damaged: int = 0
    thumbnails: Thumbnails | None = None
    key_frames: tuple[int, ...] = ()

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` (modulo ``length``); compute or read it if it is not ready.

        Raises:
            OSError, ValueError: a file of a sequence cannot be read or does not fit the others.
        """

    def frame_files(self, index: int) -> tuple[Path, ...]:
        """List the files that frame ``index`` (modulo ``length``) is read from."""
        return self.files

    def frame_name(self, index: int) -> str:
        """Return the name of frame ``index`` that is shown to the user."""
        return self.name

    def ready(self, index: int) -> bool:
        """Return whether ``frame(index)`` would return immediately."""

    def rest(self, rests: bool) -> None:
        """Pause preparing frames in advance while nobody watches (True), or continue (False)."""
        return

    def close(self) -> None:
        """Stop reading in advance; the source returns no frames after this."""


class SingleFrame(Source):
    """A base of sources with one frame, which is in memory from the start."""

    length, rate = 1, 0.0
    _frame: Frame

    def frame(self, index: int) -> Frame:
        """Return the source's only frame, whatever the index."""
        return self._frame

    def ready(self, index: int) -> bool:
        """Return True: the source's only frame is in memory."""
        return True

    def close(self) -> None:
        """Do nothing: no file and no thread is open."""


TRIED = 16  # frames from the first on, until one can be read
ReadFrame = tuple[Frame, tuple[str, ...]]


def tried_first(length: int, keys: Sequence[int] = ()) -> tuple[int, ...]:
    """List the frames that may be read first: ``TRIED`` from the first on, then as many key frames.

    Args:
        length: number of frames.
        keys: numbers of the key frames.
    """
    return tuple(dict.fromkeys((*range(min(length, TRIED)), *keys[:TRIED])))


def first_frame(read: Callable[[int], ReadFrame], tried: Sequence[int]) -> ReadFrame:
    """Return the first frame that can be read, with notes on the unreadable frames before it.

    Args:
        read: reads the frame of an index, with notes.
        tried: the indices of the frames to try.

    Raises:
        OSError, ValueError: none can be read; the error of the first.
    """
    broken: list[Exception] = []
    for index in tried:
        try:
            first, notes = read(index)
        except (OSError, ValueError) as error:
            broken.append(error)
        else:
            return first, (*map(str, broken), *notes)
    raise broken[0]
