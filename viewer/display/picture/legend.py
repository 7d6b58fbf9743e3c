"""The legend of label colours, drawn as a strip below the picture."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.theme import USUAL, PictureStyle, color

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Entry = tuple[str, tuple[int, int, int]]  # name and colour

PAPER, INK = color("paper"), color("text")
EDGE = color("edge")  # around a swatch: the colour of a label may be nearly that of the paper
SMALLEST_TEXT, LARGEST_TEXT = 13, 40  # pixels
WIDTH_PER_SIZE = 90  # pixels of the picture's width for each pixel of the text's size


def text_size(width: int, style: PictureStyle = USUAL) -> int:
    """Choose the text size in pixels for a picture of a given width and drawing style."""
    usual = min(max(width // WIDTH_PER_SIZE, SMALLEST_TEXT), LARGEST_TEXT)
    return max(round(usual * min(style.scale, 1)), round(SMALLEST_TEXT * style.scale))


def broken(text: str, width: float, font: Font) -> list[str]:
    """Break a text into lines that fit the width, except for single words that are too long."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or font.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@lru_cache(maxsize=4)
def legend_strip(
    entries: tuple[Entry, ...], width: int, style: PictureStyle = USUAL
) -> NDArray[np.uint8]:
    """Draw the legend, (H, width, 3): swatches with their names, in as many rows as needed."""
    size = text_size(width, style)
    font = ImageFont.load_default(size)
    lengths = [round(2.4 * size + font.getlength(name)) for name, _ in entries]
    places, row, left = [], 0, size
    for length in lengths:
        if left > size and left + length > width:
            row, left = row + 1, size
        places.append((left, row))
        left += length
    line, padding = round(1.5 * size), round(0.5 * size)
    height = (row + 1) * line + 2 * padding
    strip = Image.new("RGB", (width, height), style.color("paper"))
    pen = ImageDraw.Draw(strip)
    for (name, chosen), (x, row) in zip(entries, places, strict=True):
        middle = padding + row * line + line // 2
        swatch = (x, middle - size // 2, x + size, middle - size // 2 + size)
        pen.rectangle(swatch, fill=chosen, outline=style.color("edge"))
        pen.text((x + round(1.5 * size), middle), name, style.color("text"), font, anchor="lm")
    return np.array(strip)
