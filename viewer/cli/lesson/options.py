"""The options of ``lesson``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.learning import Lesson
from wheatstone.viewer.cli.requests import SizedSceneOptions, VerbRequest, left_word, size_option
from wheatstone.viewer.cli.view_request import FreshOption, ViewRequest
from wheatstone.viewer.options import (
    WHOLE,
    Pipelines,
    choice_option,
    float_option,
    int_option,
    path_option,
    text_option,
)
from wheatstone.viewer.panels.lessons.reading import BUILT_IN
from wheatstone.viewer.parser import check_first
from wheatstone.viewer.theme import THEMES


@dataclass(frozen=True, kw_only=True)
class LessonWord:
    """The argument that names a lesson, built in or in a file."""

    name: str = text_option(
        f"lesson: {', '.join(BUILT_IN)}, or a file (see docs/lessons.md)",
        "LESSON",
        positional=True,
        required=True,
    )


@dataclass(frozen=True, kw_only=True)
class LessonRequest(LessonWord, SizedSceneOptions, FreshOption, VerbRequest):
    """The options of ``lesson``, which shows a lesson in a window, or writes it to files."""

    verb: ClassVar[str] = "lesson"
    left: str | None = left_word("your own images for the lesson: image or folder")
    step: int | None = int_option(
        "first step shown, or the only step written with --out; default: the last step shown, or "
        "all steps",
        *(1, WHOLE),
    )
    out: Path | None = path_option(
        "write the steps instead of opening a window: folder of pictures, or film (.mp4)",
        "FOLDER|FILM",
    )
    seconds: int = int_option(
        "seconds of each step and each answer in a film (default: 8)", 1, WHOLE, default=8
    )
    size: tuple[int, int] | None = size_option(
        "size of the window or of the pictures (default: 1280x800)"
    )
    theme: str | None = choice_option(THEMES, "colours of the panels")
    scale: float | None = float_option("size of text and panels")

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Return all arguments and no pipeline; raise ``ValueError`` if a lesson is misspelled."""
        check_first(words, BUILT_IN, "lesson")
        return list(words), {}, ()

    def view(self, played: Lesson) -> ViewRequest:
        """Return the options of ``view`` that show a lesson's pipeline on the chosen source.

        Without a window, the settings of the last session are ignored.
        """
        given = {"theme": self.theme, "scale": self.scale}
        return ViewRequest(
            pipeline=PIPELINES[played.pipeline],
            named=True,
            left=self.left,
            right=self.right,
            scene=self.scene,
            seed=self.seed,
            scene_size=self.scene_size,
            size=self.size,
            choices={name: value for name, value in given.items() if value is not None},
            fresh=self.fresh or self.out is not None,
        )
