"""Compare the stages of runs A and B, image by image, while the display continues."""

from typing import NamedTuple

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array
from wheatstone.viewer.display.frames.worker import Task, Worker
from wheatstone.viewer.display.picture import identity
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.run.run import Run


class StagesAsked(NamedTuple):
    """A request to compare all stages of two runs: the runs and their frame indices."""

    a: Run
    b: Run
    frame: int
    frame_b: int


class StageCheck:
    """A comparison of every image that two prepared runs store, for their current frames.

    Attributes:
        badges: the results so far, by image, in the pipeline's order.
    """

    def __init__(self, asked: StagesAsked, a: Execution, b: Execution, worker: Worker) -> None:
        self.asked, self.badges = asked, dict[str, Badge]()
        self._executions, self._worker = (a, b), worker
        self._names = identity.kept_by_both(a, b)
        self._task: Task[Badge] | None = None

    @property
    def done(self) -> bool:
        """Whether every image of the two runs is compared."""
        return len(self.badges) == len(self._names)

    def step(self) -> None:
        """Start comparing the next image, or collect the result of the running comparison."""
        if self.done:
            return
        name = self._names[len(self.badges)]
        if self._task is None:
            self._task = self._begin(name)
        if self._task.done:
            self.badges[name] = self._task.result()
            self._task = None

    def _begin(self, name: str) -> Task[Badge]:
        """Compare an image, at once on a shared device or in the background on the host."""
        (a, b), image = self._executions, self.asked.a.image(name)
        reason = identity.why_stage_incomparable(name, a, b)
        if reason or (a.device is b.device and not a.device.on_host):
            badge = Badge(reason, "neutral") if reason else identity.stage_badge(image, a, b)
            task = Task(name, lambda _: badge)
            task.run()
            return task
        both = _on_host(a, name), _on_host(b, name)
        invalid = identity.invalid_stored(image, a, b)
        return self._worker.submit(name, lambda _: identity.host_badge(image, *both, invalid))


def _on_host(execution: Execution, name: str) -> Array:
    """Return an image's array on the host: the original of the CPU, or a copy from the GPU."""
    array = execution.images[name]
    return array if execution.device.on_host else execution.device.download(array)
