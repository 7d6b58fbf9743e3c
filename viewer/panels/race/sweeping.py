"""The sweep: variants timed over the values that their pipeline declares, as curves."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gpu.pipeline import Sweep, Variant
from viewer.frames.worker import Worker
from viewer.panels.race.timed_run import Contest, Limits, RunSeries, TimedRun

LIMITS = Limits(frames=30, seconds=0.5)  # of one variant at one place
SLOWEST = 1000.0  # milliseconds of a frame from which a variant is spared the places beyond


@dataclass(frozen=True)
class Curve:
    """One variant over the places of the sweep's axis.

    Attributes:
        places: where it was timed.
        milliseconds: median compute time of a frame there.
        why: why it ends there, or was not timed at all; empty if it was timed everywhere.
    """

    variant: Variant
    places: tuple[float, ...] = ()
    milliseconds: tuple[float, ...] = ()
    why: str = ""


class SweepRace(RunSeries):
    """Times variants at every place of a pipeline's sweep: all at the first, then at the next."""

    def __init__(
        self,
        contest: Contest,
        worker: Worker,
        absent: Mapping[str, str],
        limits: Limits = LIMITS,
    ) -> None:
        """Raises ``ValueError`` for a pipeline that declares no sweep."""
        super().__init__(worker, absent, limits)
        if contest.pipeline.sweep is None:
            raise ValueError(f"{contest.pipeline.name} declares nothing to sweep over")
        self._contest, self._sweep = contest, contest.pipeline.sweep
        variants = contest.pipeline.variants
        self._curves = {variant.name: Curve(variant) for variant in variants}
        self._waiting = [(place, v) for place in self._sweep.places for v in variants]
        self._total = len(self._waiting)
        self._ended: set[str] = set()
        self._place = 0.0

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What is known of every variant, in the order of declaration."""
        return tuple(self._curves.values())

    def _left(self) -> int:
        return len(self._waiting)

    def _next(self) -> tuple[Contest, Variant] | None:
        while self._waiting:
            self._place, variant = self._waiting.pop(0)
            if variant.name in self._ended:
                continue
            try:
                params = self._sweep.at(self._contest.params, self._place)
            except ValueError as error:
                self._tell(variant, str(error))
                continue
            return replace(self._contest, params=params), variant
        return None

    def _finished(self, heat: TimedRun) -> None:
        curve = self._curves[heat.variant.name]
        if heat.times is None:
            self._tell(heat.variant, heat.why)
            return
        milliseconds = heat.times.median
        self._curves[heat.variant.name] = replace(
            curve,
            places=(*curve.places, self._place),
            milliseconds=(*curve.milliseconds, milliseconds),
        )
        if milliseconds > SLOWEST and self._place != self._sweep.places[-1]:
            self._ended.add(heat.variant.name)
            self._tell(heat.variant, f"a frame takes {milliseconds / 1e3:.1f} s there")

    def _tell(self, variant: Variant, why: str) -> None:
        self._curves[variant.name] = replace(self._curves[variant.name], why=why)


def called(sweep: Sweep) -> str:
    """The axis of a sweep in words, with its unit."""
    return f"{sweep.label} ({sweep.unit})" if sweep.unit else sweep.label
