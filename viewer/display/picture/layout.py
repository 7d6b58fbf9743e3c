"""Layout: where the images of a picture lie in a framebuffer.

Pure arithmetic, without OpenGL. Framebuffer pixels count from the top left; a pixel spans one unit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.state import FITTED

GAP = 8  # pixels between neighbouring panes
LARGEST = 8192  # longest side of a picture whose size nobody asked for, in pixels

Position = TypeVar("Position", float, NDArray[np.floating])
NEARLY = 1e-6  # a zoom as near as this to 1 fits the image
WEIGHT = 256  # of a texel that a pixel covers whole


@dataclass(frozen=True)
class Cell:
    """The rectangle of the framebuffer, in pixels, in which one image of a picture is drawn."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: float, y: float) -> bool:
        """Return whether a framebuffer position lies in this rectangle."""
        return 0 <= x - self.x < self.width and 0 <= y - self.y < self.height


def cells(panes: int, width: int, height: int, top: int = 0) -> list[Cell]:
    """Divide a framebuffer below ``top`` into equal rectangles, left to right with a gap."""
    each = max((width - GAP * (panes - 1)) // max(panes, 1), 0)
    return [Cell(pane * (each + GAP), top, each, height) for pane in range(panes)]


def stacked_cells(heights: Sequence[int], width: int, height: int, top: int = 0) -> list[Cell]:
    """Divide a framebuffer below ``top`` into stacked rectangles, in proportion to image heights.

    Images of one width then lie column under column.
    """
    room, stacked = max(height - GAP * (len(heights) - 1), 0), list[Cell]()
    for each in heights:
        stacked.append(Cell(0, top, width, room * each // sum(heights)))
        top += stacked[-1].height + GAP
    return stacked


def stacked_size(sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Compute width and height of a framebuffer for stacked images at one texel per pixel."""
    height = sum(each for each, _ in sizes) + GAP * (len(sizes) - 1)
    return natural_size(max(each for _, each in sizes), height, 1)


def natural_size(width: int, height: int, panes: int) -> tuple[int, int]:
    """Compute width and height of the framebuffer in which every texel is exactly one pixel.

    A picture longer than ``LARGEST`` on a side is shrunk to that.
    """
    whole = panes * width + GAP * (panes - 1)
    shrink = min(1.0, LARGEST / max(whole, height))
    return max(int(whole * shrink), 1), max(int(height * shrink), 1)


@dataclass(frozen=True)
class Axis:
    """The position and scale of an image along one side of its rectangle of the framebuffer.

    Attributes:
        texels: length of the image.
        scale: framebuffer pixels per texel.
        origin: pixel of the cell where the image begins; an integer, so that at scale 1 a texel is
            exactly a pixel, and panning moves the image by whole pixels.
    """

    texels: int
    scale: float
    origin: int

    def texel(self, pixel: Position) -> Position:
        """Convert a position in the rectangle to one in the image; both may be fractional."""
        return (pixel - self.origin) / self.scale

    def pixel(self, texel: Position) -> Position:
        """Convert a position in the image to one in the rectangle."""
        return texel * self.scale + self.origin


def axes(
    height: int, width: int, cell: Cell, zoom: float, center: tuple[float, float]
) -> tuple[Axis, Axis]:
    """Compute the position and scale of an image in a rectangle: axes of rows and columns.

    Args:
        height, width: of the image.
        zoom: 1 shows the whole image as large as the cell allows, its aspect ratio kept.
        center: the point in the middle of the cell, in fractions of the image (x, y).
    """
    scale = zoom * min(cell.width / width, cell.height / height)
    x, y = center
    return (
        Axis(height, scale, math.floor(cell.height / 2 - y * height * scale + 0.5)),
        Axis(width, scale, math.floor(cell.width / 2 - x * width * scale + 0.5)),
    )


@dataclass(frozen=True)
class Hit:
    """The image, and the position in it, that lies at a position in the framebuffer.

    Attributes:
        row, column: position in the image, in texels; out of its bounds if outside the image.
        fraction: the same position in fractions of the image (x, y).
    """

    pane: int
    row: float
    column: float
    fraction: tuple[float, float]


@dataclass(frozen=True)
class Arrangement:
    """The arrangement of a picture's images in a framebuffer.

    Attributes:
        sizes: height and width of every pane's image.
        framebuffer: width and height of the part of the framebuffer that holds panes.
        zoom, center: as for ``axes``.
        top: pixels above that part.
        stacked: whether panes lie one above the other, not side by side.
    """

    sizes: tuple[tuple[int, int], ...]
    framebuffer: tuple[int, int]
    zoom: float = 1.0
    center: tuple[float, float] = (0.5, 0.5)
    top: int = 0
    stacked: bool = False

    @property
    def cells(self) -> list[Cell]:
        """List the rectangles of the images, from the left, or from the top."""
        if self.stacked:
            return stacked_cells([height for height, _ in self.sizes], *self.framebuffer, self.top)
        return cells(len(self.sizes), *self.framebuffer, self.top)

    def hit(self, x: float, y: float) -> Hit | None:
        """Return the image and the position in it at (x, y); None where no image is."""
        for pane, cell in enumerate(self.cells):
            if cell.holds(x, y):
                return self.position(x, y, pane)
        return None

    def visible(self, pane: int) -> tuple[slice, slice]:
        """Return the rows and columns of an image that lie at least partly in its rectangle."""
        cell, (height, width) = self.cells[pane], self.sizes[pane]
        rows, columns = axes(height, width, cell, self.zoom, self.center)
        return texels_under(rows, cell.height), texels_under(columns, cell.width)

    def position(self, x: float, y: float, pane: int) -> Hit:
        """Return the position in an image at (x, y), even beyond the visible part of the image."""
        cell = self.cells[pane]
        height, width = self.sizes[pane]
        rows, columns = axes(height, width, cell, self.zoom, self.center)
        row, column = rows.texel(y - cell.y), columns.texel(x - cell.x)
        return Hit(pane, row, column, (column / width, row / height))

    @property
    def margins(self) -> tuple[int, int]:
        """Return width and height in pixels that remain empty around fitted images."""
        free = []
        for cell, (height, width) in zip(self.cells, self.sizes, strict=True):
            scale = min(cell.width / width, cell.height / height)
            free.append((cell.width - scale * width, cell.height - scale * height))
        across, down = (int(min(lengths)) for lengths in zip(*free, strict=True))
        return (across, down * len(free)) if self.stacked else (across * len(free), down)

    def place(self, row: float, column: float, pane: int) -> tuple[float, float]:
        """Return the framebuffer position (x, y) of an image position; inverse of ``position``."""
        cell = self.cells[pane]
        rows, columns = axes(*self.sizes[pane], cell, self.zoom, self.center)
        return cell.x + columns.pixel(column), cell.y + rows.pixel(row)


Place = tuple[float, float]


def holding(
    old: Arrangement, new: Arrangement, panes: tuple[int, int], place: Place, at: Place
) -> tuple[float, Place]:
    """Return the zoom and centre that keep an image in place when the layout of images changes.

    Args:
        panes: the panes in the old and in the new arrangement, of images of one size.
        place: row and column of the image point that stays.
        at: its position (x, y) in the new framebuffer.
    """
    height, width = new.sizes[panes[1]]
    _, columns = axes(*old.sizes[panes[0]], old.cells[panes[0]], old.zoom, old.center)
    cell, scale = new.cells[panes[1]], columns.scale
    zoom = scale / min(cell.width / width, cell.height / height)
    x = (cell.width / 2 - (at[0] - cell.x - place[1] * scale)) / (width * scale)
    y = (cell.height / 2 - (at[1] - cell.y - place[0] * scale)) / (height * scale)
    distance = max(abs(x - 0.5) * width, abs(y - 0.5) * height) * scale
    if abs(zoom - 1.0) < NEARLY and distance <= 1.0:  # the picture was fitted before
        return FITTED
    return zoom, (x, y)


def texels_under(axis: Axis, pixels: int) -> slice:
    """Return the range of image texels that lie under a rectangle's first ``pixels`` pixels."""
    first = min(max(math.floor(axis.texel(0.0)), 0), axis.texels)
    last = min(max(math.ceil(axis.texel(float(pixels))), first), axis.texels)
    return slice(first, last)


def footprints(axis: Axis, pixels: int) -> NDArray[np.int32]:
    """Compute which texels lie under each of the first ``pixels`` rows or columns.

    A minified image has several texels under a pixel, the outer ones perhaps in part. Shaders look
    texels up in these tables, so that every driver draws the same bytes.

    Returns:
        (pixels, 4): the texel under the middle of the pixel, -1 outside the image; the first and
        the last texel under the pixel; the weights of these two, the last's times 65536 and without
        meaning if it is the first. Texels between weigh ``WEIGHT``.
        In a magnified image first and last are the one in the middle.
    """
    edges = axis.texel(np.arange(pixels + 1, dtype=np.float64))
    middle = np.floor(axis.texel(np.arange(pixels) + 0.5))
    inside = (middle >= 0) & (middle < axis.texels)
    table = np.full((pixels, 4), -1, np.int64)
    if axis.scale >= 1:
        first = last = middle
        first_weight = last_weight = np.full(pixels, WEIGHT)
    else:
        first = np.maximum(np.floor(edges[:-1]), 0)
        last = np.minimum(np.ceil(edges[1:]) - 1, axis.texels - 1)
        first_weight = _weight(first + 1 - np.maximum(edges[:-1], 0))
        last_weight = _weight(np.minimum(edges[1:], axis.texels) - last)
    columns = (middle, first, last, first_weight + 65536 * last_weight)
    table[inside] = np.stack(columns, 1)[inside]
    return table.astype(np.int32)


def inside(table: NDArray[np.int32]) -> tuple[int, int]:
    """Return the first and last pixel that show the image, given ``footprints``; else (0, -1)."""
    shown = np.flatnonzero(table[:, 0] >= 0)
    return (int(shown[0]), int(shown[-1])) if len(shown) else (0, -1)


def _weight(covered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert the covered fraction of texels, 0..1, to integer weights of 1 to ``WEIGHT``."""
    return np.maximum(np.rint(covered * WEIGHT), 1)
