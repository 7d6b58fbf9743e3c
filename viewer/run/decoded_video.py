"""Decoding of a video in the device process, for a worker that requests the frames."""

from concurrent.futures import Future, ThreadPoolExecutor

from wheatstone.viewer.io.footage.planes import GPU, SOFTWARE
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec


class DecodedVideo:
    """A video that the device process decodes for one worker process, in a separate thread.

    Args:
        on_host: whether frames must be in the host's memory, rather than in that of a GPU.
    """

    def __init__(self, spec: SourceSpec, *, on_host: bool) -> None:
        self.spec, self._on_host = spec, on_host
        self._thread = ThreadPoolExecutor(1, "video")
        self._source: Source | None = None

    def frame(self, index: int) -> "Future[Frame]":
        """Begin to decode a frame; the future raises ``ValueError`` if this process cannot."""
        return self._thread.submit(self._decoded, index)

    def _decoded(self, index: int) -> Frame:
        if self._source is None:
            decoding = SOFTWARE if self._on_host else GPU
            self._source = open_source(self.spec.changed(decoding=decoding, truth=None))
        frame = self._source.frame(index)
        if self._source.damaged or not frame.planes or frame.planes[0].on_host != self._on_host:
            raise ValueError(f"{self._source.name} is not decoded here")
        return frame

    def close(self) -> None:
        """Stop decoding, and close the video."""
        self._thread.submit(self._close)
        self._thread.shutdown(wait=False)

    def _close(self) -> None:
        if self._source:
            self._source.close()
