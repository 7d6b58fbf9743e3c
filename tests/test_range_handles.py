"""Ranges of values: fitted to depths in a window, dragged and fitted at the ends of colour bars."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.offscreen_app import do, running_app, settle
from tests.turned_pairs import UNTURNED, turned_pair
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.picture.colorbar import (
    Colorbar,
    bar_boxes,
    colorbar_strip,
    placed_bars,
)
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.histogram.counts import fitted_depths
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.theme import USUAL
from wheatstone.viewer.window.app import App

WORDS = ("--disparities", "16", "--variant", "cpu", "--paths", "4")
BAR = Colorbar("depth", "m", 1.0, 9.0, 1.0, "turbo", has_invalid=True, image="sgm.depth")


@pytest.fixture
def level(tmp_path: Path) -> tuple[str, str]:
    return turned_pair(right=UNTURNED).save(tmp_path)


@pytest.mark.parametrize("width", [120, 480, 1280])
def test_the_boxes_of_bars_hold_their_colours(width: int) -> None:
    bars = (BAR, replace(BAR, title="disparity"))
    strip = colorbar_strip(bars, width, USUAL)
    for bar, (left, top, right, bottom) in zip(bars, bar_boxes(bars, width), strict=True):
        assert np.array_equal(strip[(top + bottom) // 2, left:right], bar.colors(right - left))
    ((_, first), (_, second)) = placed_bars(bars, (), width, 1000)
    assert first[1] == 1000 - len(strip) + bar_boxes(bars, width)[0][1] and second[1] > first[3]
    assert placed_bars(bars, (), width, len(strip)) == []  # where the footer leaves them out


def test_depths_are_fitted_from_the_second_to_the_98th_percentile() -> None:
    depths = np.linspace(1, 101, 100_001, dtype=np.float32)
    bounds = fitted_depths(np.append(depths, [np.nan, np.inf, 0, -3]), None)
    assert bounds == pytest.approx((3, 99), abs=0.01)
    assert fitted_depths(np.array([np.nan, np.inf]), None) is None
    assert fitted_depths(np.array([2.0, 2.0]), None) == (2, 4)


def mouse(app: App, kind: str, x: float, y: float) -> None:
    do(app, Event(kind, x=x, y=y))  # type: ignore[arg-type]


def only_bar(app: App) -> tuple[Colorbar, tuple[int, int, int, int]]:
    """The colour bar, and its box in the window."""
    ((bar, box),) = app.session.display.bars
    dx, dy = app.layout.area.x, app.layout.area.y
    return bar, (box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy)


@pytest.mark.opengl
def test_ends_of_a_bar_are_dragged_and_a_double_click_fits(
    offscreen: OffscreenContext, level: tuple[str, str]
) -> None:
    with running_app("sgm", *level, *WORDS, "--view", "disparity", size=(800, 600)) as app:
        bar, (left, top, right, bottom) = only_bar(app)
        middle, width = (top + bottom) / 2, right - left
        center = app.state.center
        mouse(app, "move", right, middle)
        mouse(app, "press", right, middle)
        mouse(app, "move", right - width / 4, middle)
        mouse(app, "release", right - width / 4, middle)
        low, high = app.state.look.ranges["sgm.disparity"]
        assert low == bar.low and high == pytest.approx(bar.low + 0.75 * bar.span, rel=0.02)
        mouse(app, "press", left, middle)
        mouse(app, "move", left + 2 * width, middle)  # beyond the other end
        mouse(app, "release", left + 2 * width, middle)
        low, same = app.state.look.ranges["sgm.disparity"]
        assert same == high and bar.low < low < high
        assert app.state.center == center  # the picture did not move
        for kind in ("press", "release", "press", "release"):
            mouse(app, kind, left + width / 2, middle)
        settle(app)
        assert app.state.look.ranges["sgm.disparity"][0] < low


@pytest.mark.opengl
def test_depths_are_fitted_once_in_a_window_until_a_range_is_chosen(
    offscreen: OffscreenContext, level: tuple[str, str], tmp_path: Path
) -> None:
    words = ("sgm", *level, *WORDS, "--view", "depth")
    with running_app(*words, size=(800, 600)) as app:
        assert app.state.look.fitted is None
        app.fits_depths = True
        do(app)
        settle(app)
        fitted = app.state.look.fitted
        assert fitted and only_bar(app)[0].low == pytest.approx(fitted[0])
        values = app.session.values("depth")
        known = values[np.isfinite(values) & (values > 0)]
        assert fitted == pytest.approx(tuple(np.percentile(known, (2, 98))), rel=1e-3)
        _, (left, top, right, _) = only_bar(app)
        mouse(app, "press", right, top)
        mouse(app, "move", right - (right - left) / 2, top)
        mouse(app, "release", right - (right - left) / 2, top)
        assert app.state.look.near == pytest.approx(fitted[0]) and app.state.look.far < fitted[1]
        do(app)
        assert app.state.look.fitted == fitted
        app.open_source(app.session.source, keep_look=True)
        assert app.state.look.fitted is None


@pytest.mark.opengl
def test_render_keeps_the_declared_range(
    offscreen: OffscreenContext, level: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "depth.png"
    assert main(["render", "sgm", *level, *WORDS, "--view", "depth", "--out", str(path)]) == 0
    recipe = read_recipe(path)
    assert recipe and "fitted" not in recipe.get("chosen", {}).get("look", {})
    offscreen.make_current()
