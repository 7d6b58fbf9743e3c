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
from wheatstone.viewer.commands.batch.loading import BatchPair
from wheatstone.viewer.commands.batch.outputs import Outputs
from wheatstone.viewer.commands.batch.rows import JOURNAL, SCHEMA, SCHEMA_VERSION, BatchState, key
from wheatstone.viewer.commands.batch.summary import to_csv
from wheatstone.viewer.commands.batch.work import BatchJob, Measures, PairResult, Setting, empty_row
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.source_spec import NO_SOURCE


@cache
def _job() -> BatchJob:
    pair = BatchPair("wall", Path("/absent/l"), Path("/absent/r"))
    setting = Setting(NO_SOURCE, Outputs("disparity"), Measures(), Path("/absent"))
    return BatchJob(pair, Run("sgm", "cpu"), setting)


@cache
def _line() -> str:
    head = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "key": key(_job(), _job().fingerprints),
    }
    return json.dumps(head | {"outcome": empty_row(_job())})


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
        to_csv([(None, PairResult(row))]).encode()
        words = row["pair"], row["warnings"], row["worker"], row["device"]
        if not all(word.isprintable() for word in words):
            raise AssertionError(f"a row does something to a terminal: {words}")
    state.add(_job(), empty_row(_job()), _job().fingerprints)
    if BatchState(folder).finished(_job()) != empty_row(_job()):
        raise AssertionError("what was added is not found")


KINDS = [FuzzKind("batch_record", make_record, read_record)]
