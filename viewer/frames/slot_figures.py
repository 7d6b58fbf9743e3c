"""The figures of what a slot shows, found out beside the display whenever that changes."""

import time
from dataclasses import dataclass
from typing import Protocol

from wheatstone.viewer.choices.judging import TruthChoice, is_disparity
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.figures import FigureQuestion, Figures, figure_words, figures
from wheatstone.viewer.frames.latest import Latest
from wheatstone.viewer.frames.runner import Runner
from wheatstone.viewer.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.frame import Frame


class Judged(Protocol):
    """What is judged: a session, as far as its figures know one."""

    state: ViewerState
    a: Runner
    b: Runner
    latest: Latest
    worker: Worker


@dataclass(frozen=True)
class FigureSubject:
    """What figures belong to: a slot's result of a frame, judged in one way."""

    slot: Run
    frame: Frame | None
    choice: TruthChoice


class SlotFigures:
    """The figures of one slot, of the newest frame that there was time for.

    Attributes:
        figures: the newest; None before there are any.
        subject: what the figures belong to.
    """

    def __init__(self) -> None:
        self.figures: Figures | None = None
        self.subject: FigureSubject | None = None
        self._runner: Runner | None = None
        self._task: Task[Figures] | None = None
        self._asked: FigureSubject | None = None

    def update(self, session: Judged, runner: Runner) -> None:
        """Take over what was found out, and ask anew if the slot shows something else."""
        if runner is not self._runner:  # another source
            self.close()
            self._runner = runner
        self._take()
        if self._task or not runner.shown:
            return
        pipeline = runner.shown.slot.pipeline
        image = pipeline.image(pipeline.output)
        if not is_disparity(image):
            self.figures = self.subject = None
            return
        copy = session.latest.image(runner, pipeline.output)
        if not copy or copy.shown.slot.pipeline is not pipeline:
            return
        slot = copy.shown.slot
        subject = FigureSubject(slot, copy.frame, session.state.truth.judging)
        if subject != self.subject:
            question = FigureQuestion(copy.values, image, slot.params, copy.frame, subject.choice)
            self._asked = subject
            self._task = session.worker.submit("figures", lambda task: figures(question))

    def words(self, session: Judged, runner: Runner) -> str:
        """Say how good what a slot shows is; empty until that is known."""
        shown, found = runner.shown, self.figures
        if not shown or not found:
            return ""
        subject = FigureSubject(shown.slot, runner.frame, session.state.truth.judging)
        return figure_words(found, subject.choice.convention) if subject == self.subject else ""

    def _take(self) -> None:
        """Take over the figures if they are there."""
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        try:
            self.figures, self.subject = task.result(), self._asked
        except Cancelled:
            self._asked = None

    @property
    def busy(self) -> bool:
        """Tell whether newer figures are being found out."""
        return self._task is not None

    def close(self) -> None:
        """Forget the figures, and end finding out newer ones."""
        if self._task:
            self._task.cancel()
        self._task = self._asked = self.figures = self.subject = None


class JudgedSlots:
    """The figures of A and of B, for whoever tells them: a panel, or the picture of their errors.

    Attributes:
        slots: the figures of A, and of B.
    """

    def __init__(self, session: Judged) -> None:
        self._session = session
        self.slots = SlotFigures(), SlotFigures()

    @property
    def _drawn(self) -> list[tuple[SlotFigures, Runner]]:
        """The slots whose errors are on screen."""
        runners = self._session.a, self._session.b
        both = zip(self.slots, runners, strict=True)
        return [each for each in both if each[1].shown and each[1].shown.of_errors]

    @property
    def words(self) -> tuple[str, str]:
        """Say how good A and B are, where their errors are shown; empty until that is known."""
        drawn = {id(runner): slot.words(self._session, runner) for slot, runner in self._drawn}
        a, b = self._session.a, self._session.b
        return drawn.get(id(a), ""), drawn.get(id(b), "")

    @property
    def busy(self) -> bool:
        """Tell whether figures are being found out."""
        return any(slot.busy for slot in self.slots)

    def follow(self) -> None:
        """Have found out how good a standing picture of errors is; while it plays there is none."""
        if self._session.state.paused:
            for slot, runner in self._drawn:
                slot.update(self._session, runner)

    def measure(self) -> None:
        """Find out how good the picture of errors is, however long that takes."""
        for slot, runner in self._drawn:
            slot.update(self._session, runner)
            while slot.busy:
                time.sleep(0.002)
                slot.update(self._session, runner)

    def close(self) -> None:
        """Forget all figures."""
        for slot in self.slots:
            slot.close()
