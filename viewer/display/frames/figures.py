"""Quality figures of disparity maps, such as bad pixels, computed in the background."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES, as_judged, measures
from wheatstone.gpu.analysis.metrics import consistent, density, warp_error
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.judging import TruthChoice, is_disparity
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.worker import Cancelled, Task
from wheatstone.viewer.display.picture.truth import judged_of, largest_searched
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

INVALID, FILLED, CONSISTENT, WARPED = "invalid", "filled", "L-R consistent", "warp error"
OWN = {FILLED: "%", CONSISTENT: "%", WARPED: "grey"}
"""The figures that need no truth, and their units."""
DIGITS = {"%": 2, "px": 3, "grey": 2}  # decimals of a figure, by its unit


@dataclass(frozen=True, eq=False)
class FigureQuestion:
    """A disparity map to evaluate, (H, W) as stored, with its parameters and frame."""

    stored: NDArray[Any]
    image: Image
    params: Params
    frame: Frame
    choice: TruthChoice


@dataclass(frozen=True)
class Figures:
    """The quality figures of one disparity map, such as density and bad pixels.

    Attributes:
        judged: number of pixels judged; 0 without truth.
        values: by name: those of ``MEASURES``, ``INVALID`` and ``OWN``; without truth ``OWN`` only.
    """

    judged: int
    values: Mapping[str, float]


def figures(question: FigureQuestion) -> Figures:
    """Compute the quality figures of a disparity map."""
    disparity = in_units(question.stored, question.image, question.params)
    own = {**_own(disparity, question.frame)}
    truth, choice = question.frame.truth, question.choice
    if truth is None:
        return Figures(0, own)
    mask = judged_of(question.frame, choice)
    searched = largest_searched(question.image, question.params)
    convention = CONVENTIONS[choice.convention]
    judged = measures(convention, disparity, truth, mask, searched)
    count = int(as_judged(convention, disparity, mask, searched)[1].sum())
    return Figures(count, {**judged, INVALID: 100 - judged["density"], **own})


def _own(disparity: NDArray[np.float32], frame: Frame) -> dict[str, float]:
    """Compute the quality figures that need no truth from a disparity in pixels, NaN if invalid."""
    views = grey_views(frame)
    filled = density(disparity, np.ones(disparity.shape, bool))
    warped = warp_error(disparity, views["left"], views["right"]) if "right" in views else math.nan
    return {FILLED: filled, CONSISTENT: consistent(disparity), WARPED: warped}


def figure_words(judged: Figures, convention: str) -> str:
    """Summarise the main quality figures of a truth convention in a few words; may be empty."""
    if not judged.judged:
        return ""
    values = [(name, judged.values[name], MEASURES[name]) for name in CONVENTIONS[convention].first]
    return ", ".join(
        f"{name} {value:.{DIGITS[unit]}f} {unit}"
        for name, value, unit in values
        if math.isfinite(value)
    )


@dataclass(frozen=True)
class FigureSubject:
    """A run's result for one frame, and the rules by which it is compared with ground truth."""

    slot: Run
    frame: Frame | None
    choice: TruthChoice


class SlotFigures:
    """The quality figures of one run's result, for the newest frame that was evaluated.

    Attributes:
        figures, subject: the newest figures, and the result they belong to; None before.
    """

    def __init__(self) -> None:
        self.figures: Figures | None = None
        self.subject: FigureSubject | None = None
        self._runner: Runner | None = None
        self._task: Task[Figures] | None = None
        self._asked: FigureSubject | None = None

    def update(self, session: "Session", runner: Runner) -> None:
        """Collect finished quality figures, and start new ones if the run has another result."""
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

    def words(self, session: "Session", runner: Runner) -> str:
        """Summarise the quality of a run's result in a few words; empty until it is known."""
        shown, known = runner.shown, self.figures
        if not shown or not known:
            return ""
        subject = FigureSubject(shown.slot, runner.frame, session.state.truth.judging)
        return figure_words(known, subject.choice.convention) if subject == self.subject else ""

    def _take(self) -> None:
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        try:
            self.figures, self.subject = task.result(), self._asked
        except Cancelled:
            self._asked = None

    @property
    def busy(self) -> bool:
        """Whether newer quality figures are being computed."""
        return self._task is not None

    def close(self) -> None:
        """Discard the quality figures, and cancel the computation of newer ones."""
        if self._task:
            self._task.cancel()
        self._task = self._asked = self.figures = self.subject = None


class JudgedSlots:
    """The quality figures of the compared runs A and B, for panels and error maps."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self.slots = SlotFigures(), SlotFigures()

    @property
    def _drawn(self) -> list[tuple[SlotFigures, Runner]]:
        runners = self._session.a, self._session.b
        both = zip(self.slots, runners, strict=True)
        return [each for each in both if each[1].shown and each[1].shown.of_errors]

    @property
    def _judged(self) -> list[tuple[SlotFigures, Runner]]:
        """Return which of the runs A and B are on screen and have a frame with ground truth."""
        both = zip(self.slots, (self._session.a, self._session.b), strict=True)
        uses = self._session.state.mixing.uses_a, self._session.state.mixing.uses_b
        return [
            (slot, runner)
            for (slot, runner), used in zip(both, uses, strict=True)
            if used and runner.shown and runner.frame and runner.frame.truth is not None
        ]

    @property
    def error(self) -> str:
        """Return the main error of result A, or of B if only B is shown; empty until known."""
        listed = [slot.words(self._session, runner) for slot, runner in self._judged[:1]]
        return "".join(listed).partition(",")[0]

    @property
    def words(self) -> tuple[str, str]:
        """Format the quality of results A and B for captions; empty unless error maps are shown."""
        drawn = {id(runner): slot.words(self._session, runner) for slot, runner in self._drawn}
        a, b = self._session.a, self._session.b
        return drawn.get(id(a), ""), drawn.get(id(b), "")

    @property
    def busy(self) -> bool:
        """Whether quality figures are being computed."""
        return any(slot.busy for slot in self.slots)

    def follow(self) -> None:
        """Update the quality figures of results with ground truth, unless the sequence plays."""
        if self._session.state.paused or self._session.source.length == 1:
            for slot, runner in self._judged:
                slot.update(self._session, runner)

    def measure(self) -> None:
        """Compute the quality figures of the error maps on screen, and wait for them."""
        for slot, runner in self._drawn:
            slot.update(self._session, runner)
            while slot.busy:
                time.sleep(0.002)
                slot.update(self._session, runner)

    def close(self) -> None:
        for slot in self.slots:
            slot.close()
