"""The picture of the absolute difference of two images, with a legend."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.display.picture.legend import EDGE, INK, PAPER, legend_strip
from wheatstone.viewer.io.files.output import write_png

NARROWEST = 480  # pixels; smaller images are enlarged by a whole factor
SAME, ONLY_A, ONLY_B = (12, 12, 14), (255, 255, 255), (255, 60, 255)
FIRST_COLOR = 28  # of the colour map: those before it are too dark beside pixels that are the same
CLIPPED = 3  # so many times the 99th percentile: larger differences share the last colour
MARGIN, LINE = 12, 22  # pixels left and right of a line of text, and its height
BAR = 16  # pixels: the height of the colour bar


def write_difference(
    path: Path,
    names: tuple[str, str],
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    image: str,
    unit: str,
) -> None:
    """Write a picture of the absolute difference of two images as PNG.

    Args:
        a, b: (H, W) values, NaN where there is no result.
        image, unit: the name and the unit of the values.

    Raises:
        OSError: the file cannot be written.
    """
    difference = np.abs(a - b)
    top, clipped = range_of(difference)
    picture = colored(a, b, top)
    factor = -(-NARROWEST // picture.shape[1])
    picture = picture.repeat(factor, axis=0).repeat(factor, axis=1)
    width = picture.shape[1]
    differ = int(np.count_nonzero((a != b) & ~(np.isnan(a) & np.isnan(b))))
    title = (
        f"Absolute difference of {image} between {names[0]} and {names[1]}: "
        f"{differ} of {a.size} pixels"
    )
    entries = (
        ("identical", SAME),
        (f"only {names[0]}", ONLY_A),
        (f"only {names[1]}", ONLY_B),
        ("neither has a value", INVALID["turbo"]),
    )
    bar = color_bar(width, top, clipped, unit)
    parts = [_line(title, width), picture, bar, legend_strip(entries, width)]
    write_png(path, np.vstack(parts))


def range_of(difference: NDArray[np.float32]) -> tuple[float, bool]:
    """Return the difference that the last colour shows, and whether larger differences exist.

    This is the largest difference, but if few pixels are far above all others, the 99th percentile
    of the pixels that differ; 1 if no pixel differs.
    """
    some = difference[np.isfinite(difference) & (difference > 0)]
    if not some.size:
        return 1.0, False
    usual, largest = float(np.percentile(some, 99)), float(some.max())
    return (usual, True) if largest > CLIPPED * usual else (largest, False)


def colored(a: NDArray[np.float32], b: NDArray[np.float32], top: float) -> NDArray[np.uint8]:
    """Colour the absolute difference of (H, W) values, NaN where there is no result: (H, W, 3).

    Args:
        top: the difference for the last colour, which larger ones get as well.
    """
    none_a, none_b = np.isnan(a), np.isnan(b)
    difference = np.where(none_a | none_b, 0, np.abs(a - b))
    colors = colormap("turbo")[FIRST_COLOR:]
    share = np.minimum(np.nan_to_num(difference / top, posinf=1), 1)
    picture: NDArray[np.uint8] = colors[np.rint(share * (len(colors) - 1)).astype(np.intp)]
    picture[difference == 0] = SAME
    picture[none_b] = ONLY_A
    picture[none_a] = ONLY_B
    picture[none_a & none_b] = INVALID["turbo"]
    return picture


def _line(text: str, width: int) -> NDArray[np.uint8]:
    fonts = [ImageFont.load_default(size) for size in (14, 12, 10, 8)]
    font = next((f for f in fonts if f.getlength(text) <= width - 2 * MARGIN), fonts[-1])
    strip = Image.new("RGB", (width, LINE + 6), PAPER)
    pen = ImageDraw.Draw(strip)
    pen.text((MARGIN, (LINE + 6) // 2), text, INK, font, anchor="lm")
    return np.array(strip)


def color_bar(width: int, top: float, clipped: bool, unit: str) -> NDArray[np.uint8]:
    """Draw the colour bar from 0 to the difference ``top``, with numbers below."""
    length = width - 4 * MARGIN
    strip = Image.new("RGB", (width, BAR + LINE + 10), PAPER)
    colors = colormap("turbo")[FIRST_COLOR:]
    places = np.rint(np.linspace(0, len(colors) - 1, length)).astype(np.intp)
    left = 2 * MARGIN
    strip.paste(Image.fromarray(np.tile(colors[places], (BAR, 1, 1))), (left, 8))
    pen = ImageDraw.Draw(strip)
    pen.rectangle((left - 1, 7, left + length, 8 + BAR), outline=EDGE)
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = left + round(share * (length - 1))
        pen.line((x, 8 + BAR, x, 12 + BAR), INK)
        text = f"{share * top:.3g}"
        if share == 1:
            text = f"{text} {unit}".strip() + (" or more" if clipped else "")
        anchor = {0: "lt", 1: "rt"}.get(int(share) if share in (0, 1) else -1, "mt")
        shift = MARGIN if share == 1 else -MARGIN if share == 0 else 0
        pen.text((x + shift, 14 + BAR), text, INK, ImageFont.load_default(12), anchor=anchor)
    return np.array(strip)
