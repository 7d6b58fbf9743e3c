"""The slow motion of a stage: images whose values appear step by step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Image, Int32

Box = tuple[int, int, int, int]  # x0, y0, x1, y1, both ends included
Boxes = tuple[Box, ...]
NEVER = np.iinfo(np.int32).max  # the moment of what does not come


def since(begins: Int32) -> Callable[[int], NDArray[np.bool_]]:
    """Return a function that maps a step to the mask of pixels marked at that step or earlier.

    Args:
        begins: (H, W) the steps, ``NEVER`` for pixels that are not marked.
    """
    return lambda moment: begins <= moment


def around(x: int, y: int, columns: int, rows: int) -> Box:
    """Return the one-pixel-wide box around a window, just outside of its pixels.

    Args:
        x, y: the window's first column and row.
        columns, rows: its size.
    """
    return x - 1, y - 1, x + columns, y + rows


def no_boxes(moment: int) -> Boxes:
    """Return no rectangles: the default for images without outlines."""
    return ()


@dataclass(frozen=True, eq=False)
class Sheet:
    """A displayed image of a slow motion, whose values appear step by step.

    Attributes:
        title: description of the content in words.
        image: declares its values, with the unit and the limits in which they are shown.
        values: (H, W) final values; or a function of the step that returns them.
        order: (H, W) int32 step from which on a value is shown; None: all are from the start.
        boxes: returns rectangles to outline at a step, such as the current window.
        region: a rectangle to outline at all steps, in another colour; None: there is none.
        waits: the word for a value that is not shown yet.
        marks: returns the pixels marked at a step, (H, W), such as a path; None: never any.
    """

    title: str
    image: Image
    values: NDArray[Any] | Callable[[int], NDArray[Any]]
    order: Int32 | None = None
    boxes: Callable[[int], Boxes] = no_boxes
    marks: Callable[[int], NDArray[np.bool_]] | None = None
    region: Box | None = None
    waits: str = "not computed yet"

    @property
    def shape(self) -> tuple[int, int]:
        """Return the height and the width of the image."""
        height, width = self.at(0).shape
        return height, width

    def at(self, moment: int) -> NDArray[Any]:
        """Return the values at a step of the slow motion, (H, W), including those not shown yet."""
        return self.values(moment) if callable(self.values) else self.values

    def there(self, moment: int) -> NDArray[np.bool_]:
        """Return a mask of the values shown at a step of the slow motion, (H, W)."""
        if self.order is None:
            return np.ones(self.shape, np.bool_)
        return self.order <= moment


@dataclass(frozen=True, eq=False)
class Unfolded:
    """The slow motion of a stage: its images, and a description of each step.

    Attributes:
        moments: number of steps; the last one shows the stage's whole result.
        counts: meaning of a step, such as ``pixel of the path``.
        sheets: images to show; the last one is the result of the stage.
        title: describes a step, in a line.
        stacked: whether sheets are placed one above the other, not side by side.
    """

    moments: int
    counts: str
    sheets: tuple[Sheet, ...]
    title: Callable[[int], str]
    stacked: bool = False

    def moment(self, share: float) -> int:
        """Return the index of the step at a fraction of the slow motion's time, from 0 to 1."""
        return round(min(max(share, 0.0), 1.0) * (self.moments - 1))

    def share(self, moment: int) -> float:
        """Return the fraction of the slow motion's time, from 0 to 1, at which a step comes."""
        return min(max(moment / max(self.moments - 1, 1), 0.0), 1.0)
