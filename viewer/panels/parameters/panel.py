"""The parameter panel: a widget for every setting of the computation and of the view."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import Choice, choices, choose
from wheatstone.viewer.choices.tuning import Likeness, likeness, presets_of
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.parameters.parameter_rows import (
    ParameterRow,
    Typed,
    draw_widget,
    grouped,
    rows,
    take_typed,
)
from wheatstone.viewer.panels.widgets import (
    AMBER,
    KEY_BLUE,
    begin_table,
    disabled,
    draw_tip,
    next_row,
    text_width,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

Listed = tuple[str, str, str]  # name, help, why it cannot be chosen


def draw_gap() -> None:
    """Draw an empty row as a gap between two rows."""
    next_row()
    imgui.spacing()


def begin_row(text: str, unit: str = "", *, changed: bool = False) -> None:
    """Begin a panel row: draw its name, with a mark if changed, and go to the widget's cell."""
    next_row()
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
    """Draw a panel row with a drop-down list; disabled values are grey, with a reason.

    Args:
        help: explains the list; if empty, the help of the current choice does.
    """
    begin_row(label)
    opened = imgui.begin_combo(f"##{label}", shown, imgui.ComboFlags_.height_large)
    if not opened:
        now = next((text for choice, text, _ in choices if choice == shown), "")
        draw_tip(help or now)
        return
    for choice, text, why_not in choices:
        with disabled(why_not):
            if imgui.selectable(choice, choice == shown)[0]:
                choose(choice)
        draw_tip(f"{text}\nnot available: {why_not}" if why_not else text)
    imgui.end_combo()


LABELS = 0.4  # of the panel's width
RESET = "Reset"


class ParametersPanel(Body):
    """The contents of the parameter panel: a widget for every parameter and choice."""

    def __init__(self) -> None:
        self._rows_for: tuple[Run, Mapping[str, Any]] | None = None
        self._rows: tuple[ParameterRow, ...] = ()
        self._like = Likeness("", ())

    def update(self, context: PanelContext) -> None:
        """Build the rows again when the tuned run (A or B) or the user's presets changed."""
        slot = tuning.tuned(context.state)
        now = (slot, context.state.presets)
        if now != self._rows_for:
            self._rows_for, self._rows = now, rows(slot)
            self._like = likeness(context.state, slot)

    def draw(self, context: PanelContext) -> None:
        """Draw the widgets of all parameters; the user's input changes the viewer state."""
        state = context.state
        _draw_slots(state)
        names = imgui.get_content_region_avail().x * LABELS
        if begin_table("parameters", {"name": names, "value": None}):
            _draw_computed(state, self._like)
            for heading, listed in grouped(self._rows, tuning.tuned(state)).items():
                _draw_heading(state, heading, listed)
                for row in listed:
                    _draw_row(state, row)
            _draw_shown(state)
            imgui.end_table()


def _draw_slots(state: ViewerState) -> None:
    if not state.mixing.uses_b and (not state.b or state.linked):
        return
    for slot in ("a", "b"):
        if imgui.radio_button(f"{slot.upper()}##slot", tuning.tunes_b(state) == (slot == "b")):
            tuning.tune(state, slot)
        draw_tip(f"change the parameters of {slot.upper()}")
        imgui.same_line()
    imgui.new_line()


def _draw_computed(state: ViewerState, like: Likeness) -> None:
    slot = tuning.tuned(state)
    pipelines = [(name, pipeline.help, "") for name, pipeline in PIPELINES.items()]
    draw_combo_row(
        "pipeline", slot.pipeline.name, pipelines, lambda n: tuning.set_pipeline(state, n)
    )
    variants = [(v.name, v.help, state.absent.get(v.device, "")) for v in slot.pipeline.offered]
    draw_combo_row("variant", slot.variant, variants, lambda name: tuning.set_variant(state, name))
    if presets := presets_of(state, slot.pipeline):
        own = state.presets.get(slot.pipeline.name, {})
        named = [(name, "Saved by you." if name in own else "", "") for name in presets]
        help = f"changed: {', '.join(map(spoken, like.changed))}" if like.changed else ""
        draw_combo_row(
            "preset", str(like), named, lambda name: tuning.set_preset(state, name), help
        )
    draw_gap()


def _draw_shown(state: ViewerState) -> None:
    draw_gap()
    for declared in choices():
        if declared.has_row(state):
            _draw_choice(state, declared)


def _draw_choice(state: ViewerState, declared: Choice) -> None:
    path, now = declared.path, declared.get(state)
    if declared.is_switch:
        begin_row(declared.title)
        changed, value = imgui.checkbox(f"##{path}", now)
        if changed:
            choose(state, path, value)
    elif values := declared.values(state):
        listed = [(value, meaning, "") for value, meaning in values.items()]
        draw_combo_row(declared.title, now, listed, lambda name: choose(state, path, name))
    else:
        begin_row(declared.title)
        control = declared.control
        moved, number = imgui.slider_float(f"##{path}", now, control.low, control.high)
        if moved:
            choose(state, path, number)


def _draw_heading(state: ViewerState, heading: str, listed: Sequence[ParameterRow]) -> None:
    """Draw the heading of a group, and a button that resets its parameters to their defaults."""
    next_row()
    imgui.align_text_to_frame_padding()
    imgui.text_colored(KEY_BLUE, heading)
    imgui.table_next_column()
    width = text_width(RESET) + 2 * imgui.get_style().frame_padding.x
    room = imgui.get_content_region_avail().x - width
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
    with disabled(not any(row.changed for row in listed)):
        if imgui.small_button(f"{RESET}##{heading}"):
            tuning.reset_parameters(state, [row.name for row in listed], heading)
    draw_tip(f"set {heading.lower()} to the defaults")


def _draw_row(state: ViewerState, row: ParameterRow) -> None:
    """Draw one parameter: its name, its widget, its help, and a menu to reset it."""
    imgui.push_id(row.name)
    with disabled(row.idle):
        begin_row(row.label, row.control.unit, changed=row.changed)
        imgui.begin_group()
        value = draw_widget(row)
        imgui.end_group()
    draw_tip(row.explanation)
    if isinstance(value, Typed):
        take_typed(state, row, value)
    elif value is not None and value != row.value:
        tuning.set_parameter(state, row.name, value)
    if imgui.begin_popup_context_item("default"):
        if imgui.selectable(f"reset to {in_words(row.default)} {row.control.unit}", False)[0]:
            tuning.reset_parameter(state, row.name)
        imgui.end_popup()
    imgui.pop_id()
