"""Compute, in the background, the facts (numbers on this machine) that a lesson's step names."""

from collections.abc import Mapping, Sequence

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.lessons.facts import find_out, on_gpu
from wheatstone.viewer.panels.lessons.facts.subject import FactSubject
from wheatstone.viewer.panels.lessons.wording import FactCall, facts_in
from wheatstone.viewer.run.run import Run

Key = tuple[Run, Frame, tuple[int, int] | None]


class FactFinder:
    """A finder of the facts (numbers) that lesson texts name, which works in the background.

    Facts from the GPU are computed at once, on the thread that requests them.

    Attributes:
        about: the subject of the facts; None before there is a frame.
        complaint: why some facts are missing; empty while all are known or being computed.
    """

    def __init__(self) -> None:
        self.about: FactSubject | None = None
        self.complaint = ""
        self._worker = Worker()
        self._task: Task[None] | None = None
        self._of: Key | None = None
        self._texts: dict[FactCall, str] = {}
        self._asked: list[FactCall] = []

    @property
    def busy(self) -> bool:
        """Return whether facts for the lesson are still being computed."""
        return self._task is not None and not self._task.done

    @property
    def texts(self) -> Mapping[FactCall, str]:
        """Return, as texts, the facts for the lesson that are known so far."""
        return dict(self._texts)

    def ask(self, texts: Sequence[str], state: ViewerState, frame: Frame) -> None:
        """Request the facts (numbers) that lesson texts name; call this once every frame."""
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
        about, texts = self.about, self._texts
        assert about
        there = [call for call in wanted if on_gpu(call, about)]
        here = [call for call in wanted if call not in there]

        def job(task: Task[None]) -> None:
            for number, (call, text) in enumerate(find_out(here, about)):
                task.report(number / len(here))
                texts[call] = text

        texts.update(find_out(there, about))
        self._task = self._worker.submit("facts of the lesson", job)

    def _note_end(self) -> None:
        """Store the error message if the computation of facts has failed."""
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
        """Discard the facts about the previous run, frame or pin; cancel their computation."""
        if self._task:
            self._task.cancel()
        self._task, self._texts, self._asked, self.complaint = None, {}, [], ""

    def close(self) -> None:
        """End the thread that computes facts, without waiting for its work."""
        self._worker.close(0.0)
