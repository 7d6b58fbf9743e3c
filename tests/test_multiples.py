"""Small multiples: which values, which thumbnails, and the panel in a window that nobody sees."""

import numpy as np
import pytest

from wheatstone.gpu.parameters import Control
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.panel_choices import MultiplesChoice
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.panels.multiples.cell_drawing import badness
from wheatstone.viewer.panels.multiples.computing import thumbnail
from wheatstone.viewer.panels.multiples.places import grid_of, spread

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
    found = spread(control, value, count)
    assert found == expected and value in found and all(map(control.allows, found))


def test_the_grid_goes_over_the_pair_that_is_ordered_or_over_what_was_chosen() -> None:
    params = SGM.params()
    grid = grid_of(params, MultiplesChoice())
    assert (grid.across, grid.down) == ("p1", "p2")
    places = grid.places(params)
    assert len(places) == 25 and (places[1].column, places[1].row) == (1, 0)
    assert places[12].params == params  # the middle is as it is
    excluded = [(place.column, place.row) for place in places if place.params is None]
    assert excluded == [(3, 0), (4, 0), (4, 1)]  # 40 and 80 over 25, 80 over 50
    assert places[3].why == "p1 must not exceed p2"
    chosen = grid_of(params, MultiplesChoice("uniqueness", "uniqueness", 3))
    assert (chosen.across, chosen.down) == ("uniqueness", "p1")
    assert grid_of(CANNY.params(), MultiplesChoice("p1", "sigma")).across == "low"
    with pytest.raises(ValueError, match="two numbers"):
        grid_of(INVERT.params(), MultiplesChoice())


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
    from wheatstone.viewer.panels.multiples.cell_drawing import best_of, caption, is_current
    from wheatstone.viewer.panels.multiples.panel import MultiplesPanel

    words = ("sgm", "--variant", "cpu", "--scene-size", "96x64", "--disparities", "16")
    chosen = ("--set", "multiples.size=3")
    with running_app(*words, *chosen, size=(900, 600)) as app:
        state = app.state
        keys(app, "Shift+F2")
        assert state.racing == "grid"
        finish(app)
        panel = app.layout.body("multiples")
        assert isinstance(panel, MultiplesPanel) and panel.multiples
        found = panel.multiples
        assert state.racing == "" and len(panel.textures) == 9
        assert all(cell.bad is not None and 0 <= cell.bad <= 100 for cell in found.cells)
        best = best_of(found)
        assert best in found.cells and best.bad is not None
        assert caption(found, best, best=True) == f"best {best.bad:.2f} %"
        assert caption(found, best) == f"{best.bad:.2f} %"
        current = [is_current(found, cell, state.slot) for cell in found.cells]
        assert [number for number, is_it in enumerate(current) if is_it] == [4]
        area = app.layout.arrange(900, 600).panels["multiples"]
        click(app, area.x + 100, area.y + 160)  # the first one
        assert state.slot.params == found.cells[0].place.params
        assert state.message == "p1 18, p2 100"
        keys(app, "Ctrl+Z")
        assert state.message == "undone: p1 18 -> 35, p2 100 -> 200"
        settle(app)
        keys(app, "Shift+F2")
        choose(state, "multiples.size", 7)
        keys(app, "Shift+F2")
        keys(app, "Esc")
        app.step()
        panel = app.layout.body("multiples")
        assert state.racing == "" and not state.closing
        assert isinstance(panel, MultiplesPanel) and panel.multiples and not panel.busy
        assert "cancelled" in {cell.why for cell in panel.multiples.cells}


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_captions_are_whole_however_flat_the_panel_is() -> None:
    from tests.laid_out import watched
    from tests.offscreen_app import keys, running_app
    from wheatstone.viewer.cli.script_player import finish

    words = ("sgm", "--variant", "cpu", "--scene-size", "96x64", "--disparities", "16")
    with running_app(*words, "--scale", "1.5", size=(1200, 800)) as app:
        keys(app, "F3", "F10", "Shift+F2")
        finish(app)
        with watched() as found:
            app.step()
        figures = [words for words in found.seen if words.endswith(" %")]
        assert figures and "not allowed" in found.seen
        assert not any("Small multiples" in window for window in found.cut.values())


def test_errors_are_coloured_from_the_smallest_to_the_largest() -> None:
    errors = (2.0, 1.0, None, 3.0)
    assert [badness(error, errors) for error in errors] == [0.5, 0.0, None, 1.0]
    assert badness(2.0, (2.0, None)) is None
