"""Threads that encode each picture once for all viewers, and losslessly when it stays unchanged."""

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.viewer.window.serving.gpu_jpeg import NAME, GpuJpeg
from wheatstone.viewer.window.serving.h264 import Stream, fits
from wheatstone.viewer.window.serving.pictures import Encoded, ServedPicture, jpeg, png
from wheatstone.viewer.window.serving.viewer import Viewer
from wheatstone.viewer.window.serving.viewers import Viewers, now

REST = 0.2  # seconds without change after which a picture is sent without loss
ROWS = 64  # of two pictures that are compared at once
LONG_REST = 1.0  # the same while the program goes on to draw: something may come at any time


def equal(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Return whether two pictures are equal, comparing blocks of rows from the top.

    Most unequal pictures differ in the first rows.
    """
    if one.shape != other.shape:
        return False
    return all(
        np.array_equal(one[row : row + ROWS], other[row : row + ROWS])
        for row in range(0, len(one), ROWS)
    )


class Encoder:
    """The threads that encode the window's newest picture for all viewers.

    Args:
        codec: for viewers that do not request one: a codec, or ``auto``.
        quality: of JPEG, 1..100.
        streams: whether H.264 can be encoded on this machine.
        on_gpu: whether the GPU can encode JPEG.

    Attributes:
        encoded: number of encoded pictures.
        streams: whether H.264 can be encoded.
        on_gpu: whether the GPU encodes JPEG.
    """

    def __init__(
        self,
        viewers: Viewers,
        codec: str,
        quality: int,
        *,
        streams: bool = False,
        on_gpu: bool = False,
    ) -> None:
        self._viewers, self._codec, self._quality = viewers, codec, quality
        self.streams, self.on_gpu = streams, on_gpu
        self._stream: Stream | None = None
        self._gpu_jpeg: GpuJpeg | None = None
        self._taken: ServedPicture | None = None  # the newest that was looked at
        self._current: ServedPicture | None = None  # the oldest of those that look like it
        self._pixels: NDArray[np.uint8] = np.empty((0, 0, 3), np.uint8)
        self._since = 0.0  # when it was first looked at
        self.encoded = 0
        self._threads = [
            threading.Thread(target=run, name="encoding", daemon=True)
            for run in (self._encode_pictures, self._encode_stills)
        ]

    def start(self) -> None:
        """Start the threads that encode pictures for viewers."""
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait for the encoding threads to end, after ``Viewers.close``."""
        for thread in self._threads:
            thread.join()
        self._gpu_jpeg = None  # while there is a GPU: at the program's end there may be none

    @property
    def has_taken(self) -> bool:
        """Return whether an encoding thread has begun to handle the newest picture."""
        return self._taken is self._viewers.picture

    @property
    def jpeg_by(self) -> str:
        """Return the name of the JPEG encoder in use."""
        return NAME if self.on_gpu else "OpenCV"

    def codec_of(self, viewer: Viewer) -> str:
        """Return the codec for a viewer: H.264 if requested, or if the link is slow."""
        asked = viewer.codec if viewer.codec != "auto" else self._codec
        if asked == "auto":
            asked = "h264" if viewer.slow else "jpeg"
        height, width = self._pixels.shape[:2]
        streams = self.streams and fits(width, height)
        return "jpeg" if asked == "h264" and not streams else asked

    def _encode_pictures(self) -> None:
        viewers = self._viewers
        while not viewers.closed:
            with viewers.changed:
                viewers.changed.wait_for(lambda: viewers.closed or self._has_work())
                newest = viewers.picture
                if newest:
                    newest.taken = True
            if viewers.closed or newest is None:
                return
            if newest is not self._taken:
                self._take(newest)
            self._serve()

    def _has_work(self) -> bool:
        """Return whether a ready viewer lacks the newest picture."""
        newest = self._viewers.picture
        ready = [viewer for viewer in self._viewers.by_name.values() if viewer.ready]
        if not newest or not ready:
            return False
        return newest is not self._taken or any(self._lacks(viewer) for viewer in ready)

    def _lacks(self, viewer: Viewer) -> bool:
        return viewer.shown is not self._current or viewer.whole

    def _take(self, newest: ServedPicture) -> None:
        """Make the newest picture the one to encode, unless its pixels equal the current one's."""
        pixels = newest.upright()
        newest.give_back()
        same = self._current is not None and equal(pixels, self._pixels)
        with self._viewers.changed:
            self._taken = newest
            if not same:
                self._current, self._pixels, self._since = newest, pixels, now()
            self._viewers.changed.notify_all()

    def _serve(self) -> None:
        """Encode the current picture and send it to all ready viewers that lack it."""
        with self._viewers.changed:
            current, pixels = self._current, self._pixels
            lacking = [v for v in self._viewers.by_name.values() if v.ready and self._lacks(v)]
        if not current:
            return
        codecs = {viewer.name: self.codec_of(viewer) for viewer in lacking}
        for codec in dict.fromkeys(codecs.values()):
            takers = [viewer for viewer in lacking if codecs[viewer.name] == codec]
            encoded = self._encoded(codec, pixels, takers)
            with self._viewers.changed:
                for viewer in takers:
                    self._give(viewer, encoded, current)

    def _encoded(self, codec: str, pixels: NDArray[np.uint8], takers: Sequence[Viewer]) -> Encoded:
        """Encode a picture once for viewers that use the same codec."""
        self.encoded += 1
        if codec == "h264":
            try:
                return self._coded(pixels, takers)
            except Unavailable:  # the encoder gave up, as of a GPU that was taken away
                self.streams = False
        return png(pixels) if codec == "png" else self._jpeg(pixels)

    def _jpeg(self, pixels: NDArray[np.uint8]) -> Encoded:
        """Encode a picture as JPEG, on the GPU unless that failed before."""
        if self.on_gpu:
            try:
                self._gpu_jpeg = self._gpu_jpeg or GpuJpeg()
                return self._gpu_jpeg.encode(pixels, self._quality)
            except Unavailable:
                self.on_gpu, self._gpu_jpeg = False, None
        return jpeg(pixels, self._quality)

    def _coded(self, pixels: NDArray[np.uint8], takers: Sequence[Viewer]) -> Encoded:
        """Encode a picture as H.264, as a key frame if a viewer lacks the previous one."""
        size = pixels.shape[1], pixels.shape[0]
        if self._stream is None or self._stream.size != size:
            self._stream = Stream(*size)
        stream = self._stream
        last = (stream, stream.number)
        missed = any(viewer.whole or viewer.streamed != last for viewer in takers)
        encoded = stream.encode(pixels, key=missed)
        for viewer in takers:
            viewer.streamed = (stream, stream.number)
        return encoded

    def _give(self, viewer: Viewer, encoded: Encoded, picture: ServedPicture) -> None:
        viewer.shown, viewer.whole = picture, False
        if encoded.codec == "png":
            viewer.exact = picture
        viewer.give(encoded, picture)

    def _encode_stills(self) -> None:
        viewers = self._viewers
        while not viewers.closed:
            with viewers.changed:
                viewers.changed.wait_for(lambda: viewers.closed or bool(self._inexact()))
                rest = REST if viewers.rests else LONG_REST
                wait = self._since + rest - now()
                if wait > 0:
                    viewers.changed.wait(wait)
                    continue
                current, pixels = self._current, self._pixels
            if not viewers.closed and current:
                self._give_still(current, png(pixels))

    def _inexact(self) -> list[Viewer]:
        """List the ready viewers that have the current picture only with compression losses."""
        if not self._current or self._taken is not self._viewers.picture:
            return []
        everyone = self._viewers.by_name.values()
        shows = [v for v in everyone if v.ready and v.shown is self._current]
        return [viewer for viewer in shows if viewer.exact is not self._current]

    def _give_still(self, current: ServedPicture, encoded: Encoded) -> None:
        """Send a lossless encoding of a still picture, unless the picture changed meanwhile."""
        self.encoded += 1
        with self._viewers.changed:
            for viewer in self._inexact():
                if current is self._current:
                    self._give(viewer, encoded, current)
