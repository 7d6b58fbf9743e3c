"""``wheatstone lesson``: open a window with the lesson, or write it to files."""

from functools import partial

from wheatstone.viewer.choices.learning import LESSON, Lesson
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.cli.lesson.options import LessonRequest
from wheatstone.viewer.panels.lessons.reading import read_lesson
from wheatstone.viewer.window.app import App


def lesson(request: LessonRequest) -> int:
    """Run ``wheatstone lesson``: show or write a lesson; return the exit code.

    Raises:
        OSError, ValueError: the lesson is invalid, its source cannot be opened, or a file cannot be
            written.
        Unavailable: a device or package for showing or writing it is absent.
    """
    played = read_lesson(request.name)
    _check_step(request, played)
    if request.out:
        from wheatstone.viewer.cli.lesson.playing import write_lesson

        return write_lesson(request, request.out, played)
    from wheatstone.viewer.cli.view import view

    return view(request.view(played), partial(_begin, request))


def _check_step(request: LessonRequest, played: Lesson) -> None:
    """Raise ``ValueError`` if the lesson does not have the requested step."""
    count = len(played.steps)
    if request.step and request.step > count:
        raise ValueError(f"{request.name} has steps 1 to {count} (got --step {request.step})")


def _begin(request: LessonRequest, app: App) -> None:
    """Request the start of the lesson in a window that was just opened."""
    app.state.open_panels -= {START}
    app.state.open_panels.add(LESSON)
    step = (str(request.step),) if request.step else ()
    app.state.effects.append((LESSON, "begin", request.name, *step))
