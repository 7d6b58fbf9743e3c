"""Choices of the viewer's own as TOML can hold them, and back.

A group of choices is a section; nothing needs to be declared a second time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from viewer.choices.state import ViewerState
from viewer.choices.table import Choice, choices
from viewer.settings.typed_values import check_names, typed, typed_fields

ELSEWHERE = ("slot", "b", "mixing", "palette")
"""Fields that settings hold in sections of their own, or not at all."""


def choice_fields(state: ViewerState) -> Iterator[tuple[str, Any]]:
    """Name and value of every field that is a choice."""
    for field in fields(state):
        value = getattr(state, field.name)
        if field.name not in ELSEWHERE and is_dataclass(value):
            yield field.name, value


def kept_in_view() -> dict[str, Choice]:
    """List the choices that settings keep in the section of the view, by name."""
    return {c.name: c for c in choices() if not c.group and c.traits.kept}


def to_choices(state: ViewerState) -> dict[str, dict[str, Any]]:
    """What was chosen that differs from the defaults, by field and attribute."""
    found = {name: _changed(value) for name, value in choice_fields(state)}
    return {name: changed for name, changed in found.items() if changed}


def _changed(value: Any) -> dict[str, Any]:
    default = type(value)()
    names = [field.name for field in fields(value) if field.init]
    pairs = {name: getattr(value, name) for name in names}
    return {
        name: plain(chosen)
        for name, chosen in pairs.items()
        if chosen is not None and chosen != getattr(default, name)
    }


def plain(value: Any) -> Any:
    """A value as TOML holds it."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value))
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def apply_choices(state: ViewerState, chosen: Mapping[str, Any]) -> None:
    """Set every choice to what was chosen, the others to their defaults.

    Raises:
        ValueError: a choice is unknown, or a value impossible.
    """
    known = dict(choice_fields(state))
    check_names(typed(Mapping[str, Any], chosen, "chosen"), known, "chosen")
    for name, value in known.items():
        setattr(state, name, _built(type(value)(), chosen.get(name, {}), f"chosen.{name}"))


def set_choices(state: ViewerState, said: Sequence[tuple[str, str, Any]]) -> None:
    """Set single choices: field, attribute and value of each, as ``--set`` says them.

    Raises:
        ValueError: a choice is unknown, or a value impossible.
    """
    known = dict(choice_fields(state))
    for name, attribute, value in said:
        if name not in known:
            raise ValueError(f"nothing called {name!r} can be set; there is {', '.join(known)}")
        setattr(state, name, _built(getattr(state, name), {attribute: value}, f"--set {name}"))


def _built(default: Any, said: Any, name: str) -> Any:
    """A choice with what is said of it, in the types that its fields declare."""
    values = typed(Mapping[str, Any], said, name)
    check_names(values, {field.name: field for field in fields(default) if field.init}, name)
    changes = typed_fields(type(default), values, name)
    try:
        return replace(default, **changes)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
