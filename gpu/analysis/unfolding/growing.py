"""Unfold hysteresis, in which edges grow from strong pixels, round by round."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.unfolding.asked import Asked, computed_until, copy_of
from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, Sheet, Unfolded
from wheatstone.gpu.image import Int32, Uint8

REJECTED, KEPT, STRONG = 1, 2, 3  # of the image `strength`
MOST_OUTLINED = 24  # pixels of a round
AROUND = tuple((dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)


def hysteresis(asked: Asked) -> Unfolded:
    """Unfold hysteresis; a weak pixel is undecided until it is reached or all growth has ended."""
    strength = copy_of(computed_until(asked, "hysteresis"), "strength")
    order = rounds(strength)
    last = int(order[strength != REJECTED].max(initial=0)) + 1
    order[strength == REJECTED] = last
    counts = np.bincount(order[strength == KEPT], minlength=last + 1)
    kept, undecided = np.cumsum(counts), int((strength == REJECTED).sum() + counts.sum())
    strong = int((strength == STRONG).sum())
    grown = np.where(strength == KEPT, order, -1)
    sheet = Sheet(
        "what became of each pixel",
        asked.pipeline.image("strength"),
        strength,
        order,
        lambda moment: _around(np.argwhere(grown == moment)),
        lambda moment: grown == moment,
        waits="undecided",
    )

    def said(moment: int) -> str:
        """Describe a round in words."""
        if moment == 0:
            return f"{strong} strong pixels; {undecided} weak ones are undecided"
        if moment == last:
            return f"nothing grows any more: {undecided - kept[-1]} weak pixels are rejected"
        return (
            f"round {moment} of {last - 1}: {counts[moment]} weak pixels touch what was kept "
            f"before; {kept[moment]} of {undecided} are kept so far"
        )

    return Unfolded(last + 1, "round", (sheet,), said)


def _around(pixels: NDArray[np.intp]) -> Boxes:
    """Return a box around each pixel, (N, 2); none if there are more than ``MOST_OUTLINED``."""
    if len(pixels) > MOST_OUTLINED:
        return ()
    return tuple((int(x) - 4, int(y) - 4, int(x) + 4, int(y) + 4) for y, x in pixels)


def rounds(strength: Uint8) -> Int32:
    """Count the rounds after which growth reaches each kept pixel: (H, W); 0 elsewhere.

    Args:
        strength: (H, W) labels of hysteresis: 3 strong, 2 kept, 1 rejected, 0 none.
    """
    height, width = strength.shape
    found = np.zeros((height, width), np.int32)
    waiting = strength == KEPT
    ys, xs = np.nonzero(strength == STRONG)
    number = 0
    while ys.size:
        number += 1
        reached = set[int]()
        for dy, dx in AROUND:
            y, x = ys + dy, xs + dx
            inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            places = y[inside] * width + x[inside]
            reached.update(places[waiting.ravel()[places]].tolist())
        ys, xs = np.divmod(np.array(sorted(reached), np.intp), width)
        found[ys, xs], waiting[ys, xs] = number, False
    return found
