"""The display: images as textures, shown by one shader in a framebuffer of its own."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from viewer.picture import fitting
from viewer.picture.caption import caption_height, caption_strip
from viewer.picture.footer import footer
from viewer.picture.layout import Arrangement, Cell, Hit
from viewer.picture.panes import BACKGROUND, SEAMS, Pane, Picture

if TYPE_CHECKING:  # OpenGL is imported when there is a context, not before
    from viewer.screen.painter import Layer
    from viewer.screen.pixels import PixelBuffer
    from viewer.screen.texture import Texture

__all__ = ["Display", "Pane", "Picture"]

_FOOTER, _CAPTION = "footer strip", "caption strip"  # textures; no image has these names


class Display:
    """Draws pictures of the images uploaded. An OpenGL context must be current throughout."""

    def __init__(self) -> None:
        from viewer.screen.framebuffer import Framebuffer
        from viewer.screen.outlines import Outlines
        from viewer.screen.painter import Painter
        from viewer.screen.placement import Placement
        from viewer.screen.texture import Texture

        self._painter = Painter()
        self._outlines = Outlines()
        self._framebuffer = Framebuffer()
        self._images: dict[str, Texture] = {}
        self._placement = Placement()
        self._strips = {name: Placement() for name in (_FOOTER, _CAPTION)}
        self._uploaded: dict[str, NDArray[np.uint8]] = {}  # what they hold
        self._picture: Picture | None = None

    def upload_image(self, name: str, array: NDArray[Any]) -> None:
        """Copy a host array in: (H, W) of any dtype shown, or (H, W, 3) uint8."""
        self._texture(name, array.shape, array.dtype).write(array)

    def upload_pixels(self, name: str, pixels: "PixelBuffer") -> None:
        """Copy in what a pixel buffer holds, without passing through the host."""
        self._texture(name, pixels.shape, pixels.dtype).write_buffer(pixels.buffer)

    def values(self, name: str) -> NDArray[Any]:
        """A host copy of an image uploaded, as stored."""
        return self._images[name].read()

    def remove(self, name: str) -> None:
        """Delete an image uploaded; it must not be part of the picture drawn next."""
        self._images.pop(name).close()

    def _texture(self, name: str, shape: tuple[int, ...], dtype: Any) -> "Texture":
        from viewer.screen.texture import Texture

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
        fitting.check(picture, self._images)
        if width < 1 or height < 1:
            return
        self._framebuffer.resize(width, height)
        self._picture = picture
        self._clear()
        self._painter.begin()
        shown = zip(picture.cells, self._arrangement(picture).cells, strict=True)
        for number, ((part, panes), cell) in enumerate(shown):
            if cell.width > 0:
                self._draw_cell(part, panes, cell, number)
        above, below = self._strip_heights(picture)
        if above and picture.caption:
            self._draw_strip(_CAPTION, caption_strip(picture.caption, width), 0)
        if below:
            self._draw_strip(_FOOTER, self._footer(picture), height - below)
        self._painter.end()

    def _clear(self) -> None:
        from OpenGL import GL

        GL.glDisable(GL.GL_SCISSOR_TEST)
        GL.glClearColor(*(level / 255 for level in BACKGROUND), 1.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)

    def _strip_heights(self, picture: Picture) -> tuple[int, int]:
        """Heights of the caption above the panes and of what stands below."""
        width, height = self._framebuffer.width, self._framebuffer.height
        below = len(self._footer(picture))
        return caption_height(picture.caption, width, height - below), below

    def _footer(self, picture: Picture) -> NDArray[np.uint8]:
        width, height = self._framebuffer.width, self._framebuffer.height
        return footer(picture.bars, picture.legend, width, height)

    def _draw_strip(self, name: str, strip: NDArray[np.uint8], top: int) -> None:
        from viewer.screen.painter import Layer

        cell = Cell(0, top, strip.shape[1], strip.shape[0])
        if self._uploaded.get(name) is not strip:  # the same until what it says changes
            self.upload_image(name, strip)
            self._uploaded[name] = strip
        self._strips[name].place(strip.shape[:2], cell, 1.0, (0.5, 0.5))
        self._painter.paint([Layer(Pane(name), self._images[name])], cell, self._bottom(cell))

    def _bottom(self, cell: Cell) -> int:
        return self._framebuffer.height - cell.y - cell.height

    def _draw_cell(self, part: Picture, panes: tuple[Pane, ...], cell: Cell, number: int) -> None:
        """Draw panes on top of each other, and the marks of the picture they belong to."""
        assert self._picture
        place, mix = self._picture, part.mix
        height, width = self._images[panes[0].image].shape[:2]
        self._placement.place((height, width), cell, place.zoom, place.center)
        difference = mix.differences[number] if mix and mix.differences else None
        if mix and mix.differences and not difference:
            panes, mix = panes[:1], None  # both show the same image
        layers = [self._layer(p, part if i == 0 else part.second) for i, p in enumerate(panes)]
        self._painter.paint(layers, cell, self._bottom(cell), mix, difference)
        self._draw_outlines(part, cell)

    def _layer(self, pane: Pane, part: Picture | None) -> "Layer":
        from viewer.screen.painter import Layer

        overlay = self._images[part.overlay] if part and part.overlay else None
        truth = self._images[pane.truth] if pane.truth else None
        return Layer(pane, self._images[pane.image], overlay, truth)

    def _draw_outlines(self, part: Picture, cell: Cell) -> None:
        """The boxes and regions of the parts, each where it is seen."""
        mixed = part.mix if part.second and part.mix and part.mix.way != "side-by-side" else None
        for second, drawn in enumerate((part, part.second if mixed else None)):
            if drawn:
                boxes = self._images[drawn.boxes] if drawn.boxes else None
                with self._painter.scissor(mixed, cell, self._bottom(cell), bool(second)):
                    self._outlines.draw(drawn, boxes, cell, self._placement.inside)

    def hit(self, x: float, y: float) -> Hit | None:
        """What the picture drawn last shows at a position, in pixels from the top left.

        None between the panes and outside the framebuffer; beside an image, a position beyond its
        bounds.
        """
        return self._arrangement(self._picture).hit(x, y) if self._picture else None

    @property
    def arrangement(self) -> Arrangement | None:
        """How the panes of the picture drawn last lie; None before there is one."""
        return self._arrangement(self._picture) if self._picture else None

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The images on top of each other in every pane of the picture drawn last."""
        cells = self._picture.cells if self._picture else ()
        return tuple(tuple(pane.image for pane in panes) for _, panes in cells)

    def position(self, x: float, y: float, pane: int) -> Hit | None:
        """As ``hit``, in a pane that goes on beyond its cell; None before there is a picture."""
        return self._arrangement(self._picture).position(x, y, pane) if self._picture else None

    def visible(self, pane: int) -> tuple[slice, slice] | None:
        """The rows and columns of a pane's image that the picture drawn last shows.

        None before there is a picture, for a pane it does not have, and for one without a pixel.
        """
        if not self._picture or not 0 <= pane < len(self._picture.cells):
            return None
        arrangement = self._arrangement(self._picture)
        cell = arrangement.cells[pane]
        return arrangement.visible(pane) if cell.width > 0 and cell.height > 0 else None

    def places(self, row: float, column: float) -> list[tuple[float, float]]:
        """Where (x, y) a position in the images lies in the picture drawn last, pane by pane.

        Panes whose cell it lies beyond are left out.
        """
        if not self._picture:
            return []
        arrangement = self._arrangement(self._picture)
        found = [arrangement.place(row, column, i) for i in range(len(arrangement.cells))]
        cells = zip(arrangement.cells, found, strict=True)
        return [place for cell, place in cells if cell.holds(*place)]

    def seam_at(self, x: float, y: float) -> float | None:
        """Where a position lies across the panes of the wipe drawn last, in fractions of a pane.

        None if no wipe was drawn or the position lies in no pane.
        """
        mix = self._picture.mix if self._picture else None
        if not self._picture or not mix or mix.way not in SEAMS:
            return None
        for cell in self._arrangement(self._picture).cells:
            if cell.holds(x, y):
                down = mix.way == "wipe-down"
                return (y - cell.y) / cell.height if down else (x - cell.x) / cell.width
        return None

    def seam_distance(self, x: float, y: float) -> float | None:
        """How far a position lies from the seam drawn last, in pixels; None as for ``seam_at``."""
        place = self.seam_at(x, y)
        if place is None or not self._picture or not self._picture.mix:
            return None
        cell, mix = self._arrangement(self._picture).cells[0], self._picture.mix
        return abs(place - mix.amount) * (cell.height if mix.way == "wipe-down" else cell.width)

    def _arrangement(self, picture: Picture) -> Arrangement:
        shapes = [self._images[panes[0].image].shape for _, panes in picture.cells]
        sizes = tuple((shape[0], shape[1]) for shape in shapes)
        above, below = self._strip_heights(picture)
        size = (self._framebuffer.width, self._framebuffer.height - above - below)
        return Arrangement(sizes, size, picture.zoom, picture.center, above)

    def fraction_per_pixel(self) -> tuple[float, float]:
        """How much of the first image a pixel covers in the picture drawn last, (x, y)."""
        return self._placement.fraction_per_pixel()

    def read(self) -> NDArray[np.uint8]:
        """The picture drawn last: (H, W, 3), top row first."""
        return self._framebuffer.read()

    def blit(self, height: int, target: int = 0, x: int = 0, y: int = 0) -> None:
        """Copy the picture drawn last to a window, and leave the window's framebuffer bound.

        Where there is no picture, the window gets the background's colour.

        Args:
            height: of the window's framebuffer, in pixels.
            target: number of that framebuffer; 0 is that of a window on screen.
            x, y: where the picture's left upper corner goes, in pixels from the window's.
        """
        from OpenGL import GL

        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, target)
        self._clear()
        if self._picture:
            self._framebuffer.blit(target, x, height - y)

    def close(self) -> None:
        """Delete textures, programs and framebuffer."""
        for texture in self._images.values():
            texture.close()
        self._images.clear()
        self._painter.close()
        self._outlines.close()
        for placement in (self._placement, *self._strips.values()):
            placement.close()
        self._framebuffer.close()
