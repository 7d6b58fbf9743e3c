"""Invert: a hand-worked negative, then every level and every variant."""

import numpy as np
import pytest

from tests.test_parity import assert_same
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.invert import INVERT, InvertParams
from wheatstone.gpu.reference.image_filters import invert
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.documentation import sections
from wheatstone.viewer.panels.keys.actions import press

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in INVERT.variants
]
SIZES = ((1, 1), (1, 40), (23, 1), (37, 70))


def test_black_becomes_white_and_every_level_its_complement() -> None:
    left = np.array([[0, 1, 127], [128, 254, 255]], np.uint8)
    inverted = np.empty_like(left)
    invert(left, inverted)
    assert inverted.tolist() == [[255, 254, 128], [127, 1, 0]]


@pytest.mark.parametrize("variant", VARIANTS)
def test_inverting_twice_gives_the_image_back(variant: str) -> None:
    levels = np.arange(256, dtype=np.uint8).reshape(2, 128)
    once = compute(INVERT, variant, InvertParams(), left=levels)
    assert np.array_equal(once, levels[::-1, ::-1])
    assert np.array_equal(compute(INVERT, variant, InvertParams(), left=once), levels)


@pytest.mark.parametrize(("height", "width"), [*SIZES, (479, 631)])
def test_all_cores_equal_the_reference(height: int, width: int) -> None:
    assert_same(INVERT, INVERT.variant("cpu"), InvertParams(), height, width, "noise")


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("height", "width"), SIZES)
def test_emulated_variant_equals_reference(height: int, width: int) -> None:
    assert_same(INVERT, INVERT.variant("global"), InvertParams(), height, width, "noise")


def test_there_is_nothing_to_set() -> None:
    assert InvertParams().values() == {}
    assert InvertParams().changed() == InvertParams()
    options = parse(["render", "invert", "photo.png"])
    assert options.params == {} and options.preset is None


def test_without_parameters_there_are_no_presets_and_no_empty_tables() -> None:
    state = ViewerState(default_slot("invert", {"cuda": "absent"}))
    assert press(state, "P") and state.message == "invert has no presets"
    made = [name for name in sections() if name.startswith("invert")]
    assert made == ["invert-variants", "invert-views", "invert-stages"]
