"""A frame on its way: which slots compute it, what of that runs beside the display, how far it is.

What the CPU computes runs on the worker's thread, step by step; what the GPU computes is queued by
the display's thread when the rest is done, so that all of a frame appears at once.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpu.execution import Execution
from viewer.choices.slot import Slot
from viewer.frames.lane import Lane, check_kept
from viewer.frames.worker import Task, Worker
from viewer.picture.shown import Shown
from viewer.sources.frame import Frame


@dataclass(frozen=True)
class Part:
    """What one lane computes of a frame.

    Attributes:
        images: what it computes besides the output.
        what_shows: what needs the images, for the message if the variant does not keep them.
        there: the execution prepared for it, if there is one.
        timed: whether the frame counts for the times shown.
        stages: whether it is measured stage by stage.
    """

    lane: Lane
    slot: Slot
    images: tuple[str, ...]
    frame: Frame
    what_shows: str
    there: Execution | None
    timed: bool = True
    stages: bool = False

    @property
    def beside(self) -> bool:
        """Whether it computes beside the display."""
        return self.slot.declaration.device == "cpu"

    def compute(self, tell: Callable[[float, str], None]) -> "Computed":
        """Compute it on the calling thread, on the CPU.

        Args:
            tell: called with the share that is done, and with what comes next.
        """
        from gpu.compiled import compilations

        tell(0.0, f"{self.slot.variant}: preparing")
        execution = self.there or self.lane.make(self.slot, self.images)
        check_kept(execution, self.images, self.what_shows)
        words = [f"{self.slot.variant}: {step}" for step in step_words(execution)]

        def after(done: int) -> None:
            tell(done / len(words), words[min(done, len(words) - 1)])

        self.lane.inputs.upload(execution, self.frame)
        after(0)
        before = compilations()
        execution.run(timed=self.timed, stages=self.stages, after=after)
        return Computed(self, execution, timed=self.timed and compilations() == before)


@dataclass(frozen=True)
class Computed:
    """A part that is computed.

    Attributes:
        timed: whether its time counts; not if functions were compiled meanwhile.
    """

    part: Part
    execution: Execution
    timed: bool


def step_words(execution: Execution) -> list[str]:
    """Every step by its stage's name; those of a stage with several are counted."""
    names = [step.stage.name for step in execution.steps]
    words, seen = [], dict.fromkeys(names, 0)
    for name in names:
        seen[name] += 1
        total = names.count(name)
        words.append(name.replace("_", " ") + (f" {seen[name]} of {total}" if total > 1 else ""))
    return words


@dataclass(frozen=True)
class Asked:
    """A frame as it was asked for.

    Attributes:
        shown: what the slots used shall show, by letter: ``a``, ``b``.
        guests: images of other pipelines: by texture their slot, name and the frame's index.
    """

    shown: tuple[tuple[str, Shown], ...]
    guests: tuple[tuple[str, Slot, str, int], ...]


@dataclass(frozen=True)
class FrameProgress:
    """How far a frame is that computes beside the display.

    Attributes:
        share: from 0 to 1.
        said: what it is at, in a few words.
        seconds: since it was asked for.
        anew: it will replace the picture by another one, not by the same.
    """

    share: float
    said: str
    seconds: float
    anew: bool


class FrameJob:
    """A frame that is being computed.

    Args:
        frames: of the source, by index.
        checks: whether A and B are compared in this frame.
        parts: what computes, by name: ``a``, ``b`` or a guest's texture.
    """

    def __init__(
        self,
        asked: Asked,
        frames: dict[int, Frame],
        parts: dict[str, Part],
        worker: Worker,
        *,
        checks: bool,
    ) -> None:
        self.asked, self.frames, self.parts, self.checks = asked, frames, parts, checks
        self._worker, self._began = worker, time.perf_counter()
        self._beside = [part for part in parts.values() if part.beside]
        self._task: Task[list[Computed]] | None = None
        if self._beside:
            name = " and ".join(dict.fromkeys(part.slot.variant for part in self._beside))
            self._task = worker.submit(name, self._compute)

    def _compute(self, task: Task[list[Computed]]) -> list[Computed]:
        return [
            part.compute(_teller(task, number, len(self._beside)))
            for number, part in enumerate(self._beside)
        ]

    def done(self, patience: float | None) -> bool:
        """Whether the CPU's part is done, at once or within so many seconds; None: wait for it."""
        if self._task:
            self._task.wait(patience)
        return not self._task or self._task.done

    def computed(self) -> Sequence[Computed]:
        """What the CPU computed, once it is done.

        Raises:
            ValueError: the variant refuses the parameters or does not keep an image.
            Unavailable: there is too little memory.
        """
        return self._task.result() if self._task else []

    @property
    def seconds(self) -> float:
        """Time since it began."""
        return time.perf_counter() - self._began

    def progress(self, anew: bool) -> FrameProgress:
        """How far it is; while others have the worker, what they do."""
        assert self._task
        said, busy = self._task.said, self._worker.running
        if not said:
            waits = busy.name if busy and busy is not self._task else ""
            said = f"{self._task.name}: waiting" + (f" for {waits}" if waits else "")
        return FrameProgress(self._task.progress, said, self.seconds, anew)

    def cancel(self) -> None:
        """End it after the step that runs."""
        if self._task:
            self._task.cancel()


def _teller(task: Task[list[Computed]], number: int, total: int) -> Callable[[float, str], None]:
    return lambda share, said: task.report((number + share) / total, said)
