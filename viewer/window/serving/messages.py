"""Parsing of messages from browsers: JSON objects with known types, fields and bounds."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.window.serving.key_names import PressedKey, key_name
from wheatstone.viewer.window.serving.pictures import CODECS
from wheatstone.viewer.window.serving.viewer import Resized

LONGEST_TEXT = 4096  # characters that are typed or pasted at once
LONGEST_NAME = 64  # characters of the name of a key, or of an uploaded file's id
FARTHEST = 100_000  # pixels that a pointer may be away
MOST_NOTCHES = 100
SIZES = (64, 8192)
MOST_PIXELS = 7680 * 4320
SCALES = (0.5, 4.0)
MOST_DROPPED = 200
BUTTONS = 3

Read = Callable[[Any], Any]


def number(low: float, high: float) -> Read:
    """Make a validator of numbers within finite bounds."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("is not a number")
        if not low <= value <= high:  # neither does NaN; integers of any length compare exactly
            raise ValueError(f"is not within {low:g} and {high:g}")
        return float(value)

    return read


def whole(low: int, high: int) -> Read:
    """Make a validator of integers within bounds."""
    within = number(low, high)

    def read(value: Any) -> int:
        if not isinstance(value, int):
            raise ValueError("is not an integer")
        return int(within(value))

    return read


def switch(value: Any) -> bool:
    """Return true or false; raise ``ValueError`` for anything else."""
    if not isinstance(value, bool):
        raise ValueError("is neither true nor false")
    return value


def text(longest: int) -> Read:
    """Make a validator of texts of limited length."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError("is not a text")
        if len(value) > longest:
            raise ValueError(f"is longer than {longest} characters")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise ValueError("has a lone surrogate")
        return value

    return read


def one_of(*words: str) -> Read:
    """Make a validator of a choice of words."""

    def read(value: Any) -> str:
        if value not in words:
            raise ValueError(f"is not one of {', '.join(words)}")
        return str(value)

    return read


def texts(most: int, longest: int) -> Read:
    """Make a validator of lists with a limited number of texts of limited length."""
    each = text(longest)

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > most:
            raise ValueError(f"is not a list of at most {most} texts")
        return tuple(map(each, value))

    return read


_SIDE = whole(*SIZES)
_PLACE = number(-FARTHEST, FARTHEST)
_NOTCHES = number(-MOST_NOTCHES, MOST_NOTCHES)
_COUNT = whole(0, 2**32 - 1)
_NAME, _TEXT = text(LONGEST_NAME), text(LONGEST_TEXT)
_AT = {"x": _PLACE, "y": _PLACE}
_HELD = {"shift": switch, "ctrl": switch}
FIELDS: Mapping[str, Mapping[str, Read]] = {
    "ack": {"id": _COUNT},
    "again": {},
    "key": {"key": _NAME, "code": _NAME, "alt": switch, "meta": switch, "repeat": switch, **_HELD},
    "text": {"text": _TEXT},
    "paste": {"text": _TEXT},
    "pointer": {
        "kind": one_of("move", "press", "release", "leave"),
        "button": whole(0, BUTTONS - 1),
        **_AT,
        **_HELD,
    },
    "wheel": {"dx": _NOTCHES, "dy": _NOTCHES, **_AT, **_HELD},
    "resize": {"width": _SIDE, "height": _SIDE, "scale": number(*SCALES), "touch": switch},
    "focus": {"focused": switch},
    "visible": {"visible": switch},
    "control": {},
    "codec": {"codec": one_of("auto", *CODECS)},
    "drop": {"ids": texts(MOST_DROPPED, LONGEST_NAME)},
    "copied": {},
}
"""The fields of every type of message, in addition to ``type`` and ``n``, with their validators.

A validator has the bounds of its field: no number is infinite, and no text without a limit.
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
    """Parse a message. Raises ``ValueError`` if it or a field of its type is invalid."""
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
    for name, read in fields.items():
        if name not in values:
            raise ValueError(f"{kind}: {name} is missing")
        try:
            checked[name] = read(values[name])
        except ValueError as error:
            raise ValueError(f"{kind}: {name} {error}") from None
    return checked


def done_by(message: Mapping[str, Any]) -> list[Event | Resized]:
    """Convert a message to events of the window; empty if it does not concern the window."""
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
