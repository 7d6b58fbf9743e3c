"""What the panels say, without drawing them."""

from tests.toy import TOY, ToyParams
from viewer.panels.help import mouse_actions
from viewer.panels.status import status
from viewer.session import Facts
from viewer.state import Slot, ViewerState


def test_the_help_names_the_region_where_there_is_one() -> None:
    marked, plain = TOY.view("marked"), TOY.view("negated")
    assert ("drag on the left image", "draw the template") in mouse_actions(marked)
    assert mouse_actions(plain) == (
        ("mouse wheel", "zoom at the cursor"),
        ("drag", "move the picture"),
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
