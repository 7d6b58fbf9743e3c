"""Actions of keys, and functions that build them from the declarations of user choices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wheatstone.viewer.choices.declared import Presses
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import Choice, choice, press, step

DIGITS = tuple("123456789")
COMPUTED, SHOWN, COMPARED, KEPT, CHANGED, PROGRAM, OPENED = (
    "Computation",
    "Display",
    "A and B",
    "Open and save",
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
"""The menu of every heading; an action may name another one."""
MEASURE, PLAYBACK, SETTINGS = "Measure", "Playback", "Settings"
BAR = (
    *("File", "Edit", "View", MEASURE, PLAYBACK),
    *("Compute", "Compare", "Panels", SETTINGS, "Help"),
)
"""The menus in the order of the menu bar."""
JUDGED, HISTOGRAM, IN_SPACE, MOVED, SLOW = (
    "Measure/Compare with ground truth",
    "View/Adjust histogram",
    "View/Adjust point cloud",
    "View/Move picture",
    "Playback/Stage in slow motion",
)
OWN_WINDOW = "a window of its own"
"""The need of actions that a window in browsers does not have at all."""
SEQUENCE, LAYOUTS, SPACE, MIXED, TRUTH, DISPARITY, SLOWED, PROBE, RANGE, TEMPLATE, SEVERAL = (
    "a sequence",
    "layouts",
    "a view in space",
    "a comparison",
    "ground truth",
    "a disparity",
    "a stage in slow motion",
    "matching costs",
    "a range of values",
    "a template",
    "several sources",
)
"""Conditions that an action may need; ``panels.keys.menu.bars`` explains why one is not met."""
OF_GROUPS: Mapping[str, tuple[str, str]] = {"cloud": (IN_SPACE, SPACE)}
"""Menu and need of the actions without a place in the table, by the group of their choice."""


def calling(change: Callable[..., None], *values: object) -> Callable[[ViewerState], None]:
    """Return a function that calls ``change`` with the viewer state and the given values."""
    return lambda state: change(state, *values)


def requesting(*effect: str) -> Callable[[ViewerState], None]:
    """Return a function that requests an action of the program, such as opening a file dialog."""
    return lambda state: state.request(*effect)


def nothing(state: ViewerState) -> None:
    """Do nothing: the function of a menu line that only opens a submenu."""


@dataclass(frozen=True)
class MenuItem:
    """One line of a menu: a command, a submenu, or one of several values to choose from.

    Attributes:
        why_not: why it cannot be done here and now; empty if it can.
        ticked: whether it is on, or chosen.
        needs: a condition, as of an action.
        items: the lines of a submenu; empty for a command.
        picture: a file with a small picture of it; None without one.
        as_is: whether the name is that of a value or a source, which keeps its small letters.
    """

    name: str
    run: Callable[[ViewerState], None] = nothing
    help: str = ""
    why_not: str = ""
    ticked: bool = False
    needs: str = ""
    keys: tuple[str, ...] = ()
    items: tuple["MenuItem", ...] = ()
    divided: bool = False
    picture: Path | None = None
    as_is: bool = False


@dataclass(frozen=True)
class Action:
    """A command of the user interface that one or several keys run.

    Attributes:
        keys: the keys, such as ``Ctrl+1``, ``Shift+[``, ``F11``.
        run: does it; called with the state and the position of the pressed key in ``keys``.
        short: the keys as people read them; empty: all of ``keys``.
        each: for the palette, the effect of every key; empty: all do as ``help`` describes.
        chooses: whether every key takes one entry of a list that the palette lists separately.
        paths: of the choices that it changes and whose declarations name its keys.
        menu: the menu that lists it, and after a slash the menu within; empty: its heading's.
        again: a second menu that lists it, where it is also looked for.
        title: the name of the list of ``offers``.
        offers: lists the entries to choose from, which menus show in place of the keys.
        on: for each key that turns something on or off, returns whether that is on.
        needs: a condition for it to be of any use, such as ``SEQUENCE``; empty: no condition.
        listed: whether menus list the values of its choice; if not, another list holds them.
        also: other words that find it in the palette.
    """

    keys: tuple[str, ...]
    help: str
    run: Callable[[ViewerState, int], None]
    short: str = ""
    each: tuple[str, ...] = ()
    chooses: bool = False
    paths: tuple[str, ...] = ()
    menu: str = ""
    again: str = ""
    title: str = ""
    offers: Callable[[ViewerState], tuple[MenuItem, ...]] | None = None
    on: tuple[Callable[[ViewerState], bool], ...] = ()
    needs: str = ""
    listed: bool = True
    also: str = ""

    @property
    def shown_keys(self) -> str:
        """Return the keys as text for display."""
        return self.short or " ".join(self.keys)


def asking(
    key: str,
    help: str,
    effect: str,
    *,
    panel: str = "",
    menu: str = "",
    needs: str = "",
    also: str = "",
) -> Action:
    """Build the action of a key that opens a panel, if one is named, and requests an effect."""

    def run(state: ViewerState, position: int) -> None:
        if panel:
            state.show_panel(panel)
        state.request(effect)

    return Action((key,), help, run, menu=menu, needs=needs, also=also)


def stepping(path: str, menu: str = "", needs: str = "") -> Action:
    """Build the action of the keys that set a choice to its next and previous value."""
    entry = choice(path)
    names = tuple(f"choose {word} {entry.title}" for word in ("next", "previous"))
    both = len(entry.traits.keys) > 1
    usual = f"choose next or previous {entry.title}" if both else _alone(entry)
    return Action(
        entry.traits.keys,
        entry.traits.key_help or usual,
        lambda state, position: step(state, path, (1, -1)[position]),
        each=entry.traits.each or (names if both else ()),
        paths=(path,),
        menu=menu,
        needs=needs,
    )


def together(paths: tuple[str, ...], help: str, each: tuple[str, ...], menu: str = "") -> Action:
    """Build one key action for several switches, in which each key toggles its own switch."""
    keys = tuple(choice(path).traits.keys[0] for path in paths)

    def run(state: ViewerState, position: int) -> None:
        step(state, paths[position])

    return Action(keys, help, run, each=each, paths=paths, menu=menu)


def _alone(entry: Choice) -> str:
    return f"{'show or hide' if entry.is_switch else 'choose next'} {entry.title}"


def pressing(path: str, menu: str = "") -> tuple[Action, ...]:
    """Build key actions, each of which sets a choice to a certain value."""
    return tuple(_pressed(path, presses, menu) for presses in choice(path).traits.presses)


def _pressed(path: str, presses: Presses, menu: str) -> Action:
    return Action(
        presses.keys,
        presses.help,
        lambda state, position: press(state, path, presses.values[position]),
        each=presses.each,
        paths=(path,),
        menu=menu,
    )
