"""The keys that save and open files, undo choices, and control the program, as data."""

from wheatstone.viewer.keys import program_keys
from wheatstone.viewer.keys.action import DISPARITY, LAYOUTS, Action, pressing, stepping

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
    Action(("Ctrl+Z",), "undo the last choice", program_keys.undo),
    Action(("Ctrl+Y", "Ctrl+Shift+Z"), "redo the choice undone last", program_keys.redo),
)

PROGRAM_ACTIONS: tuple[Action, ...] = (
    Action(("Ctrl+Shift+P",), "find anything by its name", program_keys.palette),
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
    Action(("Q",), "quit", program_keys.quit, menu="File"),
)
