"""Style of the panels in Dear ImGui: colours of the theme, paddings and text size.

Colours have names in ``viewer.theme``. An ``Ink`` is such a name that Dear ImGui can use as a
colour: it has the value of the current theme.
"""

from typing import Any

from wheatstone.viewer.theme import THEMES, Rgb, color

FONT_SIZE = 15.0  # pixels at scale 1


class Ink(list[float]):
    """A named colour of the panels, as red, green, blue and opacity; it changes with the theme.

    It changes with the theme, so that it may be created once, as a module's constant.
    """

    def __init__(self, name: str, opacity: float = 1.0) -> None:
        super().__init__((0.0, 0.0, 0.0, opacity))
        self.name = name
        self.wear(_worn[0])
        _INKS.append(self)

    def wear(self, theme: str) -> None:
        """Set the colour to the one that a theme defines for its name."""
        self[:3] = [level / 255 for level in color(self.name, theme)]


_INKS: list[Ink] = []
_worn = [THEMES[0]]
_IMGUI = {
    "window_bg": "ground",
    "child_bg": "ground",
    "popup_bg": "popup",
    "menu_bar_bg": "title",
    "title_bg": "title",
    "title_bg_active": "title active",
    "title_bg_collapsed": "title",
    "border": "border",
    "resize_grip": "grip",
    "resize_grip_hovered": "accent",
    "resize_grip_active": "accent",
    "scrollbar_bg": "ground",
    "scrollbar_grab": "scroll",
    "scrollbar_grab_hovered": "quiet",
    "scrollbar_grab_active": "accent",
    "text": "text",
    "text_disabled": "quiet",
    "text_selected_bg": "chosen active",
    "text_link": "key",
    "input_text_cursor": "text",
    "separator": "separator",
    "separator_hovered": "accent",
    "separator_active": "accent",
    "frame_bg": "field",
    "frame_bg_hovered": "field hovered",
    "frame_bg_active": "field active",
    "button": "button",
    "button_hovered": "button hovered",
    "button_active": "button active",
    "header": "chosen",
    "header_hovered": "chosen hovered",
    "header_active": "chosen active",
    "tab": "field",
    "tab_hovered": "chosen hovered",
    "tab_selected": "chosen active",
    "tab_selected_overline": "accent",
    "tab_dimmed": "field",
    "tab_dimmed_selected": "chosen",
    "slider_grab": "accent",
    "slider_grab_active": "key",
    "check_mark": "accent",
    "plot_lines": "curve",
    "plot_histogram": "accent",
    "table_header_bg": "field",
    "table_border_strong": "border",
    "table_border_light": "separator",
    "table_row_bg": "ground",
    "table_row_bg_alt": "row",
    "nav_cursor": "amber",
}
"""The colours of Dear ImGui, by the names of the theme."""
_IMPLOT = {
    "frame_bg": "ground",
    "plot_bg": "plot",
    "plot_border": "border",
    "legend_bg": "popup",
    "legend_border": "border",
    "legend_text": "text",
    "title_text": "text",
    "inlay_text": "text",
    "axis_text": "text",
    "axis_grid": "grid",
    "axis_tick": "grid",
    "selection": "accent",
    "crosshairs": "quiet",
}
"""The colours of ImPlot."""


SERIES = tuple(Ink(f"series {number}") for number in range(1, 9))
"""The lines of a plot, distinguishable with any colour vision."""


def byte_color(name: str) -> Rgb:
    """Return a colour of the current theme by its name, as RGB bytes."""
    return color(name, _worn[0])


def number(name: str, opacity: float = 1.0) -> int:
    """Pack a colour that all themes share into an integer for Dear ImGui's draw lists."""
    red, green, blue = color(name)
    return round(255 * opacity) << 24 | blue << 16 | green << 8 | red


def set_style(imgui: Any) -> None:
    """Set sizes and paddings of panels at scale 1, which resets earlier scaling."""
    style, usual = imgui.get_style(), imgui.Style()
    for name in dir(usual):
        value = getattr(usual, name)
        if isinstance(value, float | imgui.ImVec2) and "font" not in name:
            setattr(style, name, value)
    style.window_rounding = 6.0
    style.frame_rounding = style.grab_rounding = style.popup_rounding = 4.0
    style.window_border_size = 0.0
    style.window_padding = (12.0, 8.0)
    style.frame_padding = (8.0, 4.0)
    style.item_spacing = (8.0, 6.0)
    style.cell_padding = (8.0, 3.0)
    style.font_size_base = FONT_SIZE


def wear(theme: str, imgui: Any, implot: Any) -> None:
    """Apply the colours of a theme to panels and plots, all of them opaque."""
    _worn[0] = theme
    imgui.get_style().frame_border_size = 1.0 if theme == "light" else 0.0
    for ink in _INKS:
        ink.wear(theme)
    for library, names in ((imgui, _IMGUI), (implot, _IMPLOT)):
        light = "style_colors_light" if theme == "light" else "style_colors_dark"
        getattr(library, light)()
        style = library.get_style()
        for role, name in names.items():
            red, green, blue = (level / 255 for level in color(name, theme))
            style.set_color_(int(getattr(library.Col_, role)), (red, green, blue, 1.0))
