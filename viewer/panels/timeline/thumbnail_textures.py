"""The thumbnails of a source as textures that Dear ImGui draws."""

from typing import TYPE_CHECKING

from wheatstone.viewer.footage.thumbnails import Thumbnails

if TYPE_CHECKING:
    from wheatstone.viewer.screen.picture_texture import PictureTexture


class ThumbnailTextures:
    """Textures of thumbnails, made when they are first drawn."""

    def __init__(self) -> None:
        self._of: Thumbnails | None = None
        self._textures: dict[int, PictureTexture] = {}

    def follow(self, thumbnails: Thumbnails | None) -> None:
        """Request the thumbnails of a source; delete the textures of the source before."""
        if thumbnails is not self._of:
            self.close()
            self._of = thumbnails
        if thumbnails:
            thumbnails.begin()

    @property
    def busy(self) -> bool:
        """Return whether thumbnails are being made."""
        return bool(self._of and self._of.busy)

    @property
    def aspect(self) -> float:
        """Return a thumbnail's width divided by its height; 0 if there are none."""
        return self._of.aspect if self._of else 0.0

    def texture(self, index: int) -> int | None:
        """Return the texture of the thumbnail nearest to a frame; None before there is one."""
        from wheatstone.viewer.screen.picture_texture import PictureTexture

        found = self._of.nearest(index) if self._of else None
        if not found:
            return None
        at, picture = found
        if at not in self._textures:
            self._textures[at] = PictureTexture(picture)
        return self._textures[at].number

    def close(self) -> None:
        """Delete all textures."""
        for texture in self._textures.values():
            texture.close()
        self._textures.clear()
        self._of = None
