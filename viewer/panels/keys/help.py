"""The help over the picture: all keys by heading, the gestures of the mouse, and the variants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from wheatstone.gpu.pipeline import View
from wheatstone.viewer.choices.mixing import WIPES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer, keys_shown
from wheatstone.viewer.panels.keys.actions import grouped
from wheatstone.viewer.panels.popups import HINTS, TITLE
from wheatstone.viewer.panels.status import bar_height
from wheatstone.viewer.panels.widgets import AMBER, KEY_BLUE, bare_window, begin_table, next_row
from wheatstone.viewer.words import spoken

KEYS, WORDS = 6.2, 17.0  # widths of the keys in a column and of their help, in font sizes
COLUMN = 25.6  # width of a column: keys, help and what lies between
LARGEST_COLUMNS = 4
LETTERS = 40  # about as many letters fit in a line of the help


MENU = ("right click", "menu of the pixel")


def mouse_actions(view: View, *, wipes: bool = False) -> tuple[tuple[str, str], ...]:
    """List mouse gestures in a view and their effects; ``wipes``: a seam divides A and B."""
    seam = [("drag the seam", "move it")] if wipes else []
    if view.cloud:
        return (
            ("drag", "turn the points"),
            ("mouse wheel", "move nearer or farther"),
            *seam,
            ("Shift+drag, right drag", "move the picture"),
            ("double click", "reset view"),
            MENU,
        )
    wheel = [("mouse wheel", "zoom at the cursor"), *seam]
    measures = (
        ("click", "pin values of a pixel, or remove pin"),
        MENU,
        ("Ctrl+click", "measure from a pixel, then to another"),
        ("Ctrl+Shift+click", "add pixel to inspector's table, or remove it"),
        ("Ctrl+drag", "measure in a rectangle"),
    )
    if not view.region:
        return (*wheel, ("drag", "move the picture"), *measures)
    region = spoken(view.region)
    return (
        *wheel,
        ("drag on the left image", f"draw the {region}"),
        ("Shift+drag, right drag", "move the picture"),
        *measures,
    )


@dataclass(frozen=True)
class HelpGroup:
    """A group of rows of the help under one heading: keys or gestures, with their function."""

    title: str
    rows: tuple[tuple[str, str], ...]

    @cached_property  # columns are tried by the hundred
    def lines(self) -> int:
        """Estimate the number of lines of the help group, with its heading and a gap."""
        return 2 + sum(max(-(-len(help) // LETTERS), 1) for _, help in self.rows)


def help_groups(state: ViewerState) -> tuple[HelpGroup, ...]:
    """Return the groups of the help text: first steps, keys, mouse, variants."""
    pipeline = state.slot.pipeline
    keys = [
        HelpGroup(title, tuple((action.shown_keys, action.help) for action in actions))
        for title, actions in grouped(pipeline, served=state.served).items()
        if keys_shown(title)
    ]
    gestures = mouse_actions(state.view, wipes=state.mixing.mode in WIPES)
    named = ((for_pointer(gesture), help) for gesture, help in gestures)
    mouse = HelpGroup(for_pointer("Mouse"), tuple(row for row in named if row[0]))
    variants = tuple(
        (f"{number}", f"{variant.name}: {variant.help}")
        for number, variant in enumerate(pipeline.offered, 1)
    )
    first = (HelpGroup(TITLE, HINTS),) if keys else ()
    return (*first, *keys, mouse, HelpGroup(f"Variants of {pipeline.name}", variants))


def in_columns(groups: Sequence[HelpGroup], columns: int) -> list[list[HelpGroup]]:
    """Distribute groups of help rows over columns in order, so that the longest is shortest."""
    lengths = sorted(
        {
            sum(group.lines for group in groups[first:last])
            for first, last in combinations(range(len(groups) + 1), 2)
        }
    )
    fits = (filled for most in lengths if len(filled := _filled(groups, most)) <= columns)
    return next(fits, [])


def _filled(groups: Sequence[HelpGroup], most: int) -> list[list[HelpGroup]]:
    """Fill columns with groups, up to ``most`` lines each; a longer group gets its own column."""
    columns: list[list[HelpGroup]] = []
    for group in groups:
        if not columns or sum(other.lines for other in columns[-1]) + group.lines > most:
            columns.append([])
        columns[-1].append(group)
    return columns


def draw_help(state: ViewerState, scale: float) -> None:
    """Draw the help over everything except the status line; it scrolls if it does not fit."""
    screen, letter = imgui.get_io().display_size, imgui.get_font_size()
    style = imgui.get_style()
    each = COLUMN * letter + 2 * style.cell_padding.x
    room = screen.x - 2 * style.window_padding.x - style.scrollbar_size
    columns = max(min(int(room / each), LARGEST_COLUMNS), 1)
    lacks = max(each - room, 0.0)  # on a phone
    imgui.set_next_window_pos((0, 0))
    imgui.set_next_window_size((screen.x, screen.y - bar_height(state, scale)))
    imgui.set_next_window_focus()
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.begin("help", None, bare_window() & ~int(imgui.WindowFlags_.no_scrollbar))
    imgui.pop_style_var()
    imgui.indent(max((room - columns * each) / 2, 1.0))
    filled = in_columns(help_groups(state), columns)
    widths = dict.fromkeys(map(str, range(len(filled))), COLUMN * letter - lacks)
    if begin_table("columns", widths, imgui.TableFlags_.sizing_fixed_fit):
        imgui.table_next_row()
        for groups in filled:
            imgui.table_next_column()
            for group in groups:
                _draw_group(group, WORDS * letter - lacks)
        imgui.end_table()
    imgui.end()


def _draw_group(group: HelpGroup, width: float) -> None:
    """Draw one group of the help; ``width`` is that of the right column, in pixels."""
    letter = imgui.get_font_size()
    imgui.text_colored(AMBER, group.title)
    widths = {"keys": KEYS * letter, "help": width}
    if begin_table(group.title, widths, imgui.TableFlags_.sizing_fixed_fit):
        for keys, help in group.rows:
            next_row()
            imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + KEYS * letter)
            imgui.text_colored(KEY_BLUE, keys)
            imgui.pop_text_wrap_pos()
            imgui.table_next_column()
            imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + width)
            imgui.text(help)
            imgui.pop_text_wrap_pos()
        imgui.end_table()
    imgui.spacing()
