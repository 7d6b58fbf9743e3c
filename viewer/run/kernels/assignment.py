"""The assignment of a course: which stages students write, and how these are graded.

title = "Canny"
pipeline = "canny"
bases = ["global"]
stages = ["gradient"]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path

from wheatstone.gpu.own_kernels.bases import check_base
from wheatstone.gpu.parameters import Params, controls, did_you_mean
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES, known_pipeline
from wheatstone.viewer.io.files.folders import own_folder
from wheatstone.viewer.io.reading.documents import read_document
from wheatstone.viewer.resources import ASSIGNMENTS
from wheatstone.viewer.run.kernels.new import new_files, write_folder
from wheatstone.viewer.run.parity.cases import Case, case_of

MOST_CASES, MOST_SIZES, LONGEST_SIDE = 1000, 40, 512
MOST_POINTS, MOST_SECONDS, MOST_MEMORY = 1000, 3600, 65536
SET = 10**9  # number of the first case with a size of the document; random cases have small ones


@dataclass(frozen=True)
class AssignmentPoints:
    """The points that students get for each criterion of an assignment."""

    compiles: int = 10
    identical: int = 50
    in_bounds: int = 15
    no_race: int = 15
    faster: int = 10

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if any points are negative or too large, or if all are 0."""
        values = vars(self)
        for name, points in values.items():
            if not 0 <= points <= MOST_POINTS:
                raise ValueError(f"points.{name} must be in [0, {MOST_POINTS}] (got {points})")
        if not any(values.values()):
            raise ValueError("points: one of them must be above 0")


@dataclass(frozen=True)
class AssignmentLimits:
    """The limits of the process that grades one folder: seconds, and memory in MB."""

    seconds: int = 300
    memory: int = 8192

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if a limit is not positive, or too large."""
        for name, most in (("seconds", MOST_SECONDS), ("memory", MOST_MEMORY)):
            if not 1 <= (value := getattr(self, name)) <= most:
                raise ValueError(f"limits.{name} must be in [1, {most}] (got {value})")


@dataclass(frozen=True)
class Assignment:
    """An assignment for students to write kernels, as declared by its document.

    Attributes:
        title: in words.
        pipeline: name of the pipeline.
        bases: the variants whose types and memory are used, such as ``texture``: a folder for each.
        stages: that are to be written.
        preset: of the parameters; empty: their defaults.
        vary: names of the parameters that differ from case to case.
        cases: number of random cases.
        seed: chooses them; students do not see it.
        sizes: height and width of more cases, with the preset's parameters.
        python: whether Python functions are accepted.
        hide: whether the program's own variants are offered nowhere, and its kernels cannot be
            included by name.
        faster_than: the variant whose time is to be beaten; empty: time does not count.
        points: a table with the points of each criterion.
        limits: a table with the limits for a folder: ``seconds``, and ``memory`` in MB.
    """

    title: str
    pipeline: str
    bases: tuple[str, ...]
    stages: tuple[str, ...]
    preset: str = ""
    vary: tuple[str, ...] = ()
    cases: int = 12
    seed: int = 0
    sizes: tuple[tuple[int, int], ...] = ((1, 1), (1, 33), (33, 1), (32, 32), (33, 65))
    python: bool = False
    hide: bool = False
    faster_than: str = ""
    points: AssignmentPoints = field(default_factory=AssignmentPoints)
    limits: AssignmentLimits = field(default_factory=AssignmentLimits)

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if the assignment cannot be graded."""
        known_pipeline(self.pipeline)
        if not self.bases or not self.stages:
            raise ValueError("name one or more bases and stages")
        for base in (*self.bases, *filter(None, [self.faster_than])):
            check_base(self.declared, base, [(stage, False) for stage in self.stages])
        _check_known("preset", filter(None, [self.preset]), [*self.declared.presets])
        _check_known("vary", self.vary, [*controls(self.declared.params)])
        if not 0 <= self.cases <= MOST_CASES:
            raise ValueError(f"cases must be in [0, {MOST_CASES}] (got {self.cases})")
        if not 1 <= len(self.sizes) <= MOST_SIZES:
            raise ValueError(f"give 1 to {MOST_SIZES} sizes (got {len(self.sizes)})")
        for height, width in self.sizes:
            if not (1 <= height <= LONGEST_SIDE and 1 <= width <= LONGEST_SIDE):
                raise ValueError(
                    f"a size is [height, width], each 1 to {LONGEST_SIDE} (got {[height, width]})"
                )

    @property
    def declared(self) -> Pipeline:
        """Return the declaration of the assignment's pipeline."""
        return PIPELINES[self.pipeline]

    @property
    def params(self) -> Params:
        """Return the parameters of the assignment's preset, or the defaults."""
        return self.declared.preset(self.preset) if self.preset else self.declared.params()

    def folders(self) -> dict[str, str]:
        """Return a submission's subfolder for each base variant; empty if there is only one."""
        return {base: base if len(self.bases) > 1 else "" for base in self.bases}

    def starting_files(self, name: str) -> dict[str, str]:
        """Return the texts of the files that a student starts with, by path.

        Args:
            name: of the variants, followed by the base where there are several.
        """
        files: dict[str, str] = {}
        for base, folder in self.folders().items():
            own = f"{name}-{folder}" if folder else name
            made = new_files(self.declared, self.stages, own, base, empty=True, hide=self.hide)
            files |= {f"{folder}/{file}".lstrip("/"): text for file, text in made.items()}
        return files

    def hidden_cases(self) -> list[Case]:
        """List the hidden test cases in which submitted kernels are judged, the smallest first."""
        drawn = (self._fixed(case_of(n, self.seed, [self.pipeline])) for n in count())
        few = islice(drawn, 40 * self.cases)
        cases = [*self.set_cases(), *islice(filter(self._fits, few), self.cases)]
        return sorted(cases, key=lambda case: case.height * case.width)

    def set_cases(self) -> Iterator[Case]:
        """Yield the test cases with the image sizes that the assignment sets, where possible."""
        cases = (self.case(SET + n, height, width) for n, (height, width) in enumerate(self.sizes))
        return filter(self._fits, cases)

    def case(self, number: int, height: int, width: int) -> Case:
        """Return a numbered test case of an image size, with the preset's parameters."""
        size = height, width
        return Case(number, self.seed, self.declared, self.params, *size, "shifted", again=False)

    def _fixed(self, case: Case) -> Case:
        """Copy a test case with the preset's parameters, except those that the tests vary."""
        if case.pipeline is not self.declared:
            return case
        params = self.params
        for name, value in case.params.values().items():
            if name in self.vary:
                params = params.adjusted(name, value)
        return replace(case, params=params, again=False)

    def _fits(self, case: Case) -> bool:
        """Return whether a test case suits all base variants and runs all stages to be graded."""
        size = case.params, case.height, case.width
        if case.pipeline is not self.declared or self.declared.fits(*size):
            return False
        refused = any(self.declared.variant(base).refuses(*size) for base in self.bases)
        stages = [stage for stage in self.declared.stages if stage.name in self.stages]
        refused = refused or any(stage.own(*size) for stage in stages)
        return not refused and all(stage.when(case.params) for stage in stages)


def _check_known(what: str, names: Iterator[str] | Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            like = did_you_mean(name, known)
            raise ValueError(f"{what}: there is no {name!r}{like}; there is {', '.join(known)}")


def assignment_file(name: str) -> Path:
    """Return the path of an assignment: the file of a built-in name, or else the name as a path."""
    return ASSIGNMENTS.get(name, Path(name))


def read_assignment(name: str) -> Assignment:
    """Read a built-in assignment by its name, or another assignment by its path.

    Raises:
        OSError: the file is no regular file, or cannot be read.
        ValueError: it declares no assignment; the message names the file.
    """
    if name not in ASSIGNMENTS and not Path(name).suffix:
        like = did_you_mean(name, ASSIGNMENTS)
        raise ValueError(
            f"there is no assignment {name!r}{like}; there is {', '.join(ASSIGNMENTS)}"
        )
    assignment = read_document(assignment_file(name), Assignment)
    if not any(assignment.set_cases()):
        raise ValueError(f"{assignment_file(name)}: no size is possible with these parameters")
    return assignment


def write_assignment(folder: Path, assignment: str, name: str) -> list[Path]:
    """Write the folders that a student starts an assignment with; return the paths of the files.

    Args:
        assignment: name or path of the assignment.
        name: of the variants.

    Raises:
        OSError, ValueError: there is no such assignment, or a file exists already.
    """
    files = read_assignment(assignment).starting_files(name)
    own_folder(folder)
    for part in dict.fromkeys(Path(file).parent for file in files):
        inner = {Path(f).name: text for f, text in files.items() if Path(f).parent == part}
        write_folder(folder / part, inner)
    return [folder / file for file in files]
