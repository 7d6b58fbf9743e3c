"""The menus as plain data: a line for every key action, and for values to choose from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wheatstone.viewer.choices.dialogs import Recent
from wheatstone.viewer.choices.file_choices import LOAD_CALIBRATION, LOAD_TRUTH, OPEN_PATH
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import Choice, choice, choose, press
from wheatstone.viewer.choices.workspaces import help_of
from wheatstone.viewer.io.scenes import SCENES_SHOW
from wheatstone.viewer.panels.keys.action import (
    BAR,
    DIGITS,
    MENUS,
    SETTINGS,
    Action,
    MenuItem,
    calling,
    requesting,
)
from wheatstone.viewer.panels.keys.actions import grouped
from wheatstone.viewer.panels.keys.palette.entries import (
    DELETE_PRESET,
    DELETE_WORKSPACE,
    LESSONS,
    NAME_WORKSPACE,
    RECTIFY,
    RESET_WORKSPACE,
    SAVE_PRESET,
    SAVE_SETTINGS,
    SHARE,
    TOUR,
    PaletteEntry,
    arranging,
    kept,
)
from wheatstone.viewer.panels.keys.palette.finding import take
from wheatstone.viewer.words import in_words

RECENT = "open recent"


def menu_of(heading: str, action: Action) -> tuple[str, str]:
    """Return the menu and the submenu that contain a key action; either may be empty."""
    menu, _, within = (action.menu or MENUS[heading]).partition("/")
    return menu, within


def menus(state: ViewerState, lacks: Mapping[str, str]) -> dict[str, tuple[MenuItem, ...]]:
    """Build the menus for a viewer state, by name, in the order of the menu bar.

    Args:
        lacks: for every need of actions why it is not met, as ``lacking`` returns it.
    """
    by_name: dict[str, list[MenuItem]] = {name: [] for name in BAR}
    begun: set[tuple[str, str]] = set()
    for heading, actions in _by_menu(state):
        for menu, within, items in _placed(heading, actions, state, lacks):
            lines = by_name[menu]
            if lines and (menu, heading) not in begun:
                items = _divided(items)
            begun.add((menu, heading))
            if within:
                _put_within(lines, within, items)
            else:
                lines += items
    loads = _divided(_of_palette(kept(state), [LOAD_TRUTH, LOAD_CALIBRATION]))
    browser, *saves = by_name["File"][4:]
    saves = _divided([browser, *_of_palette(kept(state), [SHARE]), *saves])
    by_name["File"][4:] = [*_recent(state.recent), _scenes(), *loads, *saves]
    by_name["Compute"] += _of_palette(kept(state), [RECTIFY])
    by_name["Help"][1:1] = _of_palette(kept(state), [TOUR, LESSONS])
    by_name["Panels"] += _divided(_workspaces(state))
    by_name[SETTINGS] += _settings(state)
    return {name: tuple(lines) for name, lines in by_name.items()}


def _by_menu(state: ViewerState) -> Iterator[tuple[str, list[Action]]]:
    """Yield the key actions by heading, first those listed in the menu of their heading."""
    away = []
    for heading, actions in grouped(state.slot.pipeline, served=state.served).items():
        own = [action for action in actions if menu_of(heading, action)[0] == MENUS[heading]]
        yield heading, own
        away.append((heading, [action for action in actions if action not in own]))
    yield from away


def _placed(
    heading: str, actions: Iterable[Action], state: ViewerState, lacks: Mapping[str, str]
) -> Iterator[tuple[str, str, list[MenuItem]]]:
    """Yield the menu lines of key actions, each list with the names of its menu and submenu.

    The keys that set one choice together make one submenu.
    """
    listed: set[str] = set()
    for action in actions:
        pressed = _pressed(action)
        if pressed and pressed.path in listed:
            continue
        items = [_of_presses(state, pressed)] if pressed else list(_of_action(state, action, lacks))
        listed |= {pressed.path} if pressed else set()
        why_not = lacks.get(action.needs, "")
        if why_not:
            items = [replace(item, why_not=why_not) for item in items]
        yield *menu_of(heading, action), items
        if action.again:
            yield action.again, "", items


def _divided(items: list[MenuItem]) -> list[MenuItem]:
    """Copy menu lines so that a divider is drawn above the first of the copies."""
    return [replace(item, divided=item is items[0]) for item in items]


def _put_within(lines: list[MenuItem], name: str, items: list[MenuItem]) -> None:
    """Add lines to a submenu, and create it if it does not exist."""
    for place, line in enumerate(lines):
        if line.name == name and line.items:
            lines[place] = _menu(name, (*line.items, *items))
            return
    lines.append(_menu(name, tuple(items)))


def _menu(name: str, items: tuple[MenuItem, ...]) -> MenuItem:
    """Build a submenu; it is disabled, with a reason, if none of its lines can be used."""
    reasons = [item.why_not for item in items]
    return MenuItem(name, items=items, why_not=reasons[0] if all(reasons) else "")


def _pressed(action: Action) -> Choice | None:
    """Return the choice that an action sets with one value per key; None for other actions."""
    if len(action.paths) != 1:
        return None
    entry = choice(action.paths[0])
    keys = {key for presses in entry.traits.presses for key in presses.keys}
    named = bool(keys and entry.control.choices)
    return entry if named and keys.issuperset(action.keys) else None


def _of_presses(state: ViewerState, entry: Choice) -> MenuItem:
    """Build the submenu of a choice whose values, or some of them, have keys of their own."""
    keys = {
        value: key
        for presses in entry.traits.presses
        for key, value in zip(presses.keys, presses.values, strict=True)
    }
    items = tuple(
        replace(item, keys=(keys[value],), run=calling(press, entry.path, value))
        if value in keys
        else item
        for value, item in _values(state, entry)
    )
    return _menu(f"choose {entry.title}", items)


def _of_action(state: ViewerState, action: Action, lacks: Mapping[str, str]) -> Iterator[MenuItem]:
    """Yield the menu lines of an action: one per function of its keys, or a submenu of values."""
    if action.offers:
        steps = () if action.chooses else tuple(_of_keys(action, ()))
        offered = _offered(state, action, lacks, divided=bool(steps))
        yield _menu(action.title, (*steps, *offered))
        return
    paths = [choice(path) for path in action.paths]
    switches = [entry for entry in paths if entry.is_switch]
    several = len(paths) == 1 and paths[0].traits.keys and not switches
    if several and paths[0].control.choices and action.listed:
        steps = tuple(_of_keys(action, ()))
        values = [item for _, item in _values(state, paths[0])]
        yield _menu(f"choose {paths[0].title}", (*steps, *_divided(values)))
        return
    ticks = [one(state) for one in action.on]
    yield from _of_keys(action, ticks or [bool(entry.get(state)) for entry in switches])


def _of_keys(action: Action, ticks: Sequence[bool]) -> Iterator[MenuItem]:
    for position, name in enumerate(action.each or (action.help,)):
        keys = (action.keys[position],) if action.each else action.keys
        ticked = position < len(ticks) and ticks[position]
        help = action.help if action.each else ""
        if ticks:  # a tick says which of two verbs was done: "show or hide", "pause or play"
            verb, _, other = name.partition(" or ")
            name = f"{verb} {other.partition(' ')[2]}" if other and " " not in verb else name
        yield MenuItem(name, calling(action.run, position), help, ticked=ticked, keys=keys)


def _offered(
    state: ViewerState, action: Action, lacks: Mapping[str, str], *, divided: bool
) -> Iterator[MenuItem]:
    """Yield a menu line for every entry that an action offers, with the digit key for it."""
    assert action.offers
    for place, offer in enumerate(action.offers(state)):
        keys = action.keys[place :: len(DIGITS)] if action.chooses and place < len(DIGITS) else ()
        why_not = offer.why_not or lacks.get(offer.needs, "")
        yield replace(offer, keys=keys, why_not=why_not, divided=divided and not place, as_is=True)


def _values(state: ViewerState, entry: Choice) -> Iterator[tuple[Any, MenuItem]]:
    """Yield every value of a choice, with a menu line that sets it."""
    now, why_not = entry.get(state), entry.traits.why_not
    for value, meaning in entry.values(state).items():
        name = entry.traits.shown_as.get(value, in_words(value))
        reason = why_not(state, value) if why_not else ""
        run = calling(choose, entry.path, value)
        yield value, MenuItem(name, run, meaning, reason, value == now, as_is=True)


def _recent(recent: Sequence[Recent]) -> list[MenuItem]:
    """Build the submenu of recently opened sources."""
    items = tuple(
        MenuItem(
            ", ".join(filter(None, (source.title, source.options))),
            requesting(RECENT, str(number)),
            picture=source.thumbnail,
            as_is=True,
        )
        for number, source in enumerate(recent)
    )
    return [MenuItem(RECENT, items=items, why_not="" if items else "nothing was opened yet")]


def _settings(state: ViewerState) -> list[MenuItem]:
    """Build the menu lines for theme, presets and settings."""
    theme = choice("look.theme")
    return [
        _menu(f"choose {theme.title}", tuple(item for _, item in _values(state, theme))),
        *_divided(_of_palette(kept(state), [SAVE_PRESET])),
        _deletes(kept(state), DELETE_PRESET, "no preset was saved"),
        *_divided(_of_palette(kept(state), [SAVE_SETTINGS, OPEN_PATH])),
    ]


def _workspaces(state: ViewerState) -> list[MenuItem]:
    """Build the menu lines for workspaces and for the arrangement of panels."""
    return [
        _menu("choose workspace", workspace_lines(state)),
        *_of_palette(arranging(state), [NAME_WORKSPACE, RESET_WORKSPACE]),
        _deletes(arranging(state), DELETE_WORKSPACE, "no arrangement was named"),
    ]


def workspace_lines(state: ViewerState) -> tuple[MenuItem, ...]:
    """Build a menu line for every workspace."""
    workspaces = state.workspaces
    return tuple(
        MenuItem(
            name,
            calling(ViewerState.show_workspace, name),
            help=help_of(name),
            ticked=name == workspaces.name,
            as_is=True,
        )
        for name in workspaces.names
    )


def _deletes(entries: Iterable[PaletteEntry], name: str, why_not: str) -> MenuItem:
    """Build the submenu of delete commands: the palette entries that begin with ``name``."""
    items = tuple(
        MenuItem(entry.name.removeprefix(name), entry.run, as_is=True)
        for entry in entries
        if entry.name.startswith(name)
    )
    return MenuItem(name.removesuffix(": "), items=items, why_not="" if items else why_not)


def _of_palette(entries: Iterable[PaletteEntry], names: Sequence[str]) -> list[MenuItem]:
    """Build menu lines that run palette entries; an entry may ask for a text first."""
    known = {entry.name: entry for entry in entries}
    return [
        MenuItem(name, calling(take, known[name]), help=known[name].help)
        for name in names
        if name in known
    ]


def _scenes() -> MenuItem:
    items = tuple(
        MenuItem(scene, requesting("open scene", scene), help=shows, as_is=True)
        for scene, shows in SCENES_SHOW.items()
    )
    return MenuItem("open built-in scene", items=items)


def every(items: Iterable[MenuItem]) -> Iterator[MenuItem]:
    """Yield the menu lines that run a command, including those in submenus."""
    for item in items:
        if item.items:
            yield from every(item.items)
        else:
            yield item
