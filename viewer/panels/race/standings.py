"""A race: all variants compute one frame, are timed, and compared with the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wheatstone.gpu.analysis.comparison import Difference
from wheatstone.gpu.analysis.measurement import Times
from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer.display.frames.worker import Worker
from wheatstone.viewer.panels.race.timed_run import Contest, Limits, RunSeries, TimedRun
from wheatstone.viewer.run.measuring.row_types import Identity
from wheatstone.viewer.run.measuring.sweep import REFERENCE
from wheatstone.viewer.run.measuring.variants import Images, compared

LIMITS = Limits(frames=100, seconds=2.0)  # of one variant


@dataclass(frozen=True)
class Standing:
    """The results of one variant in a race, so far.

    Attributes:
        phase: ``out``: the variant cannot run; ``why`` gives the reason.
        why: why it cannot run, or did not finish; empty if it did.
        times: on its device, of the frames that count so far.
        identity: whether the result equals the reference's.
        speed_up: how many times as fast as the reference it is; None for a wrong result.
    """

    variant: Variant
    phase: Literal["waiting", "running", "done", "out"] = "waiting"
    why: str = ""
    times: Times | None = None
    identity: Identity = "unknown"
    differences: tuple[Difference, ...] = ()
    speed_up: float | None = None

    @property
    def ranks(self) -> bool:
        """Return whether the variant is ranked: timed, no external program, no wrong result."""
        return bool(self.times) and self.identity not in ("different", "peer")


class Race(RunSeries):
    """A race: every variant of a pipeline is timed in turn, the reference first."""

    def __init__(
        self,
        contest: Contest,
        worker: Worker,
        absent: Mapping[str, str],
        limits: Limits = LIMITS,
    ) -> None:
        variants = contest.pipeline.offered
        reference_first = sorted(variants, key=lambda variant: variant.name != REFERENCE)
        super().__init__([(0.0, each) for each in reference_first], worker, absent, limits)
        self._contest = contest
        self._board = {variant.name: Standing(variant) for variant in variants}
        self._expected: Images | None = None

    @property
    def standings(self) -> tuple[Standing, ...]:
        """List the results of all variants so far, in the order of declaration."""
        return tuple(self._board.values())

    def step(self, budget: float) -> None:
        """Continue the race for ``budget`` milliseconds, and record the current variant's times."""
        super().step(budget)
        if self.current:
            self._note(self.current, "running")

    def cancel(self) -> None:
        """End the race; keep all results, and mark the variants that were not finished."""
        super().cancel()
        for name, standing in self._board.items():
            if standing.phase in ("waiting", "running"):
                phase: Literal["done", "out"] = "done" if standing.times else "out"
                self._board[name] = replace(standing, phase=phase, why="the race was stopped")

    def _next(self) -> tuple[Contest, Variant] | None:
        return (self._contest, self._waiting.pop(0)[1]) if self._waiting else None

    def _finished(self, timed: TimedRun) -> None:
        if timed.variant.name == REFERENCE:
            self._expected = timed.images
        self._note(timed, "done" if timed.times else "out")

    def _note(self, timed: TimedRun, phase: Literal["running", "done", "out"]) -> None:
        before = self._board[timed.variant.name]
        times = (
            timed.times if timed.frames != (before.times.frames if before.times else 0) else None
        )
        after = replace(before, phase=phase, why=timed.why, times=times or before.times)
        if timed.images and before.identity == "unknown":
            identity, differences = compared(timed.variant, timed.images, self._expected)
            after = replace(after, identity=identity, differences=differences)
        self._board[timed.variant.name] = after
        self._board[timed.variant.name] = replace(after, speed_up=self._speed_up(after))

    def _speed_up(self, standing: Standing) -> float | None:
        reference = self._board.get(REFERENCE)
        base = reference.times if reference else None
        if not (base and standing.times and standing.times.median):
            return None
        return base.median / standing.times.median if standing.identity != "different" else None


def ranked(standings: Sequence[Standing]) -> list[tuple[int | None, Standing]]:
    """Sort the results of a race by time, each with its rank.

    Peers, wrong results and variants without a time have the place None.
    """
    timed = sorted(
        (one for one in standings if one.times),
        key=lambda one: one.times.median if one.times else 0,
    )
    places = {one.variant.name: n for n, one in enumerate((s for s in timed if s.ranks), 1)}
    others = [one for one in standings if not one.times]
    return [(places.get(one.variant.name), one) for one in (*timed, *others)]


def in_words(standing: Standing) -> str:
    """Describe how a variant's result compares with the reference's."""
    if standing.identity == "different":
        return "; ".join(f"{one.count} of {one.total} differ" for one in standing.differences)
    words = {
        "reference": "reference",
        "identical": "identical",
        "peer": "peer: not comparable",
        "unknown": "not compared",
    }
    return words[standing.identity]
