"""Colour bars and the strip that holds them."""

from dataclasses import replace

import numpy as np
import pytest

from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.display.picture.colorbar import (
    NO_VALUE,
    OUTSIDE,
    Colorbar,
    bar_boxes,
    colorbar_strip,
    footer,
    footer_strip,
    ticks,
    with_footer,
)
from wheatstone.viewer.display.picture.panes import Pane

BAR = Colorbar("disparity", "px", 0.0, 63.0, 1 / 16, "turbo", has_invalid=True)
LEGEND = (("valid", (1, 2, 3)), ("speckle", (200, 100, 50)))


def test_ticks_are_round_and_as_many_as_fit() -> None:
    assert ticks(0, 63, 9) == [0, 10, 20, 30, 40, 50, 60]
    assert ticks(0, 63, 3) == [0, 50]
    assert ticks(-1, 1, 5) == [-1, -0.5, 0, 0.5, 1]
    assert ticks(3.2, 3.9, 4) == [3.2, 3.4, 3.6, 3.8]
    assert ticks(5, 5, 4) == [5]


@pytest.mark.parametrize("most", range(1, 12))
def test_there_are_never_more_ticks_than_asked_and_all_lie_within(most: int) -> None:
    random = np.random.default_rng(most)
    for _ in range(200):
        low, span = random.normal(0, 100), 10 ** random.uniform(-4, 4)
        places = ticks(low, low + span, most)
        assert len(places) <= most
        assert all(low - 1e-6 * span <= tick <= low + span * (1 + 1e-6) for tick in places)


def test_a_bar_has_the_colours_that_the_picture_gives_its_values() -> None:
    pane = Pane("disparity", BAR.step, BAR.low, BAR.high, -16, "turbo")
    length = 1000
    for place in range(0, length, 37):
        value = BAR.low + (place + 0.5) / length * BAR.span
        expected = colormap("turbo")[pane.entry(value / BAR.step)]
        assert np.array_equal(BAR.colors(length)[place], expected)


@pytest.mark.parametrize("width", [320, 640, 1280, 2560])
def test_the_strip_shows_the_whole_map_and_the_colour_of_no_value(width: int) -> None:
    strip = colorbar_strip((BAR,), width)
    assert strip.shape[1] == width
    colors = {tuple(color) for color in strip.reshape(-1, 3).tolist()}
    ends = colormap("turbo")[[0, -1]].tolist()
    assert {tuple(ends[0]), tuple(ends[1]), INVALID["turbo"]} <= colors


@pytest.mark.parametrize("width", [240, 640, 1280])
def test_hatching_is_named_beside_the_bar(width: int) -> None:
    bar = replace(BAR, hatched=True)
    assert bar.notes == (OUTSIDE, NO_VALUE)
    assert colorbar_strip((bar,), width).shape[1] == width
    if width > 300:  # there is no room for it in a very narrow picture
        for each in (bar, BAR):
            ((_, _, right, _),) = bar_boxes((each,), width)
            beside = colorbar_strip((each,), width)[:, right + 2 :]
            assert np.all(beside == colormap("turbo")[127], axis=2).any() == each.hatched


def test_a_long_title_and_the_note_take_lines_of_their_own() -> None:
    title, bar = "matching costs of row 120", replace(BAR, has_invalid=False)
    titles = title, f"{title} of 240", f"{title}, disparities 0 to 63 downwards"
    alone = [colorbar_strip((replace(bar, title=t),), 320).shape[0] for t in titles]
    noted = [colorbar_strip((replace(BAR, title=t),), 320).shape[0] for t in titles]
    assert alone[0] == alone[1] < alone[2]
    assert noted == [alone[0], alone[2], alone[2]]
    dark = colorbar_strip((replace(bar, title=titles[2]),), 320)[:, -4:]
    assert np.array_equal(dark, np.broadcast_to(dark[0, 0], dark.shape))  # no letter is cut


def test_bars_stand_above_the_legend_and_go_first_where_there_is_no_room() -> None:
    bars, legend = footer_strip((BAR,), (), 400), footer_strip((), LEGEND, 400)
    both = footer((BAR,), LEGEND, 400, 400)
    assert np.array_equal(both, np.vstack([bars, legend]))
    assert np.array_equal(footer((BAR,), LEGEND, 400, 2 * len(legend)), legend)
    assert footer((BAR,), LEGEND, 400, 2 * len(legend) - 1).shape == (0, 400, 3)
    assert footer((BAR,), (), 0, 0).shape == (0, 0, 3)


@pytest.mark.parametrize("height", [1, 30, 60, 300])
def test_a_picture_with_its_footer_leaves_the_panes_their_height(height: int) -> None:
    width, whole = with_footer((BAR,), LEGEND, 400, height)
    assert (width, whole - len(footer((BAR,), LEGEND, 400, whole))) == (400, height)
