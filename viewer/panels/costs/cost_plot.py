"""The plot of a pixel's cost curves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.sgm.curves import Curves
from wheatstone.viewer.display.picture.panes import CHOSEN
from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.display.screen.style import SERIES, Ink
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.panels.costs.cost_traces import Traces, heights
from wheatstone.viewer.panels.widgets import AMBER, Rgba, opaque, plot_spacing

SUM = Ink("sum")
BARS = {
    "C": ("C", Ink("cost", 0.6)),
    "C gradient": ("ΔG", Ink("gradient cost")),
    "C census": ("C", Ink("cost")),
    "C outside": ("##outside", Ink("cost", 0.3)),
}
"""The label and the colour of each kind of bar."""
LINE, LIMIT, TRUTH = Ink("line"), Ink("limit"), Ink("truth")
VERTEX = AMBER
LABEL = Ink("label ground", 0.9)  # behind a label
SPACES = {"plot_padding": (6, 4), "legend_padding": (0, 8), "plot_min_size": (80, 60)}


@dataclass(frozen=True)
class PointLabel:
    """A text next to a point in the plot of cost curves, with its colour and offset."""

    text: str
    color: Rgba
    offset: tuple[float, float]  # from the point to the label, in pixels to the right and down


def draw_plot(traces: Traces, disparity: int | None, scale: float, *, fresh: bool) -> int | None:
    """Draw a pixel's cost curves and a marker line; return the disparity to which it is dragged.

    The left button moves the line to the cursor, the wheel zooms, the right button pans.

    Args:
        disparity: position of the line, in pixels; None: at the winner.
        fresh: whether these curves are drawn for the first time: the axes are fitted, else they
            stay as the user moved them.

    Returns:
        The disparity in pixels to which the user drags the line; None if it is not dragged.
    """
    keys, button = implot.get_input_map(), imgui.MouseButton_
    usual = keys.pan, keys.select
    keys.pan, keys.select = int(button.right), int(button.middle)  # the left one takes the line
    with plot_spacing({name: (x * scale, y * scale) for name, (x, y) in SPACES.items()}):
        moved = _draw_curves(traces, disparity, scale, fresh)
    keys.pan, keys.select = usual
    return moved


def _draw_curves(traces: Traces, disparity: int | None, scale: float, fresh: bool) -> int | None:
    """Draw the cost curves' plot; return the disparity to which its marker line is dragged."""
    if not implot.begin_plot("##curves", (-1, -1), int(implot.Flags_.no_mouse_text)):
        return None
    curves = traces.curves
    _set_up_axes(curves, fresh)
    _draw_costs(traces, scale)
    _draw_sums(traces, scale)
    _draw_choice(traces, scale)
    first, last = curves.first, curves.first + curves.sums.size - 1
    at = first + curves.winner if disparity is None else disparity
    inert = int(implot.DragToolFlags_.no_inputs | implot.DragToolFlags_.no_cursors)
    implot.drag_line_x(0, at, LINE, 2 * scale, inert)
    implot.tag_x(at, LINE, f"{at}")
    held = implot.is_plot_hovered() and imgui.is_mouse_down(imgui.MouseButton_.left)
    place = round(implot.get_plot_mouse_pos().x) if held else at
    implot.end_plot()
    return min(max(place, first), last) if held else None


def _set_up_axes(curves: Curves, fresh: bool) -> None:
    """Set up the plot's legend and its axes of disparity, summed costs S, and costs C and L."""
    axes, location = implot.ImAxis_, implot.Location_
    legend, cond = implot.LegendFlags_, implot.Cond_
    implot.setup_axis(axes.x1)
    implot.setup_axis_format(axes.x1, "%g px")
    implot.setup_axis(axes.y1, "S")
    implot.setup_axis(axes.y2, "C, L", int(implot.AxisFlags_.aux_default))
    sums, costs = heights(curves)
    first = curves.first - 0.5
    when = cond.always if fresh else cond.once
    implot.setup_axis_limits(axes.x1, first, first + curves.sums.size, when)
    implot.setup_axis_limits_constraints(axes.x1, first, first + curves.sums.size)
    implot.setup_axis_limits(axes.y1, 0, sums, when)
    implot.setup_axis_limits(axes.y2, 0, costs, when)
    implot.setup_legend(location.north, int(legend.horizontal | legend.outside))


def _draw_costs(traces: Traces, scale: float) -> None:
    """Draw the matching cost C as bars of its components, and each path's cost L as a line."""
    implot.set_axes(implot.ImAxis_.x1, implot.ImAxis_.y2)
    for name, places in traces.bars.items():
        label, color = BARS[name]
        implot.plot_bars(label, *places, 0.6, implot.Spec(line_color=color, fill_color=color))
    for number, name in enumerate(traces.names, traces.number - 1):
        spec = implot.Spec(line_color=SERIES[number % len(SERIES)], line_weight=1.3 * scale)
        implot.plot_line(f"L {name}", traces.x, traces.y[f"L {name}"], spec)


def _draw_sums(traces: Traces, scale: float) -> None:
    """Draw the summed cost S of run A as a bold line, and that of B dashed if it differs."""
    implot.set_axes(implot.ImAxis_.x1, implot.ImAxis_.y1)
    if traces.dashes:
        flags = int(implot.LineFlags_.segments)
        spec = implot.Spec(line_color=SUM, line_weight=1.5 * scale, flags=flags)
        implot.plot_line("S of B", *traces.dashes, spec)
    bold = implot.Spec(line_color=SUM, line_weight=2.6 * scale)
    implot.plot_line("S", traces.x, traces.y["S"], bold)


def _draw_choice(traces: Traces, scale: float) -> None:
    """Draw the fitted curve, threshold, true disparity, runner-up and winner in the plot."""
    curves, unfitted = traces.curves, int(implot.ItemFlags_.no_fit)
    unlisted = unfitted | int(implot.ItemFlags_.no_legend)
    if traces.fit:
        spec = implot.Spec(line_color=VERTEX, line_weight=2 * scale, flags=unlisted)
        implot.plot_line("##fit", *traces.fit, spec)
    if curves.threshold is not None:
        flags = int(implot.InfLinesFlags_.horizontal) | unlisted
        spec = implot.Spec(line_color=LIMIT, line_weight=1.3 * scale, flags=flags)
        implot.plot_inf_lines("##threshold", np.array([curves.threshold]), spec)
        implot.tag_y(curves.threshold, LIMIT, f"{curves.needed} %")
    if traces.truth is not None:
        spec = implot.Spec(line_color=TRUTH, line_weight=1.5 * scale, flags=unfitted)
        implot.plot_inf_lines("truth", np.array([traces.truth]), spec)
    rival, winner = curves.first + curves.rival, curves.first + curves.winner
    side = 1 if rival > winner else -1  # labels stay out of each other's way
    margin = f"runner-up {rival} px, margin {curves.percent:.2f} %"
    label = PointLabel(margin, SUM, (side * 10 * scale, -16 * scale))
    _draw_mark(curves, curves.rival, label, scale)
    label = PointLabel(f"winner {winner} px", VERTEX, (-side * 10 * scale, 0))
    _draw_mark(curves, curves.winner, label, scale)


def _draw_mark(curves: Curves, index: int, label: PointLabel, scale: float) -> None:
    d, total = float(curves.first + index), float(curves.sums[index])
    marker = implot.Marker_.circle if index == curves.winner else implot.Marker_.diamond
    spec = implot.Spec(
        marker=int(marker),
        marker_size=5 * scale,
        marker_line_color=label.color,
        marker_fill_color=label.color,
        flags=int(implot.ItemFlags_.no_legend),
    )
    implot.plot_scatter(f"##{index}", np.array([d]), np.array([total]), spec)
    implot.annotation(d, total, LABEL, label.offset, True, label.text)


ROWS, COLUMNS = 9, 41


def patch(image: NDArray[np.uint8], row: int, column: int) -> NDArray[np.float64]:
    """Cut out grey levels around a pixel, (ROWS, COLUMNS); the image's edge repeats outside it."""
    height, width = image.shape[:2]
    rows = np.clip(np.arange(row - ROWS // 2, row + ROWS // 2 + 1), 0, height - 1)
    columns = np.clip(np.arange(column - COLUMNS // 2, column + COLUMNS // 2 + 1), 0, width - 1)
    return grey_levels(np.ascontiguousarray(image[np.ix_(rows, columns)])).astype(np.float64)


class Patches:
    """Image patches around a pixel and its match, cut out again when either changes."""

    def __init__(self) -> None:
        self._cut_for: tuple[Traces, int] | None = None
        self._patches: list[NDArray[np.float64]] = []

    def draw(self, traces: Traces, disparity: int, scale: float) -> None:
        """Draw the image patches around the pixel and around its match at a disparity in pixels."""
        curves, frame = traces.curves, traces.frame
        if self._cut_for != (traces, disparity) and frame.right is not None:
            places = ((frame.left, curves.column), (frame.right, curves.column - disparity))
            self._patches = [patch(image, curves.row, column) for image, column in places]
            self._cut_for = traces, disparity
        imgui.begin_group()
        free = imgui.get_content_region_avail()
        lines = 2 * imgui.get_text_line_height() + 4 * imgui.get_style().item_spacing.y
        height = min((free.y - lines) / 2, free.x * ROWS / COLUMNS)
        names = (f"left, column {curves.column}", f"right, column {curves.column - disparity}")
        colors: tuple[Rgba, ...] = (opaque(CHOSEN), LINE)
        for name, levels, color in zip(names, self._patches, colors, strict=True):
            imgui.text(name)
            _draw_patch(name.partition(",")[0], levels, height, color, scale)
        imgui.end_group()


def _draw_patch(
    name: str, levels: NDArray[np.float64], height: float, color: Rgba, scale: float
) -> None:
    flags = implot.Flags_.canvas_only | implot.Flags_.no_inputs
    bare = int(implot.AxisFlags_.no_decorations)
    with plot_spacing({"plot_padding": (0, 0), "plot_min_size": (0, 0)}):
        implot.push_colormap(int(implot.Colormap_.greys))
        if implot.begin_plot(f"##{name}", (-1, max(height, 1.0)), int(flags)):
            implot.setup_axes("", "", bare, bare)
            implot.setup_axes_limits(0, COLUMNS, 0, ROWS, implot.Cond_.always)
            ends = implot.Point(0, 0), implot.Point(COLUMNS, ROWS)
            implot.plot_heatmap("##levels", 255 - levels, 0, 255, "", *ends)  # greys end in black
            x, y = COLUMNS // 2, ROWS // 2
            box = np.array([[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]], np.float64)
            spec = implot.Spec(line_color=imgui.ImVec4(*color), line_weight=2 * scale)
            implot.plot_line("##pixel", box[:, 0].copy(), box[:, 1].copy(), spec)
            implot.end_plot()
        implot.pop_colormap()
