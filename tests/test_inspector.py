"""What is said about a pixel: in words, from values; and read from executions and pictures."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace

import numpy as np
import pytest

from tests.toy import TOY, ToyParams
from tests.turned import TurnedScene
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import without_meaning
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.extras import Extras
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.display.screen.overlay import Overlay
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.inspector.pixel_rows import DASH, PixelRow
from wheatstone.viewer.panels.inspector.pixel_words import (
    pinned,
    pixel_of,
    reason,
    source_levels,
    table,
)
from wheatstone.viewer.panels.inspector.reading import (
    Reading,
    chosen_index,
    read_slot,
    readable_images,
    source_values,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.app import App

INVALID = -16
LEFT = np.arange(2 * 40 * 3, dtype=np.uint8).reshape(2, 40, 3)
FRAME = Frame(
    LEFT,
    LEFT[:, ::-1].copy(),
    0,
    np.full((2, 40), 12.0, np.float32),
    calibration=Calibration(100.0, 0.5, (20.0, 0.0)),
)
SLOT = Run(SGM, "cpu", SgmParams(disparities=32))


def row_of(rows: list[PixelRow], name: str) -> PixelRow:
    (result,) = [row for row in rows if row.name == name and not row.heading][:1]
    return result


def reading(letter: str = "a", slot: Run = SLOT, **stored: int) -> Reading:
    return Reading(letter, slot, stored)  # type: ignore[arg-type]


def test_a_hand_made_pixel_is_reported_with_its_place_in_space() -> None:
    rows = table([reading(disparity=10 * 16, invalid_reason=0)], [FRAME], (1, 30))
    by_name = {row.name: row.values for row in rows}
    assert row_of(rows, "disparity, px").stored == ("160",)
    assert by_name["match at x, px"] == ("20.0000",)
    assert by_name["error, px"] == ("-2.0000",)
    # Z = 100 px * 0.5 m / 10 px; X = (30 - 20) * 5 / 100; Y = (1 - 0) * 5 / 100
    assert [by_name[f"{axis}, m"] for axis in ("Z ahead", "X right", "Y down")] == [
        ("5.000",),
        ("0.500",),
        ("0.050",),
    ]
    assert "rejected by" not in by_name and by_name["invalid reason"] == ("valid",)


def test_a_frozen_slot_is_judged_by_its_own_frame() -> None:
    both = [reading(disparity=160), reading("b", disparity=160)]
    other = Frame(255 - LEFT, FRAME.right, 0, np.full((2, 40), 9.5, np.float32))
    rows = table(both, [FRAME, other], (1, 30))
    assert row_of(rows, "ground truth, px").values == ("12.0000", "9.5000")
    assert row_of(rows, "error, px").values == ("-2.0000", "+0.5000")
    by_name = {level.name: level.color for level in source_levels(both, [FRAME, other], (1, 30))}
    assert by_name["left of A"] == tuple(LEFT[1, 30]) and by_name["left of B"] == tuple(
        255 - LEFT[1, 30]
    )
    assert {"right, match of A", "right, match of B"} <= by_name.keys()


def test_a_pixel_without_disparity_says_why_and_has_no_place() -> None:
    rows = table([reading(disparity=INVALID, invalid_reason=4)], [FRAME], (0, 5))
    by_name = {row.name: row.values for row in rows}
    assert by_name["rejected by"] == ("speckle",)
    assert by_name["Z ahead, m"] == by_name["match at x, px"] == by_name["error, px"] == (DASH,)
    assert [row.values for row in rows if row.name == "disparity, px"] == [(DASH,), ("no value",)]
    rows = table([reading(disparity=80, invalid_reason=4)], [FRAME], (0, 5))
    assert row_of(rows, "rejected by").values == ("speckle; filled",)


def test_two_slots_are_reported_beside_each_other_with_their_difference() -> None:
    other = replace(SLOT, variant="reference")
    both = [
        Reading("a", SLOT, {"disparity": 160, "cost": 3}, {"cost": 10}, {"winner": "not kept"}),
        Reading("b", other, {"disparity": 168, "cost": 5, "winner": 10}, {"cost": 10}),
    ]
    rows = table(both, [FRAME] * 2, (0, 30))
    disparity, cost, winner = (row_of(rows, name) for name in ("disparity, px", "cost", "winner"))
    assert (disparity.values, disparity.difference) == (("10.0000", "10.5000"), "-0.5000")
    assert (cost.values, cost.difference) == (("3 at 10", "5 at 10"), "-2")
    assert (winner.values, winner.absent, winner.difference) == ((DASH, "10"), ("not kept", ""), "")
    elsewhere = replace(both[1], chosen={"cost": 11})
    assert row_of(table([both[0], elsewhere], [FRAME] * 2, (0, 30)), "cost").difference == ""


def test_without_a_calibration_it_says_so() -> None:
    rows = table([reading(disparity=160)], [Frame(LEFT, FRAME.right, 0, FRAME.truth)], (0, 30))
    assert row_of(rows, "depth").values == ("no calibration",)


def test_the_right_view_is_reported_at_the_same_place_and_at_the_match_of_each_slot() -> None:
    levels = source_levels(
        [reading(disparity=160), reading("b", disparity=176)], [FRAME] * 2, (1, 30)
    )
    assert [level.name for level in levels] == [
        "left",
        "right, same place",
        "right, match of A",
        "right, match of B",
    ]
    assert levels[2].color == tuple(FRAME.right[1, 20].tolist())  # type: ignore[index]
    outside = source_levels([reading(disparity=31 * 16)], [FRAME], (1, 3))
    assert (outside[-1].text, outside[-1].color) == (DASH, None)


def test_a_single_grey_image_has_one_level() -> None:
    (level,) = source_levels([], [Frame(LEFT[..., 0], None, 0)], (1, 2))
    assert (level.text, level.color) == ("126", (126, 126, 126))


def test_the_pixel_is_the_one_under_the_cursor_within_the_image() -> None:
    assert pixel_of(Hit(0, 3.9, 5.0, (0, 0)), 10, 10) == (3, 5)
    for row, column in ((-0.1, 5), (10.0, 5), (3, -0.5), (3, 10)):
        assert pixel_of(Hit(0, row, column, (0, 0)), 10, 10) is None


def test_pinning_the_same_pixel_again_or_none_releases_it() -> None:
    with closing(open_source(SourceSpec(size=(20, 10)))) as source:
        here = Hit(0, 3.5, 5.5, (0, 0))
        held = pinned(Look(), here, source)
        assert held.pin == (3, 5)
        assert pinned(held, here, source).pin is None
        assert pinned(held, None, source).pin is None


@pytest.fixture(scope="module")
def computed() -> tuple[Execution, Frame]:
    with closing(open_source(SourceSpec(size=(72, 40)))) as source:
        frame = source.frame(2)
    params = SgmParams(disparities=16, min_disparity=2, gradient=False)
    execution = prepare(SGM, "reference", params, 40, 72, SGM.on_demand)
    execution.upload(**grey_views(frame))
    execution.run()
    return execution, frame


def test_what_is_read_is_what_the_stages_wrote(computed: tuple[Execution, Frame]) -> None:
    execution, _ = computed
    slot = Run(SGM, "reference", execution.params)
    shown = chosen(ViewerState(slot))
    for pixel in ((0, 0), (20, 50), (39, 71)):
        result = read_slot("a", shown, pixel, [execution], {})
        winner = execution.download("winner")[pixel]
        assert result.chosen == dict.fromkeys(("cost", "path_costs", "sums"), winner)
        for name, stored in result.stored.items():
            whole = execution.download(name)
            assert stored == (whole[pixel] if whole.ndim == 2 else whole[(*pixel, winner)]), name
        off = without_meaning(SGM, execution.params) | {"filter_state"}  # of a filter that is off
        off &= {image.name for image in readable_images(slot)}  # without those of tiles
        assert result.absent == dict.fromkeys(off, "switched off") and "left_gradient" in off
        assert {*result.stored} | off == {i.name for i in readable_images(slot)} & {
            name for stage in SGM.stages for name in stage.writes
        }


@pytest.mark.cuda
@pytest.mark.parametrize("variant", [v.name for v in SGM.variants if v.on_gpu])
def test_what_is_read_on_the_gpu_is_what_it_holds(variant: str) -> None:
    with closing(open_source(SourceSpec(size=(72, 40)))) as source:
        frame = source.frame(2)
        slot, extras = Run(SGM, variant, SgmParams(disparities=16)), Extras()
        shown = chosen(ViewerState(slot))
        extras.update(None, shown, frame)  # type: ignore[arg-type]  # the CPU's worker, for nothing
    execution = extras.of(shown, frame)
    assert execution and not extras.why_not
    result = read_slot("a", shown, (20, 50), [execution], {})
    assert {"disparity", "margin", "invalid_reason"} <= result.stored.keys()
    for name, stored in result.stored.items():
        place = (20, 50, result.chosen[name]) if name in result.chosen else (20, 50)
        assert stored == execution.download(name)[place], name
    extras.close()


def test_an_image_on_screen_is_taken_from_there(computed: tuple[Execution, Frame]) -> None:
    execution, _ = computed
    shown = chosen(ViewerState(Run(SGM, "reference", execution.params)))
    result = read_slot("a", shown, (3, 4), [execution], {"disparity": 99})
    assert result.stored["disparity"] == 99


def test_an_image_whose_stage_is_off_has_the_value_of_the_sources() -> None:
    execution = prepare(TOY, "cpu", ToyParams(), 40, 72)
    shown = chosen(ViewerState(Run(TOY, "cpu", ToyParams())))
    values = source_values(FRAME, (1, 30))
    red, green, blue = LEFT[1, 30].astype(float)
    assert values["left"] == pytest.approx(0.299 * red + 0.587 * green + 0.114 * blue, abs=0.6)
    result = read_slot("a", shown, (1, 30), [execution], values)
    assert result.stored["negated"] == values["left"]
    assert source_values(FRAME, (LEFT.shape[0], 30)) == {}  # of a pair that is larger


def test_what_is_not_there_says_why() -> None:
    params = SgmParams(disparities=16, lr_check=-1)
    execution = prepare(SGM, "cpu", params, 20, 30)
    shown = chosen(ViewerState(Run(SGM, "cpu", params)))
    result = read_slot("a", shown, (3, 4), [execution], {})
    assert result.absent["winner"] == result.absent["margin"] == "not kept by cpu"
    assert result.absent["right_winner"] == "switched off"
    assert "packed_costs" not in result.absent
    assert not reason(result)


def test_the_index_comes_of_the_first_image_that_tells_it() -> None:
    slot = Run(SGM, "cpu", SgmParams(disparities=16, min_disparity=-4))
    cost = SGM.image("cost")
    assert chosen_index(slot, cost, {"winner": 3, "disparity": 9 * 16}) == 3
    assert chosen_index(slot, cost, {"disparity": 5 * 16 + 7}) == 9
    assert chosen_index(slot, cost, {"disparity": 5 * 16 + 8}) == 9  # of equal sums the first won
    assert chosen_index(slot, cost, {"disparity": 5 * 16 + 9}) == 10
    assert chosen_index(slot, cost, {"disparity": (-4 - 1) * 16}) is None
    assert chosen_index(slot, cost, {}) is None


Start = Callable[..., App]


@pytest.fixture
def start(offscreen: OffscreenContext) -> Iterator[Start]:
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    with ExitStack() as stack:

        def make(slot: Run, *panels: str) -> App:
            source = open_source(SourceSpec(size=(72, 40)))
            state = ViewerState(slot, absent={"cuda": "none"}, paused=True)
            state.open_panels |= {*panels}
            display = stack.enter_context(closing(Display()))
            session = stack.enter_context(closing(Session(state, source, display)))
            window = OffscreenWindow(1000, 600)
            stack.enter_context(closing(window))
            overlay = stack.enter_context(closing(Overlay()))
            return stack.enter_context(closing(App(window, session, overlay)))

        yield make


def steps(app: App, *events: Event, until: Callable[[], bool] = lambda: True) -> None:
    """Let frames pass: one with these events, then until something is so."""
    app.window.add(list(events))  # type: ignore[attr-defined]
    app.step()
    patience = time.monotonic() + 240  # a busy machine compiles for as long as it takes
    while time.monotonic() < patience:
        if app.settled and until():
            return
        app.step()
    raise AssertionError("it never came to rest")


@pytest.mark.opengl
def test_the_panel_follows_the_cursor_and_stays_at_a_pin(start: Start) -> None:
    app = start(Run(SGM, "cpu", SgmParams(disparities=16)), "inspector", "histogram")
    steps(app)
    body = app.layout._bodies["inspector"]
    x, y = app.session.display.drawn.places(20.5, 30.5)[0]
    steps(app, Event("move", x=x, y=y))
    steps(app, until=lambda: "margin" in names(body))
    assert app.layout.facts.pixel == (20, 30)
    steps(app, Event("key", key="Shift+I"))
    steps(app, Event("move", x=x + 40, y=y))
    assert app.state.look.pin == app.layout.facts.pixel == (20, 30)
    value = row_of(body._rows, "disparity, px").stored[0]  # type: ignore[attr-defined]
    assert int(value) == app.session.values("disparity")[20, 30]


@pytest.mark.opengl
def test_inspector_and_costs_explain_one_pixel_in_the_same_words(start: Start) -> None:
    app = start(Run(SGM, "cpu", SgmParams(disparities=16)), "inspector", "costs")
    steps(app)
    inspector, costs = (app.layout._bodies[name] for name in ("inspector", "costs"))

    def agree() -> bool:
        (shorter,), facts = inspector._sentences, app.layout.facts  # type: ignore[attr-defined]
        answer = facts.prober.answer
        asked = answer and (answer.question.row, answer.question.column) == facts.pixel
        return asked and "summed cost" in shorter and shorter == costs._sentence  # type: ignore

    places = app.session.display.drawn.places
    for row, column in ((20.5, 30.5), (25.5, 60.5)):
        x, y = places(row, column)[0]
        steps(app, Event("move", x=x, y=y), until=agree)
    steps(app, Event("key", key="Shift+I"))
    steps(app, Event("move", x=x - 40, y=y), until=agree)
    assert app.layout.facts.pixel == (25, 60)


def names(body: object) -> set[str]:
    rows: list[PixelRow] = body._rows  # type: ignore[attr-defined]
    return {row.name.split(",")[0] for row in rows if row.values and not any(row.absent)}


@pytest.mark.opengl
def test_the_panel_tells_of_another_pipeline_and_of_two_slots(start: Start) -> None:
    app = start(Run(CANNY, "cpu", CANNY.params()), "inspector", "histogram")
    app.state.mix(mode="side-by-side")
    steps(app)
    x, y = app.session.display.drawn.places(10.5, 10.5)[0]
    steps(app, Event("move", x=x, y=y))
    rows: list[PixelRow] = app.layout._bodies["inspector"]._rows  # type: ignore[attr-defined]
    assert rows and all(len(row.values) == 2 for row in rows if not row.heading)


@pytest.mark.opengl
def test_a_range_is_fitted_once_to_what_is_visible(start: Start) -> None:
    app = start(Run(SGM, "cpu", SgmParams(disparities=16)), "histogram")
    steps(app)
    steps(app, Event("key", key="N"))
    app.step()
    stored = app.session.values("disparity").astype(float) / 16
    valid = np.sort(stored[stored >= 0])
    whole = app.state.look.ranges["sgm.disparity"]
    assert whole[0] == valid[max(-(-len(valid) // 100) - 1, 0)]
    app.state.zoom, app.state.center = 16.0, (0.5, 0.9)
    steps(app)
    assert app.state.look.ranges["sgm.disparity"] == whole
    steps(app, Event("key", key="N"))
    app.step()
    rows, columns = app.session.display.drawn.visible(0) or (slice(0), slice(0))
    part = stored[rows, columns]
    low, high = app.state.look.ranges["sgm.disparity"]
    assert part[part >= 0].min() <= low < high <= max(part.max(), low + 1 / 16)
    assert (low, high) != whole


@pytest.mark.opengl
def test_the_histogram_counts_the_difference_and_n_sets_its_reach(start: Start) -> None:
    app = start(Run(SGM, "cpu", SgmParams(disparities=16)), "histogram")
    app.state.b = Run(SGM, "cpu", SgmParams(disparities=16, p2=400, subpixel="off"))
    app.state.linked = False
    app.state.mix(mode="difference")
    steps(app, until=lambda: counted(app) == "difference")
    plot = app.layout._bodies["histogram"]._counting.plot  # type: ignore[attr-defined]
    values = [
        app.session.latest.image(runner, "disparity") for runner in (app.session.a, app.session.b)
    ]
    a, b = (copy.values.astype(int) for copy in values if copy)
    both = (a >= 0) & (b >= 0)
    assert plot.counts.valid == np.count_nonzero(both)
    assert plot.counts.percentile(100) == np.abs(a - b)[both].max() / 16
    before = app.state.mixing.reach
    steps(app, Event("key", key="N"))
    app.step()
    assert app.state.mixing.reach != before and "|A - B| of disparity 0 to" in app.state.message


def counted(app: App) -> str:
    body = app.layout._bodies.get("histogram")
    plot = body._counting.plot if body else None  # type: ignore[attr-defined]
    return plot.what.difference if plot else "nothing"


def test_a_rectified_pixel_is_reported_where_it_was_taken() -> None:
    source = TurnedScene(64, 48)
    frame = source.frame(0)
    rows = table([reading(disparity=16)], [frame], (10, 30))
    taken = row_of(rows, "left, raw").values[0]
    column, row = map(float, taken.split(", "))
    assert source.rectification
    y, x = source.rectification.left.at(10, 30)
    assert (column, row) == pytest.approx((x, y), abs=0.01)
    assert math.hypot(column - 30, row - 10) > 0.1
    names = [row.name for row in table([reading(disparity=16)], [FRAME], (0, 30))]
    assert "left, raw" not in names
