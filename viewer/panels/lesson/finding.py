"""Facts of a lesson's step, found out beside the display, and anew when something else is shown."""

from collections.abc import Mapping, Sequence

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.lessons.facts import find_out, on_gpu
from wheatstone.viewer.lessons.facts.subject import FactSubject
from wheatstone.viewer.lessons.wording import FactCall, facts_in
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.frame import Frame

Key = tuple[Run, Frame, tuple[int, int] | None]


class FactFinder:
    """Finds facts out on a thread of its own; those of the GPU on the thread that computes there.

    Attributes:
        about: what the facts are about; None before there is a frame.
        complaint: why some are not known; empty while all are or will be.
    """

    def __init__(self) -> None:
        self.about: FactSubject | None = None
        self.complaint = ""
        self._worker = Worker()
        self._task: Task[None] | None = None
        self._of: Key | None = None
        self._found: dict[FactCall, str] = {}
        self._asked: list[FactCall] = []

    @property
    def busy(self) -> bool:
        """Tell whether more will be known."""
        return self._task is not None and not self._task.done

    @property
    def found(self) -> Mapping[FactCall, str]:
        """List what is known so far."""
        return dict(self._found)

    def ask(self, texts: Sequence[str], state: ViewerState, frame: Frame) -> None:
        """Ask for the facts that texts name, about what is shown; once every frame."""
        key = (state.slot, frame, state.look.pin)
        if key != self._of:
            self._drop()
            self._of, self.about = key, FactSubject(*key, state.absent)
        wanted = [call for call in facts_in(*texts) if call not in self._asked]
        if wanted:
            self._asked += wanted
            self._begin(wanted)
        self._note_end()

    def _begin(self, wanted: list[FactCall]) -> None:
        """Begin to find facts out."""
        about, found = self.about, self._found
        assert about
        there = [call for call in wanted if on_gpu(call, about)]
        here = [call for call in wanted if call not in there]

        def job(task: Task[None]) -> None:
            for number, (call, told) in enumerate(find_out(here, about)):
                task.report(number / len(here))
                found[call] = told

        found.update(find_out(there, about))
        self._task = self._worker.submit("facts of the lesson", job)

    def _note_end(self) -> None:
        """Note why a search ended before its time, if it did."""
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        try:
            task.result()
        except Cancelled:
            pass
        except (Unavailable, ValueError, OSError, MemoryError) as error:
            self.complaint = str(error)

    def _drop(self) -> None:
        """Forget what was about something else."""
        if self._task:
            self._task.cancel()
        self._task, self._found, self._asked, self.complaint = None, {}, [], ""

    def close(self) -> None:
        """End the thread, without waiting for what it finds out."""
        self._worker.close(0.0)
