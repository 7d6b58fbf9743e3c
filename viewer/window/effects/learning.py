"""Actions (effects) of lessons: begin, change the step, show an answer, and end."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace

from wheatstone.viewer.choices.learning import Lesson, LessonUnderWay
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.findings import in_window
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.panels.lesson.panel import first_lesson, offers_assignment
from wheatstone.viewer.panels.lessons.reading import lesson_file, read_lesson
from wheatstone.viewer.settings.layers import Machine
from wheatstone.viewer.settings.lesson_states import (
    base_state,
    check_lesson,
    document_before,
    show_state,
    step_state,
)
from wheatstone.viewer.settings.recipe import document
from wheatstone.viewer.window.effects.ending import end_lesson, end_tour
from wheatstone.viewer.window.effects.program import ProgramActions

MOST_KEPT = 50
"""The number of lessons whose step is remembered."""


def lesson(app: ProgramActions, what: str, *words: str) -> None:
    """Run a lesson's action: begin it, change the step, answer its question, or end it.

    Args:
        what: ``begin`` with the lesson's name and perhaps a step from 1, ``next``, ``back``,
            ``answer``, ``on`` (the answer, or else the next step), ``choose`` with the number of
            an answer from 1, ``assignment``, or ``end``.

    Raises:
        OSError, ValueError: the lesson cannot be read.
    """
    state = app.state
    if what == "begin":
        begin_lesson(state, words[0], _size(app), int(words[1]) if words[1:] else None)
    elif state.lesson and what == "end":
        end_lesson(state)
    elif state.lesson and what == "assignment":
        begin_assignment(state, state.lesson.lesson)
    elif state.lesson:
        _move(state, what, _size(app), int(words[0]) if words else 0)
    elif what == "on":
        begin_lesson(state, first_lesson(state), _size(app))


def begin_assignment(state: ViewerState, lesson: Lesson) -> None:
    """Write the folder for a lesson's assignment, and open another window with it.

    Raises:
        OSError, ValueError: the folder cannot be written.
    """
    if not offers_assignment(state, lesson):
        raise ValueError("the assignment cannot be started here")
    folder = state.bounds.folder / f"my-{lesson.pipeline}"
    if not folder.exists():
        write = import_object("wheatstone.viewer.run.kernels.assignment:write_assignment")
        write(folder, lesson.pipeline, folder.name)
    documents = sorted(folder.rglob("kernel.toml"))
    own = [word for path in documents for word in ("--kernel", str(path.parent))]
    subprocess.Popen(
        [sys.executable, "-m", "wheatstone", "view", lesson.pipeline, *own],
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # it stays open when this window is closed
    )
    state.confirm(f"{folder}: write the kernels in this folder; a new window shows them")


def _size(app: ProgramActions) -> tuple[int, int]:
    source = app.session.source
    return source.height, source.width


def begin_lesson(
    state: ViewerState, name: str, size: tuple[int, int], step: int | None = None
) -> None:
    """Begin a lesson at the given step, or at the step shown last.

    Args:
        name: of a built-in lesson, or its file.
        size: height and width of the frames shown.
        step: from 1; None: where it was left.

    Raises:
        OSError, ValueError: the lesson cannot be read, or has no such step.
    """
    opened = read_lesson(name)
    try:
        check_lesson(opened, state, size)
    except ValueError as error:
        raise ValueError(f"{lesson_file(name)}: {error}") from None
    end_tour(state)
    end_lesson(state)
    first = state.learning.steps.get(name, 0) if step is None else step - 1
    if step is not None and not 0 <= first < len(opened.steps):
        raise ValueError(f"{opened.title} has steps 1 to {len(opened.steps)} (got {step})")
    before = document_before(state, document(state))
    go_to(state, LessonUnderWay(opened, before), min(max(first, 0), len(opened.steps) - 1), size)


def _move(state: ViewerState, what: str, size: tuple[int, int], chosen: int = 0) -> None:
    """Go forward or back by a step of the lesson, or show or choose an answer.

    The first and the last step have none before or after them: there nothing changes.
    """
    under_way = state.lesson
    assert under_way
    step, answered = under_way.step, under_way.answered
    waits = bool(under_way.now.question) and not answered
    if what == "choose" and waits:
        go_to(state, under_way, step, size, answered=True, chosen=chosen)
    elif what == "answer" or (what == "on" and waits):
        go_to(state, under_way, step, size, answered=bool(under_way.now.question))
    elif what == "back" and answered:
        go_to(state, under_way, step, size)
    elif what == "back" and step:
        go_to(state, under_way, step - 1, size)
    elif what in ("next", "on") and step + 1 < len(under_way.lesson.steps):
        go_to(state, under_way, step + 1, size)


def go_to(
    state: ViewerState,
    under_way: LessonUnderWay,
    step: int,
    size: tuple[int, int],
    *,
    answered: bool = False,
    chosen: int = 0,
) -> None:
    """Show a step of a lesson; its state depends on the lesson's file, not on the present view."""
    asked = replace(under_way, step=step, answered=answered, chosen=chosen)
    machine = Machine(state.absent, state.presets)
    base = base_state(state, under_way.lesson, size)
    shown = step_state(base, asked.lines, machine, size)
    learning = state.learning
    show_state(state, shown)
    state.learning = replace(learning, steps=_kept(learning.steps, under_way.lesson, step))
    state.lesson = replace(asked, draws=shown.draws)
    if shown.notes:
        state.warn(in_window(shown.notes[0]))
    else:
        state.messages = state.messages.dismissed()


def _kept(steps: Mapping[str, int], read: Lesson, step: int) -> dict[str, int]:
    """Return the last step shown of each lesson, with one updated; the oldest ones are dropped."""
    others = [(name, at) for name, at in steps.items() if name != read.name]
    return dict([*others[-MOST_KEPT + 1 :], (read.name, step)])
