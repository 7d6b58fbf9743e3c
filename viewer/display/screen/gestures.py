"""Adaptation of texts to the window's input: mouse and keys, or a touch screen without keys.

Texts are written for mouse and keys, and pass through ``for_pointer`` where they are drawn.
"""

import re
from functools import lru_cache

FINGERS = {
    "right-click": "touch and hold",
    "right click": "touch and hold",
    "double click": "tap twice",
    "mouse wheel": "pinch",
    "right drag": "drag with two fingers",
    "clicked": "tapped",
    "click": "tap",
    "point at": "tap",
    "mouse": "fingers",
}
"""What a mouse does, and what a finger does in its place."""
MOUSE = re.compile(
    r"\b(?:right[- ]click|double click|mouse wheel|right drag|clicked|click|point at|mouse)",
    re.IGNORECASE,
)
KEY = re.compile(
    r"\b(?:Ctrl|Shift|Alt|Esc|Enter|Space|Backspace|Tab|F\d\d?)\b"
    r"|^[C-HJ-Z](?::| goes| shows)|\([A-Z]\)|\((?:or with [][]|digits)"
)
ENDS = re.compile(r"(?<=[.;]) +|(?<=:) +(?=(?:Ctrl|Shift|Alt|Space|F\d)\b)")
"""The end of a part of a text that makes sense alone."""
BRACKETS = re.compile(r" ?\([^()]*\)")

_touch = [False]


def use_touch(*, touch: bool) -> None:
    """Set whether the window that is drawn next has a touch screen instead of mouse and keys."""
    _touch[0] = touch


def for_pointer(text: str) -> str:
    """Return a text about mouse gestures, adapted to the input device of the window."""
    return for_touch(text) if _touch[0] else text


def keys_shown(keys: str) -> str:
    """Return the key names of a command for display; empty on touch screens."""
    return "" if _touch[0] else keys


@lru_cache(maxsize=512)
def for_touch(text: str) -> str:
    """Replace mouse gestures in a text by finger gestures, and omit its parts about keys."""
    text = BRACKETS.sub(lambda part: "" if KEY.search(part[0]) else part[0], text)
    lines = [
        " ".join(part for part in ENDS.split(line) if not KEY.search(part))
        for line in text.split("\n")
    ]
    kept = "\n".join(lines).rstrip(";: \n")
    if text.endswith(".") and kept and kept[-1] not in ".!?":
        kept += "."
    return MOUSE.sub(_of_finger, kept)


def _of_finger(mouse: re.Match[str]) -> str:
    """Return the finger gesture for a mouse gesture, with the same capitalisation."""
    finger = FINGERS[mouse[0].lower()]
    return finger.capitalize() if mouse[0][0].isupper() else finger
