"""The command line copied shows what was shown: from a state to words and back."""

import random
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.parameters import Control, Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.declared import declared_controls
from wheatstone.viewer.choices.mixing import MODES, Mixing
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.commands.cli import parse
from wheatstone.viewer.commands.start import open_view
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.chosen import apply_choices, of_window
from wheatstone.viewer.settings.command_line import command_line

ABSENT = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
SCENE: dict[str, str | int] = {"scene": "orbit", "seed": 0, "size": "64x48"}


def fresh(pipeline: str = "sgm") -> ViewerState:
    state = ViewerState(default_slot(pipeline, ABSENT), ABSENT)
    apply_choices(state, of_window())
    return state


def test_the_defaults_need_no_options() -> None:
    words = command_line(fresh(), SCENE)
    assert shlex.join(words) == "wheatstone view sgm --scene-size 64x48 --fresh"


def test_only_what_differs_is_said() -> None:
    state = fresh()
    params = state.slot.params.changed(min_disparity=-4, subpixel="off")
    state.slot = replace(state.slot, params=params, variant="reference")
    state.center = (-0.5, 0.25)
    assert command_line(state, {"left": "/my pictures/l.png", "right": "/r.png"})[3:] == [
        "/my pictures/l.png",
        "/r.png",
        "--variant",
        "reference",
        "--min-disparity=-4",
        "--subpixel",
        "off",
        "--center=-0.5,0.25",
        "--fresh",
    ]


def test_a_preset_stands_for_what_it_sets() -> None:
    state = fresh()
    state.slot = replace(state.slot, params=SGM.preset("aveiro-2016").changed(p1=16))
    words = command_line(state, {"scene": "garden", "seed": 3})
    expected = "wheatstone view sgm --scene garden --seed 3 --preset aveiro-2016 --p1 16 --fresh"
    assert shlex.join(words) == expected


def test_what_was_said_of_the_images_is_said_again() -> None:
    source: dict[str, str | int] = {"left": "/l.png", "right": "/r.png", "calibration": "/c.txt"}
    words = command_line(fresh(), source | {"truth": "/t.png", "truth_scale": "8"})
    assert words[5:-1] == ["--calibration=/c.txt", "--truth=/t.png", "--truth-scale=8"]


def test_a_rig_that_sees_the_scene_is_said_again() -> None:
    rig: dict[str, str | int] = {"calibration": "/l.yml", "calibration_right": "/r.yml"}
    words = command_line(fresh(), {"scene": "orbit", "seed": 0, **rig, "calibration_sha256": "0"})
    assert words[3:-1] == ["--calibration=/l.yml", "--calibration-right=/r.yml"]


def test_a_source_without_a_path_cannot_be_reopened() -> None:
    with pytest.raises(ValueError, match="cannot be reopened"):
        command_line(fresh(), {"camera": 0})


@pytest.mark.parametrize("seed", range(100))
def test_every_state_comes_back_from_its_command_line(seed: int, tmp_path: Path) -> None:
    pair = {name: str(tmp_path / f"{name} view.png") for name in ("left", "right")}
    for path in pair.values():
        Image.new("L", (64, 48)).save(path)
    state = random_state(random.Random(seed))
    words = command_line(state, pair)
    options = parse(shlex.split(shlex.join(words))[1:])
    again, source = open_view(options)
    source.close()
    assert again.slot_b == state.slot_b, words
    for name in ("slot", "view", "linked", "mixing", "colormap", "frame", "zoom", "center"):
        assert getattr(again, name) == getattr(state, name), words
    for name in ("look", "truth", "probing"):
        assert getattr(again, name) == getattr(state, name), words
    assert again.view_of(again.slot_b) == state.view_of(state.slot_b)


def random_state(dice: random.Random) -> ViewerState:
    state = fresh(dice.choice(list(PIPELINES)))
    state.slot = random_slot(dice, state.slot.pipeline)
    state.views = {name: dice.choice(p.views).name for name, p in PIPELINES.items()}
    state.colormap, state.frame = dice.choice(COLORMAPS), dice.choice([0, 7])
    state.zoom = dice.choice([1.0, dice.uniform(0.1, 20)])
    state.center = dice.choice([(0.5, 0.5), (dice.uniform(-1, 2), dice.uniform(-1, 2))])
    bounds: dict[str, Any] = {
        name: dice.uniform(control.low, control.high)
        for name, control in declared_controls(Mixing).items()
        if control.kind == "float"
    }
    frozen, check = dice.choice([None, 3]), dice.random() < 0.5
    state.mixing = Mixing(dice.choice(list(MODES)), frozen=frozen, check=check, **bounds)
    if dice.random() < 0.7:
        state.b = random_slot(dice, dice.choice(list(PIPELINES.values())))
        state.linked = dice.random() < 0.5
    if dice.random() < 0.5:
        state.look = state.look.with_range("sgm.disparity", (dice.uniform(-9, 0), 31.5))
        state.look = replace(state.look, pin=(3, 4), colorbar=False)
        state.truth = replace(state.truth, convention="kitti", region="known")
        state.probing = replace(state.probing, disparity=12)
    return state


def random_slot(dice: random.Random, pipeline: Pipeline) -> Run:
    runs = [v.name for v in pipeline.variants if not ABSENT[v.device]]
    params = pipeline.params()
    if pipeline.presets and dice.random() < 0.5:
        params = pipeline.preset(dice.choice(list(pipeline.presets)))
    return Run(pipeline, dice.choice(runs), random_params(dice, params))


def random_params(dice: random.Random, params: Params) -> Params:
    for name, control in controls(type(params)).items():
        if dice.random() < 0.3:
            params = params.adjusted(name, random_value(dice, control))
    return params


def random_value(dice: random.Random, control: Control) -> Any:
    if control.kind == "choice":
        return dice.choice(control.choices)
    if control.kind == "region":
        smallest = int(control.low)
        return (dice.randrange(9), dice.randrange(9), smallest + 3, smallest)
    if control.kind == "float":
        return dice.uniform(control.low, control.high)
    return dice.randrange(int(control.low), int(control.high) + 1, control.stride)
