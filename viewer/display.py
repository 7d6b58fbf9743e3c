"""The display: images as textures, shown by one shader in a framebuffer of its own."""

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from viewer.colormaps import ROWS, palette
from viewer.layout import Arrangement, Cell, Hit, cells
from viewer.legend import legend_strip, strip_height
from viewer.picture import BACKGROUND, MARK, MOST_BOXES, Pane, Picture

if TYPE_CHECKING:  # OpenGL is imported when there is a context, not before
    from viewer.pixels import PixelBuffer
    from viewer.texture import Texture

__all__ = ["Display", "Pane", "Picture"]

# Texture units; 0..5 are those of the images: three kinds of samplers for each of two.
_PALETTE_UNIT, _OVERLAY_UNIT = 6, 8
_LEGEND = "legend strip"  # the texture; no image has this name


class Display:
    """Draws pictures of the images uploaded. An OpenGL context must be current throughout."""

    def __init__(self) -> None:
        from OpenGL import GL

        from viewer.framebuffer import Framebuffer
        from viewer.outlines import Outlines
        from viewer.placement import Placement
        from viewer.program import Program
        from viewer.texture import Texture

        self._program = Program("quad.vert", "image.frag")
        self._outlines = Outlines()
        self._vertices = GL.glGenVertexArrays(1)  # empty, yet a core context draws with none other
        self._framebuffer = Framebuffer()
        self._images: dict[str, Texture] = {}
        colors = palette()
        self._palette = Texture(colors.shape, colors.dtype)
        self._palette.write(colors)
        self._placement, self._legend_placement = Placement(), Placement()
        self._picture: Picture | None = None
        self._assign_units()

    def _assign_units(self) -> None:
        from viewer.placement import UNIT

        self._program.use()
        for image in range(2):
            for kind, samplers in enumerate(("unsigned_texels", "signed_texels", "real_texels")):
                self._program.set(f"{samplers}[{image}]", 3 * image + kind)
        self._program.set("palette", _PALETTE_UNIT)
        self._program.set("footprints", UNIT)
        self._program.set("overlay", _OVERLAY_UNIT)
        self._program.set("background", BACKGROUND)
        self._program.set("mark", MARK)

    def upload_image(self, name: str, array: NDArray[Any]) -> None:
        """Copy a host array in: (H, W) of any dtype shown, or (H, W, 3) uint8."""
        self._texture(name, array.shape, array.dtype).write(array)

    def upload_pixels(self, name: str, pixels: "PixelBuffer") -> None:
        """Copy in what a pixel buffer holds, without passing through the host."""
        self._texture(name, pixels.shape, pixels.dtype).write_buffer(pixels.buffer)

    def _texture(self, name: str, shape: tuple[int, ...], dtype: Any) -> "Texture":
        from viewer.texture import Texture

        known = self._images.get(name)
        if known and known.fits(shape, dtype):
            return known
        if known:
            known.close()
            del self._images[name]
        self._images[name] = Texture(shape, dtype)
        return self._images[name]

    def draw(self, picture: Picture, width: int, height: int) -> None:
        """Draw into a framebuffer of this size, in pixels; nothing if it is empty.

        Raises:
            ValueError: an image was not uploaded or does not fit the others.
        """
        from OpenGL import GL

        self._check(picture)
        if width < 1 or height < 1:
            return
        self._framebuffer.resize(width, height)
        self._picture = picture
        for option in (GL.GL_BLEND, GL.GL_DEPTH_TEST, GL.GL_SCISSOR_TEST, GL.GL_DITHER):
            GL.glDisable(option)
        self._clear()
        self._palette.bind(_PALETTE_UNIT)
        if picture.overlay:
            self._images[picture.overlay].bind(_OVERLAY_UNIT)
        GL.glBindVertexArray(self._vertices)
        shown = [picture.panes] if picture.anaglyph else [(pane,) for pane in picture.panes]
        for panes, cell in zip(shown, cells(len(shown), width, self._room()), strict=True):
            if cell.width > 0:
                self._draw_cell(panes, cell)
        if self._room() < height:
            self._draw_legend()
        GL.glBindVertexArray(0)
        GL.glActiveTexture(GL.GL_TEXTURE0)

    def _check(self, picture: Picture) -> None:
        marks = [name for name in (picture.overlay, picture.boxes) if name]
        for name in [pane.image for pane in picture.panes] + marks:
            if name not in self._images:
                raise ValueError(f"there is no image {name!r} to show")
        for pane in picture.panes:
            if pane.colormap and pane.colormap not in ROWS:
                raise ValueError(
                    f"there is no colour map {pane.colormap!r}; there is {', '.join(ROWS)}"
                )
        sizes = self._sizes(picture)
        if picture.anaglyph and (len(sizes) != 2 or sizes[0] != sizes[1]):
            raise ValueError(f"an anaglyph takes two images of one size (got {sizes})")
        if picture.overlay:
            _check_overlay(picture.overlay, self._images[picture.overlay], sizes)
        if picture.boxes:
            _check_boxes(picture.boxes, self._images[picture.boxes])

    def _sizes(self, picture: Picture) -> tuple[tuple[int, int], ...]:
        shapes = [self._images[pane.image].shape for pane in picture.panes]
        return tuple((shape[0], shape[1]) for shape in shapes)

    def _clear(self) -> None:
        from OpenGL import GL

        GL.glClearColor(*(level / 255 for level in BACKGROUND), 1.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)

    def _room(self) -> int:
        """Height of the panes: the legend lies below."""
        assert self._picture
        width, height = self._framebuffer.width, self._framebuffer.height
        return height - strip_height(self._picture.legend, width, height)

    def _draw_legend(self) -> None:
        assert self._picture
        strip = legend_strip(self._picture.legend, self._framebuffer.width)
        cell = Cell(0, self._room(), strip.shape[1], strip.shape[0])
        self.upload_image(_LEGEND, strip)
        self._legend_placement.place(strip.shape[:2], cell, 1.0, (0.5, 0.5))
        self._draw_panes((Pane(_LEGEND),), cell, has_overlay=False)

    def _draw_cell(self, panes: tuple[Pane, ...], cell: Cell) -> None:
        assert self._picture
        picture = self._picture
        height, width = self._images[panes[0].image].shape[:2]
        self._placement.place((height, width), cell, picture.zoom, picture.center)
        self._draw_panes(panes, cell, bool(picture.overlay))
        boxes = self._images[picture.boxes] if picture.boxes else None
        self._outlines.draw(picture, boxes, cell, self._placement.inside)

    def _draw_panes(self, panes: tuple[Pane, ...], cell: Cell, has_overlay: bool) -> None:
        """Draw one image, or two on top of each other, placed as the placement bound says."""
        from OpenGL import GL

        program = self._program
        program.use()
        bottom = self._framebuffer.height - cell.y - cell.height
        GL.glViewport(cell.x, bottom, cell.width, cell.height)
        program.set("pane", (cell.x, bottom, cell.width, cell.height))
        program.set("anaglyph", len(panes) == 2)
        program.set("has_overlay", has_overlay)
        for number, pane in enumerate(panes):
            self._set_look(number, pane)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def _set_look(self, number: int, pane: Pane) -> None:
        from viewer.texture import COLOR, REAL, UNSIGNED

        texture, program = self._images[pane.image], self._program
        # A colour texture is read by the sampler of unsigned ones.
        texture.bind(3 * number + (UNSIGNED if texture.kind == COLOR else texture.kind))
        plain = pane.colormap is None and pane.invalid is None
        low, entries = pane.ramp
        map_row = ROWS.index(pane.colormap or "grey")
        stored = _bits(pane.invalid or 0, texture.kind == REAL)
        program.set(f"kind[{number}]", texture.kind)
        photo = texture.kind == COLOR or (plain and texture.dtype == np.uint8)
        program.set(f"photo[{number}]", photo)
        program.set(f"low[{number}]", low)
        program.set(f"entries[{number}]", entries)
        program.set(f"has_invalid[{number}]", pane.invalid is not None)
        program.set(f"invalid[{number}]", stored)
        program.set(f"colormap[{number}]", map_row)

    def hit(self, x: float, y: float) -> Hit | None:
        """What the picture drawn last shows at a position, in pixels from the top left.

        None between the panes and outside the framebuffer; beside an image, a position beyond its
        bounds.
        """
        return self._arrangement(self._picture).hit(x, y) if self._picture else None

    def position(self, x: float, y: float, pane: int) -> Hit | None:
        """As ``hit``, in a pane that goes on beyond its cell; None before there is a picture."""
        return self._arrangement(self._picture).position(x, y, pane) if self._picture else None

    def _arrangement(self, picture: Picture) -> Arrangement:
        sizes = self._sizes(picture)[: 1 if picture.anaglyph else None]
        size = (self._framebuffer.width, self._room())
        return Arrangement(sizes, size, picture.zoom, picture.center)

    def fraction_per_pixel(self) -> tuple[float, float]:
        """How much of the first image a pixel covers in the picture drawn last, (x, y)."""
        return self._placement.fraction_per_pixel()

    def read(self) -> NDArray[np.uint8]:
        """The picture drawn last: (H, W, 3), top row first."""
        return self._framebuffer.read()

    def blit(self, height: int) -> None:
        """Copy the picture drawn last to the top left of the window, and leave the window bound.

        Where there is no picture, the window gets the background's colour.

        Args:
            height: of the window's framebuffer, in pixels.
        """
        from OpenGL import GL

        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        self._clear()
        if self._picture:
            self._framebuffer.blit(height)

    def close(self) -> None:
        """Delete textures, program and framebuffer."""
        from OpenGL import GL

        for texture in (*self._images.values(), self._palette):
            texture.close()
        self._images.clear()
        self._program.close()
        self._outlines.close()
        self._placement.close()
        self._legend_placement.close()
        self._framebuffer.close()
        GL.glDeleteVertexArrays(1, [self._vertices])


def _check_overlay(name: str, overlay: "Texture", sizes: tuple[tuple[int, int], ...]) -> None:
    if overlay.dtype != np.uint8 or {*sizes} != {overlay.shape}:
        raise ValueError(
            f"overlay {name!r} must be uint8 and of the panes' size {sizes[0]} "
            f"(got {overlay.dtype} {overlay.shape})"
        )


def _check_boxes(name: str, boxes: "Texture") -> None:
    if boxes.dtype != np.int32 or boxes.shape[1:] != (4,) or boxes.shape[0] > MOST_BOXES:
        raise ValueError(
            f"boxes {name!r} must be int32 of shape (N, 4), N <= {MOST_BOXES} "
            f"(got {boxes.dtype} {boxes.shape})"
        )


def _bits(value: float, real: bool) -> int:
    """A stored value as a signed 32-bit integer; of a float, its bits."""
    packed = struct.pack("<f", value) if real else struct.pack("<I", int(value) & 0xFFFFFFFF)
    return int(struct.unpack("<i", packed)[0])
