"""Carry runs over frames: read, compute and judge each frame, in threads, processes or clusters.

    jobs = [RunJob(ref, run, options) for ref in refs]
    for done in run_jobs(jobs, judge_frame, WorkerPool(processes=2)):
        print(done.job.name, done.result.row["density"])

The verb ``batch`` adds output files to every job, ``evaluate`` makes a report of the figures.
"""

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.conventions import CONVENTIONS
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
from wheatstone.viewer.run.device_process import device_processes
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.existing_results import existing_result
from wheatstone.viewer.run.inputs import reads_both_views
from wheatstone.viewer.run.jobs.processes import by_processes
from wheatstone.viewer.run.jobs.workers import (
    NOTHING_SHARED,
    FinishedJob,
    Job,
    SharedFiles,
    WorkerPool,
)
from wheatstone.viewer.run.jobs.workers import Result as Outcome
from wheatstone.viewer.run.result import CONFIDENCE, Result
from wheatstone.viewer.run.run_job import FrameResult, Judging, Row, RunJob

DIGITS, FIGURE_DIGITS = 3, 4  # after the point, of measurements and of figures


def judge_frame(job: RunJob) -> FrameResult:
    """Read, compute and judge a frame; an error becomes the reason in the result."""
    return compute_frame(job)[0]


def compute_frame(job: RunJob) -> tuple[FrameResult, Result | None]:
    """Read, compute and judge a frame; return its row, and its images unless it failed."""
    reuse_freed_memory()
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
    alarms += _measure_pair(job, frame, row)
    row["read_ms"] = milliseconds_since(begin)
    if judging:
        warnings.append(_check_truth(job, judging, frame, row))
    result = _result(job, frame)
    row["compute_ms"] = round(result.milliseconds, DIGITS)
    row["device"] = "" if job.existing else label(shared_engine().device_name(run))
    row["density"] = rounded(result.density)
    if CONFIDENCE in result.stored and job.measures.confidence:
        row["confidence"] = rounded(result.mean_confidence)
    if judging and "judged" in row:
        rules: dict[str, Any] = {"region": judging.region, "own": bool(judging.data_set)}
        if job.existing:
            rules["largest"] = job.existing.largest
        figures = result.judge(judging.convention, **rules)
        row["convention"] = judging.convention
        row["figures"] = {name: rounded(figures[name], FIGURE_DIGITS) for name in judging.measures}
    if run.output.disparity and not any(alarms):
        alarms.append(empty_warning(result.density / 100))
    division = result.division
    warnings.append(f"computed {division.partition(',')[0]}" if division else "")
    row["warnings"] = visible("; ".join(filter(None, (*warnings, *alarms))))
    kinds = {each.name: visible(each) for each in alarms if isinstance(each, Finding)}
    return result, kinds | ({"bands": f"computed {division}"} if division else {})


def _measure_pair(job: RunJob, frame: Frame, row: Row) -> tuple[str, ...]:
    """List the findings about a pair; survey the disparities of a source's first one only."""
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


def _result(job: RunJob, frame: Frame) -> Result:
    """Compute a frame, after those before it if the run remembers them; or read its result."""
    if job.existing:
        return existing_result(job.run, frame, job.existing.path)
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
    if pool.cluster:
        from wheatstone.viewer.run.jobs.cluster import by_dask

        yield from by_dask(jobs, work, pool, shared)
    elif pool.processes > 1 or pool.gpus:
        count = min(pool.processes * max(len(pool.gpus), 1), len(jobs))
        yield from by_processes(jobs, work, count, device_processes(pool))
    elif pool.threads > 1:
        yield from by_threads(jobs, work, pool.threads)
    else:
        yield from (FinishedJob(job, work(job)) for job in jobs)


def by_threads(
    jobs: Sequence[Job], work: Callable[[Job], Outcome], threads: int
) -> Iterator[FinishedJob[Job, Outcome]]:
    """Run jobs in threads of this process; an error that the work raises ends them all.

    One job reads or writes files while another computes; the engine lets one compute at a time.
    New jobs begin only as others end, so that the use of memory does not grow with their number.
    """
    engine = shared_engine()
    try:
        with ThreadPoolExecutor(threads, "jobs") as pool:
            try:
                yield from _by_pool(pool, jobs, work, threads)
            except BaseException:
                engine.stopped = True  # the end of the block waits for what its threads compute
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        engine.stopped = False


def _by_pool(
    pool: ThreadPoolExecutor, jobs: Sequence[Job], work: Callable[[Job], Outcome], threads: int
) -> Iterator[FinishedJob[Job, Outcome]]:
    running: dict[Future[Outcome], Job] = {}
    for job in jobs:
        running[pool.submit(work, job)] = job
        if len(running) > threads:
            yield from _finished(running)
    while running:
        yield from _finished(running)


def _finished(running: dict[Future[Outcome], Job]) -> Iterator[FinishedJob[Job, Outcome]]:
    """Wait until a job ends; remove and yield all jobs that have ended."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield FinishedJob(running.pop(future), future.result())


def with_worker(done: FinishedJob[Any, FrameResult]) -> FrameResult:
    """Return the result of a frame, whose row names the worker; of a worker that died, why."""
    if done.result is None:
        return FrameResult(done.job.empty_row, done.why)
    return replace(done.result, row={**done.result.row, "worker": done.place.worker})


def say_alarms(result: FrameResult, announced: set[str]) -> None:
    """Print the alarms of a frame; of each kind, those of the first frame only.

    Args:
        announced: the kinds that were printed, extended.
    """
    for kind, warning in result.alarms.items():
        if kind not in announced:
            announced.add(kind)
            say(f"{result.row['pair']}: {warning}")


@contextmanager
def report_stop(finished: Callable[[], int], total: int) -> Iterator[None]:
    """Print how many frames are finished if a run ends early."""
    try:
        yield
    except BaseException:
        say(f"{finished()} of {total} pairs are done; the same command goes on from there")
        raise
