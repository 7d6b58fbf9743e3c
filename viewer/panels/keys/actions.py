"""The table of all key actions, for the window, the palette, the help and docs/keys.md."""

from collections.abc import Mapping
from functools import cache

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choices
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys import program_keys
from wheatstone.viewer.panels.keys.action import (
    CHANGED,
    COMPARED,
    COMPUTED,
    DISPARITY,
    KEPT,
    OF_GROUPS,
    OPENED,
    OWN_WINDOW,
    PROGRAM,
    SEQUENCE,
    SHOWN,
    Action,
    pressing,
    stepping,
)
from wheatstone.viewer.panels.keys.slot_actions import COMPARED_ACTIONS, COMPUTED_ACTIONS
from wheatstone.viewer.panels.keys.view_actions import (
    CHANGED_ACTIONS,
    KEPT_ACTIONS,
    PROGRAM_ACTIONS,
    SHOWN_ACTIONS,
)
from wheatstone.viewer.panels.panel import Panel
from wheatstone.viewer.words import spoken

FIXED: Mapping[str, tuple[Action, ...]] = {
    COMPUTED: COMPUTED_ACTIONS,
    SHOWN: SHOWN_ACTIONS,
    COMPARED: COMPARED_ACTIONS,
    KEPT: KEPT_ACTIONS,
    CHANGED: CHANGED_ACTIONS,
    PROGRAM: PROGRAM_ACTIONS,
}
"""The actions that exist whatever is shown, under their headings."""


def grouped(pipeline: Pipeline, *, served: bool = False) -> dict[str, tuple[Action, ...]]:
    """Return all key actions available with a pipeline, by the heading of their group.

    Args:
        served: whether the window is in browsers, which lack the actions that end the program.
    """
    stepping_params = tuple(
        Action(
            control.keys,
            f"decrease or increase {spoken(name)}",
            program_keys.stepper(name),
            each=(f"decrease {spoken(name)}", f"increase {spoken(name)}"),
        )
        for name, control in controls(pipeline.params).items()
        if control.keys
    )
    toggles = tuple(_toggling(panel) for panel in PANELS)
    added = {COMPUTED: FIXED[COMPUTED] + stepping_params, SHOWN: FIXED[SHOWN] + _unplaced()}
    groups = {**FIXED, **added, **({OPENED: toggles} if toggles else {})}
    return {
        heading: tuple(action for action in group if not (served and action.needs == OWN_WINDOW))
        for heading, group in groups.items()
    }


def _toggling(panel: Panel) -> Action:
    return Action(
        (panel.key,),
        f"show or hide panel {panel.title}: {panel.help}",
        program_keys.toggle(panel),
        each=(f"show {panel.spoken}",),
        on=(lambda state: state.panels and panel.name in state.open_panels,),
        needs=SEQUENCE if panel.of_sequences else DISPARITY if panel.of_disparity else "",
    )


@cache
def _unplaced() -> tuple[Action, ...]:
    """Build the key actions of choices that declare keys but are missing in the table."""
    placed = {path for group in FIXED.values() for action in group for path in action.paths}
    listed: list[Action] = []
    for choice in choices():
        if choice.path not in placed:
            menu, needs = OF_GROUPS.get(choice.group, ("", ""))
            listed += [stepping(choice.path, menu, needs)] if choice.traits.keys else []
            listed += pressing(choice.path)
    return tuple(listed)


def actions(pipeline: Pipeline, *, served: bool = False) -> tuple[Action, ...]:
    """Return all key actions available with a pipeline, in the order of their headings."""
    groups = grouped(pipeline, served=served).values()
    return tuple(action for group in groups for action in group)


def press(state: ViewerState, key: str, *, held: bool = False) -> bool:
    """Run the action of a pressed key; return False if no action has the key.

    Unless the key is ``held``, this begins a new step of the history.
    """
    undoing.follow(state)
    if not held:
        state.history.begin_gesture()
    for action in actions(state.slot.pipeline, served=state.served):
        if key in action.keys:
            action.run(state, action.keys.index(key))
            undoing.note(state)
            return True
    return False
