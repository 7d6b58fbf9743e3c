"""Guides of a view in space: lines with soft sides, hidden by what lies before them, and labels.

Import after OpenGL is bound.
"""

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from viewer.picture.guides import Screen as Seen
from viewer.picture.guides import guides
from viewer.picture.labels import Label, labels
from viewer.picture.layout import Cell
from viewer.picture.legend import SMALLEST_TEXT
from viewer.picture.panes import CASING, CHOSEN
from viewer.picture.space import CloudScene, Viewport, depth_shares
from viewer.screen.program import ShaderProgram
from viewer.screen.texture import Texture

_LINES_UNIT, _LABEL_UNIT = 2, 0
_CORNERS = 6  # vertices of a line
_REACH = 3.0  # pivot's depths at which a line is half as clear
_MOST_LABELS = 128  # whose textures are kept


class GuideLines:
    """Draws the guides of clouds into the framebuffer bound."""

    def __init__(self) -> None:
        self._lines = ShaderProgram("guide.vert", "guide.frag")
        self._labels = ShaderProgram("quad.vert", "label.frag")
        self._table: Texture | None = None
        self._textures: dict[int, tuple[NDArray[np.uint8], Texture]] = {}
        self._lines.use()
        self._lines.set("lines", _LINES_UNIT)
        self._labels.use()
        self._labels.set("coverage", _LABEL_UNIT)
        self._labels.set("ink", CHOSEN)
        self._labels.set("rim", CASING)

    def draw(self, scene: CloudScene, viewport: Viewport) -> None:
        """Draw grid, axes and camera of a scene, then their labels; OpenGL's viewport changes."""
        seen, drawn, cell = Seen(scene, *viewport.axes(scene.size)), guides(scene), viewport.cell
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ZERO, GL.GL_ONE)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthMask(False)
        self._draw_lines(seen.lines(drawn.lines, viewport.text / SMALLEST_TEXT), scene, cell)
        for label in labels(drawn, seen, cell, viewport.text):
            self._labels.use()
            self._labels.set("depth", float(depth_shares(label.distance, scene.pivot)))
            self._draw_label(label, cell, viewport.bottom)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_BLEND)

    def _draw_lines(self, table: NDArray[np.float32], scene: CloudScene, cell: Cell) -> None:
        """Draw lines, as ``Screen.lines`` lays them out, at their depths."""
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
        """Copy lines to their texture, made anew if there is another number of them now."""
        if not self._table or not self._table.fits(table.shape, table.dtype):
            if self._table:
                self._table.close()
            self._table = Texture(table.shape, table.dtype)
        self._table.write(table)
        self._table.bind(_LINES_UNIT)

    def _draw_label(self, label: Label, cell: Cell, bottom: int) -> None:
        """Draw one label, by the program in use."""
        height, width = label.coverage.shape[:2]
        place = (cell.x + label.x, bottom + cell.height - label.y - height, width, height)
        self._texture(label.coverage).bind(_LABEL_UNIT)
        self._labels.set("pane", place)
        GL.glViewport(*place)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def _texture(self, coverage: NDArray[np.uint8]) -> Texture:
        """Look up the texture of a text, made once; the oldest of too many is given back."""
        known = self._textures.get(id(coverage))
        if not known:
            known = coverage, Texture(coverage.shape, coverage.dtype)
            known[1].write(coverage)
            self._textures[id(coverage)] = known
        if len(self._textures) > _MOST_LABELS:
            self._textures.pop(next(iter(self._textures)))[1].close()
        return known[1]

    def close(self) -> None:
        """Delete shader programs and textures."""
        for _, texture in self._textures.values():
            texture.close()
        self._textures.clear()
        if self._table:
            self._table.close()
        self._lines.close()
        self._labels.close()
