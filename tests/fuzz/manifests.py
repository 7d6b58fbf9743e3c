"""Hostile manifests, beside an image and given, data folders, and state files of ``evaluate``."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PIL import Image

from gpu.analysis.conventions import MEASURES
from gpu.pipelines.sgm import SGM
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated, mutated_text
from viewer.commands.evaluate.data_sets import open_data_set
from viewer.commands.evaluate.judge import Job, PairOutcome
from viewer.commands.evaluate.report import Report, state_path, tables, to_csv
from viewer.commands.evaluate.state import SCHEMA, SCHEMA_VERSION, State, key
from viewer.measuring.tables import to_markdown
from viewer.measuring.terminal import print_tables
from viewer.reading.labels import LONGEST
from viewer.sources.manifest import read_manifest
from viewer.sources.opening import open_source
from viewer.sources.pairs import PairFiles
from viewer.sources.truth_places import find_truth

PAIR = {
    **{"left": "left.png", "right": "right.png", "truth": "truth.png", "name": "wall"},
    **{"scale": 4, "unknown": 0, "disparities": 16, "min_disparity": 0, "mask": "left.png"},
}
OLDER = {
    **{"name": "wall", "left": "../left.png", "right": "../right.png", "gt": "../truth.png"},
    **{"gt_scale": 4, "unknown": 0, "gt_right": None, "disparity_range": 16},
}
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 10**300, 1e308, 0.5, [], {}, [1], {"left": 1}, [[]], "", "x"),
    *("../../../etc/passwd", "/dev/zero", "/dev/stdin", "a\0b", "\udc80", "a" * 300, "left.png"),
    *("\x1b[31m", "a\nb", "[bold]", "|", "<script>", "=1+1", "\u202e", "x" * 100_000),
)
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
        (folder / name).write_bytes(_picture())
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


@cache
def _picture() -> bytes:
    import io

    content = io.BytesIO()
    Image.fromarray(np.full((6, 8), 16, np.uint8)).save(content, "PNG")
    return content.getvalue()


def read_manifest_beside_and_given(folder: Path) -> None:
    """Look for the image's truth, then list the pairs as ``evaluate`` does, and report them."""
    find_truth(folder / "left.png")  # whatever is beside an image is no error
    path = next(p for p in folder.iterdir() if p.suffix != ".png" or p.is_symlink())
    found = open_data_set(folder if path.is_file() else path)
    read_manifest(path)
    outcomes = [PairOutcome(entry.name, why="none") for entry in found.entries]
    for outcome in outcomes:
        if not outcome.name.isprintable() or len(outcome.name) > LONGEST + 3:
            raise AssertionError(f"a pair is called {outcome.name[:80]!r}")
    _report(found.name, outcomes[:50])


def _report(name: str, outcomes: list[PairOutcome]) -> None:
    """Write the results as every format has them; a row stays a row."""
    params = SGM.params()
    report = Report(name, "sgm", "cpu", params, "middlebury", "seen", tuple(outcomes))
    if state_path(name).name != str(state_path(name)):
        raise AssertionError(f"leaves the folder: {state_path(name)}")
    laid = tables(report)
    print_tables(laid)
    for table in laid:
        expected = len(table.rows) + 2 * len(table.notes) + 4
        if to_markdown(table).count("\n") != expected:
            raise AssertionError("a row breaks the table")
    to_csv(report).encode()
    json.dumps(report.to_json(), ensure_ascii=False).encode()


@cache
def _job() -> Job:
    entry = PairFiles("wall", Path("/absent/l"), Path("/absent/r"), Path("/absent/t"))
    return Job(entry, "sgm", "cpu", SGM.params(), "middlebury", "seen")


@cache
def _line() -> str:
    facts = {"width": 8, "height": 6, "min_disparity": 0, "disparities": 16, "judged": 99.5}
    figures = dict.fromkeys(MEASURES, 1.25)
    outcome = asdict(PairOutcome("wall", figures, facts | {"occlusions": "left truth"}))
    head = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "key": key(_job())}
    return json.dumps(head | {"outcome": outcome})


def make_state(random: Random, folder: Path) -> None:
    """Write a state file, most often a damaged one."""
    text = _line() + "\n"
    how = random.random()
    if how < 0.5:
        content = (json.dumps(_changed(random, json.loads(text))) + "\n").encode()
    elif how < 0.75:
        content = mutated_text(random, text * random.choice((1, 3)))
    elif how < 0.95:
        content = mutated(random, text.encode())
    else:
        content = (random.choice(("[", "{", "\n", '{"schema": "', "{}\n")) * 100_000).encode()
    (folder / "wall.evaluate.jsonl").write_bytes(content)


def _changed(random: Random, line: dict[str, Any]) -> dict[str, Any]:
    for _ in range(random.choice((1, 1, 2, 4))):
        outcome = line["outcome"] if isinstance(line.get("outcome"), dict) else line
        tables = (outcome, outcome.get("figures"), outcome.get("facts"))
        place = random.choice([table for table in tables if isinstance(table, dict)])
        field = random.choice((*place, "other")) if place else "other"
        if random.random() < 0.2:
            place.pop(field, None)
        else:
            place[field] = random.choice(VALUES)
    return line


def read_state(folder: Path) -> None:
    """Look a pair up, report it, and add it anew."""
    path = folder / "wall.evaluate.jsonl"
    state = State(path)
    found = state.finished(_job())
    if found:
        _report("walls", [found])
        Report("x", "sgm", "cpu", SGM.params(), "middlebury", "seen", (found, found)).to_json()
    whole = PairOutcome(**json.loads(_line())["outcome"])
    state.add(_job(), whole)
    if State(path).finished(_job()) != whole:
        raise AssertionError("what was added is not found")


def make_folder(random: Random, folder: Path) -> None:
    """Lay out a folder of frames with names, links and gaps that no camera makes."""
    names = [f"{side}{random.randrange(9)}.png" for side in ("left", "right", "im")]
    odd = ("im0.png", "im1.png", "im2.png", "im6.png", "disp0.pfm", "disp2.pgm", "calib.txt")
    names += random.choices((*odd, "mask0nocc.png", "disparity.png", "..png", "-rf.png"), k=4)
    strange = ("left\udcff.png", "right\udcff.png", "\x1b[31m.png", "a\nb.png", "9" * 250 + ".png")
    names += random.choices(strange, k=2)
    places = [folder, folder / random.choice(("image_2", "left", "im\udc80", "a\nb", "training"))]
    places += [folder / random.choice(("image_3", "right", "disp_occ_0"))]
    for place in places:
        place.mkdir(exist_ok=True)
        for name in names:
            if random.random() < 0.6:
                _put(random, place / name)
    if random.random() < 0.005:
        for number in range(1000):
            (folder / f"left1{number:04}.png").symlink_to("left0.png")


def _put(random: Random, path: Path) -> None:
    if os.path.lexists(path):
        return
    match random.randrange(12):
        case 0:
            path.symlink_to(path.name)
        case 1:
            os.mkfifo(path)
        case 2:
            path.mkdir()
        case 3:
            path.symlink_to(random.choice(("..", ".", "/dev/zero", "absent")))
        case 4:
            path.write_bytes(random.choice((b"", b"Pf\n8 6\n-1\n", b"\xff" * 99)))
        case _:
            path.write_bytes(_picture())


def read_folder(folder: Path) -> None:
    """Play the folder, and list it as a data set."""
    try:
        source = open_source(str(folder))
    except (OSError, ValueError):
        source = None
    if source:
        try:
            for index in range(min(3, source.length)):
                source.frame(index)
        finally:
            source.close()
    found = open_data_set(folder, 8.0)
    _report(found.name, [PairOutcome(entry.name, why="none") for entry in found.entries])


KINDS = [
    FuzzKind("manifests", make_manifest, read_manifest_beside_and_given, weight=2.0),
    FuzzKind("evaluate_state", make_state, read_state),
    FuzzKind("folders", make_folder, read_folder),
]
