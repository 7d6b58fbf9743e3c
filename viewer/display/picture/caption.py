"""The caption above the picture: labels of runs A and B, whether they are equal, warnings."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.display.picture.legend import Font, broken, text_size
from wheatstone.viewer.theme import USUAL, PictureStyle, Rgb, color

Tone = Literal["good", "bad", "neutral"]
CHIPS = (color("a"), color("b"))
"""Colours behind the letters A and B, distinguishable by the colour-blind too (Okabe and Ito)."""
TONES = {tone: color(tone) for tone in get_args(Tone)}
"""Colours of badges by their tone, in the dark."""
AMBER = color("amber")  # colour of a warning, in the dark


@dataclass(frozen=True)
class Caption:
    """The text and layout of the caption above the picture.

    Attributes:
        labels: names of A and B; empty where there is no B.
        lit: whether each of the two is on screen.
        beside: where B's label begins, in fractions of the width; 0: it ends at the right border.
        note: how the two are mixed, between their labels.
        badge: whether the two are equal, in a line of its own; ``tone``: good or bad news.
        warning: in lines of its own, as many as it needs.
        title: description of the image shown, in its own line, where there is no B.
    """

    labels: tuple[str, ...] = ()
    lit: tuple[bool, bool] = (True, True)
    beside: float = 0.0
    note: str = ""
    badge: str = ""
    tone: Tone = "neutral"
    warning: str = ""
    title: str = ""


def caption_height(
    caption: Caption | None, width: int, height: int, style: PictureStyle = USUAL
) -> int:
    """Compute the caption's height in pixels; 0 if it exceeds a third of the picture's height."""
    needed = len(caption_strip(caption, width, style)) if caption and width > 0 else 0
    return needed if 3 * needed <= height else 0


@lru_cache(maxsize=8)
def caption_strip(caption: Caption, width: int, style: PictureStyle = USUAL) -> NDArray[np.uint8]:
    """Draw the caption, (H, width, 3): title, labels of A and B, equality badge, warning."""
    labels = [_title_strip(caption.title, width, style)] if caption.title else []
    labels += [_labels_strip(caption, width, style)] if caption.labels else []
    warning = [_warning_strip(caption.warning, width, style)] if caption.warning else []
    return np.vstack(labels + warning)


def _warning_strip(warning: str, width: int, style: PictureStyle) -> NDArray[np.uint8]:
    size = text_size(width, style)
    font = ImageFont.load_default(size)
    begin, line, padding = round(2.6 * size), round(1.6 * size), round(0.4 * size)
    lines = broken(warning, width - begin - size, font)
    strip = Image.new("RGB", (width, len(lines) * line + 2 * padding), style.color("paper"))
    pen = ImageDraw.Draw(strip)
    middle, half = padding + line // 2, size // 2
    amber, corners = (
        style.color("amber"),
        ((size, middle + half), (2 * size, middle + half), (size + half, middle - half)),
    )
    pen.polygon(corners, amber)
    for number, words in enumerate(lines):
        pen.text((begin, middle + number * line), words, amber, font, anchor="lm")
    return np.array(strip)


def _title_strip(title: str, width: int, style: PictureStyle) -> NDArray[np.uint8]:
    size = text_size(width, style)
    font = ImageFont.load_default(size)
    lines, line, padding = broken(title, width - 2 * size, font), round(1.6 * size), size // 2
    strip = Image.new("RGB", (width, len(lines) * line + padding), style.color("paper"))
    pen = ImageDraw.Draw(strip)
    for number, words in enumerate(lines):
        middle = (padding + line) // 2 + number * line
        pen.text((size, middle), words, style.color("text"), font, anchor="lm")
    return np.array(strip)


def _labels_strip(caption: Caption, width: int, style: PictureStyle) -> NDArray[np.uint8]:
    """Draw the labels of A and B and the equality badge, (H, width, 3); long labels wrap."""
    size = text_size(width, style)
    font = ImageFont.load_default(size)
    length, (start, second) = _length(caption, 0, size, font), _place_of_b(caption, width, style)
    lines, fits = 1 + second + bool(caption.badge), not second
    line, padding = _line(size)
    strip = Image.new("RGB", (width, lines * line + 2 * padding), style.color("paper"))
    pen = ImageDraw.Draw(strip)
    middle = padding + line // 2
    for letter, place in enumerate(((size, middle), (start, middle + second * line))):
        _label(pen, place, caption, letter, style, font)
    begin, end = size + length, start
    if fits and caption.note and font.getlength(caption.note) + 2 * size <= end - begin:
        place = (round((begin + end) / 2), middle)
        pen.text(place, caption.note, style.color("neutral"), font, anchor="mm")
    if caption.badge:
        y, tint = middle + (lines - 1) * line, style.color(caption.tone)
        _sign(pen, caption.tone, (round(1.5 * size), y), size / 2, tint)
        pen.text((round(2.6 * size), y), caption.badge, tint, font, anchor="lm")
    return np.array(strip)


def label_at(caption: Caption, x: float, y: float, width: int, style: PictureStyle = USUAL) -> str:
    """Return the run, ``a`` or ``b``, whose label is at a position in the caption; else empty.

    A label reaches as far as the next one.
    """
    if not caption.labels or caption.title:
        return ""
    line, padding = _line(text_size(width, style))
    start, second = _place_of_b(caption, width, style)
    row = (y - padding) // line
    of_b = row == second and (second or x >= start)
    return "b" if of_b else "a" if row == 0 else ""


def _place_of_b(caption: Caption, width: int, style: PictureStyle) -> tuple[int, int]:
    """Return the column, in pixels, and the line, 0 or 1, where the label of result B begins."""
    size = text_size(width, style)
    lengths = [_length(caption, letter, size, ImageFont.load_default(size)) for letter in (0, 1)]
    start = round(caption.beside * width) + size // 2 if caption.beside else 0
    start = start or round(width - lengths[1] - size)
    fits = 2 * size + lengths[0] <= start and start + lengths[1] <= width
    return (start, 0) if fits else (size, 1)


def _length(caption: Caption, letter: int, size: int, font: Font) -> float:
    """Return the width of the label of A or B in pixels, with the coloured chip of its letter."""
    return float(font.getlength(caption.labels[letter]) + 2.2 * size)


def _line(size: int) -> tuple[int, int]:
    """Return the height of a line, and the padding above and below all lines, in pixels."""
    return round(1.6 * size), round(0.4 * size)


def _sign(
    pen: ImageDraw.ImageDraw, tone: Tone, middle: tuple[int, int], radius: float, tint: Rgb
) -> None:
    """Draw the sign of an equality badge: a disc for good, a cross for bad, otherwise a ring."""
    (x, y), thick = middle, max(round(radius / 2), 1)
    box = (x - radius, y - radius, x + radius, y + radius)
    if tone == "good":
        pen.ellipse(box, tint)
    elif tone == "neutral":
        pen.ellipse(box, outline=tint, width=thick)
    else:
        for way in (1, -1):
            pen.line((x - radius, y - way * radius, x + radius, y + way * radius), tint, thick)


def _label(
    pen: ImageDraw.ImageDraw,
    place: tuple[int, int],
    caption: Caption,
    letter: int,
    style: PictureStyle,
    font: Font,
) -> None:
    """Draw the label of result A (0) or B (1), with its letter on a coloured chip.

    ``place``: the label's left end, and the middle of its line.
    """
    (x, y), lit = place, caption.lit[letter]
    _, top, _, bottom = font.getbbox("A", anchor="ls")
    half = round(0.95 * (bottom - top))
    dim = style.color("dim")
    chip = (x, y - half, x + 2 * half, y + half)
    pen.rounded_rectangle(chip, half // 3, style.color("ab"[letter]) if lit else dim)
    pen.text((x + half, y), "AB"[letter], style.color("on a and b"), font, anchor="mm")
    words = (round(x + 2.6 * half), y)
    pen.text(words, caption.labels[letter], style.color("text") if lit else dim, font, anchor="lm")
