"""Run one pair: read it, compute it and write its files, in any process or worker."""

import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.cameras.calibration_files import places_beside
from wheatstone.viewer.commands.batch.loading import BatchPair, load_pair
from wheatstone.viewer.commands.batch.outputs import Outputs
from wheatstone.viewer.commands.batch.row import Row
from wheatstone.viewer.files.fingerprint import fingerprint
from wheatstone.viewer.frames.row_meter import reads_both_views, rows_of_frame
from wheatstone.viewer.reading.plain_text import label, visible
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.result import CONFIDENCE, Result
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.frame import Frame
from wheatstone.viewer.sources.source_spec import SourceSpec

DIGITS = 3  # after the point


@dataclass(frozen=True)
class Measures:
    """The measurements in a pair's row that can be switched off."""

    rows: bool = True
    confidence: bool = True


@dataclass(frozen=True)
class Setting:
    """The settings that all pairs have in common.

    Attributes:
        out: the folder that files are written to.
    """

    spec: SourceSpec
    outputs: Outputs
    measures: Measures
    out: Path


@dataclass(frozen=True)
class BatchJob:
    """The job of computing one pair, with all settings; workers receive it pickled."""

    pair: BatchPair
    run: Run
    setting: Setting

    @property
    def name(self) -> str:
        """Return the name of the pair."""
        return self.pair.name

    @property
    def inputs(self) -> tuple[Path, ...]:
        """List the files that determine the result, including calibrations that may not exist."""
        pair, given = self.pair, self.setting.spec.calibrations
        first = tuple(filter(None, pair.first or ()))
        return (*pair.files, *first, *places_beside(pair.left), *map(Path, given))

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Compute the fingerprints of these files, by which a change is detected."""
        return tuple(map(fingerprint, self.inputs))


@dataclass(frozen=True)
class PairResult:
    """The result of a pair.

    Attributes:
        row: its table row.
        why: why it failed; empty if it did not.
        stops: whether every other pair would fail, too: its files cannot be written.
        inputs: fingerprints of the files that it was computed from.
    """

    row: Row
    why: str = ""
    stops: bool = False
    inputs: tuple[str, ...] = ()


def done_pair(job: BatchJob) -> PairResult:
    """Read, compute and write a pair; an error becomes the reason in the result."""
    row = empty_row(job)
    inputs = job.fingerprints  # before they are read: what changes meanwhile is noticed later
    try:
        begin = time.perf_counter()
        frame, notes = load_pair(job.pair, job.setting.spec)
        computed = _computed(job, frame, row, begin)
        row["warnings"] = visible("; ".join(filter(None, (*notes, row["warnings"]))))
    except (OSError, ValueError, Unavailable) as error:
        return PairResult(row, visible(str(error)))
    except MemoryError as error:
        return PairResult(row, f"out of memory: {error}".rstrip(": "))
    return replace(_written(job, computed, row), inputs=inputs)


def _computed(job: BatchJob, frame: Frame, row: Row, begin: float) -> Result:
    """Compute a pair that was read, and enter the measurements into its row."""
    run, measures = job.run, job.setting.measures
    row["height"], row["width"] = frame.shape
    if measures.rows and frame.is_pair and reads_both_views(run.pipeline):
        found = rows_of_frame(frame)
        row["rows_off"], row["warnings"] = rounded(found.median), found.warning
    row["read_ms"] = _since(begin)
    result = shared_engine().compute(run, frame)
    row["compute_ms"] = round(result.milliseconds, DIGITS)
    row["device"] = label(open_device(run.declaration.device).name)
    row["density"] = rounded(result.density)
    if CONFIDENCE in run.keep and measures.confidence:
        row["confidence"] = rounded(result.mean_confidence)
    return result


def _written(job: BatchJob, computed: Result, row: Row) -> PairResult:
    """Write the files of a pair, and complete its row."""
    begin = time.perf_counter()
    try:
        files, warning = job.setting.outputs.write(job.setting.out, job.name, computed)
    except ValueError as error:
        return PairResult(row, visible(str(error)))
    except OSError as error:
        return PairResult(row, visible(str(error)), stops=True)
    row["write_ms"] = _since(begin)
    note_files(row, files)
    row["warnings"] = visible("; ".join(filter(None, (row["warnings"], warning))))
    return PairResult(row)


def kept_images(pipeline: Pipeline, outputs: Outputs, measures: Measures) -> tuple[str, ...]:
    """Name the images that are computed besides the output: those written, and those measured."""
    measured = measures.confidence and has_confidence(pipeline)
    return (*outputs.images(pipeline.output), *((CONFIDENCE,) if measured else ()))


def has_confidence(pipeline: Pipeline) -> bool:
    """Return whether a pipeline computes the confidence of its result."""
    return any(image.name == CONFIDENCE for image in pipeline.images)


def empty_row(job: BatchJob) -> Row:
    """Make the row of a pair about which nothing is known yet."""
    return {
        "pair": job.name,
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


def note_files(row: Row, files: Mapping[str, os.stat_result]) -> None:
    """Record in a pair's row the size and time of its files, by their names in the folder."""
    row["files"] = {name: state.st_size for name, state in files.items()}
    row["changed"] = {name: state.st_mtime_ns for name, state in files.items()}


def rounded(value: float) -> float | None:
    """Round a number for a table; None for an unknown one."""
    return round(value, DIGITS) if math.isfinite(value) else None


def _since(begin: float) -> float:
    return round((time.perf_counter() - begin) * 1e3, DIGITS)
