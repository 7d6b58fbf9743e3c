"""The frames of a source for a session, fetched in the background if they are not ready."""

import threading
import time
from collections.abc import Callable, Iterable

from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.io.sources.frame import Frame, Source


class SessionFrames:
    """The frames of one source that are shown or being fetched, in the background if necessary.

    Attributes:
        unreadable: why a frame cannot be read, by index, for the frames tried so far.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.unreadable: dict[int, str] = {}
        self._there: dict[int, Frame] = {}
        self._task: Task[Frame] | None = None  # at most one: sources read one frame after another
        self._index, self._began, self._wanted = 0, 0.0, False

    def fetch(self, indices: Iterable[int], patience: float | None) -> bool:
        """Fetch the wanted frames, and drop all others; return whether all are available.

        Args:
            patience: seconds to wait; None: until all are available.

        Raises:
            OSError, ValueError: a frame cannot be read.
            Unavailable: there is too little memory for a frame.
        """
        wanted = {index % self.source.length for index in indices}
        for index in sorted(wanted - self._there.keys()):
            while not self._have(index, patience):
                if patience is not None:
                    return False
        self._wanted = False
        self._there = {index: self._there[index] for index in wanted}
        return True

    def frame(self, index: int) -> Frame:
        """Return a frame, after waiting if it is not fetched; raise errors like ``fetch``."""
        index %= self.source.length
        while index not in self._there:
            self._have(index, None)
        return self._there[index]

    def there(self, index: int) -> Frame | None:
        """Return a frame if it was fetched, else None."""
        return self._there.get(index % self.source.length)

    def _have(self, index: int, patience: float | None) -> bool:
        """Start or continue fetching a frame; return whether it is available now."""
        if index in self.unreadable:
            raise ValueError(self.unreadable[index])
        if self._task and self._task.done and self._index != index:
            self._task = None  # nobody wants that frame any more
        if not self._task and self.source.ready(index):
            self._index = index
            self._there[index] = self._result(lambda: self.source.frame(index))
            return True
        if not self._task:
            self._begin(index)
        assert self._task
        self._wanted = True
        if not self._task.wait(patience) or self._index != index:
            return False
        task, self._task, self._wanted = self._task, None, False
        self._there[index] = self._result(task.result)
        return True

    def _begin(self, index: int) -> None:
        self._index, self._began = index, time.perf_counter()
        task = self._task = Task(f"frame {index}", lambda _: self.source.frame(index))
        threading.Thread(target=task.run, name="fetching", daemon=True).start()

    def _result(self, take: Callable[[], Frame]) -> Frame:
        """Return the frame that a function reads; record the error if that fails."""
        try:
            return take()
        except MemoryError as error:
            what = f"frame {self._index} of {self.source.name}"
            self.unreadable[self._index] = f"{what}: too little memory; use smaller images"
            raise Unavailable(self.unreadable[self._index]) from error
        except (OSError, ValueError) as error:
            self.unreadable[self._index] = str(error)
            raise

    def cancel(self) -> None:
        """Stop waiting for frames; one that is being read is dropped when it arrives."""
        self._wanted = False

    @property
    def progress(self) -> FrameProgress | None:
        """Return the progress of the frame being fetched; None without one."""
        if not self._task or not self._wanted:
            return None
        step = f"waiting for frame {self._index} of {self.source.name} ..."
        return FrameProgress(None, step, time.perf_counter() - self._began, is_new=True)

    @property
    def hopeless(self) -> bool:
        """Whether all frames of the source are unreadable."""
        return len(self.unreadable) == self.source.length
