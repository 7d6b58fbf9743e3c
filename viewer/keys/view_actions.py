"""The keys of what is shown: view, colours, range, measuring, place, frames; as data."""

from viewer.keys import program_keys, slot_keys
from viewer.keys.action import SEQUENCE, SPACE, TRUTH, Action, stepping, together
from viewer.keys.headings import FRAMES, HISTOGRAM, IN_SPACE, JUDGED, MEASURED, MOVED

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
)
