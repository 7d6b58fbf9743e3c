"""Guides of a 3D view: smooth lines hidden by nearer points, and labels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.viewer.display.picture.guides import Label, guides, labels
from wheatstone.viewer.display.picture.guides import ScreenPlaces as Seen
from wheatstone.viewer.display.picture.layout import Cell
from wheatstone.viewer.display.picture.legend import SMALLEST_TEXT
from wheatstone.viewer.display.picture.panes import CASING, CHOSEN
from wheatstone.viewer.display.picture.space import CloudScene, Viewport, depth_shares
from wheatstone.viewer.display.screen.program import ShaderProgram
from wheatstone.viewer.display.screen.texture import GLTexture, written

_UNIT = 0
_SPOT = 3  # side in pixels of the middle of a label, which is looked for
MOST_LABELS = 128  # texts whose textures are kept
_LINES_UNIT = 2
_CORNERS = 6  # vertices of a line
_REACH = 3.0  # pivot's depths at which a line is half as clear


class Labels:
    """A renderer of labels into the bound framebuffer, which contains depths."""

    def __init__(self) -> None:
        self._program = ShaderProgram("quad.vert", "label.frag")
        self._textures: dict[int, tuple[NDArray[np.uint8], GLTexture]] = {}
        self._queries: list[int] = []
        self._program.use()
        self._program.set_all(coverage=_UNIT, ink=CHOSEN, rim=CASING)

    def draw(self, labels: Sequence[Label], pivot: float, cell: Cell, bottom: int) -> None:
        """Draw labels, with blending and the depth test enabled; OpenGL's viewport changes.

        Args:
            pivot: the depth in the middle of the depth buffer.
            bottom: pixels between the framebuffer's bottom and the cell.
        """
        while len(self._queries) < len(labels):
            self._queries.append(int(np.ravel(GL.glGenQueries(1))[0]))
        self._program.use()
        GL.glColorMask(False, False, False, False)
        for label, query in zip(labels, self._queries, strict=False):
            self._look_for(label, query, pivot, cell, bottom)
        GL.glColorMask(True, True, True, True)
        GL.glDisable(GL.GL_DEPTH_TEST)
        for label, query in zip(labels, self._queries, strict=False):
            GL.glBeginConditionalRender(query, GL.GL_QUERY_WAIT)
            self._draw_label(label, cell, bottom)
            GL.glEndConditionalRender()

    def _look_for(self, label: Label, query: int, pivot: float, cell: Cell, bottom: int) -> None:
        """Start a GPU query that counts the pixels at a label's middle that no point hides."""
        x, y, width, height = _box(label, cell, bottom)
        self._program.set("depth", float(depth_shares(label.distance, pivot)))
        place = x + width // 2 - _SPOT // 2, y + height // 2 - _SPOT // 2, _SPOT, _SPOT
        self._program.set("pane", place)
        GL.glViewport(*place)
        GL.glBeginQuery(GL.GL_SAMPLES_PASSED, query)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glEndQuery(GL.GL_SAMPLES_PASSED)

    def _draw_label(self, label: Label, cell: Cell, bottom: int) -> None:
        place = _box(label, cell, bottom)
        self._texture(label.coverage).bind(_UNIT)
        self._program.set("pane", place)
        GL.glViewport(*place)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def _texture(self, coverage: NDArray[np.uint8]) -> GLTexture:
        known = self._textures.get(id(coverage))
        if not known:
            known = coverage, written(None, coverage)
            self._textures[id(coverage)] = known
        if len(self._textures) > MOST_LABELS:
            self._textures.pop(next(iter(self._textures)))[1].close()
        return known[1]

    def close(self) -> None:
        for _, texture in self._textures.values():
            texture.close()
        self._textures.clear()
        if self._queries:
            GL.glDeleteQueries(len(self._queries), self._queries)
        self._program.close()


def _box(label: Label, cell: Cell, bottom: int) -> tuple[int, int, int, int]:
    """Return the place of a label in the framebuffer: x, y from below, width, height."""
    y = bottom + cell.height - label.y - label.height
    return cell.x + label.x, y, label.width, label.height


class GuideLines:
    """A renderer of the guides of point clouds into the bound framebuffer."""

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
        texts = labels(drawn, seen, cell, viewport.text)
        self._labels.draw(texts, scene.pivot, cell, viewport.bottom)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_BLEND)

    def _draw_lines(self, table: NDArray[np.float32], scene: CloudScene, cell: Cell) -> None:
        if not len(table):
            return
        self._lines.use()
        self._table = written(self._table, table)
        self._table.bind(_LINES_UNIT)
        self._lines.set_all(pane_width=float(cell.width), pane_height=float(cell.height))
        self._lines.set_all(pivot=scene.pivot, reach=_REACH * scene.pivot)
        GL.glDrawArraysInstanced(GL.GL_TRIANGLES, 0, _CORNERS, len(table))

    def close(self) -> None:
        if self._table:
            self._table.close()
        self._lines.close()
        self._labels.close()
