"""The command line copied shows what was shown: from a state to words and back."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.test_parity import values_of
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.declared import declared_controls
from wheatstone.viewer.choices.mixing import MODES, Mixing
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.settings.saved_choices import apply_choices, of_window

ABSENT = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
SCENE: dict[str, str | int] = {"scene": "orbit", "seed": 0, "size": "64x48"}


def fresh(pipeline: str = "sgm") -> ViewerState:
    state = ViewerState(default_slot(pipeline, ABSENT), ABSENT)
    apply_choices(state, of_window())
    return state


def test_the_defaults_need_no_options() -> None:
    words = command_line(fresh(), SourceSpec.from_dict(SCENE))
    assert shlex.join(words) == "wheatstone view sgm --scene-size 64x48 --fresh"


def test_only_what_differs_is_reported() -> None:
    state = fresh()
    params = state.slot.params.changed(min_disparity=-4, subpixel="off")
    state.slot = replace(state.slot, params=params, variant="reference")
    state.center = (-0.5, 0.25)
    assert command_line(
        state, SourceSpec.from_dict({"left": "/my pictures/l.png", "right": "/r.png"})
    )[3:] == [
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
    words = command_line(state, SourceSpec.from_dict({"scene": "garden", "seed": 3}))
    expected = "wheatstone view sgm --scene garden --seed 3 --preset aveiro-2016 --p1 16 --fresh"
    assert shlex.join(words) == expected


def test_options_for_the_images_are_repeated() -> None:
    source: dict[str, str | int] = {"left": "/l.png", "right": "/r.png", "calibration": "/c.txt"}
    words = command_line(
        fresh(), SourceSpec.from_dict(source | {"truth": "/t.png", "truth_scale": "8"})
    )
    assert words[5:-1] == ["--calibration=/c.txt", "--truth=/t.png", "--truth-scale=8"]


def test_the_option_for_a_rig_that_sees_the_scene_is_repeated() -> None:
    rig: dict[str, str | int] = {"calibration": "/l.yml", "calibration_right": "/r.yml"}
    words = command_line(
        fresh(),
        SourceSpec.from_dict({"scene": "orbit", "seed": 0, **rig, "calibration_sha256": "0"}),
    )
    assert words[3:-1] == ["--calibration=/l.yml", "--calibration-right=/r.yml"]


def test_a_source_without_a_path_cannot_be_reopened() -> None:
    with pytest.raises(ValueError, match="cannot be reopened"):
        command_line(fresh(), SourceSpec())


@st.composite
def runs(draw: st.DrawFn, pipeline: Pipeline) -> Run:
    variants = [v.name for v in pipeline.variants if not ABSENT[v.device]]
    presets = [pipeline.params(), *map(pipeline.preset, pipeline.presets)]
    params = draw(st.sampled_from(presets))
    for name, control in controls(pipeline.params).items():
        if draw(st.booleans()):
            params = params.adjusted(name, draw(values_of(name, control)))
    return Run(pipeline, draw(st.sampled_from(variants)), params)


@st.composite
def states(draw: st.DrawFn) -> ViewerState:
    pipelines = st.sampled_from(list(PIPELINES.values()))
    run = draw(pipelines.flatmap(runs))
    state = fresh(run.pipeline.name)
    state.slot = run
    state.views = {n: draw(st.sampled_from(p.views)).name for n, p in PIPELINES.items()}
    state.colormap, state.frame = draw(st.sampled_from(COLORMAPS)), draw(st.sampled_from((0, 7)))
    state.zoom = draw(st.just(1.0) | st.floats(0.1, 20))
    state.center = draw(st.tuples(st.floats(-1, 2), st.floats(-1, 2)))
    floats = {n: c for n, c in declared_controls(Mixing).items() if c.kind == "float"}
    bounds: dict[str, Any] = {n: draw(st.floats(c.low, c.high)) for n, c in floats.items()}
    frozen, check = draw(st.sampled_from((None, 3))), draw(st.booleans())
    state.mixing = Mixing(draw(st.sampled_from(list(MODES))), frozen=frozen, check=check, **bounds)
    if draw(st.booleans()):
        state.b, state.linked = draw(pipelines.flatmap(runs)), draw(st.booleans())
    if draw(st.booleans()):
        state.look = state.look.with_range("sgm.disparity", (draw(st.floats(-9, 0)), 31.5))
        state.look = replace(state.look, pin=(3, 4), colorbar=False)
        state.truth = replace(state.truth, convention="kitti", region="known")
        state.probing = replace(state.probing, disparity=12)
    return state


@given(state=states())
@settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_state_comes_back_from_its_command_line(state: ViewerState, tmp_path: Path) -> None:
    pair = {name: str(tmp_path / f"{name} view.png") for name in ("left", "right")}
    for path in pair.values():
        Image.new("L", (64, 48)).save(path)
    words = command_line(state, SourceSpec.from_dict(pair))
    options = parse(shlex.split(shlex.join(words))[1:])
    again, source = open_view(options)
    source.close()
    assert again.slot_b == state.slot_b, words
    for name in ("slot", "view", "linked", "mixing", "colormap", "frame", "zoom", "center"):
        assert getattr(again, name) == getattr(state, name), words
    for name in ("look", "truth", "probing"):
        assert getattr(again, name) == getattr(state, name), words
    assert again.view_of(again.slot_b) == state.view_of(state.slot_b)
