"""Hostile lessons: files that a teacher never wrote."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated_text
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.lessons.reading import BUILT_IN, lesson_file, read_lesson
from wheatstone.viewer.panels.lessons.wording import facts_in
from wheatstone.viewer.settings.lesson_states import check_lesson

ABSENT = {"cpu": "", "cuda": "no GPU"}
MOST = 3  # steps of a lesson that are kept: each is shown twice
WORDS = (
    *("{", "}", "{gpu: ", "{ms cpu}", "{value left}", "## A", "# B", "> Why?", "Try: it", "```"),
    *("```wheatstone", "pixel 0.5,nan", "pixel 1e400,0", "template 0,0,1,1", "panel costs race"),
    *("key S", "key Q", "key Ctrl+Shift+P", "key Ctrl+O", "draw tile shared mean_filter", "canny"),
    *("--frame -1", "--zoom nan", "--center 1e308,0", "--set look.pin=[1,2,3]", "--range 1,0"),
    *("--set learning.steps={a=1}", "--b-pipeline canny", "--preset x", "--variant shared"),
)
ATTACKS: tuple[Callable[[Random], str], ...] = (
    lambda r: "# A\n" + "## B\n\ntext\n\n" * r.choice((41, 20_000)),
    lambda r: "# A\n\n## B\n\n" + "{" * r.choice((3, 100_000)),
    lambda r: "# A\n\n## B\n\n" + "{gpu: " * 30_000,
    lambda r: (
        "# A\n\n```wheatstone\n" + "--radius 2\n" * r.choice((20, 20_000)) + "```\n## B\n\nx\n"
    ),
    lambda r: "# A\n\n## B\n\n" + "\x1b]0;x\x07 \u202e" * 100 + "\n",
    lambda r: "#" * 200_000,
    lambda r: "# A\n" + "\n" * 2**18,
)


def _short(random: Random) -> str:
    """Take a few steps of a lesson that is there."""
    head, *steps = lesson_file(random.choice(BUILT_IN)).read_text().split("\n## ")
    return "\n## ".join([head, *random.sample(steps, MOST)])


def make_lesson(random: Random, folder: Path) -> None:
    """Write a lesson, most often a damaged one."""
    path, how = folder / "lesson.md", random.random()
    if how < 0.85:
        path.write_bytes(mutated_text(random, _short(random), WORDS))
    elif how < 0.98:
        path.write_text(random.choice(ATTACKS)(random))
    elif how < 0.99:
        os.mkfifo(path)
    else:
        path.symlink_to(random.choice(("lesson.md", "/dev/zero", "absent", "/proc/self/mem")))


def read_and_check(folder: Path) -> None:
    """Read the lesson and show all its steps where nobody sees them."""
    lesson = read_lesson(str(folder / "lesson.md"))
    state = ViewerState(default_slot(Random(0).choice(list(PIPELINES)), ABSENT), ABSENT)
    for step in lesson.steps:
        facts_in(step.text, step.to_do, step.question, step.answer)
        if not all(c.isprintable() for c in step.text + step.title):
            raise AssertionError("a text holds what does not print")
    check_lesson(lesson, state)
    if state.effects or state.closing:
        raise AssertionError(f"a lesson asked for {state.effects}")


KINDS = [FuzzKind("lessons", make_lesson, read_and_check)]
