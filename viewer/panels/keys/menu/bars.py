"""The menu bar and the toolbar above the picture, and the context menu of a pixel."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.range_choice import NOTHING
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.keys.action import (
    DISPARITY,
    LAYOUTS,
    MIXED,
    PROBE,
    RANGE,
    SEQUENCE,
    SEVERAL,
    SLOWED,
    SPACE,
    TEMPLATE,
    TRUTH,
    MenuItem,
)
from wheatstone.viewer.panels.keys.menu.drawing import MenuPictures, draw_items, draw_menu_bar
from wheatstone.viewer.panels.keys.menu.items import every, menus
from wheatstone.viewer.panels.keys.menu.toolbar import draw_toolbar


def lacking(session: Session) -> Mapping[str, str]:
    """Return, for every requirement that actions have, why it is not met; empty if it is met."""
    state, source, frame = session.state, session.source, session.frame_shown
    pipeline = state.slot.pipeline
    disparity = bool(pipeline.image(pipeline.output).disparity)
    truth = frame is None or frame.truth is not None
    reasons = {
        SEQUENCE: "" if source.length > 1 else f"{source.name} is a single frame",
        LAYOUTS: "" if len(source.layouts) > 1 else f"{source.name} has no layout to choose",
        SPACE: "" if state.view.cloud else f"view {state.view.name} is not a 3D view",
        MIXED: "" if state.mixing.adjustable else "nothing to adjust: compare A and B first",
        DISPARITY: "" if disparity else f"{pipeline.name} computes no disparity",
        SLOWED: "" if watched(state) else "no stage is shown in slow motion: Shift+F3 lists them",
        TRUTH: "" if truth else f"{source.name} has no ground truth; menu File loads it",
        PROBE: "" if pipeline.probe else f"{pipeline.name} has no matching costs",
        RANGE: "" if chosen(state).ranged else NOTHING,
        SEVERAL: "" if state.sources.listed[1:] else f"{source.name} is the only open source",
        TEMPLATE: "" if state.view.region else f"view {state.view.name} has no template to choose",
    }
    if not disparity:
        reasons[TRUTH] = reasons[DISPARITY]
    return reasons


BARS_HEIGHT = 55  # of menu bar and toolbar, in units of an unscaled screen
UNSEEN = ("messages", "effects", "frame", "zoom", "center", "shelf")
"""Fields of the state that change often, and on which no menu depends."""
LEAVES = ("Esc", "Alt")
"""Keys that close the menus."""


class MenuBars:
    """The menu bar and the toolbar of a window.

    Attributes:
        menu: the menu of the bar that is open; empty while none is.
        listed: whether a list of the toolbar is open.
        pictures: the small pictures in menus.
    """

    def __init__(self) -> None:
        self.menu, self.listed = "", False
        self._opens = ""  # the menu to open in the next frame
        self._sideways = 0  # 1 and -1: the arrow key of the frame before
        self.pictures = MenuPictures()
        self._seen: tuple[dict[str, Any], dict[str, str]] = {}, {}
        self._menus: dict[str, tuple[MenuItem, ...]] = {}

    @property
    def open(self) -> bool:
        """Return whether a menu or a list of the toolbar is open, which receives all keys."""
        return bool(self.menu) or self.listed

    @staticmethod
    def height(state: ViewerState, scale: float) -> int:
        """Return the height of the bars in pixels; 0 while they are hidden."""
        return round(BARS_HEIGHT * scale) if state.shows_bars else 0

    def draw(self, session: Session, scale: float) -> None:
        """Draw menu bar and toolbar at the upper border of the window with Dear ImGui."""
        state = session.state
        asked, state.asks_for_menus = state.asks_for_menus, False
        if height := self.height(state, scale):
            _begin(height)
            self._draw_within(session, asked)
            imgui.end()
        else:
            self.menu, self.listed = "", False

    def _draw_within(self, session: Session, asked: bool) -> None:
        state, by_name = session.state, self.menus_of(session)
        before, names = self.menu, list(by_name)
        opens = names[0] if asked else self._opens
        self.menu, self._opens = draw_menu_bar(state, by_name, self.pictures, opens), ""
        if before in names and not self.menu and self._sideways:
            self.menu = self._opens = names[(names.index(before) + self._sideways) % len(names)]
        right, left = imgui.Key.right_arrow, imgui.Key.left_arrow
        self._sideways = int(imgui.is_key_pressed(right)) - int(imgui.is_key_pressed(left))
        self.listed = draw_toolbar(
            state, by_name, self.pictures, recording=bool(session.recordings.path)
        )

    def menus_of(self, session: Session) -> dict[str, tuple[MenuItem, ...]]:
        """Return the menus by name; build them again only if their contents changed."""
        seen = _seen(session.state), dict(lacking(session))
        if seen != self._seen:
            self._seen, self._menus = seen, menus(session.state, seen[1])
        return self._menus

    def close(self) -> None:
        """Delete the textures of the menus' pictures."""
        self.pictures.close()


def _seen(state: ViewerState) -> dict[str, Any]:
    """Copy the fields of a viewer state on which the contents of menus depend."""
    return {
        name: deepcopy(value) if isinstance(value, dict | set) else value
        for name, value in vars(state).items()
        if name not in UNSEEN
    }


def _begin(height: int) -> None:
    padding, flags = imgui.get_style().frame_padding, imgui.WindowFlags_
    imgui.set_next_window_pos((0, 0))
    imgui.set_next_window_size((imgui.get_io().display_size.x, height))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_padding, (padding.x, padding.y))
    kind = flags.no_decoration | flags.no_move | flags.no_saved_settings | flags.menu_bar
    imgui.begin("bars", None, int(kind | flags.no_bring_to_front_on_focus))
    imgui.pop_style_var(2)


PICTURE_KEYS = (
    ("Alt+I", "Ctrl+K", "Alt+M", "Shift+Y"),
    ("Alt+P", "Ctrl+C", "Ctrl+Shift+C"),
    ("Alt+T", "Ctrl+[", "Ctrl+]"),
)
"""The actions of the picture menu, by a key of each, in groups with a line between them."""
PICTURE_MENU = "picture menu"


def draw_picture_menu(session: Session, bars: MenuBars) -> None:
    """Draw the context menu of the pixel under the cursor, whose lines are also in the menu bar.

    It opens if a click asked for it.
    """
    state = session.state
    if state.asks_for_picture_menu:
        imgui.open_popup(PICTURE_MENU)
    state.asks_for_picture_menu = False
    state.picture_menu = imgui.begin_popup(PICTURE_MENU)
    if state.picture_menu:
        draw_items(state, picture_lines(bars.menus_of(session).values()), bars.pictures)
        imgui.end_popup()


def picture_lines(menus: Iterable[Iterable[MenuItem]]) -> list[MenuItem]:
    """Return the entries of all menus that a pixel's context menu contains as well."""
    known = {item.keys[0]: item for items in menus for item in every(items) if item.keys}
    return [
        replace(known[key], divided=bool(number) and key == keys[0])
        for number, keys in enumerate(PICTURE_KEYS)
        for key in keys
    ]
