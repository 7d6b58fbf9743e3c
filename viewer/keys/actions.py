"""The table of what keys do, read by the window, the palette, the help and docs/keys.md."""

from collections.abc import Mapping
from functools import cache

from gpu.parameters import controls
from gpu.pipeline import Pipeline
from viewer.choices import scrub, undoing
from viewer.choices.state import ViewerState
from viewer.choices.table import choices
from viewer.choices.words import spoken
from viewer.keys import program_keys, slot_keys
from viewer.keys.action import (
    DISPARITY,
    LAYOUTS,
    MIXED,
    SEQUENCE,
    SPACE,
    TRUTH,
    Action,
    pressing,
    stepping,
    together,
)
from viewer.panels import PANELS
from viewer.panels.panel import Panel

DIGITS = tuple("123456789")
COMPUTED, SHOWN, COMPARED, KEPT, CHANGED, PROGRAM, OPENED = (
    "What is computed",
    "What is shown",
    "A and B",
    "To keep and to open",
    "Changes",
    "Program",
    "Panels",
)
MENUS: Mapping[str, str] = {
    KEPT: "File",
    CHANGED: "Edit",
    SHOWN: "View",
    COMPUTED: "Compute",
    COMPARED: "Compare",
    OPENED: "Panels",
    PROGRAM: "Help",
}
"""The menu of every heading, in the order of the menu bar; an action may name another one."""
FRAMES, JUDGED, MEASURED, HISTOGRAM, IN_SPACE, MOVED = (
    "View/Frames",
    "View/Errors and ground truth",
    "View/Measure",
    "View/Histogram",
    "View/In space",
    "View/Zoom and move",
)
OF_GROUPS: Mapping[str, tuple[str, str]] = {"cloud": (IN_SPACE, SPACE)}
"""Menu and need of the actions that have no place in the table, by the group of their choice."""


FIXED: Mapping[str, tuple[Action, ...]] = {
    COMPUTED: (
        Action(
            DIGITS,
            "variant",
            slot_keys.variant,
            "1..9",
            chooses=True,
            title="variant",
            offers=slot_keys.variants,
        ),
        Action(
            tuple(f"Ctrl+{d}" for d in DIGITS),
            "pipeline",
            slot_keys.pipeline,
            "Ctrl+1..9",
            chooses=True,
            title="pipeline",
            offers=slot_keys.pipelines,
        ),
        Action(
            ("P", "Shift+P"),
            "next or previous preset",
            slot_keys.preset,
            each=("next preset", "previous preset"),
            title="preset",
            offers=slot_keys.presets,
        ),
        Action(
            ("A", "Shift+A"),
            "next or previous path alone, then the first few, then all",
            scrub.scrub,
            each=("path scrub: next", "path scrub: previous"),
        ),
    ),
    SHOWN: (
        Action(
            ("V", "Shift+V"),
            "next or previous view",
            slot_keys.view,
            each=("next view", "previous view"),
            title="view",
            offers=slot_keys.views,
        ),
        stepping("colormap"),
        Action(("N",), "fit the range to what is visible", program_keys.errand("fit range")),
        Action(("R",), "range as declared", program_keys.reset_range),
        stepping("look.colorbar"),
        Action(
            ("Shift+I",),
            "pin the pixel inspected, or release it",
            program_keys.errand("pin"),
            menu=MEASURED,
        ),
        Action(
            ("Ctrl+Shift+I",),
            "pin another pixel for the inspector's table, or release it",
            program_keys.pin_another,
            menu=MEASURED,
        ),
        Action(
            ("Ctrl+I",),
            "measure from the pinned pixel to this one, or to none",
            program_keys.measure("to"),
            menu=MEASURED,
        ),
        Action(
            ("Shift+F8",),
            "measure in a rectangle in the middle, or in none",
            program_keys.measure("in"),
            menu=MEASURED,
        ),
        together(
            ("look.logarithmic", "look.whole"),
            "histogram: logarithmic, of the whole image",
            ("histogram: linear or logarithmic", "histogram: all or what is seen"),
            menu=HISTOGRAM,
        ),
        stepping("temporal.show", needs=SEQUENCE),
        stepping("truth.show", JUDGED, TRUTH),
        stepping("truth.convention", JUDGED, TRUTH),
        stepping("truth.region", JUDGED, TRUTH),
        Action(
            ("Shift+Y", "Alt+Y"),
            "next or previous of the worst regions",
            program_keys.worst_region,
            each=("worst regions: next", "worst regions: previous"),
            menu=JUDGED,
            needs=TRUTH,
        ),
        Action(("F",), "fit the picture to the window", program_keys.fit, menu=MOVED),
        Action(
            ("Plus", "Minus"),
            "zoom in or out",
            program_keys.zoom,
            each=("zoom in", "zoom out"),
            menu=MOVED,
        ),
        Action(
            ("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down"),
            "move in the picture",
            program_keys.pan,
            "Shift+arrows",
            each=tuple(f"look further {way}" for way in ("left", "right", "up", "down")),
            menu=MOVED,
        ),
        Action(
            ("Home", "Shift+Home"),
            "see points in space as at first, or from the left camera",
            program_keys.go_home,
            each=("view in space: as at first", "view in space: from the left camera"),
            menu=IN_SPACE,
            needs=SPACE,
        ),
        stepping("paused", FRAMES),
        Action(
            (",", "."),
            "previous or next frame",
            program_keys.step_frame,
            each=("previous frame", "next frame"),
            menu=FRAMES,
            needs=SEQUENCE,
        ),
        Action(
            ("Ctrl+,", "Ctrl+."),
            "first or last frame",
            program_keys.jump_frame,
            each=("first frame", "last frame"),
            menu=FRAMES,
            needs=SEQUENCE,
        ),
        stepping("playing.speed", FRAMES, SEQUENCE),
        stepping("playing.loop", FRAMES, SEQUENCE),
    ),
    COMPARED: (
        Action(
            tuple(f"{key}+{d}" for key in ("Shift", "Alt") for d in DIGITS),
            "variant of B",
            slot_keys.variant_b,
            "Shift+1..9",
            chooses=True,
            title="variant of B",
            offers=slot_keys.variants_b,
        ),
        Action(
            ("Ctrl+P",),
            "next preset of B, whose parameters are its own from then on",
            slot_keys.preset_b,
            each=("next preset of B",),
            title="preset of B",
            offers=slot_keys.presets_b,
        ),
        *pressing("mixing.mode"),
        Action(("T",), "toggle between A and B", slot_keys.toggle),
        Action(
            ("Left", "Right"),
            "seam, blink period, onion's mix or difference's reach",
            slot_keys.adjust,
            each=("less: seam, blink, onion, reach", "more: seam, blink, onion, reach"),
            needs=MIXED,
        ),
        Action(("X",), "exchange A and B", slot_keys.exchange),
        Action(
            ("Shift+X",),
            "B keeps its own parameters, or takes A's",
            slot_keys.link,
            on=(lambda state: not state.linked,),
        ),
        Action(
            ("Z",),
            "B stays at this frame, or follows",
            slot_keys.freeze,
            paths=("mixing.frozen",),
            on=(lambda state: state.mixing.frozen is not None,),
            needs=SEQUENCE,
        ),
        Action(
            ("E", "Shift+E"),
            "check that A and B are equal: on screen, every stage",
            slot_keys.identity,
            each=("check that A and B are equal", "check every stage of A and B"),
            on=(lambda state: state.mixing.check, lambda state: state.stages),
        ),
        Action(
            ("J", "Shift+J"),
            "next or previous place where A and B differ",
            slot_keys.jump,
            each=("next place where A and B differ", "previous place where A and B differ"),
        ),
        Action(
            ("Shift+F4", "Ctrl+F4"),
            "start or stop a race, a sweep",
            program_keys.race,
            each=("race: which variant is fastest, or stop", "sweep a parameter, or stop"),
            paths=("racing",),
            on=(lambda state: state.racing == "race", lambda state: state.racing == "sweep"),
        ),
        Action(
            ("Shift+F7", "Ctrl+F7"),
            "next kernel, whole files",
            program_keys.card,
            each=("read the next kernel", "read whole files, or what a kernel uses"),
            paths=("kernel_card.whole",),
            menu="Panels",
        ),
    ),
    KEPT: (
        Action(
            ("Ctrl+O",), "open a pair, a picture or a video", program_keys.errand("open a file")
        ),
        Action(("Ctrl+Shift+O",), "open a folder", program_keys.errand("open a folder")),
        Action(
            ("S",), "screenshot that can restore all settings", program_keys.errand("screenshot")
        ),
        Action(
            ("Shift+S",),
            "open the folder that screenshots go to",
            program_keys.errand("screenshots folder"),
        ),
        Action(("Ctrl+S",), "screenshot, values and settings", program_keys.errand("save all")),
        Action(
            ("Ctrl+E",),
            "cloud of the points seen, as PLY",
            program_keys.errand("save cloud"),
            needs=DISPARITY,
        ),
        Action(("Ctrl+R",), "record, or end the recording", program_keys.errand("record")),
        Action(("L",), "copy the command line that shows this", program_keys.errand("copy line")),
        Action(
            ("Ctrl+D",),
            "next layout of the views in a picture",
            program_keys.errand("next layout"),
            needs=LAYOUTS,
        ),
        Action(("F5",), "read the source again", program_keys.errand("reload")),
    ),
    CHANGED: (
        Action(("Ctrl+Z",), "undo the last choice", program_keys.undo),
        Action(("Ctrl+Y", "Ctrl+Shift+Z"), "redo the choice undone last", program_keys.redo),
    ),
    PROGRAM: (
        Action(("Ctrl+Shift+P",), "find anything by its name", program_keys.palette),
        Action(("Alt",), "go through the menus by arrow keys", program_keys.menus),
        Action(
            ("H", "F1"), "this help", program_keys.switch("help"), on=(lambda state: state.help,)
        ),
        Action(
            ("Tab",),
            "hide or show menus, panels and status line",
            program_keys.switch("panels"),
            menu="View",
            on=(lambda state: state.panels,),
        ),
        Action(
            ("Ctrl+Tab", "Ctrl+Shift+Tab"),
            "work the next or previous panel by keys",
            program_keys.focus,
            each=("work the next panel by keys", "work the previous panel by keys"),
            menu="Panels",
        ),
        stepping("look.scale", menu="View"),
        *pressing("look.scale", menu="View"),
        Action(
            ("F11",),
            "full screen",
            program_keys.switch("fullscreen"),
            menu="View",
            on=(lambda state: state.fullscreen,),
        ),
        Action(
            ("Esc",),
            "cancel what computes, close what lies on top, stop a race, close panels; twice: quit",
            program_keys.close,
            each=("cancel, or close what lies on top",),
            menu="File",
        ),
        Action(("Q",), "quit", program_keys.quit, menu="File"),
    ),
}


def grouped(pipeline: Pipeline) -> dict[str, tuple[Action, ...]]:
    """List all actions while a pipeline is shown, under their headings."""
    stepping_params = tuple(
        Action(
            control.keys,
            f"{spoken(name)} down or up",
            program_keys.stepper(name),
            each=(f"{spoken(name)} down", f"{spoken(name)} up"),
        )
        for name, control in controls(pipeline.params).items()
        if control.keys
    )
    toggles = tuple(_toggling(panel) for panel in PANELS)
    added = {COMPUTED: FIXED[COMPUTED] + stepping_params, SHOWN: FIXED[SHOWN] + _unplaced()}
    return {**FIXED, **added, **({OPENED: toggles} if toggles else {})}


def _toggling(panel: Panel) -> Action:
    """Make the action that opens and closes a panel."""
    return Action(
        (panel.key,),
        f"panel: {panel.help}",
        program_keys.toggle(panel),
        each=(panel.title,),
        on=(lambda state: state.panels and panel.name in state.open_panels,),
        needs=SEQUENCE if panel.of_sequences else "",
    )


@cache
def _unplaced() -> tuple[Action, ...]:
    """Make the actions of choices that declare keys and have no place in the table."""
    placed = {path for group in FIXED.values() for action in group for path in action.paths}
    found: list[Action] = []
    for choice in choices():
        if choice.path not in placed:
            menu, needs = OF_GROUPS.get(choice.group, ("", ""))
            found += [stepping(choice.path, menu, needs)] if choice.traits.keys else []
            found += pressing(choice.path)
    return tuple(found)


def actions(pipeline: Pipeline) -> tuple[Action, ...]:
    """List all actions while a pipeline is shown, in the order of their headings."""
    return tuple(action for group in grouped(pipeline).values() for action in group)


def press(state: ViewerState, key: str, *, held: bool = False) -> bool:
    """Do what a key does, as a step that can be undone; return False if that is nothing.

    Args:
        held: whether the key repeats itself, so that this belongs to the step before.
    """
    undoing.follow(state)
    if not held:
        state.history.begin_gesture()
    for action in actions(state.slot.pipeline):
        if key in action.keys:
            action.run(state, action.keys.index(key))
            undoing.note(state)
            return True
    return False
