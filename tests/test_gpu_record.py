"""The record of a GPU: its page, and findings of soaks and random parity that are added to it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu_record_page import page
from benchmarks.runner import run

RECORD = Path(__file__).resolve().parent.parent / "docs" / "gpu" / "nvidia-h200.json"
SOAK: dict[str, Any] = {
    "command": "python -m benchmarks soak --frames 100 --seed 4",
    "frames": 103,
    "seconds": 2.5,
    "counted": 20,
    "growth": [{"name": "threads", "median": 9.0, "slope": 0.0, "grown": 0.0, "flat": True}],
    "causes": {},
    "counts": [{"frame": 0, "threads": 9.0}],
}
PARITY: dict[str, Any] = {
    "command": "python -m benchmarks parity --cases 3 --seed 0",
    "devices": ["a CPU"],
    "cases": 3,
    "seconds": 1.0,
    "elements": 4711,
    "differing": 0,
    "rows": [
        {
            "pipeline": "mean",
            "variant": "cpu",
            "cases": 3,
            "refused": 1,
            "elements": 4711,
            "differing": 0,
            "failed": 0,
        }
    ],
    "refused": {},
    "findings": [],
}


def renewed(folder: Path, soak: dict[str, Any], parity: dict[str, Any]) -> tuple[int, str]:
    shutil.copy(RECORD, folder)
    for name, each in (("soak", soak), ("parity", parity)):
        (folder / f"{name}.json").write_text(json.dumps(each))
    files = ("--soak", str(folder / "soak.json"), "--parity", str(folder / "parity.json"))
    code = run(["gpu_record", str(folder), "--into", str(folder / RECORD.name), *files])
    return code, (folder / "nvidia-h200.md").read_text()


def test_the_page_that_is_there_is_that_of_its_record() -> None:
    record = json.loads(RECORD.read_text())
    shown = page(record["machine"]["device"], record)
    assert shown == RECORD.with_suffix(".md").read_text()


def test_the_notes_on_fast_quote_the_record() -> None:
    record = RECORD.with_suffix(".md").read_text().splitlines()
    compared = {tuple(line.split("|")[1:7]) for line in record if line.count("|") == 13}
    notes = (RECORD.parent.parent / "fast-sgm.md").read_text()
    table = notes.split("| Size | D | Paths |")[1].split("\n\n")[0].splitlines()[2:]
    assert table and {tuple(line.split("|")[1:7]) for line in table} <= compared
    measured = notes.split("On an H200, from the [record]")[1].split("\n\n")[1].splitlines()
    assert len(measured) > 2 and set(measured) <= set(record)


def test_the_page_of_a_part_is_written_without_the_others() -> None:
    record = json.loads(RECORD.read_text())
    facts = ("version", "date", "machine", "python", "packages", "opengl")
    alone = {name: record[name] for name in (*facts, "fast")}
    shown = page("a GPU", alone)
    assert "libSGM" in shown and "compute-sanitizer" not in shown and "## Tests" not in shown


def test_a_record_takes_in_what_was_run_apart(tmp_path: Path) -> None:
    code, shown = renewed(tmp_path, SOAK, PARITY)
    assert code == 0
    assert "`python -m benchmarks soak --frames 100 --seed 4`" in shown
    assert "threads" in shown and "4711 elements compared, 0 differ." in shown
    assert "| mean | cpu | 3 | 1 | 4711 | 0 | 0 |" in shown
    record = json.loads((tmp_path / RECORD.name).read_text())
    assert record["parity"] == [PARITY] and "counts" not in record["soak"][0]
    assert record["tests"] == json.loads(RECORD.read_text())["tests"]


@pytest.mark.parametrize(
    ("soak", "parity"),
    [
        ({"causes": {"KeyError: 1 (a.py:3)": 2}}, {}),
        ({"growth": [{**SOAK["growth"][0], "flat": False}]}, {}),
        ({}, {"findings": ["case 7: mean differs"]}),
    ],
)
def test_what_was_found_fails_the_record(
    tmp_path: Path, soak: dict[str, Any], parity: dict[str, Any]
) -> None:
    code, shown = renewed(tmp_path, SOAK | soak, PARITY | parity)
    assert code == 1
    assert "KeyError: 1 (a.py:3)" in shown or "GROWS" in shown or "case 7: mean differs" in shown
