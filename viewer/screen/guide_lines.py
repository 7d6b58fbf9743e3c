"""Guides of a 3D view: smooth lines hidden by nearer points, and labels.

Import after OpenGL is bound.
"""

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.viewer.picture.guides import ScreenPlaces as Seen
from wheatstone.viewer.picture.guides import guides
from wheatstone.viewer.picture.labels import labels
from wheatstone.viewer.picture.layout import Cell
from wheatstone.viewer.picture.legend import SMALLEST_TEXT
from wheatstone.viewer.picture.space import CloudScene, Viewport
from wheatstone.viewer.screen.labels import Labels
from wheatstone.viewer.screen.program import ShaderProgram
from wheatstone.viewer.screen.texture import GLTexture

_LINES_UNIT = 2
_CORNERS = 6  # vertices of a line
_REACH = 3.0  # pivot's depths at which a line is half as clear


class GuideLines:
    """Draws the guides of point clouds into the bound framebuffer."""

    def __init__(self) -> None:
        self._lines = ShaderProgram("guide.vert", "guide.frag")
        self._labels = Labels()
        self._table: GLTexture | None = None
        self._lines.use()
        self._lines.set("lines", _LINES_UNIT)

    def draw(self, scene: CloudScene, viewport: Viewport) -> None:
        """Draw grid, axes and camera of a scene, then their labels; OpenGL's viewport changes."""
        seen, drawn, cell = Seen(scene, *viewport.axes(scene.size)), guides(scene), viewport.cell
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ZERO, GL.GL_ONE)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthMask(False)
        self._draw_lines(seen.lines(drawn.lines, viewport.text / SMALLEST_TEXT), scene, cell)
        found = labels(drawn, seen, cell, viewport.text)
        self._labels.draw(found, scene.pivot, cell, viewport.bottom)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_BLEND)

    def _draw_lines(self, table: NDArray[np.float32], scene: CloudScene, cell: Cell) -> None:
        """Draw lines, as ``ScreenPlaces.lines`` arranges them, at their depths."""
        if not len(table):
            return
        self._lines.use()
        self._bind_table(table)
        self._lines.set("pane_width", float(cell.width))
        self._lines.set("pane_height", float(cell.height))
        self._lines.set("pivot", scene.pivot)
        self._lines.set("reach", _REACH * scene.pivot)
        GL.glDrawArraysInstanced(GL.GL_TRIANGLES, 0, _CORNERS, len(table))

    def _bind_table(self, table: NDArray[np.float32]) -> None:
        """Copy lines to their texture; create it again if their number has changed."""
        if not self._table or not self._table.fits(table.shape, table.dtype):
            if self._table:
                self._table.close()
            self._table = GLTexture(table.shape, table.dtype)
        self._table.write(table)
        self._table.bind(_LINES_UNIT)

    def close(self) -> None:
        """Delete shader programs and textures."""
        if self._table:
            self._table.close()
        self._lines.close()
        self._labels.close()
