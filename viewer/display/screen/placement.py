"""A texture in which shaders look up the image texels that lie under each screen pixel."""

import numpy as np

from wheatstone.viewer.display.picture.layout import Axis, Cell, axes, footprints, inside
from wheatstone.viewer.display.screen.texture import GLTexture, written

UNIT = 7  # texture unit that the table is bound to


class Placement:
    """A table, in a texture, of the image texels under each screen pixel.

    Attributes:
        inside: the cell's pixels that show the image: first column and row, last column and row.
    """

    def __init__(self) -> None:
        self.inside = (0, 0, -1, -1)
        self._table: GLTexture | None = None
        self._placed: tuple[Axis, Axis, int, int] | None = None  # what the table was made for
        self._asked: tuple[object, ...] = ()  # what that was made out of

    def place(
        self, size: tuple[int, int], cell: Cell, zoom: float, center: tuple[float, float]
    ) -> None:
        """Bind the table for an image's size (height, width) and place; update it if needed."""
        asked = (size, cell, zoom, center)
        if asked != self._asked:
            self._lay_out(size, cell, zoom, center)
            self._asked = asked
        assert self._table
        self._table.bind(UNIT)

    def _lay_out(
        self, size: tuple[int, int], cell: Cell, zoom: float, center: tuple[float, float]
    ) -> None:
        rows, columns = axes(*size, cell, zoom, center)
        placed = (rows, columns, cell.height, cell.width)
        if placed != self._placed:
            down, across = footprints(rows, cell.height), footprints(columns, cell.width)
            table = np.full((2, max(cell.width, cell.height), 4), -1, np.int32)
            table[0, : cell.width], table[1, : cell.height] = across, down
            self._table = written(self._table, table)
            (left, right), (top, bottom) = inside(across), inside(down)
            self.inside = (left, top, right, bottom)
            self._placed = placed

    @property
    def origin(self) -> tuple[int, int]:
        """The pixel (x, y) of the rectangle where the image begins."""
        return (self._placed[1].origin, self._placed[0].origin) if self._placed else (0, 0)

    @property
    def minified(self) -> bool:
        """Whether several image texels may lie under a screen pixel."""
        return self._placed is not None and min(self._placed[0].scale, self._placed[1].scale) < 1

    def fraction_per_pixel(self) -> tuple[float, float]:
        """Compute which fraction of the image a screen pixel covers, (x, y); 0 if not placed."""
        if not self._placed:
            return (0.0, 0.0)
        rows, columns, _, _ = self._placed
        return 1 / (columns.scale * columns.texels), 1 / (rows.scale * rows.texels)

    def close(self) -> None:
        """Delete the table of texels; harmless when repeated."""
        if self._table:
            self._table.close()
        self._table, self._placed, self._asked = None, None, ()
