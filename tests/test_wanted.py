"""What A and B are asked to show: remembered, and made out anew where a choice is another."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from wheatstone.gpu.image import DepthScale
from wheatstone.viewer.choices.slot import Ahead, default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choices
from wheatstone.viewer.display.picture.shown import Shown, WantedImages, chosen, chosen_b

ABSENT = {"cpu": "", "cuda": "no GPU"}


def mixed(state: ViewerState, name: str, value: object) -> None:
    state.mix(**{name: value})


def with_truth(state: ViewerState) -> None:
    state.truth = replace(state.truth, show="errors" if state.truth.show == "off" else "off")


def errors_or_difference(state: ViewerState) -> None:
    state.truth = replace(state.truth, show="errors")
    mixed(state, "mode", "off" if state.mixing.mode == "difference" else "difference")


def with_changes(state: ViewerState) -> None:
    state.temporal = replace(
        state.temporal, show="noise" if state.temporal.show == "off" else "off"
    )


def next_view(state: ViewerState) -> None:
    names = [view.name for view in state.slot.pipeline.views]
    state.set_view(state.slot.pipeline, names[(names.index(state.view.name) + 1) % len(names)])


def next_color(state: ViewerState) -> None:
    state.cloud = replace(state.cloud, color="colormap" if state.cloud.color == "left" else "left")


def next_variant(state: ViewerState) -> None:
    state.choose_variant("reference" if state.slot.variant == "cpu" else "cpu")


def next_pipeline(state: ViewerState) -> None:
    state.choose_pipeline("canny" if state.slot.pipeline.name == "sgm" else "sgm")


def next_frame(state: ViewerState) -> None:
    state.frame += 1


def another_scale(state: ViewerState) -> None:
    state.fit_slots(state.ahead, DepthScale(state.frame + 2.0, 0.0, "m"))


CHANGES: dict[str, Callable[[ViewerState], None]] = {
    "frame": next_frame,
    "parameter": lambda state: (
        state.step_param("low", 1)
        if state.slot.pipeline.name == "canny"
        else state.step_param("p1", 1)
    ),
    "variant": next_variant,
    "pipeline": next_pipeline,
    "view": next_view,
    "truth": with_truth,
    "temporal": with_changes,
    "cloud": next_color,
    "B's variant": lambda state: state.choose_variant_b(
        "reference" if state.slot_b.variant == "cpu" else "cpu"
    ),
    "link": lambda state: state.link(not state.linked),
    "exchange": lambda state: state.exchange(),
    "frozen": lambda state: mixed(
        state, "frozen", state.frame if state.mixing.frozen is None else None
    ),
    "mode": lambda state: mixed(state, "mode", "wipe" if state.mixing.mode == "off" else "off"),
    "difference": lambda state: mixed(
        state, "mode", "difference" if state.mixing.mode == "off" else "off"
    ),
    "difference of errors": errors_or_difference,
    "scale": another_scale,
    "ahead": lambda state: state.fit_slots(Ahead(rectifies=not state.ahead.rectifies), state.scale),
    "absent": lambda state: setattr(state, "absent", dict(state.absent)),
}


def same(one: Shown, other: Shown) -> bool:
    """Whether two are the same, with what a slot leaves out when it is compared."""
    result = (one.computed, one.on_demand, one.overlays, one.looks)
    others = (other.computed, other.on_demand, other.overlays, other.looks)
    return one == other and one.slot.scale == other.slot.scale and result == others


def begun() -> tuple[ViewerState, WantedImages]:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    return state, WantedImages(state)


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_seen(name: str) -> None:
    state, wanted = begun()
    for _ in range(4):
        assert same(wanted.a, chosen(state)) and same(wanted.b, chosen_b(state))
        CHANGES[name](state)
        assert same(wanted.a, chosen(state)), name
        assert same(wanted.b, chosen_b(state)), name


@pytest.mark.parametrize("seed", range(5))
def test_any_changes_in_any_order_are_seen(seed: int) -> None:
    (state, wanted), pick = begun(), random.Random(seed)
    for name in pick.choices(list(CHANGES), k=80):
        CHANGES[name](state)
        assert same(wanted.a, chosen(state)) and same(wanted.b, chosen_b(state)), name


def test_choices_that_decide_nothing_leave_what_is_wanted_as_it_is() -> None:
    state, wanted = begun()
    before = wanted.a, wanted.b
    for choice in [each for each in choices() if each.group == "look"]:
        if choice.control.choices:
            choice.put(state, next(v for v in choice.control.choices if v != choice.get(state)))
    state.zoom = 3.0
    state.hint("said")
    assert wanted.a is before[0] and wanted.b is before[1]


def test_of_another_frame_only_the_frame_is_another() -> None:
    state, wanted = begun()
    first = wanted.a
    state.frame = 5
    second = wanted.a
    assert second.frame == 5 and first.frame == 0 and second != first
    assert second.looks is first.looks and second.computed is first.computed
    assert replace(first, frame=5) == second
    assert first.at(0) is first and second.at(0) == first
