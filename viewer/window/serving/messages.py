"""Parsing of messages from browsers: JSON objects with known types, fields and bounds.

Keys pressed in a browser get names in the form of ``display.screen.keys``: ``Q``, ``Shift+[``. A
browser reports the character of a key and its place, but not its label on the keyboard.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from wheatstone.viewer.display.screen.events import BRACKETS, SIGNS, Event
from wheatstone.viewer.io.reading.checks import at_most, between, known
from wheatstone.viewer.io.reading.typed_values import typed
from wheatstone.viewer.window.serving.pictures import CODECS
from wheatstone.viewer.window.serving.viewer import Resized

NAMED = {
    " ": "Space",
    "Spacebar": "Space",
    "Escape": "Esc",
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
    "ArrowUp": "Up",
    "ArrowDown": "Down",
    **{
        name: name
        for name in (
            *("Enter", "Tab", "Backspace", "Insert", "Delete", "PageUp", "PageDown"),
            *("Home", "End", "Alt", *(f"F{n}" for n in range(1, 26))),
        )
    },
}
"""Names of keys that type no character, by ``KeyboardEvent.key``."""
PLACES = {
    **{f"Key{letter}": letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{f"{row}{digit}": digit for row in ("Digit", "Numpad") for digit in "0123456789"},
    **{"Minus": "-", "Equal": "=", "BracketLeft": "[", "BracketRight": "]", "Backslash": "\\"},
    **{"Semicolon": ";", "Quote": "'", "Backquote": "`", "Comma": ",", "Period": ".", "Slash": "/"},
}
"""Labels of a US keyboard's keys, by ``KeyboardEvent.code``."""
SHIFTED = dict(zip('!@#$%^&*(){}:"~<>?|', "1234567890[];'`,./\\", strict=True))
"""Labels of a US keyboard's keys, by the character that the key types with Shift."""


@dataclass(frozen=True)
class PressedKey:
    """A key press as reported by a browser.

    Attributes:
        key: ``KeyboardEvent.key``, the character it types or its name.
        code: ``KeyboardEvent.code``, its place on the keyboard.
    """

    key: str
    code: str
    shift: bool = False
    ctrl: bool = False
    alt: bool = False
    meta: bool = False


def key_name(pressed: PressedKey) -> str:
    """Return the name of a pressed key; empty for modifiers and keys without a name.

    A key that types no ASCII character is named as on a US keyboard; so are digits together with
    Ctrl or Alt, because some keyboards need Shift to type digits. Characters typed with AltGr are
    named as keys of their own, and so are characters with Shift that a US keyboard does not have.
    """
    if name := NAMED.get(pressed.key):
        return name if name == "Alt" else _held(pressed) + name
    place = PLACES.get(pressed.code, "")
    character = pressed.key if pressed.key.isascii() and len(pressed.key) == 1 else ""
    if pressed.ctrl and pressed.alt and _needs_alt_gr(character, place):
        pressed = replace(pressed, ctrl=False, alt=False)
    if place.isdigit() and (pressed.ctrl or pressed.alt):
        return _held(pressed) + place
    if not character:
        name, shift = SIGNS.get(place, place), pressed.shift and place not in SIGNS
    else:
        name, shift = _typed(character, place, shift=pressed.shift)
    return _held(replace(pressed, shift=shift)) + name if name else ""


def _held(pressed: PressedKey) -> str:
    """Format the modifier keys that are held as a key name's prefix, such as ``Ctrl+``."""
    down = (pressed.ctrl, pressed.alt, pressed.meta, pressed.shift)
    names = ("Ctrl+", "Alt+", "Super+", "Shift+")
    return "".join(name for name, held in zip(names, down, strict=True) if held)


def _needs_alt_gr(character: str, place: str) -> bool:
    """Return whether a character needs AltGr, which some systems report as Ctrl+Alt."""
    return bool(character) and not character.isalnum() and character != place


def _typed(character: str, place: str, *, shift: bool) -> tuple[str, bool]:
    """Return the name of a typed key, and whether Shift is part of the name."""
    if character in SIGNS:
        return SIGNS[character], False
    if character in BRACKETS:
        return BRACKETS[character], True
    if character.isalpha():
        return character.upper(), shift
    if not shift or character.isdigit():
        return character, False
    if place.isdigit() or SHIFTED.get(character) == place:
        return place, True
    return character, False


LONGEST_TEXT = 4096  # characters that are typed or pasted at once
LONGEST_NAME = 64  # characters of the name of a key, or of an uploaded file's id
FARTHEST = 100_000  # pixels that a pointer may be away
MOST_NOTCHES = 100
SIZES = (64, 8192)
MOST_PIXELS = 7680 * 4320
SCALES = (0.5, 4.0)
MOST_DROPPED = 200
BUTTONS = 3


def well_formed(value: str) -> str:
    """Return an error if a text has a lone surrogate, which cannot be encoded."""
    return "has a lone surrogate" if any("\ud800" <= one <= "\udfff" for one in value) else ""


_SIDE = Annotated[int, between(*SIZES)]
_PLACE = Annotated[float, between(-FARTHEST, FARTHEST)]
_NOTCHES = Annotated[float, between(-MOST_NOTCHES, MOST_NOTCHES)]
_COUNT = Annotated[int, between(0, 2**32 - 1)]
_NAME = Annotated[str, at_most(LONGEST_NAME), well_formed]
_TEXT = Annotated[str, at_most(LONGEST_TEXT), well_formed]
_AT = {"x": _PLACE, "y": _PLACE}
_HELD = {"shift": bool, "ctrl": bool}
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "ack": {"id": _COUNT},
    "again": {},
    "key": {"key": _NAME, "code": _NAME, "alt": bool, "meta": bool, "repeat": bool, **_HELD},
    "text": {"text": _TEXT},
    "paste": {"text": _TEXT},
    "pointer": {
        "kind": Literal["move", "press", "release", "leave"],
        "button": Annotated[int, between(0, BUTTONS - 1)],
        **_AT,
        **_HELD,
    },
    "wheel": {"dx": _NOTCHES, "dy": _NOTCHES, **_AT, **_HELD},
    "resize": {
        "width": _SIDE,
        "height": _SIDE,
        "scale": Annotated[float, between(*SCALES)],
        "touch": bool,
    },
    "focus": {"focused": bool},
    "visible": {"visible": bool},
    "control": {},
    "codec": {"codec": Annotated[str, known(("auto", *CODECS))]},
    "drop": {"ids": Annotated[tuple[_NAME, ...], at_most(MOST_DROPPED)]},
    "copied": {},
}
"""The fields of every type of message, in addition to ``type`` and ``n``, with their types.

A type has the bounds of its field: no number is infinite, and no text without a limit.
"""
_USUAL = {
    "touch": False,
    "button": 0,
    "shift": False,
    "ctrl": False,
    "alt": False,
    "meta": False,
    "repeat": False,
}
"""Default values of fields that a message may omit."""
FREQUENT = ("wheel", "pointer")
"""Types of messages that may be skipped when there are too many."""


def read_message(encoded: str) -> Mapping[str, Any]:
    """Parse a message. Raises ``ValueError`` for an unknown type or an invalid field."""
    try:
        message = json.loads(encoded)
    except (ValueError, RecursionError):  # also integers of more digits than Python converts
        raise ValueError("a message is not JSON") from None
    if not isinstance(message, dict):
        raise ValueError("a message is not an object")
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise ValueError("a message has no known type")
    fields = {"n": _COUNT, **FIELDS[kind]}
    values = {"n": 0, **_USUAL, **message}
    checked = {"type": kind}
    for name, type_of in fields.items():
        if name not in values:
            raise ValueError(f"{kind}: {name} is missing")
        try:
            checked[name] = typed(type_of, values[name], f"{kind}: {name}")
        except RecursionError:  # of a value too deep to be named in the error
            raise ValueError(f"{kind}: {name} is nested too deeply") from None
    return checked


def done_by(message: Mapping[str, Any]) -> list[Event | Resized]:
    """Convert a browser's message to window events; empty if it does not affect the window."""
    kind = message["type"]
    if kind == "key":
        words = ("key", "code", "shift", "ctrl", "alt", "meta")
        name = key_name(PressedKey(**{word: message[word] for word in words}))
        return [Event("key", key=name, repeat=message["repeat"])] if name else []
    if kind in ("text", "paste"):
        return [Event("text", text=one) for one in message["text"] if one.isprintable()]
    if kind == "pointer":
        at = {word: message[word] for word in ("x", "y", "button", "shift", "ctrl")}
        return [Event(message["kind"], **at)]
    if kind == "wheel":
        return [Event("scroll", **{word: message[word] for word in ("x", "y", "dx", "dy")})]
    if kind == "resize":
        size = message["width"], message["height"]
        smaller = min(math.sqrt(MOST_PIXELS / math.prod(size)), 1.0)  # for too many pixels
        width, height = (int(side * smaller) for side in size)
        return [Resized(width, height, message["scale"], message["touch"])]
    if kind == "focus":
        return [Event("focus", focused=message["focused"])]
    return []
