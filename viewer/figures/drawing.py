"""Draw a laid-out figure with Matplotlib: text stays text, images keep their pixels."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, filterwarnings

from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.files import FAMILY, encoded, missing_letters, text_width
from wheatstone.viewer.figures.layout import laid_out
from wheatstone.viewer.figures.placed import (
    POINT,
    SMALL,
    FigureLayout,
    PlacedBar,
    PlacedBox,
    PlacedPane,
    Swatch,
)
from wheatstone.viewer.figures.plan import FigurePlan
from wheatstone.viewer.picture.colorbar import tick_text, ticks
from wheatstone.viewer.theme import color

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HAIR = 0.07
"""Thickness of lines, relative to the size of the text."""
FRAME = 0.14  # of an inset's frame
TICK = 1.2  # points
INCH = 25.4  # millimetres
MOST_TICKS = 7
Style = dict[str, Any]
"""The properties of a line for Matplotlib."""
SETTINGS = {
    "font.family": FAMILY,
    "svg.fonttype": "none",
    "svg.hashsalt": "wheatstone",
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "image.composite_image": False,
    "axes.unicode_minus": True,
    "text.usetex": False,
    "text.parse_math": False,
    "path.simplify": False,
}
"""Matplotlib's settings: the same bytes every time, whatever the user's own settings are."""


@contextmanager
def settings() -> Iterator[None]:
    """Make Matplotlib draw and write with ``SETTINGS`` within the block."""
    from matplotlib import rc_context, rcParamsDefault

    with rc_context({**_plain(rcParamsDefault), **SETTINGS}), catch_warnings():
        filterwarnings("ignore", "Glyph .* missing")  # ``figure_files`` returns them
        yield


def _plain(defaults: Any) -> dict[str, Any]:
    """Copy Matplotlib's defaults, except for the choice of a window system."""
    return {name: value for name, value in defaults.items() if not name.startswith("backend")}


def figure_files(
    plan: FigurePlan, rows: Sequence[DrawnRow], endings: Collection[str]
) -> tuple[dict[str, bytes], str]:
    """Draw a figure, and encode it for files.

    Returns:
        The content of a file by its suffix, and the letters that the font lacks, which are boxes.
    """
    from matplotlib.figure import Figure

    with settings():
        layout = laid_out(plan, rows, text_width)
        size = layout.width / INCH, layout.height / INCH
        figure = Figure(figsize=size, facecolor=_color("label ground", plan.style.theme))
        _Drawing(figure, layout, plan.style.theme).draw()
        contents = {ending: encoded(figure, plan, ending) for ending in endings}
    return contents, missing_letters(text.text for text in layout.texts)


def _color(name: str, theme: str) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color(name, theme))


class _Drawing:
    """Draw the contents of a layout into a figure."""

    def __init__(self, figure: "Figure", layout: FigureLayout, theme: str) -> None:
        self._figure, self._layout, self._theme = figure, layout, theme
        self._hair = HAIR * layout.size

    def draw(self) -> None:
        """Draw panes, bars, swatches and texts."""
        for pane in self._layout.panes:
            self._draw_pane(pane)
        for bar in self._layout.bars:
            self._draw_bar(bar)
        for swatch in self._layout.swatches:
            self._draw_swatch(swatch)
        for text in self._layout.texts:
            self._figure.text(
                *self._place(text.x, text.y),
                text.text,
                size=text.size,
                color=_color(text.color, self._theme),
                ha="center" if text.centred else "left",
                va="center_baseline",
            )

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """Convert millimetres from the top left to Matplotlib's fractions from the bottom left."""
        return x / self._layout.width, 1 - y / self._layout.height

    def _axes(self, box: PlacedBox) -> "Axes":
        """Create axes at the place of a box, without a frame or ticks."""
        left, bottom = self._place(box.x, box.y + box.height)
        share = box.width / self._layout.width, box.height / self._layout.height
        axes = self._figure.add_axes((left, bottom, *share))
        axes.set_axis_off()
        return axes

    def _draw_pane(self, placed: PlacedPane) -> None:
        """Draw an image with its insets and their frames, or fill an empty place."""
        from matplotlib.patches import Rectangle

        pixels = placed.pane.pixels
        if pixels is None:
            self._add_rectangle(placed.box, fc=_color("field", self._theme), ec="none")
            return
        axes = self._axes(placed.box)
        _show(axes, pixels)
        for number, ((x, y, wide, high), box) in enumerate(placed.insets):
            line: Style = {"fill": False, "lw": FRAME * self._layout.size, "joinstyle": "miter"}
            line |= {"ec": _color(f"series {number + 1}", "dark")}
            axes.add_patch(Rectangle((x, y), wide, high, **line))
            inset = self._axes(box)
            _show(inset, pixels[y : y + high, x : x + wide])
            inset.add_patch(Rectangle((0, 0), wide, high, clip_on=False, **line))

    def _draw_bar(self, placed: PlacedBar) -> None:
        """Draw a colour bar with ticks below it, and arrows where values occur beyond its ends."""
        from matplotlib.patches import Polygon

        bar, axes = placed.bar, self._axes(placed.box)
        ink, edge = (_color(name, self._theme) for name in ("text", "edge"))
        _show(axes, bar.colors(256)[None])
        axes.set_axis_on()
        axes.yaxis.set_visible(False)
        axes.spines[:].set(color=edge, lw=self._hair)
        values = self._tick_values(placed)
        places = [(value - bar.low) / bar.span * 256 for value in values]
        axes.set_xticks(places, [tick_text(value) for value in values])
        size = self._layout.size * SMALL
        axes.tick_params(length=TICK, width=self._hair, pad=1, labelsize=size, colors=ink)
        colors, tip = bar.colors(256) / 255, 0.7 / placed.box.width * 256
        ends = ((bar.beyond[0], 0, -tip, 0), (bar.beyond[1], 256, tip, -1))
        for beyond, x, way, number in ends:
            if beyond:
                line: Style = {"lw": self._hair, "ec": edge, "joinstyle": "miter"}
                corners = [(x, 0), (x + way, 0.5), (x, 1)]
                axes.add_patch(Polygon(corners, fc=colors[number], clip_on=False, **line))

    def _tick_values(self, placed: PlacedBar) -> list[float]:
        """Choose the values written below a bar, as many as there is room for."""
        low, high = placed.bar.low, placed.bar.low + placed.bar.span
        size, dense = self._layout.size * SMALL, ticks(low, high, MOST_TICKS)
        widest = max(text_width(tick_text(value), size) for value in (low, high, *dense))
        most = max(int(placed.box.width / (widest + size * POINT)), 1)
        return ticks(low, high, min(most, MOST_TICKS))

    def _draw_swatch(self, swatch: Swatch) -> None:
        face = tuple(level / 255 for level in swatch.color)
        self._add_rectangle(swatch.box, fc=face, ec=_color("edge", self._theme), lw=self._hair)

    def _add_rectangle(self, box: PlacedBox, **style: Any) -> None:
        """Draw a rectangle directly into the figure, without axes."""
        from matplotlib.patches import Rectangle

        place = self._place(box.x, box.y + box.height)
        share = box.width / self._layout.width, box.height / self._layout.height
        whole = self._figure.transFigure
        self._figure.add_artist(Rectangle(place, *share, transform=whole, **style))


def _show(axes: Any, pixels: Any) -> None:
    """Show an image unchanged: no interpolation, however large its pixels are."""
    height, width = pixels.shape[:2]
    place = (0, width, height, 0)
    axes.imshow(pixels, interpolation="none", aspect="auto", extent=place, resample=False)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
