"""The parameter panel in a window: clicks and typing in, state out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.offscreen_app import click, do, keys, running_app, settle, text
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu")
SLIDER, FIELD, COMBO = 200, 290, 300  # middles of widgets, in pixels from the window's left
FIRST, EACH = 138, 29  # the middle of the first group's heading, and the distance to the next row


@pytest.fixture(scope="module")
def shared(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*WORDS, size=(1140, 800)) as running:
        keys(running, "F2")
        yield running


@pytest.fixture
def app(shared: App) -> App:
    state = shared.state
    params = SGM.preset("balanced").changed(disparities=16)
    state.slot = replace(state.slot, variant="cpu", params=params)
    state.b, state.linked, state.tuned = None, True, "a"
    do(shared, Event("move", x=900, y=300))
    return shared


def row(app: App, name: str) -> int:
    """Where a parameter's row is, in pixels from the window's top."""
    return row_of(app.state.slot.pipeline.params, name)


def row_of(params: type[Params], name: str) -> int:
    """Where the row of one of these parameters is, in a panel that begins at the window's top."""
    groups = params.groups or {"Parameters": tuple(controls(params))}
    listed = [line for heading, names in groups.items() for line in (heading, *names)]
    return FIRST + EACH * listed.index(name)


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
    click(app, 152, row(app, "gradient"))
    assert value(app, "gradient") is False
    click(app, 152, row(app, "gradient"), button=1)
    click(app, 190, row(app, "gradient") + 16)
    assert value(app, "gradient") is True


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
    click(app, 152, row(app, "gradient") + EACH)  # the switch between A and B takes a line
    assert (value(app, "gradient"), value(app, "gradient", "slot_b")) == (True, False)


def typed_into(app: App, name: str, typed: str) -> None:
    click(app, FIELD, row(app, name))
    keys(app, "Ctrl+A")
    text(app, typed)


def test_tab_takes_a_number_over_and_goes_to_the_next_field(app: App) -> None:
    typed_into(app, "p1", "31")
    keys(app, "Tab")
    assert (value(app, "p1"), app.state.message) == (31, "p1 31")
    keys(app, "Ctrl+A")
    text(app, "99")
    keys(app, "Enter")
    assert (value(app, "p1"), value(app, "p2")) == (31, 99)


def test_a_click_elsewhere_takes_a_number_over(app: App) -> None:
    typed_into(app, "p1", "29")
    click(app, 900, 20)  # above the image
    assert (value(app, "p1"), app.state.message) == (29, "p1 29")


def test_escape_brings_the_number_back(app: App) -> None:
    typed_into(app, "p1", "28")
    keys(app, "Esc")
    assert value(app, "p1") == 35 and not app.state.closing and app.state.open_panels


def test_what_is_no_number_is_refused_in_sight(app: App) -> None:
    typed_into(app, "p1", "1-2")
    keys(app, "Tab")
    newest = app.state.messages.newest
    assert value(app, "p1") == 35
    assert (newest.kind, newest.text) == ("error", "p1 stays 35: '1-2' is not a number")
    keys(app, "Esc")


def test_a_number_out_of_bounds_is_changed_in_sight(app: App) -> None:
    typed_into(app, "uniqueness", "777")
    click(app, 900, 20)  # above the image
    newest = app.state.messages.newest
    assert (value(app, "uniqueness"), newest.kind) == (100, "warning")
    assert newest.text == "uniqueness 100, not 777: in [0, 100] %"


def test_tab_goes_through_the_numbers_of_a_region_and_loses_none(app: App) -> None:
    app.state.choose_pipeline("ncc")
    settle(app)
    x, y, *_ = value(app, "template")
    click(app, 160, row(app, "template"))
    keys(app, "Ctrl+A")
    text(app, str(x + 1))
    keys(app, "Tab", "Ctrl+A")
    text(app, str(y + 2))
    click(app, 900, 20)  # above the image
    assert value(app, "template")[:2] == (x + 1, y + 2)
    app.state.choose_pipeline("sgm")
