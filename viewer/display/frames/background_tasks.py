"""Background tasks: open one source at a time and write files one after another.

Opening reads files or renders textures, on a thread that is abandoned when the result is no longer
needed; computing pipelines on the CPU is left to the worker.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.worker import Task, Worker
from wheatstone.viewer.io.sources.frame import Source

T = TypeVar("T")

MOST_LEFT = 4  # threads left behind that still read
MOST_WRITES = 8  # files that wait for being written

Finish = Callable[[], None]


@dataclass
class _Job:
    """A background task, and the functions that receive its result.

    ``take`` receives the result, or ``drop`` if it is no longer needed.
    """

    task: Task[Any]
    take: Callable[[Any], None]
    drop: Callable[[Any], None]
    began: float
    writes: bool = False

    def finish(self) -> None:
        """Pass the task's result to its receiver; raise the exception of a failed task."""
        self.take(self.task.result(0))


class BackgroundTasks:
    """Tasks that open sources and write files in the background.

    Attributes:
        unwritten: the reasons why files could not be written.
        limit: seconds after which opening is cancelled with a message; None: never.
        isolated: calls a function in another process, to read untrusted files there first; or None.
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
        """Start opening a source in the background; cancel any opening in progress.

        Args:
            name: the task in a few words, such as "opening left.png", shown while it runs.
            job: the work, run on another thread.
            take: called with the result, on the thread that calls the entries of ``finished``.
            drop: called with the result instead if it is no longer needed.

        Raises:
            OSError: too many cancelled sources are still being read.
        """
        self.begin(Task(name, lambda _: job()), take, drop)

    def begin(
        self, task: Task[T], take: Callable[[T], None], drop: Callable[[T], None] = lambda _: None
    ) -> None:
        """Start a task in the background like ``open``; the task may report its progress."""
        self.cancel()
        self._drop_left()
        if len(self._left) >= MOST_LEFT:
            raise OSError(f"{MOST_LEFT} cancelled sources are still being read; try again later")
        threading.Thread(target=task.run, name="opening", daemon=True).start()
        self._opening = _Job(task, take, drop, time.perf_counter())

    def write(self, name: str, job: Callable[[], T], take: Callable[[T], None]) -> None:
        """Queue a function that writes a file; arguments as for ``open``.

        Raises:
            OSError: too many files are queued already.
        """
        if len(self._writes) >= MOST_WRITES:
            raise OSError(f"{MOST_WRITES} files are still being written; try again later")
        self.follow(self._writer.submit(name, lambda _: job()), take, writes=True)

    def follow(self, task: Task[T], take: Callable[[T], None], *, writes: bool = False) -> None:
        """Pass on the result of a task that another thread runs, once it is finished."""
        self._writes.append(_Job(task, take, lambda _: None, time.perf_counter(), writes))

    @property
    def opening(self) -> FrameProgress | None:
        """Return the progress of opening a source; None if nothing is being opened."""
        if not self._opening:
            return None
        task, seconds = self._opening.task, time.perf_counter() - self._opening.began
        share = task.progress if task.step else None
        return FrameProgress(share, f"{task.step or task.name} ...", seconds, is_new=True)

    @property
    def writing(self) -> FrameProgress | None:
        """Return the progress of writing a file; None if no file is being written."""
        job = next((job for job in self._writes if job.writes and not job.task.done), None)
        if not job:
            return None
        seconds = time.perf_counter() - job.began
        return FrameProgress(None, f"{job.task.name} ...", seconds, is_new=True, ends_by_esc=False)

    @property
    def busy(self) -> bool:
        """Whether a source is being opened or a file is being written."""
        return bool(self._opening or self._writes)

    def finished(self) -> list[Finish]:
        """Return functions that pass on finished results or raise errors, in order of request."""
        self._drop_left()
        expired = self._expired()
        ended = [write for write in self._writes if write.task.done]
        self._writes = [write for write in self._writes if write not in ended]
        self.unwritten += [str(write.task.error) for write in ended if write.task.error]
        if self._opening and self._opening.task.done:
            ended.append(self._opening)
            self._opening = None
        return [*expired, *(one.finish for one in sorted(ended, key=lambda each: each.began))]

    def _expired(self) -> list[Finish]:
        """Cancel an opening beyond the time limit; return a function that raises the error."""
        job, limit = self._opening, self.limit
        if not (job and limit) or job.task.done or time.perf_counter() - job.began <= limit:
            return []
        name = self.cancel()

        def say() -> None:
            raise TimeoutError(f"{name} was cancelled after {limit:g} s")

        return [say]

    def cancel(self) -> str:
        """Cancel the opening of a source; return the task's name, empty if there was none."""
        job, self._opening = self._opening, None
        if not job:
            return ""
        job.task.cancel()
        self._left.append(job)
        return job.task.name

    def _drop_left(self) -> None:
        for job in [job for job in self._left if job.task.done]:
            self._left.remove(job)
            with suppress(Exception):  # nobody wants to know why it failed
                job.drop(job.task.result(0))

    def finish(self) -> list[str]:
        """Cancel the opening of a source, wait for all files, and return error messages."""
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
        """Cancel the opening of a source, and write all queued files."""
        self.finish()
        self._writer.close()
        self._drop_left()


def retire(source: Source, patience: float | None = 0.0) -> None:
    """Close a source in the background; wait at most ``patience`` seconds (None: no limit)."""
    closing = threading.Thread(target=source.close, name="closing", daemon=True)
    closing.start()
    closing.join(patience)
