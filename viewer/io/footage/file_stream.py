"""Reading of a video file's packets, and decoding of its frames in order."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.viewer.io.footage.media import explained, open_media, video_stream
from wheatstone.viewer.io.reading.checks import LARGEST_VIDEO
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.reading.regular_files import open_regular

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

LAYOUT_KEY = "wheatstone_layout"
"""Metadata key of the container: the layout of its views, as for ``--layout``. Matroska writes the
key in capital letters."""

FORMATS = "mov,matroska,avi,mjpeg,mpegts,mpeg,h264,hevc,m4v,mpegvideo"
"""Container formats that are opened. Playlists are excluded, because they name other files."""
CLOCK = re.compile(r"(\d+):(\d+):(\d+(?:\.\d+)?)")
"""The format of a stream's duration in Matroska."""
Decoded = tuple[int | None, "VideoFrame | None"]
"""A time stamp and its frame; None for a frame that cannot be decoded, or has no time stamp."""


class FileStream:
    """The first video stream of a file, with a decoder and its position.

    Attributes:
        stream: PyAV's stream.

    Raises:
        OSError: the file is missing, no regular file, or may not be read.
        ValueError: it holds no video, or a too large one; one line that names it.
        Unavailable: PyAV is not installed.
    """

    def __init__(self, path: str, *, keys_only: bool = False, gpu: int | None = None) -> None:
        """Open a video file.

        Args:
            keys_only: whether only key frames are decoded.
            gpu: the CUDA device that decodes, if it can, and holds frames; None: the CPU decodes.
        """
        with open_regular(Path(path)):
            pass  # FFmpeg would wait for whoever writes to a pipe
        options = {"protocol_whitelist": "file", "format_whitelist": FORMATS}
        self._path = path
        self.container = open_media(str(Path(path).absolute()), options=options, gpu=gpu)
        try:
            self.stream = video_stream(self.container, path)
            if self.stream.codec_context is None:
                raise ValueError(f"{label(path)}: FFmpeg has no decoder for its pictures")
            self._check_size()
            self.stream.codec_context.options = {"max_pixels": str(LARGEST_VIDEO * LARGEST_VIDEO)}
            if keys_only:
                self.stream.codec_context.skip_frame = "NONKEY"
        except BaseException:
            self.container.close()
            raise

    def _check_size(self) -> None:
        width, height = self.stream.codec_context.width, self.stream.codec_context.height
        if not (width and height):
            raise ValueError(f"{label(self._path)}: does not say how large its pictures are")
        if max(width, height) > LARGEST_VIDEO:
            most = f"{LARGEST_VIDEO} pixels a side are served at most"
            raise ValueError(f"{label(self._path)}: is {width}x{height}; {most}")

    @property
    def layout(self) -> str | None:
        """Return the layout of stereo views that this program stored as metadata; else None."""
        words = {name.lower(): value for name, value in self.container.metadata.items()}
        return words.get(LAYOUT_KEY)

    @property
    def lasts(self) -> float | None:
        """Return the duration in seconds given in the file; None if it is not given."""
        stream, container = self.stream, self.container
        if stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        if match := CLOCK.fullmatch(stream.metadata.get("DURATION", "")):
            hours, minutes, seconds = map(float, match.groups())
            return 3600 * hours + 60 * minutes + seconds
        alone = len(container.streams) == 1
        return container.duration / 1e6 if alone and container.duration else None

    def packets(self) -> "Iterator[Packet[VideoStream]]":
        """Yield the packets from the current position on, until no more can be read."""
        import av

        with suppress(av.FFmpegError, OSError, ValueError):
            yield from (packet for packet in self.container.demux(self.stream) if packet.size)

    def frames(self) -> Iterator[Decoded]:
        """Decode the frames from the current position on, in the order in which they are shown."""
        for packet in self.packets():
            yield from self._decoded(packet)
        yield from self._decoded(None)  # those that the decoder held back

    def _decoded(self, packet: "Packet[VideoStream] | None") -> Iterator[Decoded]:
        import av

        try:
            frames = self.stream.codec_context.decode(packet)
        except av.EOFError:
            return
        except (av.FFmpegError, OSError, ValueError):
            yield packet.pts if packet else None, None
        else:
            yield from ((frame.pts, frame) for frame in frames)

    def seek(self, stamp: int) -> None:
        """Move the position to the key frame at or before a time stamp, or near it.

        Raises:
            OSError, ValueError: seeking is impossible in this file.
        """
        import av

        try:
            self.container.seek(stamp, stream=self.stream, backward=True)
        except (av.FFmpegError, OSError, ValueError) as error:
            raise explained(self._path, error) from error

    def close(self) -> None:
        """Close the video file."""
        self.container.close()
