"""Write films: pictures one after another, in a file that players and browsers show."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu import Unavailable
from viewer.files.output import whole_file

SUFFIXES = (".mp4", ".mkv", ".mov")
CODEC = "libx264"
PIXELS = "yuv420p"
"""The form of H.264 that every player shows; it keeps one colour for 2x2 pixels."""


def is_film(path: Path) -> bool:
    """Tell whether a file name asks for a film."""
    return path.suffix.lower() in SUFFIXES


def check_encoder() -> None:
    """Raise ``Unavailable`` unless films can be written here."""
    try:
        import av  # noqa: F401 - imageio would load it later, and name a package of its own
    except ImportError as error:
        raise Unavailable(
            f"a film needs PyAV ({error}); install it with: pip install 'wheatstone[video]'"
        ) from error


def write_film(path: Path, pictures: Iterable[NDArray[np.uint8]], rate: float) -> None:
    """Write pictures as a film in H.264, whole or not at all.

    An odd width gains a column on the right, an odd height a row below, each a copy of the last
    one: H.264 takes even sizes only.

    Args:
        pictures: (H, W, 3) RGB, top row first, all of one size; asked for one by one.
        rate: pictures per second.

    Raises:
        ValueError: the pictures are too large for H.264.
        OSError: the file cannot be written.
        Unavailable: PyAV is not installed.
    """
    check_encoder()
    import av
    import imageio.v3 as imageio

    with whole_file(path) as temporary, _SteadyFile(temporary, "w+") as file:
        film = imageio.imopen(file, "w", plugin="pyav", extension=path.suffix.lower())
        try:
            with film:
                film.init_video_stream(CODEC, fps=rate, pixel_format=PIXELS)
                for picture in pictures:
                    film.write_frame(even(picture))
                    file.check()
            file.check()
        except av.FFmpegError as error:
            raise ValueError(
                f"{path}: H.264 cannot hold these pictures ({error}); choose a smaller size"
            ) from error
        finally:
            # The destructor would close again, and print where that fails.
            film.close = lambda: None  # type: ignore[method-assign]


class _SteadyFile(io.FileIO):
    """A file that keeps errors of writing to itself: PyAV would print each with a traceback."""

    _failed: OSError | None = None

    def write(self, encoded: Any) -> int:
        """Write all of it, or remember why that failed."""
        rest = memoryview(encoded)
        try:
            while rest:
                rest = rest[super().write(rest) :]
        except OSError as error:
            self._failed = self._failed or error
        return len(encoded)

    def check(self) -> None:
        """Raise the error that writing met, if it met any."""
        if self._failed:
            raise self._failed


def even(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Repeat the last column of an odd width and the last row of an odd height."""
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), "edge")
