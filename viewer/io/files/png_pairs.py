"""Writing of pairs as PNG files in folders ``left`` and ``right``, with the time of each pair."""

import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.files.output import UNFINISHED, named_errors
from wheatstone.viewer.io.files.png_file import encode_png
from wheatstone.viewer.io.footage.planes import AnyView, pixels_of
from wheatstone.viewer.io.sources.times import HEADER, TIMES

COMPRESSION = 2  # of recorded views; the fastest level makes files a fifth larger
Pair = tuple[AnyView, AnyView | None]


class PngPairs:
    """A recording to a folder of PNG pairs, which can be opened like any folder of pairs.

    Raises:
        OSError: the folder exists already, or cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._count, self.size = folder, 0, 0
        try:
            folder.mkdir()
            for side in ("left", "right"):
                (folder / side).mkdir()
        except FileExistsError as error:
            raise FileExistsError(f"{folder}: exists already; choose another name") from error
        except OSError as error:
            message = f"{folder}: cannot be made ({error.strerror}); choose another name or folder"
            raise OSError(message) from error

    def add(self, item: Pair, seconds: float) -> None:
        """Write both views of a pair; if one fails, write neither.

        Raises:
            OSError: a file cannot be written.
            ValueError: the right view is missing.
        """
        left, right = item
        if right is None:
            raise ValueError(f"{self._folder.name}: a single image is no pair; record to .mkv")
        name = f"{self._count:06d}.png"
        with named_errors(self._folder):
            written = self._both_unfinished(pixels_of(left), pixels_of(right))
            for path, side in zip(written, ("left", "right"), strict=True):
                os.replace(path, self._folder / side / name)
            with (self._folder / TIMES).open("a", encoding="utf-8") as times:
                times.write(f"{HEADER}\n" * (not self._count))
                times.write(f"{self._count},{seconds:.6f}\n")
        self._count += 1

    def _both_unfinished(self, left: NDArray[np.uint8], right: NDArray[np.uint8]) -> list[Path]:
        """Write both views of a pair to temporary files; if one fails, delete the other."""
        written = [self._unfinished(left)]
        try:
            return [*written, self._unfinished(right)]
        except OSError:
            written[0].unlink()
            raise

    def _unfinished(self, view: NDArray[np.uint8]) -> Path:
        """Write a view to a temporary file, which is moved to ``left`` or ``right`` when complete.

        These contain complete files only.
        """
        encoded = encode_png(view, COMPRESSION)
        handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(encoded)
        except OSError:
            Path(name).unlink()
            raise
        os.chmod(name, 0o644)
        self.size += len(encoded)
        return Path(name)

    def close(self) -> None:
        """End the recording; remove its folders if they contain no pairs."""
        if not self._count:
            self.take_away()

    def take_away(self) -> None:
        """Remove the folders of the recording, which must be empty."""
        for folder in (self._folder / "left", self._folder / "right", self._folder):
            folder.rmdir()
