"""Hostile state files of ``evaluate``, and what its reports make of words from outside."""

import json
from copy import deepcopy
from dataclasses import asdict
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import damaged_line
from wheatstone.gpu.analysis.conventions import MEASURES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.evaluate.report import (
    PairOutcome,
    Report,
    state_path,
    tables,
    to_csv,
)
from wheatstone.viewer.cli.evaluate.verb import SCHEMA, SCHEMA_VERSION, EvaluationState
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE
from wheatstone.viewer.io.sources.truth import TruthFiles
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.measuring.tables import to_markdown
from wheatstone.viewer.run.measuring.terminal import print_tables
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import Judging, RunJob

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 10**300, 1e308, 0.5, [], {}, [1], {"left": 1}, [[]], "", "x"),
    *("../../../etc/passwd", "/dev/zero", "/dev/stdin", "a\0b", "\udc80", "a" * 300, "left.png"),
    *("\x1b[31m", "a\nb", "[bold]", "|", "<script>", "=1+1", "\u202e", "x" * 100_000),
)


def report(name: str, outcomes: list[PairOutcome]) -> None:
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
    to_csv([report], [""]).encode()
    json.dumps(report.to_json(), ensure_ascii=False).encode()


@cache
def _job() -> RunJob:
    truth = TruthFiles(Path("/absent/t"))
    ref = FrameRef("wall", Path("/absent/l"), Path("/absent/r"), truth=truth)
    return RunJob(ref, Run("sgm", "cpu"), NO_SOURCE, Judging("middlebury", "seen", True))


@cache
def _line() -> str:
    facts = {"width": 8, "height": 6, "min_disparity": 0, "disparities": 16, "judged": 99.5}
    figures = dict.fromkeys(MEASURES, 1.25)
    outcome = asdict(PairOutcome("wall", figures, facts | {"occlusions": "left truth"}))
    head = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "key": _job().key(_job().fingerprints),
    }
    return json.dumps(head | {"outcome": outcome})


def make_state(random: Random, folder: Path) -> None:
    """Write a state file, most often a damaged one."""
    content = damaged_line(random, _line(), _changed)
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
            place[field] = deepcopy(random.choice(VALUES))
    return line


def read_state(folder: Path) -> None:
    """Look a pair up, report it, and add it anew."""
    path = folder / "wall.evaluate.jsonl"
    state = EvaluationState(path)
    finished_line = state.finished(_job())
    if finished_line:
        report("walls", [finished_line])
        Report(
            "x", "sgm", "cpu", SGM.params(), "middlebury", "seen", (finished_line, finished_line)
        ).to_json()
    whole = PairOutcome(**json.loads(_line())["outcome"])
    state.add(_job(), asdict(whole))
    if EvaluationState(path).finished(_job()) != whole:
        raise AssertionError("what was added is not found")


KINDS = [FuzzKind("evaluate_state", make_state, read_state)]
