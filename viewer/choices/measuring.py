"""The user's choices for measuring: the second pixel, and the rectangle."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import LAST_PIXEL, ChoiceGroup, numbers
from wheatstone.viewer.choices.look import check_pixel


@dataclass(frozen=True)
class Measuring(ChoiceGroup):
    """The objects measured: the distance from the inspected pixel to another one, and a rectangle.

    Raises:
        ValueError: the pixel or the rectangle has a negative coordinate, or the rectangle is empty.
    """

    heading = "what is measured"

    other: tuple[int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL + 1,
        "Row and column of the pixel to which the distance from the pinned one is measured.",
        of_source=True,
    )
    rectangle: tuple[int, int, int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL + 1,
        "Column, row, width and height of the rectangle whose plane and noise are measured.",
        of_source=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.other is not None:
            check_pixel(self.other)
        if self.rectangle is not None:
            x, y, width, height = self.rectangle
            if min(x, y) < 0 or min(width, height) < 1:
                raise ValueError(
                    "a rectangle is column, row, width and height, 0,0,1,1 or more "
                    f"(got {x},{y},{width},{height})"
                )
