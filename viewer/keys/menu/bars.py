"""The menu bar and the toolbar above the picture, while panels are seen."""

from viewer.choices.state import ViewerState
from viewer.frames.session import Session
from viewer.keys.menu.drawing import draw_menu_bar
from viewer.keys.menu.items import menus
from viewer.keys.menu.needs import lacking
from viewer.keys.menu.pictures import MenuPictures
from viewer.keys.menu.toolbar import draw_toolbar

BARS_HEIGHT = 55  # of menu bar and toolbar, in units of an unscaled screen
LEAVES = ("Esc", "Alt")
"""Keys that close the menus."""


class Bars:
    """The menu bar and the toolbar of a window.

    Attributes:
        open: whether a menu or a list of the toolbar is open, which takes all keys.
    """

    def __init__(self) -> None:
        self.open = False
        self._pictures = MenuPictures()

    @staticmethod
    def height(state: ViewerState, scale: float) -> int:
        """Compute the height in pixels that the bars take; 0 while they are hidden."""
        return round(BARS_HEIGHT * scale) if state.bars and state.panels else 0

    def draw(self, session: Session, scale: float) -> None:
        """Draw the bars at the window's upper border, within a frame of Dear ImGui.

        Args:
            scale: pixels a unit of the unscaled screen.
        """
        from imgui_bundle import imgui

        state = session.state
        height = self.height(state, scale)
        asked, state.asks_for_menus = state.asks_for_menus and bool(height), False
        if height:
            padding, flags = imgui.get_style().frame_padding, imgui.WindowFlags_
            imgui.set_next_window_pos((0, 0))
            imgui.set_next_window_size((imgui.get_io().display_size.x, height))
            imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
            imgui.push_style_var(imgui.StyleVar_.window_padding, (padding.x, padding.y))
            kind = flags.no_decoration | flags.no_move | flags.no_saved_settings | flags.menu_bar
            imgui.begin("bars", None, int(kind | flags.no_bring_to_front_on_focus))
            imgui.pop_style_var(2)
            self._draw_within(session, asked)
            imgui.end()
        else:
            self.open = False
        _go_by_keys(self.open or asked)

    def _draw_within(self, session: Session, asked: bool) -> None:
        """Draw both bars in the window that has begun."""
        found = menus(session.state, lacking(session))
        first = next(iter(found)) if asked else ""
        opened = draw_menu_bar(session.state, found, self._pictures, first)
        listed = draw_toolbar(session.state, found, self._pictures)
        self.open = opened or listed

    def close(self) -> None:
        """Give back the pictures of menus."""
        self._pictures.close()


def _go_by_keys(wanted: bool) -> None:
    """Let arrow keys and Enter go through menus, or leave these keys their own meanings."""
    from imgui_bundle import imgui

    io, flag = imgui.get_io(), int(imgui.ConfigFlags_.nav_enable_keyboard)
    io.config_flags = io.config_flags | flag if wanted else io.config_flags & ~flag
