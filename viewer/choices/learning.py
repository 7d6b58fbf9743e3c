"""A lesson while it is taken, and how far each was read: plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from wheatstone.viewer.choices.declared import ChoiceGroup, by_name

LESSON = "lesson"
"""Name of the panel in which a lesson is read."""
LESSON_KEYS = {"Enter": "on", "Backspace": "back"}
"""What keys do to the lesson that is shown."""


@dataclass(frozen=True)
class StateLine:
    """A line of a lesson that says what the workbench shows.

    Attributes:
        number: of the line in its file, from 1.
        words: a verb such as ``pixel`` and what follows, or options of a command line.
    """

    number: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class LessonStep:
    """A step of a lesson; its texts hold placeholders for numbers.

    Attributes:
        line: of its title in the file.
        text: what it explains.
        shows: what the workbench shows meanwhile, on top of what the lesson begins with.
        to_do: something for the reader to do; empty for nothing.
        question: what the reader is asked; empty for nothing.
        answer: the answer in words.
        answer_shows: what shows the answer, on top of the step's own.
    """

    line: int
    title: str
    text: str
    shows: tuple[StateLine, ...] = ()
    to_do: str = ""
    question: str = ""
    answer: str = ""
    answer_shows: tuple[StateLine, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A lesson as its file tells it.

    Attributes:
        name: by which it is asked for: that of a built-in lesson, or its file.
        about: a sentence or two on what it teaches.
        pipeline: that it is about.
        base: what the workbench shows before any step says otherwise.
    """

    name: str
    title: str
    about: str
    pipeline: str
    base: tuple[StateLine, ...]
    steps: tuple[LessonStep, ...]


@dataclass(frozen=True)
class LessonUnderWay:
    """A lesson that is being taken.

    Attributes:
        before: all settings as they were when it began; its end restores them.
        step: which of its steps is shown, from 0.
        answered: whether the step's answer is shown.
        draws: what is drawn over the picture: each a word and what it is about.
        moment: how far what moves over the picture is, from 0 to 1; None: it goes by the clock.
    """

    lesson: Lesson
    before: Mapping[str, Any]
    step: int = 0
    answered: bool = False
    draws: tuple[tuple[str, ...], ...] = ()
    moment: float | None = None

    @property
    def lines(self) -> tuple[StateLine, ...]:
        """List what the step shows; what its answer draws and opens takes the place of its own."""
        own, answer = self.now.shows, self.now.answer_shows if self.answered else ()
        replaced = {line.words[0] for line in answer} & {"draw", "panel"}
        stays = tuple(line for line in own if line.words[0] not in replaced)
        return stays + answer

    @property
    def now(self) -> LessonStep:
        """Look up the step shown."""
        return self.lesson.steps[self.step]


@dataclass(frozen=True)
class Learning(ChoiceGroup):
    """How far each lesson was read.

    Attributes:
        steps: the step at which each lesson was left, from 0, by the lesson's name.
    """

    heading: ClassVar[str] = "lessons"

    steps: Mapping[str, int] = by_name(
        0,
        1000,
        "Step at which each lesson was left, from 0, by the lesson's name.",
        undone=False,
    )
