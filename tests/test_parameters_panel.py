"""The parameter panel in a window: clicks and typing in, state out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.offscreen_app import click, do, keys, running_app, text
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.app import App
from wheatstone.viewer.screen.events import Event
from wheatstone.viewer.screen.offscreen import OffscreenContext

pytestmark = pytest.mark.opengl
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu")
SLIDER, FIELD, COMBO = 200, 290, 300  # middles of widgets, in pixels from the window's left
FIRST, EACH = 138, 29  # the middle of the first parameter's row, and the distance to the next


@pytest.fixture(scope="module")
def shared(offscreen: OffscreenContext) -> Iterator[App]:
    """A program with its parameter panel open."""
    with running_app(*WORDS, size=(1140, 620)) as running:
        keys(running, "F2")
        yield running


@pytest.fixture
def app(shared: App) -> App:
    """The same, with the state it began with."""
    state = shared.state
    params = SGM.preset("balanced").changed(disparities=16)
    state.slot = replace(state.slot, variant="cpu", params=params)
    state.b, state.linked, state.tuned = None, True, "a"
    do(shared, Event("move", x=900, y=300))
    return shared


def row(app: App, name: str) -> int:
    """Where a parameter's row is, in pixels from the window's top."""
    return FIRST + EACH * list(controls(app.state.slot.pipeline.params)).index(name)


def value(app: App, name: str, slot: str = "slot") -> Any:
    return getattr(app.state, slot).params.values()[name]


def test_a_number_typed_counts_when_enter_is_pressed_and_no_key_does_anything(app: App) -> None:
    click(app, FIELD, row(app, "p1"))
    keys(app, "Backspace", "Backspace")
    text(app, "3")
    text(app, "1")
    assert (value(app, "p1"), app.state.slot.variant) == (35, "cpu")
    keys(app, "Enter")
    assert (value(app, "p1"), app.state.slot.variant, app.state.message) == (31, "cpu", "p1 31")
    text(app, "1")  # the field has let go of the keyboard
    assert app.state.slot.variant == "reference"


def test_a_number_out_of_bounds_stops_at_them(app: App) -> None:
    click(app, FIELD, row(app, "uniqueness"))
    for _ in range(3):
        text(app, "7")
    keys(app, "Enter")
    assert value(app, "uniqueness") == 100


def test_a_slider_is_dragged_in_steps(app: App) -> None:
    y = row(app, "speckle_size")
    do(app, Event("move", x=SLIDER, y=y))
    for event in (Event("press", x=SLIDER, y=y), Event("move", x=SLIDER + 20, y=y)):
        do(app, event)
    do(app, Event("release", x=SLIDER + 20, y=y))
    assert 400 < value(app, "speckle_size") < 900
    assert value(app, "speckle_size") % 10 == 0


def test_a_switch_switches_and_a_right_click_offers_the_default(app: App) -> None:
    click(app, 152, row(app, "median"))
    assert value(app, "median") is False
    click(app, 152, row(app, "median"), button=1)
    click(app, 190, row(app, "median") + 16)
    assert value(app, "median") is True


def test_a_choice_is_taken_from_a_list(app: App) -> None:
    click(app, COMBO, row(app, "p2_adaptation"))
    click(app, SLIDER, row(app, "p2_adaptation") + 26)
    assert value(app, "p2_adaptation") == "none"


def test_escape_closes_a_list_and_not_the_program(app: App) -> None:
    click(app, COMBO, row(app, "cost"))
    keys(app, "Esc")
    assert not app.state.closing
    keys(app, "Esc")
    assert not app.state.open_panels and not app.state.closing
    keys(app, "F2")


def test_b_is_changed_once_it_has_parameters_of_its_own(app: App) -> None:
    keys(app, "Shift+X")
    click(app, 60, 45)
    assert app.state.tuned == "b"
    click(app, 152, row(app, "median") + EACH)  # the switch between A and B takes a line
    assert (value(app, "median"), value(app, "median", "slot_b")) == (True, False)
