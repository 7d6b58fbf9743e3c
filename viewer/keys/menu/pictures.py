"""The small pictures in menus, as textures, read when a menu first shows them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from viewer.reading.regular_files import MIB, read_regular

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from viewer.screen.picture_texture import PictureTexture

MOST = 32  # pictures that are kept
LARGEST = 512  # pixels of a side


@dataclass(frozen=True)
class MenuPicture:
    """A small picture: OpenGL's name of its texture, and its width by its height."""

    number: int
    aspect: float


class MenuPictures:
    """Pictures by their files; one that cannot be read is left out."""

    def __init__(self) -> None:
        self._found: dict[tuple[Path, int], MenuPicture | None] = {}
        self._textures: list[PictureTexture] = []

    def of(self, path: Path) -> MenuPicture | None:
        """Look up the picture in a file; None if there is none to show."""
        try:
            known = path, path.stat().st_mtime_ns
        except OSError:
            return None
        if known not in self._found and len(self._found) < MOST:
            self._found[known] = self._read(path)
        return self._found.get(known)

    def _read(self, path: Path) -> MenuPicture | None:
        """Read a picture into a texture."""
        from io import BytesIO

        import numpy as np
        from PIL import Image

        from viewer.screen.picture_texture import PictureTexture

        try:
            with Image.open(BytesIO(read_regular(path, MIB)), formats=("PNG",)) as picture:
                if max(picture.size) > LARGEST:
                    return None
                pixels = np.asarray(picture.convert("RGB"))
        except (OSError, ValueError, SyntaxError):
            return None
        self._textures.append(PictureTexture(pixels))
        return MenuPicture(self._textures[-1].number, pixels.shape[1] / pixels.shape[0])

    def close(self) -> None:
        """Delete the textures."""
        for texture in self._textures:
            texture.close()
        self._textures.clear()
        self._found.clear()
