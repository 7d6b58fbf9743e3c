"""Drawing of menus: the menu bar, and the lines of every menu."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.workspaces import help_of
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer, keys_shown
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.panels.keys.action import MenuItem
from wheatstone.viewer.panels.keys.menu.items import workspace_lines
from wheatstone.viewer.panels.widgets import draw_tab, text_width

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.texture import PictureTexture

MOST = 16  # files of which it is kept what was read; a menu shows fewer
LARGEST = 512  # pixels of a side


@dataclass(frozen=True)
class MenuPicture:
    """A small picture in a menu: the OpenGL name of its texture, and its width to height ratio."""

    number: int
    aspect: float


class MenuPictures:
    """The pictures in menus by file, and the open submenus of a narrow window.

    Attributes:
        within: the names of the submenus that are shown one in another, in place of their menu.
        since: when another of them was shown last, as ``imgui.get_time`` counts.
    """

    def __init__(self) -> None:
        self.within: list[str] = []
        self.since = 0.0
        self._textures: dict[tuple[Path, int], tuple[PictureTexture, float] | None] = {}

    def show(self, within: list[str]) -> None:
        """Show the submenu ``within`` in place of its menu, or the menu itself if that is empty."""
        self.within, self.since = within, float(imgui.get_time())

    @property
    def settled(self) -> bool:
        """Return whether the menu has been visible long enough to accept a click."""
        return imgui.get_time() - self.since >= SETTLES

    def of(self, path: Path) -> MenuPicture | None:
        """Return the picture in a file; None if the file is missing or unreadable."""
        try:
            known = path, path.stat().st_mtime_ns
        except OSError:
            return None
        texture = self._textures.pop(known) if known in self._textures else _read(path)
        self._textures[known] = texture  # the last one is the one asked for last
        while len(self._textures) > MOST:
            _close(self._textures.pop(next(iter(self._textures))))
        return MenuPicture(texture[0].number, texture[1]) if texture else None

    def close(self) -> None:
        """Delete the textures of the menus' pictures."""
        for texture in self._textures.values():
            _close(texture)
        self._textures.clear()


def _close(texture: "tuple[PictureTexture, float] | None") -> None:
    if texture:
        texture[0].close()


def _read(path: Path) -> "tuple[PictureTexture, float] | None":
    """Read a picture into a texture; return it with the ratio of width to height, or None."""
    from io import BytesIO

    import numpy as np
    from PIL import Image

    from wheatstone.viewer.display.screen.texture import PictureTexture

    try:
        with Image.open(BytesIO(read_regular(path, MIB)), formats=("PNG",)) as picture:
            if max(picture.size) > LARGEST:
                return None
            pixels = np.asarray(picture.convert("RGB"))
    except (OSError, ValueError, SyntaxError):
        return None
    return PictureTexture(pixels), pixels.shape[1] / pixels.shape[0]


ALL = "Menu"
"""The menu of all menus, in a window too narrow for them."""
LIST = "\uf0d7"
"""The character of the font of icons that marks a list."""
INTO, OUT = "\uf0da", "\uf0d9"
"""The characters that mark a submenu, and the way back from one, in a narrow window."""
NARROW = 40  # heights of a letter that a window is wide, below which submenus replace their menu
SETTLES = 0.3  # seconds in which a second click does not choose from a submenu just shown
LINE_PICTURE = 2.6  # height of a picture in a line, in heights of a letter
WIDEST = 26.0  # that an explanation may be, in the same


def draw_menu_bar(
    state: ViewerState,
    menus: Mapping[str, tuple[MenuItem, ...]],
    pictures: MenuPictures,
    opens: str = "",
) -> str:
    """Draw the menu bar with the tabs of workspaces; ``opens``: the menu to open, if any.

    A window too narrow for all menus has one with all of them in it, and a list of workspaces.

    Returns:
        The name of the open menu; empty if none is open.
    """
    if not imgui.begin_menu_bar():
        return ""
    gap, room = imgui.get_style().item_spacing.x, imgui.get_content_region_avail().x
    tabs = _width(state.workspaces.names, gap + 2 * imgui.get_style().frame_padding.x)
    bar, both = _width(menus, 2 * gap), dict(menus)
    if narrow := bar > room:
        within = tuple(MenuItem(name, items=items, as_is=True) for name, items in menus.items())
        both, opens = {ALL: within}, ALL if opens else ""
        bar = _width(both, 2 * gap)
    opened = ""
    for name, items in both.items():
        if name == opens:
            imgui.open_popup(name)
        if imgui.begin_menu(name):
            opened = name
            if name == opens:
                imgui.set_nav_cursor_visible(True)  # a key opens it: show which line Enter takes
            draw_items(state, items, pictures)
            imgui.end_menu()
    if narrow or bar + tabs > room:
        opened = _draw_workspace_list(state, pictures) or opened
    else:
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x - tabs)
        _draw_tabs(state)
    imgui.end_menu_bar()
    return opened


def _width(texts: Iterable[str], around: float) -> float:
    """Return the width in pixels of texts in a row, with ``around`` pixels added to each."""
    return float(sum(text_width(text) + around for text in texts))


def _draw_tabs(state: ViewerState) -> None:
    """Draw the tabs of the workspaces at the right end of the menu bar."""
    for name in state.workspaces.names:
        if draw_tab(f"{name}###workspace {name}", chosen=name == state.workspaces.name):
            state.show_workspace(name)
        explain(MenuItem(name, help=help_of(name)), at_right=False)


def _draw_workspace_list(state: ViewerState, pictures: MenuPictures) -> str:
    """Draw the menu that lists all workspaces; return its name if it is open, else empty."""
    name = state.workspaces.name
    if not imgui.begin_menu(f"{name} {LIST}###workspaces"):
        return ""
    draw_items(state, workspace_lines(state), pictures)
    imgui.end_menu()
    return name


def draw_items(state: ViewerState, items: Iterable[MenuItem], pictures: MenuPictures) -> None:
    """Draw the lines of the current Dear ImGui menu; run the action of a clicked line.

    In a narrow window a submenu does not open beside its menu, over other lines, but replaces it.
    """
    narrow = is_narrow()
    for number, item in enumerate(_inner(items, pictures) if narrow else items):
        imgui.push_id(number)
        if item.divided:
            imgui.separator()
        if item.items and narrow:
            _draw_way_in(item, pictures)
        elif item.items:
            _draw_menu(state, item, pictures)
        elif _draw_line(item, pictures):
            item.run(state)
        imgui.pop_id()


def is_narrow() -> bool:
    """Return whether the window is too narrow for a menu and its submenu side by side."""
    return bool(imgui.get_io().display_size.x < NARROW * imgui.get_font_size())


def _inner(items: Iterable[MenuItem], pictures: MenuPictures) -> Iterable[MenuItem]:
    """Return the lines of the open submenu in a narrow window, or of the menu if none is open.

    For a submenu, the line that leads back to its menu is drawn.
    """
    if imgui.is_window_appearing():
        pictures.within = []
    for depth, name in enumerate(pictures.within):
        inner = next((item for item in items if item.name == name and item.items), None)
        if inner is None:
            pictures.within = pictures.within[:depth]
            break
        items = inner.items
    if pictures.within:
        if _draw_step(f"{OUT}  {label(MenuItem(pictures.within[-1]))}", "", pictures):
            pictures.show(pictures.within[:-1])
        imgui.separator()
    return items


def _draw_way_in(item: MenuItem, pictures: MenuPictures) -> None:
    """Draw the line of a submenu that replaces its menu when clicked, in a narrow window."""
    if _draw_step(label(item), INTO, pictures, enabled=not item.why_not):
        pictures.show([*pictures.within, item.name])
    explain(item)


def _draw_step(words: str, mark: str, pictures: MenuPictures, *, enabled: bool = True) -> bool:
    """Draw a line that enters or leaves a submenu; return whether it was clicked."""
    imgui.push_item_flag(int(imgui.ItemFlags_.auto_close_popups), False)
    clicked = imgui.menu_item_simple(words, mark, False, enabled)
    imgui.pop_item_flag()
    return bool(clicked) and pictures.settled


def _draw_menu(state: ViewerState, item: MenuItem, pictures: MenuPictures) -> None:
    """Draw a submenu, which cannot be opened if none of its lines can be used."""
    begun = imgui.begin_menu(label(item), not item.why_not)
    explain(item)
    if begun:
        draw_items(state, item.items, pictures)
        imgui.end_menu()


def _draw_line(item: MenuItem, pictures: MenuPictures) -> bool:
    """Draw a menu line with its keys, tick and picture; return whether it was clicked."""
    if item.picture and (picture := pictures.of(item.picture)):
        height = imgui.get_font_size() * LINE_PICTURE
        imgui.image(imgui.ImTextureRef(picture.number), (height * picture.aspect, height))
        imgui.same_line()
        imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + (height - imgui.get_font_size()) / 2)
    keys = keys_shown("  ".join(item.keys[:1]))
    settled = not pictures.within or pictures.settled
    imgui.push_item_flag(int(imgui.ItemFlags_.auto_close_popups), settled)
    chosen = imgui.menu_item_simple(label(item), keys, item.ticked, not item.why_not)
    imgui.pop_item_flag()
    explain(item)
    return bool(chosen) and settled


def label(item: MenuItem) -> str:
    """Return the text of a menu line, capitalized unless its name must stay unchanged.

    Dear ImGui hides the rest of a name after "##"; such a name is shown in full.
    """
    name = item.name.replace("##", "# #")
    return name if item.as_is else name[:1].upper() + name[1:]


def explain(item: MenuItem, *, at_right: bool = True) -> None:
    """Draw a tooltip for the last menu line: its function, or why it cannot be used here.

    Args:
        at_right: whether it stands to the right of the menu; else it stands below the bars. So it
            hides no other line.
    """
    text = for_pointer(f"not available: {item.why_not}" if item.why_not else item.help)
    flags = imgui.HoveredFlags_
    delay = flags.none if item.why_not else flags.for_tooltip  # a reason is shown at once
    if not text or not imgui.is_item_hovered(int(flags.allow_when_disabled | delay)):
        return
    width, screen = imgui.get_font_size() * WIDEST, imgui.get_io().display_size.x
    x = imgui.get_window_pos().x + imgui.get_window_width()
    if not at_right:
        low = imgui.get_window_pos().y + imgui.get_window_height()
        pivot = (float(imgui.get_item_rect_max().x > screen - width), 0.0)
        x = imgui.get_item_rect_max().x if pivot[0] else imgui.get_item_rect_min().x
        imgui.set_next_window_pos((x, low), imgui.Cond_.always, pivot)
    elif x + width < screen:
        imgui.set_next_window_pos((x, imgui.get_item_rect_min().y))
    imgui.begin_tooltip()
    imgui.push_text_wrap_pos(width)
    imgui.text(text)
    imgui.pop_text_wrap_pos()
    imgui.end_tooltip()
