"""Draw a calibration: the positions of the corners in both images, and every view's error."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.cli.calibrate.bars import BAD, error_bars
from wheatstone.viewer.colormaps import colormap
from wheatstone.viewer.display.picture.caption import TONES
from wheatstone.viewer.display.picture.colorbar import Colorbar, colorbar_strip
from wheatstone.viewer.display.picture.legend import EDGE, INK, PAPER, legend_strip, text_size
from wheatstone.viewer.io.cameras.board_views import Coverage
from wheatstone.viewer.io.cameras.stereo_calibration import GOOD_ROWS, StereoCalibration, UsedView

WIDTH = 1600
MARGIN = text_size(WIDTH)
"""The margin of the colour bar and the legend."""
GAP = 24
"""Pixels between the images."""
FINE = 2
"""Samples across a pixel of an image's panel."""
TITLE, TEXT = 28, 18
"""Sizes of text in pixels."""
TALLEST = 640
"""Largest height of an image's panel, in pixels."""
GROUND, EMPTY, HATCH, LINE = (14, 14, 16), (52, 30, 34), (92, 48, 54), (44, 44, 48)
COLORMAP = "viridis"
DOT = 3.2 * FINE
"""Radius of a corner in samples."""
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
        error_bars(calibration.views, WIDTH),
    ]
    return np.vstack(parts)


def _largest(calibration: StereoCalibration) -> float:
    """Choose the error for the last colour, which only few corners exceed."""
    every = [each for one in calibration.used for each in one.distances]
    return max(float(np.ceil(np.percentile(np.concatenate(every), 98) * 20)) / 20, 0.05)


def _heading(calibration: StereoCalibration) -> NDArray[np.uint8]:
    """Draw the title, the main figures of the rig, and whether the row errors are good."""
    strip = Image.new("RGB", (WIDTH, 108), PAPER)
    pen, rig, rows = ImageDraw.Draw(strip), calibration.rig, calibration.rows
    title = f"Calibration by {calibration.board}"
    pen.text((MARGIN, 34), title, INK, ImageFont.load_default(TITLE), anchor="lm")
    left, right = (camera.focal for camera in rig.cameras)
    counts = (
        f"{len(calibration.used)} of {len(calibration.views) + len(calibration.left_out)} views"
    )
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
    """Draw one image: cells without corners hatched, corners as dots coloured by their errors."""
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
    """Fill an area with slanted lines."""
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
