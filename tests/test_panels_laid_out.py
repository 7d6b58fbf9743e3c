"""No words of panels are cut off, no window lies over another, on screens of many kinds."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest

from tests.laid_out import LaidOut, watched, windows
from tests.offscreen_app import keys, running_app, settle
from wheatstone.gpu.analysis.kernel_facts import Resources
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.workspaces import FIRST, WORKSPACES, declared
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels import PANELS, panel
from wheatstone.viewer.panels.kernels.kernel_card import cells
from wheatstone.viewer.panels.kernels.kernel_parts import CodePart
from wheatstone.viewer.panels.popups import WINDOW as EQUALITY
from wheatstone.viewer.window.app import App

SCREENS = {
    "small": ((1280, 800), 1.0),
    "dense": ((2560, 1440), 2.0),
    "large text": ((1280, 800), 2.0),
    "phone": ((390, 844), 1.0),
}
GROUPS = (
    {"parameters", "stages", "inspector", "histogram", "timeline"},
    {"plot", "messages", "parameters"},
    {"race", "costs", "truth", "camera"},
    {"parameters", "kernels", "measure", "calibrate"},
    {"lesson", "costs", "kernels"},
    {panel.name for panel in PANELS},
)
"""Panels that are open together; each is open once at least."""
SCENE = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


@pytest.fixture(scope="module", params=SCREENS)
def app(request: pytest.FixtureRequest, offscreen: OffscreenContext) -> Iterator[App]:
    """The program on a screen, with two slots, a pinned pixel and two kernels to read."""
    size, scale = SCREENS[request.param]
    with running_app(*SCENE, "--compare", "wipe", size=size, scale=scale) as running:
        choose(running.state, "look.pin", (30, 40))
        choose(running.state, "kernel_card.left", "fast")
        choose(running.state, "kernel_card.right", "shared")
        with unpainted(running):
            yield running


@contextmanager
def unpainted(app: App) -> Iterator[None]:
    """Let panels be laid out and never painted, which a CPU takes most of the time for."""
    with patch.object(app.overlay, "_renderer"), patch.object(app.session.display, "blit"):
        yield


def laid_out(app: App) -> LaidOut:
    settle(app)
    app.step()
    with watched() as drawn:
        app.step()
        app.step()
    return drawn


def laid_out_each(app: App, names: Iterable[str]) -> Iterator[LaidOut]:
    """Lay out panels that are open; where one is seen at a time, each of them in front."""
    sheets = [name for name in names if panel(name).place != "foot"]
    for name in sheets if app.layout.arrange(*app.window.size).tabs else sheets[:1]:
        app.state.front = name
        yield laid_out(app)


def overlaps(one: object, other: object) -> bool:
    """Whether two windows share a pixel."""
    sides = (("x", "x"), ("y", "y"))
    return all(
        getattr(one.pos, x) < getattr(other.pos, x) + getattr(other.size, x)  # type: ignore[attr-defined]
        and getattr(other.pos, x) < getattr(one.pos, x) + getattr(one.size, x)  # type: ignore[attr-defined]
        for x, _ in sides
    )


@pytest.mark.opengl
def test_every_panel_is_open_once() -> None:
    assert set().union(*GROUPS) == {panel.name for panel in PANELS}


@pytest.mark.opengl
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: "-".join(sorted(group))[:40])
def test_no_words_of_panels_are_cut_and_no_panel_lies_over_anything(
    app: App, group: set[str]
) -> None:
    app.state.open_panels = set(group)
    seen = set[str]()
    for drawn in laid_out_each(app, sorted(group)):
        assert not drawn.cut
        seen |= check_windows(app)
    assert seen == group


def check_windows(app: App) -> set[str]:
    """Check that no window of a panel lies over anything; return the names of the panels."""
    shown = windows()
    whole = {n: w for n, w in shown.items() if ("###" in n and "/" not in n) or n == "status"}
    names, area = sorted(whole), app.layout.area
    for place, name in enumerate(names):
        window = whole[name]
        right, bottom = window.pos.x + window.size.x, window.pos.y + window.size.y
        assert 0 <= window.pos.x and right <= app.window.size[0], name
        assert 0 <= window.pos.y and bottom <= app.window.size[1], name
        assert not any(overlaps(window, whole[other]) for other in names[place + 1 :]), name
        neighbours = right <= area.x or window.pos.x >= area.x + area.width
        assert neighbours or bottom <= area.y or window.pos.y >= area.y + area.height, name
        inside = window.inner_rect.max.x - window.inner_rect.min.x
        assert window.content_size.x <= inside, name
        if not window.scrollbar_y:
            assert window.content_size.y <= window.size.y
    return {name.partition("###")[2] for name in names if name != "status"}


@pytest.mark.opengl
@pytest.mark.parametrize("name", [workspace.name for workspace in WORKSPACES])
def test_no_words_are_cut_in_any_workspace(app: App, name: str) -> None:
    app.state.bars = True
    app.state.show_workspace(name)
    app.state.reset_workspace()  # other tests close panels
    shown = set[str]()
    for drawn in laid_out_each(app, declared(name).panels):
        assert not drawn.cut and drawn.seen
        shown |= {window.partition("###")[2] for window in windows() if "/" not in window}
    assert set(declared(name).panels) <= shown
    app.state.show_workspace(FIRST)
    app.state.bars = False


@pytest.mark.opengl
def test_what_a_gpu_says_of_kernels_is_not_cut(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    most = Resources(255, 101376, 65536, 65536, 1024, warps=64, most_warps=64)

    def cells_of_a_gpu(part: CodePart) -> tuple[str, ...]:
        assert part.facts
        return cells(replace(part, facts=replace(part.facts, resources=most)))

    monkeypatch.setattr("wheatstone.viewer.panels.kernels.panel.cells", cells_of_a_gpu)
    for group in ({"kernels"}, {"parameters", "kernels", "measure"}):
        app.state.open_panels = group
        assert not laid_out(app).cut


@pytest.mark.opengl
def test_no_words_of_a_long_step_are_cut(app: App) -> None:
    app.state.open_panels = {"history"}
    keys(app, "Y")
    drawn = laid_out(app)
    assert any("error map" in text for text in drawn.seen) and not drawn.cut
    keys(app, "Ctrl+Z")


@pytest.mark.opengl
def test_all_columns_of_pinned_pixels_can_be_reached(app: App) -> None:
    app.state.open_panels = {"inspector"}
    choose(app.state, "look.pins", ((30, 40), (31, 41)))
    laid_out(app)
    table = next(w for n, w in windows().items() if "/pinned" in n)
    inside = table.inner_rect.max.x - table.inner_rect.min.x
    assert table.content_size.x <= inside or table.scrollbar_x
    choose(app.state, "look.pins", ())


@pytest.mark.opengl
@pytest.mark.parametrize("key", ["H", "Ctrl+Shift+P"])
def test_no_words_of_what_lies_over_all_are_cut(app: App, key: str) -> None:
    app.state.open_panels = {"parameters"}
    keys(app, key)
    drawn = laid_out(app)
    assert not drawn.cut
    over = [w for n, w in windows().items() if n in ("help", "palette")]
    assert len(over) == 1
    status = windows()["status"]
    assert not overlaps(over[0], status)
    assert over[0].scrollbar_y or over[0].content_size.y <= over[0].size.y
    keys(app, "H" if key == "H" else "Esc")


@pytest.mark.opengl
def test_the_help_leaves_nothing_of_the_panels_beside_it(app: App) -> None:
    app.state.open_panels = {panel.name for panel in PANELS}
    keys(app, "H")
    result = windows()["help"]
    assert (result.pos.x, result.pos.y, result.size.x) == (0, 0, app.window.size[0])
    assert result.size.y == windows()["status"].pos.y
    keys(app, "H")


@pytest.mark.opengl
def test_the_list_of_equal_stages_lies_beside_the_picture(app: App) -> None:
    app.state.open_panels = {"histogram"}
    app.state.stages = True
    drawn = laid_out(app)
    listed, area = windows()[EQUALITY], app.layout.area
    assert "disparity" in drawn.seen and not drawn.cut
    assert listed.pos.x >= area.x + area.width or listed.pos.y >= area.y + area.height
    others = [w for n, w in windows().items() if "###" in n and "/" not in n and n != EQUALITY]
    assert others and not any(overlaps(listed, other) for other in others)
    app.state.stages = False
