"""Compute limits of the stage strip's plots, and the roofs of the roofline plot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from wheatstone.gpu.analysis.roofline import Peaks
from wheatstone.viewer.panels.axes import decades
from wheatstone.viewer.panels.stages.stage_strip import Strip, number


def frame_limit(milliseconds: Sequence[float]) -> float:
    """Choose the upper end of a plot of frame times: spikes show, but do not flatten the rest."""
    if not len(milliseconds):
        return 1.0
    middle, highest = median(milliseconds), max(milliseconds)
    return float(max(2 * middle, min(1.1 * highest, 6 * middle), 1e-3))


@dataclass(frozen=True)
class Roof:
    """A straight part of a roof: the name of the limit, and both ends of the line.

    Attributes:
        xs: in operations per byte.
        ys: in Gop/s.
    """

    name: str
    xs: tuple[float, float]
    ys: tuple[float, float]


def roofs(peaks: Peaks, low: float, high: float) -> list[Roof]:
    """Cut a roof at two intensities and list its parts: memory's slope, then arithmetic's level."""
    ridge = peaks.ridge or math.inf
    parts = []
    if ridge > low:
        copied = number(peaks.copy_gigabytes_per_second)
        parts.append((f"copy {copied} GB/s", (low, min(ridge, high))))
    if ridge < high:
        peak = number((peaks.gigaoperations_per_second or 0) / 1e3)
        parts.append((f"nominal peak {peak} Top/s", (max(low, ridge), high)))
    return [Roof(name, xs, (peaks.roof(xs[0]), peaks.roof(xs[1]))) for name, xs in parts]


def roofline_extent(strips: Sequence[Strip]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Choose whole decades of operations per byte and Gop/s that show all points and ridges."""
    points = [line.point for strip in strips for line in strip.lines]
    peaks = [strip.peaks for strip in strips if strip.peaks]
    xs = [p.intensity for p in points if p.intensity] + [p.ridge for p in peaks if p.ridge]
    across = decades(xs)
    ys = [p.gigaoperations_per_second for p in points if p.gigaoperations_per_second]
    roofs = [roof for p in peaks for roof in (p.roof(min(xs, default=1.0)), p.roof(across[1]))]
    return across, decades([*ys, *roofs])
