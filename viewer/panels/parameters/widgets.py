"""Widgets in rows: a name on the left, what changes it on the right. They change nothing."""

from collections.abc import Callable, Sequence

CHANGED = (1.0, 0.78, 0.35, 1.0)  # the mark of what is not its default
Choice = tuple[str, str, str]  # name, help, why it cannot be chosen


def gap() -> None:
    """Leave some room between rows."""
    from imgui_bundle import imgui

    imgui.table_next_row()
    imgui.table_next_column()
    imgui.spacing()


def begin_row(text: str, unit: str = "", *, changed: bool = False) -> None:
    """Begin a row: its name on the left, then the cell of its widget."""
    from imgui_bundle import imgui

    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    imgui.text(text)
    if unit:
        imgui.same_line(0, imgui.get_font_size() * 0.4)
        imgui.text_disabled(unit)
    if changed:
        imgui.same_line(0, imgui.get_font_size() * 0.3)
        imgui.text_colored(CHANGED, "*")
    imgui.table_next_column()
    imgui.set_next_item_width(-1)


def combo(
    label: str,
    shown: str,
    choices: Sequence[Choice],
    choose: Callable[[str], None],
    help: str = "",
) -> None:
    """A list to choose from; what cannot be chosen is grey and says why under the cursor."""
    from imgui_bundle import imgui

    begin_row(label)
    opened = imgui.begin_combo(f"##{label}", shown, imgui.ComboFlags_.height_large)
    if not opened:
        now = next((text for choice, text, _ in choices if choice == shown), "")
        tip(help or now)
        return
    for choice, text, why_not in choices:
        imgui.begin_disabled(bool(why_not))
        if imgui.selectable(choice, choice == shown)[0]:
            choose(choice)
        imgui.end_disabled()
        tip(f"{text}\nnot here: {why_not}" if why_not else text)
    imgui.end_combo()


def tip(text: str) -> None:
    """Explain the last widget while the mouse rests on it."""
    from imgui_bundle import imgui

    flags = imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled
    if text and imgui.is_item_hovered(flags):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
