"""The pairs that a command line of ``figure`` names: images, folders, scenes or settings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from wheatstone.viewer.cli.figure.request import FigureRequest
from wheatstone.viewer.cli.requests import check_trusted
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.listing import SUFFIXES
from wheatstone.viewer.io.sources.sides import ordered, partner
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recipe import Recipe, source_of
from wheatstone.viewer.settings.screenshot import read_recipe

SIDE = re.compile(r"(?:^|[-_. ])(?:left|l|im0|im2|view0|view1|image_0)$", re.IGNORECASE)
"""The part of a left view's name that denotes its side."""


@dataclass(frozen=True)
class NamedPair:
    """A pair to show in a figure, with its name and the settings saved with it.

    Attributes:
        spec: the source that opens it.
        recipe: the other settings in the file that names it; empty for images.
    """

    name: str
    spec: SourceSpec
    recipe: Recipe = field(default_factory=dict)


def pairs_of(request: FigureRequest) -> tuple[NamedPair, ...]:
    """List the pairs that a command line names, by default the first built-in scene.

    A missing pair is also listed: its cells show the reason.

    Raises:
        ValueError: settings are damaged or untrusted; or an option requires a single pair.
    """
    pairs = tuple(_pairs(request, list(request.pairs or SCENES[:1])))
    if request.truth:
        if len(pairs) != 1 or not pairs[0].spec.left:
            raise ValueError(f"--truth needs the images of one pair (got {len(pairs)})")
        spec = pairs[0].spec.changed(truth=str(Path(request.truth).absolute()))
        if request.truth_scale:
            spec = spec.changed(truth_scale=request.truth_scale)
        pairs = (replace(pairs[0], spec=spec),)
    elif request.truth_scale:
        raise ValueError("--truth-scale needs --truth FILE")
    return pairs


def _pairs(request: FigureRequest, words: list[str]) -> Iterator[NamedPair]:
    while words:
        word = words.pop(0)
        if is_live(word):
            raise ValueError(f"{word} is live: save its frame with Ctrl+Shift+S in its window")
        path = expanded(word)
        if word in SCENES and not path.exists():
            yield NamedPair(word, _scene(request, word))
        elif recipe := _recipe(path):
            yield _restored(request, path, recipe)
        else:
            yield _images(path, words)


def _scene(request: FigureRequest, name: str) -> SourceSpec:
    size = request.scene_size or SCENE_SIZE
    return SourceSpec(scene=name, seed=request.seed or 0, size=size)


def _recipe(path: Path) -> Recipe | None:
    """Read the settings in a TOML file or a screenshot; None for other files."""
    if path.suffix.lower() == ".toml" and path.is_file():
        return user_settings.read(path)
    return read_recipe(path) if path.is_file() else None


def _restored(request: FigureRequest, path: Path, recipe: Recipe) -> NamedPair:
    """Return the pair in a settings file or a screenshot; raise an error if it is untrusted."""
    spec = source_of(recipe)
    if not request.trust_sources:
        check_trusted(path, spec, recipe.get("seal"))
    return NamedPair(label(path.stem), spec or _scene(request, SCENES[0]), recipe)


def _images(path: Path, words: list[str]) -> NamedPair:
    """Return the pair of a left image and its right one: the next argument, or a matching file."""
    left, right = path, None
    other = partner(path)
    following = expanded(words[0]) if words else None
    is_image = path.suffix.lower() in SUFFIXES
    takes = following and is_image and following.suffix.lower() in SUFFIXES
    if following and takes and (other is None or following.absolute() == other.absolute()):
        words.pop(0)
        right = following
    elif other:
        left, right = ordered((path, other))
    spec = SourceSpec(str(left.absolute()), str(right.absolute()) if right else None)
    return NamedPair(label(_name(path)), spec)


def _name(path: Path) -> str:
    """Return a pair's name, from its file or its folder: ``teddy`` for ``teddy/im0.png``."""
    stem = SIDE.sub("", path.stem)
    return stem or path.absolute().parent.name
