"""Begin an assignment, or grade the submissions of a course."""

from collections.abc import Sequence

from wheatstone.viewer.cli.kernel.checking import NOT_JUDGED
from wheatstone.viewer.cli.kernel.request import KernelRequest
from wheatstone.viewer.io.files.folders import check_below, own_folder
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.run.kernels.assignment import read_assignment, write_assignment
from wheatstone.viewer.run.kernels.grading import CRITERIA, Criterion
from wheatstone.viewer.run.kernels.submissions import (
    CSV,
    JUNIT,
    RECORD,
    FolderGrade,
    grade_all,
    submitted_folders,
    write_grades,
)
from wheatstone.viewer.run.measuring.tables import Table
from wheatstone.viewer.run.measuring.terminal import print_tables


def begin_assignment(request: KernelRequest) -> int:
    """Write the folders that an assignment begins with; return 0.

    Raises:
        OSError, ValueError: there is no such assignment, or a file exists already.
    """
    if request.stages or request.base or request.python:
        raise ValueError("an assignment names pipeline, stages and variants itself")
    assert request.assignment is not None
    name = request.name or request.folder.resolve().name
    for file in write_assignment(request.folder, request.assignment, name):
        say(f"wrote {file}")
    return 0


def grade_submissions(request: KernelRequest) -> int:
    """Grade submissions, and print and write the results; return 0.

    Raises:
        OSError, ValueError: assignment or submissions cannot be read, or results not be written.
        KeyboardInterrupt: the user ended it; what is graded is written.
    """
    if request.assignment is None:
        raise ValueError("name the assignment: --assignment NAME")
    folders = submitted_folders(request.folder, read_assignment(request.assignment))
    submitted = [file for one in folders for file in one.path.glob("*") if file.is_file()]
    check_below(request.out, [RECORD, CSV, JUNIT], submitted)
    own_folder(request.out)
    grades: list[FolderGrade] = []
    try:
        for grade, known in grade_all(folders, request.assignment, request.out):
            grades.append(grade)
            before = ", as before" if known else ""
            if grade.criteria[0].state == "failed":
                before += f": {grade.criteria[0].note}"
            progress = f"[{len(grades)}/{len(folders)}] {label(name_of(grade))}"
            say(f"{progress}: {grade.points} of {grade.most} points{before}")
    finally:
        if grades:
            write_grades(grades, request.out)
            print_tables([grade_table(grades)])
            say(f"wrote {request.out / CSV} and {request.out / JUNIT}")
    return 0


def name_of(grade: FolderGrade) -> str:
    """Return the name of a graded folder: its submission and its base."""
    return f"{grade.submission}/{grade.base}"


def grade_table(grades: Sequence[FolderGrade]) -> Table:
    """List the folders with their points, and below why points are missing."""
    rows = [
        (label(name_of(grade)), f"{grade.points} of {grade.most}", *map(_cell, grade.criteria))
        for grade in grades
    ]
    header = ("submission", "points", *(name.replace("_", " ") for name in CRITERIA))
    notes = [
        f"{label(name_of(grade))}, {each.name.replace('_', ' ')}: {each.note}"
        for grade in grades
        for each in grade.criteria
        if each.state == "failed" and each.note
    ]
    lost = frozenset(n for n, grade in enumerate(grades) if grade.points < grade.most)
    return Table(f"{len(grades)} graded", header, tuple(rows), lost, tuple(dict.fromkeys(notes)))


def _cell(criterion: Criterion) -> str:
    judged = criterion.state != NOT_JUDGED
    return f"{criterion.points}/{criterion.most}" if judged else NOT_JUDGED
