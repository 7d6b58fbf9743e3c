"""Rows of a table of parameters: a name on the left, the widget that changes it on the right."""

from collections.abc import Callable, Sequence

from wheatstone.viewer.panels.widgets import AMBER
from wheatstone.viewer.screen.dear_imgui import imgui

Listed = tuple[str, str, str]  # name, help, why it cannot be chosen


def draw_gap() -> None:
    """Leave some space between two rows."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.spacing()


def begin_row(text: str, unit: str = "", *, changed: bool = False) -> None:
    """Begin a row: draw its name on the left, then enter the cell of its widget.

    Args:
        changed: whether a mark behind the name shows that this is not the default.
    """
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    imgui.text(text)
    if unit:
        imgui.same_line(0, imgui.get_font_size() * 0.4)
        imgui.text_disabled(unit)
    if changed:
        imgui.same_line(0, imgui.get_font_size() * 0.3)
        imgui.text_colored(AMBER, "*")
    imgui.table_next_column()
    imgui.set_next_item_width(-1)


def draw_combo_row(
    label: str,
    shown: str,
    choices: Sequence[Listed],
    choose: Callable[[str], None],
    help: str = "",
) -> None:
    """Draw a row with a drop-down list; disabled choices are grey, with the reason as tooltip.

    Args:
        choose: called with the name that the user chooses.
        help: explains the list; if empty, the help of the current choice does.
    """
    begin_row(label)
    opened = imgui.begin_combo(f"##{label}", shown, imgui.ComboFlags_.height_large)
    if not opened:
        now = next((text for choice, text, _ in choices if choice == shown), "")
        draw_tip(help or now)
        return
    for choice, text, why_not in choices:
        imgui.begin_disabled(bool(why_not))
        if imgui.selectable(choice, choice == shown)[0]:
            choose(choice)
        imgui.end_disabled()
        draw_tip(f"{text}\nnot here: {why_not}" if why_not else text)
    imgui.end_combo()


def draw_tip(text: str) -> None:
    """Draw a tooltip for the last widget while the mouse rests on it, unless the text is empty."""
    flags = imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled
    if text and imgui.is_item_hovered(flags):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
