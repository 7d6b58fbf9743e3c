"""Writing of films: sequences of pictures in H.264 files for players and browsers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.footage.media import SteadyFile, expect_player
from wheatstone.viewer.io.footage.recording import OPTIONS, FileWriter

SUFFIXES = (".mp4", ".mkv", ".mov")
CODEC = "libx264"
PIXELS = "yuv420p"
"""The pixel format of H.264 that every player supports; it has one colour for 2x2 pixels."""
FRAGMENTED = {"flush_packets": "1", "movflags": "frag_every_frame+empty_moov+default_base_moof"}
"""FFmpeg's options of MP4: each picture is a fragment, which is written with the next picture."""
AT_ONCE = {"preset": "veryfast", "tune": "zerolatency", "threads": "2"}
"""FFmpeg's options of H.264: no picture waits for later ones, and only two threads encode."""
FRAGMENT = 0.5  # seconds from one key frame of a recording to the next


def is_film(path: Path) -> bool:
    """Return whether a path has the suffix of a film, such as ``.mp4``."""
    return path.suffix.lower() in SUFFIXES


def check_encoder() -> None:
    """Raise ``Unavailable`` if films cannot be written, because PyAV cannot be imported."""
    try:
        import av  # noqa: F401 - imageio would load it later, and name a package of its own
    except ImportError as error:
        raise Unavailable(
            f"a film needs PyAV ({error}); install it with: {install_command('video')}"
        ) from error


def write_film(path: Path, pictures: Iterable[NDArray[np.uint8]], rate: float) -> None:
    """Write pictures as a film in H.264, completely or not at all.

    An odd width is extended by a column on the right, an odd height by a row below, each a copy of
    the last one: H.264 requires even sizes.

    Args:
        pictures: (H, W, 3) RGB, top row first, all of one size; requested one by one.
        rate: pictures per second.

    Raises:
        ValueError: the pictures are too large for H.264.
        OSError: the file cannot be written.
        Unavailable: PyAV is not installed.
    """
    check_encoder()
    with whole_file(path) as temporary, SteadyFile(temporary, "w+") as file:
        film = _Film(path, file, rate)
        try:
            for picture in pictures:
                film.add(picture)
            film.close()
        finally:
            film.forget()


class RecordedFilm(FileWriter):
    """A film recorded from the display, which remains playable even if the program is killed.

    All pictures are fitted to the size of the first.

    Args:
        rate: maximum pictures per second; each is shown at the time at which it was recorded.

    Raises:
        OSError: the file exists already, or cannot be created.
        Unavailable: PyAV is not installed.
    """

    def __init__(self, path: Path, rate: float) -> None:
        expect_player()
        super().__init__(path)
        self._rate, self._last = rate, -1
        self._film: _Film | None = None  # opened with the first picture, beside the display
        self._size: tuple[int, int] | None = None

    def add(self, item: NDArray[np.uint8], seconds: float) -> None:
        """Write a picture in OpenGL's format: (H, W, 4) RGBA, bottom row first.

        Raises:
            OSError, ValueError: as ``write_film``.
        """
        film = self._film = self._film or _Film(self._path, self._file, self._rate, recorded=True)
        picture = even(np.ascontiguousarray(item[::-1, :, :3]))
        self._size = self._size or picture.shape[:2]
        self._last = max(self._last + 1, round(seconds * self._rate))
        film.add(fitted(picture, *self._size), self._last)

    def close(self) -> None:
        """Complete the film's file; raise an error if it cannot be written."""
        try:
            if self._film:
                self._film.close()
        finally:
            if self._film:
                self._film.forget()
            self._file.close()


class _Film:
    """An H.264 film that is being written to a file.

    Args:
        path: for messages.
        recorded: whether pictures are written immediately, in fragments that can be played alone.
    """

    def __init__(
        self, path: Path, file: SteadyFile, rate: float, *, recorded: bool = False
    ) -> None:
        import imageio.v3 as imageio

        suffix = path.suffix.lower()
        options = (OPTIONS if suffix == ".mkv" else FRAGMENTED) if recorded else {}
        self._path, self._file = path, file
        write: Any = imageio.imopen  # whose declared arguments lack those of its plugin
        self._film = write(file, "w", plugin="pyav", extension=suffix, options=dict(options))
        interval = max(1, round(rate * FRAGMENT)) if recorded else None
        self._film.init_video_stream(
            CODEC, fps=rate, pixel_format=PIXELS, max_keyframe_interval=interval
        )
        if recorded:
            self._film._video_stream.options = dict(AT_ONCE)  # imageio passes no such options on

    def add(self, picture: NDArray[np.uint8], slot: int | None = None) -> None:
        """Write the next picture, or the one at position ``slot``, counted in picture intervals."""
        import av

        if slot is not None:
            self._film.frames_written = slot
        try:
            self._film.write_frame(even(picture))
        except av.FFmpegError as error:
            raise self._too_large(error) from error
        self._file.check()

    def close(self) -> None:
        """Complete the file of the film."""
        import av

        try:
            self._film.close()
        except av.FFmpegError as error:
            raise self._too_large(error) from error
        self._file.check()

    def forget(self) -> None:
        """Prevent the film's destructor from closing it, which would print errors."""
        self._film.close = lambda: None

    def _too_large(self, error: Exception) -> ValueError:
        what = f"H.264 cannot hold these pictures ({error}); choose a smaller size"
        return ValueError(f"{self._path}: {what}")


def even(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Extend a picture to even height and width by repeating its last row and column."""
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), "edge")


def fitted(picture: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Scale a picture (H, W, 3) to fit into a size, with its aspect ratio and a black border."""
    import cv2

    if picture.shape[:2] == (height, width):
        return picture
    scale = min(height / picture.shape[0], width / picture.shape[1])
    inner = [max(1, round(length * scale)) for length in picture.shape[:2]]
    scaled = cv2.resize(picture, (inner[1], inner[0]), interpolation=cv2.INTER_AREA)
    frame = np.zeros((height, width, 3), np.uint8)
    top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
    frame[top : top + inner[0], left : left + inner[1]] = scaled
    return frame
