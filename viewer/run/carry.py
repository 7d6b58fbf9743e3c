"""Runs over many frames: read, compute, judge and write each, in threads, processes or clusters.

    jobs = [RunJob(ref, run, options) for ref in refs]
    for done in run_jobs(jobs, run_frame, WorkerPool(processes=2)):
        print(done.job.name, done.result.row["density"])

The verb ``batch`` adds output files to every job, ``evaluate`` makes a report of the figures.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.host import reuse_freed_memory
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.device_process import device_processes
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.existing_results import existing_result
from wheatstone.viewer.run.frame_ref import opened_video
from wheatstone.viewer.run.jobs.processes import by_processes, import_ahead
from wheatstone.viewer.run.jobs.workers import (
    NOTHING_SHARED,
    FinishedJob,
    Job,
    SharedFiles,
    WorkerPool,
)
from wheatstone.viewer.run.jobs.workers import Result as Outcome
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.rows import check_truth, enter_frame, enter_result, read_frame
from wheatstone.viewer.run.run_job import FrameResult, RunJob

OF_WORKERS = ("wheatstone.viewer.run.carry", "wheatstone.gpu.png_filters")
"""The modules that worker processes need, which import all others that take long."""

DAMAGED = "the video is damaged here: the decoder fills gaps as it likes, also in the next frames"

PIECES, SHORTEST = 3, 24
"""Pieces of a video for each process, and the fewest frames of one."""


def prepare_processes() -> None:
    """Begin to import the modules that job processes need, in the background."""
    import_ahead(OF_WORKERS)


def run_frame(job: RunJob) -> FrameResult:
    """Read, compute and judge the frame of a job, and write its files; return its row of results.

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
        count = min(pool.processes * max(len(pool.gpus), 1), len(jobs))
        pieces = beginnings(jobs, count)
        yield from by_processes(jobs, work, count, device_processes(pool), pieces)
    elif pool.threads > 1:
        yield from by_threads(jobs, work, pool.threads)
    else:
        yield from (FinishedJob(job, work(job)) for job in jobs)


def beginnings(jobs: Sequence[Any], processes: int) -> set[int]:
    """Return the indices of jobs at which a process may begin: the first jobs of video pieces.

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
    """Return a finished job's frame result, with the worker's name or the reason of failure."""
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
