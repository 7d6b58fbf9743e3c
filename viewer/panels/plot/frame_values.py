"""The values of the newest frames shown, collected for a plot over time and for CSV."""

import math
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.viewer.display.frames.figures import FILLED, FigureSubject
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.times import time_of
from wheatstone.viewer.words import csv_of

MOST = 2000  # frames whose values are kept, the newest
FLICKER, ROWS, TIME = "flicker", "row error", "time"
LETTERS = "A", "B"


@dataclass(frozen=True)
class Quantity:
    """A quantity that is plotted over time, such as an error.

    Attributes:
        title: its name, such as ``bad-2``.
        lacks: what has to be done or known to get values of it.
    """

    title: str
    unit: str
    lacks: str


def quantities(convention: str) -> tuple[Quantity, ...]:
    """List all quantities to plot; the first is the main error measure of a convention."""
    return (
        Quantity(CONVENTIONS[convention].first[0], "%", "needs ground truth"),
        Quantity(FILLED, "%", "needs disparities"),
        Quantity(FLICKER, "%", "needs disparities of two frames"),
        Quantity(ROWS, "px", "needs two views"),
        Quantity(TIME, "ms", "is known from the second or third frame"),
    )


Series = tuple[str, str]
"""The title of a quantity, and the slot, A or B; no slot for a quantity of the source."""


class FrameValues:
    """The values of the newest frames of a source, by quantity, run (A or B) and frame.

    Values of A and B are forgotten when their pipeline, variant or parameters change, or the way
    in which they are judged; all are forgotten when the source changes.

    Attributes:
        changes: number of values noted or forgotten so far.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._source: weakref.ref[Source] | None = None
        self._subjects: dict[str, object] = {}  # what the values of A and of B are about
        self._seconds: dict[int, float] = {}  # by frame, the one that was noted first in front
        self._values: dict[Series, dict[int, float]] = {}
        self._began = time.perf_counter()

    def follow(self, session: Session) -> None:
        """Record the values that are known for the frame shown, for plots; compute nothing."""
        state, mixing = session.state, session.state.mixing
        if not self._source or self._source() is not session.source:
            self.clear()
            self._source, self._began = weakref.ref(session.source), time.perf_counter()
        sides = zip(
            LETTERS,
            (session.a, session.b),
            (state.slot, state.slot_b),
            (mixing.uses_a, mixing.uses_b),
            strict=True,
        )
        for letter, runner, run, used in sides:
            subject = run, state.truth.judging, state.temporal.frames, state.temporal.still
            if self._subjects.get(letter) != subject:
                self._forget(letter)
                self._subjects[letter] = subject
            if used and runner.frame and runner.shown and runner.shown.slot == run:
                self._note_slot(session, letter, runner)
        if (frame := session.rows.measured) and (rows := session.rows.newest):
            self._note(session.source, frame, (ROWS, ""), rows.median)

    def _note_slot(self, session: Session, letter: str, runner: Runner) -> None:
        """Record the time and flicker of run A or B, and its newest error and density."""
        source, frame, shown = session.source, runner.frame, runner.shown
        assert frame and shown
        compiled = len(session.meters.slots[letter.lower()].frames)  # the first frames compile
        if compiled and runner.execution:  # else its time may be that of the next frame already
            took = runner.milliseconds(shown.slot)
            self._note(source, frame, (TIME, letter), math.nan if took is None else took)
        rate = session.changes[letter.lower()].flicker_rate
        self._note(source, frame, (FLICKER, letter), 100 * rate)
        known = session.figures.slots[LETTERS.index(letter)]
        subject, judging = known.subject, session.state.truth.judging
        if known.figures and subject and subject.frame:
            if subject == FigureSubject(shown.slot, subject.frame, judging):
                for title in (CONVENTIONS[judging.convention].first[0], FILLED):
                    value = known.figures.values.get(title, math.nan)
                    self._note(source, subject.frame, (title, letter), value)

    def _note(self, source: Source, frame: Frame, series: Series, value: float) -> None:
        """Record a finite value of a frame; remove the oldest frame beyond ``MOST`` frames."""
        values, index = self._values.setdefault(series, {}), frame.index
        if not math.isfinite(value) or values.get(index) == value:
            return
        values[index] = value
        self.changes += 1
        if index not in self._seconds:
            now = time.perf_counter() - self._began
            self._seconds[index] = now if source.live else time_of(source, index)
        if len(self._seconds) > MOST:
            oldest = next(iter(self._seconds))
            del self._seconds[oldest]
            for each in self._values.values():
                each.pop(oldest, None)

    def _forget(self, letter: str) -> None:
        for series in [series for series in self._values if series[1] == letter]:
            del self._values[series]
        known = set[int]().union(*self._values.values())
        self._seconds = {f: seconds for f, seconds in self._seconds.items() if f in known}
        self.changes += 1

    def clear(self) -> None:
        """Discard all values recorded for the plots."""
        self._values.clear()
        self._seconds.clear()
        self.changes += 1

    def curves(self, title: str) -> dict[str, NDArray[np.float64]]:
        """Return the curves of a quantity by run (A, B), each (N, 2): ascending frame, and value.

        A quantity of the source has one curve, with an empty slot.
        """
        by_name = {}
        for letter in (*LETTERS, ""):
            if values := self._values.get((title, letter)):
                frames = np.fromiter(values, float, len(values))
                points = np.column_stack([frames, np.fromiter(values.values(), float, len(values))])
                by_name[letter] = points[np.argsort(frames)]
        return by_name

    def csv(self, shown: Sequence[Quantity]) -> str:
        """Format values as CSV: a row for each frame, a column for each quantity and run (A, B)."""
        columns = {
            f"{quantity.title} {letter}".strip() + f" ({quantity.unit})": values
            for quantity in shown
            for letter in (*LETTERS, "")
            if (values := self._values.get((quantity.title, letter)))
        }
        rows: list[list[object]] = [["frame", "seconds", *columns]]
        for frame in sorted(self._seconds):
            numbers = (values.get(frame) for values in columns.values())
            cells = ("" if number is None else f"{number:.6g}" for number in numbers)
            rows.append([frame, f"{self._seconds[frame]:.3f}", *cells])
        return csv_of(rows)
