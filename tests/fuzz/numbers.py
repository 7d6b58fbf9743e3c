"""Extremes of every declared number, through every entrance that the number has.

All cases are made from the declarations, so a new number is tried as soon as it is declared.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from tests.fuzz.folders import picture
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.lessons import read_and_check
from tests.fuzz.manifests import OLDER, PAIR, read_manifest_next_to_and_given
from tests.fuzz.recipes import began, dropped, started
from tests.fuzz.words import known_words, parse_case, run_case, write_words
from wheatstone.gpu.parameters import BOUNDED, controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choices
from wheatstone.viewer.cli.cli import VERBS
from wheatstone.viewer.cli.script import read_script
from wheatstone.viewer.io.sources.manifest import ManifestEntry, OlderEntry
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.lesson_states import VERBS as LESSON_WORDS
from wheatstone.viewer.settings.screenshot import write_screenshot
from wheatstone.viewer.window.serving.messages import FIELDS, done_by, read_message

EXTREMES: tuple[int | float, ...] = (
    *(float("inf"), float("-inf"), float("nan"), 1e308, -1e308, 5e-324, -0.0, 1e19, 1e15, -1e15),
    *(2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 10**400, -(10**400), 0, -1, 0.5, 3),
)
ABSENT = {"cpu": "", "cuda": "no GPU"}
SCENE: dict[str, str | int] = {"scene": "orbit", "seed": 1, "size": "40x30"}
Place = tuple[str, ...]


@cache
def declared_in_recipes(pipeline: str) -> Mapping[Place, Any]:
    """List the numbers that settings hold: the way to each, and its type."""
    by_key: dict[Place, Any] = {}
    sections = {"": ("view",), "mixing": ("compare",)}
    for choice in choices():
        if choice.control.kind in BOUNDED:
            place = sections.get(choice.group, ("chosen", choice.group))
            by_key[*place, choice.name] = choice.kind
    params = PIPELINES[pipeline].params
    hints = get_type_hints(params)
    by_key |= {("params", name): hints[name] for name in controls(params)}
    source = get_type_hints(SourceSpec)
    return by_key | {("source", n): k for n, k in source.items() if {int, float} & _parts(k)}


def _parts(kind: Any) -> set[Any]:
    return {kind, *get_args(kind)}


def _extreme(random: Random, kind: Any) -> Any:
    """Make a value of a type whose numbers are extreme, all of them or one."""
    kind = next((part for part in get_args(kind) if NoneType in get_args(kind)), kind)
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        count = random.randrange(1, 4) if parts[1:] == (...,) else len(parts)
        return [_extreme(random, parts[0 if parts[1:] == (...,) else i]) for i in range(count)]
    if get_origin(kind) is not None and len(parts) == 2 and parts[0] is str:
        return {random.choice(("sgm.disparity", "x")): _extreme(random, parts[1])}
    return random.choice(EXTREMES) if random.random() < 0.8 else 0.25


def _recipe(random: Random) -> tuple[str, settings.Recipe]:
    """Write down settings in which one number is extreme, or a few are."""
    pipeline = random.choice(list(PIPELINES))
    state = ViewerState(default_slot(pipeline, ABSENT), ABSENT)
    state.choose_variant("reference")
    recipe = settings.document(state, SourceSpec.from_dict(SCENE))
    known = declared_in_recipes(pipeline)
    for place in random.sample(list(known), random.choice((1, 1, 2))):
        inner = recipe
        for name in place[:-1]:
            inner = inner.setdefault(name, {})
        inner[place[-1]] = _extreme(random, known[place])
    return pipeline, recipe


def _toml(recipe: settings.Recipe) -> str:
    return settings.dumps(recipe)


def _make_settings(random: Random, folder: Path) -> None:
    (folder / "mine.toml").write_text(_toml(_recipe(random)[1]))


def _make_session(random: Random, folder: Path) -> None:
    (folder / "left.png").write_bytes(picture())
    (folder / "wheatstone").mkdir()
    (folder / "wheatstone" / "settings.toml").write_text(_toml(_recipe(random)[1]))


def _make_screenshot(random: Random, folder: Path) -> None:
    recipe = _recipe(random)[1]
    write_screenshot(folder / "shot.png", np.zeros((2, 2, 3), np.uint8), recipe)


def _make_drawn(random: Random, folder: Path) -> None:
    _make_settings(random, folder)
    write_words(folder, ["render", "--settings=mine.toml", "--out", "a.png", "--size", "32x24"])


def _word(random: Random, mark: str = "") -> str:
    """Write one number, or several, as a word."""
    numbers = [random.choice(EXTREMES) for _ in range(random.choice((1, 1, 2, 3, 4)))]
    return (mark or random.choice((",", ",", "x", ":"))).join(f"{number}" for number in numbers)


def _setting(random: Random, pipeline: str) -> str:
    """Write ``--set`` of a number in a group of choices."""
    known = {p: k for p, k in declared_in_recipes(pipeline).items() if p[0] == "chosen"}
    _, group, name = place = random.choice(list(known))
    value = _toml({"x": _extreme(random, known[place])}).strip().partition("=")[2]
    return f"{group}.{name}={' '.join(value.split())}"


def _make_options(random: Random, folder: Path) -> None:
    verb, pipeline = random.choice(list(VERBS)), random.choice(list(PIPELINES))
    options, _ = known_words(verb, pipeline)
    words = [verb, pipeline]
    for option in random.sample(options, min(len(options), random.choice((1, 1, 3)))):
        words.append(f"{option}={_word(random)}")
    if random.random() < 0.3:
        words += ["--set", _setting(random, pipeline)]
    write_words(folder, words)


def _shown(random: Random, pipeline: str) -> list[str]:
    """Write options that say what is shown, with extremes."""
    named = [f"--{c.traits.option}" for c in choices() if c.traits.option]
    named += [f"--{name.replace('_', '-')}" for name in controls(PIPELINES[pipeline].params)]
    words = [f"{random.choice(named)}={_word(random, ',')}" for _ in range(random.choice((0, 1)))]
    return words or ["--set", _setting(random, pipeline)]


def _make_drawn_options(random: Random, folder: Path) -> None:
    pipeline = random.choice(list(PIPELINES))
    size = ["--scene-size", "40x30", "--variant", "reference", "--out", "a.png", "--size", "32x24"]
    write_words(folder, ["render", pipeline, *_shown(random, pipeline), *size])


def _make_lesson(random: Random, folder: Path) -> None:
    pipeline = random.choice(list(PIPELINES))
    word = f"{random.choice(LESSON_WORDS)} {_word(random, ',')}"
    line = random.choice((" ".join(_shown(random, pipeline)), word))
    text = f"# A\n\n```wheatstone\n{pipeline}\n```\n\n## B\n\ntext\n\n```wheatstone\n{line}\n```\n"
    (folder / "lesson.md").write_text(text)


def _make_script(random: Random, folder: Path) -> None:
    verbs = ("move", "click", "drag", "scroll", "size", "wait", "key", "text")
    lines = (
        f"{random.choice(verbs)} {' '.join(_word(random) for _ in range(random.choice((1, 2))))}\n"
        for _ in range(5)
    )
    (folder / "script").write_text("".join(lines))


def _make_message(random: Random, folder: Path) -> None:
    """Write a message of a browser with extremes in the place of its fields."""
    kind = random.choice(list(FIELDS))
    names = [*FIELDS[kind], "n"]
    fields: dict[str, Any] = dict.fromkeys(names, 1)
    fields |= {name: random.choice(EXTREMES) for name in random.sample(names, 1)}
    (folder / "message").write_text(json.dumps({"type": kind, **fields}))


def _numbers_in(kind: type) -> Iterator[str]:
    hints = get_type_hints(kind)
    return (name for name, hint in hints.items() if {int, float} & _parts(hint) or hint is Any)


def _make_manifest(random: Random, folder: Path) -> None:
    for name in ("left.png", "right.png", "truth.png"):
        (folder / name).write_bytes(picture())
    older = random.random() < 0.4
    pair: dict[str, Any] = dict(OLDER if older else PAIR)
    pair[random.choice(list(_numbers_in(OlderEntry if older else ManifestEntry)))] = random.choice(
        EXTREMES
    )
    if not older and random.random() < 0.5:
        (folder / "manifest.toml").write_text(_toml({"pairs": [pair]}))
    else:
        (folder / "pairs.json").write_text(json.dumps([pair] if older else {"pairs": [pair]}))


def _read_message(folder: Path) -> object:
    return done_by(read_message((folder / "message").read_text()))


KINDS = (
    FuzzKind("numbers-in-settings", _make_settings, started("render", "--settings=HERE/mine.toml")),
    FuzzKind("numbers-dropped", _make_settings, dropped("mine.toml")),
    FuzzKind("numbers-in-screenshot", _make_screenshot, started("view", "HERE/shot.png")),
    FuzzKind("numbers-in-session", _make_session, began),
    FuzzKind("numbers-in-options", _make_options, parse_case),
    FuzzKind("numbers-in-lesson", _make_lesson, read_and_check),
    FuzzKind("numbers-in-script", _make_script, lambda folder: read_script(folder / "script")),
    FuzzKind("numbers-in-message", _make_message, _read_message),
    FuzzKind("numbers-in-manifest", _make_manifest, read_manifest_next_to_and_given),
    FuzzKind("numbers-drawn", _make_drawn, run_case, weight=0.1),
    FuzzKind("options-drawn", _make_drawn_options, run_case, weight=0.1),
)
