"""What the panels say, without drawing them."""

from dataclasses import replace

from tests.toy import TOY, ToyParams
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.tuning import with_preset
from wheatstone.viewer.display.frames.facts import Facts
from wheatstone.viewer.panels.keys.actions import actions
from wheatstone.viewer.panels.keys.help import HelpGroup, help_groups, in_columns, mouse_actions
from wheatstone.viewer.panels.status_words import (
    DROPPED,
    PEER_TIP,
    ROWS_TIP,
    SEPARATOR,
    TIPS,
    KnownOfSource,
    fitted,
    status,
    tip_at,
    title,
)
from wheatstone.viewer.panels.widgets import clipped
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import progress_words


def test_the_help_names_the_region_where_there_is_one() -> None:
    marked, plain = TOY.view("marked"), TOY.view("negated")
    assert ("drag on the left image", "draw the template") in mouse_actions(marked)
    assert mouse_actions(plain) == (
        ("mouse wheel", "zoom at the cursor"),
        ("drag", "move the picture"),
        ("click", "pin values of a pixel, or remove pin"),
        ("right click", "menu of the pixel"),
        ("Ctrl+click", "measure from a pixel, then to another"),
        ("Ctrl+Shift+click", "add pixel to inspector's table, or remove it"),
        ("Ctrl+drag", "measure in a rectangle"),
    )
    assert ("drag the seam", "move it") in mouse_actions(plain, wipes=True)


def test_progress_is_told_with_the_time_passed_and_an_estimate() -> None:
    assert progress_words(0.5, 10.4) == "50% after 10 s, about 10 s more"
    assert progress_words(0.02, 10.4) == "2% after 10 s"
    assert progress_words(1.0, 3) == "100% after 3 s"
    assert progress_words(0.5, 10.4, even=False) == "50% after 10 s"
    assert progress_words(0.1, 900.0) == "10% after 15 min, about 2 h 15 min more"
    assert progress_words(None, 59.6) == "1 min so far"


def test_a_variants_remark_is_reported() -> None:
    facts = Facts("CPU", 1.0, "cpu")
    state = ViewerState(Run(TOY, "narrow", ToyParams(template=(0, 0, 3, 9))))
    line = status(state, facts, (60, 40), 60)
    assert (line.cells[0], line.remark) == ("toy/narrow", "tall template")
    state.slot = Run(TOY, "narrow", ToyParams())
    assert status(state, facts, (60, 40), 60).remark == ""


def test_the_status_line_tells_both_times_when_both_are_computed() -> None:
    state = ViewerState(Run(TOY, "cpu", ToyParams()))
    first, second = Facts("CPU", 1.0, "cpu"), Facts("CPU", None, "cpu")
    state.b = Run(TOY, "fused", ToyParams())
    state.mix(mode="wipe")
    assert "compute A 1.00 ms, B fused - ms" in status(state, first, (60, 40), 60, second).cells
    state.mix(mode="b")
    assert status(state, first, (60, 40), 60).cells[0] == "toy/fused"


def test_the_status_line_names_what_takes_the_place_of_the_view() -> None:
    facts = Facts("CPU", 1.0, "cpu")

    def view(state: ViewerState) -> str:
        return dict(status(state, facts, (60, 40), 60).parts)["view"]

    state = ViewerState(Run(SGM, "cpu", SGM.params()))
    assert view(state) == "view disparity"
    for path, value, text in (
        ("truth.show", "errors", "error map"),
        ("truth.show", "truth", "ground truth"),
        ("temporal.show", "mean", "over time: mean"),
        ("unfolding.stage", "aggregation", "slow motion: aggregation"),
    ):
        choose(state, path, value)
        assert view(state) == text
    choose(state, "truth.show", "errors")
    state.mix(mode="difference")
    assert view(state) == "view disparity"
    toy = ViewerState(Run(TOY, "cpu", ToyParams()))
    toy.truth = replace(toy.truth, show="errors")  # of what no truth can judge
    assert view(toy).startswith("view ")


def test_the_status_line_counts_damaged_frames() -> None:
    state = ViewerState(Run(TOY, "cpu", ToyParams()))
    facts = Facts("CPU", 1.0, "cpu")
    assert "3 damaged" in status(state, facts, (60, 40), 60, known=KnownOfSource(damaged=3)).cells
    assert "damaged" not in str(status(state, facts, (60, 40), 60))


def test_the_help_names_every_key_under_its_heading() -> None:
    groups = help_groups(ViewerState(Run(TOY, "cpu", ToyParams())))
    rows = [row for group in groups for row in group.rows]
    for action in actions(TOY):
        assert (action.shown_keys, action.help) in rows
    assert groups[-1].title == "Variants of toy"
    assert [row[0] for row in groups[-1].rows] == [str(n + 1) for n in range(len(TOY.variants))]


def test_the_help_fills_its_columns_evenly_and_in_order() -> None:
    lengths = {"a": 3, "b": 1, "c": 2, "d": 4}
    groups = [HelpGroup(name, (("K", "help"),) * rows) for name, rows in lengths.items()]
    titles = [[group.title for group in column] for column in in_columns(groups, 2)]
    assert titles == [["a", "b"], ["c", "d"]]  # 5 + 3 lines beside 4 + 6
    assert [len(column) for column in in_columns(groups, 9)] == [1, 1, 1, 1]
    assert [len(column) for column in in_columns(groups, 1)] == [4]
    assert HelpGroup("long", (("K", "x" * 81),)).lines == 2 + 3


def test_a_narrow_status_line_leaves_parts_out_in_the_order_declared() -> None:
    order = [*DROPPED[:5], "slot", *DROPPED[5:]]
    parts = tuple((name, name) for name in order)
    room = len(SEPARATOR.join(order))
    assert fitted(parts, room, len) == parts
    for number, name in enumerate(DROPPED, 1):
        room = len(SEPARATOR.join(left := [p for p in order if p not in DROPPED[:number]]))
        assert [each for each, _ in fitted(parts, room, len)] == left, name
    assert fitted(parts, 0, len) == (("slot", "slot"),)


def test_every_part_of_the_status_line_but_the_slot_can_be_omitted() -> None:
    state, facts = ViewerState(Run(TOY, "cpu", ToyParams())), Facts("CPU", 1.0, "cpu")
    known = KnownOfSource("street", "frame 3 of 20", damaged=3)
    names = {name for name, _ in status(state, facts, (60, 40), 60, known=known).parts}
    assert names - {"slot"} <= set(DROPPED) and "slot" in names


def test_of_several_words_of_a_source_the_last_goes_first() -> None:
    parts = (("slot", "toy/cpu"), ("known", "live"), ("known", "3 damaged"))
    assert fitted(parts, len("toy/cpu") + len(SEPARATOR) + 4, len) == parts[:2]


def test_a_part_of_the_status_line_is_explained_where_it_stands() -> None:
    parts = (("slot", "toy/net (peer)"), ("known", "rows 0.08 px"), ("size", "60 x 40"))
    gap = len(SEPARATOR)
    begin = len("toy/net (peer)") + gap
    assert tip_at(parts, 0, len) == PEER_TIP
    assert tip_at(parts, begin + 1, len) == ROWS_TIP
    assert tip_at(parts, begin + len("rows 0.08 px") + gap + 1, len) == TIPS["size"]
    assert tip_at(parts, 99, len) == ""


def test_the_status_line_tells_one_time_and_which_it_is() -> None:
    state = ViewerState(Run(TOY, "cpu", ToyParams()))

    def time_text(newest: float | None, median: float | None) -> str:
        facts = Facts("CPU", newest, "cpu", median)
        return dict(status(state, facts, (60, 40), 60).parts).get("time", "")

    assert time_text(9.0, 3.125) == "compute 3.12 ms (median)"
    assert time_text(9.0, None) == "compute 9.00 ms (one frame)"
    assert time_text(None, None) == ""


def test_a_still_and_a_paused_sequence_have_no_rate() -> None:
    state, facts = ViewerState(Run(TOY, "cpu", ToyParams())), Facts("CPU", 1.0, "cpu")
    moving = KnownOfSource("street", "frame 3 of 20")
    assert "60 fps" in status(state, facts, (60, 40), 60, known=moving).cells
    assert status(state, facts, (60, 40), 60, known=moving).cells[:2] == ("street", "frame 3 of 20")
    assert "60 fps" not in status(state, facts, (60, 40), 60, known=KnownOfSource("a.png")).cells
    state.paused = True
    assert "60 fps" not in status(state, facts, (60, 40), 60, known=moving).cells


def test_title_and_status_line_mark_a_preset_that_is_changed() -> None:
    slot = replace(default_slot("sgm", {}), variant="cpu")
    state = ViewerState(with_preset(ViewerState(slot), slot, "driving"))
    assert title(state, "left.png") == "left.png  sgm/cpu  driving - Wheatstone"
    facts = Facts("CPU", 1.0, "cpu")
    assert "preset driving" in status(state, facts, (60, 40), 60).cells
    state.step_param("p1", 1)
    assert title(state, "left\x1b.png") == "left\\x1b.png  sgm/cpu  driving* - Wheatstone"
    assert "preset driving*" in status(state, facts, (60, 40), 60).cells


def test_a_message_that_does_not_fit_ends_after_a_word() -> None:
    assert clipped("four", 4, len) == "four"
    assert clipped("a message", 6, len) == "a ..."
    assert clipped("one two three", 12, len) == "one two ..."
    assert clipped("incomprehensible", 8, len) == "inco..."
    assert clipped("a message", 2, len) == ""
