"""Names, badge and marks belong to what is drawn."""

import numpy as np
import pytest

from tests.offscreen_app import do, keys, running_app, settle
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.display.picture.caption import Caption, caption_strip, label_at
from wheatstone.viewer.display.picture.combination import Remarks, combined, pending
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.theme import color

SAME = Badge("identical: 0 of 100 differ", "good")
WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


def two(mode: str = "side-by-side") -> ViewerState:
    absent = {"cuda": "no GPU"}
    state = ViewerState(default_slot("sgm", absent), absent)
    state.mix(mode=mode)
    return state


def caption(state: ViewerState, badge: Badge | None = SAME) -> Caption:
    result = combined(state, chosen(state), chosen_b(state), badge).caption
    assert result
    return result


def test_results_have_the_names_of_their_slots() -> None:
    words = caption(two())
    assert words.labels == ("sgm/cpu", "sgm/reference")
    assert (words.badge, words.note) == (SAME.text, "")


def test_the_truth_is_not_called_a_result() -> None:
    state = two()
    state.truth = TruthChoice(show="truth")
    words = caption(state)
    assert words.labels == ("ground truth", "ground truth")
    assert words.badge == f"results, not shown here: {SAME.text}"


def test_errors_and_changes_are_called_what_they_are() -> None:
    state = two()
    state.truth = TruthChoice(show="errors")
    assert caption(state).labels == ("errors of sgm/cpu", "errors of sgm/reference")
    figures = Remarks(figures=("bad-1 2.00 %", ""))
    result = combined(state, chosen(state), chosen_b(state), SAME, remarks=figures).caption
    assert result and result.labels == (
        "errors of sgm/cpu: bad-1 2.00 %",
        "errors of sgm/reference",
    )
    state.mix(mode="off")
    result = combined(state, chosen(state), None, None, remarks=figures).caption
    title = "errors of sgm/cpu: bad-1 2.00 % (middlebury, non-occluded pixels)"
    assert result == Caption(title=title)
    state.mix(mode="side-by-side")
    state.truth, state.temporal = TruthChoice(), TemporalChoice(show="difference")
    assert caption(state).labels[0] == "sgm/cpu: change since the previous frame"


def test_what_cannot_be_compared_is_reported_as_it_is() -> None:
    state = two()
    state.truth = TruthChoice(show="truth")
    assert caption(state, Badge("peer, not comparable", "neutral")).badge == "peer, not comparable"


def test_the_caption_names_the_view_drawn_not_the_one_chosen_since() -> None:
    state = two()
    state.set_view(SGM, "reasons")
    drawn = chosen(state), chosen_b(state)
    state.set_view(SGM, "pair")
    remarks = Remarks(pending=pending([*drawn], [chosen(state)]))
    result = combined(state, *drawn, None, remarks=remarks).caption
    assert result and result.note == "computing pair ..."
    assert result.beside == 0.5  # reasons are one pane, a pair would be two
    assert combined(state, *drawn, None).caption == Caption(
        ("sgm/cpu", "sgm/reference"), beside=0.5, note="view reasons"
    )


def test_a_note_is_not_drawn_where_it_would_touch_the_name_of_b() -> None:
    for width in range(200, 1400, 20):
        strips = [
            caption_strip(Caption(("sgm/cpu", "sgm/reference"), beside=0.5, note=note), width)
            for note in ("", "view left")
        ]
        drawn = np.nonzero((strips[0] != strips[1]).any(axis=(0, 2)))[0]
        assert not len(drawn) or drawn.max() < width // 2
    assert len(drawn)


def test_another_slot_on_its_way_is_named() -> None:
    state = two()
    drawn = [chosen(state), chosen_b(state)]
    state.choose_variant("reference")
    assert pending([*drawn], [chosen(state)]) == ""  # B shows it already
    state.choose_pipeline("canny")
    assert pending([*drawn], [chosen(state)]) == "computing canny/cpu ..."
    assert pending([*drawn], drawn) == ""


@pytest.mark.opengl
def test_a_jump_marks_its_place_until_the_next_key(offscreen: OffscreenContext) -> None:
    words = ("--compare", "side-by-side", "--b-set", "p1=40")
    with running_app(*WORDS, *words, size=(640, 400)) as app:
        app.state.panels = False
        keys(app, "J")
        settle(app)
        box = app.state.marked
        assert box and app.state.message.startswith("cluster 1 of")
        marked = app.window.read()  # type: ignore[attr-defined]
        app.state.marked = None
        app.step()
        plain = app.window.read()  # type: ignore[attr-defined]
        assert np.any(marked != plain)
        app.state.marked = box
        do(app, Event("move", x=3, y=3))
        assert app.state.marked == box
        keys(app, "R")
        assert app.state.marked is None


@pytest.mark.parametrize(("width", "second"), [(1200, 0), (200, 1)])
@pytest.mark.parametrize("beside", [0.0, 0.5])
def test_the_label_under_the_mouse_is_the_one_drawn_there(
    width: int, second: int, beside: float
) -> None:
    words = Caption(("sgm/cpu, P1 10", "sgm/reference, P1 20"), beside=beside, badge="identical")
    strip = caption_strip(words, width)
    chips = [np.argwhere((strip == color(letter)).all(axis=2)).mean(axis=0) for letter in "ab"]
    assert [label_at(words, x, y, width) for y, x in chips] == ["a", "b"]
    assert (chips[1][0] > chips[0][0] + 5) == bool(second)  # pixels
    assert label_at(words, width / 2, len(strip) - 2, width) == ""
    assert label_at(Caption(title="errors"), 5, 5, width) == ""
