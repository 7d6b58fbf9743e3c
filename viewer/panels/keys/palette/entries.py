"""The entries of the command palette: all commands that are possible at present."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeVar

from wheatstone.gpu.parameters import Control, controls, defaults
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices import tuning, undoing
from wheatstone.viewer.choices.file_choices import FILE_CHOICES, OPEN_PATH
from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import VIEW, Choice, choices, choose
from wheatstone.viewer.choices.tuning import presets_of
from wheatstone.viewer.choices.workspaces import help_of
from wheatstone.viewer.display.picture.range_choice import take_range
from wheatstone.viewer.io.scenes import SCENES_SHOW
from wheatstone.viewer.options import parameter_value
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.action import (
    DIGITS,
    OPENED,
    Action,
    calling,
    nothing,
    requesting,
)
from wheatstone.viewer.panels.keys.actions import grouped
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

T = TypeVar("T")


@dataclass(frozen=True)
class PaletteEntry:
    """One line of the command palette: a command with help, keys, and reason if disabled.

    Attributes:
        why_not: why it cannot be done here and now; empty if it can.
        take: of an entry that wants a word or a number: does something with the text typed.
        begin: of such an entry: the text in the line before the user types.
        also: other words that find it.
        quiet: whether it is a file of another kind than the one asked for.
    """

    name: str
    help: str = ""
    run: Callable[[ViewerState], None] = nothing
    keys: str = ""
    why_not: str = ""
    current: bool = False
    take: Callable[[ViewerState, str], None] | None = None
    begin: str = ""
    also: str = ""
    quiet: bool = False


NAME_WORKSPACE, RESET_WORKSPACE, DELETE_WORKSPACE = (
    "name arrangement of panels ...",
    "reset arrangement of panels",
    "delete workspace: ",
)
SAVE_SETTINGS, SAVE_PRESET, DELETE_PRESET, RECTIFY, SET_BASELINE, SHARE, TOUR, LESSONS = (
    "save settings as TOML ...",
    "save preset ...",
    "delete preset: ",
    "rectify by features",
    "set camera baseline ...",
    "share window in network ...",
    "start tour",
    "open lessons",
)
"""Names of entries that menus show as well."""


def entries(state: ViewerState) -> tuple[PaletteEntry, ...]:
    """Return all entries of the command palette that are possible in a viewer state."""
    parts = (_computed, _parameters, _shown, _actions, _workspaces, kept, _history)
    return tuple(entry for part in parts for entry in part(state))


def _computed(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield entries for the variants, pipelines and presets of the run (A or B) being tuned.

    The variants of B are listed in both cases.
    """
    slot, for_b = tuning.tuned(state), tuning.tunes_b(state)
    of_b = "B: " if for_b else ""
    yield from _variants(state, slot, f"{of_b}variant", "Shift+" * for_b, tuning.set_variant)
    if not for_b:
        b, choose_b = state.slot_b, ViewerState.choose_variant_b
        yield from _variants(state, b, "variant of B", "Shift+", choose_b)
    for (name, pipeline), key in _with_keys(PIPELINES.items(), "Ctrl+"):
        run, key = calling(tuning.set_pipeline, name), "" if for_b else key
        current = name == slot.pipeline.name
        yield PaletteEntry(f"{of_b}pipeline: {name}", pipeline.help, run, key, current=current)
    for name, settings in presets_of(state, slot.pipeline).items():
        help = ", ".join(f"{key} {in_words(value)}" for key, value in settings.items())
        yield PaletteEntry(f"{of_b}preset: {name}", help, calling(tuning.set_preset, name))


def _variants(
    state: ViewerState,
    slot: Run,
    title: str,
    modifier: str,
    choose: Callable[[ViewerState, str], None],
) -> Iterator[PaletteEntry]:
    """Yield entries for the variants of run A or B, which digits with a modifier also choose."""
    for variant, key in _with_keys(slot.pipeline.offered, modifier):
        run, why = calling(choose, variant.name), state.absent.get(variant.device, "")
        current = variant.name == slot.variant
        yield PaletteEntry(f"{title}: {variant.name}", variant.help, run, key, why, current)


def _with_keys(listed: Iterable[T], modifier: str) -> Iterable[tuple[T, str]]:
    """Pair the items of a list with their keys (digit with modifier); empty without a key."""
    return zip(listed, chain((f"{modifier}{digit}" for digit in DIGITS), repeat("")), strict=False)


def _parameters(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield palette entries that set a parameter to a value or a typed number, or reset it."""
    slot, of_b = tuning.tuned(state), "B: " if tuning.tunes_b(state) else ""
    default = defaults(slot.pipeline.params)
    for name, control in controls(slot.pipeline.params).items():
        value, label = slot.params.values()[name], f"{of_b}{spoken(name)}"
        for choice in control.choices:
            current, run = choice == value, calling(tuning.set_parameter, name, choice)
            yield PaletteEntry(f"{label}: {in_words(choice)}", control.help, run, current=current)
        if not control.choices:
            bounds = f"{control.bounds[0].upper()}{control.bounds[1:]} {control.unit}".rstrip()
            help = f"{control.help} {bounds}."
            take = _parameter_taker(name, control)
            yield PaletteEntry(f"{label} ...", help, take=take, begin=in_words(value))
        if value != default[name]:
            help = f"to its default, {in_words(default[name])} {control.unit}".rstrip()
            yield PaletteEntry(
                f"{of_b}reset {spoken(name)}", help, calling(tuning.reset_parameter, name)
            )


def _parameter_taker(name: str, control: Control) -> Callable[[ViewerState, str], None]:
    """Return a function that sets a parameter to the typed value, or reports why it is refused."""

    def take(state: ViewerState, text: str) -> None:
        try:
            value = parameter_value(control, name, text.strip())
        except ValueError as error:
            state.report_error(str(error))
        else:
            tuning.set_parameter(state, name, value)

    return take


def _shown(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield palette entries for the values of every choice about the view."""
    for declared in choices():
        yield from _values_of(state, declared)
        if declared.name == "ranges":
            help = "LOW,HIGH: values of the first and the last colour, in the image's unit."
            yield PaletteEntry("range shown ...", help, take=take_range)


def _values_of(state: ViewerState, declared: Choice) -> Iterator[PaletteEntry]:
    """Yield a palette entry for each value of a choice, or an entry that asks for a number.

    Switches with keys are listed among the actions.
    """
    traits, path, now = declared.traits, declared.path, declared.get(state)
    of_b = "B: " if declared is VIEW and tuning.tunes_b(state) else ""
    if not traits.listed or (declared.is_switch and traits.keys):
        return
    for value, meaning in declared.values(state).items():
        name = f"{of_b}{declared.title}: {traits.shown_as.get(value, in_words(value))}"
        run = calling(choose, path, value)
        yield PaletteEntry(name, meaning, run, current=value == now, also=traits.also)
    if declared.kind in (int, float):
        control = declared.control
        take, begin = _number_taker(declared), in_words(now)
        help = f"{control.help}, {control.bounds}"
        yield PaletteEntry(f"{declared.title} ...", help, take=take, begin=begin)


def _number_taker(declared: Choice) -> Callable[[ViewerState, str], None]:
    """Return a function that sets a choice to the typed number, or reports why it is refused."""

    def take(state: ViewerState, text: str) -> None:
        try:
            value = declared.kind(text.strip())
        except ValueError:
            state.report_error(f"{declared.title} is a number (got {text.strip()!r})")
        else:
            choose(state, declared.path, value)

    return take


def _actions(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield palette entries for the actions of keys and for the panels.

    Keys that choose an entry of a list are omitted.
    """
    groups = grouped(state.slot.pipeline, served=state.served)
    for heading, group in groups.items():
        if heading == OPENED:
            continue
        for action in group:
            if not action.chooses:
                yield from _of_action(action)
    for panel, action in zip(PANELS, groups.get(OPENED, ()), strict=True):
        opened = panel.name in state.open_panels and state.panels
        run = calling(action.run, 0)
        name, also = action.each[0], f"panel {panel.also}"
        yield PaletteEntry(name, panel.help, run, panel.key, current=opened, also=also)


def _of_action(action: Action) -> Iterator[PaletteEntry]:
    if not action.each:
        run, keys = calling(action.run, 0), action.shown_keys
        yield PaletteEntry(action.help, "", run, keys, also=action.also)
    for position, name in enumerate(action.each):
        run, keys = calling(action.run, position), action.keys[position]
        yield PaletteEntry(name, "", run, keys, also=action.also)


def kept(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield palette entries that save, delete and open presets, settings and files."""
    slot = tuning.tuned(state)
    if controls(slot.pipeline.params):
        help = "Save the parameters under a name."
        yield PaletteEntry(SAVE_PRESET, help, take=_effect_taker("save preset"))
    for name in state.presets.get(slot.pipeline.name, {}):
        run = requesting("delete preset", slot.pipeline.name, name)
        yield PaletteEntry(f"{DELETE_PRESET}{name}", "Saved by you.", run)
    help = "All settings; opening the file restores them."
    yield PaletteEntry(SAVE_SETTINGS, help, take=_effect_taker("save settings"))
    if not state.served:
        help, also = "A copy of the window for a phone or another machine.", "qr code serve phone"
        yield PaletteEntry(SHARE, help, requesting("share"), also=also)
    path = FILE_CHOICES["path"]
    yield PaletteEntry(OPEN_PATH, path.help, take=_effect_taker(*path.effect))
    for name in ("truth", "calibration"):
        chosen = FILE_CHOICES[name]
        yield PaletteEntry(chosen.asks, chosen.help, requesting("load", name), also="open import")
    help = "Metres between the cameras, for a pair whose depth is relative."
    take = _effect_taker("change source", "baseline")
    yield PaletteEntry(SET_BASELINE, help, take=take, also="metres meters depth camera")
    for scene, shows in SCENES_SHOW.items():
        help = f"A built-in scene: {shows}."
        yield PaletteEntry(f"scene: {scene}", help, requesting("open scene", scene))
    help, also = "The program in six steps.", "introduction guide learn first help"
    yield PaletteEntry(TOUR, help, requesting("tour", "begin"), also=also)
    help, run = "Stereo, explained step by step.", calling(ViewerState.show_panel, LESSON)
    yield PaletteEntry(LESSONS, help, run, also="learn teach course exercise")
    help = "Match features of both views and align their rows; depth is then relative."
    yield PaletteEntry(RECTIFY, help, requesting("rectify"))


def _workspaces(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield palette entries for workspaces, and for commands on arrangements of panels."""
    workspaces = state.workspaces
    for name in workspaces.names:
        run, current = calling(ViewerState.show_workspace, name), name == workspaces.name
        also = "tabs panels layout arrange"
        yield PaletteEntry(f"workspace: {name}", help_of(name), run, current=current, also=also)
    yield from arranging(state)


def arranging(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield palette entries that name, reset and delete arrangements of panels."""
    help, also = "Save the current arrangement as a new workspace.", "save layout"
    yield PaletteEntry(NAME_WORKSPACE, help, take=ViewerState.name_workspace, also=also)
    help = "Open the panels of this workspace at their original places."
    yield PaletteEntry(RESET_WORKSPACE, help, ViewerState.reset_workspace, also="layout default")
    for name in state.workspaces.own:
        run = calling(ViewerState.delete_workspace, name)
        yield PaletteEntry(f"{DELETE_WORKSPACE}{name}", "Named by you.", run)


def _history(state: ViewerState) -> Iterator[PaletteEntry]:
    """Yield entries that return to a state of the undo history, or copy its run to A or B."""
    history = state.history
    for number in range(len(history.steps) + 1 if history.steps else 0):
        text, current = undoing.in_short(state, number), number == history.done
        run = calling(undoing.go_to, number)
        yield PaletteEntry(
            f"history: {text}", "Go back to the state after this step.", run, current=current
        )
        for letter in "ab":
            name, run = letter.upper(), calling(undoing.put_in_slot, number, letter)
            help = f"Set {name} to A's state after this step."
            yield PaletteEntry(f"{name} from history: {text}", help, run)


def _effect_taker(*effect: str) -> Callable[[ViewerState, str], None]:
    """Return a function that requests an action with the typed text as its last argument."""
    return lambda state, text: state.request(*effect, text.strip())
