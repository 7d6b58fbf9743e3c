"""A rig is calibrated in the window: views of a board are taken while frames pass."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.board_scenes import made_rig, poses, seen
from tests.offscreen_app import keys, running_app, settle
from tests.patience import wait_until
from wheatstone.viewer.choices.panel_choices import Calibrating
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.cameras.board_corners import Corners
from wheatstone.viewer.io.cameras.board_views import BoardView
from wheatstone.viewer.io.cameras.boards import DICTIONARY, board_of
from wheatstone.viewer.io.cameras.calibrating import Calibrator
from wheatstone.viewer.io.cameras.view_collection import MOST_VIEWS, BoardCollector
from wheatstone.viewer.panels.calibrate import CalibratePanel, LiveCalibration
from wheatstone.viewer.window.app import App

BOARD = board_of("charuco:11x8", 0.03, None, DICTIONARY)
RIG = made_rig()


def view(x: float, size: tuple[int, int] = (1000, 800), count: int = 20) -> BoardView:
    ids = np.arange(count, dtype=np.int64)
    places = np.stack([x + ids % 5 * 30.0, 100 + ids // 5 * 30.0], axis=1).astype(np.float32)
    found = Corners(ids, places)
    return BoardView("a", found, found, size)


def test_views_are_taken_once_held_still_and_only_new_ones() -> None:
    collector = BoardCollector(Calibrator(BOARD), moves=True)
    said = []
    for x in (100.0, 100.5, 101.0, 160.0, 160.0, 115.0, 115.0):
        collector.consider(view(x))
        said.append(collector.said)
    assert said[0] == "hold the board still" and said[1].startswith("view 1 taken")
    assert said[2].startswith("as in a view taken before") and said[3] == "hold the board still"
    assert said[4].startswith("view 2 taken") and said[6].startswith("as in a view")
    assert collector.count == 2 and collector.coverage()[0].covered > 0


def test_what_does_not_serve_is_said() -> None:
    collector = BoardCollector(Calibrator(BOARD), moves=False)
    assert not collector.consider(view(100, count=4)) and "are needed" in collector.said
    assert collector.consider(view(100))
    assert not collector.consider(view(200, size=(500, 400))) and "another size" in collector.said
    collector.calibrator.views *= MOST_VIEWS
    assert not collector.consider(view(300)) and "enough" in collector.said


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boards")
    for number, pose in enumerate(poses(9)):
        for side, pixels in zip(("left", "right"), seen(RIG, BOARD, pose), strict=True):
            cv2.imwrite(str(folder / f"{side}{number}.png"), pixels)
    return folder


@pytest.fixture
def app(
    offscreen: OffscreenContext, boards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    words = ("mean", str(boards), "--variant", "cpu", "--view", "left", "--fresh")
    with running_app(*words, size=(900, 700)) as running:
        running.state.open_panels = {"calibrate"}
        settle(running)
        yield running


def marks_of(app: App, running: LiveCalibration) -> int:
    """Count the pixels that change in the picture when the corners are no longer known."""
    app.step()
    (left, top), window = (app.layout.area.x, app.layout.area.y), app.window
    area = np.s_[top : top + app.layout.area.height, left : left + app.layout.area.width]
    before, running.view = window.read()[area], None  # type: ignore[attr-defined]
    app.step()
    after = window.read()[area]  # type: ignore[attr-defined]
    return int((before != after).any(axis=2).sum())


@pytest.mark.opengl
def test_a_rig_is_calibrated_and_used(app: App, tmp_path: Path) -> None:
    body = app.layout.body("calibrate")
    assert isinstance(body, CalibratePanel)
    app.state.calibrating = Calibrating("charuco:11x8", "30mm")
    body.begin(app.layout)
    assert body.running and not body.error
    running = body.running
    for _ in range(9):
        wait_until(lambda: not running.looking and running.collector.said, app.step)
        running.collector.said = ""
        keys(app, ".")
        settle(app)
    assert body.running.collector.count >= 7
    assert running.view and marks_of(app, running) > 200
    body.running.calibrate(tmp_path / "rig.toml")
    wait_until(lambda: not body.busy, app.step)
    app.step()
    found = body.running.found
    assert found and not body.running.error
    truth = float(np.linalg.norm(RIG.translation))
    assert float(np.linalg.norm(found.rig.translation)) == pytest.approx(truth, rel=2e-3)
    assert app.window.read().std() > 1  # type: ignore[attr-defined]
    app.state.effects.append(("calibrate by", str(tmp_path / "rig.toml")))
    app.step()
    settle(app)
    assert app.session.source.rectification and app.state.message == "calibrated by rig.toml"


@pytest.mark.opengl
def test_a_board_that_is_none_is_said(app: App) -> None:
    body = app.layout.body("calibrate")
    assert isinstance(body, CalibratePanel)
    app.state.calibrating = Calibrating("charuco", "30mm")
    body.begin(app.layout)
    app.step()
    assert "charuco:11x8" in body.error and not body.running
