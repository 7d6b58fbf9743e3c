"""Hostile messages of browsers: damaged JSON, fields of other types, numbers beyond all bounds."""

import json
from pathlib import Path
from random import Random

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated_text
from wheatstone.viewer.window.serving.messages import done_by, read_message

GOOD = (
    {"type": "ack", "id": 7},
    {"type": "again", "n": 2},
    {"type": "key", "n": 3, "key": "q", "code": "KeyQ", "shift": True, "repeat": False},
    {"type": "key", "n": 4, "key": "[", "code": "Digit8", "ctrl": True, "alt": True},
    {"type": "text", "n": 5, "text": "ä😀"},
    {"type": "paste", "n": 6, "text": "left.png"},
    {"type": "pointer", "n": 7, "kind": "press", "x": 5.5, "y": 7, "button": 2, "ctrl": True},
    {"type": "wheel", "n": 8, "x": 1, "y": 2, "dx": 0, "dy": -1.5},
    {"type": "resize", "n": 9, "width": 640, "height": 480, "scale": 1.5},
    {"type": "focus", "n": 10, "focused": False},
    {"type": "visible", "n": 11, "visible": True},
    {"type": "control", "n": 12},
    {"type": "codec", "n": 13, "codec": "auto"},
    {"type": "drop", "n": 14, "ids": ["abc"]},
)
ODD: tuple[object, ...] = (
    None,
    True,
    [],
    {},
    [[[]]],
    {"x": 1},
    -1,
    2**40,
    1e308,
    10**400,
    -(10**400),
    "x" * 5000,
    float("nan"),
    float("inf"),
    "",
    "x",
)


def message(random: Random) -> str:
    """Make a message that does harm, if any does: fields exchanged, or its text damaged."""
    words = dict(random.choice(GOOD))
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        name = random.choice((*words, *random.choice(GOOD), "__class__"))
        values = (*ODD, random.choice(WORDS), random.choice(NUMBERS), random.uniform(-1e6, 1e6))
        words[name] = random.choice((*values, random.choice(list(random.choice(GOOD).values()))))
    encoded = json.dumps(words)
    if random.random() < 0.4:
        return mutated_text(random, encoded).decode("utf-8", "replace")
    return encoded


def _make(random: Random, folder: Path) -> None:
    (folder / "message").write_text(message(random), encoding="utf-8", newline="")


def _read(folder: Path) -> object:
    return done_by(read_message((folder / "message").read_text(encoding="utf-8")))


KINDS = (FuzzKind("messages", _make, _read),)
