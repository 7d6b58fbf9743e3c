"""Run compiled functions, which release Python's lock, in threads on all CPU cores.

Not ``numba.prange``: its OpenMP threads spin between two loops, so a frame takes ten times as long
when other work needs a core; and its own threads abort the program when two of ours use them at
once.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from numba import config
from numpy.typing import NDArray

from wheatstone.gpu.compiled import helper

FEWEST_ROWS, MOST_ROWS = 16, 72  # of a call's share of an image where rows are independent
QUOTA = Path("/sys/fs/cgroup/cpu.max")


def core_count() -> int:
    """Return the number of cores to use: those allowed, or ``NUMBA_NUM_THREADS`` if fewer."""
    count = int(config.NUMBA_NUM_THREADS)
    return min(count, _quota() or count)


@cache
def _quota() -> int | None:
    """Return the number of cores that a container's CPU quota allows; None without limit."""
    try:
        share, period = QUOTA.read_text().split()
    except OSError:  # no container, or not on Linux
        return None
    return None if share == "max" else max(1, int(share) // int(period))


@cache
def _helpers(count: int) -> SimpleQueue[Callable[[], None]]:
    """Start worker threads that execute the calls in the returned queue.

    Not a ``ThreadPoolExecutor``: after Ctrl+C at the wrong moment its locks stay locked.
    """
    queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
    for _ in range(count):
        Thread(target=_serve, args=(queue,), name="gpu.cpu", daemon=True).start()
    return queue


def _serve(queue: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        queue.get()()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # a fork has none of its threads


def on_all_cores(calls: Sequence[Callable[[], None]]) -> None:
    """Run independent calls on all cores; return when all calls are done.

    Threads start and end one after the other, which takes milliseconds if there are many. A call
    must not wait until others have started, since the threads may be busy with other work.
    """
    count = min(core_count(), len(calls)) - 1
    # Shared: whoever is free takes the next.
    remaining, places = iter(calls), iter(range(count))
    ends: SimpleQueue[BaseException | None] = SimpleQueue()

    def work() -> None:
        for call in remaining:
            call()

    def help_out() -> None:
        if next(places, None) is None:
            return
        try:
            work()
        except BaseException as error:
            ends.put(error)
        else:
            ends.put(None)

    try:
        for _ in range(count):
            _helpers(core_count()).put(help_out)
        work()
    finally:  # nobody may still write into the images, even after an error or Ctrl+C
        too_late = len(list(places))
        errors = [ends.get() for _ in range(count - too_late)]
    for error in filter(None, errors):
        raise error


def with_room(
    make: Callable[[], tuple[NDArray[Any], ...]], work: Callable[..., None], *arguments: Any
) -> Callable[[], None]:
    """Return a function that calls ``work`` with new scratch arrays as its last arguments.

    So compiled code need not allocate, which takes long to compile, and there are never more arrays
    than busy cores.
    """
    return lambda: work(*arguments, *make())


def on_rows(
    height: int,
    work: Callable[..., None],
    *arguments: Any,
    room: Callable[[], tuple[NDArray[Any], ...]] | None = None,
) -> None:
    """Call ``work`` on all cores, each time for a share of the rows, with its first row and end.

    Args:
        room: allocates scratch arrays of a share, which are the last arguments.
    """
    if room:
        on_all_cores([with_room(room, work, *arguments, *rows) for rows in shares(height)])
    else:
        on_all_cores([partial(work, *arguments, *rows) for rows in shares(height)])


def share_rows(height: int) -> int:
    """Return the number of image rows in a share, which one call on a core computes.

    Each call holds Python's lock for some microseconds, in which no other one begins: so there are
    no more shares than cores, except for images whose shares would be larger than caches.
    """
    count = core_count()
    rounds = -(-height // (count * MOST_ROWS))
    return max(-(-height // (count * rounds)), FEWEST_ROWS)


def shares(height: int) -> Iterator[tuple[int, int]]:
    """Divide an image's rows among the cores; yield the first row and the end of each group."""
    rows = share_rows(height)
    for top in range(0, height, rows):
        yield top, min(top + rows, height)


# Compiled code fills and copies rows by these functions. Assigning to a slice there would also
# compile, but with checks of shapes and code for their error texts, which takes several seconds.
@helper
def fill(row: NDArray[Any], value: Any) -> None:
    """Write a value into every element of a row."""
    for x in range(row.size):
        row[x] = value


@helper
def copy(row: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a row to the beginning of another row."""
    for x in range(row.size):
        target[x] = row[x]


@helper
def widen(row: NDArray[Any], wide: NDArray[Any], radius: int) -> None:
    """Copy a row with its end pixels repeated ``radius`` times on both sides."""
    fill(wide[:radius], row[0])
    copy(row, wide[radius:])
    fill(wide[radius + row.size : 2 * radius + row.size], row[row.size - 1])
