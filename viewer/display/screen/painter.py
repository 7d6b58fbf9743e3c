"""The painter, which draws an image, or two mixed ones, with the display shader."""

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from OpenGL import GL

from wheatstone.viewer.colormaps import ROWS, palette
from wheatstone.viewer.display.picture.layout import Cell
from wheatstone.viewer.display.picture.panes import (
    CASING,
    CHOSEN,
    HATCHING,
    LONE,
    MARK,
    NO_RESULT,
    SEAMS,
    UNJUDGED,
    Mix,
    Pane,
)
from wheatstone.viewer.display.screen import placement
from wheatstone.viewer.display.screen.framebuffer import Framebuffer
from wheatstone.viewer.display.screen.opengl import has_compute_shaders, on_cpu
from wheatstone.viewer.display.screen.program import (
    Branches,
    DecidedPrograms,
    DecidingProgram,
    ShaderProgram,
    Uniform,
    dispatch,
)
from wheatstone.viewer.display.screen.texture import COLOR, REAL, UNSIGNED, GLTexture, written
from wheatstone.viewer.theme import Rgb

# Texture units; 0..5 are those of the images: three kinds of samplers for each of two.
_PALETTE_UNIT = 6
_OVERLAY_UNITS = (8, 10)  # the outlines' boxes lie between
_TRUTH_UNITS = (11, 12)

_PICTURE_UNIT = 0  # image unit of what compute shaders write to
_COPIED_UNIT = 1  # and of what they copy
_SEEN_BY = GL.GL_FRAMEBUFFER_BARRIER_BIT | GL.GL_SHADER_IMAGE_ACCESS_BARRIER_BIT

T = TypeVar("T")

ALONE, ANAGLYPH = 0, 1  # as in shaders/image.glsl, like the ways below
_WAYS = {"wipe": 2, "wipe-down": 3, "onion": 4, "difference": 5, "signed-difference": 6}


@dataclass(frozen=True)
class Layer:
    """An image to paint: its display settings, and textures drawn over it or compared with it."""

    pane: Pane
    texture: GLTexture
    overlay: GLTexture | None = None
    truth: GLTexture | None = None


@dataclass(frozen=True, eq=False)
class Painting:
    """A drawing task: an image to draw into a rectangle of the picture, or two to mix there.

    Two layers without a mix are an anaglyph. The uniforms are determined once
    for all frames painted with the task.

    Attributes:
        bottom: pixels between the framebuffer's bottom and the cell.
        minified: whether several texels may lie under a pixel.
        difference: range and colour map of a mix that shows a difference.
        hatching: as returned by ``hatching_at``; None without hatching.
    """

    layers: Sequence[Layer]
    cell: Cell
    bottom: int
    minified: bool
    mix: Mix | None = None
    difference: Pane | None = None
    hatching: tuple[int, int, int, int] | None = None

    @property
    def box(self) -> "Box":
        """The rectangle to draw into, in OpenGL's coordinates."""
        return self.cell.x, self.bottom, self.cell.width, self.cell.height

    @cached_property
    def branches(self) -> Branches:
        """The values that select which branches of the shader are executed."""
        return _branches(self.layers, _way(self.layers, self.mix), self.minified)

    @cached_property
    def uniforms(self) -> tuple[tuple[str, Uniform], ...]:
        """The other uniforms of the shader, which do not select branches, by name."""
        return tuple(self._uniforms())

    def _uniforms(self) -> Iterator[tuple[str, Uniform]]:
        yield "pane", self.box
        if self.hatching:
            yield "hatching", self.hatching
        for number, layer in enumerate(self.layers):
            yield from _layer_uniforms(number, layer)
        if mix := self.mix:
            seam = mix.seam(self.cell.width, self.cell.height)
            yield "amount", seam if mix.way in SEAMS else mix.share
        if self.difference:
            low, entries = self.difference.ramp
            yield "difference_low", low
            yield "difference_entries", entries
            yield "difference_colormap", ROWS.index(self.difference.colormap or "grey")


class Painter:
    """A painter that draws images into a framebuffer; the bound ``Placement`` locates their texels.

    Args:
        computes: whether compute shaders paint, with the same bytes; None: if a GPU runs them, as
            the CPU draws triangles faster.
    """

    def __init__(self, *, computes: bool | None = None) -> None:
        self._fill: ShaderProgram | None = None
        self._present: ShaderProgram | None = None
        self._around: Rgb = (0, 0, 0)
        self._programs = self._compiled(computes)
        self._vertices = GL.glGenVertexArrays(1)  # empty, yet a core context draws with none other
        self._palette = written(None, palette())

    def _begin(self, program: ShaderProgram) -> None:
        for image in range(2):
            for kind, samplers in enumerate(("unsigned_texels", "signed_texels", "real_texels")):
                program.set(f"{samplers}[{image}]", 3 * image + kind)
            program.set(f"overlays[{image}]", _OVERLAY_UNITS[image])
            program.set(f"truths[{image}]", _TRUTH_UNITS[image])
            program.set(f"lone[{image}]", LONE[image])
        program.set_all(palette=_PALETTE_UNIT, footprints=placement.UNIT)
        program.set_all(mark=MARK, ink=CHOSEN, casing=CASING)
        program.set_all(no_result=NO_RESULT, unjudged=UNJUDGED)

    @property
    def computes(self) -> bool:
        """Whether compute shaders are used for painting."""
        return self._fill is not None

    def _compiled(self, computes: bool | None) -> DecidedPrograms | DecidingProgram:
        """Compile the painting programs: compute shaders, else programs that draw triangles."""
        if computes or (computes is None and has_compute_shaders() and not on_cpu()):
            try:
                program = DecidingProgram(("image.comp",), self._begin)
                fill, present = map(ShaderProgram, ("fill.comp", "present.comp"))
                self._fill, self._present = fill, present
                return program
            except RuntimeError:
                if computes:
                    raise
        drawing = ("quad.vert", "image.frag")
        return (DecidedPrograms if on_cpu() else DecidingProgram)(drawing, self._begin)

    def begin(self, framebuffer: Framebuffer, around: Rgb, *, fills: bool) -> None:
        """Set up OpenGL to draw into a bound framebuffer, before calls of ``paint``.

        Args:
            around: the colour around images.
            fills: whether to fill the framebuffer with it; if False, unpainted areas stay the same.
        """
        if self.computes:
            framebuffer.bind_image(_PICTURE_UNIT, GL.GL_WRITE_ONLY)
        if fills:
            self._fill_with(framebuffer, around)
        self._around = around
        for option in (GL.GL_BLEND, GL.GL_DEPTH_TEST, GL.GL_SCISSOR_TEST, GL.GL_DITHER):
            GL.glDisable(option)
        self._palette.bind(_PALETTE_UNIT)
        GL.glBindVertexArray(self._vertices)

    def _fill_with(self, framebuffer: Framebuffer, around: Rgb) -> None:
        if not self._fill:
            clear(around)
            return
        self._fill.use()
        self._fill.set("around", around)
        dispatch(framebuffer.width, framebuffer.height, _SEEN_BY)

    def present(
        self,
        picture: Framebuffer | None,
        box: "Box",
        window: Framebuffer | None,
        size: tuple[int, int],
        around: Rgb,
    ) -> None:
        """Copy a picture into a box of a window, and fill the rest of the window with a colour.

        ``picture``: None for a window without a picture.

        Compute shaders do this if they paint: a GPU needs a tenth of the time of OpenGL's copy. A
        window on screen is None: only OpenGL can write it.
        """
        target = window.number if window else 0
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, target)
        if window and self._present:
            self._compute_window(picture, box, window, around)
            return
        clear_around(box, size, around)
        if picture:
            picture.blit(target, box[0], box[1] + box[3])

    def _compute_window(
        self, picture: Framebuffer | None, box: "Box", window: Framebuffer, around: Rgb
    ) -> None:
        assert self._present
        if picture:
            picture.bind_image(_COPIED_UNIT, GL.GL_READ_ONLY)
        window.bind_image(_PICTURE_UNIT, GL.GL_WRITE_ONLY)
        self._present.use()
        self._present.set_all(place=box, around=around)
        dispatch(window.width, window.height, _SEEN_BY)

    def end(self) -> None:
        """Unbind objects that other code might write to by mistake."""
        GL.glBindVertexArray(0)
        GL.glActiveTexture(GL.GL_TEXTURE0)

    def paint(self, painting: Painting) -> None:
        """Draw the images of a task, mixed if there are two, into their rectangle."""
        program = self._programs.used(painting.branches)
        GL.glViewport(*painting.box)
        program.set("background", self._around)
        for name, value in painting.uniforms:
            program.set(name, value)
        for number, layer in enumerate(painting.layers):
            _bind_layer(number, layer)
        if self.computes:
            dispatch(painting.cell.width, painting.cell.height, _SEEN_BY)
        else:
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    @contextmanager
    def scissor(self, mix: Mix | None, cell: Cell, bottom: int, second: bool) -> Iterator[None]:
        """Limit drawing in the ``with`` block to one picture's part of a rectangle in a wipe."""
        if not mix or mix.way not in SEAMS:
            yield
            return
        with within(part_of(mix, cell, bottom, second)):
            yield

    def close(self) -> None:
        self._programs.close()
        for program in (self._fill, self._present):
            if program:
                program.close()
        self._palette.close()
        GL.glDeleteVertexArrays(1, [self._vertices])


Box = tuple[int, int, int, int]  # x, y, width, height in pixels, from the bottom


def clear(color: Rgb) -> None:
    """Fill the bound framebuffer with a colour."""
    GL.glDisable(GL.GL_SCISSOR_TEST)
    _fill(color)


def clear_around(box: Box, size: tuple[int, int], color: Rgb) -> None:
    """Fill the bound framebuffer outside a rectangle; ``size`` is its width and height."""
    GL.glDisable(GL.GL_SCISSOR_TEST)
    x, y, width, height = box
    right, top = x + width, y + height
    above, below = (0, top, size[0], size[1] - top), (0, 0, size[0], y)
    for band in (above, below, (0, y, x, height), (right, y, size[0] - right, height)):
        if min(band[2:]) > 0:
            with within(band):
                _fill(color)


def _fill(color: Rgb) -> None:
    GL.glClearColor(*(level / 255 for level in color), 1.0)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)


@contextmanager
def within(box: Box) -> Iterator[None]:
    """Limit drawing in the ``with`` block to a box."""
    GL.glEnable(GL.GL_SCISSOR_TEST)
    GL.glScissor(*box)
    yield
    GL.glDisable(GL.GL_SCISSOR_TEST)


def part_of(mix: Mix | None, cell: Cell, bottom: int, second: bool) -> Box:
    """Return the part of a rectangle for the first or second picture of a wipe; else all of it."""
    x, y, width, height = cell.x, bottom, cell.width, cell.height
    if not mix or mix.way not in SEAMS:
        return x, y, width, height
    seam = min(max(mix.seam(width, height), 0), width if mix.way == "wipe" else height)
    if mix.way == "wipe":
        return (x + seam, y, width - seam, height) if second else (x, y, seam, height)
    return (x, y, width, height - seam) if second else (x, y + height - seam, width, seam)


def _branches(layers: Sequence[Layer], way: int, minified: bool) -> Branches:
    def pair(of: Callable[[Layer], T], absent: T) -> tuple[T, T]:
        return of(layers[0]), of(layers[1]) if len(layers) > 1 else absent

    return Branches(
        way,
        minified,
        pair(lambda layer: layer.texture.kind, UNSIGNED),
        pair(_is_photo, False),
        pair(lambda layer: layer.pane.invalid is not None, False),
        pair(lambda layer: layer.overlay is not None, False),
        pair(lambda layer: layer.truth is not None, False),
        pair(lambda layer: layer.pane.steps != 0, False),
    )


def _is_photo(layer: Layer) -> bool:
    """Return whether an image is shown unchanged, without range and colour map."""
    plain = layer.pane.colormap is None and layer.pane.invalid is None
    return layer.texture.kind == COLOR or (plain and layer.texture.dtype == np.uint8)


def hatching_at(origin: tuple[int, int], width: int, scale: float) -> tuple[int, int, int, int]:
    """Return the shader's parameters of hatching: offset, spacing, line width, last column.

    Args:
        origin: pixel of the cell where the image begins, (x, y).
        width: the image's width.
        scale: pixels per unit of the unscaled screen.
    """
    spacing = round(HATCHING * scale)
    return -sum(origin) % spacing, spacing, max(round(scale), 1), width - 1


def _layer_uniforms(number: int, layer: Layer) -> Iterator[tuple[str, Uniform]]:
    pane = layer.pane
    low, entries = pane.ramp
    yield f"low[{number}]", low
    yield f"entries[{number}]", entries
    yield f"invalid[{number}]", _bits(pane.invalid or 0, layer.texture.kind == REAL)
    yield f"steps[{number}]", pane.steps
    yield f"colormap[{number}]", ROWS.index(pane.colormap or "grey")


def _bind_layer(number: int, layer: Layer) -> None:
    texture = layer.texture
    # A colour texture is read by the sampler of unsigned ones.
    texture.bind(3 * number + (UNSIGNED if texture.kind == COLOR else texture.kind))
    if layer.overlay:
        layer.overlay.bind(_OVERLAY_UNITS[number])
    if layer.truth:
        layer.truth.bind(_TRUTH_UNITS[number])


def _way(layers: Sequence[Layer], mix: Mix | None) -> int:
    if len(layers) == 1:
        return ALONE
    return _WAYS[mix.way] if mix else ANAGLYPH


def _bits(value: float, real: bool) -> int:
    """Convert a stored value to a signed 32-bit integer; reinterpret the bits of a float."""
    packed = struct.pack("<f", value) if real else struct.pack("<I", int(value) & 0xFFFFFFFF)
    return int(struct.unpack("<i", packed)[0])
