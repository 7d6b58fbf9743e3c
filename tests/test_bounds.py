"""Every declared number has bounds, and what lies beyond them is refused through every entrance."""

import math
from dataclasses import dataclass
from typing import Any

import pytest

from wheatstone.gpu.parameters import BOUNDED, Control, controls, slider
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.declared import amount, by_name, numbers
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import FARTHEST_CENTER, ViewerState
from wheatstone.viewer.choices.table import Choice, choices
from wheatstone.viewer.choices.zooming import zoom_at
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.io.reading.typed_values import typed
from wheatstone.viewer.options import float_option, int_option
from wheatstone.viewer.parser import Request, parse_request
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine
from wheatstone.viewer.settings.recipe import restore, to_recipe

ABSENT = {"cpu": "", "cuda": "no GPU"}
BEYOND = (math.inf, -math.inf, math.nan, 1e308, -1e308, 10**400, -(10**400))
BOUNDED_CHOICES = [c for c in choices() if c.control.kind in BOUNDED]


@pytest.fixture
def state() -> ViewerState:
    return ViewerState(default_slot("sgm", ABSENT), ABSENT)


def shaped(default: Any, kind: Any, number: float) -> Any:
    written = str(kind)
    if "Mapping" in written:
        return {"x": (number, number) if "tuple" in written else number}
    if "tuple" not in written:
        return number
    count = 1 + written.split("tuple[")[-1].split("]")[0].count(",")
    one = (number, *[1] * (count - 1))
    return (one,) if "tuple[tuple" in written else one


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (1, 0), (0, math.inf), (-math.inf, 0), (math.nan, 1), (0, 1e308)]
)
def test_a_number_without_finite_bounds_cannot_be_declared(low: float, high: float) -> None:
    for kind in BOUNDED:
        with pytest.raises(ValueError, match="declared with bounds"):
            Control("A number.", kind, low=low, high=high)  # type: ignore[arg-type]
    for declare in (slider, amount, numbers):
        with pytest.raises(ValueError, match="declared with bounds"):
            declare(0.0, low, high, "A number.")
    with pytest.raises(ValueError, match="declared with bounds"):
        by_name(low, high, "Numbers.")


@pytest.mark.parametrize("choice", BOUNDED_CHOICES, ids=lambda choice: choice.path)
@pytest.mark.parametrize("number", BEYOND, ids=lambda number: f"{str(number)[:6]}")
def test_no_choice_takes_a_number_beyond_its_bounds(
    choice: Choice, number: float, state: ViewerState
) -> None:
    before = choice.get(state)
    with pytest.raises(ValueError):
        choice.put(state, shaped(choice.default, choice.kind, number))
    recipe = to_recipe(state)
    value = shaped(choice.default, choice.kind, number)
    if not choice.group:
        recipe["view"][choice.name] = value
    elif choice.group == "mixing":
        recipe["compare"] = {choice.name: value}
    else:
        recipe["chosen"] = {choice.group: {choice.name: value}}
    with pytest.raises(ValueError):
        restore(state, recipe)
    assert choice.get(state) == before


def test_every_number_of_the_state_is_among_them() -> None:
    of_numbers = {int, float}
    loose = [
        c.path
        for c in choices()
        if c.kind in of_numbers and c.control.kind not in (*BOUNDED, "choice")
    ]
    assert loose == []
    assert {"center", "look.near", "look.ranges", "mixing.frozen", "cloud.orbit"} <= {
        c.path for c in BOUNDED_CHOICES
    }


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_no_parameter_takes_a_number_beyond_its_bounds(pipeline: str) -> None:
    params = PIPELINES[pipeline].params
    for name, control in controls(params).items():
        for number in BEYOND if control.kind in BOUNDED else ():
            value = (number,) * 4 if control.kind == "region" else number
            with pytest.raises(ValueError, match=name):
                params(**{name: value})


@pytest.mark.parametrize(
    "word", ["--center=1e308,1e308", "--near=1e308", "--far=inf", "--orbit=0,0,nan", "--pin=9e9,1"]
)
def test_an_option_beyond_its_bounds_is_an_error_of_the_user(word: str) -> None:
    state = Machine(ABSENT).first_state("sgm")
    with pytest.raises((ValueError, SystemExit)):
        apply_options(state, parse(["render", "sgm", word, "--out", "a.png"]))


@dataclass(frozen=True, kw_only=True)
class CountRequest(Request):
    """Two numbers that declare no bounds."""

    whole: int = int_option("an integer", default=0)
    real: float = float_option("a number", default=0.0)


@pytest.mark.parametrize("name", ["whole", "real"])
def test_an_option_that_declares_no_bounds_has_some(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert getattr(parse_request(CountRequest, [f"--{name}", "7"], ""), name) == 7
    for word in ("nan", "inf", "1e308", "9" * 300, "x", "9" * 5000):
        with pytest.raises(SystemExit):
            parse_request(CountRequest, [f"--{name}", word], "")
        assert f"argument --{name}: must be" in capsys.readouterr().err


@pytest.mark.parametrize("number", [1e308, -1e19, math.nan, 2**63])
def test_a_number_of_a_document_has_bounds(number: float) -> None:
    for kind in (int, float):
        with pytest.raises(ValueError, match="must be"):
            typed(kind, number, "scale")


def test_the_middle_of_the_picture_stays_near_the_image(state: ViewerState) -> None:
    for _ in range(100):
        zoom_at(state, 0.5, (1e6, -1e6))
        zoom_at(state, 2.0, (0.5, 0.5))
    assert max(map(abs, state.center)) <= FARTHEST_CENTER
