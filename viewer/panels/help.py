"""The help: every key, what the mouse does, and the variants."""

from itertools import zip_longest

from gpu.pipeline import View
from viewer.actions import actions
from viewer.mixing import WIPES
from viewer.panels.status import bar_flags
from viewer.state import ViewerState


def mouse_actions(view: View, *, wipes: bool = False) -> tuple[tuple[str, str], ...]:
    """What the mouse does in a view: gesture and effect.

    Args:
        wipes: whether there is a seam to take hold of.
    """
    wheel = [("mouse wheel", "zoom at the cursor")]
    if wipes:
        wheel.append(("drag the seam", "move it"))
    if not view.region:
        return (*wheel, ("drag", "move the picture"))
    region = view.region.replace("_", " ")
    return (
        *wheel,
        ("drag on the left image", f"draw the {region}"),
        ("Shift+drag, right drag", "move the picture"),
    )


def draw_help(state: ViewerState) -> None:
    """Draw the help over the picture."""
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    imgui.set_next_window_pos((screen.x / 2, screen.y / 2), imgui.Cond_.always, (0.5, 0.5))
    imgui.set_next_window_bg_alpha(0.96)  # text over a busy picture
    imgui.begin("help", None, bar_flags() | int(imgui.WindowFlags_.always_auto_resize))
    rows = [(action.shown_keys, action.help) for action in actions(state.slot.pipeline)]
    rows += mouse_actions(state.view, wipes=state.mixing.mode in WIPES)
    if imgui.begin_table("keys", 4):  # in two columns, each a column of keys and one of words
        half = -(-len(rows) // 2)
        for left, right in zip_longest(rows[:half], rows[half:], fillvalue=("", "")):
            imgui.table_next_row()
            for keys, help in (left, right):
                imgui.table_next_column()
                imgui.text_colored((0.55, 0.8, 1.0, 1.0), keys)
                imgui.table_next_column()
                imgui.text(help)
        imgui.end_table()
    imgui.separator()
    for number, variant in enumerate(state.slot.pipeline.variants, 1):
        shown = variant.name == state.slot.variant
        color = (1.0, 0.78, 0.35, 1.0) if shown else (0.85, 0.85, 0.85, 1.0)
        imgui.text_colored(color, f"{number}  {variant.name}: {variant.help}")
    imgui.end()
