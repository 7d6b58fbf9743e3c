"""Hostile files end in one line for the user: no traceback, no hang, nothing written elsewhere."""

import shutil
from pathlib import Path

import pytest

from tests.fuzz.kinds import kinds
from tests.fuzz.running import cases, run
from tests.fuzz.trying import try_files

CORPUS = Path(__file__).parent / "fuzz" / "corpus"
CASES, PARTS = 240, 2


@pytest.mark.spread
@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_files_do_no_harm(part: int) -> None:
    wanted = cases(CASES // PARTS, seed=part)
    assert [str(finding) for finding in run(wanted, processes=1) if finding.wrong] == []


@pytest.mark.parametrize(
    "case", sorted(CORPUS.glob("*/*")), ids=lambda case: f"{case.parent.name}-{case.name}"
)
def test_what_once_did_harm_does_none(case: Path, tmp_path: Path) -> None:
    shutil.copytree(case, tmp_path / "case")
    assert try_files(kinds()[case.parent.name], tmp_path) == []
