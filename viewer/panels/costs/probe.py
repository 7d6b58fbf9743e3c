"""Choose the pixel whose costs are explained, and compute the costs in the background."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.sgm.curves import CostVerdict, Curves
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.run.run import Run

AT_ONCE = 0.03  # seconds for the checks to be told with the curves; else they follow


@dataclass(frozen=True)
class PixelQuestion:
    """A request for the costs of one pixel."""

    pipeline: Pipeline
    params: tuple[Params, ...]  # A's parameters, and B's if these differ
    frame: Frame
    row: int
    column: int


@dataclass(frozen=True, eq=False)
class PixelAnswer:
    """The computed costs of the pixel that the user inspects, and the result of its checks.

    Attributes:
        curves: one for each of the question's parameters.
        verdict: of the first curves; None while the check goes on.
    """

    question: PixelQuestion
    curves: tuple[Curves, ...]
    verdict: CostVerdict | None = None


def probed_slot(state: ViewerState) -> Run:
    """Return the run (A or B) that is explained at a pixel: A, or B if A is not computed."""
    return state.slot if state.mixing.uses_a else state.slot_b


def probed_params(state: ViewerState) -> tuple[Params, ...]:
    """List the parameters to probe: the probed run's, and run B's if different but comparable."""
    slot, second = probed_slot(state), state.slot_b
    differs = second.pipeline is slot.pipeline and second.params != slot.params
    compared = state.mixing.uses_b and state.mixing.frozen is None
    return (slot.params, second.params) if differs and compared else (slot.params,)


def probed_pixel(
    state: ViewerState,
    hit: Hit | None,
    shown: Sequence[tuple[str, ...]],
    size: tuple[int, int],
) -> tuple[int, int] | None:
    """Return row and column of the pixel that panels explain; None without such a pixel.

    It is the pinned pixel, or else the one under the cursor. While the cursor is on no pane, it is
    the one that was clicked last and is still in the table of pixels.

    Args:
        shown: the images of every pane; a pane of only the second input is not of the left view.
    """
    height, width = size
    places = [state.look.pin, *(() if hit else state.look.pins[-1:])]
    if hit and hit.pane < len(shown):
        if not is_second(probed_slot(state).pipeline, shown[hit.pane]):
            places.append((int(hit.row // 1), int(hit.column // 1)))
    known = (place for place in places if place)
    return next(((r, c) for r, c in known if 0 <= r < height and 0 <= c < width), None)


def is_second(pipeline: Pipeline, images: tuple[str, ...]) -> bool:
    """Return whether all of the images are the pipeline's second input, such as the right view."""
    return all(name.removeprefix("B ") in pipeline.inputs[1:2] for name in images)


class Prober:
    """A thread that computes a pixel's costs, so that slow variants do not delay it.

    A pixel takes milliseconds on one core. While questions come faster than answers, the newest
    question is computed next.

    Attributes:
        complaint: why the newest question has no answer; empty if it has one or will.
    """

    def __init__(self) -> None:
        self.answer: PixelAnswer | None = None
        self.complaint = ""
        self._worker = Worker()
        self._began = 0.0
        self._asked: PixelQuestion | None = None
        self._task: Task[PixelAnswer] | None = None
        self._checks = False  # whether the task is a check, which can be ended
        self._probes: dict[tuple[Frame, Params], Any] = {}  # touched by the thread alone

    @property
    def busy(self) -> bool:
        """Return whether costs of the pixel are still being computed."""
        return self._task is not None

    @property
    def waiting(self) -> tuple[float, str, float] | None:
        """Return progress, step and seconds of computing the costs; None if they are known."""
        known = self.answer and self.answer.question == self._asked
        if not self._task or known:
            return None
        return self._task.progress, self._task.step, time.perf_counter() - self._began

    def ask(self, question: PixelQuestion) -> None:
        """Request the costs of a pixel; ``answer`` is set later.

        Call this in every frame of the window.
        """
        self._collect()
        if question != self._asked:
            if self._task and self._checks:
                self._task.cancel()
                self._collect()
            if not self._task:
                self._asked, self.complaint = question, ""
                self._checks, self._began = False, time.perf_counter()
                self._task = self._worker.submit("curves", lambda task: self._find(question, task))
        elif not self._task and self.answer and not self.answer.verdict and not self.complaint:
            known = self.answer
            self._checks = True
            self._task = self._worker.submit("check", lambda task: self._check(known, task))

    def _collect(self) -> None:
        """Store the result or the error of a finished task."""
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        try:
            self.answer = task.result()
        except Cancelled:
            pass
        except Exception as error:  # of the thread, told to the user
            self.complaint = str(error)

    def _find(self, question: PixelQuestion, task: Task[PixelAnswer]) -> PixelAnswer:
        """Compute the cost curves of a pixel, and the result of its checks if that is fast."""
        task.report(0.0, "comparing the views")
        wanted = [(question.frame, params) for params in question.params]
        self._probes = {key: self._probes.get(key) or _probe_of(question, key[1]) for key in wanted}
        at = question.row, question.column
        curves = tuple(probe.curves(*at, task.report) for probe in self._probes.values())
        late = time.perf_counter() + AT_ONCE

        def report(done: float) -> None:
            if time.perf_counter() > late:
                raise Cancelled

        try:
            return PixelAnswer(question, curves, self._probes[wanted[0]].verdict(curves[0], report))
        except Cancelled:
            return PixelAnswer(question, curves)

    def _check(self, known: PixelAnswer, task: Task[PixelAnswer]) -> PixelAnswer:
        question = known.question
        probe = self._probes[question.frame, question.params[0]]
        verdict = probe.verdict(known.curves[0], task.report)
        return PixelAnswer(question, known.curves, verdict)

    def close(self) -> None:
        """End the thread and cancel its work, without waiting for its end."""
        self._worker.close(0.0)


def _probe_of(question: PixelQuestion, params: Params) -> Any:
    """Create the probe that computes the costs of a frame's pixels with given parameters."""
    frame = question.frame
    assert frame.right is not None
    views = [grey_levels(pixels) for pixels in (frame.left, frame.right)]
    return import_object(question.pipeline.probe)(params, *views)


def question(session: Session, pixel: tuple[int, int], frame: Frame) -> PixelQuestion | None:
    """Return the request for a pixel's costs; None without a pair or without matching costs."""
    pipeline = probed_slot(session.state).pipeline
    if not (pipeline.probe and frame.is_pair):
        return None
    return PixelQuestion(pipeline, probed_params(session.state), frame, *pixel)
