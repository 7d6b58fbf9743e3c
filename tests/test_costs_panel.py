"""The probe beside the display: which pixel, what is said of it, what the plot shows, the marks."""

import time
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tests.offscreen_app import running_app, settle
from tests.patience import wait_until
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.curves import CostParts, CostVerdict, Curves, Parabola
from wheatstone.gpu.pipelines.sgm.probe import SgmProbe
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.picture.layout import Arrangement, Hit
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.costs.cost_plot import draw_plot
from wheatstone.viewer.panels.costs.cost_traces import Traces, dashed, heights, traces_of
from wheatstone.viewer.panels.costs.cost_words import (
    compared_sums,
    compositions,
    judgements,
    pixels,
    table,
)
from wheatstone.viewer.panels.costs.marks import MarkedPixel, marks
from wheatstone.viewer.panels.costs.probe import (
    PixelAnswer,
    PixelQuestion,
    Prober,
    is_second,
    probed_params,
    probed_pixel,
)
from wheatstone.viewer.run.run import Run

SCENE = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")
RANDOM = np.random.default_rng(4)
LEFT = RANDOM.integers(0, 256, (24, 60), np.uint8)
RIGHT = np.ascontiguousarray(np.roll(LEFT, -3, axis=1))
FRAME = Frame(LEFT, RIGHT, 0)
PARAMS = SgmParams(disparities=16)


def parts(bits: int = 32, gradient: bool = True) -> CostParts:
    """Of costs 9, 1, 4, 6, the last of them outside the image."""
    compared = np.array([7, 1, 2, 6] if gradient else [9, 1, 4, 6], np.uint8)
    added = np.array([2, 0, 2, 0], np.uint8) if gradient else None
    return CostParts(bits, compared, added, np.array([False, False, False, True]))


def curves(**changes: object) -> Curves:
    """Of four disparities from 5 px, two paths; the second wins, the fourth comes next."""
    made = Curves(
        row=3,
        column=20,
        first=5,
        costs=np.array([9, 1, 4, 6], np.uint8),
        parts=parts(),
        directions=((-1, 0), (1, 0)),
        path_costs=np.array([[9, 1, 4, 6], [11, 2, 5, 7]], np.uint16),
        sums=np.array([20, 3, 9, 13], np.uint16),
        winner=1,
        rival=3,
        margin=7692,
        needed=5,
        unique=True,
        refined=98,
        fit=Parabola(1, (20, 3, 9)),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def verdict(**changes: object) -> CostVerdict:
    made = CostVerdict(98, 14, 1, 1, 0, "")
    return replace(made, **changes)  # type: ignore[arg-type]


def sentence(*arguments: object) -> list[str]:
    return [text for text, _ in judgements(*arguments)]  # type: ignore[arg-type]


def test_the_table_has_a_column_for_each_path() -> None:
    rows = [
        ("", "d px", "C", "←", "→", "S", "rank"),
        ("line", "7", "4", "4", "5", "9", "2"),
        ("winner", "6", "1", "1", "2", "3", "1"),
        ("runner-up", "8", "6", "6", "7", "13", "3"),
    ]
    assert table(curves(), ("←", "→"), 2) == rows
    truth = ("truth", "5", "9", "9", "11", "20", "4")
    assert table(curves(), ("←", "→"), 2, 5.2) == [*rows, truth]
    assert table(curves(), ("←", "→"), 2, 60.0) == rows


@pytest.mark.parametrize(
    ("matched", "truth", "text"),
    [
        (6.0, 5.25, "at 6 is 3, 20 at the truth"),
        (6.0, 6.2, "at 6 is 3, 13 at the runner-up 8"),
        (
            6.0,
            40.0,
            "at 6 is 3, 13 at the runner-up 8, and the truth lies outside the disparities "
            "searched (5 to 8)",
        ),
        (8.0, 5.25, "neighbours replaced 6, where the summed cost is 3, 20 at the truth"),
        (6.0, None, "the summed cost at 6 is 3, 13 at the runner-up 8"),
    ],
)
def test_summed_costs_say_why_a_pixel_was_matched_so(
    matched: float, truth: float | None, text: str
) -> None:
    assert compared_sums(curves(), matched, truth).endswith(text)


@pytest.mark.parametrize(
    ("made", "disparity", "expected"),
    [
        (parts(), 5, "C at 5 px: 7 of 32 bits differ + 2 of at most 16 by gradient (ΔG) = 9"),
        (parts(), 8, "C at 8 px: 6, as the right pixel lies outside the image"),
        (parts(31, gradient=False), 7, "C at 7 px: 4 of 31 bits differ"),
        (parts(0, gradient=False), 5, "C at 5 px: grey levels differ by 9"),
    ],
)
def test_what_a_cost_is_made_of_is_reported(made: CostParts, disparity: int, expected: str) -> None:
    assert compositions([curves(parts=made)], disparity) == [(expected, False)]


def test_what_the_cost_of_b_is_made_of_is_reported_where_it_is_something_else() -> None:
    grey = curves(parts=parts(0, gradient=False))
    second = ("C of B at 5 px: grey levels differ by 9", False)
    assert compositions([curves(), grey], 5)[1:] == [second]
    assert not compositions([grey, grey], 5)[1:]
    assert not compositions([curves(), curves(first=7, parts=grey.parts)], 5)[1:]


def test_the_bars_show_what_costs_are_made_of() -> None:
    def bars(made: CostParts) -> dict[str, list[list[float]]]:
        traces = Traces(curves(parts=made), ("←", "→"), 1, None, None, FRAME)
        return {name: [x.tolist(), y.tolist()] for name, (x, y) in traces.bars.items()}

    assert bars(parts()) == {
        "C gradient": [[5, 6, 7], [9, 1, 4]],
        "C census": [[5, 6, 7], [7, 1, 2]],
        "C outside": [[8], [6]],
    }
    assert bars(parts(gradient=False)) == {"C": [[5, 6, 7], [9, 1, 4]], "C outside": [[8], [6]]}


def test_what_became_of_a_good_pixel() -> None:
    assert sentence(curves(), verdict(), 6.0, (6.125,)) == [
        "unique: margin over the runner-up 76.92 % >= 5 %",
        "refined 6.125 px (parabola's vertex 6.239 px)",
        "left-right check: right column 14 has 6 px, difference 0 <= 1 px",
        "shown 6.125 px, truth 6.00 px, error +0.12 px",
    ]


@pytest.mark.parametrize(
    ("changed", "judged", "expected"),
    [
        ({"margin": 310, "unique": False}, {}, "rejected: uniqueness 3.10 % < 5 %"),
        ({"needed": 0}, {}, "margin over the runner-up 76.92 %; no minimum is set"),
        (
            {},
            {"right_winner": 3, "reason": 2, "rejected": "left-right check"},
            "rejected: left-right check: right column 14 has 8 px, difference 2 > 1 px",
        ),
        (
            {},
            {"partner": -2, "right_winner": None, "reason": 1, "rejected": "outside the image"},
            "rejected: partner in right column -2, outside the image",
        ),
        (
            {},
            {"right_winner": None, "allowed": -1},
            "partner in right column 14; no left-right check",
        ),
    ],
)
def test_every_rejection_is_reported(
    changed: dict[str, object], judged: dict[str, object], expected: str
) -> None:
    texts = judgements(curves(**changed), verdict(**judged), None, None)
    alarming = expected.startswith("rejected")
    assert (expected, alarming) in texts


@pytest.mark.parametrize(
    ("shown", "rejected", "expected"),
    [
        (None, "", "shown without disparity (rejected: a small island)"),
        (None, "uniqueness", "shown without disparity"),
        (7.5, "uniqueness", "shown 7.5 px (filled from other pixels or frames)"),
    ],
)
def test_islands_and_holes_are_reported_by_what_is_shown(
    shown: float | None, rejected: str, expected: str
) -> None:
    assert expected in sentence(curves(), verdict(rejected=rejected), None, (shown,))


def test_what_is_not_known_yet_is_left_open() -> None:
    assert sentence(curves(fit=None), None, None, (7.0,)) == [
        "unique: margin over the runner-up 76.92 % >= 5 %",
        "refined 6.125 px",
        "left-right check once the picture is computed ...",
        "shown 7 px",
    ]


def test_of_a_peer_only_what_it_shows_is_known() -> None:
    text = sentence(curves(), verdict(rejected="speckle"), None, (7.5,), "opencv-sgbm")
    assert "costs; opencv-sgbm has others" in text[0]
    assert text[-1] == "shown 7.5 px"
    text = sentence(curves(), verdict(), None, (None,), "opencv-sgbm")
    assert text[-1] == "shown without disparity"


def test_disparities_are_reported_to_the_sixteenth() -> None:
    assert [pixels(d) for d in (-1.8125, 1000.0625, 32.0, 0.0)] == [
        "-1.8125",
        "1000.0625",
        "32",
        "0",
    ]


def state(**changes: object) -> ViewerState:
    return ViewerState(Run(SGM, "cpu", PARAMS), **changes)  # type: ignore[arg-type]


def hit(pane: int, row: float, column: float) -> Hit:
    return Hit(pane, row, column, (0, 0))


def test_the_pixel_under_the_cursor_is_probed_unless_one_is_pinned() -> None:
    panes, size, chosen = (("left",), ("disparity",), ("right",)), (24, 60), state()
    assert probed_pixel(chosen, hit(1, 3.7, 9.2), panes, size) == (3, 9)
    assert probed_pixel(chosen, hit(2, 3.7, 9.2), panes, size) is None  # of the right view
    assert probed_pixel(chosen, hit(0, -0.1, 9.2), panes, size) is None
    assert probed_pixel(chosen, hit(0, 24, 9.2), panes, size) is None
    assert probed_pixel(chosen, None, panes, size) is None
    chosen.look = replace(chosen.look, pin=(5, 6))
    assert probed_pixel(chosen, hit(1, 3.7, 9.2), panes, size) == (5, 6)
    assert probed_pixel(chosen, None, panes, (5, 60)) is None


def test_a_pane_of_the_right_view_is_one_that_shows_nothing_else() -> None:
    assert is_second(SGM, ("right",))
    assert is_second(SGM, ("B right",))
    assert not is_second(SGM, ("left", "right"))  # an anaglyph
    assert not is_second(PIPELINES["mean"], ("left",))


def test_bs_curves_are_asked_for_where_they_differ() -> None:
    own = Run(SGM, "cpu", PARAMS.changed(p1=3))
    chosen = state(b=own, linked=False)
    assert probed_params(chosen) == (PARAMS,)
    chosen.mix(mode="wipe")
    assert probed_params(chosen) == (PARAMS, own.params)
    chosen.mix(frozen=7)
    assert probed_params(chosen) == (PARAMS,)
    chosen.mix(frozen=None, mode="b")
    assert probed_params(chosen) == (own.params,)
    chosen.link(True)
    chosen.mix(mode="wipe")
    assert probed_params(chosen) == (chosen.slot.params,)


def asked(row: int, column: int, *params: Params) -> PixelQuestion:
    return PixelQuestion(SGM, params or (PARAMS,), FRAME, row, column)


def answered(prober: Prober, question: PixelQuestion, seconds: float = 60) -> PixelAnswer:
    """Ask as the display does until all is known."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        prober.ask(question)
        answer = prober.answer
        if answer and answer.question == question and answer.verdict:
            return answer
        assert not prober.complaint
        time.sleep(0.005)
    raise AssertionError("no answer")


@pytest.fixture
def prober() -> object:
    made = Prober()
    yield made
    made.close()


def test_the_answer_is_the_probes(prober: Prober) -> None:
    probe = SgmProbe(PARAMS, LEFT, RIGHT)
    for pixel in ((3, 20), (23, 59)):
        answer = answered(prober, asked(*pixel))
        expected = probe.curves(*pixel)
        np.testing.assert_array_equal(answer.curves[0].path_costs, expected.path_costs)
        assert answer.verdict == probe.verdict(expected, lambda done: None)


def test_the_newest_question_is_answered(prober: Prober) -> None:
    for column in range(50):
        prober.ask(asked(3, column))
    assert answered(prober, asked(9, 9)).curves[0].row == 9


def test_both_slots_are_answered_for(prober: Prober) -> None:
    other = PARAMS.changed(p1=0, p2=9)
    first, second = answered(prober, asked(3, 20, PARAMS, other)).curves
    assert not np.array_equal(first.sums, second.sums)
    np.testing.assert_array_equal(second.sums, SgmProbe(other, LEFT, RIGHT).curves(3, 20).sums)


def test_colour_is_read_as_the_pipelines_read_it(prober: Prober) -> None:
    frame = Frame(np.stack([LEFT] * 3, 2), np.stack([RIGHT] * 3, 2), 0)
    colour = answered(prober, PixelQuestion(SGM, (PARAMS,), frame, 3, 20))
    np.testing.assert_array_equal(
        colour.curves[0].sums, answered(prober, asked(3, 20)).curves[0].sums
    )


def test_a_failure_is_reported_and_the_next_question_is_answered(prober: Prober) -> None:
    ends = time.monotonic() + 60
    while not prober.complaint and time.monotonic() < ends:
        prober.ask(asked(24, 20))
        time.sleep(0.005)
    assert "row 24, column 20 lies outside" in prober.complaint
    assert answered(prober, asked(3, 20)).curves[0].row == 3


def test_the_plot_names_the_paths_that_are_summed() -> None:
    params = PARAMS.changed(paths=8, first_path=3, last_path=5)
    truth = np.full(LEFT.shape, 3.5, np.float32)
    question = PixelQuestion(SGM, (params,), Frame(LEFT, RIGHT, 0, truth), 3, 20)
    probe = SgmProbe(params, LEFT, RIGHT)
    traces = traces_of(PixelAnswer(question, (probe.curves(3, 20),)))
    assert (traces.names, traces.number, traces.truth) == (("↑", "↓", "↖"), 3, 3.5)
    assert list(traces.y) == ["C", "S", "L ↑", "L ↓", "L ↖"]
    np.testing.assert_array_equal(traces.y["S"], sum(traces.y[f"L {n}"] for n in traces.names))


def test_unknown_truth_is_no_line() -> None:
    truth = np.full(LEFT.shape, np.nan, np.float32)
    question = PixelQuestion(SGM, (PARAMS,), Frame(LEFT, RIGHT, 0, truth), 3, 20)
    probe = SgmProbe(PARAMS, LEFT, RIGHT)
    assert traces_of(PixelAnswer(question, (probe.curves(3, 20),))).truth is None


def test_axes_end_at_round_numbers_above_the_curves() -> None:
    assert heights(curves()) == (30, 15)
    flat = curves(sums=np.zeros(4, np.uint16), path_costs=np.zeros((2, 4), np.uint16))
    assert heights(flat) == (1, 10)


def test_dashes_lie_on_the_curve() -> None:
    x, y = dashed(np.array([5, 6, 7]), np.array([0, 8, 0]))
    assert x.tolist() == [5, 5.25, 5.5, 5.75, 6, 6.25, 6.5, 6.75]
    assert y.tolist() == [0, 2, 4, 6, 8, 6, 4, 2]


def test_the_parabola_passes_through_the_three_sums() -> None:
    drawn = Traces(curves(), ("←", "→"), 1, None, None, FRAME).fit
    assert drawn
    assert (drawn[0][0], drawn[0][16], drawn[0][-1]) == (5, 6, 7)
    assert (drawn[1][0], drawn[1][16], drawn[1][-1]) == (20, 3, 9)


def test_the_probed_pixel_and_its_match_are_marked() -> None:
    panes = (("left",), ("disparity",), ("B right",))
    arrangement = Arrangement(((24, 60),) * 3, (616, 100))  # cells of 200 pixels
    left, middle, right = marks(arrangement, panes, SGM, MarkedPixel(3, 20, 4, (0, 15)))
    assert [mark.matches for mark in (left, middle, right)] == [False, False, True]
    for mark, column in ((left, 20), (middle, 20), (right, 16)):
        place = arrangement.hit(mark.x, mark.y)
        assert place
        assert (place.row, place.column) == pytest.approx((3.5, column + 0.5))
    ends = [arrangement.position(x, right.y, 2).column for x in right.line]
    assert ends == pytest.approx([5.5, 20.5])
    assert left.line[0] == left.line[1]


def test_an_anaglyph_has_both_marks() -> None:
    arrangement = Arrangement(((24, 60),), (120, 48))
    marks_drawn = marks(arrangement, (("left", "right"),), SGM, MarkedPixel(3, 20, 4, (0, 15)))
    assert [mark.matches for mark in marks_drawn] == [False, True]
    assert marks_drawn[0].x - marks_drawn[1].x == pytest.approx(4 * marks_drawn[0].size)


@pytest.mark.opengl
@pytest.mark.parametrize(("size", "scale"), [((1280, 800), 1.0), ((2560, 1440), 2.0)])
def test_the_plot_of_costs_is_high_enough_to_be_read(
    offscreen: OffscreenContext, size: tuple[int, int], scale: float
) -> None:
    heights: list[float] = []

    def drawn(*words: Any, **options: Any) -> int | None:
        heights.append(imgui.get_content_region_avail().y)
        return draw_plot(*words, **options)

    with running_app(*SCENE, size=size, scale=scale) as app:
        app.state.bars = True
        app.state.show_workspace("Explain")
        app.state.look = replace(app.state.look, pin=(20, 30))
        with patch("wheatstone.viewer.panels.costs.panel.draw_plot", drawn):
            wait_until(lambda: heights, app.step)
            assert heights[-1] >= 200 * scale
            app.state.workspaces = app.state.workspaces.sized("below", 90)
            heights.clear()
            wait_until(lambda: heights, app.step)
            assert heights[-1] >= 140 * scale


@pytest.mark.opengl
def test_costs_of_a_larger_source_are_not_explained_in_a_smaller_one(
    offscreen: OffscreenContext,
) -> None:
    with running_app(*SCENE) as app:
        app.state.show_workspace("Explain")
        app.state.look = replace(app.state.look, pin=(60, 90))
        prober = app.layout.facts.prober
        wait_until(lambda: prober.answer is not None, app.step)
        with patch.object(Prober, "_collect"):  # the next answer takes its time
            app.state.look = replace(app.state.look, pin=(5, 5))
            spec = {"scene": "orbit", "seed": 0, "size": "48x32"}
            app.open_source(open_source(SourceSpec.from_dict(spec)))
            shown = app.session.a
            wait_until(lambda: shown.frame and shown.frame.shape == (32, 48), app.step)
            for _ in range(5):
                app.step()
        settle(app)
        assert prober.answer
        assert prober.answer.question.frame.shape == (32, 48)
