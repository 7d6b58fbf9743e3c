"""The job of computing a frame for display: its views, background work and progress.

CPU computation and kernel compilation run step by step on the worker's thread; the display thread
queues the GPU computation when the rest is done, so that all parts of a frame appear at the same
time.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

from wheatstone.gpu.compilations import telling
from wheatstone.gpu.kernels.programs import Program, compile_all, target_of_gpu
from wheatstone.gpu.recording import Moment
from wheatstone.viewer.display.frames.runner import Runner, RunnerResult
from wheatstone.viewer.display.frames.worker import Task, Worker
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.sources.frame import Frame


@dataclass(frozen=True)
class FrameProgress:
    """The progress of a frame that is computed in the background, for display.

    Attributes:
        share: from 0 to 1; None if unknown.
        step: the current step, in a few words.
        seconds: time since the request.
        is_new: the result will be another picture, not the same one again.
        ends_by_esc: whether the user can cancel it.
    """

    share: float | None
    step: str
    seconds: float
    is_new: bool
    ends_by_esc: bool = True


@dataclass
class FrameJob:
    """The job of computing a frame for the compared runs A and B and the images drawn over them.

    Its views are named ``a``, ``b`` or by an overlay's texture.

    Attributes:
        frames: the frames of the views, by the same names.
        runners: the runners that compute views; a view without one keeps its result.
        checks: whether A and B are compared in this frame; then they are not timed.
        stages: the names of the views that are measured stage by stage.
        stretch: number of the stretch of frames that is played.
    """

    shown: Mapping[str, Shown]
    frames: Mapping[str, Frame]
    runners: Mapping[str, Runner]
    checks: bool
    stages: frozenset[str] = frozenset()
    stretch: int = 0

    def __post_init__(self) -> None:
        self._began = time.perf_counter()
        self._task: Task[dict[str, RunnerResult]] | None = None
        self._worker: Worker | None = None

    def in_background(self, name: str) -> bool:
        """Return whether a view is computed on the worker's thread, not on the GPU."""
        return not self.shown[name].slot.declaration.on_gpu

    def timed(self, name: str) -> bool:
        """Return whether the compute time of run A or B or an overlay is recorded."""
        return not (self.checks and name in ("a", "b"))

    def frame(self, name: str) -> Frame:
        """Return the frame that run A or B or an overlay reads."""
        return self.frames[name]

    def moment(self, name: str) -> Moment:
        """Return a run's position in playback: the sequence's number, and the frame index."""
        return self.stretch, self.frame(name).index

    def start(self, worker: Worker) -> None:
        """Start the computation on the CPU and the compilation for the GPU, in the background."""
        names = [name for name in self.runners if self.in_background(name)]
        lacking = {
            name: programs
            for name, runner in self.runners.items()
            if not self.in_background(name) and (programs := runner.uncompiled(self.shown[name]))
        }
        if names or lacking:
            at = dict.fromkeys(self.shown[name].slot.variant for name in (*lacking, *names))
            self._worker = worker
            self._task = worker.submit(
                " and ".join(at), lambda task: self._compute(names, lacking, task)
            )

    def _compute(
        self,
        names: list[str],
        lacking: Mapping[str, list[Program]],
        task: Task[dict[str, RunnerResult]],
    ) -> dict[str, RunnerResult]:
        turns = len(lacking) + len(names)
        for turn, (name, programs) in enumerate(lacking.items()):
            _compile(self.shown[name].slot.variant, programs, _teller(task, turn, turns))
        return {
            name: self._computed(name, _teller(task, turn, turns))
            for turn, name in enumerate(names, len(lacking))
        }

    def _computed(self, name: str, tell: Callable[[float, str], None]) -> RunnerResult:
        timed, stages = self.timed(name), name in self.stages
        loaded = self.shown[name], self.frame(name), self.moment(name)
        return self.runners[name].compute(*loaded, tell, timed=timed, stages=stages)

    def done(self, patience: float | None) -> bool:
        """Wait up to ``patience`` seconds, None: no limit; return whether the CPU work is done."""
        if self._task:
            self._task.wait(patience)
        return not self._task or self._task.done

    def results(self) -> Mapping[str, RunnerResult]:
        """Return the results of the views that the CPU computes; wait for them if necessary.

        Raises:
            ValueError: the variant refuses the parameters or does not keep an image.
            Unavailable: there is too little memory.
        """
        return self._task.result() if self._task else {}

    @property
    def seconds(self) -> float:
        """Return the time since the job began, in seconds."""
        return time.perf_counter() - self._began

    def progress(self, changed: bool) -> FrameProgress:
        """Return this job's progress or, while it waits for its turn, that of the running job."""
        assert self._task and self._worker
        task, busy = self._task, self._worker.running
        if not task.step and busy and busy is not task:
            step = f"{task.name}: waiting for {busy.name}" + (f", {busy.step}" if busy.step else "")
            return FrameProgress(busy.progress or None, step, self.seconds, changed)
        return FrameProgress(
            task.progress, task.step or f"{task.name}: starting", self.seconds, changed
        )

    def cancel(self) -> None:
        """Cancel the job after the current step."""
        if self._task:
            self._task.cancel()


def _teller(
    task: Task[dict[str, RunnerResult]], number: int, total: int
) -> Callable[[float, str], None]:
    return lambda share, step: task.report((number + share) / total, step)


def _compile(variant: str, programs: list[Program], tell: Callable[[float, str], None]) -> None:
    total, numbers = len(programs), count(1)

    def compiling(kernel: str) -> None:
        number = next(numbers)
        what = f"compiling {kernel} for its first use, kernel {number} of {total}"
        tell((number - 1) / total, f"{variant}: {what}")

    with telling(compiling):
        compile_all(programs, target_of_gpu())
