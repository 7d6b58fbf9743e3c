"""The charts of a report, drawn with Matplotlib and returned as SVG."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from wheatstone.viewer.cli.report.svg import SERIES, Notes, color_of, page_svg
from wheatstone.viewer.figures.sheet import settings
from wheatstone.viewer.io.reading.plain_text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 360, 268  # points of a chart without its legend, whose lines are higher than texts
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 10, 40  # points around the plot
LINE, TEXT, SMALL = 17, 12, 11.25
BAR, FIRST, SHARES = 22, 98, 200  # points: a bar and its gap, where bars begin, how long they are
MARKERS = "os^DvPHX*p"
DASHES: tuple[Any, ...] = (
    *("solid", (0, (4, 2)), (0, (1.3, 1.3))),
    *((0, (5.3, 2, 1.3, 2)), (0, (0.7, 2))),
)
Limits = tuple[float, float]
Style = dict[str, Any]


class ChartMark(NamedTuple):
    """A data point in a chart, with its title and its path in the report's document."""

    x: float
    y: float
    at: str
    title: str


class StageBar(NamedTuple):
    """A bar in a chart that shows every stage's share of a frame's time.

    Attributes:
        shares: the share of each part, and the index of the part in the legend.
        text, at: the number at the end of the bar, and its place in the document.
    """

    name: str
    shares: Sequence[tuple[float, int]]
    text: str
    at: str


def sweep_chart(
    series: Mapping[str, Sequence[ChartMark]], looks: Mapping[str, int], label: str, caption: str
) -> str:
    """Draw a chart of median times over a swept parameter, one line per variant, as SVG.

    Args:
        series: the measured times of every variant.
        looks: the number of every variant, which chooses colour, marker and dashes.
        label: the parameter with its unit.
    """
    marks = [mark for some in series.values() for mark in some]
    with settings():
        figure, axes = _plot(series, label, "ms per frame")
        _scale_at_values(axes, sorted({mark.x for mark in marks}))
        _scale_by_decades(axes, "y", [mark.y for mark in marks])
        return _drawn(figure, axes, series, looks, caption, joined=True)


def roofline_chart(
    series: Mapping[str, Sequence[ChartMark]],
    looks: Mapping[str, int],
    letters: Sequence[tuple[float, float, str]],
    roof: tuple[float, float | None],
    caption: str,
) -> str:
    """Draw a roofline chart as SVG: performance of stages, and limits of their device.

    Args:
        letters: names of stages with the places above which they stand.
        roof: GB/s of a plain copy, and Gop/s of the arithmetic's peak, if it is known.
    """
    copy, peak = roof[0], roof[1] or math.inf
    marks = [mark for some in series.values() for mark in some]
    with settings():
        figure, axes = _plot(series, "operations per byte", "Gop/s")
        low, high = _scale_by_decades(axes, "x", [mark.x for mark in marks])
        top = min(peak, copy * high)
        limits = _scale_by_decades(axes, "y", [*(mark.y for mark in marks), top])
        corners = _roof((low, high), limits, copy, peak)
        axes.plot(*zip(*corners, strict=True), color=color_of("ink"), lw=1.5)
        for x, y, text in letters:
            axes.annotate(
                visible(text),
                (x, y),
                (0, 7),
                textcoords="offset points",
                ha="center",
                size=SMALL,
                color=color_of("ink"),
            )
        return _drawn(figure, axes, series, looks, caption, joined=False)


def _roof(x: Limits, y: Limits, copy: float, peak: float) -> list[tuple[float, float]]:
    """List the corners of the roofline within the plot: a slope, then a level line."""
    places = sorted({*x, y[0] / copy, peak / copy})
    roof = [(at, min(copy * at, peak)) for at in places if x[0] <= at <= x[1]]
    return [corner for corner in roof if y[0] * (1 - 1e-9) <= corner[1] <= y[1]] or [(x[1], y[1])]


def bar_chart(bars: Sequence[StageBar], parts: Sequence[tuple[str, str]], caption: str) -> str:
    """Draw bars below each other as SVG, each divided into labelled parts."""
    tall = BAR * len(bars) + 10
    notes: Notes = {}
    with settings():
        figure, axes = _canvas(tall + LINE * -(-len(parts) // 2))
        for row, bar in enumerate(bars):
            y, x = BAR * row + 10.5, float(FIRST)
            _write(axes, 0, y, bar.name)
            _write(axes, WIDTH, y, bar.text, ha="right", gid=bar.at)
            for share, part in bar.shares:
                letter, name = parts[part]
                notes[f"part {row} {part}"] = [("", f"{name}: {share:.0%}")]
                _add_part(axes, (x, y, SHARES * share, 17), part, letter, f"part {row} {part}")
                x += SHARES * share
        for number, (letter, name) in enumerate(parts):
            x, y = WIDTH / 2 * (number % 2), tall + LINE * (number // 2) + 7
            _add_part(axes, (x, y, 14, 14), number, letter, "")
            _write(axes, x + 19, y, name, size=SMALL)
        return page_svg(figure, caption, notes)


def _add_part(
    axes: "Axes", box: tuple[float, float, float, float], part: int, letter: str, name: str
) -> None:
    """Draw a part of a bar, and its letter if it fits; the box is x, middle, width, height."""
    x, y, width, height = box
    number = part % SERIES
    style: Style = {"fc": color_of(f"s{number}"), "ec": color_of("paper"), "lw": 0.75}
    axes.barh(y, width, height, x, gid=name, **style)
    if width >= SHARES / 20 or not name:
        _write(
            axes, x + width / 2, y, letter, ha="center", gid="letter", color=color_of(f"on{number}")
        )


def _write(axes: "Axes", x: float, y: float, text: str, **style: Any) -> None:
    usual: Style = {"va": "center_baseline", "size": TEXT, "color": color_of("ink")}
    axes.text(x, y, visible(text), **usual | style)


def _new_figure(height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH / 72, height / 72), dpi=72)


def _canvas(height: float) -> tuple["Figure", "Axes"]:
    """Create a drawing without axes, whose units are points from the top left."""
    figure = _new_figure(height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height, 0), autoscale_on=False)
    axes.set_axis_off()
    return figure, axes


def _plot(series: Mapping[str, object], x_label: str, y_label: str) -> tuple["Figure", "Axes"]:
    """Create a chart with named axes, a grid, and space for a legend of the series."""
    height = HEIGHT + LINE * -(-len(series) // _columns(series))
    figure = _new_figure(height)
    size = (WIDTH - LEFT - RIGHT) / WIDTH, (HEIGHT - TOP - BOTTOM) / height
    axes = figure.add_axes((LEFT / WIDTH, 1 - TOP / height - size[1], *size))
    for name, label in (("x", x_label), ("y", y_label)):
        getattr(axes, f"set_{name}label")(visible(label), color=color_of("quiet"), size=TEXT)
    axes.yaxis.set_label_coords((15 - LEFT) / (WIDTH - LEFT - RIGHT), 0.5)
    axes.tick_params(length=0, labelcolor=color_of("ink"), labelsize=TEXT)
    axes.grid(color=color_of("line"), lw=1)
    axes.set_axisbelow(True)
    axes.spines[:].set_color(color_of("line"))
    return figure, axes


def _columns(names: Mapping[str, object]) -> int:
    """Return the number of columns of a legend, which depends on its longest name."""
    return max(min(54 // (max(map(len, names)) + 3), 3), 1)


def _scale_by_decades(axes: "Axes", name: str, values: Sequence[float]) -> Limits:
    """Make an axis logarithmic with ticks at powers of ten, or also at 2 and 5; return limits."""
    from matplotlib.ticker import LogLocator, NullLocator

    limits = min(values) / 1.25, max(values) * 1.25
    axes.set(**{f"{name}scale": "log", f"{name}lim": limits})
    decades = math.floor(math.log10(limits[1])) - math.ceil(math.log10(limits[0])) + 1
    axis = getattr(axes, f"{name}axis")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 3 else (1.0,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")
    return limits


def _scale_at_values(axes: "Axes", steps: Sequence[float]) -> None:
    """Place a tick at every value on the x axis, logarithmic if the values grow by factors."""
    low, high = steps[0], steps[-1]
    if low > 0 and high >= 4 * low and all(b / a >= 1.25 for a, b in pairwise(steps)):
        axes.set(xscale="log", xlim=(low / 1.15, high * 1.15))
    else:
        margin = 0.05 * (high - low) or 1.0
        axes.set_xlim(low - margin, high + margin)
    axes.set_xticks(steps, [f"{value:g}" for value in steps])
    axes.minorticks_off()


def _drawn(
    figure: "Figure",
    axes: "Axes",
    series: Mapping[str, Sequence[ChartMark]],
    looks: Mapping[str, int],
    caption: str,
    *,
    joined: bool,
) -> str:
    """Draw series of data points with their legend, and return the chart as SVG."""
    from matplotlib.lines import Line2D

    keys, notes = [], Notes()
    for name, marks in series.items():
        index = looks[name]
        color = color_of(f"s{index if index < SERIES else 2 + (index - SERIES) % (SERIES - 2)}")
        dashes = DASHES[index % len(DASHES)] if joined else "none"
        line: Style = {"color": color, "lw": 1.5, "ls": dashes}
        dots: Style = {"color": color, "marker": MARKERS[index % len(MARKERS)], "ms": 8}
        dots |= {"mec": color_of("paper"), "mew": 0.75}
        x, y = [mark.x for mark in marks], [mark.y for mark in marks]
        if joined and len(marks) > 1:
            axes.plot(x, y, **line)
        axes.plot(x, y, ls="none", gid=f"series {index}", zorder=3, clip_on=False, **dots)
        notes[f"series {index}"] = [(mark.at, mark.title) for mark in marks]
        keys.append(Line2D([], [], **line | dots))
    figure.legend(
        keys,
        list(map(visible, series)),
        ncols=_columns(series),
        loc="lower left",
        bbox_to_anchor=(0, 0),
        borderaxespad=0,
        borderpad=0.2,
        labelspacing=0.4,
        handlelength=2.2,
        frameon=False,
        fontsize=SMALL,
        labelcolor=color_of("ink"),
    )
    return page_svg(figure, caption, notes)
