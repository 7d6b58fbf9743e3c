"""Do jobs by several processes of this machine; one that dies takes only its own job with it."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from wheatstone.viewer.jobs.done import Done, Job, Result

DIED = "the process that computed it died"


def by_processes(
    jobs: Sequence[Job], work: Callable[[Job], Result], processes: int
) -> Iterator[Done[Job, Result]]:
    """Do jobs by several processes; after one dies, each job left gets one of its own.

    Args:
        work: a function of a module, for processes find it by its name; what it raises ends all.
    """
    if not jobs:
        return
    lost = []
    context = multiprocessing.get_context("spawn")  # CUDA and threads do not survive a fork
    with ProcessPoolExecutor(processes, context, _begin, (processes,)) as pool:
        try:
            with _held_interruptions():
                running = {pool.submit(work, job): job for job in jobs}
            for future in as_completed(list(running)):
                job = running.pop(future)  # nothing is kept of what is done
                try:
                    result = future.result()
                except BrokenProcessPool:
                    lost.append(job)
                else:
                    yield Done(job, result)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():  # nobody waits for their jobs
                process.terminate()
            raise
    if len(jobs) == 1 and lost:
        yield Done(lost[0], None, DIED)
        return
    for job in lost:
        yield from by_processes([job], work, 1)


@contextmanager
def _held_interruptions() -> Iterator[None]:
    """Hold Ctrl+C back while processes begin, and in them until they can end without a word."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which they inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(processes: int) -> None:
    """Prepare a new process: take a share of the cores, and end when the parent process ends."""
    take_share(processes)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C ends it without a word
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def share_of_cores(processes: int) -> int:
    """Count the cores that each of several processes may use."""
    return max(1, len(os.sched_getaffinity(0)) // processes)


def take_share(processes: int) -> None:
    """Let what is compiled use this process's share of the cores."""
    os.environ.setdefault("NUMBA_NUM_THREADS", str(share_of_cores(processes)))  # read by Numba


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
