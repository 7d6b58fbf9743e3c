"""Draw source text in an ImGui window: one listing, or two beside each other."""

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


@dataclass
class SourceView:
    """What is drawn of the rows given, and where it is scrolled to.

    Attributes:
        rows: with lines on the right only if there are two listings.
        longest: characters of the longest line.
    """

    rows: Sequence[LinePair] = ()
    two: bool = False
    longest: int = 0
    _goal: int | None = None  # row to scroll to in the next frame
    _colors: dict[object, int] = field(default_factory=dict)

    def show(self, rows: Sequence[LinePair], two: bool, longest: int, entry: int) -> None:
        """Draw other rows from now on, from a little above row ``entry`` on."""
        self.rows, self.two, self.longest, self._goal = rows, two, longest, max(entry - 3, 0)

    def draw(self, font_size: float) -> None:
        """Fill what is left of the window."""
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
        self._draw_rows(character, height, column)
        imgui.end_child()
        imgui.pop_style_color()
        imgui.pop_font()

    def _draw_rows(self, character: float, height: float, column: float) -> None:
        """Draw the rows that are seen."""
        from imgui_bundle import imgui

        corner, size = imgui.get_window_pos(), imgui.get_window_size()
        scroll_x, scroll_y = imgui.get_scroll_x(), imgui.get_scroll_y()
        first = int(scroll_y / height)
        last = min(first + int(size.y / height) + 2, len(self.rows))
        for side in range(2 if self.two else 1):
            x = corner.x + side * column
            imgui.push_clip_rect((x, corner.y), (x + column, corner.y + size.y), True)
            for index in range(first, last):
                row, y = self.rows[index], corner.y + index * height - scroll_y
                self._draw_gutter(row, side, x, y, character, column, height)
            text = x + GUTTER * character
            imgui.push_clip_rect((text, corner.y), (x + column, corner.y + size.y), True)
            for index in range(first, last):
                row, y = self.rows[index], corner.y + index * height - scroll_y
                self._draw_line(row.right if side else row.left, text - scroll_x, y)
            imgui.pop_clip_rect()
            if side:
                edge = self._color(EDGE)
                imgui.get_window_draw_list().add_line((x, corner.y), (x, corner.y + size.y), edge)
            imgui.pop_clip_rect()

    def _draw_gutter(
        self,
        row: LinePair,
        side: int,
        x: float,
        y: float,
        character: float,
        width: float,
        height: float,
    ) -> None:
        from imgui_bundle import imgui

        line, drawn = (row.right if side else row.left), imgui.get_window_draw_list()
        if line is None:
            return
        if row.mark != " ":
            tint = self._color(TINTS[row.mark])
            drawn.add_rect_filled((x, y), (x + width, y + height), tint)
            drawn.add_text((x + character / 2, y), self._color(MARKS[row.mark]), row.mark)
        if line.number:
            number = f"{line.number:5d}"
            drawn.add_text((x + character, y), self._color(NUMBER), number)

    def _draw_line(self, line: SourceLine | None, x: float, y: float) -> None:
        from imgui_bundle import imgui

        if line is None:
            return
        drawn = imgui.get_window_draw_list()
        if not line.number:
            drawn.add_text((x, y), self._color(HEADING), line.text)
        for kind, text in line.parts:
            drawn.add_text((x, y), self._color(COLORS[kind]), text)

    def _color(self, color: tuple[float, ...]) -> int:
        """A colour as ImGui packs it."""
        from imgui_bundle import imgui

        if color not in self._colors:
            red, green, blue, *alpha = color
            packed = imgui.get_color_u32((red, green, blue, alpha[0] if alpha else 1.0))
            self._colors[color] = packed
        return self._colors[color]
