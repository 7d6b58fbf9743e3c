"""The small pictures in menus, as textures, read when a menu first shows them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.viewer.reading.regular_files import MIB, read_regular

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from wheatstone.viewer.screen.picture_texture import PictureTexture

MOST = 16  # files of which it is kept what was read; a menu shows fewer
LARGEST = 512  # pixels of a side


@dataclass(frozen=True)
class MenuPicture:
    """A small picture: OpenGL's name of its texture, and its width divided by its height."""

    number: int
    aspect: float


class MenuPictures:
    """Pictures by their files; unreadable ones are left out."""

    def __init__(self) -> None:
        self._found: dict[tuple[Path, int], tuple[PictureTexture, float] | None] = {}

    def of(self, path: Path) -> MenuPicture | None:
        """Return the picture in a file; None if there is no picture to show."""
        try:
            known = path, path.stat().st_mtime_ns
        except OSError:
            return None
        found = self._found.pop(known) if known in self._found else _read(path)
        self._found[known] = found  # the last one is the one asked for last
        while len(self._found) > MOST:
            _close(self._found.pop(next(iter(self._found))))
        return MenuPicture(found[0].number, found[1]) if found else None

    def close(self) -> None:
        """Delete the textures."""
        for found in self._found.values():
            _close(found)
        self._found.clear()


def _close(found: "tuple[PictureTexture, float] | None") -> None:
    """Delete the texture of a picture, if there is one."""
    if found:
        found[0].close()


def _read(path: Path) -> "tuple[PictureTexture, float] | None":
    """Read a picture into a texture; return it with the picture's width divided by its height."""
    from io import BytesIO

    import numpy as np
    from PIL import Image

    from wheatstone.viewer.screen.picture_texture import PictureTexture

    try:
        with Image.open(BytesIO(read_regular(path, MIB)), formats=("PNG",)) as picture:
            if max(picture.size) > LARGEST:
                return None
            pixels = np.asarray(picture.convert("RGB"))
    except (OSError, ValueError, SyntaxError):
        return None
    return PictureTexture(pixels), pixels.shape[1] / pixels.shape[0]
