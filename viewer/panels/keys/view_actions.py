"""The keys for view, colours, range, measuring, place and frames, as data."""

from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.choices.undoing import redo, undo
from wheatstone.viewer.display.picture.range_choice import reset_ranges
from wheatstone.viewer.panels.keys import program_keys, slot_keys
from wheatstone.viewer.panels.keys.action import (
    DISPARITY,
    FRAMES,
    HISTOGRAM,
    IN_SPACE,
    JUDGED,
    LAYOUTS,
    MEASURED,
    MOVED,
    SEQUENCE,
    SLOW,
    SLOWED,
    SPACE,
    TRUTH,
    Action,
    pressing,
    stepping,
    together,
)

KEPT_ACTIONS: tuple[Action, ...] = (
    Action(("Ctrl+O",), "open a pair, a picture or a video", program_keys.effect("open a file")),
    Action(("Ctrl+Shift+O",), "open a folder", program_keys.effect("open a folder")),
    Action(("S",), "screenshot that can restore all settings", program_keys.effect("screenshot")),
    Action(
        ("Shift+S",),
        "open the folder that screenshots go to",
        program_keys.effect("screenshots folder"),
    ),
    Action(("Ctrl+S",), "screenshot, values and settings", program_keys.effect("save all")),
    Action(
        ("Ctrl+Shift+S",),
        "figure of this for a report, as PDF, SVG and PNG",
        program_keys.effect("figure"),
    ),
    Action(
        ("Ctrl+E",),
        "cloud of the points seen, as PLY",
        program_keys.effect("save cloud"),
        needs=DISPARITY,
    ),
    Action(("Ctrl+R",), "record, or end the recording", program_keys.effect("record")),
    Action(("L",), "copy the command line that shows this", program_keys.effect("copy line")),
    Action(
        ("Ctrl+D",),
        "next layout of the views in a picture",
        program_keys.effect("next layout"),
        needs=LAYOUTS,
    ),
    Action(("F5",), "read the source again", program_keys.effect("reload")),
)

CHANGED_ACTIONS: tuple[Action, ...] = (
    Action(("Ctrl+Z",), "undo the last choice", lambda state, _: undo(state)),
    Action(("Ctrl+Y", "Ctrl+Shift+Z"), "redo the choice undone last", lambda state, _: redo(state)),
)

PROGRAM_ACTIONS: tuple[Action, ...] = (
    Action(
        ("Ctrl+Shift+P",),
        "find anything by its name",
        lambda state, _: setattr(state, "palette", Palette()),
    ),
    Action(("Alt",), "go through the menus by arrow keys", program_keys.menus),
    Action(("H", "F1"), "this help", program_keys.switch("help"), on=(lambda state: state.help,)),
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
    Action(("Q",), "quit", lambda state, _: setattr(state, "closing", True), menu="File"),
)


SHOWN_ACTIONS: tuple[Action, ...] = (
    Action(
        ("V", "Shift+V"),
        "next or previous view",
        slot_keys.view,
        each=("next view", "previous view"),
        title="view",
        offers=slot_keys.views,
    ),
    stepping("colormap"),
    Action(("N",), "fit the range to what is visible", program_keys.effect("fit range")),
    Action(("R",), "range as declared", lambda state, _: reset_ranges(state)),
    stepping("look.colorbar"),
    Action(
        ("Shift+I",),
        "pin the pixel inspected, or release it",
        program_keys.effect("pin"),
        menu=MEASURED,
    ),
    Action(
        ("Ctrl+Shift+I",),
        "pin another pixel for the inspector's table, or release it",
        program_keys.effect_in("inspector", "pin another"),
        menu=MEASURED,
    ),
    Action(
        ("Ctrl+I",),
        "measure from the pinned pixel to this one, or to none",
        program_keys.effect_in("measure", "measure to"),
        menu=MEASURED,
    ),
    Action(
        ("Shift+F8",),
        "measure in a rectangle in the middle, or in none",
        program_keys.effect_in("measure", "measure in"),
        menu=MEASURED,
    ),
    together(
        ("look.logarithmic", "look.whole"),
        "histogram: logarithmic, of the whole image",
        ("histogram: linear or logarithmic", "histogram: all or what is seen"),
        menu=HISTOGRAM,
    ),
    stepping("temporal.show", needs=SEQUENCE),
    stepping("unfolding.stage", SLOW),
    stepping("unfolding.moment", SLOW, SLOWED),
    stepping("unfolding.plays", SLOW, SLOWED),
    stepping("truth.show", JUDGED, TRUTH),
    stepping("truth.convention", JUDGED, TRUTH),
    stepping("truth.region", JUDGED, TRUTH),
    Action(
        ("Shift+Y", "Alt+Y"),
        "next or previous of the worst regions",
        lambda state, position: state.request("worst region", ("1", "-1")[position]),
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
)
