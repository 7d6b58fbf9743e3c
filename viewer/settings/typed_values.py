"""Values read from TOML, converted to the types that dataclasses declare."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
PLAIN = {bool: "true or false", int: "a whole number", float: "a finite number", str: "text"}
LARGEST = 2**63  # TOML's whole numbers have 64 bits


def section(kind: type[T], said: Any, name: str, beside: Iterable[str] = ()) -> T:
    """Build the dataclass that declares a section of settings from the section.

    Args:
        said: the section as TOML holds it.
        name: what messages call the section.
        beside: other keys that the section may have, for messages.

    Raises:
        ValueError: a key is unknown or missing, or a value impossible; the message names it.
    """
    declared = {field.name: field for field in fields(kind) if field.init}  # type: ignore[arg-type]
    known = typed(Mapping[str, Any], said, name)
    check_names(known, {**declared, **dict.fromkeys(beside)}, name)
    if lacking := [k for k, f in declared.items() if f.default is MISSING and k not in known]:
        raise ValueError(f"{name} lacks {', '.join(lacking)}")
    values = typed_fields(kind, known, name)
    try:
        return kind(**values)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def typed_fields(kind: type, said: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Convert values of a dataclass's fields to the types declared.

    Raises:
        ValueError: a value is of another type, or not finite; the message names the field.
    """
    hints = get_type_hints(kind)
    return {key: typed(hints[key], value, f"{name}.{key}") for key, value in said.items()}


def check_names(said: Mapping[str, Any], known: Mapping[str, Any], name: str) -> None:
    """Raise ``ValueError`` if a section has a key that nothing declares."""
    if strangers := [key for key in said if key not in known]:
        there_is = f"there is {', '.join(known)}" if known else "it has no keys"
        raise ValueError(f"{name} knows no {', '.join(map(repr, strangers))}; {there_is}")


def one_of(value: str, known: Mapping[str, Any] | tuple[str, ...], name: str) -> None:
    """Raise ``ValueError`` with the choices unless a value is one of them."""
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)} (got {value!r})")


def typed(kind: Any, value: Any, name: str) -> Any:
    """Convert a value that TOML holds to a declared type, such as a list to a tuple or a set.

    Raises:
        ValueError: the value is of another type, or not finite; the message calls it ``name``.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _either([part for part in parts if part is not NoneType], value, name)
    if origin is Literal:
        one_of(value, parts, name)
    elif origin is tuple:
        return _tuple(parts, value, name)
    elif origin in (set, frozenset):
        return origin(_tuple((*parts, ...), value, name))
    elif origin is Mapping or origin is dict:
        return _table(parts[1], value, name)
    elif kind is not Any:
        return _plain(kind, value, name)
    return value


def _either(kinds: list[Any], value: Any, name: str) -> Any:
    """Convert a value to the first type that takes it; raise what the last type complains of."""
    for kind in kinds[:-1]:
        try:
            return typed(kind, value, name)
        except ValueError:
            continue
    return typed(kinds[-1], value, name)


def _plain(kind: Any, value: Any, name: str) -> Any:
    if kind is float and type(value) is int and abs(value) < LARGEST:
        value = float(value)
    good = type(value) is kind and not (kind is float and not math.isfinite(value))
    if not good or (kind is int and abs(value) >= LARGEST):
        raise ValueError(f"{name} must be {PLAIN[kind]} (got {value!r})")
    return value


def _tuple(parts: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{name} must be a list (got {value!r})")
    kinds = parts[:1] * len(value) if parts[1:] == (...,) else parts
    if len(kinds) != len(value):
        raise ValueError(f"{name} must be a list of {len(kinds)} (got {value!r})")
    return tuple(typed(kind, item, name) for kind, item in zip(kinds, value, strict=True))


def _table(kind: Any, value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be a table (got {value!r})")
    return {key: typed(kind, item, f"{name}.{key}") for key, item in value.items()}
