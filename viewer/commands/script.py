"""Scripts: what a user would do, one step a line, to be played without a user.

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
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from viewer.app import App
from viewer.screen.events import Event
from viewer.settings.recipe import recipe_of
from viewer.settings.screenshot import check_png, write_screenshot

if TYPE_CHECKING:  # a script is read before OpenGL is bound
    from viewer.screen.offscreen_window import OffscreenWindow

LONGEST_WORK = 300  # seconds until a script gives up to finish
MOST_NOTCHES = 100  # of the mouse wheel at once; fewer lead from the smallest zoom to the largest
LONGEST_WAIT = 3000  # frames until a script gives up to settle, but for those that wait for the CPU


@dataclass(frozen=True)
class ScriptStep:
    """One line of a script: its number, its verb and its words."""

    line: int
    verb: str
    words: tuple[str, ...]


def read_script(path: Path) -> list[ScriptStep]:
    """The steps of a script in a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8, or a line means nothing; the message names the file.
    """
    try:
        return parse_script(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: a script is text in UTF-8 ({error})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parse_script(text: str) -> list[ScriptStep]:
    """The steps of a script.

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
    """Understand a step's words now, not when it is its turn."""
    try:
        if step.verb in _EVENTS:
            _EVENTS[step.verb](step.words)
        elif step.verb == "wait":
            int(step.words[0])
        elif step.verb == "size":
            _size(step.words[0])
        elif step.verb == "shot":
            check_png(Path(step.words[0]))
    except ValueError as error:
        raise ValueError(f"line {step.line}: {error}") from None


def play(app: App, window: "OffscreenWindow", steps: Sequence[ScriptStep], folder: Path) -> None:
    """Do a script's steps, each followed by a frame.

    Args:
        folder: of the pictures it writes.

    Raises:
        ValueError: what was chosen does not come to rest, or a key closed the program before the
            script's end.
        OSError: a picture cannot be written.
    """
    for step in steps:
        _require_open(app, step)
        if step.verb in _EVENTS:
            _happen(app, window, step)
        elif step.verb == "wait":
            for _ in range(int(step.words[0])):
                app.step()
        elif step.verb == "settle":
            settle(app)
        elif step.verb == "finish":
            finish(app)
        elif step.verb == "size":
            window.resize(*_size(step.words[0]))
            app.step()
        else:
            write_screenshot(folder / step.words[0], window.read(), recipe_of(app.session))


def _happen(app: App, window: "OffscreenWindow", step: ScriptStep) -> None:
    """Let a step's events happen, each followed by a frame."""
    for event in _EVENTS[step.verb](step.words):
        _require_open(app, step)
        window.add([event])
        app.step()


def _require_open(app: App, step: ScriptStep) -> None:
    """Raise ``ValueError`` if the program was closed before a step."""
    if app.state.closing:
        said = " ".join((step.verb, *step.words))
        raise ValueError(f"line {step.line}: a key closed the program before {said!r} was done")


def settle(app: App) -> None:
    """Let frames pass until what is chosen is shown. Raises ``ValueError`` if it never is."""
    waited = 0
    while waited < LONGEST_WAIT:
        app.step()
        if app.settled:
            app.step()  # panels tell of the frame before
            return
        waited += not app.busy
    raise ValueError(f"what was chosen is not shown after {LONGEST_WAIT} frames")


def finish(app: App) -> None:
    """Let frames pass until no panel waits. Raises ``ValueError`` if that takes too long."""
    began = time.monotonic()
    app.step()  # panels see what was chosen
    while not app.started or app.desk.busy:  # before the first picture no panel begins
        if time.monotonic() - began > LONGEST_WORK:
            what = "a panel" if app.started else "the first picture"
            raise ValueError(f"{what} still waits after {LONGEST_WORK} seconds")
        app.step()
    app.step()


def _point(word: str) -> tuple[float, float]:
    x, _, y = word.partition(",")
    try:
        place = float(x), float(y)
    except ValueError:
        place = math.nan, math.nan
    if not all(map(math.isfinite, place)):
        raise ValueError(f"a place is X,Y in pixels (got {word!r})")
    return place


def _size(word: str) -> tuple[int, int]:
    width, _, height = word.partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise ValueError(f"a size is WxH in pixels (got {word!r})") from None


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
"""How few and how many words every step takes."""
