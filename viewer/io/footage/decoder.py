"""Frame-exact decoding of videos in any order, with a cache of recently decoded frames."""

import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wheatstone.viewer.io.footage.file_stream import FileStream
from wheatstone.viewer.io.footage.gpu_decoding import on_gpu, view_of_frame
from wheatstone.viewer.io.footage.index import FrameIndex
from wheatstone.viewer.io.footage.planes import SOFTWARE, AnyView, Planes
from wheatstone.viewer.io.reading.plain_text import label

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

    Kept = VideoFrame | AnyView

STEREO = struct.Struct("=Ii")
"""The first numbers of an ``AVStereo3D``: the kind of packing, and flags."""
SIDE_BY_SIDE, TOP_BOTTOM, OTHER_VIEW = 1, 2, 8
INVERTED = 1
HALF = 1.9
"""Pictures less wide, in heights, hold views side by side that are squeezed to half their width."""
NOT_READ = {
    3: "its frames are the left and the right view in turn",
    4: "its views are mixed as a checkerboard",
    5: "its views are side by side with every second pixel of a checkerboard",
    6: "its views are mixed line by line",
    7: "its views are mixed column by column",
}
"""The kinds of packing that are shown as they are."""
SPATIAL = "it is a spatial video (MV-HEVC): only its main view, usually the left one, is decoded"


@dataclass(frozen=True)
class FramePacking:
    """The positions of the left and right view in the pictures of a stereo film.

    Attributes:
        layout: as for ``--layout``; None if it says none, or one that is not read.
        note: about one that is not read; empty: none.
    """

    layout: str | None = None
    note: str = ""


def frame_packing(frame: "VideoFrame") -> FramePacking:
    """Read the layout of the two views from the metadata of a decoded frame."""
    from av.sidedata.sidedata import Type

    stereo = None
    with suppress(ValueError):  # PyAV refuses frames with data of kinds that it does not know
        stereo = frame.side_data.get(Type.STEREO3D)  # type: ignore[call-overload]
    if stereo is None or stereo.buffer_size < STEREO.size:
        return FramePacking()
    kind, flags = STEREO.unpack_from(bytes(stereo))
    inverted = bool(flags & INVERTED)
    if kind == SIDE_BY_SIDE:
        half = frame.width < HALF * frame.height
        first = "half-side-by-side" if half else "side-by-side"
        return FramePacking("swapped" if inverted else first)
    if kind == TOP_BOTTOM:
        below = "its right view is above the left one, which is not read: exchange the halves"
        return FramePacking(note=below) if inverted else FramePacking("top-bottom")
    if kind == OTHER_VIEW:
        return FramePacking(note=SPATIAL)
    packing = NOT_READ.get(kind)
    return FramePacking(note=f"{packing}: convert it to side by side" if packing else "")


MOST_KEPT = 64  # decoded frames, to step back through
MOST_BYTES = 256 * 2**20  # that these may take
FEW = 12  # frames that are decoded in between rather than sought past


class Interrupted(Exception):
    """An error raised if decoding is stopped before the requested frame is reached."""


class Decoder:
    """A decoder for the frames of a video file in any order; only one thread may use it.

    Attributes:
        size: width and height of the pictures.
        codec: FFmpeg's name of the codec.
        layout: the layout of views named in the file or by the frames decoded so far; None if
            they name none.
        packing: what the first decoded frame says of the views; None: none is decoded yet.
        lasts: duration in seconds given in the file; None if it is not given.
        by: the decoder of the picture requested last, ``GPU`` or ``SOFTWARE``.
        damaged: positions of the frames so far that cannot be decoded, or only in part; halves for
            those that lie between two frames of the index.
    """

    def __init__(
        self, path: str, index: FrameIndex, most_kept: int = MOST_KEPT, gpu: int | None = None
    ) -> None:
        """Open the video file.

        Args:
            index: of its frames.
            most_kept: decoded frames that are kept for stepping back; 2 or more.
            gpu: the CUDA device that decodes what it can; None: the CPU decodes.

        Raises:
            OSError, ValueError, Unavailable: as ``FileStream``.
        """
        self._path, self._index, self._most_kept = path, index, most_kept
        self._gpu = gpu
        self._file = FileStream(path, gpu=gpu)
        context = self._file.stream.codec_context
        self.size, self.codec = (context.width, context.height), context.name
        self.layout, self.lasts = self._file.layout, self._file.lasts
        self.packing: FramePacking | None = None
        self.damaged: set[float] = set()
        self.by = SOFTWARE
        self._kept: dict[int, Kept] = {}  # the one decoded last is the last
        self._frames: Iterator[tuple[int, VideoFrame]] = iter(())
        self._at = len(index)  # the frame decoded last; past the end: nothing can be decoded on

    def picture(self, position: int, stop: Callable[[], bool] = lambda: False) -> AnyView:
        """Return the frame at a position, decoded now or from the cache.

        Args:
            position: of the frame, from 0.
            stop: called between frames; True stops decoding.

        Returns:
            The picture as a view; in the memory of a GPU that decodes.

        Raises:
            ValueError: the frame cannot be decoded, or has another size than the first.
            Interrupted: ``stop`` returned True.
        """
        kept = self._kept.get(position)
        if kept is None:
            kept = self._reached(position, stop)
        if kept is None:
            self.damaged.add(position)
            raise ValueError(f"{self._named(position)} cannot be decoded")
        if isinstance(kept, Planes | np.ndarray):
            self.by, size = "GPU", kept.shape[1::-1]
        else:
            self.by, size = SOFTWARE, (kept.width, kept.height)
        if size != self.size:
            now, first = ("{}x{}".format(*pair) for pair in (size, self.size))
            raise ValueError(f"{self._named(position)} is {now}, the video {first}")
        return kept if isinstance(kept, Planes | np.ndarray) else view_of_frame(kept)

    def _named(self, position: int) -> str:
        return f"frame {position} of {label(self._path)}"

    def _reached(self, position: int, stop: Callable[[], bool]) -> "Kept | None":
        """Decode up to a frame from the nearest possible start; None if it is not reached."""
        for begin in self._beginnings(position):
            early = begin is None  # so far nothing says that decoding began too late
            for number, frame in self._decoded_from(begin):
                if stop():
                    raise Interrupted
                if number == position:
                    return frame
                early = early or number <= (begin or 0)
                if number > position:
                    break
            if early:
                return None
        return None

    def _beginnings(self, position: int) -> Iterator[int | None]:
        """Yield the key frames from which to try decoding, best first; None: without seeking."""
        before = () if self._index.counted else self._index.keys_before(position)
        near = max((*before[:1], 0)) - FEW
        if self._at < position and (self._at >= near or self._index.counted):
            yield None
        yield from before[:3]
        if before[:3][-1:] != (0,):
            yield 0

    def _decoded_from(self, begin: int | None) -> "Iterator[tuple[int, Kept]]":
        """Decode and cache frames from a key frame on; None: from the current position on."""
        if begin is not None:
            self._begin(begin)
        for position, frame in self._frames:
            self._at = position
            yield position, self._keep(position, frame)

    def _begin(self, begin: int) -> None:
        """Seek to a key frame; for frame 0, or if seeking fails, open the file again."""
        moved = False
        if begin:
            with suppress(OSError, ValueError):
                self._file.seek(int(self._index.stamps[begin]))
                moved = True
        if not moved:
            self._file.close()
            self._file, begin = FileStream(self._path, gpu=self._gpu), 0
        self._at = len(self._index)
        self._frames = self._known_frames(begin)

    def _known_frames(self, begin: int) -> "Iterator[tuple[int, VideoFrame]]":
        """Yield the next decoded frames of the index, from position ``begin`` on.

        Frames shown before a key frame but decoded after it may lack their reference frames.
        Decoders that use several threads report an undecodable frame late: it is the next one that
        does not come.
        """
        counted, failed = self._index.counted, False
        count, following = -1, begin
        for stamp, frame in self._file.frames():
            if frame is None:
                failed = True
                continue
            count += 1
            position = count if counted else self._index.position(stamp)
            if position is None or not begin <= position < len(self._index):
                continue
            if failed and (counted or position > following):
                # An index by counting lacks undecodable frames: they lie between two others.
                self.damaged.update(range(following, position) or (position - 0.5,))
                failed = False
            following = max(following, position + 1)
            if frame.is_corrupt or not frame.planes:
                self.damaged.add(position)
            if frame.planes:  # a GPU hands out frames without planes where it could decode nothing
                yield position, frame
        if failed:
            self.damaged.update(range(following, len(self._index)))

    def _keep(self, position: int, frame: "VideoFrame") -> "Kept":
        """Add a decoded frame to the cache, and remove the oldest frames if there are too many.

        A frame on a GPU is kept as a copy: the decoder has few surfaces and reuses them.
        """
        if self.packing is None:
            self.packing = frame_packing(frame)
            self.layout = self.layout or self.packing.layout
        kept = view_of_frame(frame) if on_gpu(frame) else frame
        self._kept.pop(position, None)
        self._kept[position] = kept
        size = sum(plane.buffer_size for plane in frame.planes)
        most = max(2, min(self._most_kept, MOST_BYTES // max(size, 1)))
        while len(self._kept) > most:
            del self._kept[next(iter(self._kept))]
        return kept

    def close(self) -> None:
        """Close the video file."""
        self._kept.clear()
        self._file.close()
