"""Frame times and rates, recorded by the session and the window, for panels to read.

Nothing here reads a device's clock; ``Execution`` does, and its times are kept here.
"""

import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.execution import Execution
from wheatstone.viewer.io.footage.counters import Counters
from wheatstone.viewer.io.footage.feed import Feed

WINDOW = 2.0  # seconds that rates look back
REFRESH = 0.25  # seconds for which rates are kept, so that they can be read
FRAMES = 600  # times that are kept, of presenting and of every slot
RACED = 100  # newest times of which a median is told, as many as a race takes,
FEWEST = 3  # and how many there must be
SAMPLES = 120  # frames measured stage by stage that are kept of every slot
EVERY = 8  # frames of which one is measured stage by stage,
SOON, FEW = 2, 5  # or one of SOON, while there are fewer than FEW samples
COMPILING = {"cpu": 1, "cuda": 2}  # frames that compile or record, whose time says nothing


class Ring:
    """A ring buffer of the newest rows of numbers, up to its capacity."""

    def __init__(self, capacity: int, columns: int = 1) -> None:
        self._rows = np.zeros((capacity, columns))
        self._added = 0

    def add(self, *row: float) -> None:
        """Add a row to the ring buffer, and drop the oldest if it is full."""
        place = self._added % len(self._rows)
        for column, value in enumerate(row):  # faster than the row as a whole
            self._rows[place, column] = value
        self._added += 1

    def __len__(self) -> int:
        return min(self._added, len(self._rows))

    @property
    def last(self) -> NDArray[np.float64] | None:
        """Return the newest row of the ring buffer; None before the first one."""
        return self._rows[(self._added - 1) % len(self._rows)] if self._added else None

    def rows(self) -> NDArray[np.float64]:
        """Return a copy of all rows of the ring buffer, oldest first: (N, columns)."""
        if self._added <= len(self._rows):
            return self._rows[: self._added].copy()
        return np.roll(self._rows, -(self._added % len(self._rows)), axis=0)


class Rate:
    """A rate per second, computed from amounts recorded with their times."""

    def __init__(self) -> None:
        self._events = Ring(FRAMES, 2)

    def add(self, now: float, amount: float = 1) -> None:
        """Record an amount, such as one frame, at a time in seconds."""
        self._events.add(now, amount)

    @property
    def ends(self) -> float:
        """Return the time when the rate becomes 0 if nothing is added; 0 without a rate."""
        times = self._events.rows()[-2:, 0]
        return float(times[-1] + max(WINDOW, 2 * (times[-1] - times[0]))) if len(times) > 1 else 0.0

    def value(self, now: float) -> float:
        """Return the rate over the last ``WINDOW`` seconds, or over the last interval if longer.

        0 before there are two times, and after a pause longer than ``WINDOW`` and than twice the
        last interval.
        """
        times, amounts = self._events.rows().T
        if len(times) < 2 or now - times[-1] > max(WINDOW, 2 * (times[-1] - times[-2])):
            return 0.0
        first = min(int(np.searchsorted(times, now - WINDOW)), len(times) - 2)
        span = times[-1] - times[first]
        return float(amounts[first + 1 :].sum() / span) if span > 0 else 0.0


@dataclass(frozen=True)
class Rates:
    """The frame rates, per second, of the source, of runs A and B, and of the window.

    Attributes:
        source: frames that the source advanced.
        computed: frames computed, by run.
        presented: pictures shown by the window, whether or not they were new.
        dropped: frames of the source that were never computed.
    """

    source: float
    computed: Mapping[str, float]
    presented: float
    dropped: float


class SlotMeter:
    """The frame times of one of the compared runs, since it was prepared last.

    Attributes:
        frames: milliseconds of frames measured as a whole, without disturbance by others.
        samples: milliseconds of the ``stages``, one row per frame measured stage by stage.
        changes: number of times that a sample was added.
    """

    def __init__(self) -> None:
        self.rate = Rate()
        self.changes = 0
        self._begin(None)

    def _begin(self, execution: Execution | None) -> None:
        self._execution = weakref.ref(execution) if execution else None
        self.frames = Ring(FRAMES)
        self.stages: tuple[str, ...] = ()
        self.samples = Ring(1)
        self._computed = self._since = 0  # frames; since the last one measured stage by stage
        self._awaits_stages = False
        self._known: tuple[float, ...] = ()  # stage times that were read last

    @property
    def execution(self) -> Execution | None:
        """Return the prepared run that is timed; None before the first one or if it was deleted."""
        return self._execution() if self._execution else None

    @property
    def due(self) -> bool:
        """Whether the next frame may be measured stage by stage."""
        return self._since >= (SOON if len(self.samples) < FEW else EVERY)

    def computed(self, now: float, execution: Execution, timed: bool, stages: bool) -> None:
        """Record that a prepared run computed a frame."""
        if self.execution is not execution:
            self._begin(execution)
        self.rate.add(now)
        self._computed += 1
        self._since = 0 if stages else self._since + 1
        if self._computed <= COMPILING[execution.device.kind]:
            self._known = tuple(execution.stage_milliseconds().values()) if stages else ()
            return
        self._awaits_stages = self._awaits_stages or stages
        if timed and not stages:
            took = execution.milliseconds()
            if took is not None and (self.frames.last is None or took != self.frames.last[0]):
                self.frames.add(took)
                self.changes += 1
        if self._awaits_stages:
            self._add_stages(execution.stage_milliseconds(wait=False))

    @property
    def median(self) -> float | None:
        """Return the median time in ms of the newest ``RACED`` frames; None if too few."""
        newest = self.frames.rows()[-RACED:]
        return float(np.median(newest)) if len(newest) >= FEWEST else None

    def _add_stages(self, took: Mapping[str, float]) -> None:
        if not took:
            return
        if tuple(took) != self.stages:
            self.stages, self.samples = tuple(took), Ring(SAMPLES, len(took))
        row = tuple(took.values())
        if row != self._known:
            self._known = row
            self.samples.add(*row)
            self.changes += 1
            self._awaits_stages = False

    def stage_times(self) -> dict[str, tuple[float, float]]:
        """Return median and 95th percentile of every stage in milliseconds, by stage."""
        if not len(self.samples):
            return {}
        middle, high = np.percentile(self.samples.rows(), (50, 95), axis=0)
        pairs: list[Any] = list(zip(middle.tolist(), high.tolist(), strict=True))
        return dict(zip(self.stages, pairs, strict=True))


class Meters:
    """The frame times and frame rates of a session and its window, for panels to read.

    Attributes:
        measuring: whether the times of stages are displayed; if not, none are measured.
        intervals: milliseconds between pictures presented.
        shown_at: time of the clock when the window last showed a picture.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.measuring = False
        self.slots = {"a": SlotMeter(), "b": SlotMeter()}
        self.intervals = Ring(FRAMES)
        self._source, self._presented, self._dropped = Rate(), Rate(), Rate()
        self._last_presented: float | None = None
        self.shown_at = float("-inf")
        self._new = False  # a frame of the source that nothing was computed from yet
        self._rates, self._rated = Rates(0.0, {}, 0.0, 0.0), float("-inf")
        self._counted: tuple[Feed, Counters] | None = None
        self._counted_at = float("-inf")

    def advanced(self, frames: int) -> None:
        """Record that the source advanced by some frames; all but the last were dropped."""
        now = self._clock()
        self._source.add(now, frames)
        self._dropped.add(now, frames - 1 + self._new)
        self._new = True

    def wants_stages(self, slot: str) -> bool:
        """Return whether run ``a`` or ``b`` must be measured by stage in the next frame."""
        return self.measuring and self.slots[slot].due

    def computed(self, slot: str, execution: Execution, *, timed: bool, stages: bool) -> None:
        """Record that run ``a`` or ``b`` computed a frame.

        Args:
            timed: whether the frame counts; a frame compared with the other run does not.
            stages: whether it was measured stage by stage.
        """
        self._new = False
        self.slots[slot].computed(self._clock(), execution, timed, stages)

    def presented(self) -> None:
        """Record that the window showed a picture."""
        now = self._clock()
        self._presented.add(now)
        self.shown_at = now
        if self._last_presented is not None:
            self.intervals.add((now - self._last_presented) * 1e3)
        self._last_presented = now

    def rest(self) -> None:
        """Record a pause, so that the time until the next picture is not counted."""
        if self._last_presented is not None:
            self._last_presented, self._presented = None, Rate()

    @property
    def due(self) -> float:
        """Return the time when all rates become 0 if nothing more is computed."""
        rates = (self._source, self._dropped, *(meter.rate for meter in self.slots.values()))
        return max(rate.ends for rate in rates) + REFRESH

    @property
    def rates(self) -> Rates:
        """Return the frame rates per second, updated every ``REFRESH`` seconds."""
        now = self._clock()
        if now - self._rated >= REFRESH:
            computed = {name: meter.rate.value(now) for name, meter in self.slots.items()}
            source, presented, dropped = (
                rate.value(now) for rate in (self._source, self._presented, self._dropped)
            )
            self._rates, self._rated = Rates(source, computed, presented, dropped), now
        return self._rates

    def counters(self, live: Feed | None) -> Counters | None:
        """Return a live source's counters, updated every ``REFRESH`` seconds; None for others."""
        if not live:
            return None
        now = self._clock()
        if not self._counted or self._counted[0] is not live or now - self._counted_at >= REFRESH:
            self._counted, self._counted_at = (live, live.counters), now
        return self._counted[1]
