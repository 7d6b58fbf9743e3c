"""Hostile records of ``batch``: which pairs of a folder are done, and what their rows say."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.evaluate_states import VALUES
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import damaged_line
from wheatstone.viewer.cli.batch.folder import SCHEMA, SCHEMA_VERSION, BatchState
from wheatstone.viewer.cli.batch.plan import JOURNAL
from wheatstone.viewer.cli.batch.summary import to_csv
from wheatstone.viewer.cli.batch.work import BatchJob, Outputs
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import FrameResult


@cache
def _job() -> BatchJob:
    ref, out = FrameRef("wall", Path("/absent/l"), Path("/absent/r")), Path("/absent")
    return BatchJob(Run("sgm", "cpu"), NO_SOURCE, ref=ref, outputs=Outputs("disparity"), out=out)


@cache
def _line() -> str:
    head = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "key": _job().key(_job().fingerprints),
    }
    return json.dumps(head | {"outcome": _row()})


def _row() -> dict[str, Any]:
    """A row with every field, those of judged pairs included."""
    judged = {"convention": "kitti", "judged": 99.5, "figures": {"bad-1": 1.25, "density": None}}
    return {**_job().empty_row, **judged}


def make_record(random: Random, folder: Path) -> None:
    """Write a record, most often a damaged one."""
    content = damaged_line(random, _line(), _changed)
    (folder / JOURNAL).write_bytes(content)


def _changed(random: Random, line: dict[str, Any]) -> dict[str, Any]:
    row = line["outcome"]
    for _ in range(random.choice((1, 1, 2, 4))):
        field = random.choice((*row, "other"))
        if random.random() < 0.2:
            row.pop(field, None)
        else:
            row[field] = deepcopy(random.choice(VALUES))
    return line


def read_record(folder: Path) -> None:
    """Look a pair up, write its row, and add it anew."""
    state = BatchState(folder)
    state.finished(_job())
    for row in state.rows.values():
        state.changed_files(row)
        to_csv([(None, FrameResult(row))]).encode()
        words = row["pair"], row["warnings"], row["worker"], row["device"], *row.get("figures", ())
        if not all(word.isprintable() for word in words):
            raise AssertionError(f"a row does something to a terminal: {words}")
    state.add(_job(), _row(), _job().fingerprints)
    if BatchState(folder).finished(_job()) != _row():
        raise AssertionError("what was added is not found")


KINDS = [FuzzKind("batch_record", make_record, read_record)]
