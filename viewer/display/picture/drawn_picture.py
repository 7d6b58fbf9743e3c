"""A picture drawn into a framebuffer: positions of its images, and the seam between A and B."""

from dataclasses import dataclass

from wheatstone.viewer.display.picture.layout import Arrangement, Hit
from wheatstone.viewer.display.picture.panes import SEAMS, Picture


@dataclass(frozen=True)
class DrawnPicture:
    """A picture drawn into a framebuffer; positions (x, y) are in pixels from its top left."""

    picture: Picture
    arrangement: Arrangement

    @property
    def images(self) -> tuple[tuple[str, ...], ...]:
        """Return, from the left, the names of the images in each rectangle: one, or two mixed."""
        return tuple(tuple(pane.image for pane in panes) for _, panes in self.picture.cells)

    def hit(self, x: float, y: float) -> Hit | None:
        """Return the image and the position in it at a framebuffer position; None if outside."""
        return self.arrangement.hit(x, y)

    def position(self, x: float, y: float, pane: int) -> Hit | None:
        """Convert (x, y) to a position in an image, even outside its cell; None: no such image."""
        return self.arrangement.position(x, y, pane) if self._has(pane) else None

    def visible(self, pane: int) -> tuple[slice, slice] | None:
        """Return the visible rows and columns of one of the images; None if nothing is visible.

        A 3D view counts as a view of the whole image.
        """
        if not self._has(pane):
            return None
        if self.in_space(pane):
            height, width = self.arrangement.sizes[pane]
            return slice(0, height), slice(0, width)
        cell = self.arrangement.cells[pane]
        return self.arrangement.visible(pane) if cell.width > 0 and cell.height > 0 else None

    def places(self, row: float, column: float) -> list[tuple[float, float]]:
        """List the framebuffer positions (x, y) at which an image position is drawn.

        3D views and slices are omitted.
        """
        places = [
            (cell, self.arrangement.place(row, column, pane))
            for pane, cell in enumerate(self.arrangement.cells)
            if not self.in_space(pane) and self.of_frame(pane)
        ]
        return [place for cell, place in places if cell.holds(*place)]

    def in_space(self, pane: int) -> bool:
        """Return whether an image is drawn as a 3D view, where its pixels have no fixed place."""
        return self._has(pane) and self.picture.cells[pane][0].cloud is not None

    def of_frame(self, pane: int) -> bool:
        """Return whether an image has the pixels of the frame, unlike a slice of a volume.

        Of images one above the other, only the tallest is as large as the frame.
        """
        sizes = self.arrangement.sizes
        return not self.arrangement.stacked or sizes[pane] == max(sizes)

    def seam_at(self, x: float, y: float) -> float | None:
        """Return the position of a wipe's seam at (x, y), from 0 to 1; None outside a wipe."""
        mix = self.picture.mix
        if not mix or mix.way not in SEAMS:
            return None
        for cell in self.arrangement.cells:
            if cell.holds(x, y):
                down = mix.way == "wipe-down"
                return (y - cell.y) / cell.height if down else (x - cell.x) / cell.width
        return None

    def seam_distance(self, x: float, y: float) -> float | None:
        """Return the distance from a position to a wipe's seam, in pixels; None outside a wipe."""
        place, mix = self.seam_at(x, y), self.picture.mix
        if place is None or not mix:
            return None
        cell = self.arrangement.cells[0]
        return abs(place - mix.amount) * (cell.height if mix.way == "wipe-down" else cell.width)

    def beyond_seam(self, x: float, y: float) -> bool:
        """Return whether a wipe shows its second image at a position."""
        place, mix = self.seam_at(x, y), self.picture.mix
        cell = self.arrangement.cells[0]
        if place is None or not mix:
            return False
        length = cell.height if mix.way == "wipe-down" else cell.width
        return place * length >= mix.seam(cell.width, cell.height)

    def _has(self, pane: int) -> bool:
        return 0 <= pane < len(self.picture.cells)


NOTHING_DRAWN = DrawnPicture(Picture(()), Arrangement((), (0, 0)))
"""The contents of a framebuffer before the first picture is drawn into it."""
