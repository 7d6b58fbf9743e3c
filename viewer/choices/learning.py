"""A running lesson, and the user's progress in each lesson, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from wheatstone.viewer.choices.declared import ChoiceGroup, by_name

LESSON = "lesson"
"""Name of the panel that shows a lesson."""
LESSON_KEYS = {"Enter": "on", "Backspace": "back"}
"""The effect of keys on the lesson shown; digits choose an answer."""


@dataclass(frozen=True)
class StateLine:
    """A line of a lesson file that sets up the window, such as options or a pixel to pin.

    Attributes:
        number: of the line in its file, from 1.
        words: a verb such as ``pixel`` and its arguments, or options of a command line.
    """

    number: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class LessonChoice:
    """An answer to choose from in a lesson's question, and whether it is right."""

    text: str
    right: bool


@dataclass(frozen=True)
class LessonStep:
    """A step of a lesson, with texts that hold placeholders for numbers.

    Attributes:
        line: of its title in the file.
        shows: changes to the workbench for this step, on top of the lesson's base.
        to_do: something for the reader to do; empty for nothing.
        question: a question to the reader; empty for nothing.
        choices: answers to choose from, one of them right; empty: the answer is only shown.
        answer_shows: changes that show the answer, on top of the step's own.
    """

    line: int
    title: str
    text: str
    shows: tuple[StateLine, ...] = ()
    to_do: str = ""
    question: str = ""
    answer: str = ""
    answer_shows: tuple[StateLine, ...] = ()
    choices: tuple[LessonChoice, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A lesson as read from its file: steps of text that set up the window.

    Attributes:
        name: by which it is asked for: that of a built-in lesson, or its file.
        base: the settings of the workbench before any step changes them.
    """

    name: str
    title: str
    about: str
    pipeline: str
    base: tuple[StateLine, ...]
    steps: tuple[LessonStep, ...]


@dataclass(frozen=True)
class LessonUnderWay:
    """A lesson in progress, with the step on screen and the user's answer.

    Attributes:
        before: all settings as they were when it began; its end restores them.
        step: which of its steps is shown, from 0.
        answered: whether the step's answer is shown.
        chosen: number of the answer that the reader chose, from 1; 0: none.
        draws: the drawings over the picture: each a word and its subject.
        moment: progress of the animation over the picture, from 0 to 1; None: it follows the clock.
    """

    lesson: Lesson
    before: Mapping[str, Any]
    step: int = 0
    answered: bool = False
    chosen: int = 0
    draws: tuple[tuple[str, ...], ...] = ()
    moment: float | None = None

    @property
    def lines(self) -> tuple[StateLine, ...]:
        """List the lesson file's lines that set up the window for the step and its visible answer.

        The answer's drawings and panels replace the step's own.
        """
        own, answer = self.now.shows, self.now.answer_shows if self.answered else ()
        replaced = {line.words[0] for line in answer} & {"draw", "panel"}
        stays = tuple(line for line in own if line.words[0] not in replaced)
        return stays + answer

    @property
    def now(self) -> LessonStep:
        """Return the lesson step that is shown."""
        return self.lesson.steps[self.step]


def lesson_effect(under_way: LessonUnderWay | None, key: str) -> tuple[str, ...]:
    """Return the action of a key in the lesson panel; empty if the key has none there."""
    if key in LESSON_KEYS:
        return LESSON, LESSON_KEYS[key]
    asks = under_way and not under_way.answered
    numbers = range(1, len(under_way.now.choices) + 1) if under_way and asks else ()
    return (LESSON, "choose", key) if key in map(str, numbers) else ()


@dataclass(frozen=True)
class Learning(ChoiceGroup):
    """The user's progress in each lesson.

    Attributes:
        steps: the step at which each lesson was left, from 0, by the lesson's name.
    """

    heading: ClassVar[str] = "lessons"

    steps: Mapping[str, int] = by_name(
        0, 1000, "Last step shown of each lesson, from 0, by the lesson's name.", undone=False
    )
