"""Thumbnails of a video: small pictures of key frames, decoded in the background."""

import threading
from bisect import bisect_right
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable

if TYPE_CHECKING:
    from wheatstone.viewer.io.footage.index import FrameIndex

HEIGHT = 72  # of a thumbnail, in pixels
MOST = 48  # thumbnails of a video
WIDEST = 4  # times its height

Thumbnail = NDArray[np.uint8]


class Thumbnails:
    """Small pictures of a video, made by a thread that starts at the first request.

    Attributes:
        aspect: width of a thumbnail divided by its height.
    """

    def __init__(
        self, path: str, index: "FrameIndex", aspect: float, shown: NDArray[np.int64]
    ) -> None:
        """Prepare thumbnails of a video; nothing is read before ``begin``.

        Args:
            aspect: width of the video divided by its height.
            shown: (N,) positions of the frames that are shown, rising.
        """
        self._path, self._index, self._shown = path, index, shown
        self.aspect = min(aspect, WIDEST)
        self._made: dict[int, Thumbnail] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def begin(self) -> None:
        """Start the thread that makes thumbnails, unless it was started before."""
        if not self._thread:
            self._thread = threading.Thread(target=self._run, name="thumbnails", daemon=True)
            self._thread.start()

    @property
    def busy(self) -> bool:
        """Return whether thumbnails are being made."""
        return bool(self._thread and self._thread.is_alive())

    def nearest(self, frame: int) -> tuple[int, Thumbnail] | None:
        """Return the nearest thumbnail at or before a frame.

        Args:
            frame: number of a frame that is shown.

        Returns:
            Its own number, and (H, W, 3) RGB; the first thumbnail if none is before; None while
            there are no thumbnails.
        """
        made = sorted(tuple(self._made))
        if not made:
            return None
        at = made[max(bisect_right(made, int(self._shown[frame])) - 1, 0)]
        return at, self._made[at]

    def _run(self) -> None:
        """Make thumbnails of evenly spaced key frames; skip frames that cannot be decoded."""
        with suppress(OSError, ValueError, Unavailable):
            self._make()

    def _make(self) -> None:
        from wheatstone.viewer.io.footage.file_stream import FileStream

        keys = np.array((0,) if self._index.counted else self._index.keys, np.int64)
        chosen = keys[np.linspace(0, len(keys) - 1, min(MOST, len(keys))).astype(int)]
        width = max(1, round(HEIGHT * self.aspect))
        with closing(FileStream(self._path, keys_only=True)) as file:
            for key in chosen.tolist():
                if self._closed:
                    return
                if key:
                    file.seek(int(self._index.stamps[key]))
                first = next((frame for _, frame in file.frames() if frame is not None), None)
                if first is not None:
                    small = first.reformat(width=width, height=HEIGHT, format="rgb24")
                    self._made[key] = np.asarray(small.to_ndarray(), np.uint8)

    def close(self) -> None:
        """Stop making thumbnails; wait up to a second for the one that is being made."""
        self._closed = True
        if self._thread:
            self._thread.join(timeout=1.0)
