"""Functions that play a lesson without a window, and write its steps as images or a film."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.learning import LESSON, Lesson
from wheatstone.viewer.cli.lesson.options import LessonRequest
from wheatstone.viewer.cli.script_player import finish, settle
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.cli.view_request import ViewRequest
from wheatstone.viewer.io.files.film import SUFFIXES, check_encoder, is_film, write_film
from wheatstone.viewer.io.files.folders import check_below, own_folder
from wheatstone.viewer.io.files.output import check_outputs
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.media import SUFFIXES as VIDEOS
from wheatstone.viewer.panels.lesson.panel import offers_assignment
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.settings.recipe import recipe_of
from wheatstone.viewer.settings.screenshot import write_screenshot
from wheatstone.viewer.window.app import App, open_app
from wheatstone.viewer.window.effects.ending import end_lesson
from wheatstone.viewer.window.effects.learning import begin_lesson, go_to

SIZE = (1280, 800)
RATE = 10  # pictures a second of a film
NO_FOLDERS = (*VIDEOS, ".gif", ".png", ".jpg", ".jpeg", ".svg", ".pdf")
"""Suffixes that denote an output file, not a folder."""
STILL = 0.35
"""The moment at which pictures show animations: not the middle, where a window is symmetric."""


@dataclass(frozen=True)
class LessonPage:
    """A page of a lesson that is written to a file: one step, with or without its answer."""

    step: int
    answered: bool

    @property
    def file(self) -> str:
        """Return the file name of the page's picture."""
        return f"step-{self.step + 1:02d}{'-answer' * self.answered}.png"


def pages(played: Lesson, only: int | None = None) -> list[LessonPage]:
    """List the pages of a lesson in order: each step, then its answer if it asks a question.

    Args:
        only: the number of the only step to write, from 1; None: all.
    """
    wanted = [n for n in range(len(played.steps)) if only is None or n == only - 1]
    both = [(LessonPage(n, False), LessonPage(n, True)) for n in wanted]
    return [p for pair in both for p in pair if not p.answered or played.steps[p.step].question]


def write_lesson(request: LessonRequest, out: Path, played: Lesson) -> int:
    """Write the steps of a lesson as images or as a film; return the exit code.

    Args:
        out: the folder or the film.

    Raises:
        OSError, ValueError: a file cannot be written, or a step cannot be shown.
        Unavailable: a film is requested, and PyAV is not installed.
    """
    film = is_film(out)
    if film:
        check_encoder()
    elif out.suffix.lower() in NO_FOLDERS:
        counts = f"a film is {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}; pictures need a folder"
        raise ValueError(f"{out}: {counts}")
    wanted = pages(played, request.step)
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine())
        line.show("opening the source")
        app = offscreen_app(stack, request.view(played), request.size or SIZE)
        if film:
            check_outputs([out])
        else:
            check_below(out, [page.file for page in wanted])
        begin_lesson(app.state, request.name, _size(app), 1)
        if film:
            write_film(out, _film(app, wanted, request.seconds, line), RATE)
            counts = f"{len(wanted)} pages of {request.seconds} s"
        else:
            _write_pictures(app, wanted, out, line)
            counts = f"{len(wanted)} pictures"
        end_lesson(app.state)
    say(f"wrote {out}: {played.title}, {counts}")
    if offers_assignment(app.state, played):
        name = played.pipeline
        say(f"write it yourself: wheatstone kernel new my-{name} --assignment {name}")
    return 0


def offscreen_app(stack: ExitStack, shown: ViewRequest, size: tuple[int, int]) -> App:
    """Open the program in an offscreen window, which the exit stack closes."""
    state, source = open_view(shown)
    stack.enter_context(closing(source))
    from wheatstone.viewer.cli.render import cuda_ordinal
    from wheatstone.viewer.display.screen.offscreen import OffscreenContext

    stack.enter_context(OffscreenContext(cuda_ordinal(state)))
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    window = stack.enter_context(closing(OffscreenWindow(*size)))
    state.open_panels, state.paused = {LESSON}, True
    return open_app(stack, window, state, source)


def show_page(app: App, page: LessonPage, moment: float = STILL) -> NDArray[np.uint8]:
    """Show a page of a lesson until it is fully computed; return its image, (H, W, 3) RGB.

    Raises:
        ValueError: this takes too long.
    """
    _turn_to(app, page, moment)
    settle(app)
    finish(app)
    return _picture(app)


def _turn_to(app: App, page: LessonPage, moment: float) -> None:
    under_way = app.state.lesson
    assert under_way
    go_to(app.state, under_way, page.step, _size(app), answered=page.answered)
    _set_moment(app, moment)


def _size(app: App) -> tuple[int, int]:
    return app.session.source.height, app.session.source.width


def _set_moment(app: App, moment: float) -> None:
    assert app.state.lesson
    app.state.lesson = replace(app.state.lesson, moment=moment)


def _picture(app: App) -> NDArray[np.uint8]:
    """Read the pixels of the window: (H, W, 3) RGB."""
    read: NDArray[np.uint8] = app.window.read()  # type: ignore[attr-defined]
    return read


def _write_pictures(app: App, wanted: list[LessonPage], folder: Path, line: ProgressLine) -> None:
    """Write a picture of every page, with the settings that restore its view."""
    own_folder(folder)
    for number, page in enumerate(wanted):
        line.show(page.file, number / len(wanted))
        picture = show_page(app, page)
        write_screenshot(folder / page.file, picture, recipe_of(app.session))


def _film(
    app: App, wanted: list[LessonPage], seconds: int, line: ProgressLine
) -> Iterator[NDArray[np.uint8]]:
    """Yield the pictures of a film: each page for some seconds, with its animation."""
    for number, page in enumerate(wanted):
        line.show(page.file, number / len(wanted))
        still = show_page(app, page, 0.0)
        count, state = seconds * RATE, app.state
        draws = bool(state.lesson and state.lesson.draws)
        for place in range(count):
            if draws or state.unfolding.on:
                _set_moment(app, place / (count - 1))
                state.unfolding = state.unfolding.at(place / (count - 1))
                settle(app)
                still = _picture(app)
            yield still
