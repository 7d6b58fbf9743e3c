"""The menu of a pixel, which a right click on the picture opens."""

from collections.abc import Iterable
from dataclasses import replace

from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.keys.menu.bars import MenuBars
from wheatstone.viewer.panels.keys.menu.drawing import draw_items
from wheatstone.viewer.panels.keys.menu.items import MenuItem, every

KEYS = (
    ("Alt+I", "Ctrl+K", "Alt+M", "Shift+Y"),
    ("Alt+P", "Ctrl+C", "Ctrl+Shift+C"),
    ("Alt+T", "Ctrl+[", "Ctrl+]"),
)
"""The actions of the menu, by a key of each, in groups with a line between them."""
NAME = "picture menu"


class PictureMenu:
    """The menu of the pixel under the cursor, with lines of the menu bar's menus.

    Attributes:
        open: whether it is open; its pixel counts as the one under the cursor until it closes.
    """

    def __init__(self) -> None:
        self.open = False

    def draw(self, session: Session, bars: MenuBars) -> None:
        """Open the menu if a click asked for it, and draw it, within a frame of Dear ImGui."""
        state = session.state
        if state.asks_for_picture_menu:
            imgui.open_popup(NAME)
        state.asks_for_picture_menu = False
        self.open = imgui.begin_popup(NAME)
        if self.open:
            draw_items(state, picture_lines(bars.menus_of(session).values()), bars.pictures)
            imgui.end_popup()


def picture_lines(menus: Iterable[Iterable[MenuItem]]) -> list[MenuItem]:
    """Select the lines of the menu from those of all menus, as they are there."""
    known = {item.keys[0]: item for items in menus for item in every(items) if item.keys}
    return [
        replace(known[key], divided=bool(number) and key == keys[0])
        for number, keys in enumerate(KEYS)
        for key in keys
    ]
