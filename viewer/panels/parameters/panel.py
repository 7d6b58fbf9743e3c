"""The parameter panel: what is computed and how it is shown, each with its widget."""

from collections.abc import Mapping
from typing import Any

from gpu.pipelines import PIPELINES
from viewer.choices import tuning
from viewer.choices.presets import Likeness, likeness, presets_of
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.choices.table import Choice, choices, choose
from viewer.choices.words import in_words, spoken
from viewer.panels.panel import PanelContext
from viewer.panels.parameters.parameter_rows import (
    LINEAR,
    ParameterRow,
    nearest,
    notches,
    rows,
    snapped,
)
from viewer.panels.parameters.widgets import begin_row, combo, gap, tip

LABELS = 0.38  # of the panel's width
NUMBER = 4.2  # width of a number's field, in heights of a letter


class ParametersPanel:
    """Widgets for everything the pipeline declares."""

    def __init__(self) -> None:
        self._of: tuple[Slot, Mapping[str, Any]] | None = None
        self._rows: tuple[ParameterRow, ...] = ()
        self._like = Likeness("", ())

    def update(self, desk: PanelContext) -> None:
        """Find out what there is to say, once for every change of the slot."""
        slot = tuning.tuned(desk.state)
        of = (slot, desk.state.presets)
        if of != self._of:
            self._of, self._rows, self._like = of, rows(slot), likeness(desk.state, slot)

    def close(self) -> None:
        """Nothing is held."""

    def draw(self, desk: PanelContext) -> None:
        """Draw the widgets; what the user does to them changes the state."""
        from imgui_bundle import imgui

        state = desk.state
        _draw_slots(state)
        if imgui.begin_table("parameters", 2):
            width, flags = imgui.get_content_region_avail().x, imgui.TableColumnFlags_
            imgui.table_setup_column("name", flags.width_fixed, width * LABELS)
            imgui.table_setup_column("value", flags.width_stretch)
            _draw_computed(state, self._like)
            for row in self._rows:
                _draw_row(state, row)
            _draw_shown(state)
            imgui.end_table()


def _draw_slots(state: ViewerState) -> None:
    """A switch between A and B, where B has parameters of its own."""
    from imgui_bundle import imgui

    if not state.b or state.linked:
        return
    for slot in ("a", "b"):
        if imgui.radio_button(f"{slot.upper()}##slot", (state.tuned == "b") == (slot == "b")):
            state.tuned = slot
        imgui.same_line()
    imgui.new_line()


def _draw_computed(state: ViewerState, like: Likeness) -> None:
    slot = tuning.tuned(state)
    pipelines = [(name, pipeline.help, "") for name, pipeline in PIPELINES.items()]
    combo("pipeline", slot.pipeline.name, pipelines, lambda n: tuning.set_pipeline(state, n))
    variants = [(v.name, v.help, state.absent.get(v.device, "")) for v in slot.pipeline.variants]
    combo("variant", slot.variant, variants, lambda name: tuning.set_variant(state, name))
    if presets := presets_of(state, slot.pipeline):
        own = state.presets.get(slot.pipeline.name, {})
        named = [(name, "Saved by you." if name in own else "", "") for name in presets]
        help = f"changed: {', '.join(map(spoken, like.changed))}" if like.changed else ""
        combo("preset", str(like), named, lambda name: tuning.set_preset(state, name), help)
    gap()


def _draw_shown(state: ViewerState) -> None:
    """Draw the choices of what is shown that declare a row."""
    gap()
    for declared in choices():
        if declared.traits.row:
            _draw_choice(state, declared)


def _draw_choice(state: ViewerState, declared: Choice) -> None:
    from imgui_bundle import imgui

    path, now = declared.path, declared.get(state)
    if declared.is_switch:
        begin_row(declared.title)
        changed, value = imgui.checkbox(f"##{path}", now)
        if changed:
            choose(state, path, value)
    elif found := declared.values(state):
        listed = [(value, meaning, "") for value, meaning in found.items()]
        combo(declared.title, now, listed, lambda name: choose(state, path, name))
    else:
        begin_row(declared.title)
        control = declared.control
        moved, number = imgui.slider_float(f"##{path}", now, control.low, control.high)
        if moved:
            choose(state, path, number)


def _draw_row(state: ViewerState, row: ParameterRow) -> None:
    """One parameter: its name, its widget, its help, and the way back to its default."""
    from imgui_bundle import imgui

    imgui.push_id(row.name)
    imgui.begin_disabled(bool(row.idle))
    begin_row(row.label, row.control.unit, changed=row.changed)
    imgui.begin_group()
    value = _widget(row)
    imgui.end_group()
    imgui.end_disabled()
    tip(row.explanation)
    if value is not None and value != row.value:
        tuning.set_parameter(state, row.name, value)
    if imgui.begin_popup_context_item("default"):
        if imgui.selectable(f"reset to {in_words(row.default)} {row.control.unit}", False)[0]:
            tuning.reset_parameter(state, row.name)
        imgui.end_popup()
    imgui.pop_id()


def _widget(row: ParameterRow) -> Any:
    """Draw the widget that fits; the value it was set to, None or the same if it was not."""
    from imgui_bundle import imgui

    control = row.control
    if row.is_switch:
        return imgui.checkbox("##switch", row.value)[1]
    if control.kind == "choice":
        return _choice(row)
    if control.kind == "region":
        flags = imgui.InputTextFlags_.enter_returns_true
        entered, numbers = imgui.input_int4("##region", list(row.value), flags)
        return tuple(numbers) if entered else None
    return _number(row)


def _choice(row: ParameterRow) -> Any:
    from imgui_bundle import imgui

    chosen = None
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("##choice", in_words(row.value)):
        for value in row.control.choices:
            if imgui.selectable(in_words(value), value == row.value)[0]:
                chosen = value
        imgui.end_combo()
    return chosen


def _number(row: ParameterRow) -> Any:
    """A slider, and a field to type into, which counts when Enter is pressed."""
    from imgui_bundle import imgui

    control = row.control
    field = imgui.get_font_size() * NUMBER
    gap = imgui.get_style().item_inner_spacing.x
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - field - gap, field))
    flags = imgui.SliderFlags_.no_input
    if notches(control) > LINEAR:
        flags |= imgui.SliderFlags_.logarithmic
    moved, value = _slide(row, flags)
    imgui.same_line(0, gap)
    imgui.set_next_item_width(-1)
    typed = _field(row)
    if moved:
        return snapped(control, value)
    return None if typed is None else nearest(control, typed)


def _slide(row: ParameterRow, flags: int) -> tuple[bool, float]:
    """The slider itself: whether it was moved, and where to."""
    from imgui_bundle import imgui

    low, high = row.control.low, row.control.high
    if row.control.kind == "int":
        return imgui.slider_int("##slider", row.value, int(low), int(high), "", flags)
    return imgui.slider_float("##slider", row.value, low, high, "", flags)


def _field(row: ParameterRow) -> float | None:
    """A number as text; what was typed once Enter is pressed, else None."""
    from imgui_bundle import imgui

    enter = imgui.InputTextFlags_.enter_returns_true
    if row.control.kind == "int":
        entered, whole = imgui.input_int("##field", row.value, 0, 0, enter)
        return float(whole) if entered else None
    entered, number = imgui.input_double("##field", row.value, 0, 0, "%.4g", enter)
    return number if entered else None
