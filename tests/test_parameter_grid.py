"""The parameter grid: values, thumbnails, and the panel in a window that nobody sees."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from wheatstone.gpu.parameters import Control
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.judging import TruthChoice as Truth
from wheatstone.viewer.choices.panel_choices import ParameterGridChoice
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.display.frames.worker import Worker
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.parameter_grid.cell_drawing import badness, on_rim
from wheatstone.viewer.panels.parameter_grid.computing import (
    GridCell,
    GridResults,
    GridSubject,
    thumbnail,
)
from wheatstone.viewer.panels.parameter_grid.places import grid_of, spread
from wheatstone.viewer.run.run import Run

PENALTY = Control("", "int", low=0, high=1023)


@pytest.mark.parametrize(
    ("control", "value", "count", "expected"),
    [
        (PENALTY, 20, 5, (5, 10, 20, 40, 80)),
        (PENALTY, 1023, 3, (256, 512, 1023)),
        (PENALTY, 0, 3, (0, 16, 32)),
        (Control("", "int", low=16, high=512, stride=16, step=16), 64, 3, (32, 64, 128)),
        (Control("", "int", low=-1024, high=1024), -4, 3, (-36, -4, 28)),
        (Control("", "int", low=1, high=2), 1, 5, (1, 2)),
        (Control("", "float", low=0.0, high=10.0, step=0.1), 1.5, 3, (0.75, 1.5, 3.0)),
    ],
)
def test_values_are_doubled_and_halved_about_the_one_there_is(
    control: Control, value: float, count: int, expected: tuple[float, ...]
) -> None:
    values = spread(control, value, count)
    assert values == expected and value in values and all(map(control.allows, values))


def test_the_grid_goes_over_the_pair_that_is_ordered_or_over_what_was_chosen() -> None:
    params = SGM.params()
    grid = grid_of(params, ParameterGridChoice())
    assert (grid.across, grid.down) == ("p1", "p2")
    places = grid.places(params)
    assert len(places) == 25 and (places[1].column, places[1].row) == (1, 0)
    assert places[12].params == params  # the middle is as it is
    excluded = [(place.column, place.row) for place in places if place.params is None]
    assert excluded == [(3, 0), (4, 0), (4, 1)]  # 40 and 80 over 25, 80 over 50
    assert places[3].why == "p1 must not exceed p2 (got p1 70, p2 50)"
    chosen = grid_of(params, ParameterGridChoice("uniqueness", "uniqueness", 3))
    assert (chosen.across, chosen.down) == ("uniqueness", "p1")
    assert grid_of(CANNY.params(), ParameterGridChoice("p1", "sigma")).across == "low"
    with pytest.raises(ValueError, match="fewer than two "):
        grid_of(INVERT.params(), ParameterGridChoice())


def test_of_a_peer_the_grid_goes_over_what_it_reads() -> None:
    peer = SGM.variant("opencv-sgbm")
    grid = grid_of(SGM.params(), ParameterGridChoice("p1", "lr_check"), peer)
    assert (grid.across, grid.down) == ("disparities", "lr_check")
    network = replace(peer, fused=tuple(replace(each, params=()) for each in peer.fused))
    with pytest.raises(ValueError, match="fewer than two "):
        grid_of(SGM.params(), ParameterGridChoice(), network)


def test_a_thumbnail_has_the_colours_of_its_values() -> None:
    values = np.array([[0.0, 10.0], [5.0, np.nan]], np.float32)
    colors = colormap("cividis")
    expected = [[colors[0], colors[255]], [colors[128], INVALID["cividis"]]]
    assert np.array_equal(thumbnail(values, (0, 10), "cividis"), np.array(expected))
    assert thumbnail(np.zeros((300, 481), np.float32), (0, 1), "grey").shape == (100, 161, 3)


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_cells_are_judged_a_click_adopts_one_and_escape_gives_up() -> None:
    from tests.offscreen_app import click, keys, running_app, settle
    from wheatstone.viewer.cli.script_player import finish
    from wheatstone.viewer.panels.parameter_grid.cell_drawing import best_of, caption, is_current
    from wheatstone.viewer.panels.parameter_grid.panel import ParameterGridPanel

    words = ("sgm", "--variant", "cpu", "--scene-size", "96x64", "--disparities", "16")
    chosen = ("--set", "parameter_grid.size=3")
    with running_app(*words, *chosen, size=(900, 600)) as app:
        state = app.state
        keys(app, "Shift+F2")
        assert state.racing == "grid"
        finish(app)
        panel = app.layout.body("parameter_grid")
        assert isinstance(panel, ParameterGridPanel) and panel.results
        results = panel.results
        assert state.racing == "" and len(panel.textures) == 9
        assert all(cell.bad is not None and 0 <= cell.bad <= 100 for cell in results.cells)
        best = best_of(results)
        assert best in results.cells and best.bad is not None
        assert caption(results, best, best=True) == f"best {best.bad:.2f} %"
        assert caption(results, best) == f"{best.bad:.2f} %"
        current = [is_current(results, cell, state.slot) for cell in results.cells]
        assert [number for number, is_it in enumerate(current) if is_it] == [4]
        area = app.layout.arrange(900, 600).panels["parameter_grid"]
        click(app, area.x + 100, area.y + 190)  # the first one
        assert state.slot.params == results.cells[0].place.params
        before, after = results.cells[4].bad, results.cells[0].bad
        assert state.message == f"p1 18, p2 100: bad-2 {before:.2f} % -> {after:.2f} %"
        keys(app, "Ctrl+Z")
        assert state.message == "undone: p1 18 -> 35, p2 100 -> 200"
        settle(app)
        keys(app, "Shift+F2")
        choose(state, "parameter_grid.size", 7)
        keys(app, "Shift+F2")
        keys(app, "Esc")
        app.step()
        panel = app.layout.body("parameter_grid")
        assert state.racing == "" and not state.closing
        assert isinstance(panel, ParameterGridPanel) and panel.results and not panel.busy
        assert "cancelled" in {cell.why for cell in panel.results.cells}


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_the_best_values_are_adopted_without_scrolling() -> None:
    from tests.offscreen_app import running_app
    from tests.test_menus_by_mouse import Watched
    from wheatstone.viewer.cli.script_player import finish
    from wheatstone.viewer.display.screen.dear_imgui import imgui
    from wheatstone.viewer.panels.parameter_grid.cell_drawing import best_of
    from wheatstone.viewer.panels.parameter_grid.panel import ParameterGridPanel

    words = ("sgm", "--variant", "cpu", "--scene-size", "96x72", "--disparities", "16", "--fresh")
    with running_app(*words, size=(1280, 800)) as app:
        app.state.bars = True
        app.state.show_workspace("Tune")
        finish(app)
        panel = app.layout.body("parameter_grid")
        assert isinstance(panel, ParameterGridPanel) and panel.results
        best = best_of(panel.results)
        assert best and best.place.params != app.state.slot.params
        drawn = Watched(app)
        with patch.object(imgui, "button", drawn.noting(imgui.button)):
            app.step()
            drawn.click(next(words for words in drawn.places if words.startswith("Use best")))
        assert app.state.slot.params == best.place.params


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_captions_are_whole_however_flat_the_panel_is() -> None:
    from tests.laid_out import watched
    from tests.offscreen_app import keys, running_app
    from wheatstone.viewer.cli.script_player import finish

    words = ("sgm", "--variant", "cpu", "--scene-size", "96x64", "--disparities", "16")
    with running_app(*words, "--scale", "1.5", size=(1400, 800)) as app:
        keys(app, "F3", "F10", "Shift+F2")
        finish(app)
        with watched() as drawn:
            app.step()
        figures = [words for words in drawn.seen if words.endswith(" %")]
        assert figures and "n/a" in drawn.seen
        assert not any("###parameter_grid" in window for window in drawn.cut.values())


def test_a_best_value_on_the_rim_is_found_unless_no_other_is_possible() -> None:
    params = SGM.params()
    grid = grid_of(params, ParameterGridChoice())
    view = np.zeros((24, 40), np.uint8)
    subject = GridSubject(
        Run(SGM, "cpu", params), Frame(view, view, 0), (0, 64), "cividis", Truth()
    )
    results = GridResults(grid, subject, Worker())
    results.done = True
    cells = [GridCell(place, bad=5.0) for place in grid.places(params)]
    for number, names in ((12, []), (22, ["p2"]), (24, ["p1", "p2"]), (14, ["p1"])):
        results.cells = [replace(c, bad=1.0 if n == number else 5.0) for n, c in enumerate(cells)]
        assert on_rim(results) == names
    results.done = False
    assert on_rim(results) == []


def test_errors_are_coloured_from_the_smallest_to_the_largest() -> None:
    errors = (2.0, 1.0, None, 3.0)
    assert [badness(error, errors) for error in errors] == [0.5, 0.0, None, 1.0]
    assert badness(2.0, (2.0, None)) is None
