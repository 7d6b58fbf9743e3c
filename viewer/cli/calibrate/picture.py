"""The picture of a calibration: the corners in both views, and the errors of every pair."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.colormaps import colormap
from wheatstone.viewer.display.picture.caption import CHIPS, TONES
from wheatstone.viewer.display.picture.colorbar import Colorbar, colorbar_strip, tick_text, ticks
from wheatstone.viewer.display.picture.legend import EDGE, INK, PAPER, Font, legend_strip, text_size
from wheatstone.viewer.io.cameras.board_views import Coverage
from wheatstone.viewer.io.cameras.calibrating import outlier_bound
from wheatstone.viewer.io.cameras.stereo_calibration import GOOD_ROWS, StereoCalibration, UsedView

WIDTH = 1600
MARGIN = text_size(WIDTH)
"""The margin of the colour bar, the legend and the bar chart."""
GAP = 24
"""Pixels between the images."""
FINE = 2
"""Samples across a pixel of an image's panel."""
TITLE, TEXT, SMALL = 28, 18, 15
"""Sizes of text in pixels."""
TALLEST = 640
"""Largest height of an image's panel, in pixels."""
GROUND, EMPTY, HATCH, LINE = (14, 14, 16), (52, 30, 34), (92, 48, 54), (44, 44, 48)
COLORMAP = "viridis"
DOT = 3.2 * FINE
"""Radius of a corner in samples."""
AXIS = 64
"""Pixels from the left border to the axis of the bar chart."""
HEIGHT, ABOVE, BELOW = 220, 56, 60
"""Heights of the chart's bars, and of the text above and below them, in pixels."""
WIDEST = 110
"""Largest width of a view's three bars, in pixels."""
TICK, BAD = (50, 50, 54), (255, 110, 100)
KINDS = (("left", CHIPS[0]), ("right", CHIPS[1]), ("stereo", (214, 214, 218)))
"""The errors of a view, with the colours of their bars."""
Pen = ImageDraw.ImageDraw


def picture(calibration: StereoCalibration) -> NDArray[np.uint8]:
    """Draw a calibration as an image: (H, ``WIDTH``, 3)."""
    top = _largest(calibration)
    bar = Colorbar("reprojection error", "px", 0.0, top, 0.01, COLORMAP, (False, True))
    entries = [("no corner in this cell", HATCH)]
    entries += [("corner of a dropped view", BAD)] if calibration.dropped else []
    parts = [
        _heading(calibration),
        _panels(calibration, top),
        colorbar_strip((bar,), WIDTH),
        legend_strip(tuple(entries), WIDTH),
        _error_bars(calibration.views, WIDTH),
    ]
    return np.vstack(parts)


def _largest(calibration: StereoCalibration) -> float:
    """Return the error of the colour scale's last colour, in pixels; few corners exceed it."""
    every = [each for one in calibration.used for each in one.distances]
    return max(float(np.ceil(np.percentile(np.concatenate(every), 98) * 20)) / 20, 0.05)


def _heading(calibration: StereoCalibration) -> NDArray[np.uint8]:
    """Draw the title, the main results of the calibration, and a verdict on the row errors."""
    strip = Image.new("RGB", (WIDTH, 108), PAPER)
    pen, rig, rows = ImageDraw.Draw(strip), calibration.rig, calibration.rows
    title = f"Calibration by {calibration.board}"
    pen.text((MARGIN, 34), title, INK, ImageFont.load_default(TITLE), anchor="lm")
    left, right = (camera.focal for camera in rig.cameras)
    counts = f"{len(calibration.used)} of {len(calibration.views) + len(calibration.skipped)} views"
    summary = (
        f"{counts}    baseline {rig.baseline * 1e3:.2f} mm    focal length {left:.1f} and "
        f"{right:.1f} px    RMS {calibration.rms.stereo:.3f} px"
    )
    font = ImageFont.load_default(TEXT)
    pen.text((MARGIN, 74), summary, INK, font, anchor="lm")
    verdict = f"rows: median {rows.median:.2f}, mean {rows.mean:.2f}, p95 {rows.p95:.2f} px"
    judged = f"above {GOOD_ROWS:g} px" if rows.why_bad else "good"
    color = TONES["bad" if rows.why_bad else "good"]
    pen.text((WIDTH - MARGIN, 74), f"{verdict}: {judged}", color, font, anchor="rm")
    return np.array(strip)


def _panels(calibration: StereoCalibration, top: float) -> NDArray[np.uint8]:
    """Draw the left and the right image with their corners, side by side."""
    width, height = calibration.size
    room = (WIDTH - 2 * MARGIN - GAP) // 2
    scale = min(room / width, TALLEST / height)
    across, down = round(width * scale), round(height * scale)
    strip = Image.new("RGB", (WIDTH, down + 46), PAPER)
    pen, font = ImageDraw.Draw(strip), ImageFont.load_default(TEXT)
    first = (WIDTH - GAP) // 2 - across
    for side, name in enumerate(("left", "right")):
        x, coverage = (first, first + across + GAP)[side], calibration.coverage[side]
        caption = f"{coverage.covered} of {coverage.cells} cells hold corners"
        pen.text((x, 12), f"{name} image", INK, font, anchor="lm")
        pen.text((x + across, 12), caption, TONES["neutral"], font, anchor="rm")
        strip.paste(_panel(calibration, side, (across, down), top), (x, 30))
    return np.array(strip)


def _panel(
    calibration: StereoCalibration, side: int, size: tuple[int, int], top: float
) -> Image.Image:
    """Draw one camera's corners as dots coloured by error; hatch the cells without corners."""
    panel = Image.new("RGB", (size[0] * FINE, size[1] * FINE), GROUND)
    _draw_cells(panel, calibration.coverage[side])
    pen, scale = ImageDraw.Draw(panel), panel.width / calibration.size[0]
    for one in sorted(calibration.views, key=lambda one: not one.dropped):
        _draw_corners(pen, one, side, scale, top)
    panel = panel.resize(size, Image.Resampling.BOX)
    ImageDraw.Draw(panel).rectangle((0, 0, size[0] - 1, size[1] - 1), outline=EDGE)
    return panel


def _draw_cells(panel: Image.Image, coverage: Coverage) -> None:
    rows, columns = coverage.counts.shape
    xs = np.linspace(0, panel.width, columns + 1).round().astype(int).tolist()
    ys = np.linspace(0, panel.height, rows + 1).round().astype(int).tolist()
    hatched, pen = _hatched(panel.size), ImageDraw.Draw(panel)
    for row, column in np.argwhere(coverage.counts == 0).tolist():
        box = (xs[column], ys[row], xs[column + 1], ys[row + 1])
        panel.paste(hatched.crop(box), box)
    for x in xs[1:-1]:
        pen.line((x, 0, x, panel.height), LINE, FINE)
    for y in ys[1:-1]:
        pen.line((0, y, panel.width, y), LINE, FINE)


def _hatched(size: tuple[int, int]) -> Image.Image:
    x, y = np.arange(size[0])[None], np.arange(size[1])[:, None]
    lines = (x + y) % (14 * FINE) < 2 * FINE
    return Image.fromarray(np.where(lines[..., None], HATCH, EMPTY).astype(np.uint8))


def _draw_corners(pen: Pen, one: UsedView, side: int, scale: float, top: float) -> None:
    corners = (one.view.left, one.view.right)[side]
    shares = np.clip(one.distances[side] / top, 0, 1)
    colors = colormap(COLORMAP)[np.rint(shares * 255).astype(np.intp)].tolist()
    for (x, y), color in zip((corners.places + 0.5) * scale, colors, strict=True):
        if one.dropped:
            pen.line((x - DOT, y - DOT, x + DOT, y + DOT), BAD, FINE)
            pen.line((x - DOT, y + DOT, x + DOT, y - DOT), BAD, FINE)
        else:
            pen.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), tuple(color))


def _error_bars(views: Sequence[UsedView], width: int) -> NDArray[np.uint8]:
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
        pen.line((AXIS, y, width - MARGIN, y), TICK if value else EDGE)
        pen.text((AXIS - 8, y), tick_text(value), TONES["neutral"], font, anchor="rm")


def _draw_view(pen: Pen, one: UsedView, left: float, slot: float, top: float) -> None:
    if one.dropped:
        pen.rectangle((left, ABOVE, left + slot, ABOVE + HEIGHT), (52, 30, 34))
    gap = max(slot * 0.14, 0.5)
    bar = (slot - 2 * gap) / len(KINDS)
    for number, (name, color) in enumerate(KINDS):
        x = left + gap + number * bar
        y = _height(getattr(one.errors, name), top)
        pen.rectangle((x, y, x + max(bar - 1.5, 0.5), ABOVE + HEIGHT), color)


def _draw_names(pen: Pen, views: Sequence[UsedView], slot: float, font: Font) -> None:
    """Write the views' names below their bars, skipping some if they are too long.

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
