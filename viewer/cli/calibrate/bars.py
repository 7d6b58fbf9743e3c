"""Draw the calibration errors of the views as a bar chart."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.display.picture.caption import CHIPS, TONES
from wheatstone.viewer.display.picture.colorbar import tick_text, ticks
from wheatstone.viewer.display.picture.legend import EDGE, INK, PAPER, Font
from wheatstone.viewer.io.cameras.calibrating import outlier_bound
from wheatstone.viewer.io.cameras.stereo_calibration import UsedView

MARGIN, AXIS = 17, 64
"""Pixels on the right of the chart, and from the left border to its axis."""
HEIGHT, ABOVE, BELOW = 220, 56, 60
"""Heights of the bars, and of the text above and below them, in pixels."""
TEXT, SMALL = 18, 15
"""Sizes of text in pixels."""
WIDEST = 110
"""Largest width of a view's three bars, in pixels."""
LINE = (50, 50, 54)
BAD = (255, 110, 100)
KINDS = (("left", CHIPS[0]), ("right", CHIPS[1]), ("stereo", (214, 214, 218)))
"""The errors of a view, with the colours of their bars."""
Pen = ImageDraw.ImageDraw


def error_bars(views: Sequence[UsedView], width: int) -> NDArray[np.uint8]:
    """Draw three bars for each view, left, right and stereo error: (H, ``width``, 3)."""
    strip = Image.new("RGB", (width, ABOVE + HEIGHT + BELOW), PAPER)
    pen, font = ImageDraw.Draw(strip), ImageFont.load_default(SMALL)
    bound = outlier_bound([one.errors.stereo for one in views if not one.dropped])
    top = 1.15 * max(bound, *(max(vars(one.errors).values()) for one in views if not one.dropped))
    _draw_heading(pen, width)
    _draw_axis(pen, width, top, font)
    slot = min((width - AXIS - MARGIN) / len(views), WIDEST)
    for index, one in enumerate(views):
        _draw_view(pen, one, AXIS + index * slot, slot, top)
    _draw_names(pen, views, slot, font)
    y = _height(bound, top)
    for x in range(AXIS, width - MARGIN, 14):
        pen.line((x, y, min(x + 7, width - MARGIN), y), BAD)
    pen.text((width - MARGIN, y - 4), "views above are dropped", BAD, font, anchor="rb")
    return np.array(strip)


def _height(error: float, top: float) -> float:
    """Compute an error's position in pixels from the top, limited to the edge of the chart."""
    return ABOVE + HEIGHT * max(1 - error / top, 0)


def _draw_heading(pen: Pen, width: int) -> None:
    font = ImageFont.load_default(TEXT)
    pen.text((MARGIN, 23), "RMS reprojection error of every view, px", INK, font, anchor="lm")
    x = float(width - MARGIN)
    for name, color in reversed(KINDS):
        x -= font.getlength(name)
        pen.text((x, 23), name, INK, font, anchor="lm")
        x -= 24
        pen.rectangle((x, 15, x + 16, 31), color)
        x -= 20


def _draw_axis(pen: Pen, width: int, top: float, font: Font) -> None:
    for value in ticks(0, top, 6):
        y = _height(value, top)
        pen.line((AXIS, y, width - MARGIN, y), LINE if value else EDGE)
        pen.text((AXIS - 8, y), tick_text(value), TONES["neutral"], font, anchor="rm")


def _draw_view(pen: Pen, one: UsedView, left: float, slot: float, top: float) -> None:
    """Draw the bars of a view into its slot."""
    if one.dropped:
        pen.rectangle((left, ABOVE, left + slot, ABOVE + HEIGHT), (52, 30, 34))
    gap = max(slot * 0.14, 0.5)
    bar = (slot - 2 * gap) / len(KINDS)
    for number, (name, color) in enumerate(KINDS):
        x = left + gap + number * bar
        y = _height(getattr(one.errors, name), top)
        pen.rectangle((x, y, x + max(bar - 1.5, 0.5), ABOVE + HEIGHT), color)


def _draw_names(pen: Pen, views: Sequence[UsedView], slot: float, font: Font) -> None:
    """Write the views' names below their bars; skip some at regular steps if they are too long.

    Names of dropped views stand below the others, and their errors above the bars.
    """
    names = [one.view.name.rpartition(".")[0] or one.view.name for one in views]
    longest = max(font.getlength(name) for name in names) + 10
    step = max(int(np.ceil(longest / slot)), 1)
    below = ABOVE + HEIGHT + 10
    for index, (name, one) in enumerate(zip(names, views, strict=True)):
        x = AXIS + (index + 0.5) * slot
        if one.dropped:
            pen.text((x, ABOVE - 6), f"{one.errors.stereo:.2f}", BAD, font, anchor="mb")
            pen.text((x, below + SMALL + 8), name, BAD, font, anchor="mt")
        elif index % step == 0:
            pen.text((x, below), name, INK, font, anchor="mt")
