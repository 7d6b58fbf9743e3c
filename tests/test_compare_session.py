"""Two slots on one screen, offscreen: computed together, mixed, checked."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.composition import Pixels, compose
from tests.toy import TOY, ToyParams
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.mixing import MODES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.facts import facts_of
from wheatstone.viewer.display.frames.regions import Cluster
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.stage_check import StageCheck
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
HEIGHT, WIDTH = 41, 67
SIZE = (5 * WIDTH, 3 * HEIGHT)
Make = Callable[..., Session]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    """Makes sessions of two toys on the built-in scene."""
    with ExitStack() as stack:

        def make(view: str = "marked", mode: str = "off", **params: Any) -> Session:
            source = stack.enter_context(closing(open_source(SourceSpec(size=(WIDTH, HEIGHT)))))
            state = ViewerState(Run(TOY, "cpu", ToyParams()), paused=True)
            state.b, state.linked = Run(TOY, "narrow", ToyParams(**params)), False
            state.views["toy"] = view
            state.mix(mode=mode)
            display = stack.enter_context(closing(Display()))
            return stack.enter_context(closing(Session(state, source, display)))

        yield make


def seen(screen: Session) -> Pixels:
    screen.compute()
    screen.drawing.draw(*SIZE)
    return screen.display.read()


def textures(screen: Session) -> dict[str, Pixels]:
    by_key: dict[str, Pixels] = {}
    for runner, shown in ((screen.a, chosen(screen.state)), (screen.b, chosen_b(screen.state))):
        frame = screen.source.frame(shown.frame)
        assert frame.right is not None
        by_key |= {shown.texture("left"): frame.left, shown.texture("right"): frame.right}
        for array in shown.computed:
            by_key[shown.texture(array)] = runner.values(frame, shown, array)
    return by_key


@pytest.mark.parametrize("mode", [mode for mode in MODES if "difference" not in mode])
@pytest.mark.parametrize("check", [False, True])
def test_every_mode_shows_what_numpy_composes(session: Make, mode: str, check: bool) -> None:
    screen = session(mode=mode, template=(9, 4, 12, 20), threshold=90)
    screen.state.mix(check=check)
    picture = seen(screen)
    assert (screen.drawing.picture.caption is None) == (mode == "off" and not check)
    assert np.array_equal(picture, compose(textures(screen), screen.drawing.picture, *SIZE))


def test_a_badge_stands_for_the_view_shown_and_what_is_neutral_for_every_frame(
    session: Make,
) -> None:
    screen = session()
    screen.state.paused = False
    screen.state.mix(check=True)
    screen.compute()
    screen.state.frame = 1
    screen.compute()  # of two frames one is timed, not compared
    shown = screen.a.shown
    badge = screen.checks.badge(shown)
    assert shown and badge and badge.text.endswith("differ (frame 0)")
    screen.state.views["toy"] = "labels"
    screen.compute()
    badge = screen.checks.badge(screen.a.shown)
    assert badge and not badge.text.endswith(")")
    screen.checks.of = [replace(each, view=shown.view) for each in screen.checks.of]
    assert screen.checks.badge(screen.a.shown) is None
    screen.state.mix(frozen=0)
    for screen.state.frame in (4, 5):
        screen.compute()
        badge = screen.checks.badge(screen.a.shown)
        assert badge == Badge("B is frozen at frame 0, not comparable", "neutral")


@pytest.mark.parametrize("mode", ["difference", "signed-difference"])
def test_a_difference_of_edges_tells_whose_they_are_and_how_many(session: Make, mode: str) -> None:
    screen = session(mode=mode)
    edges_of = Run(PIPELINES["canny"], "cpu", PIPELINES["canny"].params())
    screen.state.slot = edges_of
    screen.state.b = replace(edges_of, params=edges_of.params.changed(high=300))
    seen(screen)
    images = textures(screen)
    edges = images["edges"], images["B edges"]
    legend = dict(screen.drawing.picture.legend)
    assert [*legend] == ["edge only in A", "edge only in B", "the same in A and B"]
    assert len(set(legend.values())) == 3
    count = np.count_nonzero(edges[0] != edges[1])
    badge = screen.checks.badge(screen.a.shown)
    assert count and badge and badge.text.startswith(f"{count:,} of {edges[0].size:,} differ")
    assert "largest" not in badge.text


@pytest.mark.parametrize("mode", ["difference", "signed-difference"])
def test_a_difference_leaves_the_photo_beside_it(session: Make, mode: str) -> None:
    screen = session(mode=mode, template=(9, 4, 12, 20))
    picture = seen(screen)
    mix = screen.drawing.picture.mix
    assert mix and [look is None for look in mix.differences] == [True, False]
    assert np.array_equal(picture, compose(textures(screen), screen.drawing.picture, *SIZE))
    assert screen.drawing.picture.legend[0][1] != screen.drawing.picture.legend[-1][1]


def test_inputs_are_uploaded_once_for_both(session: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    uploaded: list[str] = []
    upload = Execution.upload

    def counted(self: Execution, **inputs: Any) -> None:
        uploaded.extend(inputs)
        upload(self, **inputs)

    monkeypatch.setattr(Execution, "upload", counted)
    screen = session(mode="wipe", threshold=9)
    seen(screen)
    assert sorted(uploaded) == ["left", "right"]
    assert screen.a.execution and screen.b.execution
    assert screen.a.execution.images["left"] is screen.b.execution.images["left"]
    screen.state.frame = 5
    seen(screen)
    assert len(uploaded) == 4


def test_a_frozen_b_is_computed_once_and_restored(session: Make) -> None:
    screen = session(mode="side-by-side")
    screen.state.mix(frozen=2)
    screen.state.frame = 9
    first = seen(screen)
    assert np.array_equal(first, compose(textures(screen), screen.drawing.picture, *SIZE))
    screen.compute()
    run = screen.b.run
    screen.b.run = None  # type: ignore[assignment,method-assign]
    assert np.array_equal(seen(screen), first)
    screen.b.run = run  # type: ignore[method-assign]
    screen.state.mix(check=True)
    seen(screen)
    caption = screen.drawing.picture.caption
    assert caption and caption.badge == "B is frozen at frame 2, not comparable"


def test_the_badge_tells_equality_and_leaves_the_time_alone(session: Make) -> None:
    screen = session()
    screen.compute()
    took = facts_of(screen).milliseconds
    screen.state.mix(check=True)
    assert not screen.current
    screen.compute()
    assert screen.current and facts_of(screen).milliseconds == took
    caption = screen.drawing.picture.caption
    assert caption and caption.badge == f"identical: 0 of {HEIGHT * WIDTH:,} differ"
    screen.state.b = Run(TOY, "narrow", ToyParams(template=(0, 0, 5, 5)))
    screen.compute()
    caption = screen.drawing.picture.caption
    assert caption and "differ, first at (0, 0), largest" in caption.badge
    assert caption.tone == "bad"


def test_a_peer_is_not_comparable(session: Make) -> None:
    screen = session(mode="wipe")
    peer = replace(TOY.variants[1], peer=True)
    pipeline = replace(TOY, variants=(TOY.variants[0], peer))
    screen.state.b = Run(pipeline, "narrow", ToyParams())
    screen.state.mix(check=True)
    screen.compute()
    caption = screen.drawing.picture.caption
    assert caption and (caption.badge, caption.tone) == ("peer, not comparable", "neutral")
    assert caption.labels[1] == "toy/narrow (peer)"
    jump(screen, 1)
    assert screen.state.message == "peer, not comparable"


def jump(screen: Session, step: int) -> None:
    while not screen.checks.jump(step):
        pass


def test_a_jump_goes_from_place_to_place_and_round(session: Make) -> None:
    screen = session("labels")
    jump(screen, 1)
    assert screen.state.message == "A and B do not differ"
    screen.state.b = Run(TOY, "narrow", ToyParams(negative=True))
    result = screen.checks.find_clusters().result()
    for step, number in ((1, 0), (1, 1 % len(result)), (-1, 0)):
        jump(screen, step)
        cluster = result[number]
        middle = (cluster.x + cluster.width / 2) / WIDTH, (cluster.y + cluster.height / 2) / HEIGHT
        assert screen.state.center == pytest.approx(middle)
        assert screen.state.message.startswith(f"cluster {number + 1} of {len(result)}")


def test_the_first_jump_back_goes_to_the_last_and_another_picture_begins_again(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = session("labels")
    listed = [Cluster(x, 5, 2, 2, 4) for x in (3, 30, 50)]
    monkeypatch.setattr("wheatstone.viewer.display.frames.checks.clusters", lambda differs: listed)

    def jumped(step: int) -> str:
        jump(screen, step)
        return screen.state.message.split(" at ")[0]

    assert [jumped(-1), jumped(-1)] == ["cluster 3 of 3", "cluster 2 of 3"]
    screen.state.frame = 4
    assert [jumped(1), jumped(1)] == ["cluster 1 of 3", "cluster 2 of 3"]
    screen.state.views["toy"] = "marked"
    assert jumped(1) == "cluster 1 of 3"
    screen.state.b = Run(TOY, "narrow", ToyParams(negative=True))
    assert jumped(-1) == "cluster 3 of 3"


def check_stages(screen: Session) -> StageCheck:
    screen.state.stages = True
    assert screen.checks.holds
    screen.compute()
    while screen.checks.holds:
        screen.checks.compare_stages()
    assert screen.checks.stages
    return screen.checks.stages


def test_stages_are_those_of_the_frame_asked_for(session: Make) -> None:
    screen = session()
    for screen.state.frame in (0, 5):
        assert check_stages(screen).asked.frame == screen.state.frame


def test_a_view_that_takes_the_arrays_in_between_delays_the_stages(session: Make) -> None:
    screen = session()
    params = SgmParams(disparities=16)
    screen.state.slot = screen.state.b = Run(SGM, "cpu", params)
    screen.state.stages = True
    screen.compute()
    screen.checks.compare_stages()
    screen.worker.submit("what was handed in before", lambda _: None).wait()
    screen.state.views["sgm"] = "depth"  # computed on demand, in arrays of its own
    while screen.checks.holds:
        screen.checks.compare_stages()
    assert screen.checks.stages and screen.checks.stages.badges["disparity"].tone == "good"


def test_b_is_computed_again_if_its_arrays_went_while_a_was_computed(session: Make) -> None:
    screen = session("labels")
    screen.state.mix(check=True)
    screen.compute()
    screen.state.slot = Run(TOY, "cpu", ToyParams(negative=True))
    while screen.b.execution:
        if not screen.compute(patience=0.0):
            screen.b.spoil()
    screen.compute()
    badge = screen.checks.badge(screen.a.shown)
    assert badge and badge.tone == "bad"


def test_stages_of_a_frozen_b_are_not_comparable(session: Make) -> None:
    screen = session()
    screen.state.mix(frozen=2)
    screen.state.stages, screen.state.frame = True, 5
    screen.compute()
    with pytest.raises(ValueError, match="B is frozen at frame 2, not comparable"):
        screen.checks.compare_stages()


def test_stages_of_different_shape_leave_the_others_to_be_compared(session: Make) -> None:
    screen = session()
    params = SgmParams(disparities=16)
    screen.state.slot = Run(SGM, "cpu", params)
    screen.state.b = Run(SGM, "cpu", params.changed(disparities=32))
    badges = check_stages(screen).badges
    reason = f"not comparable: {HEIGHT} x {WIDTH} x 16 in A, {HEIGHT} x {WIDTH} x 32 in B"
    assert badges["sums"] == Badge(reason, "neutral")
    assert badges["left_descriptor"].tone == "good" and "disparity" in badges


def test_what_has_no_value_in_a_and_b_does_not_differ(session: Make) -> None:
    screen = session()
    params = SgmParams(disparities=16, fill_holes=False)
    slots = [Run(SGM, "cpu", params.changed(min_disparity=first)) for first in (0, -5)]
    screen.state.slot, screen.state.b = slots
    screen.state.mix(check=True)
    screen.compute()
    frame, values = screen.source.frame(0), []
    for runner, shown in ((screen.a, chosen(screen.state)), (screen.b, chosen_b(screen.state))):
        stored = runner.values(frame, shown, shown.arrays["disparity"])
        values.append(in_units(stored, SGM.image("disparity"), shown.slot.params))
    count = np.count_nonzero((values[0] != values[1]) & ~np.isnan(values).all(axis=0))
    badge = screen.checks.badge(screen.a.shown)
    assert badge and badge.text.startswith(f"{count:,} of {HEIGHT * WIDTH:,} differ")
    assert badge.text.endswith(f"largest {np.nanmax(np.abs(values[0] - values[1])):g} px")
    assert sum(cluster.count for cluster in screen.checks.find_clusters().result()) == count


def test_only_what_is_on_screen_is_computed(session: Make) -> None:
    screen = session(mode="b")
    assert np.array_equal(seen(screen), compose(textures(screen), screen.drawing.picture, *SIZE))
    screen = session(mode="b")
    screen.compute()
    assert screen.a.execution is None and screen.b.execution
    assert facts_of(screen).mode == "cpu"


def test_blinking_takes_turns_by_the_clock(session: Make) -> None:
    screen = session(mode="blink", threshold=9)
    screen.state.mix(period=10.0)
    screen.compute()
    pictures = []
    for late in (0.0, 5.0, 10.0):
        screen._playback.began = screen._playback.turned - late - 0.1
        screen.advance()
        screen.drawing.draw(*SIZE)
        pictures.append(screen.display.read())
    assert np.array_equal(pictures[0], pictures[2])
    assert not np.array_equal(pictures[0], pictures[1])
    assert screen.current  # the turn needs nothing computed


def test_a_mode_that_does_not_fit_says_why_and_disturbs_nothing(session: Make) -> None:
    screen = session()
    before = seen(screen)
    screen.state.mix(mode="wipe")
    screen.state.views["toy"] = "anaglyph"
    with pytest.raises(ValueError, match="view anaglyph already overlays two images"):
        screen.compute()
    screen.state.mix(mode="off")
    screen.state.views["toy"] = "marked"
    assert np.array_equal(seen(screen), before)


def test_until_a_mode_is_computed_the_last_one_is_drawn(session: Make) -> None:
    screen = session(threshold=9)
    before = seen(screen)
    for mode in ("wipe", "b", "difference"):
        screen.state.mix(mode=mode)
        assert not screen.current
        screen.drawing.draw(*SIZE)
        assert np.array_equal(screen.display.read(), before)
    before = seen(screen)
    screen.state.mix(mode="onion")
    assert screen.prepared and not screen.current
    screen.drawing.draw(*SIZE)
    assert np.array_equal(screen.display.read(), before)


@pytest.mark.cuda
@pytest.mark.parametrize("display_mode", ["interop", "copy"])
@pytest.mark.parametrize(("a", "b"), [("cuda", "cuda"), ("cuda", "cpu"), ("cpu", "cuda")])
def test_slots_on_any_device_are_mixed_and_checked(
    offscreen: OffscreenContext, display_mode: str, a: str, b: str
) -> None:
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_source(SourceSpec(size=(WIDTH, HEIGHT)))))
        state = ViewerState(Run(TOY, a, ToyParams()), paused=True)
        state.b = Run(TOY, b, ToyParams())
        state.mix(mode="difference", check=True)
        display = stack.enter_context(closing(Display()))
        screen = stack.enter_context(closing(Session(state, source, display, display_mode)))
        for frame in (0, 3, 3):
            state.frame = frame
            picture = seen(screen)
            caption = screen.drawing.picture.caption
            assert caption and caption.badge == f"identical: 0 of {HEIGHT * WIDTH:,} differ"
            assert np.array_equal(picture, compose(textures(screen), screen.drawing.picture, *SIZE))
