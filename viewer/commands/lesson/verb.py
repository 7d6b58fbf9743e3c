"""``wheatstone lesson``: open a window with the lesson, or write it to files."""

import argparse
from functools import partial

from wheatstone.viewer.app import App
from wheatstone.viewer.choices.learning import LESSON, Lesson
from wheatstone.viewer.commands.lesson.options import view_options
from wheatstone.viewer.lessons.reading import read_lesson
from wheatstone.viewer.panels import START


def lesson(options: argparse.Namespace) -> int:
    """Show or write the lesson that a command line names; return the exit code.

    Raises:
        OSError, ValueError: the lesson is invalid, its source cannot be opened, or a file cannot be
            written.
        Unavailable: a device or package for showing or writing it is absent.
    """
    found = read_lesson(options.name)
    _check_step(options, found)
    shown = view_options(options, found)
    if options.out:
        from wheatstone.viewer.commands.lesson.playing import write_lesson

        return write_lesson(options, shown, found)
    from wheatstone.viewer.commands.view import view

    return view(shown, partial(_begin, options))


def _check_step(options: argparse.Namespace, found: Lesson) -> None:
    """Raise ``ValueError`` for a step that the lesson does not have."""
    count = len(found.steps)
    if options.step and options.step > count:
        raise ValueError(f"{options.name} has steps 1 to {count} (got --step {options.step})")


def _begin(options: argparse.Namespace, app: App) -> None:
    """Request the lesson when the window is open."""
    app.state.open_panels -= {START}
    app.state.open_panels.add(LESSON)
    step = (str(options.step),) if options.step else ()
    app.state.effects.append((LESSON, "begin", options.name, *step))
