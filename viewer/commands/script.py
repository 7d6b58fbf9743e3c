"""The language of scripts: what a user would do, one step a line, played without a user.

    key F3 Shift+D          press keys, one after the other
    text census             type
    move 300,200            move the mouse there, in pixels from the window's top left
    click 300,200           press and release the left button there
    drag 100,80 300,200     press there, move, release there
    scroll 300,200 -2       turn the wheel there, by notches
    size 800x600            give the window another size
    wait 3                  let so many frames pass
    settle                  let frames pass until what was chosen is computed and shown
    finish                  let frames pass until the panels have found out what they were asked
    shot panels.png         write what the window shows

Empty lines and those that begin with # say nothing. A key that closes the program ends the script.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viewer.screen.events import Event
from viewer.settings.screenshot import check_png

MOST_NOTCHES = 100  # of the mouse wheel at once; fewer lead from the smallest zoom to the largest


@dataclass(frozen=True)
class ScriptStep:
    """One line of a script: its number, its verb and its words."""

    line: int
    verb: str
    words: tuple[str, ...]


def read_script(path: Path) -> list[ScriptStep]:
    """Read the steps of a script from a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not UTF-8, or a line means nothing; the message names the file.
    """
    try:
        return parse_script(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: a script is text in UTF-8 ({error})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parse_script(text: str) -> list[ScriptStep]:
    """Read the steps of a script.

    Raises:
        ValueError: a line means nothing; the message gives its number.
    """
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        step = ScriptStep(number, words[0], tuple(words[1:]))
        if step.verb not in _LENGTHS:
            known = ", ".join(_LENGTHS)
            raise ValueError(f"line {number}: no step is called {step.verb!r}: {known}")
        low, high = _LENGTHS[step.verb]
        if not low <= len(step.words) <= high:
            raise ValueError(f"line {number}: {step.verb} takes other words (got {line.strip()!r})")
        _check(step)
        steps.append(step)
    return steps


def _check(step: ScriptStep) -> None:
    """Raise ``ValueError`` if a step's words mean nothing, before the script begins."""
    try:
        if is_input(step):
            events_of(step)
        elif step.verb == "wait":
            int(step.words[0])
        elif step.verb == "size":
            size_of(step)
        elif step.verb == "shot":
            check_png(Path(step.words[0]))
    except ValueError as error:
        raise ValueError(f"line {step.line}: {error}") from None


def is_input(step: ScriptStep) -> bool:
    """Tell whether a step is something that a user does with keys or mouse."""
    return step.verb in _EVENTS


def events_of(step: ScriptStep) -> list[Event]:
    """List the events of keys and mouse that a step means, in order.

    Raises:
        ValueError: the step's words are no place or no number.
    """
    return _EVENTS[step.verb](step.words)


def size_of(step: ScriptStep) -> tuple[int, int]:
    """Read the width and height in pixels that a step gives the window.

    Raises:
        ValueError: the step's word is no size.
    """
    word = step.words[0]
    width, _, height = word.partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise ValueError(f"a size is WxH in pixels (got {word!r})") from None


def _point(word: str) -> tuple[float, float]:
    x, _, y = word.partition(",")
    try:
        place = float(x), float(y)
    except ValueError:
        place = math.nan, math.nan
    if not all(map(math.isfinite, place)):
        raise ValueError(f"a place is X,Y in pixels (got {word!r})")
    return place


def _keys(words: Sequence[str]) -> list[Event]:
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
    notches = float(words[1])
    if not abs(notches) <= MOST_NOTCHES:  # nor is it NaN
        raise ValueError(f"the wheel turns by {MOST_NOTCHES} notches at most (got {words[1]})")
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
"""For every kind of step, how many words it takes at least and at most."""
