"""Scripts: files that replace a user's input by steps, one per line; and their parsing.

    key F3 Shift+D          press keys, one after another
    text census             type a text
    move 300,200            move the mouse there, in pixels from the window's top left
    click 300,200           press and release the left button there
    drag 100,80 300,200     press there, move, release there
    scroll 300,200 -2       turn the wheel there, by notches
    size 800x600            resize the window
    wait 3                  let this number of frames pass
    settle                  let frames pass until the chosen view is computed and shown
    finish                  let frames pass until the panels have completed their computations
    shot panels.png         write a picture of the window

Empty lines and lines that begin with # are ignored. A key that closes the program ends the script.
Keys are those of docs/keys.md, and those for editing text. A script writes only into the folder in
which it is played.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from wheatstone.gpu.parameters import did_you_mean
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.io.reading.documents import read_text
from wheatstone.viewer.io.reading.plain_text import cut
from wheatstone.viewer.panels.keys.actions import actions
from wheatstone.viewer.settings.screenshot import check_png

MOST_NOTCHES = 100  # of the mouse wheel at once; fewer lead from the smallest zoom to the largest
MOST_STEPS = 10_000
MOST_FRAMES = 100_000  # that a script may let pass, besides those in which it waits for an end
LARGEST_SIZE, FARTHEST = 16384, 100_000  # pixels
LONGEST = 80  # characters of a word in a message
MODIFIERS = ("", "Shift+", "Ctrl+", "Ctrl+Shift+")
EDITING = (
    *("Enter", "Tab", "Backspace", "Delete", "Insert", "Left", "Right", "Up", "Down"),
    *("Home", "End", "PageUp", "PageDown"),
)
"""Keys that text fields and lists accept, with or without modifiers."""


@cache
def known_keys() -> frozenset[str]:
    """Return the names of all keys that have a function in the window."""
    pressed = {k for p in PIPELINES.values() for action in actions(p) for k in action.keys}
    editing = {"".join(parts) for parts in product(MODIFIERS, EDITING)}
    return frozenset(pressed | editing | {f"Ctrl+{letter}" for letter in "ACVXZ"})


def check_key(word: str) -> None:
    """Raise ``ValueError`` with a suggestion unless a word names a known key."""
    if word not in known_keys():
        problem = f"unknown key {_quoted(word)}{did_you_mean(word, known_keys())}"
        raise ValueError(f"{problem}; docs/keys.md lists them")


def check_shot(word: str) -> None:
    """Raise ``ValueError`` unless a word names a PNG file inside the script's output folder.

    Subfolders are allowed.
    """
    path = Path(word)
    check_png(Path(cut(word, LONGEST)))
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"a shot must be in the output folder of the script (got {_quoted(word)})")


@dataclass(frozen=True)
class ScriptStep:
    """One step of a script: its line number, command and arguments."""

    line: int
    verb: str
    words: tuple[str, ...]


def read_script(path: Path) -> list[ScriptStep]:
    """Read and parse the steps of a script file.

    Raises:
        OSError: the file is not a regular file, or cannot be read.
        ValueError: the file is not UTF-8, or a line is invalid; the message names the file.
    """
    text = read_text(path)
    try:
        return parse_script(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parse_script(text: str) -> list[ScriptStep]:
    """Parse the text of a script into steps.

    Raises:
        ValueError: a line is invalid, or the script is too long; the message gives its number.
    """
    steps: list[ScriptStep] = []
    frames = 0
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        step = ScriptStep(number, words[0], tuple(words[1:]))
        try:
            frames += _checked_frames(step)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if len(steps) == MOST_STEPS or frames > MOST_FRAMES:
            most = f"{MOST_STEPS} steps and {MOST_FRAMES} frames"
            raise ValueError(f"line {number}: a script has at most {most}: split it into several")
        steps.append(step)
    return steps


def _checked_frames(step: ScriptStep) -> int:
    """Check a script's step, and return its number of frames (1 for ``settle``, ``finish``).

    Raises:
        ValueError: the step is invalid.
    """
    if step.verb not in _LENGTHS:
        like = did_you_mean(step.verb, _LENGTHS)
        raise ValueError(f"unknown step {_quoted(step.verb)}{like}: {', '.join(_LENGTHS)}")
    low, high = _LENGTHS[step.verb]
    if not low <= len(step.words) <= high:
        many = str(low) if low == high else f"{low} to {high}"
        raise ValueError(f"arguments of {step.verb} must be {many} (got {len(step.words)})")
    if is_input(step):
        return len(events_of(step))
    if step.verb == "wait":
        return frames_of(step)
    if step.verb == "size":
        size_of(step)
    elif step.verb == "shot":
        check_shot(step.words[0])
    return 1


def _quoted(word: str) -> str:
    """Quote a word for a message, cut to a maximum length."""
    return cut(repr(word), LONGEST)


def is_input(step: ScriptStep) -> bool:
    """Return whether a script's step is keyboard or mouse input."""
    return step.verb in _EVENTS


def events_of(step: ScriptStep) -> list[Event]:
    """List the keyboard and mouse events of a script's step, in order.

    Raises:
        ValueError: the step's words are not a valid position or number.
    """
    return _EVENTS[step.verb](step.words)


def size_of(step: ScriptStep) -> tuple[int, int]:
    """Parse the width and height in pixels of a script's step ``size``.

    Raises:
        ValueError: the step's word is not a valid size.
    """
    word = step.words[0]
    width, _, height = word.partition("x")
    size = _whole(width), _whole(height)
    if not all(0 <= side <= LARGEST_SIZE for side in size):
        raise ValueError(
            f"a size is WxH in pixels, up to {LARGEST_SIZE} each (got {_quoted(word)})"
        )
    return size


def frames_of(step: ScriptStep) -> int:
    """Parse the number of frames of a script's step ``wait``; raise ``ValueError`` if invalid."""
    word = step.words[0]
    frames = _whole(word)
    if not 1 <= frames <= MOST_FRAMES:
        raise ValueError(f"wait takes a number of frames, 1 to {MOST_FRAMES} (got {_quoted(word)})")
    return frames


def _whole(word: str) -> int:
    """Parse an integer of 0 or more; return -1 if the word is not one."""
    return int(word) if word.isdecimal() and len(word) < 9 else -1


def _point(word: str) -> tuple[float, float]:
    x, _, y = word.partition(",")
    place = _number(x), _number(y)
    if not all(abs(number) <= FARTHEST for number in place):  # nor is one NaN
        raise ValueError(f"a place is X,Y in pixels, up to {FARTHEST} each (got {_quoted(word)})")
    return place


def _number(word: str) -> float:
    """Parse a number; return NaN if the word is not one."""
    try:
        return float(word)
    except ValueError:
        return math.nan


def _keys(words: Sequence[str]) -> list[Event]:
    for word in words:
        check_key(word)
    return [Event("key", key=word) for word in words]


def _text(words: Sequence[str]) -> list[Event]:
    return [Event("text", text=character) for character in " ".join(words)]


def _move(words: Sequence[str]) -> list[Event]:
    x, y = _point(words[0])
    return [Event("move", x=x, y=y)]


def _click(words: Sequence[str]) -> list[Event]:
    x, y = _point(words[0])
    return [Event(kind, x=x, y=y) for kind in ("move", "press", "release")]


def _drag(words: Sequence[str]) -> list[Event]:
    (x, y), (to_x, to_y) = map(_point, words)
    halfway = Event("move", x=(x + to_x) / 2, y=(y + to_y) / 2)
    ends = [Event("move", x=to_x, y=to_y), Event("release", x=to_x, y=to_y)]
    return [Event("move", x=x, y=y), Event("press", x=x, y=y), halfway, *ends]


def _scroll(words: Sequence[str]) -> list[Event]:
    x, y = _point(words[0])
    notches = _number(words[1])
    if not abs(notches) <= MOST_NOTCHES:  # nor is it NaN
        expected = f"scroll takes a number of notches, at most {MOST_NOTCHES}"
        raise ValueError(f"{expected} (got {_quoted(words[1])})")
    return [Event("scroll", x=x, y=y, dy=notches)]


_EVENTS: Mapping[str, Callable[[Sequence[str]], list[Event]]] = {
    "key": _keys,
    "text": _text,
    "move": _move,
    "click": _click,
    "drag": _drag,
    "scroll": _scroll,
}
_LENGTHS = {
    "key": (1, 99),
    "text": (1, 99),
    "move": (1, 1),
    "click": (1, 1),
    "drag": (2, 2),
    "scroll": (2, 2),
    "size": (1, 1),
    "wait": (1, 1),
    "settle": (0, 0),
    "finish": (0, 0),
    "shot": (1, 1),
}
"""The minimum and maximum number of words for every kind of step."""
