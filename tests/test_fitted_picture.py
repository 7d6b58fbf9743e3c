"""A picture that the user neither zoomed nor moved is fitted, and saved whole."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.offscreen_app import click, do, keys, running_app, settle
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.choices.state import FITTED
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.settings.recipe import document
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl

WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


def fitted(app: App) -> bool:
    """Whether the whole image is shown, and the status line says so."""
    settle(app)
    place = app.state.zoom, app.state.center
    status = app.layout.status
    assert status and ("fitted" in status.cells) == (place == FITTED)
    return place == FITTED


def pair_in(folder: Path) -> str:
    """Write a pair, and return its left view."""
    noise = np.random.default_rng(1).integers(0, 256, (60, 84), np.uint8)
    for side in ("left", "right"):
        Image.fromarray(noise).save(folder / f"{side}.png")
    return str(folder / "left.png")


def test_a_source_opened_from_the_start_page_is_fitted(
    offscreen: OffscreenContext, tmp_path: Path
) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        app.state.bars = True
        app.state.open_panels.add(START)
        settle(app)
        do(app, Event("move", x=700, y=400))
        app.state.request("open", pair_in(tmp_path))
        assert fitted(app) and START not in app.state.open_panels
        shown = app.layout.findings.shown
        for finding in shown:  # whose lines go, and the picture's area grows
            app.state.request("dismiss", finding.name)
        assert fitted(app) and shown and not app.layout.findings.shown


@pytest.mark.parametrize("change", ["workspace", "size", "panes"])
def test_a_held_picture_is_fitted_by_whatever_is_no_panel(
    offscreen: OffscreenContext, change: str
) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        do(app, Event("move", x=500, y=300))
        keys(app, "I")
        assert not fitted(app)
        if change == "workspace":
            app.state.show_workspace("Tune")
        elif change == "size":
            app.window.resize(1200, 700)  # type: ignore[attr-defined]
        else:
            app.state.mix(mode="side-by-side")
        assert fitted(app)


def test_a_zoom_of_the_user_stays(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        do(app, Event("scroll", x=500, y=300, dy=4))
        zoom = app.state.zoom
        app.window.resize(1200, 700)  # type: ignore[attr-defined]
        settle(app)
        assert app.state.zoom == zoom > 1


def test_a_held_picture_is_saved_whole(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with running_app(*WORDS, size=(1280, 800)) as app:
        do(app, Event("move", x=500, y=300))
        keys(app, "I")
        assert not fitted(app)
        view = document(app.state)["view"]
        assert (view["zoom"], tuple(view["center"])) == FITTED
        app.state.request("copy picture")
        settle(app)
        copied = app.window.copied_picture  # type: ignore[attr-defined]
        assert copied is not None and fitted(app)
        assert np.array_equal(copied, app.session.display.read())


def test_a_recording_has_no_empty_margins(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("av")
    monkeypatch.chdir(tmp_path)
    with running_app(*WORDS, size=(1280, 400)) as app:
        before = app.layout.area
        app.state.request("record")
        settle(app)
        arrangement = app.session.display.drawn.arrangement
        assert app.layout.area.width < before.width and max(arrangement.margins) <= 1
        click(app, 30, 400 - 16)  # the red dot in the status line
        settle(app)
        assert not app.session.recordings.path and app.layout.area == before


def test_a_new_finding_moves_no_panel_under_the_mouse(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        app.state.bars = True
        app.state.show_panel("parameters")
        settle(app)
        count = len(app.layout.findings.shown)
        do(app, Event("move", x=100, y=300))
        app.session.source.notes = (*app.session.source.notes, Finding("same views"))
        app.step()
        assert len(app.layout.findings.shown) == count
        do(app, Event("move", x=800, y=300))
        app.step()
        assert len(app.layout.findings.shown) == count + 1
