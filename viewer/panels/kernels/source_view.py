"""Drawing of source code in a child window: one listing, or two side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.overlay import monospace
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.kernels.kernel_card import LinePair
from wheatstone.viewer.panels.kernels.listing import Kind, ListingLine

GUTTER = 7  # characters: a mark, the line's number, a space
COLORS: Mapping[Kind, Ink] = {kind: Ink(f"code {kind}") for kind in get_args(Kind)}
BACKGROUND = Ink("code")
NUMBER, HEADING, EDGE = Ink("code number"), Ink("code heading"), Ink("separator")
CHANGES = {"-": "gone", "+": "new", "~": "changed"}
TINTS = {mark: Ink(f"code {name}") for mark, name in CHANGES.items()}
MARKS = {mark: Ink(f"code {name} mark") for mark, name in CHANGES.items()}


@dataclass(frozen=True)
class TextGrid:
    """The size in pixels of a character, a line and a column of source code."""

    character: float
    height: float
    width: float


@dataclass
class SourceView:
    """A scrollable view of source code.

    Attributes:
        rows: of code, with lines on the right only if there are two listings.
        longest: characters of the longest line.
    """

    rows: Sequence[LinePair] = ()
    two: bool = False
    longest: int = 0
    _goal: int | None = None  # row to scroll to in the next frame

    def show(self, rows: Sequence[LinePair], two: bool, longest: int, entry: int) -> None:
        """Replace the rows of code, and scroll to a few rows above row ``entry``."""
        self.rows, self.two, self.longest, self._goal = rows, two, longest, max(entry - 3, 0)

    def draw(self, font_size: float) -> None:
        """Draw the code in the free part of the window; ``font_size`` is in pixels at scale 1."""
        imgui.push_font(monospace(), font_size)
        character, height = imgui.calc_text_size("0").x, imgui.get_text_line_height() + 2
        inside = imgui.get_content_region_avail().x - imgui.get_style().scrollbar_size
        column = inside / 2 if self.two else inside
        more = max((self.longest + GUTTER + 1) * character - column, 0.0)
        imgui.set_next_window_content_size((inside + more, len(self.rows) * height))
        bars = imgui.WindowFlags_.horizontal_scrollbar
        imgui.push_style_color(imgui.Col_.child_bg, BACKGROUND)
        imgui.begin_child("source", (0, 0), imgui.ChildFlags_.borders, bars)
        if self._goal is not None:
            imgui.set_scroll_y(self._goal * height)
            self._goal = None
        self._draw_rows(TextGrid(character, height, column))
        imgui.end_child()
        imgui.pop_style_color()
        imgui.pop_font()

    def _draw_rows(self, grid: TextGrid) -> None:
        """Draw the visible rows of code, and the line between two listings."""
        corner, size = imgui.get_window_pos(), imgui.get_window_size()
        first = int(imgui.get_scroll_y() / grid.height)
        last = min(first + int(size.y / grid.height) + 2, len(self.rows))
        for side in range(2 if self.two else 1):
            x = corner.x + side * grid.width
            imgui.push_clip_rect((x, corner.y), (x + grid.width, corner.y + size.y), True)
            self._draw_side(side, x, range(first, last), grid)
            if side:
                edge = imgui.get_color_u32(EDGE)
                imgui.get_window_draw_list().add_line((x, corner.y), (x, corner.y + size.y), edge)
            imgui.pop_clip_rect()

    def _draw_side(self, side: int, x: float, rows: range, grid: TextGrid) -> None:
        """Draw rows of the left (0) or right (1) listing: the gutters, then the scrolled code."""
        corner, size = imgui.get_window_pos(), imgui.get_window_size()
        scroll_x, scroll_y = imgui.get_scroll_x(), imgui.get_scroll_y()
        for index in rows:
            row, y = self.rows[index], corner.y + index * grid.height - scroll_y
            self._draw_gutter(row.right if side else row.left, row.mark, (x, y), grid)
        text = x + GUTTER * grid.character
        imgui.push_clip_rect((text, corner.y), (x + grid.width, corner.y + size.y), True)
        for index in rows:
            row, y = self.rows[index], corner.y + index * grid.height - scroll_y
            self._draw_line(row.right if side else row.left, text - scroll_x, y)
        imgui.pop_clip_rect()

    def _draw_gutter(
        self, line: ListingLine | None, mark: str, place: tuple[float, float], grid: TextGrid
    ) -> None:
        if line is None:
            return
        (x, y), canvas = place, imgui.get_window_draw_list()
        if mark != " ":
            tint = imgui.get_color_u32(TINTS[mark])
            canvas.add_rect_filled(place, (x + grid.width, y + grid.height), tint)
            canvas.add_text((x + grid.character / 2, y), imgui.get_color_u32(MARKS[mark]), mark)
        if line.number:
            canvas.add_text(
                (x + grid.character, y), imgui.get_color_u32(NUMBER), f"{line.number:5d}"
            )

    def _draw_line(self, line: ListingLine | None, x: float, y: float) -> None:
        if line is None:
            return
        canvas = imgui.get_window_draw_list()
        if not line.number:
            canvas.add_text((x, y), imgui.get_color_u32(HEADING), line.text)
        for kind, text in line.parts:
            canvas.add_text((x, y), imgui.get_color_u32(COLORS[kind]), text)
