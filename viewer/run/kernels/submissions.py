"""Grade the submissions of a course, each in a process of its own, and write the results.

A submission is a folder; an assignment with several bases asks for a folder of each in it. What is
done is kept in a file, and is not done again unless the submission or the assignment changes.
"""

import csv
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.documents import LARGEST_RECORD, read_text, typed_text
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.run.jobs.processes import ending_of
from wheatstone.viewer.run.kernels.assignment import Assignment, assignment_file, read_assignment
from wheatstone.viewer.run.kernels.grading import CRITERIA, Criterion, GradingTask
from wheatstone.viewer.run.kernels.new import DOCUMENT
from wheatstone.viewer.run.measuring.result_files import word

RECORD, CSV, JUNIT = "grades.jsonl", "grades.csv", "grades.xml"
"""The files of a folder with results."""
GRADING = "wheatstone.viewer.run.kernels.grading"
KILLED = ("SIGKILL", "SIGXCPU")  # signals of the system to a process beyond a limit
GRACE = 5.0  # seconds that a process has to end on its own
MOST_FILES = 200  # of a submission, that its digest covers
LONGEST = 300  # characters of a note


@dataclass(frozen=True)
class SubmittedFolder:
    """A folder of kernels to grade: a submission, or its subfolder for one memory variant."""

    submission: str
    base: str
    path: Path


@dataclass(frozen=True)
class FolderGrade:
    """The grade of one folder, with the outcome of each criterion.

    Attributes:
        digest: of the submission and the assignment that were graded.
    """

    submission: str
    base: str
    digest: str
    criteria: tuple[Criterion, ...]

    @property
    def points(self) -> int:
        """Return the sum of the points that the folder of kernels has reached."""
        return sum(each.points for each in self.criteria)

    @property
    def most(self) -> int:
        """Return the highest points possible, counting only the criteria that were judged."""
        return sum(each.most for each in self.criteria if each.state != "not judged")


def submitted_folders(top: Path, assignment: Assignment) -> list[SubmittedFolder]:
    """List the folders to grade: those of each submission in ``top``, or of ``top`` alone.

    Raises:
        OSError: the folder cannot be read.
        ValueError: there is no folder in it.
    """
    parts = assignment.folders()
    alone = any((top / folder / DOCUMENT).is_file() for folder in parts.values())
    folders = [top] if alone else sorted(path for path in top.iterdir() if path.is_dir())
    if not folders:
        raise ValueError(f"{top}: there is no folder with kernels in it")
    return [
        SubmittedFolder(path.resolve().name, base, path / folder)
        for path in folders
        for base, folder in parts.items()
    ]


def digest_of(folder: SubmittedFolder, assignment: Path) -> str:
    """Compute a digest of the files in a submitted folder and of the assignment."""
    digest = sha256(assignment.read_bytes())
    for path in sorted(folder.path.glob("*"))[:MOST_FILES]:
        if path.is_file():
            digest.update(repr((path.name, read_regular(path, MIB))).encode())
    return digest.hexdigest()


def graded(folder: SubmittedFolder, name: str) -> FolderGrade:
    """Grade a folder of kernels in new processes: emulated on the CPU, and on the GPU if present.

    Args:
        name: of the assignment, or its path.
    """
    assignment = read_assignment(name)
    try:
        digest = digest_of(folder, assignment_file(name))
    except (OSError, ValueError) as error:
        digest, reason = "", str(error)
        return _grade(folder, digest, [], reason, assignment)
    judged, reason = _criteria(GradingTask(str(folder.path), name, folder.base), assignment)
    outcomes = {each.name: each for each in judged}
    if not emulated() and len(outcomes) == len(CRITERIA) - 1:
        task = GradingTask(str(folder.path), name, folder.base, on_gpu=True)
        more, why = _criteria(task, assignment)
        outcomes |= {each.name: each for each in more}
        reason = reason or why
    elif "faster" not in outcomes and not reason:
        most = assignment.points.faster
        outcomes["faster"] = Criterion("faster", "not judged", 0, most, "the kernels are emulated")
    return _grade(folder, digest, list(outcomes.values()), reason, assignment)


def _grade(
    folder: SubmittedFolder,
    digest: str,
    outcomes: Sequence[Criterion],
    reason: str,
    assignment: Assignment,
) -> FolderGrade:
    """Build a folder's grade from outcomes; criteria without an outcome fail with ``reason``."""
    known = {each.name: each for each in outcomes}
    note = one_line(reason, LONGEST)
    for name in CRITERIA:
        if name not in known:
            known[name] = Criterion(name, "failed", 0, getattr(assignment.points, name), note)
            note = ""  # once is enough
    return FolderGrade(folder.submission, folder.base, digest, tuple(known[n] for n in CRITERIA))


def _criteria(task: GradingTask, assignment: Assignment) -> tuple[list[Criterion], str]:
    """Grade a folder in a new process; return the outcomes, and a reason if it ended early."""
    hidden = {} if task.on_gpu else {"CUDA_VISIBLE_DEVICES": ""}
    process = subprocess.Popen(
        [sys.executable, "-m", GRADING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl+C is for this process, which then ends that one
        env=os.environ | hidden | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    limit, reason = assignment.limits.seconds, ""
    try:
        out, errors = process.communicate(json.dumps(asdict(task)).encode(), timeout=limit)
        lines = errors.decode(errors="replace").strip().splitlines()
        if ending_of(process.returncode) in KILLED:
            reason = f"killed: more than {limit} s of processor time, or out of memory"
        elif process.returncode:
            reason = lines[-1] if lines else f"its process ended ({process.returncode})"
    except subprocess.TimeoutExpired:
        reason = f"grading took more than {limit} s"
        out = _end(process)
    except BaseException:
        _end(process)
        raise
    return _last_line(out), reason


def _end(process: "subprocess.Popen[bytes]") -> bytes:
    """End a process with its children; return its output."""
    out = b""
    for end in (process.terminate, process.kill):
        end()
        try:
            return process.communicate(timeout=GRACE)[0]
        except subprocess.TimeoutExpired as late:  # a process that it started holds the pipe
            out = late.output or b""
    return out


def _last_line(out: bytes) -> list[Criterion]:
    """Parse the criteria from the last complete line that a grading process printed."""
    lines = out.decode(errors="replace").splitlines()
    if not out.endswith(b"\n"):
        lines = lines[:-1]
    return [Criterion(**each) for each in json.loads(lines[-1])] if lines else []


def recorded(out: Path) -> dict[tuple[str, str], FolderGrade]:
    """Read the grades recorded in an output folder; damaged lines are skipped."""
    grades: dict[tuple[str, str], FolderGrade] = {}
    if not (out / RECORD).is_file():
        return grades
    for line in read_text(out / RECORD, LARGEST_RECORD).splitlines():
        try:
            grade: FolderGrade = typed_text(line, "JSON", FolderGrade)
        except ValueError:
            continue
        if [each.name for each in grade.criteria] == list(CRITERIA):
            grades[grade.submission, grade.base] = grade
    return grades


def grade_all(
    folders: Sequence[SubmittedFolder], name: str, out: Path
) -> Iterator[tuple[FolderGrade, bool]]:
    """Grade folders one by one; yield each grade, and whether an earlier grade was reused.

    Args:
        name: of the assignment, or its path.
        out: the folder that keeps the grades.
    """
    known = recorded(out)
    for folder in folders:
        before = known.get((folder.submission, folder.base))
        if before and before.digest and before.digest == _digest_or_none(folder, name):
            yield before, True
            continue
        grade = graded(folder, name)
        with (out / RECORD).open("a") as file:
            file.write(json.dumps(asdict(grade)) + "\n")
        yield grade, False


def _digest_or_none(folder: SubmittedFolder, name: str) -> str | None:
    try:
        return digest_of(folder, assignment_file(name))
    except (OSError, ValueError):
        return None


def write_grades(grades: Sequence[FolderGrade], out: Path) -> None:
    """Write the grades as CSV, and as JUnit XML for build servers."""
    for name, text in ((CSV, to_csv(grades)), (JUNIT, to_junit(grades))):
        with whole_file(out / name) as temporary:
            temporary.write_text(text)


def to_csv(grades: Sequence[FolderGrade]) -> str:
    """Format grades as CSV: a row per folder with its points and the outcome of each criterion."""
    text = io.StringIO()
    notes = [f"{name} note" for name in CRITERIA]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["submission", "base", "points", "of", *CRITERIA, *notes])
    for grade in grades:
        states = [each.points if each.state != "not judged" else "" for each in grade.criteria]
        texts = [word(each.note) for each in grade.criteria]
        row = [word(grade.submission), grade.base, grade.points, grade.most]
        writer.writerow([*row, *states, *texts])
    return text.getvalue().encode("utf-8", "backslashreplace").decode()


def to_junit(grades: Sequence[FolderGrade]) -> str:
    """Format grades as JUnit XML: a test suite per folder, a test case per criterion."""
    top = ElementTree.Element("testsuites")
    for grade in grades:
        name = one_line(f"{grade.submission}/{grade.base}")
        suite = ElementTree.SubElement(top, "testsuite", name=name)
        for each in grade.criteria:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=each.name)
            if each.state != "passed":
                tag = "failure" if each.state == "failed" else "skipped"
                ElementTree.SubElement(case, tag, message=one_line(each.note, LONGEST))
        counts = {"failures": "failed", "skipped": "not judged"}
        for key, state in counts.items():
            suite.set(key, str(sum(each.state == state for each in grade.criteria)))
        suite.set("tests", str(len(grade.criteria)))
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"
