"""The window that shows for every image whether A and B agree."""

from wheatstone.viewer.frames.stage_check import StageCheck
from wheatstone.viewer.panels.widgets import bare_window, opaque
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import byte_color

WINDOW = "###stage equality"  # the panel of stages is ###stages: one name would be one window


def draw_equality(check: StageCheck) -> None:
    """Draw the window that shows for every image whether A and B agree."""
    screen = imgui.get_io().display_size
    imgui.set_next_window_pos((screen.x / 2, screen.y / 2), imgui.Cond_.always, (0.5, 0.5))
    flags = bare_window() | int(imgui.WindowFlags_.always_auto_resize)
    imgui.begin(WINDOW, None, flags)
    pending = "" if check.done else ", comparing ..."
    imgui.text(f"A and B, image by image, frame {check.asked.frame}{pending}")
    imgui.separator()
    if imgui.begin_table("stages", 2):
        for name, badge in check.badges.items():
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text(name)
            imgui.table_next_column()
            imgui.text_colored(opaque(byte_color(badge.tone)), badge.text)
        imgui.end_table()
    imgui.end()
