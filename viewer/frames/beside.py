"""What errands do beside the display: one thing is opened at a time, and files are written in turn.

Opening reads files or paints textures, on a thread that can be left behind when nobody wants it any
more; what pipelines compute on the CPU is the worker's alone.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from wheatstone.gpu import Unavailable
from wheatstone.viewer.frames.frame_job import FrameProgress
from wheatstone.viewer.frames.worker import Task, Worker
from wheatstone.viewer.sources.frame import Source

T = TypeVar("T")

MOST_LEFT = 4  # threads left behind that still read
MOST_WRITES = 8  # files that wait for being written

Finish = Callable[[], None]


@dataclass
class _Job:
    """A task beside the display, and who takes its result.

    Attributes:
        take: called with the result on the display's thread.
        drop: called with a result that nobody wants any more.
        began: when it was handed in.
    """

    task: Task[Any]
    take: Callable[[Any], None]
    drop: Callable[[Any], None]
    began: float

    def finish(self) -> None:
        """Hand the result on. Raises whatever the task raised."""
        self.take(self.task.result(0))


class BackgroundTasks:
    """Opens and writes what errands ask for, while the window goes on.

    Attributes:
        unwritten: why files could not be written.
        limit: seconds after which what is being opened is given up, with a message; None: never.
        isolated: calls a function with its arguments in another process, which is how files of
            strangers are read first; None: they are read in this process alone.
    """

    def __init__(self) -> None:
        self.unwritten: list[str] = []
        self.limit: float | None = None
        self.isolated: Callable[..., Any] | None = None
        self._opening: _Job | None = None
        self._left: list[_Job] = []  # given up, and not at their end
        self._writer = Worker()
        self._writes: list[_Job] = []

    def open(
        self,
        name: str,
        job: Callable[[], T],
        take: Callable[[T], None],
        drop: Callable[[T], None] = lambda _: None,
    ) -> None:
        """Begin to open something; what is being opened is given up for it.

        Args:
            name: what is done, for the user.
            job: does it, on another thread.
            take: called with the result, on the thread of whoever calls what ``finished`` lists.
            drop: called with the result instead, if it is not wanted any more.

        Raises:
            OSError: too much that was given up is still being read.
        """
        self.cancel()
        self._drop_left()
        if len(self._left) >= MOST_LEFT:
            raise OSError(f"{MOST_LEFT} sources given up are still being read; try again later")
        task = Task(name, lambda _: job())
        threading.Thread(target=task.run, name="opening", daemon=True).start()
        self._opening = _Job(task, take, drop, time.perf_counter())

    def write(self, name: str, job: Callable[[], T], take: Callable[[T], None]) -> None:
        """Have a file written after those handed in before; arguments as of ``open``.

        Raises:
            OSError: too many files wait already.
        """
        if len(self._writes) >= MOST_WRITES:
            raise OSError(f"{MOST_WRITES} files are still being written; try again when they are")
        self.follow(self._writer.submit(name, lambda _: job()), take)

    def follow(self, task: Task[T], take: Callable[[T], None]) -> None:
        """Have the result of a task that others do handed on, as that of a file written."""
        self._writes.append(_Job(task, take, lambda _: None, time.perf_counter()))

    @property
    def opening(self) -> FrameProgress | None:
        """What is being opened, and how long already; None while nothing is."""
        if not self._opening:
            return None
        seconds = time.perf_counter() - self._opening.began
        return FrameProgress(None, f"{self._opening.task.name} ...", seconds, anew=True)

    @property
    def busy(self) -> bool:
        """Whether something is being opened or written."""
        return bool(self._opening or self._writes)

    def finished(self) -> list[Finish]:
        """List what hands on each result that is there, in the order in which it was asked for.

        Each may raise what its job raised.
        """
        self._drop_left()
        expired = self._expired()
        found = [write for write in self._writes if write.task.done]
        self._writes = [write for write in self._writes if write not in found]
        self.unwritten += [str(write.task.error) for write in found if write.task.error]
        if self._opening and self._opening.task.done:
            found.append(self._opening)
            self._opening = None
        return [*expired, *(one.finish for one in sorted(found, key=lambda each: each.began))]

    def _expired(self) -> list[Finish]:
        """Give up what is being opened if that takes longer than the limit; list what says so."""
        job, limit = self._opening, self.limit
        if not (job and limit) or job.task.done or time.perf_counter() - job.began <= limit:
            return []
        name = self.cancel()

        def say() -> None:
            """Raise the error that names what was given up."""
            raise TimeoutError(f"{name} was given up after {limit:g} s")

        return [say]

    def cancel(self) -> str:
        """Give up what is being opened, whenever it ends; return its name, empty if nothing is."""
        job, self._opening = self._opening, None
        if not job:
            return ""
        self._left.append(job)
        return job.task.name

    def _drop_left(self) -> None:
        """Drop what was opened and nobody waited for."""
        for job in [job for job in self._left if job.task.done]:
            self._left.remove(job)
            with suppress(Exception):  # nobody wants to know why it failed
                job.drop(job.task.result(0))

    def finish(self) -> list[str]:
        """Give up what is being opened; wait until all files are written, and say which are not."""
        self.cancel()
        writes, self._writes, wrong = self._writes, [], []
        for write in writes:
            try:
                write.task.result()
            except (OSError, ValueError, Unavailable, MemoryError) as error:
                wrong.append(str(error))
        self.unwritten += wrong
        return wrong

    def close(self) -> None:
        """Write what waits to be written; give up what is being opened."""
        self.finish()
        self._writer.close()
        self._drop_left()


def retire(source: Source, patience: float | None = 0.0) -> None:
    """Close a source beside the display: it may wait for what it reads or renders.

    Args:
        patience: seconds to wait until it is closed; None: however long that takes.
    """
    closing = threading.Thread(target=source.close, name="closing", daemon=True)
    closing.start()
    closing.join(patience)
