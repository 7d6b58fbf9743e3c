"""Thumbnails of a video: small pictures of key frames, decoded beside the display."""

import threading
from bisect import bisect_right
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable

if TYPE_CHECKING:
    from wheatstone.viewer.footage.index import FrameIndex

HEIGHT = 72  # of a thumbnail, in pixels
MOST = 48  # thumbnails of a video
WIDEST = 4  # times its height

Thumbnail = NDArray[np.uint8]


class Thumbnails:
    """Small pictures of a video, made by a thread that begins when they are asked for first.

    Attributes:
        aspect: width of a thumbnail by its height.
    """

    def __init__(
        self, path: str, index: "FrameIndex", aspect: float, shown: NDArray[np.int64]
    ) -> None:
        """Prepare thumbnails of a video; nothing is read before ``begin``.

        Args:
            aspect: width of the video by its height.
            shown: (N,) positions of those of its frames that are shown, rising.
        """
        self._path, self._index, self._shown = path, index, shown
        self.aspect = min(aspect, WIDEST)
        self._made: dict[int, Thumbnail] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def begin(self) -> None:
        """Begin to make thumbnails, unless that has begun."""
        if not self._thread:
            self._thread = threading.Thread(target=self._run, name="thumbnails", daemon=True)
            self._thread.start()

    @property
    def busy(self) -> bool:
        """Tell whether thumbnails are being made."""
        return bool(self._thread and self._thread.is_alive())

    def nearest(self, frame: int) -> tuple[int, Thumbnail] | None:
        """Look up the thumbnail of the last frame at a frame or before that has one.

        Args:
            frame: number of a frame that is shown.

        Returns:
            A number of its own, and (H, W, 3) RGB; the first thumbnail where none is before; None
            while there is none at all.
        """
        made = sorted(tuple(self._made))
        if not made:
            return None
        at = made[max(bisect_right(made, int(self._shown[frame])) - 1, 0)]
        return at, self._made[at]

    def _run(self) -> None:
        """Make a thumbnail of every so many key frames; what cannot be decoded is left out."""
        with suppress(OSError, ValueError, Unavailable):
            self._make()

    def _make(self) -> None:
        from wheatstone.viewer.footage.file_stream import FileStream

        keys = np.array(self._index.keys, np.int64)
        chosen = keys[np.linspace(0, len(keys) - 1, min(MOST, len(keys))).astype(int)]
        width = max(1, round(HEIGHT * self.aspect))
        with closing(FileStream(self._path, keys_only=True)) as file:
            for key in chosen.tolist():
                if self._closed:
                    return
                if key and not self._index.counted:
                    file.seek(int(self._index.stamps[key]))
                found = next((frame for _, frame in file.frames() if frame is not None), None)
                if found is not None:
                    small = found.reformat(width=width, height=HEIGHT, format="rgb24")
                    self._made[key] = np.asarray(small.to_ndarray(), np.uint8)

    def close(self) -> None:
        """Make no more thumbnails; wait a moment for the one that is being made."""
        self._closed = True
        if self._thread:
            self._thread.join(timeout=1.0)
