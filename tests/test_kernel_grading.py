"""Grading of a course's kernels: solutions, faults, endless loops, breaks, files of results."""

import csv
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.resources import ASSIGNMENTS
from wheatstone.viewer.run.kernels.assignment import (
    Assignment,
    assignment_file,
    read_assignment,
    write_assignment,
)
from wheatstone.viewer.run.kernels.grading import checked_kernels
from wheatstone.viewer.run.kernels.submissions import FolderGrade, graded, submitted_folders

SOLUTIONS = Path(__file__).resolve().parent / "own_kernels"
LAUNCHES = {
    "sgm/global/path_aggregation": 'block = [32]\ngrid = ["(width + height + 31) / 32"]',
    "sgm/texture/path_aggregation": 'block = [32]\ngrid = ["(width + height + 31) / 32"]',
    "sgm/shared/path_aggregation": 'block = [32]\ngrid = ["width + height"]',
    "canny/global/hysteresis": 'block = [128]\ngrid = ["1"]',
}
"""Launches other than one thread for each pixel."""
SMALL = """\
title = "A test"
pipeline = "invert"
bases = ["global"]
stages = ["invert"]
cases = 2
seed = 7
sizes = [[1, 1], [9, 33]]
"""


def solve(folder: Path, name: str) -> None:
    """Write the solution of a built-in assignment."""
    assignment = read_assignment(name)
    for base, part in assignment.folders().items():
        path = folder / part
        path.mkdir(parents=True)
        for source in (SOLUTIONS / name, SOLUTIONS / name / base):
            for file in source.glob("*.cu*"):
                shutil.copy(file, path)
        tables = (
            f'[stages.{stage}]\nfile = "{stage}.cu"\n{LAUNCHES.get(f"{name}/{base}/{stage}", "")}\n'
            for stage in assignment.stages
        )
        head = f'name = "mine"\npipeline = "{assignment.pipeline}"\nbase = "{base}"\n'
        (path / "kernel.toml").write_text(head + "".join(tables))


def small(path: Path, more: str = "") -> str:
    """Write a small assignment; return its path."""
    (path / "small.toml").write_text(more + SMALL)
    return str(path / "small.toml")


def submission(path: Path, body: str) -> Path:
    """Write a submission to the small assignment."""
    path.mkdir(parents=True)
    for file, text in read_assignment(small(path.parent.parent)).starting_files("mine").items():
        lines = text.replace("    // Write", f"    {body}\n    // Write")
        (path / file).write_text(lines)
    return path


GOOD = "inverted[at(y, x, width)] = 255 - left[at(y, x, width)];"


def states(grade: FolderGrade) -> dict[str, str]:
    return {each.name: each.state for each in grade.criteria}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_solution_of_an_assignment_has_all_points(
    emulated_kernels: None, tmp_path: Path, name: str
) -> None:
    solve(tmp_path / "solution", name)
    folders = submitted_folders(tmp_path, read_assignment(name))
    assert {folder.base for folder in folders} >= {"global"}
    for folder in folders[-1:]:  # texture; the others take as long and differ in little
        grade = graded(folder, name)
        assert "failed" not in states(grade).values(), grade
        assert grade.points == grade.most >= 80


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_what_an_assignment_begins_with_is_accepted_and_not_identical(
    tmp_path: Path, name: str
) -> None:
    files = write_assignment(tmp_path / "mine", name, "mine")
    assignment = read_assignment(name)
    assert len(files) == len(assignment.bases) * (len(assignment.stages) + 1)
    for base, part in assignment.folders().items():
        kernels = checked_kernels(tmp_path / "mine" / part, assignment, base)
        assert [own.stage for own in kernels.stages] == list(assignment.stages)


def test_submissions_are_graded_each_for_itself_and_only_once(
    emulated_kernels: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top, out = tmp_path / "all", tmp_path / "grades"
    submission(top / "empty", "")
    submission(top / "good", GOOD)
    submission(top / "hangs", "volatile int i = 0; while (i == 0) {}")
    submission(top / "outside", f"{GOOD} inverted[at(height, x, width)] = 1;")
    submission(top / "races", f"{GOOD} inverted[0] = 255 - left[at(y, x, width)];")
    submission(top / "typo", "inverted[0] = lefd[0];")
    (top / "nothing").mkdir()
    (top / "large").mkdir()
    (top / "large" / "kernel.toml").write_bytes(b"#" * 2**21)
    words = ["kernel", "grade", str(top), "--assignment", small(tmp_path), "--out", str(out)]
    assert main(words) == 0
    output = capsys.readouterr()
    assert "[8/8] typo/global: 0 of 90 points" in output.err and "as before" not in output.err
    rows = {row["submission"]: row for row in csv.DictReader((out / "grades.csv").open())}
    points = {name: int(row["points"]) for name, row in rows.items()}
    assert points["good"] == int(rows["good"]["of"]) and rows["good"]["faster"] == ""
    assert points["nothing"] == points["large"] == points["typo"] == 0
    assert points["empty"] == points["hangs"] <= 10
    assert "did not end" in rows["hangs"]["identical note"]
    assert rows["outside"]["in_bounds"] == "0" and "outside" not in rows["outside"]["no_race note"]
    assert rows["races"]["no_race"] == "0" and rows["races"]["in_bounds"] == "15"
    assert "invert.cu" in rows["typo"]["compiles note"]
    suites = ElementTree.parse(out / "grades.xml").getroot()
    failures = {suite.get("name"): suite.get("failures") for suite in suites}
    assert failures["good/global"] == "0" and failures["races/global"] != "0"
    (top / "typo" / "invert.cu").unlink()
    assert main(words) == 0
    assert capsys.readouterr().err.count("as before") == 6  # one cannot be read, one changed


def test_a_break_keeps_what_is_graded(
    emulated_kernels: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    top, out = tmp_path / "all", tmp_path / "grades"
    submission(top / "a", GOOD)
    submission(top / "b", GOOD)

    def interrupted(folder: object, name: str) -> FolderGrade:
        if "'b'" in repr(folder):
            raise KeyboardInterrupt
        return graded(folder, name)  # type: ignore[arg-type]

    monkeypatch.setattr("wheatstone.viewer.run.kernels.submissions.graded", interrupted)
    words = ["kernel", "grade", str(top), "--assignment", small(tmp_path), "--out", str(out)]
    assert main(words) == 130
    assert "a/global" in capsys.readouterr().out
    assert (out / "grades.csv").read_text().count("\n") == 2
    monkeypatch.undo()
    assert main(words) == 0
    assert "[1/2] a/global: 90 of 90 points, as before" in capsys.readouterr().err


def test_a_submission_that_takes_too_long_is_ended(emulated_kernels: None, tmp_path: Path) -> None:
    submission(tmp_path / "all" / "slow", "volatile int i = 0; while (i == 0) {}")
    name = small(tmp_path)
    Path(name).write_text(Path(name).read_text() + "[limits]\nseconds = 1\n")
    (folder,) = submitted_folders(tmp_path / "all", read_assignment(name))
    grade = graded(folder, name)
    assert grade.points < grade.most
    assert any("more than 1 s" in each.note for each in grade.criteria)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('#include "invert.cu"\n', "includes invert.cu, which is hidden"),
        ("#include <per_pixel.cuh>\n", "per_pixel.cuh"),
    ],
)
def test_hidden_kernels_cannot_be_included(tmp_path: Path, body: str, message: str) -> None:
    path = submission(tmp_path / "all" / "copies", GOOD)
    text = (path / "invert.cu").read_text()
    (path / "invert.cu").rename(path / "own.cu")
    (path / "own.cu").write_text(body + text)
    document = (path / "kernel.toml").read_text()
    (path / "kernel.toml").write_text(document.replace("invert.cu", "own.cu"))
    assignment = read_assignment(small(tmp_path, "hide = true\n"))
    assert "hide = true" in assignment.starting_files("mine")["kernel.toml"]
    with pytest.raises(ValueError, match=message):
        checked_kernels(path, assignment, "global")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('"invert"\nbases', '"invrt"\nbases', "did you mean 'invert'"),
        ('["global"]', "[]", "one or more bases"),
        ('["global"]', '["cpu"]', "cannot be the base"),
        ('stages = ["invert"]', 'stages = ["inverts"]', "did you mean 'invert'"),
        ("cases = 2", "cases = -1", "cases must be in"),
        ("[1, 1]", "[0, 1]", "each 1 to 512"),
        ("seed = 7", 'seed = "x"', "seed"),
        ("seed = 7", 'preset = "none"', "there is no 'none'"),
        ("seed = 7", "points.faster = -1", "points.faster must be in"),
        ("seed = 7", "limits.seconds = 0", "limits.seconds must be in"),
        ("seed = 7", "seeds = 7", "seeds"),
    ],
)
def test_a_wrong_assignment_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str, wrong: str, message: str
) -> None:
    assert right in SMALL
    (tmp_path / "a.toml").write_text(SMALL.replace(right, wrong))
    words = ["kernel", "grade", str(tmp_path), "--assignment", str(tmp_path / "a.toml")]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_every_assignment_is_of_the_pipeline_of_its_name() -> None:
    for name in ASSIGNMENTS:
        assignment = read_assignment(name)
        assert isinstance(assignment, Assignment) and assignment.pipeline == name
        assert assignment_file(name).is_file() and len(assignment.hidden_cases()) > 5


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_has_a_case_in_which_an_index_of_16_bits_overflows(name: str) -> None:
    largest = read_assignment(name).hidden_cases()[-1]
    assert largest.height * largest.width > 2**16
