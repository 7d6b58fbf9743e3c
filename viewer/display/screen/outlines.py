"""Outlines of rectangles (boxes and region), and lines along image rows, drawn over an image."""

import numpy as np
from OpenGL import GL

from wheatstone.viewer.display.picture.layout import Cell
from wheatstone.viewer.display.picture.panes import CASING, CHOSEN, MARK, ROW_LINE, Picture
from wheatstone.viewer.display.screen import placement
from wheatstone.viewer.display.screen.program import ShaderProgram
from wheatstone.viewer.display.screen.texture import GLTexture, written
from wheatstone.viewer.io.reading.checks import LARGEST

_BOXES_UNIT = 9
_VERTICES = 24  # of a box, as in shaders/outline.vert


class Outlines:
    """A renderer of outlines: rectangles over a picture, and lines along its image rows."""

    def __init__(self) -> None:
        self._program = ShaderProgram("outline.vert", "outline.frag")
        self._program.use()
        self._program.set_all(boxes=_BOXES_UNIT, footprints=placement.UNIT)
        self._region = GLTexture((1, 4), np.int32)
        self._rows: GLTexture | None = None
        self._spacing = 0

    def draw(
        self,
        picture: Picture,
        boxes: GLTexture | None,
        cell: Cell,
        shown: tuple[int, int, int, int],
    ) -> None:
        """Draw a picture's outlines and row lines over one of its images, in the current viewport.

        Args:
            boxes: (N, 4) int32, as ``Picture.boxes``; None without boxes.
            shown: the cell's pixels that show the image: first column and row, last column and row.
        """
        if not boxes and not picture.region and not picture.row_lines:
            return
        self._program.use()
        self._program.set("pane", (cell.x, cell.y, cell.width, cell.height))
        self._program.set("shown", shown)
        if picture.row_lines:
            self._draw_rows(picture.row_lines)
        if boxes:
            self._draw(boxes, MARK)
        if picture.region:
            x, y, width, height = picture.region
            box = np.array([[x, y, x + width - 1, y + height - 1]], np.int32)
            self._region.write(box)
            self._draw(self._region, CHOSEN)

    def _draw_rows(self, spacing: int) -> None:
        if not self._rows or self._spacing != spacing:
            rows = np.arange(spacing, LARGEST, spacing, dtype=np.int32)
            lines = np.stack([0 * rows, rows, 0 * rows + LARGEST, rows], 1)
            self._rows, self._spacing = written(self._rows, lines), spacing
        self._rows.bind(_BOXES_UNIT)
        self._program.set_all(rim=0, ink=ROW_LINE)
        GL.glDrawArraysInstanced(GL.GL_TRIANGLES, 0, _VERTICES, self._rows.shape[0])

    def _draw(self, boxes: GLTexture, ink: tuple[int, int, int]) -> None:
        boxes.bind(_BOXES_UNIT)
        for rim, color in ((1, CASING), (0, ink)):
            self._program.set_all(rim=rim, ink=color)
            GL.glDrawArraysInstanced(GL.GL_TRIANGLES, 0, _VERTICES, boxes.shape[0])

    def close(self) -> None:
        self._program.close()
        self._region.close()
        if self._rows:
            self._rows.close()
