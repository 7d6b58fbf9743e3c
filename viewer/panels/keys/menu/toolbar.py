"""The toolbar: the most used commands as icons and lists, each also a line of a menu."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import likeness
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import keys_shown
from wheatstone.viewer.panels.keys.action import MenuItem
from wheatstone.viewer.panels.keys.menu.drawing import (
    LIST,
    MenuPictures,
    draw_items,
    explain,
    is_narrow,
    label,
)
from wheatstone.viewer.panels.keys.menu.items import every
from wheatstone.viewer.panels.status_words import in_place
from wheatstone.viewer.panels.widgets import INKS, QUIET, clipped, text_width

OPEN, BACK, PLAY, PAUSE, FORWARD = "\uf07c", "\uf048", "\uf04b", "\uf04c", "\uf051"
CHECK, SHOT, RECORD, PANELS, HELP = "\uf058", "\uf030", "\uf111", "\uf0db", "\uf059"
FIGURE = "\uf1c1"
"""Characters of the font of icons."""
SIDE_BY_SIDE, DIFFERENCE = "Side-by-side", "Difference"
"""Modes of comparison that have a button, which is named as in the list of them all."""
OF_A = ("variant", "preset")
"""The lists that change A only, and say so while there is a B."""
MORE, MORE_WIDTH = "\uf141", 2.0
"""The character of the menu of tools that find no room, and its width in heights of a letter."""


@dataclass(frozen=True)
class Tool:
    """An icon or a drop-down list in the toolbar.

    Attributes:
        key: of the line in the menus that it runs; empty for a list.
        icon: its character in the font of icons, or a short text.
        lists: the list that it opens, such as ``pipeline``; empty for a tool with a key.
        more: the text of a list whose most used entries have tools of their own, while one of
            these is chosen; such a list has no name before it.
        width: in heights of a letter, whatever it shows, so that no other tool moves.
    """

    key: str = ""
    icon: str = ""
    lists: str = ""
    more: str = ""
    width: float = 1.9

    @property
    def name(self) -> str:
        """Return the name drawn before a drop-down list; empty if none is drawn."""
        return "" if self.icon or self.more else self.lists


TOOLS: tuple[tuple[Tool, ...], ...] = (
    (Tool("Ctrl+O", OPEN),),
    (Tool(",", BACK), Tool("Space", PLAY), Tool(".", FORWARD)),
    (
        Tool(lists="pipeline", width=5.5),
        Tool(lists="variant", width=7.5),
        Tool(lists="preset", width=7.5),
        Tool(lists="view", width=7.5),
    ),
    (
        Tool("C", SIDE_BY_SIDE, width=5.8),
        Tool("D", DIFFERENCE, width=4.9),
        Tool(lists="comparison", more="More", width=5.0),
        Tool("E", CHECK),
    ),
    (
        *(Tool("S", SHOT), Tool("Ctrl+Shift+S", FIGURE), Tool("Ctrl+R", RECORD)),
        *(Tool(icon=PANELS, lists="Panels"), Tool("H", HELP)),
    ),
)
"""The toolbar from left to right, in groups with a gap between them."""


@dataclass(frozen=True)
class Placed:
    """A button or list of the toolbar, with the menu line that does the same."""

    tool: Tool
    item: MenuItem


def tools(menus: Mapping[str, tuple[MenuItem, ...]]) -> list[list[Placed]]:
    """Return the groups of tools with their menu lines; tools without a menu line are omitted."""
    lines = {key: item for items in menus.values() for item in every(items) for key in item.keys}
    lists = {name: MenuItem(name, items=items) for name, items in menus.items()}
    within = (item for items in menus.values() for item in items if item.items)
    lists |= {item.name.removeprefix("choose "): item for item in within}
    groups = []
    for group in TOOLS:
        asked = ((tool, lists.get(tool.lists) or lines.get(tool.key)) for tool in group)
        groups.append([Placed(tool, item) for tool, item in asked if item])
    return [group for group in groups if group]


def text_of(placed: Placed, state: ViewerState) -> str:
    """Return the text of a tool: its icon, or the value chosen in its list."""
    tool, item = placed.tool, placed.item
    if tool.icon:
        return PAUSE if tool.icon == PLAY and not state.paused else tool.icon
    chosen = next((line.name for line in item.items if line.ticked), "")
    if tool.more and chosen.capitalize() in ("Off", SIDE_BY_SIDE, DIFFERENCE):
        return tool.more
    if tool.lists == "preset":
        chosen = str(likeness(state, state.slot))
    if tool.lists == "view":
        chosen = in_place(state) or chosen
    return f"A: {chosen}" if tool.lists in OF_A and state.mixing.uses_b else chosen


def draw_toolbar(
    state: ViewerState,
    menus: Mapping[str, tuple[MenuItem, ...]],
    pictures: MenuPictures,
    *,
    recording: bool = False,
) -> bool:
    """Draw the toolbar in the current Dear ImGui window; return whether one of its lists is open.

    Where the window is too narrow, names of lists are omitted, then the last tools are lines of
    a menu at the right end.
    """
    groups = tools(menus)
    room, gap = imgui.get_content_region_avail().x, imgui.get_font_size()
    named = _width(groups, gap, named=True) <= room
    opened, right = False, imgui.get_cursor_pos_x() + room
    more = gap + MORE_WIDTH * imgui.get_font_size()
    if _width(groups, gap, named=False) > room:
        right -= more
    begins, drawn = True, list[Placed]()
    for group in groups:
        for number, placed in enumerate(group):
            space = gap if not number else gap / 3
            at = imgui.get_cursor_pos_x()
            if not begins:
                imgui.same_line(0, space)
                at = imgui.get_cursor_pos_x()
            if at + _tool_width(placed, named=named) > right:
                hidden = [each for each in chain(*groups) if each not in drawn]
                return _draw_more(state, hidden, pictures) or opened
            lists = _draw_tool(state, placed, pictures, named=named, recording=recording)
            opened = lists or opened
            begins = False
            drawn.append(placed)
    return opened


def _draw_more(state: ViewerState, hidden: list[Placed], pictures: MenuPictures) -> bool:
    """Draw the menu of the tools that do not fit into the window; return whether it is open."""
    if imgui.button(f"{MORE}###more", (MORE_WIDTH * imgui.get_font_size(), 0.0)):
        imgui.open_popup("list")
    explain(MenuItem("more", help="more tools"), at_right=False)
    return _draw_list(state, MenuItem("more", items=tuple(each.item for each in hidden)), pictures)


def _width(groups: Iterable[list[Placed]], gap: float, *, named: bool) -> float:
    """Return the width of the toolbar in pixels."""
    widths = [_tool_width(placed, named=named) for group in groups for placed in group]
    gaps = sum(gap + (len(group) - 1) * gap / 3 for group in groups)
    return sum(widths) + gaps


def _tool_width(placed: Placed, *, named: bool) -> float:
    """Return the width of a tool in pixels, with the name before its list if ``named``."""
    width = placed.tool.width * imgui.get_font_size()
    if named and placed.tool.name:
        width += imgui.calc_text_size(placed.tool.name).x + imgui.get_font_size() / 3
    return float(width)


def _draw_tool(
    state: ViewerState, placed: Placed, pictures: MenuPictures, *, named: bool, recording: bool
) -> bool:
    """Draw a tool, which runs its command or opens its list; return whether the list is open."""
    tool, item = placed.tool, placed.item
    if named and tool.name:
        imgui.align_text_to_frame_padding()
        imgui.text_colored(QUIET, tool.name)
        imgui.same_line(0, imgui.get_font_size() / 3)
    imgui.push_id(tool.key or tool.lists)
    imgui.begin_disabled(bool(item.why_not))
    lit = item.ticked and bool(tool.key) and tool.icon != PLAY
    if lit:
        color = imgui.get_style_color_vec4(imgui.Col_.button_active)
        imgui.push_style_color(imgui.Col_.button, color)
    if red := recording and tool.icon == RECORD:
        imgui.push_style_color(imgui.Col_.text, INKS["error"])
    pressed = _button(tool, text_of(placed, state))
    imgui.pop_style_color(lit + red)
    imgui.end_disabled()
    explain(_with_tooltip(placed), at_right=False)
    if pressed and tool.key:
        item.run(state)
    elif pressed:
        imgui.open_popup("list")
    opened = _draw_list(state, item, pictures) if tool.lists else False
    imgui.pop_id()
    return opened


def _button(tool: Tool, text: str) -> bool:
    """Draw a button as wide as the tool, with its text cut to fit; return whether it is pressed."""
    letter, padding = imgui.get_font_size(), imgui.get_style().frame_padding.x
    size = (tool.width * letter, 0.0)
    if tool.icon:
        return bool(imgui.button(text, size))
    mark = text_width(LIST)
    shown = clipped(text, size[0] - mark - 3 * padding, text_width)
    imgui.push_style_var(imgui.StyleVar_.button_text_align, (0.0, 0.5))
    pressed = imgui.button(f"{shown}###list", size)
    imgui.pop_style_var()
    corner, end = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    place = (end.x - mark - padding, corner.y + imgui.get_style().frame_padding.y)
    imgui.get_window_draw_list().add_text(place, imgui.get_color_u32(imgui.Col_.text), LIST)
    return bool(pressed)


def _with_tooltip(placed: Placed) -> MenuItem:
    """Copy a tool's menu line with a tooltip: the tool's function and its keys."""
    item = placed.item
    within = [line.keys[0] for line in item.items if line.keys]  # of a list, first and last
    keys = keys_shown(" ".join(item.keys or dict.fromkeys((*within[:1], *within[-1:]))))
    text = f"{label(item)} ({keys})" if keys else label(item)
    return MenuItem(item.name, help=text, why_not=item.why_not and f"{text}: {item.why_not}")


def _draw_list(state: ViewerState, item: MenuItem, pictures: MenuPictures) -> bool:
    """Draw the list of a tool below it if the list is open; return whether it is open."""
    left, (right, low) = imgui.get_item_rect_min().x, imgui.get_item_rect_max()
    screen = imgui.get_io().display_size.x
    if is_narrow() and right > screen / 2:  # a submenu in its place may be wider
        imgui.set_next_window_pos((screen, low), imgui.Cond_.always, (1.0, 0.0))
    else:
        imgui.set_next_window_pos((left, low), imgui.Cond_.appearing)
    if not imgui.begin_popup("list"):
        return False
    draw_items(state, item.items, pictures)
    imgui.end_popup()
    return True
