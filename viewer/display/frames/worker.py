"""Background work: one thread that runs jobs in turn, with progress and cancellation.

All CPU computation runs here, so that no two jobs share the cores and only one thread uses Numba;
all use of OpenGL or CUDA stays on the display thread.
"""

import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from wheatstone.gpu.interruption import Interruption

T = TypeVar("T")


class Cancelled(Exception):
    """An error raised in a job that was cancelled."""


class Task(Generic[T]):
    """A job submitted to a worker: waiting, running or done.

    Attributes:
        progress: the share done, from 0 to 1.
        step: the current step, in a few words.
        error: the exception of the job; None while it runs, or if it succeeded.
        cancelled: whether the job was cancelled.
    """

    def __init__(self, name: str, job: "Callable[[Task[T]], T]") -> None:
        self.name = name
        self._job: Callable[[Task[T]], T] | None = job
        self._done, self._interruption = threading.Event(), Interruption()
        self.cancelled = False
        self.progress, self.step = 0.0, ""
        self._result: T | None = None
        self.error: BaseException | None = None

    @property
    def done(self) -> bool:
        """Whether the job has ended, successfully or not."""
        return self._done.is_set()

    def cancel(self) -> None:
        """Cancel the job at its next report, or before it starts. Harmless when repeated.

        A network or an external program is interrupted at once.
        """
        self.cancelled = True
        self._interruption.request()

    def report(self, progress: float, step: str = "") -> None:
        """Record the job's progress, called by the job; raise ``Cancelled`` if it was cancelled."""
        if self.cancelled:
            raise Cancelled(self.name)
        self.progress, self.step = progress, step

    def wait(self, timeout: float | None = None) -> bool:
        """Wait at most ``timeout`` seconds (None: no limit); return whether the job is done."""
        return self._done.wait(timeout)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the job and return its result, or raise its exception.

        Raises:
            TimeoutError: it is not done after ``timeout`` seconds.
            Cancelled: the job was cancelled.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"{self.name} is not done")
        if self.error:
            raise self.error
        return self._result  # type: ignore[return-value]  # a job without a result returns None

    def run(self) -> None:
        """Run the job on the calling thread."""
        assert self._job
        try:
            self.report(0.0)
            with self._interruption.current():
                self._result = self._job(self)
        except BaseException as error:  # told to whoever asks for the result
            traceback.clear_frames(error.__traceback__)  # of the arrays they held
            self.error = Cancelled(self.name) if self.cancelled else error
        finally:
            self._job = None
            self.progress = 1.0
            self._done.set()


class Worker:
    """A thread that runs jobs in the order of submission."""

    def __init__(self) -> None:
        self._tasks: deque[Task[object]] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def submit(self, name: str, job: Callable[[Task[T]], T]) -> Task[T]:
        """Submit a job, and return its task.

        The job reports to its task regularly, so that it can be cancelled.
        """
        task = Task(name, job)
        with self._changed:
            if self._closing:
                raise RuntimeError("the worker is closed")
            self._tasks.append(task)  # type: ignore[arg-type]
            # All: after a notification that Ctrl+C interrupted, the next one would wake nobody.
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
                self._thread.start()
        return task

    @property
    def running(self) -> Task[object] | None:
        """The job that runs, or runs next; None without one."""
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
        """Cancel all jobs; wait for the running one at most ``patience`` seconds (None: no limit).

        A job that takes longer is abandoned, and does not delay the end of the process.
        """
        with self._changed:
            self._closing = True
            for task in self._tasks:
                task.cancel()
            self._changed.notify_all()
        if self._thread:
            self._thread.join(patience)
