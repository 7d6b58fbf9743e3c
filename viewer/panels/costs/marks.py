"""Marks over the images: the probed pixel, and its possible match in the right view."""

from collections.abc import Sequence
from dataclasses import dataclass

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.display.picture.layout import Arrangement, Cell
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.costs.probe import is_second
from wheatstone.viewer.panels.panel import Area

ARM = 11  # pixels of a cross's arm, unscaled
GAP = 3  # pixels between its middle and the arms
PROBED, MATCH, CASING = Ink("on picture"), Ink("on picture too"), Ink("rim", 0.8)


@dataclass(frozen=True)
class MarkedPixel:
    """A pixel of the left view to mark, with its match and the searched range in the right view."""

    row: int
    column: int
    disparity: int
    searched: tuple[int, int]  # smallest and largest disparity


@dataclass(frozen=True)
class PixelMark:
    """The mark of a pixel in an image: its position, its size, and the line of searched pixels.

    Attributes:
        x, y: the pixel's middle, in pixels of the picture's area.
        size: the pixel's side on screen, in pixels.
        cell: the pane, to which the mark is clipped.
        matches: whether it is the pixel of the right view.
        line: both ends of the line of pixels searched for the match, x only; equal if there is
            none.
    """

    x: float
    y: float
    size: float
    cell: Cell
    matches: bool
    line: tuple[float, float]


def marks(
    arrangement: Arrangement,
    shown: Sequence[tuple[str, ...]],
    pipeline: Pipeline,
    pixel: MarkedPixel,
) -> list[PixelMark]:
    """Compute the marks of a pixel and of its match, in every image that shows either of them."""
    row, column = pixel.row, pixel.column
    listed = []
    for pane, (images, cell) in enumerate(zip(shown, arrangement.cells, strict=True)):
        for matches in (False, True):
            in_right = [is_second(pipeline, (name,)) for name in images]
            if matches not in in_right:
                continue
            at = column - pixel.disparity if matches else column
            x, y = arrangement.place(row + 0.5, at + 0.5, pane)
            size = arrangement.place(row, at + 1, pane)[0] - arrangement.place(row, at, pane)[0]
            ends = [arrangement.place(row, column - d + 0.5, pane)[0] for d in pixel.searched[::-1]]
            line = (ends[0], ends[1]) if matches else (x, x)
            listed.append(PixelMark(x, y, size, cell, matches, line))
    return listed


def draw_marks(listed: Sequence[PixelMark], area: Area, scale: float) -> None:
    """Draw the marks over the images, behind the panels."""
    canvas = imgui.get_background_draw_list()
    for mark in listed:
        left, top = area.x + mark.cell.x, area.y + mark.cell.y
        canvas.push_clip_rect((left, top), (left + mark.cell.width, top + mark.cell.height), True)
        for color, width in ((CASING, 3.5), (MATCH if mark.matches else PROBED, 1.5)):
            packed = imgui.color_convert_float4_to_u32(color)
            _draw_mark(mark, area, scale, packed, width * scale)
        canvas.pop_clip_rect()


def _draw_mark(mark: PixelMark, area: Area, scale: float, color: int, width: float) -> None:
    """Draw a mark: a cross, the line of the searched range, and a box around a large pixel."""
    canvas = imgui.get_background_draw_list()
    x, y, half = area.x + mark.x, area.y + mark.y, mark.size / 2
    near = max(half, GAP * scale)
    far = near + ARM * scale
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        canvas.add_line((x + dx * near, y + dy * near), (x + dx * far, y + dy * far), color, width)
    if half >= GAP * scale:
        canvas.add_rect((x - half, y - half), (x + half, y + half), color, 0.0, width)
    begin, end = (area.x + place for place in mark.line)
    for first, last in ((begin, x - far), (x + far, end)):
        if first < last:
            canvas.add_line((first, y), (last, y), color, width)
