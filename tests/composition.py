"""Pictures composed in NumPy, as the display promises to draw them."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.colormaps import ROWS, palette
from wheatstone.viewer.display.picture.caption import caption_height, caption_strip
from wheatstone.viewer.display.picture.colorbar import footer
from wheatstone.viewer.display.picture.layout import WEIGHT, Axis, Cell, axes, cells, footprints
from wheatstone.viewer.display.picture.panes import (
    CASING,
    CHOSEN,
    HATCHING,
    LONE,
    MARK,
    NO_RESULT,
    SEAMS,
    UNJUDGED,
    Mix,
    Pane,
    Picture,
)
from wheatstone.viewer.theme import AROUND, USUAL

Pixels = NDArray[Any]
BACKGROUND = USUAL.color(AROUND)
LONGEST = 16  # texels averaged along an axis, as in the shader


def compose(
    images: dict[str, Pixels], picture: Picture, width: int, height: int
) -> NDArray[np.uint8]:
    """The picture as ``Display`` promises it."""
    result = np.full((height, width, 3), BACKGROUND, np.uint8)
    strip = footer(picture.bars, picture.legend, width, height)
    below = len(strip)
    above = caption_height(picture.caption, width, height - below)
    if below:
        result[height - below :] = strip
    if above and picture.caption:
        result[:above] = caption_strip(picture.caption, width)
    placed = cells(len(picture.cells), width, height - above - below, above)
    for number, ((part, panes), cell) in enumerate(zip(picture.cells, placed, strict=True)):
        if cell.width == 0:
            continue
        texels_y, texels_x = images[panes[0].image].shape[:2]
        rows, columns = axes(texels_y, texels_x, cell, picture.zoom, picture.center)
        tables = footprints(rows, cell.height), footprints(columns, cell.width)
        lines = hatching(rows, columns, cell)
        color = pane_colors(images, part, panes, number, tables, lines)
        inside = (tables[0][:, None, 0] >= 0) & (tables[1][None, :, 0] >= 0)
        there = result[cell.y : cell.y + cell.height, cell.x : cell.x + cell.width]
        there[inside] = color[inside]
        mixed = part.mix if part.second and part.mix else None
        if mixed and mixed.way in SEAMS:
            draw_seam(there, mixed)
        draw_outlines(there, inside, images, part, tables)
    return result


def pane_colors(
    images: dict[str, Pixels],
    part: Picture,
    panes: tuple[Pane, ...],
    number: int,
    tables: tuple[Pixels, Pixels],
    lines: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    """The colours of a cell whose panes lie on top of each other, without outlines."""
    colors = [shade(images, pane, *tables, lines) for pane in panes]
    mix = part.mix if part.second else None
    if mix and mix.way == "side-by-side":
        mix = None
    owners = [part, part.second] if mix and part.second else [part]
    marks = [overlay_marks(images, owner, tables) for owner in owners if owner]
    if mix and mix.way in ("difference", "signed-difference"):
        look = mix.differences[number]
        color = colors[0]
        if look:
            color = difference(images, panes, look, tables, signed=mix.way != "difference")
        color[marks[0] | (marks[1] if look else False)] = MARK
        return color
    if part.anaglyph:
        first, second = (grey(color) for color in colors)
        colors = [np.stack([first, second, second], 2)]
    for color, mark in zip(colors, marks, strict=True):
        color[mark] = MARK
    if not mix:
        return colors[0]
    if mix.way == "onion":
        share = mix.share
        sums = (256 - share) * colors[0].astype(int) + share * colors[1].astype(int)
        return np.asarray((sums + 128) // 256, np.uint8)
    height, width = colors[0].shape[:2]
    beyond = (np.arange(width)[None] if mix.way == "wipe" else np.arange(height)[:, None]) >= (
        mix.seam(width, height)
    )
    return np.asarray(np.where(beyond[..., None], colors[1], colors[0]), np.uint8)


def difference(
    images: dict[str, Pixels],
    panes: tuple[Pane, ...],
    look: Pane,
    tables: tuple[Pixels, Pixels],
    *,
    signed: bool,
) -> NDArray[np.uint8]:
    """The colours of the difference of two images' stored values."""
    values, valid = [], []
    for pane in panes:
        stored = images[pane.image][tables[0][:, 0]][:, tables[1][:, 0]]
        finite = np.isfinite(stored)
        valid.append(finite & (True if pane.invalid is None else stored != pane.invalid))
        values.append(np.where(finite, stored, 0))
    real = any(value.dtype.kind == "f" for value in values)
    first, second = (value.astype(np.float32 if real else np.int64) for value in values)
    apart: Pixels = np.subtract(first, second)
    apart = apart if signed else np.abs(apart)
    colors = shade_values(apart, valid[0], look)
    for lone, color in zip((valid[0] & ~valid[1], valid[1] & ~valid[0]), LONE, strict=True):
        colors[lone] = color
    return colors


def draw_seam(there: NDArray[np.uint8], mix: Mix) -> None:
    """Draw a wipe's seam over a cell."""
    lines = there if mix.way == "wipe-down" else there.swapaxes(0, 1)
    seam = mix.seam(there.shape[1], there.shape[0])
    for place, color in ((-2, CASING), (-1, CHOSEN), (0, CHOSEN), (1, CASING)):
        if 0 <= seam + place < len(lines):
            lines[seam + place] = color


def overlay_marks(
    images: dict[str, Pixels], part: Picture, tables: tuple[Pixels, Pixels]
) -> NDArray[np.bool_]:
    """The pixels that a picture's overlay marks."""
    size = images[part.panes[0].image].shape[:2]
    if not part.overlay:
        return np.zeros((len(tables[0]), len(tables[1])), bool)
    read = [coverage(t, texels) > 0 for t, texels in zip(tables, size, strict=True)]
    return under(images[part.overlay] != 0, *read)


def draw_outlines(
    there: NDArray[np.uint8],
    inside: NDArray[np.bool_],
    images: dict[str, Pixels],
    part: Picture,
    tables: tuple[Pixels, Pixels],
) -> None:
    """Draw the boxes and regions of the parts over a cell, each where it is seen."""
    mix = part.mix if part.second and part.mix and part.mix.way != "side-by-side" else None
    for second, drawn in enumerate((part, part.second if mix else None)):
        if not drawn:
            continue
        seen = inside.copy()
        if mix and mix.way in SEAMS:
            beyond = seen if mix.way == "wipe-down" else seen.T
            seam = mix.seam(there.shape[1], there.shape[0])
            beyond[(slice(seam) if second else slice(seam, None))] = False
        size = images[drawn.panes[0].image].shape[:2]
        every = [everything(t, texels) for t, texels in zip(tables, size, strict=True)]
        boxes = images[drawn.boxes].tolist() if drawn.boxes else []
        x, y, width, height = drawn.region or (0, 0, 0, 0)
        for group, ink in ((boxes, MARK), ([[x, y, x + width - 1, y + height - 1]], CHOSEN)):
            those = [box for box in group if box[0] <= box[2] and box[1] <= box[3]]
            around = [[x0 - 1, y0 - 1, x1 + 1, y1 + 1] for x0, y0, x1, y1 in those]
            there[under(outlines(around, size), *every) & seen] = CASING
            there[under(outlines(those, size), *every) & seen] = ink


def under(marked: NDArray[np.bool_], rows: Pixels, columns: Pixels) -> NDArray[np.bool_]:
    """Whether a marked texel is among those of a pixel."""
    result: NDArray[np.bool_] = rows.astype(int) @ marked.astype(int) @ columns.T.astype(int) > 0
    return result


def everything(table: Pixels, texels: int) -> NDArray[np.bool_]:
    """Row p: which texels lie under pixel p."""
    texel = np.arange(texels)
    result: NDArray[np.bool_] = (texel >= table[:, 1:2]) & (texel <= table[:, 2:3])
    return result & (table[:, :1] >= 0)


def outlines(boxes: list[list[int]], size: tuple[int, int]) -> NDArray[np.bool_]:
    """The texels of an image that the outlines of boxes consist of."""
    y, x = np.indices(size)
    marked = np.zeros(size, bool)
    for x0, y0, x1, y1 in boxes:
        inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        marked |= inside & ((x == x0) | (x == x1) | (y == y0) | (y == y1))
    return marked


def shade(
    images: dict[str, Pixels],
    pane: Pane,
    rows: Pixels,
    columns: Pixels,
    lines: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    image = images[pane.image]
    plain = pane.colormap is None and pane.invalid is None and image.dtype == np.uint8
    if image.ndim == 3 or plain:
        weighted = coverage(rows, image.shape[0]), coverage(columns, image.shape[1])
        return averaged(image if image.ndim == 3 else image[..., None].repeat(3, 2), *weighted)
    stored = image[rows[:, 0]][:, columns[:, 0]]
    valid = True if pane.invalid is None else stored != pane.invalid
    valid = np.isfinite(stored) & valid
    if not pane.truth:
        colors = shade_values(stored, valid, pane)
        if pane.hatched:
            match = columns[None, :, 0] - stored * pane.scale
            outside = (match < -0.5) | (match > image.shape[1] - 0.5)
            colors = np.where((outside & valid & lines)[..., None], lined(colors), colors)
        return colors
    return errors(stored, valid, images[pane.truth][rows[:, 0]][:, columns[:, 0]], pane)


def hatching(rows: Axis, columns: Axis, cell: Cell) -> NDArray[np.bool_]:
    """The pixels of a cell that lie on a line of hatching: every so many-th, from the image on."""
    y, x = np.arange(cell.height) - rows.origin, np.arange(cell.width) - columns.origin
    return np.asarray((y[:, None] + x[None]) % HATCHING == 0)


def lined(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The colours of lines of hatching: darker than light ones, lighter than dark ones."""
    wide = colors.astype(int)
    light = (grey(colors) > 127)[..., None]
    return np.where(light, wide * 9 // 16, wide + (255 - wide) * 7 // 16).astype(np.uint8)


def errors(
    stored: Pixels, valid: NDArray[np.bool_], truth: Pixels, pane: Pane
) -> NDArray[np.uint8]:
    """The colours of how far stored values are from the truth."""
    known = np.isfinite(truth)
    values = np.where(valid, stored, 0).astype(np.float32)
    colors = shade_values(np.abs(values - np.where(known, truth, 0)), known, pane)
    colors[known & ~valid] = NO_RESULT
    colors[np.isinf(truth)] = UNJUDGED
    return colors


def shade_values(stored: Pixels, valid: NDArray[np.bool_], pane: Pane) -> NDArray[np.uint8]:
    """The colours of stored values."""
    span = max(pane.high - pane.low, pane.scale)
    entries = np.float32(255 * pane.scale / span)
    low = np.float32(pane.low / pane.scale - 0.5 / (255 * pane.scale / span))
    finite = np.isfinite(stored)
    steps = (np.where(finite, stored, 0).astype(np.float32) - low) * entries
    entry = np.clip(np.floor(steps), 0, 255).astype(int)
    entry[~valid] = 256
    colors: NDArray[np.uint8] = palette()[ROWS.index(pane.colormap or "grey")][entry]
    return colors


def coverage(table: Pixels, texels: int) -> NDArray[np.int64]:
    """Row p: the weights of all texels under pixel p."""
    weights = np.zeros((len(table), texels), np.int64)
    for pixel, (texel, first, last, ends) in enumerate(table.tolist()):
        if texel >= 0:
            stride = (last - first) // LONGEST + 1
            weights[pixel, first : last + 1 : stride] = WEIGHT
            if (last - first) % stride == 0:
                weights[pixel, last] = ends >> 16
            weights[pixel, first] = ends & 0xFFFF
    return weights


def averaged(image: Pixels, rows: Pixels, columns: Pixels) -> NDArray[np.uint8]:
    sums = np.einsum("yi,ijc,xj->yxc", rows, image.astype(np.int64), columns, optimize=True)
    total = np.maximum(rows.sum(1)[:, None, None] * columns.sum(1)[None, :, None], 1)
    mean: NDArray[np.int64] = (sums + total // 2) // total
    return mean.astype(np.uint8)


def grey(color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(color, cv2.COLOR_RGB2GRAY), np.uint8)
