"""The race's panel and keys: what is asked for, what runs, what stays."""

import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.offscreen_app import running_app
from tests.patience import PATIENCE
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.panels.race.drawing import draw_row
from wheatstone.viewer.panels.race.panel import RacePanel, in_short
from wheatstone.viewer.panels.race.race_board import BoardRow
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.window_layout import WindowLayout

ABSENT = {"cuda": "no driver"}


def mean(variant: str = "cpu") -> Run:
    return Run(MEAN, variant, MeanParams(radius=2))


@pytest.fixture
def layout(offscreen: OffscreenContext) -> Iterator[WindowLayout]:
    state = ViewerState(mean(), ABSENT, paused=True)
    with (
        closing(open_source(SourceSpec(size=(64, 48)))) as source,
        closing(Display()) as display,
        closing(Session(state, source, display)) as session,
    ):
        session.compute()
        yield WindowLayout(session)


def test_a_key_starts_a_race_and_stops_it() -> None:
    state = ViewerState(mean(), ABSENT, panels=False)
    press(state, "Shift+F4")
    assert (state.panels, state.open_panels) == (True, {"race"})
    asked = [str(state.racing)]
    for _ in range(2):
        press(state, "Ctrl+F4")
        asked.append(state.racing)
    assert asked == ["race", "", "sweep"]


def test_a_key_turns_to_the_next_kernel() -> None:
    state = ViewerState(Run(MEAN, "shared", MeanParams()), ABSENT)
    press(state, "Shift+F7")
    assert state.kernel_card.left_part == "mean_filter_shared"  # the only one
    press(state, "Ctrl+F7")
    assert state.kernel_card.whole and "kernels" in state.open_panels


def test_what_is_shown_of_a_slot_are_the_parameters_with_a_symbol() -> None:
    assert in_short(mean()) == "Mean filter, r 2"


def start(panel: RacePanel, layout: WindowLayout) -> None:
    """Let frames pass until what was asked for runs, or is found impossible."""
    ends = time.monotonic() + PATIENCE
    while layout.state.racing and not panel.outcome.standings_of and time.monotonic() < ends:
        panel.update(layout)


@pytest.mark.opengl
def test_a_race_runs_while_its_panel_is_open(layout: WindowLayout) -> None:
    panel = RacePanel()
    panel.update(layout)
    assert panel.outcome.standings_of == ""
    layout.state.racing = "race"
    start(panel, layout)
    for _ in range(5):
        panel.update(layout)
    assert "Mean filter, r 2, 64 x 48, frame 0" in panel.outcome.standings_of
    panel.close()
    assert str(layout.state.racing) == ""
    assert {one.phase for one in panel.outcome.standings} <= {"done", "out"}
    assert panel.outcome.standings[-1].why == "the race was stopped"


@pytest.mark.opengl
def test_nothing_to_sweep_over_is_reported(layout: WindowLayout) -> None:
    panel, state = RacePanel(), layout.state
    state.slot, state.racing = Run(INVERT, "cpu", INVERT.params()), "sweep"
    start(panel, layout)
    assert (str(state.racing), state.message) == ("", "invert declares nothing to sweep over")


def row_of(name: str, time: str) -> BoardRow:
    return BoardRow(name, "1", time, "2.0 x", "details", 0.5, leads=False, wrong=False)


@pytest.mark.opengl
@pytest.mark.parametrize("time", ["", "1.234"])
def test_names_that_leave_the_panel_go_on_in_the_next_line(
    offscreen: OffscreenContext, time: str
) -> None:
    from imgui_bundle import imgui

    names = ["cpu", "cpu, global-scanline, shared-scanline, texture, fast, opencv"]
    heights = []
    with running_app("mean", "--scene-size", "64x48") as app:
        with app.overlay.frame(300, 200, 1.0, []):
            imgui.set_next_window_size((260, 190))
            imgui.begin("panel")
            for name in names:
                before = imgui.get_cursor_pos().y
                draw_row(row_of(name, time))
                heights.append(imgui.get_cursor_pos().y - before)
            imgui.end()
    assert heights[1] > heights[0]
