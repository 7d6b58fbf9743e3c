"""One declaration of a source: its text form, its checks, and how often a start makes one."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli import start
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import DECODING, LAYOUTS, RECTIFY, SourceSpec
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.layers import Machine
from wheatstone.viewer.settings.recipe import dumps, to_recipe

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(
    lambda name: not name.startswith("file://")
)
POSITIVE = st.floats(min_value=1e-6, max_value=10_000)
SIDE = st.integers(1, 8192)


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


SPECS = st.builds(
    SourceSpec,
    optional(NAMES),
    optional(NAMES),
    scene=optional(st.sampled_from(SCENES)),
    seed=optional(st.integers(0, 2**40)),
    size=optional(st.tuples(SIDE, SIDE)),
    calibration=NAMES,
    calibration_right=optional(NAMES),
    calibration_sha256=optional(st.just("0" * 64)),
    decoding=optional(st.sampled_from(DECODING)),
    layout=optional(st.sampled_from(LAYOUTS)),
    topics=optional(st.sampled_from(("/left,/right", "/both"))),
    rectify=optional(st.sampled_from(RECTIFY)),
    truth=optional(NAMES),
    truth_scale=optional(POSITIVE),
    video_size=optional(st.just("1280x720")),
    frame_rate=optional(POSITIVE),
    input_format=optional(st.just("mjpeg")),
)


@given(SPECS)
def test_a_spec_in_toml_is_the_same_spec(spec: SourceSpec) -> None:
    assert SourceSpec.from_toml(spec.to_toml()) == spec
    assert SourceSpec.from_dict(spec.to_dict()) == spec


def test_a_name_that_is_not_utf_8_survives_toml() -> None:
    spec = SourceSpec("/pictures/l\udcff.png")
    assert SourceSpec.from_toml(spec.to_toml()) == spec


def test_settings_of_version_0_1_0_are_read() -> None:
    text = """
[source]
left = "/l.png"
right = "/r.png"
calibration = "/c.yml"
truth = "/t.png"
truth_scale = "8"
frame_rate = 29.97
"""
    assert SourceSpec.from_toml(text) == SourceSpec(
        "/l.png",
        "/r.png",
        calibration="/c.yml",
        truth="/t.png",
        truth_scale=8.0,
        frame_rate=29.97,
    )
    scene = SourceSpec.from_dict({"scene": "garden", "seed": 3, "size": "64x48"})
    assert scene == SourceSpec(scene="garden", seed=3, size=(64, 48))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"left": 3}, "source.left"),
        ({"camera": 0}, "camera"),
        ({"layout": "diagonal"}, "layout"),
        ({"truth_scale": "x"}, "truth_scale"),
        ({"frame_rate": "-1"}, "frame rate"),
        ({"size": "0x5"}, "size"),
        ({"seed": -1}, "seed"),
        ({"calibration_right": "r.yml"}, "r.yml"),
    ],
)
def test_an_impossible_spec_is_refused_by_name(values: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        SourceSpec.from_dict(values)


@pytest.mark.parametrize("words", ["view", "render sgm", "view ncc", "render --settings FILE"])
def test_a_start_builds_one_state_and_opens_one_source(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SourceSpec(scene="garden", seed=3, size=(64, 48))
    saved = Machine({"cpu": "", "cuda": "none"}).first_state("sgm")
    user_settings.save(saved, scene)
    (tmp_path / "mine.toml").write_text(dumps(to_recipe(saved, scene)))
    made: list[ViewerState] = []
    read: list[Any] = []
    opened: list[SourceSpec] = []
    make, section = ViewerState.__init__, SourceSpec.from_dict

    def counted(state: ViewerState, *values: Any, **named: Any) -> None:
        made.append(state)
        make(state, *values, **named)

    def counted_open(spec: SourceSpec) -> Source:
        opened.append(spec)
        return open_source(spec)

    def counted_section(values: Any) -> SourceSpec:
        read.append(values)
        return section(values)

    monkeypatch.setattr(ViewerState, "__init__", counted)
    monkeypatch.setattr(start, "open_source", counted_open)
    monkeypatch.setattr(SourceSpec, "from_dict", counted_section)
    options = "--colormap grey --set look.near=1 --b-variant cpu --range 1,9".split()
    named = [word.replace("FILE", str(tmp_path / "mine.toml")) for word in words.split()]
    state, source = start.open_view(parse([*named, *options]))
    source.close()
    assert state.colormap == "grey"
    assert (len(made), len(opened)) == (1, 1) and len(read) <= 1
