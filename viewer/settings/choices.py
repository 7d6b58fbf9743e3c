"""What panels let the user choose, as TOML can hold it, and back.

Every field of the state that holds a dataclass of plain values is such a choice; nothing needs to
be declared a second time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from viewer.state import ViewerState

ELSEWHERE = ("slot", "b", "mixing", "palette")
"""Fields that settings hold in sections of their own, or not at all."""


def choice_fields(state: ViewerState) -> Iterator[tuple[str, Any]]:
    """Name and value of every field that is a choice."""
    for field in fields(state):
        value = getattr(state, field.name)
        if field.name not in ELSEWHERE and is_dataclass(value):
            yield field.name, value


def to_choices(state: ViewerState) -> dict[str, dict[str, Any]]:
    """What was chosen that differs from the defaults, by field and attribute."""
    found = {name: _changed(value) for name, value in choice_fields(state)}
    return {name: changed for name, changed in found.items() if changed}


def _changed(value: Any) -> dict[str, Any]:
    default = type(value)()
    names = [field.name for field in fields(value) if field.init]
    pairs = {name: getattr(value, name) for name in names}
    return {
        name: _plain(chosen)
        for name, chosen in pairs.items()
        if chosen is not None and chosen != getattr(default, name)
    }


def _plain(value: Any) -> Any:
    """A value as TOML holds it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (set, frozenset)):
        return sorted(map(_plain, value))
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def apply_choices(state: ViewerState, chosen: Mapping[str, Mapping[str, Any]]) -> None:
    """Set every choice to what was chosen, the others to their defaults.

    Raises:
        ValueError, TypeError: a choice is unknown, or a value impossible.
    """
    known = dict(choice_fields(state))
    if strangers := set(chosen) - set(known):
        raise ValueError(f"nothing called {', '.join(sorted(strangers))} can be chosen")
    for name, value in known.items():
        setattr(state, name, _built(type(value)(), chosen.get(name, {})))


def set_choices(state: ViewerState, said: Sequence[tuple[str, str, Any]]) -> None:
    """Set single choices: field, attribute and value of each.

    Raises:
        ValueError: a choice is unknown, or a value impossible.
    """
    known = dict(choice_fields(state))
    for name, attribute, value in said:
        if name not in known:
            raise ValueError(f"nothing called {name!r} can be set; there is {', '.join(known)}")
        setattr(state, name, _built(getattr(state, name), {attribute: value}))


def _built(default: Any, values: Mapping[str, Any]) -> Any:
    attributes = {field.name for field in fields(default) if field.init}
    if strangers := set(values) - attributes:
        raise ValueError(f"{', '.join(sorted(strangers))} cannot be chosen")
    return replace(default, **{k: _like(getattr(default, k), v) for k, v in values.items()})


def _like(default: Any, value: Any) -> Any:
    """A value from TOML in the type that the default has."""
    if isinstance(default, (set, frozenset)):
        return type(default)(value)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if isinstance(default, (bool, int, float, str)) and type(value) is not type(default):
        raise ValueError(f"{value!r} stands where a value like {default!r} belongs")
    if isinstance(value, Mapping):
        return {key: _like(None, item) for key, item in value.items()}
    return tuple(_like(None, item) for item in value) if isinstance(value, list) else value
