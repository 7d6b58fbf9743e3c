"""The job of computing a run on one frame, its table row, and the record of finished frames.

A ``FrameRecord`` keeps the finished frames in a journal, so that a run continues where it stopped.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from wheatstone.gpu.analysis.conventions import MEASURES, Region
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer import VERSION
from wheatstone.viewer.io.files.journal import Journal, digest, fingerprint, program
from wheatstone.viewer.io.reading.paths import resolved_file
from wheatstone.viewer.io.sources.data_sets import data_set_named
from wheatstone.viewer.io.sources.disparity_survey import MOST_SEARCHED
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stated_range import in_steps, possible, way_out
from wheatstone.viewer.run.frame_ref import AnyFrameRef
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run

JOURNAL_EVERY = 0.5  # seconds; a killed run computes the frames of its last ones again


class Row(TypedDict):
    """A frame's row in the table of results.

    Attributes:
        pair: its name.
        width, height: in pixels; 0 if it could not be read.
        read_ms, compute_ms, write_ms: duration of each part in milliseconds.
        density: share of the pixels that have a value, in per cent.
        confidence: mean over the pixels that have a disparity, in per cent; None: not computed.
        rows_off: vertical offset between the views, in pixels; None: not measured.
        calibration: paths of the calibration's files, separated by commas; absent without one.
        warnings: one-line remarks.
        worker, device: the worker and the processor that computed it.
        files: bytes of every file written, by its name in the folder.
        changed: when each was last changed, in nanoseconds since 1970.
        convention: name of the convention that judged it; absent if there is no ground truth.
        judged: share of the pixels that were judged, in per cent.
        figures: the measures by name; None for one that has no value.
    """

    pair: str
    width: int
    height: int
    read_ms: float
    compute_ms: float
    write_ms: float
    density: float | None
    confidence: float | None
    rows_off: float | None
    warnings: str
    worker: str
    device: str
    files: dict[str, int]
    changed: dict[str, int]
    calibration: NotRequired[str]
    convention: NotRequired[str]
    judged: NotRequired[float]
    figures: NotRequired[dict[str, float | None]]


@dataclass(frozen=True)
class Judging:
    """The options for comparing a result with ground truth.

    Attributes:
        convention: name of one of ``CONVENTIONS``.
        region: the pixels to judge; None: the convention's own.
        required: whether a frame without a usable truth fails; otherwise it is not judged.
        data_set: name of the data set whose own measures are added; empty: none.
    """

    convention: str
    region: Region | None = None
    required: bool = False
    data_set: str = ""

    @property
    def measures(self) -> tuple[str, ...]:
        """List the names of the error measures, in the order of the table."""
        data_set = data_set_named(self.data_set)
        return (*MEASURES, *(data_set.extra_measures if data_set else ()))


@dataclass(frozen=True)
class Measures:
    """The options for measurements that add columns to the table: row error, confidence.

    Attributes:
        rows: those of a source's first and of every ``rows``-th frame are measured; 0: of none.
    """

    rows: int = 1
    confidence: bool = True


@dataclass(frozen=True)
class ExistingFile:
    """A disparity file that is read instead of computing the disparities.

    Attributes:
        largest: the largest disparity that the pair may have, in pixels.
    """

    path: Path
    largest: float

    def count(self, first: int) -> int:
        """Return how many disparities from ``first`` on the file may contain; 0 if unknown."""
        return int(self.largest) - first + 1 if math.isfinite(self.largest) else 0


@dataclass(frozen=True)
class RunJob:
    """The job of computing a run on one frame; it is pickled for worker processes.

    Attributes:
        sequence: all frames of the frame's video, for a run that remembers earlier ones; empty: the
            frame is alone.
        number: the frame's place in it.
        first: whether it is the first of its source to be computed, whose disparities are surveyed.
        existing: the result that exists already; None: it is computed.
    """

    ref: AnyFrameRef
    run: Run
    options: SourceSpec
    judging: Judging | None = None
    measures: Measures = Measures(rows=0, confidence=False)
    sequence: tuple[AnyFrameRef, ...] = ()
    number: int = 0
    first: bool = False
    existing: ExistingFile | None = None

    @property
    def name(self) -> str:
        """Return the name of the frame."""
        return self.ref.name

    @property
    def inputs(self) -> tuple[str, ...]:
        """List the files that determine the result, including calibrations that may not exist."""
        seen = *self.sequence[: self.number], self.ref
        files = dict.fromkeys(path for ref in seen for path in ref.inputs(self.options))
        existing = (self.existing.path,) if self.existing else ()
        return (*files, *map(str, (*existing, *(self.ref.truth_files if self.judging else ()))))

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Return the fingerprints of the files in ``inputs``, which reveal changes."""
        return tuple(map(fingerprint, self.inputs))

    @property
    def settings(self) -> tuple[object, ...]:
        """Return all settings of the job except the run, for comparison by their ``repr``."""
        return self.options, self.judging, self.measures, self.existing and self.existing.largest

    @property
    def truth(self) -> str:
        """Return whether ground truth is ``required`` or ``optional``; empty if it is not read."""
        if not self.judging:
            return ""
        return "required" if self.judging.required else "optional"

    def write(self, result: Result, row: Row) -> dict[str, str]:
        """Write the job's output files (here none); return alarms (serious warnings) by kind.

        Args:
            row: that of the frame, to which the files are added.

        Raises:
            ValueError: a format cannot hold the values.
            OSError: a file cannot be written, nor those of other frames.
        """
        return {}

    def key(self, fingerprints: Sequence[str]) -> str:
        """Return a digest of everything that determines the table row and the output files.

        Args:
            fingerprints: of the files that the frame is computed from.
        """
        facts = {
            "frame": {n: str(v) for n, v in vars(self.ref.with_paths(resolved_file)).items()},
            "inputs": list(fingerprints),
            "run": self.run.digest(),
            "settings": list(map(repr, self.settings)),
            "program": program(),
            "version": VERSION,
        }
        return digest(facts)

    @property
    def empty_row(self) -> Row:
        """Return a table row in which only the frame's name is filled."""
        return {
            "pair": self.name,
            "width": 0,
            "height": 0,
            "read_ms": 0.0,
            "compute_ms": 0.0,
            "write_ms": 0.0,
            "density": None,
            "confidence": None,
            "rows_off": None,
            "warnings": "",
            "worker": "",
            "device": "",
            "files": {},
            "changed": {},
        }


@dataclass(frozen=True)
class FrameResult:
    """The outcome of a frame's job: its table row, and the reason if it failed.

    Attributes:
        why: why it failed; empty if it did not.
        stops: whether every other frame would fail as well: its files cannot be written.
        inputs: fingerprints of the files that it was computed from.
        alarms: the warnings that it is wrong or means less than it seems, by kind.
    """

    row: Row
    why: str = ""
    stops: bool = False
    inputs: tuple[str, ...] = ()
    alarms: Mapping[str, str] = field(default_factory=dict)


def is_judgeable(pipeline: Pipeline) -> bool:
    """Return whether a pipeline's output is a disparity that ground truth can be compared with."""
    output, searched = pipeline.image(pipeline.output), {"min_disparity", "disparities"}
    return output.disparity and searched <= controls(pipeline.params).keys()


def range_of(
    ref: AnyFrameRef, params: Params, given: Iterable[str], *, cut: bool = False
) -> Params:
    """Return the parameters with the disparity range that the frame's data set declares.

    Args:
        given: names of the parameters that the user gave, which are not changed.
        cut: whether more disparities than possible are cut off, instead of an error.

    Raises:
        ValueError: the pipeline cannot search this range.
    """
    if ref.disparities is None or "disparities" not in params.values():
        return params
    count = possible(ref.disparities) if cut else in_steps(ref.disparities)
    own = {"min_disparity": ref.min_disparity, "disparities": count}
    if count > MOST_SEARCHED and "disparities" not in given:
        raise ValueError(way_out(ref.disparities))
    return params.changed(**{name: value for name, value in own.items() if name not in given})


class FrameRecord:
    """A journal of the frames finished so far, from which an interrupted run continues.

    A frame counts as finished only with the same settings, files and program.

    Args:
        schema, version, kind, outcome: as for ``Journal``.

    Attributes:
        note: a message to the user if the journal could not be read; else empty.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is of another kind.
    """

    def __init__(
        self, path: Path, schema: str, version: int, kind: str, outcome: Any = Any
    ) -> None:
        self.path = path
        self.journal = Journal(path, schema, version, kind, outcome, every=JOURNAL_EVERY)
        self.note = self.journal.note

    def find(self, job: RunJob) -> Any | None:
        """Return the recorded outcome of a frame; None if it was not finished."""
        return self.journal.find(job.key(job.fingerprints))

    def add(self, job: RunJob, outcome: Any, fingerprints: Sequence[str] | None = None) -> None:
        """Add a finished frame, which is on disk after the next ``flush`` at the latest.

        Args:
            fingerprints: of the files that it was computed from; None: of the present files.
        """
        inputs = job.fingerprints if fingerprints is None else fingerprints
        self.journal.add(job.key(inputs), outcome)

    def flush(self) -> None:
        """Write all finished frames to disk; raise ``OSError`` if this fails."""
        self.journal.flush()
