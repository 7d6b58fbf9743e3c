"""What of A and B is on screen: plain data, keys and options; no window, no OpenGL."""

from dataclasses import replace

import pytest

from wheatstone.gpu import Unavailable
from wheatstone.gpu.pipelines.mean import MEAN
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.declared import declared_controls
from wheatstone.viewer.choices.mixing import MODES, Mixing
from wheatstone.viewer.choices.slot import default_slot, rival
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.display.picture.combination import combined, label
from wheatstone.viewer.display.picture.mixable import check_mixable
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine

ABSENT = {"cpu": "", "cuda": "no GPU"}
MODE_KEYS = {
    "C": "side-by-side",
    "W": "wipe",
    "Shift+W": "wipe-down",
    "B": "blink",
    "O": "onion",
    "D": "difference",
    "Shift+D": "signed-difference",
}


def state_of(pipeline: str = "sgm") -> ViewerState:
    return ViewerState(default_slot(pipeline, ABSENT), ABSENT)


@pytest.mark.parametrize("key", MODE_KEYS)
def test_a_key_shows_a_and_b_and_once_more_a_only(key: str) -> None:
    state = state_of()
    press(state, key)
    assert state.mixing.mode == MODE_KEYS[key] and state.mixing.uses_b
    press(state, key)
    assert state.mixing == Mixing()


def test_every_mode_has_a_key() -> None:
    assert {"off", "a", "b", *MODE_KEYS.values()} == set(MODES)


def test_toggling_goes_to_b_and_back() -> None:
    state = state_of()
    seen = []
    for _ in range(3):
        press(state, "T")
        seen.append(state.mixing.alone)
    assert seen == ["b", "a", "b"]
    assert not state.mixing.uses_a


@pytest.mark.parametrize(
    ("mode", "name", "right", "left"),
    [
        ("wipe", "seam", 0.55, 0.45),
        ("wipe-down", "seam", 0.55, 0.45),
        ("blink", "period", 1.25, 0.75),
        ("onion", "share", 0.55, 0.45),
        ("difference", "reach", 1 / 8, 1 / 32),
    ],
)
def test_arrows_adjust_the_mode_within_bounds(
    mode: str, name: str, right: float, left: float
) -> None:
    state = state_of()
    state.mix(mode=mode)
    press(state, "Right")
    assert getattr(state.mixing, name) == pytest.approx(right)
    press(state, "Left")
    press(state, "Left")
    assert getattr(state.mixing, name) == pytest.approx(left)
    for key, bound in (("Left", 0), ("Right", 1)):
        for _ in range(60):
            press(state, key)
        control = declared_controls(Mixing)[name]
        assert getattr(state.mixing, name) == (control.low, control.high)[bound]


@pytest.mark.parametrize("key", MODE_KEYS)
def test_a_comparison_begins_with_the_parameters_of_b(key: str) -> None:
    state = state_of("canny")
    press(state, key)
    assert state.slot_b == state.slot and "parameters" in state.open_panels
    tuning.set_parameter(state, "high", 99)
    high = [slot.params.values()["high"] for slot in (state.slot, state.slot_b)]
    assert high == [100, 99]
    tuning.tune(state, "a")
    state.open_panels.clear()
    press(state, "Shift+W" if key == "W" else "W")
    assert not tuning.tunes_b(state) and not state.open_panels
    press(state, "C")
    press(state, "C")
    press(state, "C")
    assert tuning.tunes_b(state) and state.slot_b.params.values()["high"] == 99


def test_a_comparison_leaves_hidden_panels_hidden_and_a_linked_b_linked() -> None:
    state = state_of("canny")
    state.panels = False
    press(state, "C")
    assert not state.panels and tuning.tunes_b(state)
    state = state_of("canny")
    state.choose_variant_b("reference")
    press(state, "C")
    assert state.linked and state.slot_b == replace(state.slot, variant="reference")
    assert not tuning.tunes_b(state)


def test_what_is_out_of_bounds_is_refused() -> None:
    for changes in ({"mode": "zip"}, {"seam": 1.1}, {"period": 0.0}, {"turn": "c"}):
        with pytest.raises(ValueError, match="must"):
            state_of().mix(**changes)


def test_b_is_a_by_another_variant_until_it_is_chosen() -> None:
    state = state_of()
    assert state.slot_b == replace(state.slot, variant="reference")
    press(state, "1")
    assert (state.slot.variant, state.slot_b.variant) == ("reference", "cpu")
    press(state, "]")
    assert state.slot_b.params == state.slot.params
    press(state, "Shift+8")
    assert state.slot_b.variant == "opencv-sgbm"
    press(state, "Alt+3")
    assert state.slot_b.variant == "opencv-sgbm" and "no GPU" in state.message
    press(state, "Ctrl+2")
    assert state.slot_b == replace(state.slot, variant="reference")


def test_b_keeps_its_parameters_once_unlinked() -> None:
    state = state_of()
    before = state.slot
    press(state, "Shift+X")
    press(state, "]")
    assert state.slot_b == replace(before, variant="reference") and state.slot != before
    changed = state.slot
    press(state, "X")
    assert state.slot == replace(before, variant="reference") and state.slot_b == changed
    press(state, "Shift+X")
    assert state.slot_b.params == state.slot.params


def test_no_rival_is_a_peer_or_lacks_its_device() -> None:
    for variant in SGM.variants:
        result = rival(Run(SGM, variant.name, SGM.params()), ABSENT)
        assert result in ("cpu", "reference") and result != variant.name


def test_a_frozen_b_stays_at_its_frame_with_textures_of_its_own() -> None:
    state = state_of()
    state.views["sgm"] = "pair"
    shared = chosen_b(state).textures
    press(state, "Z")
    state.frame = 7
    frozen = chosen_b(state)
    assert (chosen(state).frame, frozen.frame) == (7, 0)
    assert set(shared) == {"disparity"} and set(frozen.textures) == {"left", "disparity"}
    press(state, "Z")
    assert chosen_b(state).frame == 7


def test_settings_survive_the_way_through_toml() -> None:
    state = state_of()
    state.mix(mode="onion", share=0.3, frozen=4, check=True, reach=0.125)
    state.b = Run(MEAN, "cpu", MEAN.params().changed(radius=3))
    state.linked = False
    state.views["mean"] = "left"
    text = settings.dumps(settings.to_recipe(state))
    restored = state_of()
    settings.restore(restored, settings.loads(text))
    assert (restored.mixing, restored.slot_b) == (state.mixing, state.slot_b)
    assert restored.view_of(restored.slot_b).name == "left" and not restored.linked
    settings.restore(restored, settings.to_recipe(state_of()))
    assert (restored.mixing, restored.b) == (Mixing(), None)


def shown_by(*words: str) -> ViewerState:
    machine, options = Machine(ABSENT), parse(words)
    state = machine.first_state(options.pipeline.name)
    apply_options(state, options)
    return state


def test_options_say_what_b_is() -> None:
    words = "render sgm --compare wipe --seam 0.3 --b-variant cpu --b-preset driving --identity"
    state = shown_by(*words.split(), "--b-set", "p2=99", "subpixel=off")
    assert (state.mixing.mode, state.mixing.seam, state.mixing.check) == ("wipe", 0.3, True)
    driving = SGM.preset("driving").changed(p2=99, subpixel="off")
    assert state.slot_b == Run(SGM, "cpu", driving)
    assert state.slot.params == SGM.params()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--b-set warp=9", "sgm has no parameter 'warp'"),
        ("--b-set p2=much", "p2 cannot be 'much'"),
        ("--b-set median=yes", "median is on or off"),
        ("--b-variant warp", "sgm has no variant 'warp'"),
        ("--seam 3", r"seam must be in \[0.0, 1.0\]"),
    ],
)
def test_bad_options_are_named(words: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        shown_by("render", *words.split())


def test_a_variant_of_b_that_cannot_run_is_refused() -> None:
    with pytest.raises(Unavailable, match="B's shared needs a CUDA GPU: no GPU"):
        shown_by("render", "--b-variant", "shared")


@pytest.mark.parametrize(
    ("mode", "view", "b", "complaint"),
    [
        ("wipe", "anaglyph", None, "view anaglyph already overlays two images"),
        ("difference", "reasons", None, "invalid_reason holds labels, which have no difference"),
        ("difference", "disparity", "mean", "sgm's disparity in 0.0625 px and mean's mean in 1 gr"),
        ("onion", "pair", "mean", "view pair of sgm has 2 panes, view mean of mean 1"),
        ("wipe", "disparity", "mean", ""),
        ("side-by-side", "pair", "mean", ""),
        ("signed-difference", "pair", None, ""),
    ],
)
def test_what_cannot_be_mixed_says_why(mode: str, view: str, b: str | None, complaint: str) -> None:
    state = state_of()
    state.views["sgm"] = view
    state.mix(mode=mode)
    if b:
        state.b, state.linked = default_slot(b, ABSENT), False
    if complaint:
        with pytest.raises(ValueError, match=complaint):
            check_mixable(state, chosen(state), chosen_b(state), 48, 64)
    else:
        check_mixable(state, chosen(state), chosen_b(state), 48, 64)


def test_a_label_names_what_sets_a_slot_apart() -> None:
    a = default_slot("sgm", ABSENT)
    b = replace(a, variant="opencv-sgbm", params=a.params.changed(p2=99, fill_holes=False))
    assert (label(a, a), label(b, b)) == ("sgm/cpu", "sgm/opencv-sgbm (peer)")
    assert label(b, a) == "sgm/opencv-sgbm (peer), p2 99, fill holes off"
    far = replace(a, params=SGM.preset("aveiro-2016"))
    assert (label(far, a), label(a, far)) == (
        "sgm/cpu, preset aveiro-2016",
        "sgm/cpu, preset balanced",
    )
    far = replace(far, params=far.params.changed(p1=7))
    assert label(far, a).endswith(" more") and label(a, far).endswith(" more")


def bar_titles(state: ViewerState) -> list[str]:
    picture = combined(state, chosen(state), chosen_b(state), None)
    return [bar.title for bar in picture.bars]


def test_bars_that_differ_say_whose_they_are() -> None:
    state = state_of()
    state.mix(mode="wipe")
    state.linked = False
    state.b = replace(state.slot, params=state.slot.params.changed(p2=50))
    assert bar_titles(state) == ["disparity"]
    state.b = replace(state.slot, params=state.slot.params.changed(disparities=128))
    assert bar_titles(state) == ["A disparity", "B disparity"]
    state.mix(mode="b")
    assert bar_titles(state) == ["disparity"]
