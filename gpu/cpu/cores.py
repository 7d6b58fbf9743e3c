"""All cores: threads for compiled functions that release Python's lock.

Not ``numba.prange``: its OpenMP threads spin between two loops, so when something else needs a core
too a frame takes ten times as long; and its own threads abort the program when two of ours use
them at once.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path

from numba import config

ROWS = 16  # a call's share of an image where rows are independent
QUOTA = Path("/sys/fs/cgroup/cpu.max")


def core_count() -> int:
    """How many cores to use: those this process may have, or ``NUMBA_NUM_THREADS`` if fewer."""
    count = int(config.NUMBA_NUM_THREADS)
    return min(count, _quota() or count)


@cache
def _quota() -> int | None:
    """The cores that a container's share of processor time amounts to; None: no limit."""
    try:
        share, period = QUOTA.read_text().split()
    except OSError:  # no container, or not on Linux
        return None
    return None if share == "max" else max(1, int(share) // int(period))


@cache
def _helpers(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "gpu.cpu")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # a fork has none of its threads


def on_all_cores(calls: Sequence[Callable[[], None]]) -> None:
    """Make independent calls, each on the next free core, and return when all are done.

    Threads take turns to start and to end: milliseconds, where there are many. A call must not
    depend on others having started, for the threads may be busy with those of somebody else.
    """
    remaining = iter(calls)  # shared: whoever is free takes the next

    def work() -> None:
        for call in remaining:
            call()

    started: list[Future[None]] = []
    try:
        for _ in range(min(core_count(), len(calls)) - 1):
            started.append(_helpers(core_count()).submit(work))
        work()
    finally:  # nobody may still write into the images, even after an error or Ctrl+C
        errors = [helper.exception() for helper in started if not helper.cancel()]
    for error in filter(None, errors):
        raise error


def shares(height: int) -> Iterator[tuple[int, int]]:
    """First row, and the row after the last, of each share of an image."""
    for top in range(0, height, ROWS):
        yield top, min(top + ROWS, height)
