"""Workspaces: panels that belong to a task, their places, and how the mouse moves them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.offscreen_app import click, do, running_app, settle
from tests.test_panels_laid_out import unpainted
from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.comparison import compare
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.workspaces import (
    FIRST,
    MOST_NAMED,
    WORKSPACES,
    PanelArrangement,
    PanelPlace,
    declared,
)
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels import PANELS, panel
from wheatstone.viewer.panels.panel import NARROW_FOOT_HEIGHT, SHEET_SHARE, arrange, placed
from wheatstone.viewer.settings import recipe as recipes
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.window.app import App

SCENE = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


def state_of() -> ViewerState:
    return ViewerState(default_slot("sgm", {"cpu": "", "cuda": ""}), {"cpu": "", "cuda": ""})


def restored(state: ViewerState) -> ViewerState:
    """What the next start makes of the settings that this state leaves."""
    text = recipes.dumps(recipes.document(state))
    other = state_of()
    recipes.restore(other, recipes.loads(text))
    return other


def test_workspaces_name_panels_that_exist_and_use_their_places() -> None:
    known = {panel.name for panel in PANELS}
    for workspace in WORKSPACES:
        arrangement = workspace.arrangement
        assert set(arrangement.panels) <= known and set(arrangement.places) <= {*arrangement.panels}
        assert workspace.help
    assert len({w.name for w in WORKSPACES}) == len(WORKSPACES)


def test_a_workspace_is_found_as_it_was_left() -> None:
    state = state_of()
    state.show_workspace("Tune")
    assert state.open_panels == set(declared("Tune").panels)
    state.open_panels -= {"truth"}
    state.workspaces = state.workspaces.sized("left", 420.0)
    state.show_workspace("Explain")
    assert state.open_panels == set(declared("Explain").panels)
    assert state.workspaces.sizes == declared("Explain").sizes
    state.show_workspace("Tune")
    assert state.open_panels == {"parameters", "parameter_grid"}
    assert state.workspaces.sizes["left"] == 420
    state.reset_workspace()
    assert state.open_panels == set(declared("Tune").panels)
    assert "left" not in state.workspaces.sizes


def test_workspace_compare_shows_a_beside_b_with_the_settings_of_b() -> None:
    state = state_of()
    state.show_workspace("Compare")
    assert state.mixing.mode == "side-by-side" and state.slot_b.pipeline is state.slot.pipeline
    assert "parameters" in state.open_panels
    assert not state.linked and tuning.likeness(state, state.slot_b) == tuning.Likeness("fast", ())
    a = state.slot
    tuning.set_preset(state, "driving")
    assert tuning.tunes_b(state) and state.slot == a and state.slot_b.params != a.params
    state.show_workspace("Look")
    assert state.mixing.mode == "off" and not tuning.tunes_b(state)
    state.mix(mode="wipe")
    for name in ("Compare", "Look"):
        state.show_workspace(name)
        assert state.mixing.mode == "wipe"


@pytest.mark.parametrize("pipeline", ["sgm", "canny", "ncc", "mean", "invert"])
def test_a_comparison_begins_with_a_preset_a_copy_or_a_variant(pipeline: str) -> None:
    state = state_of()
    state.choose_pipeline(pipeline)
    state.show_workspace("Compare")
    a, b = state.slot, state.slot_b
    assert b.pipeline is a.pipeline and (b == a) == (pipeline in ("canny", "ncc", "mean"))
    assert (b.variant != a.variant) == (pipeline == "invert")


def test_workspace_compare_compares_a_fast_a_with_another_preset() -> None:
    state = state_of()
    tuning.set_preset(state, "fast")
    state.show_workspace("Compare")
    assert tuning.likeness(state, state.slot_b).preset == "balanced"


@pytest.mark.opengl
def test_the_ground_truth_is_of_disparities_only(offscreen: OffscreenContext) -> None:
    with running_app("canny", *SCENE[1:3], *SCENE[5:], size=(1280, 800)) as app:
        app.state.show_workspace("Compare")
        settle(app)
        assert [seen.name for seen in app.layout.open] == ["parameters", "race"]
        assert app.layout.area.width == 1280 - 340
        app.state.choose_pipeline("sgm")
        settle(app)
        assert "truth" in [seen.name for seen in app.layout.open]


def test_the_timeline_stays_and_the_start_page_closes() -> None:
    state = state_of()
    state.open_panels = {"timeline", "start"}
    state.show_workspace("Compare")
    assert state.open_panels == {"timeline", *declared("Compare").panels}
    state.show_workspace(FIRST)
    assert state.open_panels == {"timeline"}


def test_an_arrangement_is_named_kept_and_deleted() -> None:
    state = state_of()
    state.show_workspace("Look")
    state.open_panels = {"inspector"}
    state.workspaces = state.workspaces.moved("inspector", PanelPlace("left"))
    state.name_workspace("Mine")
    state.show_workspace("Look")
    assert "inspector" not in state.open_panels
    state = restored(state)
    assert state.workspaces.names[-1] == "Mine"
    state.show_workspace("Mine")
    assert placed(panel("inspector"), state.workspaces).place == "left"
    state.delete_workspace("Mine")
    assert (state.workspaces.name, state.workspaces.own) == (FIRST, ())
    assert not state.message.startswith("Mine is")


@pytest.mark.parametrize("name", ["look", "", " ", "x" * 25, "a\nb"])
def test_a_workspace_cannot_have_every_name(name: str) -> None:
    state = state_of()
    state.name_workspace(name)
    assert state.workspaces.own == () and state.message


def test_only_so_many_arrangements_are_named() -> None:
    state = state_of()
    for number in range(MOST_NAMED + 1):
        state.name_workspace(f"mine {number}")
    assert len(state.workspaces.own) == MOST_NAMED and "delete one" in state.message


def test_settings_hold_the_workspace_with_places_and_sizes() -> None:
    state = state_of()
    state.show_workspace("Explain")
    state.open_panels = {"costs", "inspector"}
    place = PanelPlace("float", 1.5, (0.1, 0.2, 0.3, 0.4))
    state.workspaces = state.workspaces.moved("costs", place).sized("right", 500.0)
    again = restored(state)
    assert again.open_panels == {"costs", "inspector"}
    assert again.workspaces.name == "Explain"
    first = declared("Explain")
    assert dict(again.workspaces.places) == {**first.places, "costs": place}
    assert dict(again.workspaces.sizes) == {**first.sizes, "right": 500.0}


def test_settings_of_earlier_versions_say_nothing_of_workspaces() -> None:
    state = state_of()
    state.open_panels = {"histogram"}
    document = recipes.document(state)
    assert document["window"] == {"seen": True, "panels": ["histogram"]}
    again = restored(state)
    assert again.open_panels == {"histogram"} and again.workspaces.name == FIRST


@pytest.mark.parametrize(
    "wrong",
    [
        {"places": {"costs": {"place": "roof"}}},
        {"places": {"costs": {"place": "left", "share": 0.0}}},
        {"places": {"costs": {"place": "float", "box": [0.0, 0.0, 2.0, 1.0]}}},
        {"sizes": {"left": -1.0}},
    ],
)
def test_settings_with_impossible_arrangements_are_refused(wrong: dict[str, object]) -> None:
    document = recipes.document(state_of())
    document["window"]["arrangements"] = {"Look": wrong}
    with pytest.raises(ValueError, match="window"):
        recipes.restore(state_of(), document)


def test_sides_have_the_sizes_that_the_user_chose_and_the_picture_keeps_room() -> None:
    panels = [panel("parameters"), panel("inspector"), panel("costs")]
    usual = arrange(panels, 1280, 700, 1.0)
    wider = arrange(panels, 1280, 700, 1.0, {"left": 500, "below": 300})
    assert usual.panels["parameters"].width == 340 and wider.panels["parameters"].width == 500
    assert wider.panels["costs"].height == 300
    huge = arrange(panels, 1280, 700, 1.0, {"left": 5000, "right": 5000, "below": 5000})
    assert huge.picture.width >= 0.2 * 1280 and huge.picture.height >= 0.3 * 700


@pytest.mark.parametrize("count", range(1, len(PANELS) + 1))
def test_an_upright_narrow_window_keeps_half_its_height_for_the_picture(count: int) -> None:
    places = arrange(PANELS[:count], 390, 800, 1.0)
    assert places.picture.width == 390
    assert places.picture.height >= round(800 * (1 - SHEET_SHARE))
    for area in places.panels.values():
        assert area.y >= places.picture.height and area.y + area.height <= 800
    shown = [name for name in places.panels if panel(name).place != "foot"]
    assert len(shown) == 1
    feet = [area.height for name, area in places.panels.items() if panel(name).place == "foot"]
    assert all(height >= min(NARROW_FOOT_HEIGHT, 400 // (len(feet) + 1)) for height in feet)
    front = arrange(PANELS[:count], 390, 800, 1.0, fronts=("", PANELS[0].name))
    assert PANELS[0].name in front.panels


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*SCENE, size=(1280, 800)) as program, unpainted(program):
        program.state.bars = True
        do(program)
        yield program


@pytest.fixture
def arranged(app: App) -> App:
    """The program with a panel on the left and two on the right."""
    app.state.workspaces = app.state.workspaces.arranged(FIRST, PanelArrangement(), set())[0]
    app.state.open_panels = {"parameters", "inspector", "truth"}
    settle(app)
    do(app)
    return app


def drag(app: App, begin: tuple[float, float], end: tuple[float, float]) -> None:
    do(app, Event("move", x=begin[0], y=begin[1]))
    do(app, Event("press", x=begin[0], y=begin[1]))
    for part in (0.3, 0.7, 1.0):
        x, y = (a + (b - a) * part for a, b in zip(begin, end, strict=True))
        do(app, Event("move", x=x, y=y))
    do(app, Event("release", x=end[0], y=end[1]))
    do(app)


def area_of(app: App, name: str) -> tuple[int, int, int, int]:
    area = app.layout.arrange(*app.window.size).panels[name]
    return area.x, area.y, area.width, area.height


@pytest.mark.opengl
@pytest.mark.parametrize(
    ("end", "place"),
    [((1270, 400), "right"), ((640, 770), "below"), ((640, 300), "float"), ((1200, 600), "right")],
)
def test_a_panel_is_dragged_by_its_title(
    arranged: App, end: tuple[float, float], place: str
) -> None:
    x, y, *_ = area_of(arranged, "parameters")
    drag(arranged, (x + 40, y + 10), end)
    assert arranged.state.workspaces.places["parameters"].place == place
    assert "parameters" in arranged.state.open_panels


@pytest.mark.opengl
def test_a_click_on_a_title_moves_nothing(arranged: App) -> None:
    x, y, *_ = area_of(arranged, "parameters")
    click(arranged, x + 40, y + 10)
    drag(arranged, (x + 40, y + 10), (x + 43, y + 12))
    assert not arranged.state.workspaces.places


@pytest.mark.opengl
def test_a_floating_panel_is_moved_and_docked_again(arranged: App) -> None:
    x, y, *_ = area_of(arranged, "parameters")
    drag(arranged, (x + 40, y + 10), (600, 300))
    x, y, *_ = area_of(arranged, "parameters")
    drag(arranged, (x + 40, y + 10), (500, 400))
    assert area_of(arranged, "parameters")[:2] == (460, 390)
    drag(arranged, (500, 400), (5, 400))
    assert arranged.state.workspaces.places["parameters"].place == "left"


@pytest.mark.opengl
def test_a_panel_that_is_closed_while_it_is_dragged_is_no_longer_dragged(arranged: App) -> None:
    x, y, *_ = area_of(arranged, "parameters")
    do(arranged, Event("move", x=x + 40, y=y + 10))
    do(arranged, Event("press", x=x + 40, y=y + 10))
    do(arranged, Event("move", x=600, y=300))
    arranged.state.open_panels -= {"parameters"}
    do(arranged, Event("move", x=640, y=300))
    do(arranged, Event("release", x=640, y=300))
    assert not arranged.state.workspaces.places


@pytest.mark.opengl
def test_borders_are_dragged_to_resize_panels(arranged: App) -> None:
    x, y, width, height = area_of(arranged, "parameters")
    drag(arranged, (x + width, y + 100), (x + width + 80, y + 100))
    assert area_of(arranged, "parameters")[2] == width + 80
    _, y, _, height = area_of(arranged, "inspector")
    drag(arranged, (1200, y + height), (1200, y + height + 60))
    assert abs(area_of(arranged, "inspector")[3] - height - 60) <= 2
    x, *_ = area_of(arranged, "truth")
    drag(arranged, (x, 700), (x - 50, 700))
    assert area_of(arranged, "truth")[0] == x - 50
    assert arranged.state.zoom == 1.0


@pytest.mark.opengl
def test_a_tab_shows_its_workspace(app: App) -> None:
    app.state.workspaces = app.state.workspaces.arranged(FIRST, PanelArrangement(), set())[0]
    do(app)
    for x in (985, 1045, 915):  # Compare, Tune, Look
        click(app, x, 12)
        settle(app)
        names = {985: "Compare", 1045: "Tune", 915: "Look"}
        assert app.state.workspaces.name == names[x]
        if x != 915:
            assert app.state.open_panels == set(declared(names[x]).panels)


@pytest.mark.opengl
def test_a_click_on_a_label_above_the_picture_opens_the_parameters_of_its_slot(app: App) -> None:
    compare(app.state, "side-by-side")
    settle(app)
    assert app.state.tuned == "b"
    for slot, share in (("a", 0.1), ("b", 0.6)):
        app.state.open_panels.clear()
        settle(app)
        do(app)
        area = app.layout.area
        click(
            app, area.x + share * area.width, area.y + app.session.display.drawn.arrangement.top / 2
        )
        assert app.state.tuned == slot and app.state.open_panels == {"parameters"}


def test_a_document_of_settings_can_be_written(tmp_path: Path) -> None:
    state = state_of()
    state.show_workspace("Teach")
    state.name_workspace("Course")
    path = tmp_path / "settings.toml"
    path.write_text(recipes.dumps(recipes.document(state)), encoding="utf-8")
    again = state_of()
    user_settings.restore_from(path, again, user_settings.read(path))
    assert again.workspaces.name == "Course" and "kernels" in again.open_panels
