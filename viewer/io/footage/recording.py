"""Writing of lossless recordings in Matroska: pairs in FFV1, or packets as received.

A file remains playable if the program is killed: with all pairs that were added, or all packets
except the last one. Its metadata ``wheatstone_layout`` holds the layout of the views.
"""

import threading
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.footage.file_stream import LAYOUT_KEY
from wheatstone.viewer.io.footage.matroska import MatroskaFile, VideoTrack
from wheatstone.viewer.io.footage.media import SteadyFile, check_player, expect_player
from wheatstone.viewer.io.footage.planes import AnyView, pixels_of
from wheatstone.viewer.io.footage.recorder import Recorder

if TYPE_CHECKING:
    import av
    from av.container import OutputContainer
    from av.video.codeccontext import VideoCodecContext
    from av.video.stream import VideoStream

OPTIONS = {"flush_packets": "1", "cluster_time_limit": "0"}
"""FFmpeg's options of Matroska: each packet is a cluster, written when the next packet comes."""
SLICED = 16  # pixels of the shorter side from which pictures are encoded in parts
MILLISECONDS = Fraction(1, 1000)
"""The unit of time stamps in Matroska."""

Pair = tuple[AnyView, AnyView | None]
"""Both views as they were taken; the right one is None for a single image."""


def begin_matroska(file: SteadyFile, layout: str) -> "OutputContainer":
    """Open a new Matroska file to which PyAV writes a recording, in short clusters.

    Args:
        layout: of the views in the pictures; empty: not known.
    """
    check_player()
    import av

    container = av.open(file, "w", format="matroska", options=dict(OPTIONS))
    if layout:
        container.metadata[LAYOUT_KEY] = layout
    return container


def new_file(path: Path) -> SteadyFile:
    """Create a new file for a recording; raise ``OSError`` if the file exists already.

    Raises:
        OSError: the file exists already, or cannot be created; the message names it.
    """
    try:
        return SteadyFile(path, "x+")
    except FileExistsError as error:
        raise FileExistsError(f"{path}: exists already; choose another name") from error
    except OSError as error:
        message = f"{path}: cannot be written ({error.strerror}); choose another name or folder"
        raise OSError(message) from error


class FileWriter:
    """A base class of writers whose recording is a single file.

    Raises:
        OSError: the file is there already, or cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, new_file(path)

    @property
    def size(self) -> int:
        """Count the bytes of the recording written so far."""
        return self._file.size


class PairVideo(FileWriter):
    """A writer of pairs as they were taken, side by side in a lossless video.

    Args:
        rate: expected pictures per second; pictures have their own time stamps.

    Raises:
        OSError: the file is there already, or cannot be created.
        Unavailable: PyAV is not installed.
    """

    def __init__(self, path: Path, rate: float) -> None:
        expect_player()
        super().__init__(path)
        self._rate = rate
        self._encoder: VideoCodecContext | None = None
        self._video: MatroskaFile | None = None
        self._last = -1

    def add(self, item: Pair, seconds: float) -> None:
        """Write a pair to the video, or the left view alone without a right view.

        Raises:
            OSError: the file cannot be written.
            ValueError: the pictures differ from the first in size or colour format.
        """
        import av

        left, right = item
        views = [pixels_of(view) for view in (left, right) if view is not None]
        picture = np.concatenate(views, axis=1)
        if self._encoder is None:
            self._begin(picture, "pair" if right is None else "side-by-side")
        if picture.shape != self._shape:
            raise ValueError(f"{self._path.name}: ends where the pictures' size changed")
        assert self._encoder is not None and self._video is not None
        frame = av.VideoFrame.from_ndarray(picture, format="gray" if picture.ndim == 2 else "rgb24")
        self._last = max(self._last + 1, round(seconds * 1000))
        frame.pts, frame.time_base = self._last, MILLISECONDS
        for packet in self._encoder.encode(frame.reformat(format=self._encoder.pix_fmt)):
            self._video.add(bytes(packet), self._last)

    def _begin(self, picture: NDArray[np.uint8], layout: str) -> None:
        """Open the lossless video encoder, and write the header of the Matroska file."""
        import av

        self._shape = picture.shape
        self._encoder = encoder = av.VideoCodecContext.create("ffv1", "w")
        height, width = picture.shape[:2]
        encoder.height, encoder.width = height, width
        encoder.pix_fmt = "gray" if picture.ndim == 2 else "bgr0"
        encoder.time_base = MILLISECONDS
        slices = "4" if min(height, width) >= SLICED else "1"
        encoder.options = {"level": "3", "slices": slices, "slicecrc": "1", "g": "1"}
        encoder.thread_count, encoder.thread_type = 2, "SLICE"
        encoder.open()
        setup, tags = bytes(encoder.extradata or b""), ((LAYOUT_KEY.upper(), layout),)
        track = VideoTrack("V_FFV1", setup, height, width, self._rate, tags)
        self._video = MatroskaFile(self._file, track)

    def close(self) -> None:
        """Complete the recording's file; raise ``OSError`` if it cannot be written."""
        try:
            self._file.check()
            if self._video is not None:
                self._video.close()
        finally:
            self._file.close()


class PacketFile(FileWriter):
    """A writer of the packets of one video stream as received; the first is a key frame.

    Args:
        layout: of the views in the pictures; empty: not known.

    Raises:
        OSError: the file is there already, or cannot be created.
        Unavailable: PyAV is not installed.
    """

    def __init__(self, path: Path, layout: str) -> None:
        check_player()
        super().__init__(path)
        self._layout = layout
        self._container: OutputContainer | None = None
        self._stream: VideoStream | None = None

    def begin(self, stream: "VideoStream") -> None:
        """Prepare the file for packets of a stream, before the first is added.

        Raises:
            ValueError: its packets cannot be stored in a file.
        """
        self._container = begin_matroska(self._file, self._layout)
        try:
            self._stream = self._container.add_stream_from_template(stream)
        except ValueError as error:
            name = stream.codec_context.name
            raise ValueError(
                f"packets of {name} cannot be kept in a file; record the pairs"
            ) from error

    def add(self, item: "av.Packet[Any]", seconds: float) -> None:
        """Write a packet with its own time stamps; raise ``OSError`` if that fails."""
        assert self._container is not None
        item.stream = self._stream
        self._container.mux(item)
        self._file.check()

    def close(self) -> None:
        """Complete the recording's file; raise ``OSError`` if it cannot be written."""
        try:
            if self._container is not None:
                self._container.close()
            self._file.check()
        finally:
            self._file.close()


class PacketRecorder:
    """A recorder of the packets that a ``Reader`` reads from a live source, without decoding them.

    After dropped packets, it continues with the next key frame, so that all packets written can
    be decoded. Time stamps begin at 0.

    Attributes:
        recorder: writes them in a thread of its own.
    """

    def __init__(self, path: Path, layout: str = "") -> None:
        self._file = PacketFile(path, layout)
        self.recorder = Recorder(self._file, path)
        self._stream: VideoStream | None = None
        self._whole, self._last = False, -1
        self._begin: int | None = None  # the first time stamp
        self._lock = threading.Lock()

    def __call__(self, packet: "av.Packet[Any]", stream: "VideoStream") -> None:
        """Record a copy of a packet from the live source; skip packets without content."""
        with self._lock:
            if not packet.size or not self.recorder.running:
                return
            if self._stream is None:
                self._open(stream)
            if stream is not self._stream:
                self.recorder.fail("packets of two streams; record the pairs")
            elif self._whole or packet.is_keyframe:
                self._whole = self.recorder.put(self._copy(packet), packet.size)
            elif self._begin is not None:
                self.recorder.dropped += 1

    def _open(self, stream: "VideoStream") -> None:
        self._stream = stream
        try:
            self._file.begin(stream)
        except (OSError, ValueError) as error:
            self.recorder.fail(error)

    def _copy(self, packet: "av.Packet[Any]") -> "av.Packet[Any]":
        """Copy a packet with new time stamps, so that the original is not changed."""
        import av

        copied: av.Packet[Any] = av.Packet(bytes(packet))
        dts = (packet.pts if packet.dts is None else packet.dts) or 0
        if self._begin is None:
            self._begin = dts
        copied.dts = self._last = max(self._last + 1, dts - self._begin)
        copied.pts = copied.dts if packet.pts is None else packet.pts - self._begin
        copied.time_base, copied.is_keyframe = packet.time_base, packet.is_keyframe
        copied.duration = packet.duration or 0
        return copied
