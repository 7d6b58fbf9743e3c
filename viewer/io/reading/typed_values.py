"""Conversion of values from documents to their declared types."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from wheatstone.gpu.parameters import did_you_mean
from wheatstone.viewer.io.reading.plain_text import visible

T = TypeVar("T")
PLAIN = {bool: "true or false", int: "an integer", float: "a finite number", str: "text"}
LARGEST = 2**63
"""Limit of every number of a document, independent of its declaration."""
LONGEST = 200  # characters of a value in a message

Check = Callable[[Any], str]
"""A further condition of a declaration, as in ``Annotated[int, check]``: returns the error of a
value, such as "must be positive", or an empty text."""


class WrongValue(ValueError):
    """An error about a value that is invalid or has another type than declared.

    Attributes:
        place: keys and numbers of items on the path to the value.
    """

    def __init__(self, message: str, place: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.place = place


def _wrong(name: str, why: str) -> WrongValue:
    return WrongValue(f"{shown(visible(name)) or 'the document'} {why}", place_of(name))


def place_of(name: str) -> tuple[str | int, ...]:
    """Split the name of a value: ``pairs[1].left`` becomes ``("pairs", 1, "left")``."""
    parts = name.replace("[", ".[").split(".") if name else []
    return tuple(int(p[1:-1]) if p[:1] == "[" and p[1:-1].isdecimal() else p for p in parts if p)


def section(kind: type[T], content: Any, name: str, other_keys: Iterable[str] = ()) -> T:
    """Convert a section of a settings file to the dataclass that declares it.

    Args:
        content: the section's content from TOML.
        name: the name of the section in messages.
        other_keys: other keys that the section may have, for messages.

    Raises:
        ValueError: a key is unknown or missing, or a value invalid; the message names it.
    """
    declared = {field.name: field for field in fields(kind) if field.init}  # type: ignore[arg-type]
    known = typed(Mapping[str, Any], content, name)
    check_names(known, {**declared, **dict.fromkeys(other_keys)}, name)
    needed = [k for k, f in declared.items() if f.default is f.default_factory is MISSING]
    _check_present(needed, known, name)
    values = typed_fields(kind, known, name)
    try:
        return kind(**values)
    except ValueError as error:
        inner = error.place if isinstance(error, WrongValue) else ()
        content = f"{name}: {error}" if name else str(error)
        raise WrongValue(content, (*place_of(name), *inner)) from error


def _check_present(needed: Iterable[str], content: Mapping[str, Any], name: str) -> None:
    if lacking := [key for key in needed if key not in content]:
        raise _wrong(name, f"lacks {', '.join(lacking)}")


def typed_fields(kind: type, content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Convert values of a dataclass's fields to their declared types.

    Raises:
        ValueError: a value is of another type, or not finite; the message names the field.
    """
    hints = _hints(kind)
    return {key: typed(hints[key], value, _inner(name, key)) for key, value in content.items()}


def _inner(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def check_names(content: Mapping[str, Any], known: Mapping[str, Any], name: str) -> None:
    """Raise ``ValueError`` if a section has a key that is not declared."""
    if strangers := [key for key in content if key not in known]:
        there_is = f"there is {', '.join(known)}" if known else "it has no keys"
        like = did_you_mean(str(strangers[0]), known) if len(strangers) == 1 else ""
        raise _wrong(name, f"knows no {shown(', '.join(map(repr, strangers)))}{like}; {there_is}")


def one_of(value: str, known: Mapping[str, Any] | tuple[str, ...], name: str) -> None:
    """Raise ``ValueError`` with the choices if a value is not one of them."""
    if not isinstance(value, str | int) or value not in known:
        raise _wrong(name, f"must be one of {', '.join(known)} (got {shown(repr(value))})")


def shown(text: str) -> str:
    """Shorten an untrusted text to at most ``LONGEST`` characters for a message."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def typed(kind: Any, value: Any, name: str) -> Any:
    """Convert a value of a document to a declared type, such as a list to a tuple or a set.

    A type may have checks of its values, as ``Annotated[int, check]``: see ``Check``. A dataclass
    accepts only the keys that it declares; a ``TypedDict`` keeps other keys unchanged, because
    newer versions of the program may write documents with more keys.

    Raises:
        ValueError: the value is of another type, or not finite; the message contains ``name``.
    """
    origin, parts = _taken_apart(kind)
    if origin is None and kind in PLAIN:
        return _plain(kind, value, name)
    if origin in (Union, UnionType):
        return _either(parts, value, name)
    if origin is Literal:
        one_of(value, parts, name)
    elif origin is Annotated:
        return _checked(parts[0], parts[1:], value, name)
    elif origin in (Required, NotRequired):
        return typed(parts[0], value, name)
    elif origin is tuple:
        return _tuple(parts, value, name)
    elif origin is list:
        return list(_tuple((*parts, ...), value, name))
    elif origin in (set, frozenset):
        return origin(_tuple((*parts, ...), value, name))
    elif origin is Mapping or origin is dict:
        return _table(parts[0], parts[1], value, name)
    elif is_typeddict(kind):
        return _open_table(kind, value, name)
    elif is_dataclass(kind):
        return section(kind, value, name)  # type: ignore[arg-type]
    elif kind is not Any:
        return _plain(kind, value, name)
    return value


def _either(parts: tuple[Any, ...], value: Any, name: str) -> Any:
    """Convert a value to the first type of a union that accepts it; else raise the last error."""
    if value is None and NoneType in parts:
        return None
    kinds = [part for part in parts if part is not NoneType]
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
        raise _wrong(name, f"must be {PLAIN[kind]} (got {shown(repr(value))})")
    if kind is float and abs(value) >= LARGEST:
        raise _wrong(name, f"must be in [-{LARGEST:.3g}, {LARGEST:.3g}] (got {value:g})")
    return value


def _tuple(parts: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(name, f"must be a list (got {shown(repr(value))})")
    kinds = parts[:1] * len(value) if parts[1:] == (...,) else parts
    if len(kinds) != len(value):
        raise _wrong(name, f"must be a list of {len(kinds)} (got {shown(repr(value))})")
    items = enumerate(zip(kinds, value, strict=True))
    return tuple(typed(kind, item, f"{name}[{number}]") for number, (kind, item) in items)


@cache
def _taken_apart(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the origin and the arguments of a generic type, cached for speed."""
    return get_origin(kind), get_args(kind)


def _checked(kind: Any, checks: Iterable[Check], value: Any, name: str) -> Any:
    """Convert a value to a type, then apply the checks of its ``Annotated`` declaration."""
    converted = typed(kind, value, name)
    for check in checks:
        if complaint := check(converted):
            raise _wrong(name, complaint)
    return converted


def _table(kind_of_key: Any, kind: Any, value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(name, f"must be a table (got {shown(repr(value))})")
    if kind_of_key is not str:
        for key in value:
            typed(kind_of_key, key, _inner(name, key))
    return {key: typed(kind, item, _inner(name, key)) for key, item in value.items()}


def _open_table(kind: Any, value: Any, name: str) -> dict[str, Any]:
    table = _table(str, Any, value, name)
    _check_present(sorted(kind.__required_keys__), table, name)
    hints = _hints(kind)
    return table | {
        key: typed(hints[key], item, _inner(name, key))
        for key, item in table.items()
        if key in hints
    }


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the declared types of a class's fields by name, cached for speed."""
    return get_type_hints(kind, include_extras=True)
