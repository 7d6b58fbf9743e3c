"""What the panels say, without drawing them."""

from tests.toy import TOY, ToyParams
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.frames.session import Facts
from viewer.keys.actions import actions
from viewer.keys.help import HelpGroup, help_groups, in_columns, mouse_actions
from viewer.panels.status import KnownOfSource, clipped, status, without_longest


def test_the_help_names_the_region_where_there_is_one() -> None:
    marked, plain = TOY.view("marked"), TOY.view("negated")
    assert ("drag on the left image", "draw the template") in mouse_actions(marked)
    assert mouse_actions(plain) == (
        ("mouse wheel", "zoom at the cursor"),
        ("drag", "move the picture"),
        ("Ctrl+click", "measure from a pixel, then to another"),
        ("Ctrl+drag", "measure in a rectangle"),
    )
    assert ("drag the seam", "move it") in mouse_actions(plain, wipes=True)


def test_a_variants_remark_is_told() -> None:
    facts = Facts("CPU", 1.0, "cpu", "")
    state = ViewerState(Slot(TOY, "narrow", ToyParams(template=(0, 0, 3, 9))))
    told = status(state, facts, (60, 40), 60)
    assert (told.cells[:3], told.remark) == (("toy", "narrow", "CPU"), "tall template")
    state.slot = Slot(TOY, "narrow", ToyParams())
    assert status(state, facts, (60, 40), 60).remark == ""


def test_the_status_line_tells_both_times_when_both_are_computed() -> None:
    state = ViewerState(Slot(TOY, "cpu", ToyParams()))
    first, second = Facts("CPU", 1.0, "cpu", ""), Facts("CPU", None, "cpu", "")
    state.b = Slot(TOY, "fused", ToyParams())
    state.mix(mode="wipe")
    assert "A 1.00 ms, B fused - ms" in status(state, first, (60, 40), 60, second).cells
    state.mix(mode="b")
    assert status(state, first, (60, 40), 60).cells[:2] == ("toy", "fused")


def test_the_status_line_counts_damaged_frames() -> None:
    state = ViewerState(Slot(TOY, "cpu", ToyParams()))
    facts = Facts("CPU", 1.0, "cpu", "")
    assert "3 damaged" in status(state, facts, (60, 40), 60, known=KnownOfSource(damaged=3)).cells
    assert "damaged" not in str(status(state, facts, (60, 40), 60))


def test_the_help_names_every_key_under_its_heading() -> None:
    groups = help_groups(ViewerState(Slot(TOY, "cpu", ToyParams())))
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


def test_a_narrow_status_line_leaves_the_longest_cells_out() -> None:
    cells = ("sgm", "cpu", "a very long device", "640 x 480", "60 fps")
    assert without_longest(cells, 99, len) == cells
    assert without_longest(cells, 45, len) == ("sgm", "cpu", "640 x 480", "60 fps")
    assert without_longest(cells, 0, len) == ("sgm", "cpu")


def test_a_message_that_does_not_fit_ends_in_an_ellipsis() -> None:
    assert clipped("four", 4, len) == "four"
    assert clipped("a message", 6, len) == "a m..."
    assert clipped("a message", 2, len) == ""
