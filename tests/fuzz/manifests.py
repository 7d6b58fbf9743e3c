"""Hostile manifests: beside an image, and given to ``evaluate``."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.evaluate_states import VALUES, report
from tests.fuzz.folders import picture
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated_text
from wheatstone.viewer.cli.evaluate.data_sets import open_data_set
from wheatstone.viewer.cli.evaluate.report import PairOutcome
from wheatstone.viewer.cli.pairs import list_sources, with_file_names
from wheatstone.viewer.io.reading.plain_text import LONGEST_LABEL
from wheatstone.viewer.io.sources.manifest import read_manifest
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE
from wheatstone.viewer.io.sources.truth_places import find_truth

PAIR = {
    **{"left": "left.png", "right": "right.png", "truth": "truth.png", "name": "wall"},
    **{"scale": 4, "unknown": 0, "disparities": 16, "min_disparity": 0, "mask": "left.png"},
}
OLDER = {
    **{"name": "wall", "left": "../left.png", "right": "../right.png", "gt": "../truth.png"},
    **{"gt_scale": 4, "unknown": 0, "gt_right": None, "disparity_range": 16},
}
FIELDS = (f"{name} = {json.dumps(value)}" for name, value in PAIR.items())
TOML = "\n".join(('convention = "middlebury"', "", "[[pairs]]", *FIELDS))


def structured(random: Random) -> str:
    """A manifest whose fields hold something else, or nothing, or are others."""
    older = random.random() < 0.4
    pair: dict[str, Any] = dict(OLDER if older else PAIR)
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        field = random.choice((*pair, "other", "__class__"))
        if random.random() < 0.2:
            pair.pop(field, None)
        else:
            pair[field] = random.choice(VALUES)
    pairs: Any = [pair] * random.choice((1, 1, 1, 2)) if random.random() < 0.85 else [1, None]
    if older:
        return json.dumps(pairs)
    document: Any = {"pairs": pairs if random.random() < 0.9 else random.choice(VALUES)}
    if random.random() < 0.3:
        document["convention"] = random.choice((*VALUES, "kitti"))
    return json.dumps(document if random.random() < 0.95 else random.choice(VALUES))


ATTACKS: tuple[tuple[str, Callable[[Random], str]], ...] = (
    ("manifest.json", lambda r: r.choice(("[", '{"pairs":', '{"a":')) * r.choice((40, 100_000))),
    ("manifest.toml", lambda r: "a = " + r.choice(("[", "{a=")) * r.choice((40, 100_000))),
    ("manifest.toml", lambda r: ".".join("a" * 50_000) + " = 1"),
    ("manifest.toml", lambda r: "[[pairs]]\n" * r.choice((10, 5000))),
    ("manifest.toml", lambda r: TOML.replace("= 4", f"= {r.choice(NUMBERS)}")),
    ("pairs.json", lambda r: json.dumps([OLDER | {"name": r.choice(WORDS)}])),
    ("manifest.json", lambda r: json.dumps({"pairs": [PAIR | {"name": r.choice(WORDS)}]})),
    ("manifest.json", lambda r: '{"pairs": [' + "{}," * 30_000 + "{}]}"),
    ("manifest.json", lambda r: '{"pairs": ' + "9" * r.choice((400, 5000)) + "}"),
    ("manifest.json", lambda r: " " * (2**20 + 1)),
)


def make_manifest(random: Random, folder: Path) -> None:
    """Write a small pair and its manifest, most often a damaged one."""
    for name in ("left.png", "right.png", "truth.png"):
        (folder / name).write_bytes(picture())
    how = random.random()
    name = random.choice(("manifest.json", "manifest.toml", "pairs.json"))
    if how < 0.45:
        # JSON escapes lone surrogates, which only a parser brings to light.
        (folder / name.replace("toml", "json")).write_text(structured(random))
    elif how < 0.8:
        document: Any = [OLDER] if name == "pairs.json" else {"pairs": [PAIR]}
        text = TOML if name.endswith("toml") else json.dumps(document, indent=1)
        (folder / name).write_bytes(mutated_text(random, text))
    elif how < 0.98:
        name, attack = random.choice(ATTACKS)
        (folder / name).write_bytes(attack(random).encode("utf-8", "surrogatepass"))
    elif how < 0.99:
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to(random.choice((name, "/dev/zero", "absent", "/proc/self/mem")))


def read_manifest_next_to_and_given(folder: Path) -> None:
    """Look for the image's truth, then list the pairs as ``evaluate`` does, and report them."""
    find_truth(folder / "left.png")  # whatever is beside an image is no error
    path = next(p for p in folder.iterdir() if p.suffix != ".png" or p.is_symlink())
    _list_for_batch(path)
    data_set = open_data_set(folder if path.is_file() else path)
    read_manifest(path)
    outcomes = [PairOutcome(entry.name, why="none") for entry in data_set.pairs]
    for outcome in outcomes:
        if not outcome.name.isprintable() or len(outcome.name) > LONGEST_LABEL:
            raise AssertionError(f"a pair is called {outcome.name[:80]!r}")
    report(data_set.name, outcomes[:50])


def _list_for_batch(path: Path) -> None:
    """List the pairs as ``batch`` does: no name may lead out of the folder that is written to."""
    try:
        listed = with_file_names(list_sources([str(path)], None, NO_SOURCE))
    except (OSError, ValueError):
        return  # what it says is what `evaluate` says of the same file
    for pair in (pair for source in listed for pair in source.pairs):
        if "/" in pair.name or pair.name.startswith(".") or not pair.name.isprintable():
            raise AssertionError(f"files of a pair are called {pair.name[:80]!r}")


KINDS = [FuzzKind("manifests", make_manifest, read_manifest_next_to_and_given, weight=2.0)]
