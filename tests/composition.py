"""Pictures composed in NumPy, as the display promises to draw them."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from viewer.colormaps import ROWS, palette
from viewer.layout import WEIGHT, axes, cells, footprints
from viewer.legend import legend_strip, strip_height
from viewer.picture import BACKGROUND, CASING, CHOSEN, MARK, Pane, Picture

Pixels = NDArray[Any]
LONGEST = 16  # texels averaged along an axis, as in the shader


def compose(
    images: dict[str, Pixels], picture: Picture, width: int, height: int
) -> NDArray[np.uint8]:
    """The picture as ``Display`` promises it."""
    result = np.full((height, width, 3), BACKGROUND, np.uint8)
    shown = [picture.panes] if picture.anaglyph else [(pane,) for pane in picture.panes]
    strip = strip_height(picture.legend, width, height)
    if strip:
        result[height - strip :] = legend_strip(picture.legend, width)
    for panes, cell in zip(shown, cells(len(shown), width, height - strip), strict=True):
        if cell.width == 0:
            continue
        texels_y, texels_x = images[panes[0].image].shape[:2]
        rows, columns = axes(texels_y, texels_x, cell, picture.zoom, picture.center)
        tables = footprints(rows, cell.height), footprints(columns, cell.width)
        colors = [shade(images[pane.image], pane, *tables) for pane in panes]
        if picture.anaglyph:
            first, second = (grey(color) for color in colors)
            colors = [np.stack([first, second, second], 2)]
        draw_marks(colors[0], images, picture, *tables)
        inside = (tables[0][:, None, 0] >= 0) & (tables[1][None, :, 0] >= 0)
        result[: cell.height, cell.x : cell.x + cell.width][inside] = colors[0][inside]
    return result


def draw_marks(
    color: NDArray[np.uint8],
    images: dict[str, Pixels],
    picture: Picture,
    rows: Pixels,
    columns: Pixels,
) -> None:
    """Draw the overlay, the boxes and the region over a pane."""
    size = images[picture.panes[0].image].shape[:2]
    if picture.overlay:
        read = [coverage(t, texels) > 0 for t, texels in zip((rows, columns), size, strict=True)]
        color[under(images[picture.overlay] != 0, *read)] = MARK
    every = [everything(t, texels) for t, texels in zip((rows, columns), size, strict=True)]
    boxes = images[picture.boxes].tolist() if picture.boxes else []
    x, y, width, height = picture.region or (0, 0, 0, 0)
    for drawn, ink in ((boxes, MARK), ([[x, y, x + width - 1, y + height - 1]], CHOSEN)):
        there = [box for box in drawn if box[0] <= box[2] and box[1] <= box[3]]
        around = [[x0 - 1, y0 - 1, x1 + 1, y1 + 1] for x0, y0, x1, y1 in there]
        color[under(outlines(around, size), *every)] = CASING
        color[under(outlines(there, size), *every)] = ink


def under(marked: NDArray[np.bool_], rows: Pixels, columns: Pixels) -> NDArray[np.bool_]:
    """Whether a marked texel is among those of a pixel."""
    found: NDArray[np.bool_] = rows.astype(int) @ marked.astype(int) @ columns.T.astype(int) > 0
    return found


def everything(table: Pixels, texels: int) -> NDArray[np.bool_]:
    """Row p: which texels lie under pixel p."""
    texel = np.arange(texels)
    found: NDArray[np.bool_] = (texel >= table[:, 1:2]) & (texel <= table[:, 2:3])
    return found & (table[:, :1] >= 0)


def outlines(boxes: list[list[int]], size: tuple[int, int]) -> NDArray[np.bool_]:
    """The texels of an image that the outlines of boxes consist of."""
    y, x = np.indices(size)
    marked = np.zeros(size, bool)
    for x0, y0, x1, y1 in boxes:
        inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        marked |= inside & ((x == x0) | (x == x1) | (y == y0) | (y == y1))
    return marked


def shade(image: Pixels, pane: Pane, rows: Pixels, columns: Pixels) -> NDArray[np.uint8]:
    plain = pane.colormap is None and pane.invalid is None and image.dtype == np.uint8
    if image.ndim == 3 or plain:
        weighted = coverage(rows, image.shape[0]), coverage(columns, image.shape[1])
        return averaged(image if image.ndim == 3 else image[..., None].repeat(3, 2), *weighted)
    stored = image[rows[:, 0]][:, columns[:, 0]]
    span = max(pane.high - pane.low, pane.scale)
    entries = np.float32(255 * pane.scale / span)
    low = np.float32(pane.low / pane.scale - 0.5 / (255 * pane.scale / span))
    finite = np.isfinite(stored)
    steps = (np.where(finite, stored, 0).astype(np.float32) - low) * entries
    entry = np.clip(np.floor(steps), 0, 255).astype(int)
    entry[~finite | (False if pane.invalid is None else stored == pane.invalid)] = 256
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
