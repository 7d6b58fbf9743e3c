"""Values written into pixels: their words, their places, and that the display draws them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import colormap
from wheatstone.viewer.display.picture.layout import Cell, axes
from wheatstone.viewer.display.picture.panes import Mix, Pane, Picture
from wheatstone.viewer.display.picture.pixel_values import (
    DASH,
    ValueForm,
    difference_lines,
    digits_of,
    pixel_lines,
    with_unit,
)
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.display.picture.value_places import (
    NO_CHARACTER,
    ValueGrid,
    characters,
    entries,
    fitting,
)
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext

DISPARITY = ValueForm(2, 1 / 16, -16, "px", ends=(0.0, 63.0))
PANE = Pane("d", 1 / 16, 0, 63, invalid=-16, colormap="grey")


def state(*, pixel_values: bool = False) -> ViewerState:
    absent = {"cuda": "no GPU"}
    return ViewerState(default_slot("sgm", absent), absent, look=Look(pixel_values=pixel_values))


def test_a_disparity_has_two_decimals_and_a_dash_where_there_is_none() -> None:
    stored = np.array([[0, 276, -16, -8]], np.int16)
    assert pixel_lines(DISPARITY, stored) == [[("0.00",), ("17.25",), (DASH,), ("-0.50",)]]


def test_grey_levels_are_whole_colours_three_lines_and_labels_words() -> None:
    assert pixel_lines(ValueForm(), np.array([[7, 255]], np.uint8)) == [[("7",), ("255",)]]
    color = np.array([[[1, 20, 255]]], np.uint8)
    assert pixel_lines(ValueForm(), color) == [[("1", "20", "255")]]
    labels = ValueForm(labels=("valid", "left-right check"))
    assert pixel_lines(labels, np.array([[0, 1, 9]], np.uint8)) == [
        [("valid",), ("left-right", "check"), (DASH,)]
    ]


def test_floats_that_are_not_finite_are_dashes() -> None:
    values = np.array([[1.5, np.nan, np.inf]], np.float32)
    assert pixel_lines(ValueForm(2), values) == [[("1.50",), (DASH,), (DASH,)]]


def test_errors_are_how_far_a_value_is_from_a_truth_that_is_known() -> None:
    stored = np.array([[160, 160, 160, -16]], np.int16)
    truth = np.array([[152, np.nan, np.inf, 160]], np.float32)  # unknown, not judged
    dash = (DASH,)
    assert pixel_lines(DISPARITY, stored, truth) == [[("0.50",), dash, dash, dash]]


def test_a_signed_difference_has_its_sign_and_needs_both_values() -> None:
    a, b = np.array([[32, 16, 16, -16]], np.int16), np.array([[16, 32, 16, 16]], np.int16)
    both = (DISPARITY, DISPARITY)
    signed = [("+1.00",), ("-1.00",), ("0.00",), (DASH,)]
    assert difference_lines(both, (a, b), signed=True) == [signed]
    assert difference_lines(both, (a, b), signed=False) == [[("1.00",), ("1.00",), *signed[2:]]]


def test_the_unit_stands_below_a_value_or_before_each_of_several() -> None:
    assert with_unit(("1.00",), "px") == ("1.00", "px")
    assert with_unit(("1", "2", "3"), "R G B") == ("R 1", "G 2", "B 3")
    assert with_unit(("valid",), "") == ("valid",)


def test_depths_have_about_three_digits_whatever_their_unit() -> None:
    depth = SGM.image("depth")
    assert [digits_of(depth, 0.5, end) for end in (4.0, 40.0, 4000.0)] == [2, 1, 0]
    assert digits_of(SGM.image("disparity"), 0, 63) == 2
    assert digits_of(SGM.image("winner"), 0, 63) == 0


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_text_is_as_large_as_pixels_allow_and_never_smaller_than_can_be_read(scale: float) -> None:
    sizes = [fitting(texel * scale, ("88.88",), 1, scale) for texel in (20, 27, 32, 90, 200)]
    assert sizes[:2] == [None, None]
    heights = [each.height for each in sizes[2:] if each]
    assert len(heights) == 3 and heights[0] < heights[1] == heights[2]


def grid_of(size: tuple[int, int], cell: Cell, zoom: float, first: tuple[int, int]) -> ValueGrid:
    rows, columns = axes(*size, cell, zoom, (0.5, 0.5))
    return ValueGrid(cell, rows, columns, first, size)


def test_characters_lie_in_the_middle_of_their_pixel() -> None:
    grid, glyphs = grid_of((2, 3), Cell(10, 20, 120, 80), 1.0, (0, 0)), characters(12)
    lines = [[("8",)] * 3] * 2
    placed = entries(grid, glyphs, lines, "", 1.0)
    written = placed[placed[:, 4] != NO_CHARACTER]
    middles = written[:, :2] + written[:, 2:4] / 2
    for number, (x, y) in enumerate(middles.tolist()):
        assert abs(x - (10 + 40 * (number % 3) + 20)) <= 1
        assert abs(y - (20 + 40 * (number // 3) + 20)) <= 3  # room below for letters
    assert len(placed) - len(written) == 4 + 3  # lines along and across


def test_what_does_not_fit_into_a_pixel_is_left_out() -> None:
    grid = grid_of((1, 2), Cell(0, 0, 60, 30), 1.0, (0, 0))
    placed = entries(grid, characters(12), [[("123456789",), ("1",)]], "", 1.0)
    assert np.sum(placed[:, 4] != NO_CHARACTER) == 1


def test_every_view_says_how_its_values_are_written() -> None:
    for pipeline in PIPELINES.values():
        for view in pipeline.views:
            shown = state(pixel_values=True)
            shown.choose_pipeline(pipeline.name)
            shown.set_view(pipeline, view.name)
            picture = chosen(shown).picture(shown)
            assert len(picture.values) == (0 if view.cloud else len(picture.panes))
    assert chosen(state()).picture(state()).values == ()


def test_the_truth_is_written_in_pixels_too() -> None:
    shown = state(pixel_values=True)
    for show in ("truth", "errors"):
        shown.truth = TruthChoice(show=show)
        (form,) = chosen(shown).picture(shown).values
        assert (form.unit, form.scale, form.digits) == ("px", 1 / 16, 2)


def drawn(display: Display, picture: Picture, *images: NDArray[np.int16]) -> NDArray[np.uint8]:
    for name, image in zip("de", images, strict=False):
        display.upload_image(name, image)
    display.draw(picture, 200, 100)
    return display.read()


@pytest.mark.opengl
def test_numbers_are_black_on_light_and_white_on_dark(display: Display) -> None:
    stored = np.array([[0, 63 * 16]], np.int16)
    plain = drawn(display, Picture((PANE,)), stored)
    seen = drawn(display, Picture((PANE,), values=(DISPARITY,)), stored)
    dark, light = seen[5:95, 5:95], seen[5:95, 105:195]
    assert (plain[5:95, 5:95] == colormap("grey")[0]).all() and dark.max() == 255
    assert (plain[5:95, 105:195] == colormap("grey")[255]).all() and light.min() == 0


@pytest.mark.opengl
def test_small_pixels_stay_as_they_are(display: Display) -> None:
    stored = np.arange(10 * 20, dtype=np.int16).reshape(10, 20)
    plain = drawn(display, Picture((PANE,)), stored)
    assert np.array_equal(drawn(display, Picture((PANE,), values=(DISPARITY,)), stored), plain)
    near = Picture((PANE,), zoom=5.0)
    seen = drawn(display, replace(near, values=(DISPARITY,)), stored)
    assert not np.array_equal(seen, drawn(display, near, stored))


@pytest.mark.opengl
def test_new_values_are_written_at_once(display: Display) -> None:
    picture = Picture((PANE,), values=(DISPARITY,))
    first = drawn(display, picture, np.array([[0, 16]], np.int16))
    second = drawn(display, picture, np.array([[1, 16]], np.int16))
    assert not np.array_equal(first[:, 20:80], second[:, 20:80])  # 0.00 and 0.06, one colour
    assert np.array_equal(first[:, 120:], second[:, 120:])


@pytest.mark.opengl
def test_beyond_a_seam_stand_the_values_of_the_second_image(display: Display) -> None:
    a, b = np.full((1, 2), 16, np.int16), np.full((1, 2), 32, np.int16)
    other = Picture((replace(PANE, image="e"),), values=(DISPARITY,))
    wiped = Picture((PANE,), values=(DISPARITY,), second=other, mix=Mix("wipe", 0.5))
    of_a = drawn(display, Picture((PANE,), values=(DISPARITY,)), a, b)
    seen, of_b = drawn(display, wiped, a, b), drawn(display, other, a, b)
    assert np.array_equal(seen[:, 10:90], of_a[:, 10:90])
    inner = (slice(20, 80), slice(110, 190))  # the unit stands in the first pixel alone
    assert np.array_equal(seen[inner], of_b[inner])


@pytest.mark.opengl
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "int32", "float32", "colour"])
def test_a_part_of_a_texture_is_that_part_of_its_array(
    offscreen: OffscreenContext, dtype: str
) -> None:
    from wheatstone.viewer.display.screen.texture import GLTexture

    shape = (9, 13, 3) if dtype == "colour" else (9, 13)
    array = np.arange(np.prod(shape)).reshape(shape).astype("uint8" if dtype == "colour" else dtype)
    texture = GLTexture(array.shape, array.dtype)
    texture.write(array)
    rows, columns = slice(2, 7), slice(3, 11)
    assert np.array_equal(texture.part(rows, columns), array[rows, columns])
    texture.close()
