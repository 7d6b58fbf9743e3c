"""Run jobs on many frames (read, compute, evaluate, write) in threads, processes or clusters.

    jobs = [RunJob(ref, run, options) for ref in refs]
    for done in run_jobs(jobs, run_frame, WorkerPool(processes=2)):
        print(done.job.name, done.result.row["density"])

The verb ``batch`` adds output files to every job, ``evaluate`` makes a report of the figures.
"""

import math
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.gpu.compilations import loadings
from wheatstone.gpu.host import reuse_freed_memory
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.rows import measure_rows
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import label, visible
from wheatstone.viewer.io.sources.disparity_survey import (
    empty_warning,
    pair_warnings,
    survey_disparities,
)
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.device_process import device_processes
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.existing_results import existing_result
from wheatstone.viewer.run.frame_ref import opened_video
from wheatstone.viewer.run.inputs import reads_both_views
from wheatstone.viewer.run.jobs.processes import by_processes, import_ahead
from wheatstone.viewer.run.jobs.workers import (
    NOTHING_SHARED,
    FinishedJob,
    Job,
    SharedFiles,
    WorkerPool,
)
from wheatstone.viewer.run.jobs.workers import Result as Outcome
from wheatstone.viewer.run.result import CONFIDENCE, Result
from wheatstone.viewer.run.run_job import FrameResult, Row, RunJob

OF_WORKERS = ("wheatstone.viewer.run.carry", "wheatstone.gpu.png_filters")
"""The modules that worker processes need, which import all others that take long."""

DAMAGED = "the video is damaged here or since the last key frame: the decoder fills the gaps"

DIGITS, FIGURE_DIGITS = 3, 4  # after the point, of measurements and of figures

PIECES, SHORTEST = 3, 24
"""Pieces of a video for each process, and the fewest frames of one."""


def prepare_processes() -> None:
    """Begin to import the modules that job processes need, in the background."""
    import_ahead(OF_WORKERS)


def run_frame(job: RunJob) -> FrameResult:
    """Read and compute the frame of a job, evaluate and write the result; return its table row.

    An error becomes the reason in the result.
    """
    reuse_freed_memory()
    row, inputs = job.empty_row, job.fingerprints  # before reading: later changes are noticed
    result = None
    try:
        frame, notes = read_frame(row, job)
        findings = enter_frame(row, job, frame)
        notes += (check_truth(row, job, frame),)
        result = _computed(job, frame)
        damaged = {"damaged": DAMAGED} if frame.damaged() else {}
        alarms = enter_result(row, job, result, (*notes, *damaged.values()), findings) | damaged
        alarms |= job.write(result, row)
    except MemoryError as error:
        return FrameResult(row, f"out of memory: {error}".rstrip(": "))
    except (OSError, ValueError, Unavailable) as error:
        unwritable = result is not None and isinstance(error, OSError)
        return FrameResult(row, visible(str(error)), stops=unwritable)
    return FrameResult(row, inputs=inputs, alarms=alarms)


def _computed(job: RunJob, frame: Frame) -> Result:
    """Return the result of a job's frame: computed, or read from an existing result file."""
    if job.existing:
        return existing_result(job.run, frame, job.existing.path)
    if not job.sequence:
        return shared_engine().compute(job.run, frame)
    moment = (job.sequence[0], job.options), job.number
    return shared_engine().compute_in_order(
        job.run, frame, moment, lambda number: job.sequence[number].read(job.options)[0]
    )


def read_frame(row: Row, job: RunJob) -> tuple[Frame, tuple[str, ...]]:
    """Read a job's frame, and write the reading time to its table row; return it with notes.

    A first frame, for which decoders are compiled or loaded, is read twice: the time is that of the
    second.

    Raises:
        OSError, ValueError, Unavailable: as ``FrameRef.read``.
    """
    loaded, begin = loadings(), time.perf_counter()
    frame, notes = job.ref.read(job.options, truth=job.truth)
    if loadings() > loaded:
        begin = time.perf_counter()
        frame, _ = job.ref.read(job.options, truth=job.truth)  # notes are given once
    row["read_ms"] = milliseconds_since(begin)
    return frame, notes


def enter_frame(row: Row, job: RunJob, frame: Frame) -> tuple[str, ...]:
    """Write a frame's size and calibration to its table row; return warnings about the pair.

    The disparities are surveyed of a source's first frame only.
    """
    row["height"], row["width"] = frame.shape
    if frame.calibration_files:
        row["calibration"] = visible(", ".join(map(os.path.abspath, frame.calibration_files)))
    searched, rows, survey = job.run.searched, None, None
    every = job.measures.rows
    chosen = every and (job.first or job.number % every == 0)
    if chosen and frame.is_pair and reads_both_views(job.run.pipeline):
        grey = grey_views(frame)
        rows = measure_rows(grey["left"], grey["right"], calibrated=frame.is_rectified_by_rig)
        row["rows_off"] = rounded(rows.median)
        if job.first and searched:
            survey = survey_disparities(grey["left"], grey["right"])
    return pair_warnings(rows, survey, searched, frame.exchange, frame.truth)


def check_truth(row: Row, job: RunJob, frame: Frame) -> str:
    """Write the percentage of judged pixels to a row; return why a frame is not judged, or empty.

    Raises:
        ValueError: the frame cannot be judged, though it is required.
    """
    if not job.judging:
        return ""
    place = job.ref.truth.truth if job.ref.truth else job.name
    if frame.truth is None or frame.occluded is None:
        why = f"{place}: not the truth of these views, which are rectified by their features"
    else:
        convention = CONVENTIONS[job.judging.convention]
        mask = convention.judged(frame.truth, ~frame.occluded, job.judging.region)
        if mask.any():
            row["judged"] = round(100 * float(np.mean(mask)), FIGURE_DIGITS)
            return ""
        why = f"{place}: no pixel is judged; scale and unknown may be wrong"
    if job.judging.required:
        raise ValueError(why)
    return f"not judged: {why}" if frame.truth is not None else ""


def enter_result(
    row: Row, job: RunJob, result: Result, notes: tuple[str, ...], findings: tuple[str, ...]
) -> dict[str, str]:
    """Write a result's figures and warnings to a table row; return serious ones (alarms) by kind.

    Args:
        notes, findings: those about the frame, which was read before.
    """
    row["compute_ms"] = round(result.milliseconds, DIGITS)
    row["device"] = "" if job.existing else label(shared_engine().device_name(job.run))
    row["density"] = rounded(density := result.density)
    if CONFIDENCE in result.stored and job.measures.confidence:
        row["confidence"] = rounded(result.mean_confidence)
    if (judging := job.judging) and "judged" in row:
        rules: dict[str, Any] = {"region": judging.region, "own": bool(judging.data_set)}
        if job.existing:
            rules["largest"] = job.existing.largest
        figures = result.judge(judging.convention, **rules)
        row["convention"] = judging.convention
        row["figures"] = {name: rounded(figures[name], FIGURE_DIGITS) for name in judging.measures}
    if job.run.output.disparity and not findings:
        findings = (empty_warning(density / 100, job.run.declaration),)
    division = f"computed {result.division}" if result.division else ""
    row["warnings"] = joined(*notes, division.partition(",")[0], *findings)
    alarms = {each.name: visible(each) for each in findings if isinstance(each, Finding)}
    return alarms | ({"bands": division} if division else {})


def joined(*warnings: str) -> str:
    """Join the non-empty warnings for a table."""
    return visible("; ".join(filter(None, warnings)))


def rounded(value: float, digits: int = DIGITS) -> float | None:
    """Round a number for a table; None for an unknown one."""
    return round(value, digits) if math.isfinite(value) else None


def milliseconds_since(begin: float) -> float:
    """Return the milliseconds since a time of ``time.perf_counter``, rounded for a table."""
    return round((time.perf_counter() - begin) * 1e3, DIGITS)


def run_jobs(
    jobs: Sequence[Job],
    work: Callable[[Job], Outcome],
    pool: WorkerPool,
    shared: SharedFiles = NOTHING_SHARED,
) -> Generator[FinishedJob[Job, Outcome], None]:
    """Run jobs, and yield each outcome as soon as its job is done, in any order.

    Args:
        work: a function of a module, because other processes import it by its name.

    Raises:
        Unavailable: the cluster is not available, or its workers cannot run the jobs.
    """
    if not jobs:
        return
    if pool.cluster:
        from wheatstone.viewer.run.jobs.cluster import by_dask

        yield from by_dask(jobs, work, pool, shared)
    elif pool.processes > 1 or pool.gpus:
        prepare_processes()
        count = min(pool.parallel_jobs, len(jobs))
        pieces = beginnings(jobs, count)
        yield from by_processes(jobs, work, count, device_processes(pool), pieces)
    elif pool.threads > 1:
        yield from by_threads(jobs, work, pool.threads)
    else:
        yield from (FinishedJob(job, work(job)) for job in jobs)


def beginnings(jobs: Sequence[Any], processes: int) -> set[int]:
    """Return the indices of the jobs with which a process may begin, such as the first of a video.

    Jobs that are not on videos are all included.

    A process decodes a piece from the key frame before it on: without pieces, every process would
    decode nearly the whole video. A piece begins at a key frame, if there is one nearby.
    """
    begin = set[int]()
    for video, group in groupby(enumerate(jobs), lambda each: _video_of(each[1])):
        places = [place for place, _ in group]
        if video is None:
            begin.update(places)
            continue
        size = max(SHORTEST, -(-len(places) // (PIECES * processes)))
        keys = set[int]()
        with suppress(OSError, ValueError):  # reported where the frames are read
            keys.update(opened_video(*video).key_frames)
        at_keys = [place for place in places if jobs[place].ref.index in keys]
        for cut in places[::size]:
            nearest = min(at_keys, key=lambda place: abs(place - cut), default=cut)
            begin.add(nearest if abs(nearest - cut) < size else cut)
        begin.add(places[0])
    return begin


def _video_of(job: Any) -> tuple[Path, Path | None, SourceSpec] | None:
    """Return the files and options of the video that a job reads; None if it reads no video."""
    ref: Any = getattr(job, "ref", None)
    return None if getattr(ref, "index", None) is None else (ref.left, ref.right, job.options)


def by_threads(
    jobs: Sequence[Job], work: Callable[[Job], Outcome], threads: int
) -> Iterator[FinishedJob[Job, Outcome]]:
    """Run jobs in threads of this process; an error in one job ends them all.

    One job reads or writes files while another computes; the engine lets one compute at a time.
    New jobs begin only as others end, so that the use of memory does not grow with their number.
    """
    engine, running = shared_engine(), dict[Future[Outcome], Job]()
    try:
        with ThreadPoolExecutor(threads, "jobs") as pool:
            try:
                for job in jobs:
                    running[pool.submit(work, job)] = job
                    if len(running) > threads:
                        yield from _finished(running)
                while running:
                    yield from _finished(running)
            except BaseException:
                engine.stopped = True  # the end of the block waits for what its threads compute
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        engine.stopped = False


def _finished(running: dict[Future[Outcome], Job]) -> Iterator[FinishedJob[Job, Outcome]]:
    """Wait until a job ends; remove and yield all jobs that have ended."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield FinishedJob(running.pop(future), future.result())


def with_worker(done: FinishedJob[Any, FrameResult]) -> FrameResult:
    """Return a job's frame result, with the worker's name or the reason why the job failed."""
    if done.result is None:
        return FrameResult(done.job.empty_row, done.why)
    return replace(done.result, row={**done.result.row, "worker": done.place.worker})


def say_alarms(result: FrameResult, announced: set[str]) -> None:
    """Print a frame's alarms (warnings of wrong results), each kind once per run.

    Args:
        announced: the kinds that were printed, extended.
    """
    for kind, warning in result.alarms.items():
        if kind not in announced:
            announced.add(kind)
            say(f"{result.row['pair']}: {warning}")


@contextmanager
def report_stop(finished: Callable[[], int], total: int) -> Iterator[None]:
    """Print how many frames are finished if the ``with`` block ends with an exception."""
    try:
        yield
    except BaseException:
        say(f"{finished()} of {total} pairs are done; the same command continues from there")
        raise
