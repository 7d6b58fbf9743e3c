"""Images of a run that are not on screen, computed on demand for panels that inspect a pixel.

A run computes only the images of its view, so that its times are honest. A panel that inspects a
pixel needs all images; they come from a separate execution that runs periodically.
"""

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wheatstone.gpu import Unavailable
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.recording import Memory
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.display.frames.worker import Cancelled, Task
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.engine import Engine
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

EVERY = 0.2  # seconds between two frames at least
REST = 4.0  # between two frames at least, in times of how long the last one took


@dataclass(frozen=True, eq=False)
class Extra:
    """A prepared run that has computed all its images, and the frame that they belong to."""

    execution: Execution
    slot: Run
    frame: Frame


class Extras:
    """The images of one run that are not on screen and are computed on demand.

    Attributes:
        why_not: the reason why there are no images; empty while there may be some.
    """

    def __init__(self) -> None:
        self.why_not = ""
        self._engine = Engine(kept=1)
        self._extra: Extra | None = None
        self._task: Task[Extra] | None = None
        self._refused: Run | None = None
        self._asked: tuple[Run, Frame] | None = None
        self._due = self._began = 0.0
        self._waits = False  # something is asked for, and it is too soon

    def of(self, shown: Shown, frame: Frame) -> Execution | None:
        """Return the prepared run whose arrays hold all images of a frame; None until computed."""
        extra = self._extra
        if self._task or not extra or (extra.slot, extra.frame) != (shown.slot, frame):
            return None
        return extra.execution

    @property
    def computing(self) -> bool:
        """Whether the images of the run are being computed."""
        return self._task is not None

    @property
    def due(self) -> float:
        """Return the time when requested images will be computed; infinite if there are none."""
        return self._due if self._waits else math.inf

    def update(
        self, session: "Session", shown: Shown, frame: Frame, memory: Memory | None = None
    ) -> None:
        """Start to compute the requested images when they are due; collect finished ones.

        Args:
            memory: of the execution that computed the frame.
        """
        if self._task:
            self._take(shown)
        asked = (shown.slot, frame)
        self._waits = False
        if self._task or asked == self._asked or shown.slot == self._refused:
            return
        seldom = on_demand(shown.slot.pipeline, shown.slot.declaration)
        self._waits = bool(seldom) and time.perf_counter() < self._due
        if not seldom or self._waits:
            return
        self._begin(session, shown.slot, frame, memory)

    def _begin(self, session: "Session", slot: Run, frame: Frame, memory: Memory | None) -> None:
        self._asked, self._began, self.why_not = (slot, frame), time.perf_counter(), ""
        self._extra = None

        def job(task: Task[Extra]) -> Extra:
            return _computed(self._engine, slot, frame, memory, task)

        self._task = Task(f"details of {slot.name}", job)
        if not slot.declaration.on_gpu:
            self._task = session.worker.submit(f"details of {slot.name}", job)
        else:
            self._task.run()
            self._take(None)

    def _take(self, shown: Shown | None) -> None:
        assert self._task and self._asked
        if not self._task.done:
            if shown and shown.slot != self._asked[0]:
                self._task.cancel()
            return
        task, self._task = self._task, None
        took = time.perf_counter() - self._began
        self._due = time.perf_counter() + max(EVERY, REST * took)
        try:
            self._extra = task.result(0)
        except (Cancelled, Unavailable, ValueError) as error:
            if not isinstance(error, Cancelled):
                self.why_not, self._refused = str(error), self._asked[0]
            self._asked = None

    def close(self) -> None:
        if self._task:
            self._task.cancel()
        self._task = self._extra = self._asked = self._refused = None
        self._engine = Engine(kept=1)


def _computed(
    engine: Engine, slot: Run, frame: Frame, memory: Memory | None, task: Task[Extra]
) -> Extra:
    run = slot.replace(keep=on_demand(slot.pipeline, slot.declaration))
    execution = engine.loaded(run, frame)
    if memory and memory.done and memory.done[1] == frame.index:
        with execution.device.active():
            execution.go_on_with(memory.copy())
    execution.follow(execution.memory.done)
    steps = len(execution.steps)
    on_cpu = execution.device.on_host
    execution.run(timed=False, after=(lambda n: task.report(n / steps)) if on_cpu else None)
    return Extra(execution, slot, frame)
