"""The surroundings of the probed pixel and of its match, one above the other."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.panels.costs.cost_plot import LINE
from wheatstone.viewer.panels.costs.cost_traces import Traces
from wheatstone.viewer.panels.widgets import Rgba, opaque, plot_spacing
from wheatstone.viewer.picture.panes import CHOSEN
from wheatstone.viewer.screen.dear_imgui import imgui, implot
from wheatstone.viewer.sources.grey import grey_levels

ROWS, COLUMNS = 9, 41


def patch(image: NDArray[np.uint8], row: int, column: int) -> NDArray[np.float64]:
    """Cut out grey levels around a pixel, (ROWS, COLUMNS); the image's edge repeats outside it."""
    height, width = image.shape[:2]
    rows = np.clip(np.arange(row - ROWS // 2, row + ROWS // 2 + 1), 0, height - 1)
    columns = np.clip(np.arange(column - COLUMNS // 2, column + COLUMNS // 2 + 1), 0, width - 1)
    return grey_levels(np.ascontiguousarray(image[np.ix_(rows, columns)])).astype(np.float64)


class Patches:
    """Two patches of grey levels, updated when the pixel or its match changes."""

    def __init__(self) -> None:
        self._cut_for: tuple[Traces, int] | None = None
        self._patches: list[NDArray[np.float64]] = []

    def draw(self, traces: Traces, disparity: int, scale: float) -> None:
        """Draw both patches in the free part of the window, the left view's on top.

        Args:
            disparity: of the match, in pixels.
            scale: screen pixels per unscaled unit.
        """
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
    """Draw one patch with its middle pixel outlined."""
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
