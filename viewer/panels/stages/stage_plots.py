"""The plots of the stage panel: the roofline with a point per stage, and frame times."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.roofline import Peaks
from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.axes import decade_ticks, decades, filling_plot
from wheatstone.viewer.panels.stages.stage_strip import StageLine, Strip, number
from wheatstone.viewer.panels.widgets import opaque
from wheatstone.viewer.words import spoken


def frame_limit(milliseconds: Sequence[float]) -> float:
    """Choose the upper limit of the plot of frame times, so that spikes do not flatten the rest."""
    if not len(milliseconds):
        return 1.0
    middle, highest = median(milliseconds), max(milliseconds)
    return float(max(2 * middle, min(1.1 * highest, 6 * middle), 1e-3))


@dataclass(frozen=True)
class Roof:
    """A straight part of a roofline: the name of its limit, and both ends of the line.

    Attributes:
        xs: in operations per byte.
        ys: in Gop/s.
    """

    name: str
    xs: tuple[float, float]
    ys: tuple[float, float]


def roofs(peaks: Peaks, low: float, high: float) -> list[Roof]:
    """Return the parts of a device's roofline between two operations-per-byte values."""
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
    """Return axis limits, in whole decades, that show all points and rooflines.

    The x axis is in operations per byte, the y axis in Gop/s.
    """
    points = [line.point for strip in strips for line in strip.lines]
    peaks = [strip.peaks for strip in strips if strip.peaks]
    xs = [p.intensity for p in points if p.intensity] + [p.ridge for p in peaks if p.ridge]
    across = decades(xs)
    ys = [p.gigaoperations_per_second for p in points if p.gigaoperations_per_second]
    roofs = [roof for p in peaks for roof in (p.roof(min(xs, default=1.0)), p.roof(across[1]))]
    return across, decades([*ys, *roofs])


GREY = Ink("curve")
RIM = Ink("sum")
MOST_TICKS = 5
MEDIAN = Ink("bars")


def draw_roofline(strips: Sequence[Strip]) -> None:
    """Draw the devices' rooflines and a point per stage: a circle for run A, a diamond for B."""
    if not any(strip.peaks and strip.lines for strip in strips):
        imgui.text_disabled("measuring the device's memory ...")
        return
    (left, right), (bottom, top) = roofline_extent(strips)
    devices = _roofs_of_devices(strips, left, right)
    imgui.text_disabled(roofs_in_words(devices))  # above the plot, since points fill it
    with filling_plot("roofline") as seen:
        if not seen:
            return
        marks = "   (A round, B diamond)" if len(strips) > 1 else ""
        implot.setup_axes(f"operations / byte{marks}", "Gop/s")
        for axis, low, high in ((0, left, right), (3, bottom, top)):
            implot.setup_axis_scale(axis, implot.Scale_.log10)
            implot.setup_axis_limits(axis, low, high, imgui.Cond_.always)
            implot.setup_axis_ticks(axis, *decade_ticks(low, high, MOST_TICKS))
        for whose, parts in devices:
            for part in parts:
                spec = implot.Spec(line_color=GREY, line_weight=1.5)
                name = f"##{whose}{part.name}"
                implot.plot_line(name, np.array(part.xs), np.array(part.ys), spec=spec)
        for strip in strips:
            for line in strip.lines:
                _draw_point(strip, line)
        if implot.is_plot_hovered():
            _explain_nearest(strips)


def _roofs_of_devices(
    strips: Sequence[Strip], left: float, right: float
) -> list[tuple[str, list[Roof]]]:
    """Return the roofline of every device; if A and B use two devices, with the letter as label."""
    of_devices = {strip.device: (strip.letter, strip.peaks) for strip in strips if strip.peaks}
    return [
        (f"{letter}: " if len(of_devices) > 1 else "", roofs(peaks, left, right))
        for letter, peaks in of_devices.values()
    ]


def roofs_in_words(devices: Sequence[tuple[str, Sequence[Roof]]]) -> str:
    """Describe the rooflines in one line; for two devices only their memory bandwidths."""
    if len(devices) == 1:
        return ", ".join(part.name for part in devices[0][1])
    return ", ".join(f"{whose}{part.name}" for whose, parts in devices for part in parts[:1])


def _draw_point(strip: Strip, line: StageLine) -> None:
    x, y = line.point.intensity, line.point.gigaoperations_per_second
    if x is None or y is None:
        return
    spec = implot.Spec(
        marker=implot.Marker_.circle if strip.letter == "A" else implot.Marker_.diamond,
        marker_size=imgui.get_font_size() / 3,
        marker_fill_color=opaque(line.color),
        marker_line_color=RIM,
    )
    name = f"##{strip.letter}{line.stage}"
    implot.plot_scatter(name, np.array([x]), np.array([y]), spec=spec)


def _explain_nearest(strips: Sequence[Strip]) -> None:
    """Draw a tooltip for the stage whose point is under the mouse."""
    mouse, reach = imgui.get_mouse_pos(), imgui.get_font_size() * 0.7
    for strip in strips:
        for line in strip.lines:
            x, y = line.point.intensity, line.point.gigaoperations_per_second
            if x is None or y is None:
                continue
            place = implot.plot_to_pixels(x, y)
            if max(abs(place.x - mouse.x), abs(place.y - mouse.y)) <= reach:
                imgui.set_tooltip(
                    f"{strip.letter}  {spoken(line.stage)}\n"
                    f"{number(x)} operations / byte, {number(y)} Gop/s, "
                    f"{number(line.point.gigabytes_per_second)} GB/s"
                )


def draw_frame_times(milliseconds: NDArray[np.float64]) -> None:
    """Plot times between frames: (N,) milliseconds, the newest on the right, and their median."""
    if milliseconds.size == 0:
        imgui.text_disabled("no frames yet")
        return
    middle = median(milliseconds.tolist())
    with filling_plot("frame times") as seen:
        if not seen:
            return
        implot.setup_axes("frames ago", "ms")
        implot.setup_axis_limits(0, -600, 0, imgui.Cond_.always)
        implot.setup_axis_limits(3, 0, frame_limit(milliseconds.tolist()), imgui.Cond_.always)
        ago = np.arange(1.0 - milliseconds.size, 1.0)
        implot.plot_line("##frames", ago, milliseconds, spec=implot.Spec(line_color=GREY))
        spec = implot.Spec(line_color=MEDIAN, flags=implot.InfLinesFlags_.horizontal)
        implot.plot_inf_lines(f"median {middle:.2f} ms", np.array([middle]), spec=spec)
