"""The program with the toy, whose results never come; it writes down what is on screen when."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.toy import TOY, scores
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.window.app import App

TRACE = "trace.txt"
BEGAN, ONE_WRITES = time.perf_counter(), threading.Lock()


def note(what: str) -> None:
    """Write an event and its time, in seconds, at the end of the trace, once."""
    path = Path(TRACE)
    with ONE_WRITES:
        before = path.read_text() if path.exists() else ""
        if f" {what}\n" not in before:
            path.write_text(f"{before}{time.perf_counter() - BEGAN:.3f} {what}\n")


def noting(step: Callable[[App], None]) -> Callable[[App], None]:
    """Let every pass of the program say what it shows."""

    def noted(app: App) -> None:
        step(app)
        note("window")
        if app.session.display.drawn.arrangement.cells:
            note("left view")
        if app.started:
            note("result")

    return noted


def endless(*_: Any) -> None:
    """Stand for compiled code that goes on for ever."""
    note("computing")
    threading.Event().wait()


if __name__ == "__main__":
    PIPELINES["toy"] = TOY
    scores.scores = endless  # type: ignore[assignment]
    App.step = noting(App.step)  # type: ignore[method-assign, assignment]
    raise SystemExit(main())
