"""The display, which stores images as textures and draws pictures of them into a framebuffer."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.display.picture.caption import caption_height, caption_strip
from wheatstone.viewer.display.picture.colorbar import Box, Colorbar, footer, placed_bars
from wheatstone.viewer.display.picture.drawn_picture import NOTHING_DRAWN, DrawnPicture
from wheatstone.viewer.display.picture.layout import Arrangement, Cell, Hit
from wheatstone.viewer.display.picture.legend import text_size
from wheatstone.viewer.display.picture.panes import Mix, Pane, Picture
from wheatstone.viewer.display.picture.pixel_values import ValueForm
from wheatstone.viewer.display.picture.space import Viewport
from wheatstone.viewer.display.screen import fitting
from wheatstone.viewer.memo import Memo
from wheatstone.viewer.theme import AROUND, USUAL

if TYPE_CHECKING:  # OpenGL is imported when there is a context, not before
    from wheatstone.viewer.display.screen.framebuffer import Framebuffer
    from wheatstone.viewer.display.screen.painter import Layer, Painting
    from wheatstone.viewer.display.screen.pixel_values import PixelValues
    from wheatstone.viewer.display.screen.pixels import PixelBuffer
    from wheatstone.viewer.display.screen.readback import Readback
    from wheatstone.viewer.display.screen.space import Space
    from wheatstone.viewer.display.screen.texture import GLTexture

__all__ = ["Display", "Pane", "Picture"]

HURRIED_POINTS = 40_000  # of a view in space that the CPU draws at some 30 frames a second

_FOOTER, _CAPTION = "footer strip", "caption strip"  # textures; no image has these names


@dataclass
class _Layout:
    """The layout of a picture, with prepared drawing tasks; reused for every frame.

    Attributes:
        cells: the picture and panes that each cell shows.
        caption: the strip above the panes; None without one.
        footer: the strip below the panes; its height may be 0.
        paintings: the paintings, by the number of the cell or the name of the strip.
    """

    drawn: DrawnPicture
    cells: tuple[tuple[Picture, tuple[Pane, ...]], ...]
    caption: NDArray[np.uint8] | None
    footer: NDArray[np.uint8]
    paintings: "dict[int | str, Painting]" = field(default_factory=dict)


class Display:
    """A renderer of pictures into a framebuffer, from images that are uploaded as textures.

    An OpenGL context must be current throughout.

    Args:
        computes: whether compute shaders paint; None: if that is faster. The bytes are the same.

    Attributes:
        drawn: the picture drawn last, and the places of its panes.
        hurries: whether a 3D view moves, so that slow renderers draw fewer of its points.
        style: the style of captions, colour bars, legends and texts in 3D views.
    """

    def __init__(self, *, computes: bool | None = None) -> None:
        from wheatstone.viewer.display.screen.framebuffer import Framebuffer
        from wheatstone.viewer.display.screen.outlines import Outlines
        from wheatstone.viewer.display.screen.painter import Painter
        from wheatstone.viewer.display.screen.placement import Placement
        from wheatstone.viewer.display.screen.texture import GLTexture, Unpacker

        self._painter = Painter(computes=computes)
        self._unpacker = Unpacker() if self._painter.computes else None
        self._outlines = Outlines()
        self._framebuffer = Framebuffer()
        self._images: dict[str, GLTexture] = {}
        self._placement = Placement()
        self._strips = {name: Placement() for name in (_FOOTER, _CAPTION)}
        self._uploaded: dict[str, NDArray[np.uint8]] = {}  # what the strips' textures hold
        self._values: PixelValues | None = None  # made when values are written first
        self._space: Space | None = None  # made when a view in space is drawn first
        self._readback: Readback | None = None  # made when a picture is grabbed first
        self._kept = object()  # another one whenever there are other textures
        self._fits, self._laid = Memo[None](), Memo[_Layout]()
        self._painted: _Layout | None = None  # around whose cells the framebuffer is as it has it
        self._fresh = False  # whether the framebuffer shows what the textures hold
        self._stride = 1  # of the points drawn last
        self._drawn_in = USUAL  # the style of the picture drawn last
        self.drawn, self.hurries, self.style = NOTHING_DRAWN, False, USUAL

    def upload_image(self, name: str, array: NDArray[Any]) -> None:
        """Copy a host array to a texture: (H, W) of any supported dtype, or (H, W, 3) uint8."""
        self._texture(name, array.shape, array.dtype).write(array)

    def upload_pixels(self, name: str, pixels: "PixelBuffer") -> None:
        """Copy a pixel buffer to a texture, without passing through the host."""
        texture = self._texture(name, pixels.shape, pixels.dtype)
        if self._unpacker and self._unpacker.takes(texture):
            self._unpacker.write(texture, pixels.buffer)
        else:
            texture.write_buffer(pixels.buffer)

    def values(self, name: str) -> NDArray[Any]:
        """Copy an uploaded image to the host, as stored."""
        return self._images[name].read()

    def value(self, name: str, row: int, column: int) -> NDArray[Any] | None:
        """Copy one pixel of an uploaded image to the host, as stored; None outside the image."""
        image = self._images.get(name)
        if image is None or not (0 <= row < image.shape[0] and 0 <= column < image.shape[1]):
            return None
        value: NDArray[Any] = image.part(slice(row, row + 1), slice(column, column + 1))[0, 0]
        return value

    def remove(self, name: str) -> None:
        """Delete an uploaded image, which the picture drawn next must not contain."""
        self._images.pop(name).close()
        self._kept = object()

    def _texture(self, name: str, shape: tuple[int, ...], dtype: Any) -> "GLTexture":
        from wheatstone.viewer.display.screen.texture import GLTexture

        self._fresh = False
        known = self._images.get(name)
        if known and known.fits(shape, dtype):
            return known
        if known:
            known.close()
            del self._images[name]
        self._kept = object()
        self._images[name] = GLTexture(shape, dtype)
        return self._images[name]

    def draw(self, picture: Picture, width: int, height: int) -> None:
        """Draw a picture into the framebuffer at a size in pixels; do nothing if the size is 0.

        Raises:
            ValueError: an image was not uploaded or does not fit the others.
        """
        self._fits.of((picture, self._kept), lambda: fitting.check(picture, self._images))
        if width < 1 or height < 1 or self._stands(picture, width, height):
            return
        self._framebuffer.resize(width, height)
        asked = (picture, self.style, self._kept, width, height)
        layout = self._laid.of(asked, lambda: self._lay_out(picture))
        self.drawn = layout.drawn
        self._fresh, self._stride = False, self._stride_wanted(picture)
        self._drawn_in = self.style
        around = layout is not self._painted
        self._painted = None
        self._painter.begin(self._framebuffer, self.style.color(AROUND), fills=around)
        shown = zip(layout.cells, self.drawn.arrangement.cells, strict=True)
        for number, ((part, panes), cell) in enumerate(shown):
            if cell.width > 0:
                self._draw_cell(layout, part, panes, cell, number)
        if around and layout.caption is not None:
            self._draw_strip(layout, _CAPTION, layout.caption, 0)
        if around and len(layout.footer):
            self._draw_strip(layout, _FOOTER, layout.footer, height - len(layout.footer))
        self._painter.end()
        self._painted, self._fresh = layout, True

    def _lay_out(self, picture: Picture) -> _Layout:
        width, height = self._framebuffer.width, self._framebuffer.height
        drawn = DrawnPicture(picture, self._arrangement(picture, width, height))
        caption, above = picture.caption, drawn.arrangement.top
        strip = caption_strip(caption, width, self.style) if caption and above else None
        below = footer(picture.bars, picture.legend, width, height, self.style)
        return _Layout(drawn, picture.cells, strip, below)

    def _stands(self, picture: Picture, width: int, height: int) -> bool:
        """Return whether the framebuffer already shows a picture, so that drawing is not needed."""
        if not self._fresh:
            return False
        same = picture == self.drawn.picture and self._stride == self._stride_wanted(picture)
        same = same and self._drawn_in == self.style
        return same and (self._framebuffer.width, self._framebuffer.height) == (width, height)

    def _stride_wanted(self, picture: Picture) -> int:
        """Choose the spacing, in texels, of a cloud's drawn points; wide on a slow renderer."""
        if not (self.hurries and picture.in_space and self._in_space().software):
            return 1
        height, width = self._images[picture.panes[0].image].shape[:2]
        return math.ceil(math.sqrt(height * width / HURRIED_POINTS))

    def _viewport(self, picture: Picture, cell: Cell) -> Viewport:
        text = text_size(cell.width, self.style)
        place = picture.zoom, picture.center
        return Viewport(cell, self._bottom(cell), *place, self._stride, text)

    def _in_space(self) -> "Space":
        from wheatstone.viewer.display.screen.space import Space

        self._space = self._space or Space(self._framebuffer)
        return self._space

    def hit(self, x: float, y: float) -> Hit | None:
        """Return the image and the position in it at (x, y) in the picture drawn last.

        None between panes, outside, and where a 3D view shows no pixel of the image.
        """
        hit = self.drawn.hit(x, y)
        if not hit or not self.drawn.in_space(hit.pane):
            return hit
        number = self._framebuffer.number_at(math.floor(x), math.floor(y)) - 1
        height, width = self.drawn.arrangement.sizes[hit.pane]
        row, column = number // width + 0.5, number % width + 0.5
        place = (column / width, row / height)
        return Hit(hit.pane, row, column, place) if 0 <= number < width * height else None

    def _strip_heights(self, picture: Picture, width: int, height: int) -> tuple[int, int]:
        """Return the heights in pixels of caption and footer, for a picture of a given size."""
        below = len(footer(picture.bars, picture.legend, width, height, self.style))
        return caption_height(picture.caption, width, height - below, self.style), below

    @property
    def bars(self) -> list[tuple[Colorbar, Box]]:
        """The colour bars of the picture drawn last, each with the box of its coloured area."""
        picture, buffer = self.drawn.picture, self._framebuffer
        size = buffer.width, buffer.height
        return placed_bars(picture.bars, picture.legend, *size, self.style)

    def _draw_strip(self, layout: _Layout, name: str, strip: NDArray[np.uint8], top: int) -> None:
        from wheatstone.viewer.display.screen.painter import Layer, Painting

        known = layout.paintings.get(name)
        cell = known.cell if known else Cell(0, top, strip.shape[1], strip.shape[0])
        if self._uploaded.get(name) is not strip:  # the same until what it says changes
            self.upload_image(name, strip)
            self._uploaded[name] = strip
        self._strips[name].place(strip.shape[:2], cell, 1.0, (0.5, 0.5))
        if not known:
            layers, minified = [Layer(Pane(name), self._images[name])], self._strips[name].minified
            known = Painting(layers, cell, self._bottom(cell), minified)
            layout.paintings[name] = known
        self._painter.paint(known)

    def _bottom(self, cell: Cell) -> int:
        return self._framebuffer.height - cell.y - cell.height

    def _draw_cell(
        self, layout: _Layout, part: Picture, panes: tuple[Pane, ...], cell: Cell, number: int
    ) -> None:
        """Draw one cell of a picture: its images or 3D view, then outlines and pixel values."""
        place, size = self.drawn.picture, self._images[panes[0].image].shape[:2]
        self._placement.place((size[0], size[1]), cell, place.zoom, place.center)
        if part.cloud:
            self._in_space().draw(part, self._images, self._viewport(place, cell))
            return
        if number not in layout.paintings:
            layout.paintings[number] = self._painting(part, panes, cell, number)
        painting = layout.paintings[number]
        self._painter.paint(painting)
        self._draw_outlines(part, cell)
        if part.values:
            self._write_values(part, panes[: len(painting.layers)], cell, painting.mix)

    def _painting(
        self, part: Picture, panes: tuple[Pane, ...], cell: Cell, number: int
    ) -> "Painting":
        from wheatstone.viewer.display.screen.painter import Painting, hatching_at

        mix = part.mix
        difference = mix.differences[number] if mix and mix.differences else None
        if mix and mix.differences and not difference:
            panes, mix = panes[:1], None  # both show the same image
        layers = [self._layer(p, part if i == 0 else part.second) for i, p in enumerate(panes)]
        width, placed = self._images[panes[0].image].shape[1], self._placement
        hatching = hatching_at(placed.origin, width, self.style.scale)
        whole = layers, cell, self._bottom(cell), placed.minified
        return Painting(*whole, mix, difference, hatching)

    def _write_values(
        self, part: Picture, panes: tuple[Pane, ...], cell: Cell, mix: Mix | None
    ) -> None:
        from wheatstone.viewer.display.screen.pixel_values import PixelValues, ValueCell

        place = self.drawn.picture
        known: dict[Pane, ValueForm] = {}
        for picture in (part, part.second):
            if picture and picture.values:
                known |= dict(zip(picture.panes, picture.values, strict=True))
        if not known.keys() >= set(panes):
            return  # a view that stands in for what is still computed
        forms = tuple(known[pane] for pane in panes)
        differs = len(panes) > 1 and mix is not None and bool(mix.differences)
        bottom = self._bottom(cell)
        drawn = ValueCell(place, panes, forms, mix, cell, bottom, difference=differs)
        self._values = self._values or PixelValues()
        self._values.draw(drawn, self._images, self._framebuffer, self.style.scale)

    def _layer(self, pane: Pane, part: Picture | None) -> "Layer":
        from wheatstone.viewer.display.screen.painter import Layer

        overlay = self._images[part.overlay] if part and part.overlay else None
        truth = self._images[pane.truth] if pane.truth else None
        return Layer(pane, self._images[pane.image], overlay, truth)

    def _draw_outlines(self, part: Picture, cell: Cell) -> None:
        mixed = part.mix if part.second and part.mix and part.mix.way != "side-by-side" else None
        for second, drawn in enumerate((part, part.second if mixed else None)):
            if drawn and (drawn.boxes or drawn.region or drawn.row_lines):
                boxes = self._images[drawn.boxes] if drawn.boxes else None
                with self._painter.scissor(mixed, cell, self._bottom(cell), bool(second)):
                    self._outlines.draw(drawn, boxes, cell, self._placement.inside)

    def _arrangement(self, picture: Picture, width: int, height: int) -> Arrangement:
        shapes = [self._images[panes[0].image].shape for _, panes in picture.cells]
        sizes = tuple((shape[0], shape[1]) for shape in shapes)
        above, below = self._strip_heights(picture, width, height)
        size, place = (width, height - above - below), (picture.zoom, picture.center)
        return Arrangement(sizes, size, *place, above, stacked=bool(picture.stacked))

    def rearranged(self, width: int, height: int) -> Arrangement:
        """Return how the images of the picture drawn last would be arranged at another size."""
        above, below = self._strip_heights(self.drawn.picture, width, height)
        size = (width, height - above - below)
        return replace(self.drawn.arrangement, framebuffer=size, top=above)

    def fraction_per_pixel(self) -> tuple[float, float]:
        """Compute which fraction of an image a screen pixel covers, (x, y), in the last picture."""
        return self._placement.fraction_per_pixel()

    def read(self) -> NDArray[np.uint8]:
        """Copy the picture drawn last to the host: (H, W, 3), top row first."""
        return self._framebuffer.read()

    def grab(self, seconds: float) -> bool:
        """Start to copy the picture drawn last to the host in the background, with its time.

        Returns False while several copies are in progress.
        """
        from wheatstone.viewer.display.screen.readback import Readback

        self._readback = self._readback or Readback()
        drawn = self._framebuffer
        return self._readback.begin(drawn.number, drawn.width, drawn.height, seconds)

    def grabbed(self, *, wait: bool = False) -> list[tuple[NDArray[np.uint8], float]]:
        """Return complete grabbed pictures with their times: (H, W, 4) RGBA, bottom row first."""
        return self._readback.finished(wait=wait) if self._readback else []

    def blit(
        self, width: int, height: int, window: "Framebuffer | None" = None, x: int = 0, y: int = 0
    ) -> None:
        """Copy the picture drawn last to a window, and leave the window's framebuffer bound.

        Areas without a picture, and only these, get the background's colour: filling a whole window
        takes a GPU about as long as copying the picture.

        Args:
            width, height: size of the window's framebuffer, in pixels.
            window: that framebuffer; None: that of a window on screen, which only OpenGL can write.
            x, y: place of the picture's upper left corner, in pixels from the window's.
        """
        picture = self._framebuffer if self.drawn.picture.panes else None
        box = (0, 0, 0, 0)
        if picture:
            box = (x, height - y - picture.height, picture.width, picture.height)
        around = self.style.color(AROUND)
        self._painter.present(picture, box, window, (width, height), around)

    def close(self) -> None:
        for texture in self._images.values():
            texture.close()
        self._images.clear()
        self._painter.close()
        if self._unpacker:
            self._unpacker.close()
        self._outlines.close()
        for placement in (self._placement, *self._strips.values()):
            placement.close()
        if self._values:
            self._values.close()
        if self._space:
            self._space.close()
        if self._readback:
            self._readback.close()
        self._framebuffer.close()
