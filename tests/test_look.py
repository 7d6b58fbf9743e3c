"""How values are shown: ranges, the colour bar, and the keys and options that set them."""

from pathlib import Path
from typing import Any

import pytest

from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.look import Look, parse_range
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.panels.keys.palette.entries import entries
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine
from wheatstone.viewer.settings.recipe import dumps, loads, restore, to_recipe

SCENE: dict[str, str | int] = {"scene": "orbit", "seed": 0, "size": "64x48"}


def state_of(**params: Any) -> ViewerState:
    return ViewerState(Run(SGM, "cpu", SgmParams(**params)), absent={"cuda": "none"})


def shown_limits(state: ViewerState) -> tuple[float, float]:
    pane = chosen(state).picture(state).panes[0]
    return pane.low, pane.high


def test_a_chosen_range_takes_the_place_of_the_declared_one_until_it_is_reset() -> None:
    state = state_of(disparities=32)
    assert shown_limits(state) == (0, 31)
    state.look = state.look.with_range("sgm.disparity", (3, 12.5))
    assert shown_limits(state) == (3, 12.5)
    assert press(state, "R")
    assert shown_limits(state) == (0, 31)
    assert state.message == "shown: disparity 0 to 31 px"


def test_a_range_belongs_to_one_image_of_one_pipeline() -> None:
    state = state_of()
    state.look = state.look.with_range("sgm.disparity", (3, 12))
    state.views["sgm"] = "confidence"
    assert shown_limits(state) == (0, 100)
    state.slot = Run(CANNY, "cpu", CANNY.params())
    assert not any(pane.low == 3 for pane in chosen(state).picture(state).panes)


@pytest.mark.parametrize("bounds", [(2, 2), (3, 1), (float("nan"), 1), (0, float("inf"))])
def test_what_does_not_go_up_is_no_range(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"range.*less than"):
        Look().with_range("sgm.disparity", bounds)


def test_a_range_is_two_numbers() -> None:
    assert parse_range("-4,20.5") == (-4.0, 20.5)
    for text in ("4", "4,", "a,b", "5,4"):
        with pytest.raises(ValueError, match="LOW,HIGH"):
            parse_range(text)


def test_an_image_of_two_values_has_their_names_in_place_of_a_bar() -> None:
    state = ViewerState(Run(CANNY, "cpu", CANNY.params()), absent={"cuda": "none"})
    picture = chosen(state).picture(state)
    assert state.view.name == "edges" and not picture.bars
    (no_edge, dark), (edge, light) = picture.legend
    assert (no_edge, edge) == ("no edge", "edge") and sum(light) > sum(dark)


def test_the_bar_says_unit_range_and_what_may_lie_beyond() -> None:
    state = state_of(disparities=32)
    (bar,) = chosen(state).picture(state).bars
    assert (bar.label, bar.low, bar.high, bar.beyond) == ("disparity, px", 0, 31, (False, False))
    assert bar.has_invalid and bar.colormap == state.colormap
    state.look = state.look.with_range("sgm.disparity", (0, 12))
    (bar,) = chosen(state).picture(state).bars
    assert bar.beyond == (False, True)
    assert press(state, "Shift+R")
    assert chosen(state).picture(state).bars == ()


@pytest.mark.parametrize("view", ["left", "reasons", "anaglyph"])
def test_photos_and_labels_have_no_bar(view: str) -> None:
    state = state_of()
    state.views["sgm"] = view
    assert chosen(state).picture(state).bars == ()


def test_settings_and_the_copied_line_keep_what_was_chosen() -> None:
    state = state_of()
    state.look = Look({"sgm.disparity": (3.5, 12.0)}, colorbar=False, pin=(4, 5), whole=True)
    restored = state_of()
    restore(restored, loads(dumps(to_recipe(state, SourceSpec.from_dict(SCENE)))))
    assert restored.look == state.look
    words = command_line(state, SourceSpec.from_dict(SCENE))[1:]
    assert any(word.startswith("--set=look.ranges=") for word in words)
    assert parse(words).set


def test_a_damaged_range_in_settings_is_refused() -> None:
    state = state_of()
    recipe = to_recipe(state, SourceSpec.from_dict(SCENE)) | {
        "chosen": {"look": {"ranges": {"sgm.disparity": [4, 1]}}}
    }
    with pytest.raises(ValueError, match=r"range.*less than"):
        restore(state, recipe)


def options(*words: str) -> Any:
    return parse(["view", "sgm", *words])


def shown_by(*words: str) -> ViewerState:
    machine = Machine({"cpu": "", "cuda": "none"})
    state = machine.first_state("sgm")
    apply_options(state, options(*words))
    return state


def test_options_set_the_range_and_the_bar() -> None:
    state = shown_by("--range=-3,40", "--no-colorbar")
    assert shown_limits(state) == (-3, 40) and not state.look.colorbar
    with pytest.raises(ValueError, match="view left of sgm shows photos and labels"):
        shown_by("--range", "3,40", "--view", "left")


def test_a_range_can_be_typed_into_the_palette() -> None:
    state = state_of()
    (entry,) = [entry for entry in entries(state) if entry.name == "range shown ..."]
    assert entry.take
    entry.take(state, "4,9.5")
    assert shown_limits(state) == (4, 9.5)
    entry.take(state, "9")
    assert shown_limits(state) == (4, 9.5) and "LOW,HIGH" in state.message


def test_the_calibration_is_an_option_of_its_own(tmp_path: Path) -> None:
    assert options("--calibration", str(tmp_path)).calibration == str(tmp_path)
