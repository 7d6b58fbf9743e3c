"""How panels look: the colours, paddings and text size that Dear ImGui is given."""

from typing import Any

FONT_SIZE = 15.0  # pixels at scale 1


def set_style(imgui: Any) -> None:
    """Set a quiet style of panels: neutral, slightly transparent, with one accent colour."""
    style = imgui.get_style()
    imgui.style_colors_dark()
    style.window_rounding = 6.0
    style.frame_rounding = style.grab_rounding = style.popup_rounding = 4.0
    style.window_border_size = 0.0
    style.window_padding = (12.0, 8.0)
    style.frame_padding = (8.0, 4.0)
    style.item_spacing = (8.0, 6.0)
    style.cell_padding = (8.0, 3.0)
    grey, accent = (0.08, 0.08, 0.09), (0.30, 0.55, 0.85)
    colors = {
        "window_bg": (*grey, 0.88),
        "popup_bg": (*grey, 0.96),
        "title_bg": (0.12, 0.12, 0.13, 0.92),
        "title_bg_active": (0.15, 0.15, 0.17, 0.92),
        "resize_grip": (1.0, 1.0, 1.0, 0.08),
        "text": (0.90, 0.90, 0.91, 1.0),
        "text_disabled": (0.55, 0.55, 0.57, 1.0),
        "separator": (1.0, 1.0, 1.0, 0.12),
        "frame_bg": (1.0, 1.0, 1.0, 0.07),
        "frame_bg_hovered": (1.0, 1.0, 1.0, 0.12),
        "frame_bg_active": (1.0, 1.0, 1.0, 0.16),
        "button": (1.0, 1.0, 1.0, 0.08),
        "button_hovered": (*accent, 0.55),
        "button_active": (*accent, 0.80),
        "header": (*accent, 0.35),
        "header_hovered": (*accent, 0.50),
        "header_active": (*accent, 0.65),
        "slider_grab": (*accent, 0.90),
        "slider_grab_active": (*accent, 1.0),
        "check_mark": (*accent, 1.0),
    }
    for name, color in colors.items():
        style.set_color_(int(imgui.Col_[name]), color)
    style.font_size_base = FONT_SIZE
