"""Functions that check a folder of kernels, create an assignment, or grade submissions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wheatstone.gpu.emulation.compiler import CompileError
from wheatstone.viewer.cli.kernel.request import KernelRequest
from wheatstone.viewer.io.files.folders import check_below, own_folder
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.run.kernels.assignment import read_assignment, write_assignment
from wheatstone.viewer.run.kernels.comparing import THOROUGH
from wheatstone.viewer.run.kernels.folder import KernelFolder
from wheatstone.viewer.run.kernels.grading import CRITERIA, Criterion
from wheatstone.viewer.run.kernels.judging import judge
from wheatstone.viewer.run.kernels.submissions import (
    CSV,
    JUNIT,
    RECORD,
    FolderGrade,
    grade_all,
    submitted_folders,
    write_grades,
)
from wheatstone.viewer.run.kernels.verdict import KernelVerdict, StageVerdict
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.run.measuring.tables import Table
from wheatstone.viewer.run.measuring.terminal import print_tables
from wheatstone.viewer.words import plural

NOT_JUDGED = "not judged"


def check_folder(request: KernelRequest) -> int:
    """Check the kernels of a folder; return 0 if they are identical to the reference, else 1.

    Raises:
        OSError, ValueError: the folder cannot be read.
        Unavailable: there is no compiler.
    """
    folder = KernelFolder.read(request.folder)
    with ProgressLine() as line:

        def show(verdict: KernelVerdict) -> None:
            line.show(f"{verdict.variant}: {verdict.state}", verdict.done / max(verdict.cases, 1))

        effort = replace(THOROUGH, cases=request.cases)
        verdict = judge(folder, effort=effort, seed=request.seed, progress=show)
    if request.json:
        print(verdict.to_json())
    else:
        print_tables([_table(verdict)])
        for note in notes(verdict):
            print(note)
    return 0 if verdict.state == "identical" else 1


def _table(verdict: KernelVerdict) -> Table:
    header = ("stage", "verdict", "identical", "ms", "registers", "occupancy")
    rows = tuple(_row(stage) for stage in verdict.stages)
    wrong = frozenset(i for i, stage in enumerate(verdict.stages) if stage.wrong or stage.fault)
    title = f"{verdict.pipeline}/{verdict.variant}: {verdict.summary}"
    return Table(title, header, rows, wrong)


def _row(stage: StageVerdict) -> tuple[str, ...]:
    state = "fault" if stage.fault else "wrong" if stage.wrong else "identical"
    registers = ", ".join(str(use.registers) for use in stage.use) or NOT_JUDGED
    occupancy = ", ".join(f"{use.occupancy:.0%}" for use in stage.use) or NOT_JUDGED
    taken = f"{stage.time.milliseconds:.3g}" if stage.time else NOT_JUDGED
    cases = plural(stage.identical, "case")
    shown = "not checked" if state == "identical" and not stage.identical else state
    return stage.stage, shown, cases, taken, registers, occupancy


def notes(verdict: KernelVerdict) -> Iterator[str]:
    """Yield sentences about errors, the first wrong pixel, times and accesses to memory."""
    yield from map(in_words, verdict.errors)
    for stage in verdict.stages:
        if stage.fault:
            place = f"{stage.fault.file}:{stage.fault.line}: " if stage.fault.file else ""
            yield f"{stage.stage}: {place}{stage.fault.message}"
        if stage.wrong:
            yield f"{stage.stage}: {stage.wrong}"
        if stage.case:
            case = stage.case.words(verdict.pipeline, stage.stage)
            yield f"  in the smallest failing case: {case}"
        if stage.time:
            ratios = (f"{ratio:.2f} {name}" for name, ratio in stage.time.ratios.items())
            size = f"{stage.time.width} x {stage.time.height}"
            yield f"{stage.stage}: {stage.time.milliseconds:.3g} ms at {size}"
            yield f"  times as fast as a built-in variant: {', '.join(ratios)}"
            yield f"{stage.stage}: {stage.time.roofline}"
        yield from _memory(stage)
        yield from (f"{stage.stage} printed: {line}" for line in stage.output)
    if verdict.pipeline_wrong:
        yield f"every stage is identical alone, but in the pipeline {verdict.pipeline_wrong}"
    if verdict.emulated:
        yield "run on the CPU: times, registers and occupancy are not judged"


def _memory(stage: StageVerdict) -> Iterator[str]:
    """Yield a sentence for each statement of a kernel that accesses memory."""
    for counts, unit in ((stage.transactions, "sector"), (stage.conflicts, "pass")):
        for each in counts:
            verb = "writes" if each.write else "reads"
            yield (
                f"{stage.stage}: {each.file}:{each.line} {verb} {each.array}: "
                f"{plural(each.transactions, unit)} for {plural(each.requests, 'request')} of a "
                f"warp, at best {each.least:,}"
            )


def in_words(error: CompileError) -> str:
    """Format a compiler error as compilers do: file, line, message."""
    column = f":{error.column}" if error.column else ""
    return f"{error.file}:{error.line}{column}: error: {error.message}"


def begin_assignment(request: KernelRequest) -> int:
    """Write the folders with which students begin an assignment; return 0.

    Raises:
        OSError, ValueError: there is no such assignment, or a file exists already.
    """
    if request.stages or request.base or request.python:
        raise ValueError("an assignment defines pipeline, stages and variants")
    assert request.assignment is not None
    name = request.name or request.folder.resolve().name
    for file in write_assignment(request.folder, request.assignment, name):
        say(f"wrote {file}")
    return 0


def grade_submissions(request: KernelRequest) -> int:
    """Grade a course's submissions, and print and write the results; return 0.

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
    """Return the name of a graded folder of kernels: its submission and its base variant."""
    return f"{grade.submission}/{grade.base}"


def grade_table(grades: Sequence[FolderGrade]) -> Table:
    """Build a table of graded folders of kernels with points, and notes on missing points."""
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
