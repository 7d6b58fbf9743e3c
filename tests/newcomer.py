"""Works the program in a real window by xdotool, as a newcomer does, and counts the steps.

Run as a program it reads steps from standard input, for trying out: ``newcomer.py WORDS...``.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any
from unittest.mock import patch

from tests.patience import PATIENCE, wait_until
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.cli.view import prepare_state
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.window import Window
from wheatstone.viewer.window.app import App, open_app

SIZE = (1280, 800)
WIDGETS = (
    *("button", "small_button", "selectable", "radio_button", "checkbox", "invisible_button"),
    *("menu_item_simple", "begin_menu", "begin_combo", "input_text", "input_double"),
    *("slider_int", "slider_float"),
)
SEEN = 120.0  # seconds in which the words to click on appear
TEXTS = ("text", "text_unformatted", "text_wrapped", "text_colored", "text_disabled")
FRAME = 0.08  # seconds between two frames
QUIET = 0.25  # seconds without a change after which what a step began has ended


class Newcomer:
    """A user of a window, who sees the words of its widgets and clicks on them.

    Attributes:
        steps: clicks, keys and typed texts so far.
        places: where each widget was drawn in the last frame, by its words; those of a widget
            without words of its own follow the text before it.
        texts: where the other words were drawn.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self.steps: list[str] = []
        self.places: dict[str, tuple[float, float]] = {}
        self.texts: dict[str, tuple[float, float]] = {}

    def noting(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        """Note where a widget is drawn."""

        def drawn(words: str, *more: Any, **options: Any) -> Any:
            x, y = imgui.get_cursor_screen_pos()
            self.places[words] = x + 8, y + imgui.get_text_line_height() / 2
            answer = draw(words, *more, **options)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            if not (answer is True and draw.__name__.startswith("begin")) and high.x > low.x:
                self.places[words] = (low.x + high.x) / 2, (low.y + high.y) / 2
            if words.startswith("##") and self.texts:
                self.places[[*self.texts][-1] + words] = self.places[words]
            return answer

        return drawn

    def reading(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        """Note a text that is drawn."""

        def drawn(*words: Any) -> Any:
            x, y = imgui.get_cursor_screen_pos()
            self.texts[words[-1]] = x + 8, y
            return draw(*words)

        return drawn

    def reads(self, words: str) -> bool:
        """Return whether a text with these words was drawn in the last frame, or is a message."""
        newest = self.app.state.messages.newest.text
        return any(words in text for text in (newest, *self.texts))

    def rest(self, until: Callable[[], object] = lambda: True) -> None:
        """Run the window's loop until something holds and no request is left."""
        ends, quiet = time.monotonic() + PATIENCE, time.monotonic() + QUIET
        while not (until() and time.monotonic() > quiet):
            if time.monotonic() > ends:
                raise TimeoutError(f"after {self.steps[-1:]}: {self.app.state.messages.newest}")
            self.places.clear()
            self.texts.clear()
            self.app.step()
            time.sleep(FRAME)  # the processor is for what the window waits for
            if self.app.background.busy or self.app.state.effects:
                quiet = time.monotonic() + QUIET

    def click(self, words: str, button: int = 1, above: int = 0) -> None:
        """Click on the widget with these words, or whose words hold them, once it is there.

        Args:
            above: pixels from the words up to the place clicked on.
        """
        x, y = self._awaited(words)
        self.steps.append(f"click {words}")
        self._click(x, y - above, button)

    def drag(self, words: str, across: int) -> None:
        """Drag the knob in the middle of the slider after a text by some pixels."""
        x, y = self._awaited(f"{words}##slider")
        self.steps.append(f"drag {words}")
        press = ["mousemove", f"{x:.0f}", f"{y:.0f}", "sleep", "0.2", "mousedown", "1"]
        move = ["mousemove", f"{x + across:.0f}", f"{y:.0f}", "sleep", "0.2", "mouseup", "1"]
        self._xdotool(*press, "sleep", "0.2", *move)

    def _awaited(self, words: str) -> tuple[float, float]:
        """Wait until a widget with these words is drawn; return its place."""
        if place := self._place(words):
            return place
        ends = time.monotonic() + SEEN
        self.rest(lambda: self._place(words) or time.monotonic() > ends)
        if place := self._place(words):
            return place
        raise LookupError(f"{words!r} is not on screen: {sorted(self.places)}")

    def _place(self, words: str) -> tuple[float, float] | None:
        """Return the middle of the widget whose words are, or else contain, these."""
        spoken = [each for each in self.places if each.partition("##")[0].strip() == words]
        begun = [each for each in self.places if words in each]
        read = [place for text, place in self.texts.items() if words in text]
        return next(iter([*(self.places[each] for each in spoken + begun), *read]), None)

    def point(self, across: float, down: float, button: int = 1) -> None:
        """Click on a place of the picture, given as parts of its width and height."""
        self.rest()
        self.steps.append(f"click the picture at {across}, {down}")
        images, area = self.app.session.display.drawn.arrangement, self.app.layout.area
        height, width = images.sizes[0]
        x, y = images.place(down * height, across * width, 0)
        self._click(area.x + x, area.y + y, button)

    def _click(self, x: float, y: float, button: int) -> None:
        place = round(x), round(y)
        self._run("mousemove", *map(str, place))
        wait_until(lambda: self._points_at(place), self.app.step)
        self.app.step()  # draws what lies under the pointer
        self._xdotool("click", str(button))

    def _points_at(self, place: tuple[int, int]) -> bool:
        """Return whether the window has the pointer at a place, in pixels."""
        pointer = imgui.get_io().mouse_pos
        return abs(pointer.x - place[0]) < 2 and abs(pointer.y - place[1]) < 2

    def type(self, text: str) -> None:
        """Type a line and end it with Return."""
        self.steps.append(f"type {text}")
        self._xdotool("type", "--delay", "8", text)
        self._xdotool("key", "Return")

    def press(self, key: str) -> None:
        """Press a key."""
        self.steps.append(f"press {key}")
        self._xdotool("key", key)

    def _xdotool(self, *words: str) -> None:
        self._run(*words)
        self.rest()

    def _run(self, *words: str) -> None:
        """Run xdotool while the window draws."""
        with subprocess.Popen(["xdotool", *words]) as running:
            while running.poll() is None:
                self.app.step()
                time.sleep(FRAME)


@contextmanager
def newcomer(*words: str) -> Iterator[Newcomer]:
    """Open the program in a window for a newcomer."""
    with ExitStack() as stack:
        request = parse(["view", *words])
        state, source = open_view(request)
        stack.enter_context(closing(source))
        prepare_state(request, state, source)
        window = stack.enter_context(closing(Window(*SIZE, "Wheatstone")))
        app = open_app(stack, window, state, source)
        app.fits_depths = True
        user = Newcomer(app)
        for name in WIDGETS:
            stack.enter_context(patch.object(imgui, name, user.noting(getattr(imgui, name))))
        for name in TEXTS:
            stack.enter_context(patch.object(imgui, name, user.reading(getattr(imgui, name))))
        search = ["xdotool", "search", "--sync", "--name", "Wheatstone", "windowfocus", "--sync"]
        subprocess.run(search, check=True, timeout=60, stdout=subprocess.DEVNULL)
        user.rest()
        yield user


def carry_out(user: Newcomer, line: str) -> None:
    """Carry out one step that is written as a line."""
    verb, _, rest = line.strip().partition(" ")
    if verb == "shot":
        subprocess.run(["import", "-window", "root", rest], check=True, timeout=60)
    elif verb == "list":
        user.rest()
        print(sorted(user.places))
    elif verb == "wait":
        ends = time.monotonic() + float(rest)
        user.rest(lambda: time.monotonic() > ends)
    elif verb == "point":
        across, down, *button = rest.split()
        user.point(float(across), float(down), int(*button or "1"))
    else:
        getattr(user, verb)(rest)


def main() -> None:
    """Carry out the steps that standard input lists, and show the newest message after each."""
    with newcomer(*sys.argv[1:]) as user:
        for line in sys.stdin:
            try:
                carry_out(user, line)
                print(">", line.strip(), "|", user.app.state.messages.newest.text, flush=True)
            except (LookupError, TimeoutError) as error:
                print("!", error, flush=True)


if __name__ == "__main__":
    main()
