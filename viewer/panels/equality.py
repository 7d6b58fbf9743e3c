"""A window that says of every image whether A and B agree on it."""

from viewer.frames.stage_check import StageCheck
from viewer.panels.status import bar_flags
from viewer.picture.caption import TONES

WINDOW = "###stage equality"  # the panel of stages is ###stages: one name would be one window


def draw_equality(check: StageCheck) -> None:
    """Draw a window that says of every image whether A and B agree on it."""
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    imgui.set_next_window_pos((screen.x / 2, screen.y / 2), imgui.Cond_.always, (0.5, 0.5))
    imgui.set_next_window_bg_alpha(0.96)
    flags = bar_flags() | int(imgui.WindowFlags_.always_auto_resize)
    imgui.begin(WINDOW, None, flags)
    more = "" if check.done else ", comparing ..."
    imgui.text(f"A and B, image by image, frame {check.asked.frame}{more}")
    imgui.separator()
    if imgui.begin_table("stages", 2):
        for name, badge in check.badges.items():
            red, green, blue = (level / 255 for level in TONES[badge.tone])
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text(name)
            imgui.table_next_column()
            imgui.text_colored((red, green, blue, 1.0), badge.text)
        imgui.end_table()
    imgui.end()
