"""The frames of a source that are wanted, fetched beside the display where they are not ready."""

import threading
import time
from collections.abc import Callable, Iterable

from wheatstone.gpu import Unavailable
from wheatstone.viewer.frames.frame_job import FrameProgress
from wheatstone.viewer.frames.worker import Task
from wheatstone.viewer.sources.frame import Frame, Source


class SessionFrames:
    """The frames of one source that are shown or on their way to the screen.

    A frame that is not ready is read or rendered by a thread of its own, however long it takes;
    none of that is a pipeline's computing, which is the worker's alone.

    Attributes:
        source: where the frames come from.
        unreadable: why a frame cannot be had, by index, as far as that was found out.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.unreadable: dict[int, str] = {}
        self._there: dict[int, Frame] = {}
        self._task: Task[Frame] | None = None  # at most one: sources read one frame after another
        self._index, self._began, self._wanted = 0, 0.0, False

    def fetch(self, indices: Iterable[int], patience: float | None) -> bool:
        """Fetch frames, and forget those fetched before; tell whether all are there.

        Args:
            patience: seconds to wait; None: until all are there.

        Raises:
            OSError, ValueError: a frame cannot be read.
            Unavailable: there is too little memory for it.
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
        """Return a frame; wait for one that was not fetched. Raises errors as ``fetch``."""
        index %= self.source.length
        while index not in self._there:
            self._have(index, None)
        return self._there[index]

    def there(self, index: int) -> Frame | None:
        """Look up a frame that was fetched; None before that."""
        return self._there.get(index % self.source.length)

    def _have(self, index: int, patience: float | None) -> bool:
        """Go on with fetching a frame; tell whether it is there now."""
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
        """Begin to fetch a frame that is not ready."""
        self._index, self._began = index, time.perf_counter()
        task = self._task = Task(f"frame {index}", lambda _: self.source.frame(index))
        threading.Thread(target=task.run, name="fetching", daemon=True).start()

    def _result(self, take: Callable[[], Frame]) -> Frame:
        """Take a frame that is there; remember one that cannot be had."""
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
        """Want no frame any more; the one on its way is forgotten when it comes."""
        self._wanted = False

    @property
    def progress(self) -> FrameProgress | None:
        """How long a frame is on its way; None while none is."""
        if not self._task or not self._wanted:
            return None
        said = f"waiting for frame {self._index} of {self.source.name} ..."
        return FrameProgress(None, said, time.perf_counter() - self._began, anew=True)

    @property
    def hopeless(self) -> bool:
        """Whether no frame of the source can be had."""
        return len(self.unreadable) == self.source.length
