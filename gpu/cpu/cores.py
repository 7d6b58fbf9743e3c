"""All cores: threads for compiled functions that release Python's lock.

Not ``numba.prange``: its OpenMP threads spin between two loops, so when something else needs a core
too a frame takes ten times as long; and its own threads abort the program when two of ours use
them at once.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from numba import config

ROWS = 16  # a call's share of an image where rows are independent


def core_count() -> int:
    """How many cores to use: those this process may run on, or ``NUMBA_NUM_THREADS``."""
    return int(config.NUMBA_NUM_THREADS)


@cache
def _helpers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(core_count(), "gpu.cpu")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # a fork has none of its threads


def on_all_cores(calls: Sequence[Callable[[], None]]) -> None:
    """Make independent calls, each on the next free core, and return when all are done."""
    remaining = iter(calls)  # shared: whoever is free takes the next

    def work() -> None:
        for call in remaining:
            call()

    started = [_helpers().submit(work) for _ in range(min(core_count(), len(calls)) - 1)]
    work()
    for helper in started:
        if not helper.cancel():
            helper.result()


def shares(height: int) -> Iterator[tuple[int, int]]:
    """First row, and the row after the last, of each share of an image."""
    for top in range(0, height, ROWS):
        yield top, min(top + ROWS, height)
