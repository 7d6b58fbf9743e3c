"""Source text on screen: one listing, or two beside each other, in a child window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viewer.panels.kernels.listing import Kind, SourceLine
from viewer.panels.kernels.side_by_side import LinePair
from viewer.screen.overlay import monospace

GUTTER = 7  # characters: a mark, the line's number, a space
COLORS: Mapping[Kind, tuple[float, float, float]] = {
    "text": (0.86, 0.86, 0.87),
    "keyword": (0.53, 0.75, 0.98),
    "builtin": (0.98, 0.78, 0.45),
    "string": (0.80, 0.85, 0.55),
    "comment": (0.56, 0.60, 0.63),
    "directive": (0.85, 0.65, 0.90),
}
BACKGROUND = (0.06, 0.06, 0.07, 1.0)
NUMBER, HEADING, EDGE = (0.45, 0.47, 0.50), (0.55, 0.80, 1.00), (1.0, 1.0, 1.0, 0.14)
# Blue, orange and yellow lie apart for every kind of colour vision; the mark says it once more.
TINTS = {"-": (0.95, 0.55, 0.10, 0.20), "+": (0.15, 0.50, 1.00, 0.24), "~": (0.95, 0.9, 0.3, 0.13)}
MARKS = {"-": (1.0, 0.70, 0.35), "+": (0.50, 0.75, 1.00), "~": (0.95, 0.9, 0.45)}


@dataclass(frozen=True)
class TextGrid:
    """The grid that source code is written on, in pixels.

    Attributes:
        character: width of a character.
        height: of a row.
        width: of one listing.
    """

    character: float
    height: float
    width: float


@dataclass
class SourceView:
    """A scrolled view of source code.

    Attributes:
        rows: of code, with lines on the right only if there are two listings.
        two: whether there are two listings.
        longest: characters of the longest line.
    """

    rows: Sequence[LinePair] = ()
    two: bool = False
    longest: int = 0
    _goal: int | None = None  # row to scroll to in the next frame
    _colors: dict[object, int] = field(default_factory=dict)

    def show(self, rows: Sequence[LinePair], two: bool, longest: int, entry: int) -> None:
        """Draw other rows from now on, scrolled to a little above row ``entry``."""
        self.rows, self.two, self.longest, self._goal = rows, two, longest, max(entry - 3, 0)

    def draw(self, font_size: float) -> None:
        """Draw the code in what is left of the window.

        Args:
            font_size: in pixels.
        """
        from imgui_bundle import imgui

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
        """Draw the rows that are in sight, and of two listings the line between them."""
        from imgui_bundle import imgui

        corner, size = imgui.get_window_pos(), imgui.get_window_size()
        first = int(imgui.get_scroll_y() / grid.height)
        last = min(first + int(size.y / grid.height) + 2, len(self.rows))
        for side in range(2 if self.two else 1):
            x = corner.x + side * grid.width
            imgui.push_clip_rect((x, corner.y), (x + grid.width, corner.y + size.y), True)
            self._draw_side(side, x, range(first, last), grid)
            if side:
                edge = self._color(EDGE)
                imgui.get_window_draw_list().add_line((x, corner.y), (x, corner.y + size.y), edge)
            imgui.pop_clip_rect()

    def _draw_side(self, side: int, x: float, rows: range, grid: TextGrid) -> None:
        """Draw some rows of one listing: their gutters, then their text, which scrolls across.

        Args:
            side: 0 for the listing on the left, 1 for the one on the right.
            x: left border of the listing, in pixels of the screen.
            rows: indices of the rows.
        """
        from imgui_bundle import imgui

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
        self, line: SourceLine | None, mark: str, place: tuple[float, float], grid: TextGrid
    ) -> None:
        """Draw a line's number, and of a line that differs its mark and a tint behind it."""
        from imgui_bundle import imgui

        if line is None:
            return
        (x, y), canvas = place, imgui.get_window_draw_list()
        if mark != " ":
            tint = self._color(TINTS[mark])
            canvas.add_rect_filled(place, (x + grid.width, y + grid.height), tint)
            canvas.add_text((x + grid.character / 2, y), self._color(MARKS[mark]), mark)
        if line.number:
            canvas.add_text((x + grid.character, y), self._color(NUMBER), f"{line.number:5d}")

    def _draw_line(self, line: SourceLine | None, x: float, y: float) -> None:
        """Draw a line's text, each kind of words in its colour."""
        from imgui_bundle import imgui

        if line is None:
            return
        canvas = imgui.get_window_draw_list()
        if not line.number:
            canvas.add_text((x, y), self._color(HEADING), line.text)
        for kind, text in line.parts:
            canvas.add_text((x, y), self._color(COLORS[kind]), text)

    def _color(self, color: tuple[float, ...]) -> int:
        """Pack a colour into a number, as ImGui's draw lists take it."""
        from imgui_bundle import imgui

        if color not in self._colors:
            red, green, blue, *alpha = color
            packed = imgui.get_color_u32((red, green, blue, alpha[0] if alpha else 1.0))
            self._colors[color] = packed
        return self._colors[color]
