"""Two plots: stages under the roofline of their device, and the times of the last frames."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median

import numpy as np
from numpy.typing import NDArray

from viewer.panels.stages.stage_axes import (
    Roof,
    decade_ticks,
    frame_limit,
    roofline_extent,
    roofs,
)
from viewer.panels.stages.stage_strip import StageLine, Strip, number

GREY = (0.75, 0.75, 0.77, 1.0)
MOST_TICKS = 5
MEDIAN = (0.34, 0.71, 0.91, 1.0)


def draw_roofline(strips: Sequence[Strip]) -> None:
    """One point a stage: a circle for A, a diamond for B; above them what the device could do."""
    from imgui_bundle import imgui, implot

    if not any(strip.peaks and strip.lines for strip in strips):
        imgui.text_disabled("measuring the device's memory ...")
        return
    (left, right), (bottom, top) = roofline_extent(strips)
    devices = _roofs_of_devices(strips, left, right)
    imgui.text_disabled(roofs_in_words(devices))  # above the plot, since points fill it
    with _plot("roofline") as seen:
        if not seen:
            return
        marks = "   (A round, B diamond)" if len(strips) > 1 else ""
        implot.setup_axes(f"operations / byte{marks}", "Gop/s")
        for axis, low, high in ((0, left, right), (3, bottom, top)):
            implot.setup_axis_scale(axis, implot.Scale_.log10)
            implot.setup_axis_limits(axis, low, high, imgui.Cond_.always)
            implot.setup_axis_ticks(axis, *decade_ticks(low, high, MOST_TICKS))
        for whose, parts in devices:
            _draw_roofs(whose, parts)
        for strip in strips:
            for line in strip.lines:
                _draw_point(strip, line)
        if implot.is_plot_hovered():
            _explain_nearest(strips)


def _roofs_of_devices(
    strips: Sequence[Strip], left: float, right: float
) -> list[tuple[str, list[Roof]]]:
    """The roof of every device, after whose it is; A and B may share one."""
    found = {strip.device: (strip.letter, strip.peaks) for strip in strips if strip.peaks}
    return [
        (f"{letter}: " if len(found) > 1 else "", roofs(peaks, left, right))
        for letter, peaks in found.values()
    ]


def roofs_in_words(devices: Sequence[tuple[str, Sequence[Roof]]]) -> str:
    """What limits, in a line; two devices' memory only, for their arithmetic has no room."""
    if len(devices) == 1:
        return ", ".join(part.name for part in devices[0][1])
    return ", ".join(f"{whose}{part.name}" for whose, parts in devices for part in parts[:1])


def _draw_roofs(whose: str, parts: Sequence[Roof]) -> None:
    from imgui_bundle import implot

    for part in parts:
        spec = implot.Spec(line_color=GREY, line_weight=1.5)
        name = f"##{whose}{part.name}"
        implot.plot_line(name, np.array(part.xs), np.array(part.ys), spec=spec)


def _draw_point(strip: Strip, line: StageLine) -> None:
    from imgui_bundle import imgui, implot

    x, y = line.point.intensity, line.point.gigaoperations_per_second
    if x is None or y is None:
        return
    red, green, blue = (channel / 255 for channel in line.color)
    spec = implot.Spec(
        marker=implot.Marker_.circle if strip.letter == "A" else implot.Marker_.diamond,
        marker_size=imgui.get_font_size() / 3,
        marker_fill_color=(red, green, blue, 1.0),
        marker_line_color=(1.0, 1.0, 1.0, 1.0),
    )
    name = f"##{strip.letter}{line.stage}"
    implot.plot_scatter(name, np.array([x]), np.array([y]), spec=spec)


def _explain_nearest(strips: Sequence[Strip]) -> None:
    """Name the point under the mouse."""
    from imgui_bundle import imgui, implot

    mouse, reach = imgui.get_mouse_pos(), imgui.get_font_size() * 0.7
    for strip in strips:
        for line in strip.lines:
            x, y = line.point.intensity, line.point.gigaoperations_per_second
            if x is None or y is None:
                continue
            place = implot.plot_to_pixels(x, y)
            if max(abs(place.x - mouse.x), abs(place.y - mouse.y)) <= reach:
                imgui.set_tooltip(
                    f"{strip.letter}  {line.stage.replace('_', ' ')}\n"
                    f"{number(x)} operations / byte, {number(y)} Gop/s, "
                    f"{number(line.point.gigabytes_per_second)} GB/s"
                )


def draw_frame_times(milliseconds: NDArray[np.float64]) -> None:
    """From picture to picture, the newest on the right, and their median.

    Args:
        milliseconds: (N,), oldest first.
    """
    from imgui_bundle import imgui, implot

    if milliseconds.size == 0:
        imgui.text_disabled("no frames yet")
        return
    middle = median(milliseconds.tolist())
    with _plot("frame times") as seen:
        if not seen:
            return
        implot.setup_axes("frames ago", "ms")
        implot.setup_axis_limits(0, -600, 0, imgui.Cond_.always)
        implot.setup_axis_limits(3, 0, frame_limit(milliseconds.tolist()), imgui.Cond_.always)
        ago = np.arange(1.0 - milliseconds.size, 1.0)
        implot.plot_line("##frames", ago, milliseconds, spec=implot.Spec(line_color=GREY))
        spec = implot.Spec(line_color=MEDIAN, flags=implot.InfLinesFlags_.horizontal)
        implot.plot_inf_lines(f"median {middle:.2f} ms", np.array([middle]), spec=spec)


@contextmanager
def _plot(name: str) -> Iterator[bool]:
    """A plot that fills what is free, tight at its edges; whether any of it is seen."""
    from imgui_bundle import imgui, implot

    font = imgui.get_font_size()
    implot.push_style_var(implot.StyleVar_.plot_padding, (font, font / 2))
    implot.push_style_var(implot.StyleVar_.label_padding, (font / 4, font / 6))
    implot.push_style_var(implot.StyleVar_.plot_min_size, (4 * font, 4 * font))
    flags = implot.Flags_.no_title | implot.Flags_.no_menus | implot.Flags_.no_mouse_text
    seen = implot.begin_plot(f"##{name}", (-1, -1), int(flags))
    yield seen
    if seen:
        implot.end_plot()
    implot.pop_style_var(3)
