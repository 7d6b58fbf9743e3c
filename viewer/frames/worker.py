"""Work beside the display: one thread that does jobs in turn, each with progress and an end.

Whatever computes on the CPU computes here, so that no two jobs share the cores and Numba's threads
have one master; whatever uses OpenGL or CUDA stays on the display's thread.
"""

import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Cancelled(Exception):
    """The job was told to end."""


class Task(Generic[T]):
    """A job handed in: waiting, running or done."""

    def __init__(self, name: str, job: "Callable[[Task[T]], T]") -> None:
        self.name = name
        self._job: Callable[[Task[T]], T] | None = job
        self._done, self._cancelled = threading.Event(), False
        self._progress, self._said = 0.0, ""
        self._result: T | None = None
        self._error: BaseException | None = None

    @property
    def progress(self) -> float:
        """How much is done, from 0 to 1."""
        return self._progress

    @property
    def said(self) -> str:
        """What it is at, in a few words."""
        return self._said

    @property
    def done(self) -> bool:
        """Whether it has ended, one way or another."""
        return self._done.is_set()

    @property
    def error(self) -> BaseException | None:
        """What it raised; None while it goes on, or if it succeeded."""
        return self._error

    @property
    def cancelled(self) -> bool:
        """Whether it was told to end before its time."""
        return self._cancelled

    def cancel(self) -> None:
        """Tell the job to end at its next report, or not to begin. Harmless when repeated."""
        self._cancelled = True

    def report(self, progress: float, said: str = "") -> None:
        """Tell how far the job is, for the job; raise ``Cancelled`` if it was told to end."""
        if self.cancelled:
            raise Cancelled(self.name)
        self._progress, self._said = progress, said

    def wait(self, timeout: float | None = None) -> bool:
        """Tell whether the job is done, at once or within so many seconds; None: wait for it."""
        return self._done.wait(timeout)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the job and return what it returned.

        Raises:
            TimeoutError: it is not done after ``timeout`` seconds.
            Cancelled: it was told to end.
            Exception: what the job raised.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"{self.name} is not done")
        if self._error:
            raise self._error
        return self._result  # type: ignore[return-value]  # a job without a result returns None

    def run(self) -> None:
        """Do the job on the calling thread."""
        assert self._job
        try:
            self.report(0.0)
            self._result = self._job(self)
        except BaseException as error:  # told to whoever asks for the result
            traceback.clear_frames(error.__traceback__)  # of the arrays they held
            self._error = error
        finally:
            self._job = None
            self._progress = 1.0
            self._done.set()


class Worker:
    """A thread that does jobs in the order in which they were handed in."""

    def __init__(self) -> None:
        self._tasks: deque[Task[object]] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def submit(self, name: str, job: Callable[[Task[T]], T]) -> Task[T]:
        """Hand a job in.

        Args:
            name: what is done, for the user.
            job: does it; reports to its task now and then, so that it can be told to end.
        """
        task = Task(name, job)
        with self._changed:
            if self._closing:
                raise RuntimeError("the worker is closed")
            self._tasks.append(task)  # type: ignore[arg-type]
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
                self._thread.start()
        return task

    @property
    def running(self) -> Task[object] | None:
        """The job that runs, or runs next; None if there is none."""
        with self._changed:
            return self._tasks[0] if self._tasks else None

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._tasks or self._closing)
                if not self._tasks:
                    return
                task = self._tasks[0]
            task.run()
            del task  # and with it what it computed, unless somebody has it
            with self._changed:
                self._tasks.popleft()

    def close(self, patience: float | None = None) -> None:
        """End: tell every job to, and wait for the one that runs.

        Args:
            patience: seconds to wait; a job that takes longer is left behind, and holds up neither
                the caller nor the end of the process. None: until it has ended.
        """
        with self._changed:
            self._closing = True
            for task in self._tasks:
                task.cancel()
            self._changed.notify()
        if self._thread:
            self._thread.join(patience)
