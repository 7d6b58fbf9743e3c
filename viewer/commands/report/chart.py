"""Compute the positions of lines, markers, ticks and names of charts, for a template to draw."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDTH, HEIGHT = 360, 268  # of the drawing, in its own units; the text is 11 high
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 10, 40  # around the plot
LEGEND_ROW, LEGEND_COLUMNS = 17, 3
DECADE = (1, 2, 5)
SERIES = 8  # colours, after which they begin again
MARKERS = (
    "M-4,0A4,4 0 1 0 4,0A4,4 0 1 0 -4,0Z",  # circle
    "M-3.5,-3.5H3.5V3.5H-3.5Z",  # square
    "M0,-4.6L4.3,3.4H-4.3Z",  # triangle
    "M0,-4.8L4.8,0L0,4.8L-4.8,0Z",  # diamond
    "M0,4.6L4.3,-3.4H-4.3Z",  # triangle on its tip
    "M-4,-1.4H-1.4V-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4Z",  # plus
    "M-4.5,0L-1.6,-4H1.6L4.5,0L1.6,4H-1.6Z",  # hexagon
    "M-4,-4L0,-1.6L4,-4L1.6,0L4,4L0,1.6L-4,4L-1.6,0Z",  # star
    "M-4.5,-2.4H4.5V2.4H-4.5Z",  # flat rectangle
    "M-2.4,-4.5H2.4V4.5H-2.4Z",  # tall rectangle
)
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3")


@dataclass(frozen=True)
class Point:
    """A measured value in a chart.

    Attributes:
        at: the place of the value in the document, as a JSON pointer.
        stage: the stage that was measured; empty for a whole frame.
    """

    x: float
    y: float
    title: str
    at: str = ""
    stage: str = ""


@dataclass(frozen=True)
class ChartSeries:
    """Points of one kind, such as those of a variant.

    Attributes:
        index: chooses colour, marker and dashes, so that a variant looks the same in every chart.
        joined: whether a line joins the points.
    """

    name: str
    index: int
    points: tuple[Point, ...]
    joined: bool = True

    @property
    def color(self) -> int:
        """Return the number of the colour."""
        return self.index if self.index < SERIES else 2 + self.index % SERIES

    @property
    def marker(self) -> str:
        """Return the outline of the markers, an SVG path around the origin."""
        return MARKERS[self.index % len(MARKERS)]

    @property
    def dashes(self) -> str:
        """Return the dash pattern of the line that joins the points, in SVG syntax."""
        return DASHES[self.index % len(DASHES)]


@dataclass(frozen=True)
class ChartAxis:
    """An axis of a chart.

    Attributes:
        low, high: the values at the ends.
        ticks: values with their labels.
    """

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = True

    def share(self, value: float) -> float:
        """Compute where a value lies, from 0 at ``low`` to 1 at ``high``."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Chart:
    """A chart: series over two axes.

    Attributes:
        roofs: lines without markers, each the values x, y from end to end.
        letters: values x, y with their labels.
    """

    title: str
    x: ChartAxis
    y: ChartAxis
    series: tuple[ChartSeries, ...]
    roofs: tuple[tuple[tuple[float, float], ...], ...] = ()
    letters: tuple[tuple[float, float, str], ...] = ()

    width, left, top = WIDTH, LEFT, TOP
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    @property
    def height(self) -> int:
        """Compute the height of the drawing, including the legend."""
        return HEIGHT + LEGEND_ROW * -(-len(self.series) // LEGEND_COLUMNS)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Convert a pair of values to a position in units of the drawing."""
        across, up = self.x.share(x), self.y.share(y)
        span = self.right - self.left, self.bottom - self.top
        return round(self.left + across * span[0], 1), round(self.bottom - up * span[1], 1)

    def path(self, points: Iterable[tuple[float, float]]) -> str:
        """Write a line through values as an SVG path."""
        places = [self.at(*point) for point in points]
        return "M" + "L".join(f"{x:g},{y:g}" for x, y in places)

    def line(self, series: ChartSeries) -> str:
        """Write the line that joins the points of a series as an SVG path."""
        return self.path((point.x, point.y) for point in series.points)

    def entry(self, index: int) -> tuple[float, float]:
        """Compute the position of a series' name below the plot."""
        row, column = divmod(index, LEGEND_COLUMNS)
        return 14 + column * (WIDTH - 14) / LEGEND_COLUMNS, HEIGHT + 6 + row * LEGEND_ROW


def logarithmic(label: str, values: Sequence[float]) -> ChartAxis:
    """Make a logarithmic axis for positive values, with ticks at 1, 10, 100, or also at 2, 5."""
    low, high = min(values) / 1.25, max(values) * 1.25
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = [10.0**e for e in exponents if low <= 10.0**e <= high]
    ticks = decades
    if len(decades) < 3:
        every = [m * 10.0**e for e in exponents for m in DECADE]
        ticks = [value for value in every if low <= value <= high]
    if len(decades) > 6:
        ticks = decades[::2]
    return ChartAxis(label, low, high, tuple((value, f"{value:g}") for value in ticks))


def at_values(label: str, values: Sequence[float]) -> ChartAxis:
    """Make an axis with a tick at every value; logarithmic if the values grow by factors."""
    steps = sorted(set(values))
    factors = all(v > 0 for v in steps) and steps[-1] >= 4 * steps[0] and _grows(steps)
    ticks = tuple((value, f"{value:g}") for value in steps)
    if factors:
        return ChartAxis(label, steps[0] / 1.15, steps[-1] * 1.15, ticks)
    margin = 0.05 * (steps[-1] - steps[0]) or 1.0
    return ChartAxis(label, steps[0] - margin, steps[-1] + margin, ticks, logarithmic=False)


def _grows(steps: Sequence[float]) -> bool:
    """Return whether every value exceeds the one before by at least a quarter."""
    return all(b / a >= 1.25 for a, b in pairwise(steps))
