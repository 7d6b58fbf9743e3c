"""Judge pairs one after the other, or by several processes at once."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from viewer.commands.evaluate.judge import Job, PairOutcome, judged


def outcomes(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, PairOutcome]]:
    """Judge pairs, and yield each with its outcome as soon as it is done."""
    if processes > 1:
        yield from _by_processes(jobs, min(processes, len(jobs)))
        return
    for job in jobs:
        yield job, judged(job)


def _by_processes(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, PairOutcome]]:
    """Judge pairs by several processes; after one dies, each pair left gets one of its own."""
    if not jobs:
        return
    lost = []
    context = multiprocessing.get_context("spawn")  # CUDA and threads do not survive a fork
    with ProcessPoolExecutor(processes, context, _begin, (processes,)) as pool:
        try:
            running = {pool.submit(judged, job): job for job in jobs}
            for future in as_completed(running):
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    lost.append(running[future])
                else:
                    yield running[future], outcome
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():  # nobody waits for their pairs
                process.terminate()
            raise
    if len(jobs) == 1 and lost:
        yield lost[0], PairOutcome(lost[0].entry.name, why="the process that computed it died")
        return
    for job in lost:
        yield from _by_processes([job], 1)


def _begin(processes: int) -> None:
    """Prepare a new process: take a share of the cores, and end when the parent process ends."""
    share = max(1, len(os.sched_getaffinity(0)) // processes)
    os.environ.setdefault("NUMBA_NUM_THREADS", str(share))  # read when Numba is imported
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C ends it without a word
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
