"""Forecast of a report's remaining time and of its memory use."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from wheatstone.gpu.bands import SHARE
from wheatstone.gpu.device import open_device
from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer.run.measuring.rows import MeasuredRow
from wheatstone.viewer.run.measuring.sweep import Configuration
from wheatstone.viewer.run.measuring.variants import memory_of
from wheatstone.viewer.words import plural

ANY_STEP = 2.0  # seconds of a step about which nothing is known


@dataclass(frozen=True)
class PlannedRow:
    """A row that a report measures.

    Attributes:
        seconds: the time limit of its frames.
        parts: how often its frames are timed: as a whole, and perhaps by stage.
    """

    configuration: Configuration
    variant: Variant
    seconds: float
    parts: int

    @property
    def work(self) -> float:
        """Return the work of a frame, in the pipeline's unit."""
        one = self.configuration
        return one.pipeline.work.amount(one.params, one.height, one.width)


class Forecast:
    """A forecast of the remaining time, from the rates of the variants measured so far.

    Args:
        rows: the rows to measure, in their order.
        others: number of other steps, which follow the rows.
    """

    def __init__(self, rows: Sequence[PlannedRow], others: int) -> None:
        self._rows, self._others = list(rows), others
        self._measured, self._others_made = list[PlannedRow](), 0
        self._rates: dict[tuple[str, str], float] = {}  # work per second
        self._began = self._rows_end = time.monotonic()

    def add(self, row: MeasuredRow, *, made: bool) -> None:
        """Count a row, whose time counts if this run measured it (``made``)."""
        planned = self._rows.pop(0)
        if row.rate:
            self._rates[row.configuration.pipeline.name, row.variant.name] = row.rate
        self._measured += [planned] * made
        self._rows_end = time.monotonic()

    def add_other(self, *, made: bool) -> None:
        """Count another step, whose time counts if this run made it (``made``)."""
        self._others -= 1
        self._others_made += made

    def remaining(self) -> float | None:
        """Return the remaining seconds; None before the first steps are done."""
        if not (self._measured or self._others_made):
            return None
        expected = sum(map(self._seconds, self._measured))
        slower = (self._rows_end - self._began) / expected if expected else 1.0
        spent = time.monotonic() - self._rows_end
        other = spent / self._others_made if self._others_made else ANY_STEP
        return slower * sum(map(self._seconds, self._rows)) + other * self._others

    def _seconds(self, row: PlannedRow) -> float:
        """Return the expected seconds of a row: a first frame, and at least one of every part."""
        rate = self._rates.get((row.configuration.pipeline.name, row.variant.name))
        frame = row.work / rate if rate else 0.0
        return max(ANY_STEP, frame + row.parts * max(frame, row.seconds))


def memory_words(rows: Sequence[PlannedRow]) -> str:
    """Describe the memory that the largest step of a report needs, and whether it is skipped."""
    nbytes, largest = max(
        (
            (memory_of(row.configuration, row.variant), row)
            for row in rows
            if not row.variant.on_gpu
        ),
        key=lambda pair: pair[0],
    )
    what = f"{largest.configuration.title}: {largest.variant.name}"
    words = f"up to {max(nbytes / 1e9, 0.1):.1f} GB of memory ({what})"
    if (free := open_device("cpu").free_bytes()) is None:
        return words
    words = f"{words}, {free / 1e9:.1f} GB are free"
    skipped = nbytes > SHARE * free
    return f"{words}; steps that do not fit are skipped" if skipped else words


def steps_words(measurements: int, evaluations: int, pictures: int) -> str:
    """Describe the number of steps of a report."""
    parts = (measurements, "measurement"), (evaluations, "evaluation"), (pictures, "picture")
    listed = ", ".join(plural(*part) for part in parts)
    return f"{plural(sum(count for count, _ in parts), 'step')}: {listed}"
