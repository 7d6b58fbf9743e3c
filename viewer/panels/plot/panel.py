"""The panel that plots values of the frames shown over time, for runs A and B."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.changes import Changes
from wheatstone.viewer.display.frames.figures import SlotFigures
from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.axes import filling_plot
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.plot.frame_values import FrameValues, Quantity, quantities
from wheatstone.viewer.panels.widgets import QUIET, draw_wrapped, stay_on_line, text_width

INKS = {"A": Ink("letter a"), "B": Ink("letter b"), "": Ink("curve")}
WIDTH, HEIGHT = 15.0, 7.5  # of a plot at least, in sizes of the font
FEWEST_TICKS = 8  # frames up to which each has a tick, so that none lies between two
FEW = 60  # points up to which each has a marker
MARGIN = 0.1  # above and below the values, in parts of their range
SMALLEST = 0.01  # range of values that a plot shows at least, in parts of the largest
EMPTY = "No values so far: each frame shown adds its own."
Curves = dict[str, NDArray[np.float64]]


class PlotPanel(Body):
    """The contents of the plot panel, which collects values while it is open."""

    def __init__(self) -> None:
        self._values = FrameValues()
        self._figures: tuple[SlotFigures, ...] = ()
        self._changes: tuple[Changes, ...] = ()
        self._curves: dict[Quantity, Curves] = {}
        self._made_of: object = None  # number of changes and convention of the curves

    def update(self, context: PanelContext) -> None:
        """Request the error figures of the runs shown, and collect the values of the frame."""
        session, state = context.session, context.state
        self._figures, self._changes = session.figures.slots, tuple(session.changes.values())
        for changes in self._changes:
            changes.followed = True
        runners, used = (session.a, session.b), (state.mixing.uses_a, state.mixing.uses_b)
        for figures, runner, on in zip(self._figures, runners, used, strict=True):
            if on:
                figures.update(session, runner)
        self._values.follow(session)
        made_of = self._values.changes, state.truth.convention
        if made_of != self._made_of:
            shown = quantities(state.truth.convention)
            self._curves = {each: self._values.curves(each.title) for each in shown}
            self._made_of = made_of

    def close(self) -> None:
        """Stop measuring the changes between frames, unless a view shows them."""
        for changes in self._changes:
            changes.followed = False

    @property
    def busy(self) -> bool:
        return any(figures.busy for figures in self._figures)

    def csv(self, context: PanelContext) -> str:
        """Format all collected values as CSV."""
        return self._values.csv(tuple(self._curves))

    def draw(self, context: PanelContext) -> None:
        """Draw a plot for every quantity that has values, and list why the others have none."""
        shown = {quantity: curves for quantity, curves in self._curves.items() if curves}
        lacking = [f"{q.title} {q.lacks}" for q in self._curves if q not in shown]
        words = f"Without values: {'; '.join(lacking)}." if lacking else ""
        if not shown:
            draw_wrapped(EMPTY, QUIET)
            draw_wrapped(words, QUIET)
            return
        room, font = imgui.get_content_region_avail(), imgui.get_font_size()
        across = min(max(int(room.x // (WIDTH * font)), 1), len(shown))
        below = imgui.calc_text_size(words, wrap_width=room.x).y
        lines = -(-len(shown) // across)
        each = (room.y - below) / lines - imgui.get_text_line_height() - 2 * font
        if imgui.begin_table("plots", across, imgui.TableFlags_.sizing_stretch_same):
            for quantity, curves in shown.items():
                imgui.table_next_column()
                _draw_quantity(context, quantity, curves, max(each, HEIGHT * font))
            imgui.end_table()
        if words:
            draw_wrapped(words, QUIET)


def _draw_quantity(
    context: PanelContext, quantity: Quantity, curves: Curves, height: float
) -> None:
    """Draw the newest values of a quantity as text, and its plot below."""
    frame = context.session.frame_shown
    index = frame.index if frame else 0
    imgui.text(f"{quantity.title} ({quantity.unit})")
    for letter, points in curves.items():
        words = f"{letter} {value_at(points, index):.3g}".strip()
        stay_on_line(text_width(words))
        imgui.text_colored(INKS[letter], words)
    with filling_plot(quantity.title, height) as seen:
        if seen:
            _draw_curves(context, quantity, curves, index)


def value_at(points: NDArray[np.float64], frame: int) -> float:
    """Return a curve's value at a frame, or at the nearest frame that has a value."""
    return float(points[np.argmin(np.abs(points[:, 0] - frame)), 1])


def limits(curves: Curves) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the limits of a plot's axes: the range of frames, and of values with a margin."""
    points = np.concatenate(list(curves.values()))
    (first, low), (last, high) = points.min(axis=0), points.max(axis=0)
    reach = max(high - low, SMALLEST * abs(high), 1e-3)
    bottom = max(low - MARGIN * reach, 0.0) if low >= 0 else low - MARGIN * reach
    return (first - 0.5, last + 0.5), (bottom, high + MARGIN * reach)


def _draw_curves(context: PanelContext, quantity: Quantity, curves: Curves, index: int) -> None:
    """Draw the curves of a quantity in the current plot; a click shows the frame at the cursor."""
    across, up = limits(curves)
    plain = implot.AxisFlags_.no_label | implot.AxisFlags_.no_highlight
    implot.setup_axes("frame", quantity.unit, int(plain), int(plain))
    implot.setup_axis_limits(int(implot.ImAxis_.x1), *across, imgui.Cond_.always)
    if across[1] - across[0] <= FEWEST_TICKS:
        frames = np.arange(round(across[0] + 0.5), round(across[1] + 0.5))
        labels = [f"{frame}" for frame in frames]
        implot.setup_axis_ticks(int(implot.ImAxis_.x1), frames.astype(float).tolist(), labels)
    implot.setup_axis_limits(int(implot.ImAxis_.y1), *up, imgui.Cond_.always)
    spec = implot.Spec(line_color=QUIET)
    implot.plot_inf_lines("##shown", np.array([float(index)]), spec=spec)
    for letter, points in curves.items():
        kinds, ink = implot.Marker_, INKS[letter]
        spec = implot.Spec(
            line_color=ink,
            line_weight=imgui.get_font_size() / 10,
            marker=kinds.circle if len(points) <= FEW else kinds.none,
            marker_size=imgui.get_font_size() / 6,
            marker_fill_color=ink,
            marker_line_color=ink,
        )
        frames, values = (np.ascontiguousarray(column) for column in points.T)
        implot.plot_line(f"##{letter}", frames, values, spec=spec)
    if implot.is_plot_hovered():
        _point(context.state, quantity, curves, goes=not context.session.source.live)


def _point(state: ViewerState, quantity: Quantity, curves: Curves, *, goes: bool) -> None:
    """Draw a tooltip with the values of the frame at the cursor; if ``goes``, a click shows it."""
    frames = np.concatenate([points[:, 0] for points in curves.values()])
    frame = int(frames[np.argmin(np.abs(frames - implot.get_plot_mouse_pos().x))])
    words = [
        f"{letter or quantity.title} {value_at(points, frame):.4g} {quantity.unit}"
        for letter, points in curves.items()
        if frame in points[:, 0]
    ]
    imgui.set_tooltip("\n".join([f"frame {frame}", *words, *["click to show it"] * goes]))
    if goes and imgui.is_mouse_clicked(0):
        state.paused, state.frame = True, frame
