"""Pixel values as text, which the GPU writes into the pixels of a magnified picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.viewer.display.picture.layout import Cell, axes, texels_under
from wheatstone.viewer.display.picture.panes import SEAMS, Mix, Pane, Picture
from wheatstone.viewer.display.picture.pixel_values import (
    COLORS,
    Lines,
    ValueForm,
    both_lines,
    difference_lines,
    pixel_lines,
)
from wheatstone.viewer.display.picture.value_places import (
    ENTRY,
    Characters,
    ValueGrid,
    entries,
    fitting,
)
from wheatstone.viewer.display.screen.framebuffer import Framebuffer
from wheatstone.viewer.display.screen.painter import within
from wheatstone.viewer.display.screen.program import ShaderProgram
from wheatstone.viewer.display.screen.texture import COLOR, GLTexture, written

_ENTRIES_UNIT, _CHARACTERS_UNIT, _SHOWN_UNIT = 0, 1, 13
_ACROSS = 512  # entries in a row of the table
_CORNERS = 6
MOST_TABLES = 16  # of cells, whose places change with the window


@dataclass(frozen=True)
class ValueCell:
    """A part of the picture in which the pixels' values are written.

    Attributes:
        forms: the formats of the values, one for each of the ``panes`` that share the cell.
        bottom: pixels below the cell.
        difference: whether the cell shows the panes' difference.
    """

    picture: Picture
    panes: tuple[Pane, ...]
    forms: tuple[ValueForm, ...]
    mix: Mix | None
    cell: Cell
    bottom: int
    difference: bool


class PixelValues:
    """A renderer of pixel values, and of the lines between pixels, over the picture."""

    def __init__(self) -> None:
        self._program = ShaderProgram("value.vert", "value.frag")
        self._program.use()
        self._program.set_all(entries=_ENTRIES_UNIT, characters=_CHARACTERS_UNIT)
        self._program.set_all(shown=_SHOWN_UNIT, across=_ACROSS)
        self._shown = int(GL.glGenTextures(1))
        self._shown_size = (0, 0)
        self._characters: tuple[Characters, GLTexture] | None = None
        self._tables: dict[Cell, tuple[tuple[object, ...], int, GLTexture]] = {}

    def draw(
        self,
        drawn: ValueCell,
        images: Mapping[str, GLTexture],
        framebuffer: Framebuffer,
        scale: float,
    ) -> None:
        """Write the values into the pixels of a rectangle, if the pixels are large enough.

        Args:
            images: textures by name.
            framebuffer: holds the picture so far; it is bound.
            scale: pixels per unit of the unscaled screen.
        """
        texture = images[drawn.panes[0].image]
        grid = _grid(drawn, texture.shape)
        glyphs = fitting(grid.columns.scale, *_room(drawn, texture), scale)
        if not glyphs or not all(grid.counts):
            return
        count, table = self._table(drawn, images, grid, glyphs, scale)
        self._program.use()
        self._copy_shown(framebuffer)
        self._bind_characters(glyphs)
        table.bind(_ENTRIES_UNIT)
        self._program.set_all(picture_width=framebuffer.width, picture_height=framebuffer.height)
        GL.glViewport(0, 0, framebuffer.width, framebuffer.height)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ZERO, GL.GL_ONE)
        with within((drawn.cell.x, drawn.bottom, drawn.cell.width, drawn.cell.height)):
            GL.glDrawArraysInstanced(GL.GL_TRIANGLES, 0, _CORNERS, count)
        GL.glDisable(GL.GL_BLEND)

    def _table(
        self,
        drawn: ValueCell,
        images: Mapping[str, GLTexture],
        grid: ValueGrid,
        glyphs: Characters,
        scale: float,
    ) -> tuple[int, GLTexture]:
        names = [name for pane in drawn.panes for name in (pane.image, pane.truth) if name]
        state = [images[name].serial for name in names]
        key = (drawn.panes, drawn.forms, drawn.mix, grid, id(glyphs), scale, *state)
        known = self._tables.get(drawn.cell)
        if known and known[0] == key:
            return known[1:]
        if len(self._tables) > MOST_TABLES:
            self._forget()
        elif known:
            known[2].close()
        lines = _lines(drawn, images, grid)
        unit = COLORS if images[drawn.panes[0].image].kind == COLOR else drawn.forms[0].unit
        rows = entries(grid, glyphs, lines, unit, scale)
        table = _texture_of(rows)
        self._tables[drawn.cell] = key, len(rows), table
        return len(rows), table

    def _forget(self) -> None:
        for _, _, table in self._tables.values():
            table.close()
        self._tables.clear()

    def _bind_characters(self, glyphs: Characters) -> None:
        if not self._characters or self._characters[0] is not glyphs:
            known = self._characters[1] if self._characters else None
            self._characters = glyphs, written(known, glyphs.coverage)
        self._characters[1].bind(_CHARACTERS_UNIT)

    def _copy_shown(self, framebuffer: Framebuffer) -> None:
        """Copy the picture to a texture, by which the shader chooses black or white for a text."""
        GL.glActiveTexture(GL.GL_TEXTURE0 + _SHOWN_UNIT)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._shown)
        size = (framebuffer.width, framebuffer.height)
        if size != self._shown_size:
            for option in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
                GL.glTexParameteri(GL.GL_TEXTURE_2D, option, GL.GL_NEAREST)
            layout = (GL.GL_RGBA8, *size, 0, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
            GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, *layout, None)
            self._shown_size = size
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, framebuffer.number)
        GL.glCopyTexSubImage2D(GL.GL_TEXTURE_2D, 0, 0, 0, 0, 0, *size)

    def close(self) -> None:
        self._forget()
        if self._characters:
            self._characters[1].close()
        GL.glDeleteTextures([self._shown])
        self._program.close()


def _grid(drawn: ValueCell, shape: tuple[int, ...]) -> ValueGrid:
    height, width = shape[:2]
    place = drawn.picture.zoom, drawn.picture.center
    rows, columns = axes(height, width, drawn.cell, *place)
    down = texels_under(rows, drawn.cell.height)
    across = texels_under(columns, drawn.cell.width)
    counts = (down.stop - down.start, across.stop - across.start)
    return ValueGrid(drawn.cell, rows, columns, (down.start, across.start), counts)


def _room(drawn: ValueCell, texture: GLTexture) -> tuple[Lines, int]:
    """Return the widest texts of an image's values, and the number of text lines per pixel."""
    if texture.kind == COLOR:
        return ("888",), 3 * (2 if _overlaid(drawn) else 1)
    samples = tuple(text for form in drawn.forms for text in form.samples)
    if drawn.difference:
        samples = tuple(f"+{text}" for text in samples)
    return samples, len(drawn.panes) if _overlaid(drawn) else 1


def _overlaid(drawn: ValueCell) -> bool:
    seam = drawn.mix is not None and drawn.mix.way in SEAMS
    return len(drawn.panes) > 1 and not drawn.difference and not seam


def _lines(
    drawn: ValueCell, images: Mapping[str, GLTexture], grid: ValueGrid
) -> Sequence[Sequence[Lines]]:
    (row, column), (height, width) = grid.first, grid.counts
    part = slice(row, row + height), slice(column, column + width)

    def read(name: str) -> NDArray[np.generic]:
        return images[name].part(*part)

    if drawn.difference and drawn.mix:
        values = [read(pane.image) for pane in drawn.panes]
        signed = drawn.mix.way == "signed-difference"
        return difference_lines(drawn.forms, values, signed=signed)
    by_pane = [
        pixel_lines(form, read(pane.image), read(pane.truth) if pane.truth else None)
        for pane, form in zip(drawn.panes, drawn.forms, strict=True)
    ]
    if len(by_pane) == 1:
        return by_pane[0]
    if _overlaid(drawn) or not drawn.mix:
        return both_lines(*by_pane)
    return _beside_seam(by_pane[0], by_pane[1], grid, drawn.mix)


def _beside_seam(
    first: list[list[Lines]], second: list[list[Lines]], grid: ValueGrid, mix: Mix
) -> list[list[Lines]]:
    """Select for each pixel the values of the image on its side of the wipe's seam."""
    seam = mix.seam(grid.cell.width, grid.cell.height)
    down = mix.way == "wipe-down"

    def beyond(row: int, column: int) -> bool:
        x, y = grid.middle(row, column)
        return (y - grid.cell.y if down else x - grid.cell.x) >= seam

    return [
        [second[r][c] if beyond(r, c) else first[r][c] for c in range(grid.counts[1])]
        for r in range(grid.counts[0])
    ]


def _texture_of(rows: NDArray[np.int32]) -> GLTexture:
    """Copy the table of texts and lines for the shader to a texture, two texels for each entry."""
    high = max(-(-len(rows) // _ACROSS), 1)
    table = np.zeros((high * _ACROSS, ENTRY), np.int32)
    table[: len(rows)] = rows
    return written(None, table.reshape(high, 2 * _ACROSS, 4))
