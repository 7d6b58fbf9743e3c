"""A sweep: all variants are timed for several values of one parameter."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wheatstone.gpu.pipeline import Sweep, Variant
from wheatstone.viewer.display.frames.worker import Worker
from wheatstone.viewer.panels.race.timed_run import Contest, Limits, RunSeries, TimedRun

LIMITS = Limits(frames=30, seconds=0.5)  # of one variant at one place
SLOWEST = 1000.0  # milliseconds of a frame from which a variant is spared the places beyond


@dataclass(frozen=True)
class Curve:
    """The times of one variant for all values of the swept parameter.

    Attributes:
        places: values of the parameter at which the variant was timed.
        milliseconds: median compute time of a frame at each.
        why: why the curve ends there, or the variant was not timed; empty if it was everywhere.
    """

    variant: Variant
    places: tuple[float, ...] = ()
    milliseconds: tuple[float, ...] = ()
    why: str = ""


class SweepRace(RunSeries):
    """A sweep: every variant is timed at the first parameter value, then at the next, and so on."""

    def __init__(
        self,
        contest: Contest,
        worker: Worker,
        absent: Mapping[str, str],
        limits: Limits = LIMITS,
    ) -> None:
        """Prepare a sweep. Raises ``ValueError`` if the pipeline declares no parameter to sweep."""
        sweep, variants = contest.pipeline.sweep, contest.pipeline.offered
        if sweep is None:
            raise ValueError(f"{contest.pipeline.name} declares nothing to sweep over")
        waiting = [(place, variant) for place in sweep.places for variant in variants]
        super().__init__(waiting, worker, absent, limits)
        self._contest, self._sweep = contest, sweep
        self._curves = {variant.name: Curve(variant) for variant in variants}
        self._ended: set[str] = set()
        self._place = 0.0

    @property
    def curves(self) -> tuple[Curve, ...]:
        """List the time curves of all variants, in the order of declaration."""
        return tuple(self._curves.values())

    def _next(self) -> tuple[Contest, Variant] | None:
        while self._waiting:
            self._place, variant = self._waiting.pop(0)
            if variant.name in self._ended:
                continue
            try:
                params = self._sweep.at(self._contest.params, self._place)
            except ValueError as error:
                self._explain(variant, str(error))
                continue
            return replace(self._contest, params=params), variant
        return None

    def _finished(self, timed: TimedRun) -> None:
        curve = self._curves[timed.variant.name]
        if timed.times is None:
            self._explain(timed.variant, timed.why)
            return
        milliseconds = timed.times.median
        self._curves[timed.variant.name] = replace(
            curve,
            places=(*curve.places, self._place),
            milliseconds=(*curve.milliseconds, milliseconds),
        )
        if milliseconds > SLOWEST and self._place != self._sweep.places[-1]:
            self._ended.add(timed.variant.name)
            self._explain(timed.variant, f"a frame takes {milliseconds / 1e3:.1f} s there")

    def _explain(self, variant: Variant, why: str) -> None:
        self._curves[variant.name] = replace(self._curves[variant.name], why=why)


def axis_label(sweep: Sweep) -> str:
    """Return the axis label of the swept parameter, with its unit."""
    return f"{sweep.label} ({sweep.unit})" if sweep.unit else sweep.label
