"""The figures of what a slot shows, found out beside the display whenever that changes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from viewer.choices.judging import TruthChoice, is_disparity
from viewer.choices.slot import Slot
from viewer.frames.runner import Runner
from viewer.frames.worker import Cancelled, Task
from viewer.panels.truth.figures import FigureQuestion, Figures, figures
from viewer.sources.frame import Frame

if TYPE_CHECKING:
    from viewer.frames.session import Session


@dataclass(frozen=True)
class Subject:
    """What figures belong to: a slot's result of a frame, judged in one way."""

    slot: Slot
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
        self.subject: Subject | None = None
        self._runner: Runner | None = None
        self._task: Task[Figures] | None = None
        self._asked: Subject | None = None

    def update(self, session: "Session", runner: Runner) -> None:
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
        subject = Subject(slot, copy.frame, session.state.truth.judging)
        if subject != self.subject:
            question = FigureQuestion(copy.values, image, slot.params, copy.frame, subject.choice)
            self._asked = subject
            self._task = session.worker.submit("figures", lambda task: figures(question))

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
