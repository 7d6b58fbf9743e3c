"""Axes of the stage strip's plots: ticks, limits, and the roofs that are drawn on them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from gpu.analysis.roofline import Peaks
from viewer.panels.stages.stage_strip import Strip, number


def nice_ticks(longest: float, most: int = 6) -> list[float]:
    """Round numbers from 0 to at most a length, a step of 1, 2 or 5 apart, not more than ``most``.

    Empty for a length that is not positive.
    """
    if longest <= 0:
        return []
    exponent = -9
    steps = (base * 10.0**e for e in range(exponent, 12) for base in (1, 2, 5))
    step = next(step for step in steps if longest / step < most)
    return [n * step for n in range(int(longest / step + 1e-9) + 1)]


def frame_limit(milliseconds: Sequence[float]) -> float:
    """Up to where a plot of frame times goes: spikes are seen, but do not flatten the rest."""
    if not len(milliseconds):
        return 1.0
    middle, highest = median(milliseconds), max(milliseconds)
    return float(max(2 * middle, min(1.1 * highest, 6 * middle), 1e-3))


@dataclass(frozen=True)
class Roof:
    """A straight part of a roof: what limits, and its ends in operations a byte and in Gop/s."""

    name: str
    xs: tuple[float, float]
    ys: tuple[float, float]


def roofs(peaks: Peaks, low: float, high: float) -> list[Roof]:
    """The parts of a roof between two intensities: memory's slope, then arithmetic's level."""
    ridge = peaks.ridge or math.inf
    parts = []
    if ridge > low:
        copied = number(peaks.copy_gigabytes_per_second)
        parts.append((f"copy {copied} GB/s", (low, min(ridge, high))))
    if ridge < high:
        peak = number((peaks.gigaoperations_per_second or 0) / 1e3)
        parts.append((f"nominal peak {peak} Top/s", (max(low, ridge), high)))
    return [Roof(name, xs, (peaks.roof(xs[0]), peaks.roof(xs[1]))) for name, xs in parts]


def decades(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten around positive numbers, at least one decade apart; 1 to 10 without any."""
    if not values:
        return 1.0, 10.0
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return 10.0**low, 10.0**high


def decade_ticks(low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """Powers of ten from one to another, evenly left out if too many; and their labels."""
    first, last = round(math.log10(low)), round(math.log10(high))
    every = -(-(last - first + 1) // most)
    powers = range(first, last + 1, every)
    return [10.0**power for power in powers], [f"{10.0**power:g}" for power in powers]


def roofline_extent(strips: Sequence[Strip]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Whole decades of operations a byte and of Gop/s that show all points and the ridges."""
    points = [line.point for strip in strips for line in strip.lines]
    peaks = [strip.peaks for strip in strips if strip.peaks]
    xs = [p.intensity for p in points if p.intensity] + [p.ridge for p in peaks if p.ridge]
    across = decades(xs)
    ys = [p.gigaoperations_per_second for p in points if p.gigaoperations_per_second]
    roofs = [roof for p in peaks for roof in (p.roof(min(xs, default=1.0)), p.roof(across[1]))]
    return across, decades([*ys, *roofs])
