"""Ask the user before a recipe by somebody else opens files outside its own folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.footage.address import is_live
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.settings.recipe import Recipe, dumps
from wheatstone.viewer.settings.seal import is_own
from wheatstone.viewer.settings.sections import saved_source

FILES = ("left", "right", "calibration", "calibration_right", "truth")
"""Keys of a recipe's source that name files or folders."""


def foreign_files(file: Path, recipe: Mapping[str, Any]) -> tuple[str, ...]:
    """List the files outside the folder of a recipe's file that the recipe wants to open.

    Cameras and streams lie outside of every folder.

    Empty if this user's own program wrote the recipe.

    Args:
        file: the settings or the screenshot that holds the recipe.

    Raises:
        ValueError: the recipe's source is damaged.
    """
    source = saved_source(recipe)
    folder = resolved(file).parent
    named = [str(source[name]) for name in FILES if source.get(name)]
    outside = tuple(name for name in named if _is_outside(name, folder))
    return outside if outside and not is_own(recipe) else ()


def _is_outside(name: str, folder: Path) -> bool:
    """Return whether a name is that of a camera or a stream, or of a file outside a folder."""
    return is_live(name) or not resolved(name).is_relative_to(folder)


def question_about(file: Path, files: tuple[str, ...], recipe: Recipe) -> Question:
    """Make the question whether the source that a recipe names may be opened."""
    return Question(
        f"{file.name} wants to open what lies elsewhere:",
        files,
        "It was not written by you on this machine. What it opens is only shown, never sent.",
        ("open source", dumps({"source": saved_source(recipe)})),
    )
