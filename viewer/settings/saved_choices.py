"""Convert the user's display choices, such as colours, to TOML and back.

Every group of choices, such as ``look``, is a section of settings; its fields are the keys.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from wheatstone.gpu.parameters import did_you_mean
from wheatstone.viewer.choices.declared import current_name
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import Choice, choices
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.typed_values import check_names, typed, typed_fields

ELSEWHERE = (
    *("slot", "b", "mixing", "palette", "question", "tour", "lesson", "scale", "bounds"),
    *("messages", "workspaces", "sources"),
)
"""Fields of the state that are saved in other sections of settings, or not at all."""


def choice_groups(state: ViewerState) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of every group of display choices in a viewer state."""
    for field in fields(state):
        value = getattr(state, field.name)
        if field.name not in ELSEWHERE and is_dataclass(value):
            yield field.name, value


def kept_in_view() -> dict[str, Choice]:
    """Return the display choices that settings save and that belong to no group, by name."""
    return {choice.name: choice for choice in choices() if not choice.group and choice.traits.kept}


def of_window(state: ViewerState | None = None) -> dict[str, dict[str, Any]]:
    """Return, by group, display choices whose first value in a window is not their default.

    Args:
        state: the state to read the values from; None: the first values of a window.
    """
    by_group: dict[str, dict[str, Any]] = {}
    for choice in choices():
        if choice.group and choice.in_window != choice.default:
            value = choice.get(state) if state else choice.in_window
            by_group.setdefault(choice.group, {})[choice.name] = plain(value)
    return by_group


def to_choices(state: ViewerState) -> dict[str, dict[str, Any]]:
    """Return the display choices that differ from their defaults, by group and name."""
    by_group = {name: _changed(group) for name, group in choice_groups(state)}
    return {name: changed for name, changed in by_group.items() if changed}


def _changed(group: Any) -> dict[str, Any]:
    default = type(group)()
    names = [field.name for field in fields(group) if field.init]
    values = {name: getattr(group, name) for name in names}
    return {
        name: plain(value)
        for name, value in values.items()
        if value is not None and value != getattr(default, name)
    }


def plain(value: Any) -> Any:
    """Convert a value to TOML types: sets and tuples become lists, None items are omitted."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value))
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def apply_choices(state: ViewerState, chosen: Mapping[str, Any]) -> None:
    """Set all display choices of a viewer state from saved ones; missing ones to the defaults.

    Args:
        chosen: choices as ``to_choices`` writes them.

    Raises:
        ValueError: a choice is unknown, or a value impossible.
    """
    known = dict(choice_groups(state))
    groups = {current_name(n): v for n, v in typed(Mapping[str, Any], chosen, "chosen").items()}
    check_names(groups, known, "chosen")
    for name, group in known.items():
        setattr(state, name, _changed_group(type(group)(), groups.get(name, {}), f"chosen.{name}"))


def set_choices(state: ViewerState, triples: Sequence[tuple[str, str, Any]]) -> None:
    """Set single display choices of a viewer state, each given by group, name and value.

    Args:
        triples: group, name and value of each choice.

    Raises:
        ValueError: a choice is unknown, or a value impossible.
    """
    known = dict(choice_groups(state))
    for given_name, choice, value in triples:
        if (name := current_name(given_name)) not in known:
            like = did_you_mean(name, known)
            raise ValueError(
                f"nothing called {name!r} can be set{like}; there is {', '.join(known)}"
            )
        if name != given_name:
            say(f"{given_name!r} is called {name!r}: the next version will not know the old name")
        group = _changed_group(getattr(state, name), {choice: value}, f"--set {name}")
        setattr(state, name, group)


def _changed_group(group: Any, changed: Any, name: str) -> Any:
    """Return a copy of a group of display choices with the values in a section of settings.

    Args:
        name: the name of the section in messages.
    """
    values = typed(Mapping[str, Any], changed, name)
    check_names(values, {field.name: field for field in fields(group) if field.init}, name)
    changes = typed_fields(type(group), values, name)
    try:
        return replace(group, **changes)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
