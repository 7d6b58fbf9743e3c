"""Drawing a region with the mouse: positions in, a rectangle out."""

from itertools import product

import pytest

from tests.toy import TOY, ToyParams
from wheatstone.viewer.choices.regions import draw_region, drawn_rectangle
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.run.run import Run

SIZE = (60, 40)  # width, height


def test_a_drag_covers_the_texels_at_both_its_ends() -> None:
    assert drawn_rectangle((10.2, 5.9), (19.9, 8.0), 3, SIZE) == (10, 5, 10, 4)


def test_the_direction_of_a_drag_does_not_matter() -> None:
    corners = {
        drawn_rectangle((x, y), (29.5 - x, 28.5 - y), 3, SIZE)
        for x, y in product((10.5, 19.0), (8.0, 20.5))
    }
    assert corners == {(10, 8, 10, 13)}


def test_a_drag_beyond_the_image_ends_at_its_border() -> None:
    assert drawn_rectangle((50.0, 30.0), (900.0, 900.0), 3, SIZE) == (50, 30, 10, 10)
    assert drawn_rectangle((5.0, 6.0), (-70.0, -1.0), 3, SIZE) == (0, 0, 6, 7)


@pytest.mark.parametrize(
    ("start", "end", "first"),
    [(20, 20.5, 20), (20, 21, 20), (20, 19, 16), (59, 59, 55), (0, 0, 0), (1, 0, 0), (-9, -20, 0)],
)
def test_a_short_side_grows_to_the_smallest(start: float, end: float, first: int) -> None:
    assert drawn_rectangle((start, 10.0), (end, 30.0), 5, SIZE) == (first, 10, 5, 21)


def test_an_image_below_the_smallest_is_exceeded() -> None:
    assert drawn_rectangle((1.0, 1.0), (2.0, 2.0), 5, (3, 2)) == (0, 0, 5, 5)


def test_every_drag_is_allowed_by_the_control() -> None:
    places = (-7.5, 0.0, 1.2, 38.9, 39.0, 59.99, 60.0, 71.0)
    for x0, y0, x1, y1 in product(places, repeat=4):
        x, y, width, height = drawn_rectangle((x0, y0), (x1, y1), 3, SIZE)
        ToyParams(template=(x, y, width, height))
        assert x + width <= SIZE[0] and y + height <= SIZE[1]


def test_drawing_a_region_changes_its_parameter_only_and_says_so() -> None:
    drawn = ViewerState(Run(TOY, "cpu", ToyParams(threshold=7)))
    draw_region(drawn, (4.5, 5.5), (12.5, 9.5), SIZE)
    assert drawn.slot.params == ToyParams(threshold=7, template=(4, 5, 9, 5))
    assert drawn.message == "template 4,5 9 x 5"
