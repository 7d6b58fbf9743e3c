"""Find the source or settings to open for dropped files, or for those named in the palette."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.sides import ordered, partner
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recipe import Recipe, source_of
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.settings.trust import foreign_files


@dataclass(frozen=True)
class Dropped:
    """The meaning of dropped files: a source, settings, or both.

    Attributes:
        spec: the new source; empty: the source stays.
        recipe: settings to restore; None: the settings stay.
        foreign: the files of the source that the user is asked about before they are opened.
        said: a message of one line for the user.
    """

    spec: SourceSpec
    recipe: Recipe | None
    said: str
    foreign: tuple[str, ...] = ()


def understood(paths: Sequence[str]) -> Dropped:
    """Determine the meaning of one or two files, folders or addresses of live sources.

    Raises:
        ValueError: the files have no meaning, with the reason; or settings are damaged.
        OSError: a file cannot be read.
    """
    if any(map(is_live, paths)) and len(paths) <= 2:
        left, right = (*paths, None)[:2]
        return Dropped(SourceSpec(left, right), None, " and ".join(paths))
    files = [expanded(path) for path in paths]
    for path in files:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder")
    if len(files) == 1:
        return _one(files[0])
    if len(files) == 2 and files[0].is_dir() == files[1].is_dir():
        return _pair(*files)
    if len(files) == 2:
        raise ValueError("a folder and a file make no pair: drop two images or two folders")
    raise ValueError(f"{len(files)} files: drop one image or folder, or a left and a right one")


def try_to_open(spec: SourceSpec) -> None:
    """Open a source, and close it again; raise ``OSError`` or ``ValueError`` if that fails."""
    open_source(spec).close()


def _one(path: Path) -> Dropped:
    recipe = user_settings.read(path) if path.suffix.lower() == ".toml" else None
    recipe = recipe or (read_recipe(path) if path.is_file() else None)
    if recipe:
        return _restored(path, recipe)
    if other := partner(path):
        found = _pair(path, other)
        return replace(found, said=f"{found.said}: found beside each other")
    return Dropped(SourceSpec(str(path)), None, path.name)


def _pair(one: Path, other: Path) -> Dropped:
    left, right = ordered((one, other))
    said = f"left {left.name}, right {right.name}"
    return Dropped(SourceSpec(str(left), str(right)), None, said)


def _restored(path: Path, recipe: Recipe) -> Dropped:
    try:
        spec = source_of(recipe)
    except ValueError as error:
        raise user_settings.told_of(path, error) from error
    foreign = foreign_files(path, spec, recipe.get("seal"))
    return Dropped(spec, recipe, f"{path.name} restored", foreign)
