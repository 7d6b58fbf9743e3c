"""Carry runs over frames: read, compute and judge each frame, in threads, processes or clusters.

    jobs = [RunJob(ref, run, options) for ref in refs]
    for done in run_jobs(jobs, judge_frame, WorkerPool(processes=2)):
        print(done.job.name, done.result.row["density"])

A ``FrameRecord`` keeps the finished frames in a journal, so that a run continues where it stopped.
The verb ``batch`` adds output files to every job, ``evaluate`` makes a report of the figures.
"""

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.conventions import CONVENTIONS, Region
from wheatstone.gpu.device import open_device
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer import VERSION
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.rows import measure_rows
from wheatstone.viewer.io.files.fingerprint import fingerprint
from wheatstone.viewer.io.files.journal import Journal, digest, program
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label, visible
from wheatstone.viewer.io.sources.disparity_survey import (
    MOST_SEARCHED,
    empty_warning,
    pair_warnings,
    survey_disparities,
)
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stated_range import in_steps, possible, way_out
from wheatstone.viewer.io.sources.truth import not_searched
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.frame_ref import AnyFrameRef
from wheatstone.viewer.run.inputs import reads_both_views
from wheatstone.viewer.run.jobs.processes import by_processes
from wheatstone.viewer.run.jobs.workers import (
    NOTHING_SHARED,
    FinishedJob,
    Job,
    SharedFiles,
    WorkerPool,
    by_threads,
)
from wheatstone.viewer.run.jobs.workers import Result as Outcome
from wheatstone.viewer.run.result import CONFIDENCE, Result
from wheatstone.viewer.run.run import Run

DIGITS, FIGURE_DIGITS = 3, 4  # after the point, of measurements and of figures


class Row(TypedDict):
    """The table row of a frame.

    Attributes:
        pair: its name.
        width, height: in pixels; 0 if it could not be read.
        read_ms, compute_ms, write_ms: duration of each part in milliseconds.
        density: share of the pixels that have a value, in per cent.
        confidence: mean over the pixels that have a disparity, in per cent; None: not computed.
        rows_off: vertical offset between the views, in pixels; None: not measured.
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
    convention: NotRequired[str]
    judged: NotRequired[float]
    figures: NotRequired[dict[str, float | None]]


@dataclass(frozen=True)
class Judging:
    """The way of comparing a result with ground truth.

    Attributes:
        convention: name of one of ``CONVENTIONS``.
        region: the pixels to judge; None: the convention's own.
        required: whether a frame without a usable truth fails; otherwise it is not judged.
    """

    convention: str
    region: Region | None = None
    required: bool = False


@dataclass(frozen=True)
class Measures:
    """The measurements in a frame's row that can be switched off."""

    rows: bool = True
    confidence: bool = True


@dataclass(frozen=True)
class RunJob:
    """The job of computing a run on one frame; workers receive it pickled.

    Attributes:
        sequence: all frames of the frame's video, for a run that remembers earlier ones; empty: the
            frame is alone.
        number: the frame's place in it.
        first: whether it is the first of its source to be computed, whose disparities are surveyed.
    """

    ref: AnyFrameRef
    run: Run
    options: SourceSpec
    judging: Judging | None = None
    measures: Measures = Measures(rows=False, confidence=False)
    sequence: tuple[AnyFrameRef, ...] = ()
    number: int = 0
    first: bool = False

    @property
    def name(self) -> str:
        """Return the name of the frame."""
        return self.ref.name

    @property
    def inputs(self) -> tuple[Path, ...]:
        """List the files that determine the result, including calibrations that may not exist."""
        seen = *self.sequence[: self.number], self.ref
        files = dict.fromkeys(path for ref in seen for path in ref.inputs(self.options))
        return (*files, *(self.ref.truth_files if self.judging else ()))

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Compute the fingerprints of these files, by which a change is detected."""
        return tuple(map(fingerprint, self.inputs))

    @property
    def settings(self) -> tuple[object, ...]:
        """List all settings besides the run; equal settings have equal ``repr``."""
        return self.options, self.judging, self.measures

    def key(self, fingerprints: Sequence[str]) -> str:
        """Digest everything that determines the row and the output files.

        Args:
            fingerprints: of the files that the frame is computed from.
        """
        facts = {
            "frame": {n: str(v) for n, v in vars(self.ref.with_paths(resolved)).items()},
            "inputs": list(fingerprints),
            "run": self.run.digest(),
            "settings": list(map(repr, self.settings)),
            "program": program(),
            "version": VERSION,
        }
        return digest(facts)

    @property
    def empty_row(self) -> Row:
        """Make the row of a frame about which nothing is known yet."""
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
    """The result of a frame as a table row.

    Attributes:
        why: why it failed; empty if it did not.
        stops: whether every other frame would fail, too: its files cannot be written.
        inputs: fingerprints of the files that it was computed from.
        alarms: the warnings that it is wrong or means less than it seems, by kind.
    """

    row: Row
    why: str = ""
    stops: bool = False
    inputs: tuple[str, ...] = ()
    alarms: Mapping[str, str] = field(default_factory=dict)


def is_judgeable(pipeline: Pipeline) -> bool:
    """Return whether a pipeline's result is a disparity, which can be compared with truth."""
    output, searched = pipeline.image(pipeline.output), {"min_disparity", "disparities"}
    return output.disparity and searched <= controls(pipeline.params).keys()


def range_of(
    ref: AnyFrameRef, params: Params, given: Iterable[str], *, cut: bool = False
) -> Params:
    """Set the range of disparities that a frame's data set names.

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


def judge_frame(job: RunJob) -> FrameResult:
    """Read, compute and judge a frame; an error becomes the reason in the result."""
    return compute_frame(job)[0]


def compute_frame(job: RunJob) -> tuple[FrameResult, Result | None]:
    """Read, compute and judge a frame; return its row, and its images unless it failed."""
    row, inputs = job.empty_row, job.fingerprints  # before reading: later changes are noticed
    try:
        result, alarms = _compute(job, row)
    except (OSError, ValueError, Unavailable) as error:
        return FrameResult(row, visible(str(error))), None
    except MemoryError as error:
        return FrameResult(row, f"out of memory: {error}".rstrip(": ")), None
    return FrameResult(row, inputs=inputs, alarms=alarms), result


def _compute(job: RunJob, row: Row) -> tuple[Result, dict[str, str]]:
    """Compute a frame, and enter the measurements into its row; return the alarms, too."""
    begin, run, judging = time.perf_counter(), job.run, job.judging
    truth = "" if not judging else "required" if judging.required else "optional"
    frame, notes = job.ref.read(job.options, truth=truth)
    warnings, alarms = list(notes), list[str]()
    row["height"], row["width"] = frame.shape
    if job.measures.rows and frame.is_pair and reads_both_views(run.pipeline):
        alarms += _measure_pair(job, frame, row)
    row["read_ms"] = milliseconds_since(begin)
    if judging:
        warnings.append(_check_truth(job, judging, frame, row))
    if frame.truth is not None and (searched := run.searched):
        alarms.append(not_searched(frame.truth, *searched))
    result = _result(job, frame)
    row["compute_ms"] = round(result.milliseconds, DIGITS)
    row["device"] = label(open_device(run.declaration.device).name)
    row["density"] = rounded(result.density)
    if CONFIDENCE in run.keep and job.measures.confidence:
        row["confidence"] = rounded(result.mean_confidence)
    if judging and "judged" in row:
        figures = result.judge(judging.convention, region=judging.region)
        row["convention"] = judging.convention
        row["figures"] = {name: rounded(one, FIGURE_DIGITS) for name, one in figures.items()}
    if run.output.disparity and not any(alarms):
        alarms.append(empty_warning(result.density / 100))
    row["warnings"] = visible("; ".join(filter(None, (*warnings, *alarms))))
    return result, {each.name: visible(each) for each in alarms if isinstance(each, Finding)}


def _measure_pair(job: RunJob, frame: Frame, row: Row) -> tuple[str, ...]:
    """Measure the rows of a pair, and survey the disparities of a source's first one."""
    grey, searched = grey_views(frame), job.run.searched
    rows = measure_rows(grey["left"], grey["right"], calibrated=frame.is_rectified_by_rig)
    row["rows_off"] = rounded(rows.median)
    if not (job.first and searched):
        return (rows.warning,)
    survey = survey_disparities(grey["left"], grey["right"])
    return pair_warnings(rows, survey, searched, frame.exchange)


def _result(job: RunJob, frame: Frame) -> Result:
    """Compute a frame, after those before it if the run remembers them."""
    if not job.sequence:
        return shared_engine().compute(job.run, frame)
    moment = (job.sequence[0], job.options), job.number
    return shared_engine().compute_in_order(
        job.run, frame, moment, lambda number: job.sequence[number].read(job.options)[0]
    )


def _check_truth(job: RunJob, judging: Judging, frame: Frame, row: Row) -> str:
    """Enter the share of pixels to judge into a row, or return why the frame is not judged.

    Raises:
        ValueError: the frame cannot be judged, though it is required.
    """
    place = job.ref.truth.truth if job.ref.truth else job.name
    if frame.truth is None or frame.occluded is None:
        why = f"{place}: not the truth of these views, which are rectified by their features"
    else:
        convention = CONVENTIONS[judging.convention]
        mask = convention.judged(frame.truth, ~frame.occluded, judging.region)
        if mask.any():
            row["judged"] = round(100 * float(np.mean(mask)), FIGURE_DIGITS)
            return ""
        why = f"{place}: no pixel is judged; scale and unknown may be wrong"
    if judging.required:
        raise ValueError(why)
    return f"not judged: {why}" if frame.truth is not None else ""


def rounded(value: float, digits: int = DIGITS) -> float | None:
    """Round a number for a table; None for an unknown one."""
    return round(value, digits) if math.isfinite(value) else None


def milliseconds_since(begin: float) -> float:
    """Return the milliseconds since a time of ``time.perf_counter``, rounded for a table."""
    return round((time.perf_counter() - begin) * 1e3, DIGITS)


class FrameRecord:
    """The frames finished so far, in a journal, so that a run continues where it stopped.

    A frame counts as finished only with the same settings, files and program.

    Args:
        schema, version, kind, outcome: as of ``Journal``.

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
        self.journal = Journal(path, schema, version, kind, outcome)
        self.note = self.journal.note

    def find(self, job: RunJob) -> Any | None:
        """Return the outcome of a frame in an earlier run; None if it was not finished."""
        return self.journal.find(job.key(job.fingerprints))

    def add(self, job: RunJob, outcome: Any, fingerprints: Sequence[str] | None = None) -> None:
        """Append a finished frame, and return when it is on disk.

        Args:
            fingerprints: of the files that it was computed from; None: of the present files.
        """
        inputs = job.fingerprints if fingerprints is None else fingerprints
        self.journal.add(job.key(inputs), outcome)


def run_jobs(
    jobs: Sequence[Job],
    work: Callable[[Job], Outcome],
    pool: WorkerPool,
    shared: SharedFiles = NOTHING_SHARED,
) -> Generator[FinishedJob[Job, Outcome], None]:
    """Run jobs, and yield each outcome as soon as the job is done, in any order.

    Args:
        work: a function of a module, because other processes import it by its name.

    Raises:
        Unavailable: the cluster is not available, or its workers cannot run the jobs.
    """
    if not jobs:
        return
    if pool.by_dask:
        from wheatstone.viewer.run.jobs.cluster import by_dask

        yield from by_dask(jobs, work, pool, shared)
    elif pool.processes > 1:
        yield from by_processes(jobs, work, min(pool.processes, len(jobs)))
    elif pool.threads > 1:
        yield from by_threads(jobs, work, pool.threads)
    else:
        yield from (FinishedJob(job, work(job)) for job in jobs)


def with_worker(done: FinishedJob[Any, FrameResult]) -> FrameResult:
    """Return the result of a frame, whose row names the worker; of a worker that died, why."""
    if done.result is None:
        return FrameResult(done.job.empty_row, done.why)
    return replace(done.result, row={**done.result.row, "worker": done.place.worker})


def say_alarms(result: FrameResult, told: set[str]) -> None:
    """Print the alarms of a frame; of each kind, those of the first frame only.

    Args:
        told: the kinds that were printed, extended.
    """
    for kind, warning in result.alarms.items():
        if kind not in told:
            told.add(kind)
            say(f"{result.row['pair']}: {warning}")


@contextmanager
def report_stop(finished: Callable[[], int], total: int) -> Iterator[None]:
    """Print how many frames are finished if a run ends early."""
    try:
        yield
    except BaseException:
        say(f"{finished()} of {total} pairs are done; the same command goes on from there")
        raise
