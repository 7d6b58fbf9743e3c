"""The footer of a picture: strips with colour bars, and below them the legend."""

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.display.picture.legend import Entry, Font, broken, legend_strip, text_size
from wheatstone.viewer.theme import USUAL, PictureStyle, Rgb

NO_VALUE = "no value"  # beside the colour of invalid pixels
OUTSIDE = "match outside right view"  # beside hatching
SHORTEST = 12  # length of a bar beside its title, in text sizes; a shorter one gets its own line
MOST_TICKS = 9


@dataclass(frozen=True)
class Colorbar:
    """The description of a colour bar: the values that the colours of an image represent.

    Attributes:
        low, high: values of the first and of the last colour, in ``unit``.
        step: the smallest difference of two values, in that unit.
        colormap: one of ``colormaps.ROWS``.
        beyond: whether values below ``low``, and above ``high``, may occur; they have its colour.
        has_invalid: whether pixels may be without a value, and ``invalid_says`` their label.
        hatched: whether disparities whose match lies outside the right view are hatched.
        image: pipeline and image whose range it shows, such as ``sgm.depth``; empty if that range
            cannot be chosen.
    """

    title: str
    unit: str
    low: float
    high: float
    step: float
    colormap: str
    beyond: tuple[bool, bool] = (False, False)
    has_invalid: bool = False
    invalid_says: str = NO_VALUE
    hatched: bool = False
    image: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """Return the quantity's name and unit, such as ``disparity, px``."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    @property
    def notes(self) -> tuple[str, ...]:
        """List a bar's labels for pixels that its colours do not explain, such as no value."""
        return (OUTSIDE,) * self.hatched + (self.invalid_says,) * self.has_invalid

    @property
    def span(self) -> float:
        """Return the size of the range of values, from first to last colour; at least one step."""
        return max(self.high - self.low, self.step)

    def colors(self, length: int) -> NDArray[np.uint8]:
        """Return the colours of evenly spaced values from ``low`` to ``high``: (length, 3) RGB."""
        share = (np.arange(length) + 0.5) / length
        return colormap(self.colormap)[np.floor(share * 255 + 0.5).astype(np.intp)]


def ticks(low: float, high: float, most: int) -> list[float]:
    """Choose at most ``most`` round values within a range: multiples of 1, 2 or 5 times 10**n."""
    if not high > low:
        return [low]
    raw = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1, 2, 5, 10):
        step = factor * power
        first, last = (math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9))
        if last - first < most:
            return [round(i * step, 12) + 0.0 for i in range(first, last + 1)]
    raise AssertionError("ten times the power of ten above is more than a share of the range")


def tick_text(value: float) -> str:
    """Format a tick's value with at most six significant digits."""
    return f"{value:g}"


Bars = tuple[Colorbar, ...]
Legend = tuple[Entry, ...]


@lru_cache(maxsize=8)
def colorbar_strip(bars: Bars, width: int, style: PictureStyle = USUAL) -> NDArray[np.uint8]:
    """Draw colour bars one above the other, titles to their left: (H, width, 3)."""
    ends = _ends(bars, width, style)
    return np.vstack([_bar(bar, width, style, ends) for bar in bars])


Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


def bar_boxes(bars: Bars, width: int, style: PictureStyle = USUAL) -> list[Box]:
    """Return the box of each bar's colours in the strip that ``colorbar_strip`` draws."""
    ends, begin, boxes = _ends(bars, width, style), 0, []
    for bar in bars:
        (left, top, right, bottom), height, _ = _layout(bar, width, style, ends)
        boxes.append((left, begin + top, right, begin + bottom))
        begin += height
    return boxes


def _ends(bars: Bars, width: int, style: PictureStyle) -> tuple[int, int] | None:
    """Return the columns where all bars begin and end; None if the texts leave no space."""
    size = text_size(width, style)
    font = ImageFont.load_default(size)
    titles = max((font.getlength(bar.label) for bar in bars), default=0.0)
    notes = max((_notes_width(bar, size, font) for bar in bars), default=0.0)
    left, right = round(2 * size + titles), round(width - 1.5 * size - notes)
    return (left, right) if right - left >= SHORTEST * size else None


def _notes_width(bar: Colorbar, size: int, font: Font) -> float:
    """Return the width in pixels of the labels next to a bar, with their colour samples."""
    return sum(font.getlength(note) + 2.5 * size for note in bar.notes)


def _layout(
    bar: Colorbar, width: int, style: PictureStyle, ends: tuple[int, int] | None
) -> tuple[Box, int, list[str]]:
    """Return the box of a bar's colours, the height of its strip, and the lines of its title."""
    size = text_size(width, style)
    padding, thick = round(0.5 * size), round(0.9 * size)
    lines = [bar.label] if ends else _heading(bar, width, size, ImageFont.load_default(size))
    left, right = ends or (round(1.5 * size), max(width - round(1.5 * size), 3 * size))
    top = padding + (0 if ends else len(lines) * round(1.5 * size))
    height = top + thick + round(1.6 * size) + padding // 2
    return (left, top, right, top + thick), height, lines


def _bar(
    bar: Colorbar, width: int, style: PictureStyle, ends: tuple[int, int] | None
) -> NDArray[np.uint8]:
    """Draw one colour bar with its title and its ticks: (H, width, 3).

    Args:
        ends: where the bar begins and ends between title and note, in pixels; None: it stands on
            a line below them.
    """
    size = text_size(width, style)
    font = ImageFont.load_default(size)
    ink, edge = style.color("text"), style.color("edge")
    box, height, lines = _layout(bar, width, style, ends)
    left, top, right, bottom = box
    strip = Image.new("RGB", (width, height), style.color("paper"))
    pen, step = ImageDraw.Draw(strip), round(1.5 * size)
    middle = top + (bottom - top) // 2 if ends else round(0.5 * size) + step // 2
    for number, line in enumerate(lines):
        pen.text((size, middle + number * step), line, ink, font, anchor="lm")
    middle += (len(lines) - 1) * step
    x = width
    for note in reversed(bar.notes):
        x -= round(size + font.getlength(note))
        swatch = (x - round(1.5 * size), middle - size // 2)
        if swatch[0] < 0:  # only in a very narrow picture
            break
        pen.text((x, middle), note, ink, font, anchor="lm")
        corner = (swatch[0] + size, swatch[1] + size)
        if note == OUTSIDE:
            strip.paste(_hatched(bar, size), swatch)
            pen.rectangle((*swatch, *corner), outline=edge)
        else:
            pen.rectangle((*swatch, *corner), fill=INVALID[bar.colormap], outline=edge)
        x = swatch[0]
    _draw_colors(strip, bar, box, edge)
    _draw_ticks(pen, bar, (left, right, bottom), font, ink)
    return np.array(strip)


def _hatched(bar: Colorbar, size: int) -> Image.Image:
    """Draw a square sample of the picture's hatching, in the middle colour of a bar."""
    rows, columns = np.indices((size, size))
    lines = ((rows + columns) % max(size // 3, 3) == 0)[..., None]
    plain = colormap(bar.colormap)[127].astype(np.int64)
    dark = plain.mean() > 127
    line = plain * 9 // 16 if dark else plain + (255 - plain) * 7 // 16
    return Image.fromarray(np.where(lines, line, plain).astype(np.uint8))


def _heading(bar: Colorbar, width: int, size: int, font: Font) -> list[str]:
    lines = broken(bar.label, width - 2 * size, font)
    note = _notes_width(bar, size, font) - 0.5 * size if bar.notes else 0
    fits = font.getlength(lines[-1]) + note <= width - 2 * size
    return lines if fits else [*lines, ""]


def _draw_colors(strip: Image.Image, bar: Colorbar, box: Box, edge: Rgb) -> None:
    """Draw the colours of a bar into a box; arrows mark the ends beyond which values occur."""
    left, top, right, bottom = box
    colors = bar.colors(right - left)
    strip.paste(Image.fromarray(np.tile(colors, (bottom - top, 1, 1))), (left, top))
    pen = ImageDraw.Draw(strip)
    pen.rectangle((left - 1, top - 1, right, bottom), outline=edge)
    middle, reach = (top + bottom) / 2, (bottom - top) * 0.6
    for beyond, x, way, color in ((bar.beyond[0], left, -1, 0), (bar.beyond[1], right, 1, -1)):
        if beyond:
            tip = (x + way * reach, middle)
            points = [(x, top - 1), tip, (x, bottom)]
            pen.polygon(points, fill=tuple(colors[color].tolist()), outline=edge)


def _draw_ticks(
    pen: ImageDraw.ImageDraw, bar: Colorbar, place: tuple[int, int, int], font: Font, ink: Rgb
) -> None:
    """Draw the ticks below a bar, each with its value; ``place``: left, right and bottom."""
    left, right, bottom = place
    size = round(font.getlength("0") * 1.8)
    widest = max(font.getlength(tick_text(v)) for v in (bar.low, bar.high, *_dense(bar)))
    most = min(max(int((right - left) / (widest + 1.5 * size)), 1), MOST_TICKS)
    for value in ticks(bar.low, bar.low + bar.span, most):
        x = left + (value - bar.low) / bar.span * (right - left - 1)
        pen.line((x, bottom, x, bottom + size // 4), ink)
        pen.text((x, bottom + size // 3), tick_text(value), ink, font, anchor="mt")


def _dense(bar: Colorbar) -> list[float]:
    """Choose many ticks of a bar, to measure the largest width of their texts."""
    return ticks(bar.low, bar.low + bar.span, 10)


@lru_cache(maxsize=4)
def footer_strip(
    bars: Bars, legend: Legend, width: int, style: PictureStyle = USUAL
) -> NDArray[np.uint8]:
    """Draw the colour bars and, below them, the legend: (H, width, 3); H is 0 with neither."""
    parts = [np.empty((0, max(width, 0), 3), np.uint8)]
    if bars and width > 0:
        parts.append(colorbar_strip(bars, width, style))
    if legend and width > 0:
        parts.append(legend_strip(legend, width, style))
    return np.vstack(parts)


def footer(
    bars: Bars, legend: Legend, width: int, height: int, style: PictureStyle = USUAL
) -> NDArray[np.uint8]:
    """Draw the footer of a picture, whose given size includes the footer: (H, width, 3).

    If it would take more than half of the picture the bars are omitted, and if that is not
    enough the legend too.
    """
    for kept in (bars, ()):
        strip = footer_strip(kept, legend, width, style)
        if 2 * len(strip) <= height:
            return strip
    return footer_strip((), (), width, style)


def placed_bars(
    bars: Bars, legend: Legend, width: int, height: int, style: PictureStyle = USUAL
) -> list[tuple[Colorbar, Box]]:
    """Return the colour bars of a picture with a footer, each with the box of its colours."""
    strip = footer_strip(bars, legend, width, style)
    if not bars or width <= 0 or 2 * len(strip) > height:
        return []
    begin = height - len(strip)
    boxes = bar_boxes(bars, width, style)
    return [
        (bar, (left, begin + top, right, begin + bottom))
        for bar, (left, top, right, bottom) in zip(bars, boxes, strict=True)
    ]


def with_footer(
    bars: Bars, legend: Legend, width: int, height: int, style: PictureStyle = USUAL
) -> tuple[int, int]:
    """Compute the size (width, height) of images with footer, from the size of the images."""
    for kept in (bars, ()):
        needed = len(footer_strip(kept, legend, width, style))
        if needed <= height:
            return width, height + needed
    return width, height
