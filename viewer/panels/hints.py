"""The hints of the first start: three lines over the picture, hidden after the first key press."""

from wheatstone.viewer.panels.panel import Area
from wheatstone.viewer.panels.widgets import KEY_BLUE, bare_window
from wheatstone.viewer.screen.dear_imgui import imgui

TITLE = "First steps"
HINTS = (
    ("H", "help: every key, and what the mouse does"),
    ("Ctrl+Shift+P", "find anything by its name"),
    ("drop files", "a left and a right image, or a folder of pairs, shows them"),
)
"""Keys or gestures, and their effect; the help lists them, too."""


def draw_hints(area: Area, scale: float) -> None:
    """Draw the hints centred in the lower part of the picture.

    Args:
        area: the picture's, in the window.
        scale: screen pixels per unscaled unit.
    """
    flags = imgui.WindowFlags_
    passive = bare_window() | int(flags.no_inputs | flags.no_focus_on_appearing)
    place = (area.x + area.width / 2, area.y + area.height * 0.82)
    imgui.set_next_window_pos(place, imgui.Cond_.always, (0.5, 0.5))
    imgui.set_next_window_bg_alpha(0.97)
    imgui.begin("hints", None, passive | int(flags.always_auto_resize))
    if imgui.begin_table("hints", 2, imgui.TableFlags_.sizing_fixed_fit):
        for keys, words in HINTS:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_colored(KEY_BLUE, keys)
            imgui.table_next_column()
            imgui.text(words)
        imgui.end_table()
    imgui.end()
