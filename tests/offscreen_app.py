"""The whole program in a window that nobody sees; an offscreen context must be current."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from time import sleep

from tests.patience import OFTEN
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view, show_values_of_b
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.panels.race.panel import RaceOutcome, RacePanel
from wheatstone.viewer.window.app import App, open_app


@contextmanager
def running_app(
    *words: str, size: tuple[int, int] = (480, 320), scale: float = 1.0, first: bool = True
) -> Iterator[App]:
    """An application of ``view`` with these words, paused; with its first picture shown."""
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    with ExitStack() as stack:
        request = parse(["view", *words])
        state, source = open_view(request)
        state.paused = True
        window = stack.enter_context(closing(OffscreenWindow(*size, scale)))
        app = open_app(stack, window, state, source)
        show_values_of_b(request, app.session)
        if first:
            settle(app)
        yield app


def raced(app: App) -> RaceOutcome:
    """What came of the last race or sweep; its panel is open."""
    panel = app.layout.body("race")
    assert isinstance(panel, RacePanel)
    return panel.outcome


def settle(app: App) -> None:
    """Run frames until the chosen view is shown; leave the core free for its computation."""
    from wheatstone.viewer.cli.script_player import settle

    settle(app, lambda: sleep(OFTEN if app.busy else 0))


def ask(app: App, *effect: str) -> None:
    """Request an effect, and wait until it has been run."""
    app.state.effects.append(effect)
    settle(app)


def do(app: App, *events: Event) -> None:
    """Let things happen between two frames, and see another, once none waits for a click."""
    app.window.add(events)  # type: ignore[attr-defined]
    app.step()
    app.step()
    while app._routing.holds:
        app.step()


def keys(app: App, *names: str) -> None:
    """Press keys."""
    do(app, *(Event("key", key=name) for name in names))


def text(app: App, typed: str) -> None:
    """Type, as a window tells it: every character is a key, too."""
    kinds = [(Event("key", key=c.upper()), Event("text", text=c)) for c in typed]
    do(app, *(event for pair in kinds for event in pair))


def click(app: App, x: float, y: float, button: int = 0) -> None:
    """Click at a place of the window, in pixels."""
    do(app, Event("move", x=x, y=y))
    for kind in ("press", "release"):
        do(app, Event(kind, x=x, y=y, button=button))
