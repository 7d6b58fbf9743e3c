"""Disparities that lead out of the right view are hatched."""

import numpy as np
import pytest

from tests.composition import Pixels, compose
from tests.test_display import drawn
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import colormap
from wheatstone.viewer.display.picture.panes import Mix, Pane, Picture
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.display.screen.display import Display

pytestmark = pytest.mark.opengl
HATCHED = Pane("d", 1 / 16, 0, 63, invalid=-16, colormap="turbo", hatched=True)


def test_the_first_columns_are_hatched_as_far_as_the_disparity_is_wide(display: Display) -> None:
    disparity = np.full((24, 60), 5 * 16, np.int16)
    disparity[12:] = 5 * 16 + 8  # half a pixel more still meets the first column, at its border
    disparity[:, 3] = -16  # no value, nothing to hatch
    seen = drawn(display, {"d": disparity}, Picture((HATCHED,)), 60, 24)
    plain = np.array([colormap("turbo")[HATCHED.entry(value)] for value in (80, 88)])
    changed = (seen != np.repeat(plain, 12, 0)[:, None]).any(2)
    assert set(np.flatnonzero(changed.any(0))) == {0, 1, 2, 3, 4}
    assert changed[:, 3].all()
    y, x = np.indices((24, 3))
    assert np.array_equal(changed[:, :3], (x + y) % 7 == 0)


def test_negative_disparities_lead_out_at_the_right(display: Display) -> None:
    disparity = np.full((14, 40), -4 * 16, np.int16)
    pane = Pane("d", 1 / 16, -8, 8, invalid=-999, colormap="turbo", hatched=True)
    seen = drawn(display, {"d": disparity}, Picture((pane,)), 40, 14)
    lines = (seen != seen[0, 0]).any(2)
    assert set(np.flatnonzero(lines.any(0))) == {36, 37, 38, 39}


@pytest.mark.parametrize("zoom", [0.4, 1.0, 3.7])
@pytest.mark.parametrize("way", ["", "wipe", "onion", "difference"])
def test_hatching_as_in_numpy_whatever_the_mix(display: Display, zoom: float, way: str) -> None:
    generator = np.random.default_rng(3)
    images: dict[str, Pixels] = {
        name: generator.integers(-16, 64 * 16, (47, 61)).astype(np.int16) for name in "de"
    }
    picture = Picture((HATCHED,), zoom=zoom, center=(0.2, 0.5))
    if way:
        other = Picture((Pane("e", 1 / 16, 0, 63, invalid=-16, colormap="turbo", hatched=True),))
        look = (Pane("d", 1 / 16, 0, 8, colormap="turbo"),) if way == "difference" else ()
        mix = Mix(way, 0.4, look)  # type: ignore[arg-type]
        picture = Picture((HATCHED,), zoom=zoom, center=(0.2, 0.5), second=other, mix=mix)
    seen = drawn(display, images, picture, 97, 71)
    assert np.array_equal(seen, compose(images, picture, 97, 71))


def test_the_colour_bar_names_hatching() -> None:
    for outside in (True, False):
        chosen_state = state(outside=outside)
        (bar,) = chosen(chosen_state).picture(chosen_state).bars
        assert bar.hatched is outside


def state(*, outside: bool = False) -> ViewerState:
    absent = {"cuda": "no GPU"}
    return ViewerState(default_slot("sgm", absent), absent, look=Look(outside=outside))


def test_only_disparities_are_hatched_and_only_if_that_is_chosen() -> None:
    for view in SGM.views:
        chosen_state = state(outside=True)
        chosen_state.set_view(SGM, view.name)
        picture = chosen(chosen_state).picture(chosen_state)
        hatched = [SGM.image(name).disparity for name in view.panes]
        assert [pane.hatched for pane in picture.panes] == hatched, view.name
    assert not chosen(state()).picture(state()).panes[0].hatched


@pytest.mark.parametrize("show", ["truth", "errors"])
def test_the_truth_is_not_hatched(show: str) -> None:
    judging = state(outside=True)
    judging.truth = TruthChoice(show=show)
    assert not chosen(judging).picture(judging).panes[0].hatched
