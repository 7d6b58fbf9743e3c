"""The plot over time keeps the values of the frames shown, and writes them as CSV."""

import csv
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.laid_out import windows
from tests.offscreen_app import click, do, running_app, settle
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.messages import Message, Messages
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.facts import over_time
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.messages import log_as_csv
from wheatstone.viewer.panels.plot import frame_values
from wheatstone.viewer.panels.plot.panel import PlotPanel, limits, value_at
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.window_layout import WindowLayout

PARAMS = SgmParams(disparities=16)
POINTS = np.array([[2.0, 10.0], [4.0, 30.0]])


def test_the_value_of_a_frame_is_that_of_the_nearest_frame_that_has_one() -> None:
    assert [value_at(POINTS, frame) for frame in (0, 2, 4, 9)] == [10, 10, 30, 30]


def test_the_axes_hold_all_curves_and_begin_at_zero_or_above() -> None:
    across, up = limits({"A": POINTS, "B": POINTS - (1, 9.5)})
    assert across == (0.5, 4.5) and up == pytest.approx((0.0, 32.95))
    assert limits({"": np.array([[3.0, 100.0]])})[1] == pytest.approx((99.9, 100.1))


def test_the_log_of_messages_is_written_as_csv() -> None:
    messages = Messages().with_newest(Message("error", "no file, here"), 0.0)
    heading, row = csv.reader(log_as_csv(messages.log).splitlines())
    assert heading == ["time", "kind", "text"] and row[1:] == ["error", "no file, here"]
    assert row[0].startswith(time.strftime("%Y-"))


@pytest.fixture
def layout(offscreen: OffscreenContext) -> Iterator[WindowLayout]:
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_source(SourceSpec(size=(192, 128)))))
        state = ViewerState(Run(SGM, "cpu", PARAMS), {"cuda": "none"}, paused=True)
        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display)))
        yield WindowLayout(session)


def rows(panel: PlotPanel, layout: WindowLayout, *frames: int) -> list[dict[str, str]]:
    """Show frames one after another; return the rows of the CSV."""
    for frame in frames:
        layout.state.frame = frame
        layout.session.compute()
        layout.session.rows.measure()
        deadline, known = time.monotonic() + 60, layout.session.figures.slots[0]
        wanted = layout.state.slot, layout.session.a.frame
        while not known.subject or (known.subject.slot, known.subject.frame) != wanted:
            assert time.monotonic() < deadline
            panel.update(layout)
            time.sleep(0.01)
    return list(csv.DictReader(panel.csv(layout).splitlines()))


@pytest.mark.opengl
def test_every_frame_shown_has_a_row_of_the_values_that_the_panels_tell(
    layout: WindowLayout, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, state, session = PlotPanel(), layout.state, layout.session
    panel.update(layout)  # from now on changes are measured, shown or not
    table = rows(panel, layout, 0, 3, 2)
    assert [row["frame"] for row in table] == ["0", "2", "3"]
    assert float(table[1]["seconds"]) == pytest.approx(2 / session.source.rate, abs=1e-3)
    known = session.figures.slots[0].figures
    assert known and session.rows.newest
    content = {
        "bad-2 A (%)": known.values["bad-2"],
        "filled A (%)": known.values["filled"],
        "flicker A (%)": 100 * session.changes["a"].flicker_rate,
        "row error (px)": session.rows.newest.median,
    }
    assert {name: float(table[1][name]) for name in content} == pytest.approx(content, rel=1e-4)
    assert over_time(session) == ""
    assert "time A (ms)" in table[1] and not any(" B " in name for name in table[1])

    state.slot = Run(SGM, "cpu", replace(PARAMS, median=False))
    state.choose_view(state.slot, "left")
    table = rows(panel, layout, 2)
    assert [row["bad-2 A (%)"] != "" for row in table] == [False, True, False]
    assert all(row["row error (px)"] for row in table)  # which no parameter changes

    monkeypatch.setattr(frame_values, "MOST", 2)
    result = rows(panel, layout, 5)
    assert [row["frame"] for row in result] == ["2", "5"] and result[1]["flicker A (%)"]
    panel.close()
    state.frame = 6
    session.compute()
    assert not session.changes["a"].frames


@pytest.mark.opengl
def test_values_of_another_source_are_not_kept(layout: WindowLayout) -> None:
    panel = PlotPanel()
    assert len(rows(panel, layout, 0, 1)) == 2
    with closing(open_source(SourceSpec(size=(64, 48)))) as other:
        layout.session.open_source(other)
        assert [row["frame"] for row in rows(panel, layout, 4)] == ["4"]
        panel.close()
        layout.session.figures.close()
        layout.session.cancel()


@pytest.mark.opengl
def test_the_menu_of_the_panel_writes_a_file(offscreen: OffscreenContext, tmp_path: Path) -> None:
    words = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")
    with running_app(*words, size=(1280, 800)) as app:
        app.state.bounds = Bounds(root=tmp_path)
        app.state.open_panels = {"plot"}
        settle(app)
        while app.layout.busy:
            app.step()
        window = next(w for name, w in windows().items() if name.endswith("###plot"))
        x, y = window.pos.x + window.size.x - 20, window.pos.y + window.size.y - 6
        do(app, Event("move", x=x, y=y))
        do(app, Event("press", x=x, y=y, button=1), Event("release", x=x, y=y, button=1))
        app.step()
        menu = next(w for name, w in windows().items() if name.startswith("##Popup"))
        style = imgui.get_style()
        line = imgui.get_font_size() + style.item_spacing.y
        click(app, menu.pos.x + 20, menu.pos.y + style.window_padding.y + 2.5 * line)
        settle(app)
        heading, row = csv.reader((tmp_path / "wheatstone-plot-001.csv").read_text().splitlines())
        assert heading[:3] == ["frame", "seconds", "bad-2 A (%)"] and row[0] == "0"
        assert app.state.message.startswith("saved wheatstone-plot-001.csv in ")
