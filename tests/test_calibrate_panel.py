"""A rig is calibrated in the window: views of a board are taken while frames pass."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.board_scenes import made_rig, poses, seen
from tests.laid_out import watched
from tests.offscreen_app import keys, running_app, settle, text
from tests.patience import wait_until
from wheatstone.viewer.choices.panel_choices import Calibrating
from wheatstone.viewer.display.frames.worker import Worker
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.cameras.board_corners import Corners
from wheatstone.viewer.io.cameras.board_views import BoardView
from wheatstone.viewer.io.cameras.boards import DICTIONARY, board_of
from wheatstone.viewer.io.cameras.calibrating import Calibrator
from wheatstone.viewer.io.cameras.view_collection import MOST_VIEWS, BoardCollector
from wheatstone.viewer.panels.calibrate import CalibratePanel
from wheatstone.viewer.panels.live_calibration import LiveCalibration
from wheatstone.viewer.window.app import App

BOARD = board_of("charuco:11x8", 0.03, None, DICTIONARY)
RIG = made_rig()


def view(x: float, size: tuple[int, int] = (1000, 800), count: int = 20) -> BoardView:
    ids = np.arange(count, dtype=np.int64)
    places = np.stack([x + ids % 5 * 30.0, 100 + ids // 5 * 30.0], axis=1).astype(np.float32)
    corners = Corners(ids, places)
    return BoardView("a", corners, corners, size)


def test_views_are_taken_once_held_still_and_only_new_ones() -> None:
    collector = BoardCollector(Calibrator(BOARD), moves=True)
    texts = []
    for x in (100.0, 100.5, 101.0, 160.0, 160.0, 115.0, 115.0):
        collector.consider(view(x))
        texts.append(collector.outcome)
    assert texts[0] == "hold the board still" and texts[1].startswith("view 1 taken")
    assert texts[2].startswith("as in a view taken before") and texts[3] == "hold the board still"
    assert texts[4].startswith("view 2 taken") and texts[6].startswith("as in a view")
    assert collector.count == 2 and collector.coverage()[0].covered > 0


def test_what_does_not_serve_is_named() -> None:
    collector = BoardCollector(Calibrator(BOARD), moves=False)
    assert not collector.consider(view(100, count=4)) and "are needed" in collector.outcome
    assert collector.consider(view(100))
    assert (
        not collector.consider(view(200, size=(500, 400))) and "another size" in collector.outcome
    )
    assert not collector.consider(view(101)) and "move" not in collector.outcome
    collector.calibrator.views *= MOST_VIEWS
    assert not collector.consider(view(300)) and "enough" in collector.outcome


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
    running.views.clear()
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

    def step() -> None:
        app.step()
        shown = app.session.frame_shown
        assert shown and running.view is running.views.get(shown.index)  # not of the one before

    wait_until(lambda: len(running.considered) == 9, step)  # it plays until all are searched
    app.state.paused = True
    settle(app)
    wait_until(lambda: running.view, app.step)
    assert body.running.collector.count >= 7
    assert running.taken == f"{running.collector.count} of 9 views taken"
    assert running.view and marks_of(app, running) > 200
    body.running.calibrate(tmp_path / "rig.toml")
    wait_until(lambda: not body.busy, app.step)
    app.step()
    result = body.running.result
    assert result and not body.running.error
    truth = float(np.linalg.norm(RIG.translation))
    assert float(np.linalg.norm(result.rig.translation)) == pytest.approx(truth, rel=2e-3)
    assert app.window.read().std() > 1  # type: ignore[attr-defined]
    with watched() as drawn:
        app.step()
    assert any(str(tmp_path / "rig.toml") in text for text in drawn.seen)
    app.state.effects.append(("calibrate by", str(tmp_path / "rig.toml")))
    app.step()
    settle(app)
    with watched() as drawn:
        app.step()
    assert any(text.startswith("In use") for text in drawn.seen)
    assert app.session.source.rectification and app.state.message == "calibrated by rig.toml"


@pytest.fixture(scope="module")
def chessboards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures of a board that is not the one searched first."""
    folder, board = tmp_path_factory.mktemp("chess"), board_of("chess:9x6", 0.03, None, DICTIONARY)
    for number, pose in enumerate(poses(6)):
        for side, pixels in zip(("left", "right"), seen(RIG, board, pose), strict=True):
            cv2.imwrite(str(folder / f"{side}{number}.png"), pixels)
    return folder


@pytest.mark.opengl
def test_a_folder_of_boards_is_calibrated_from_and_its_rig_used_on_the_next_pair(
    offscreen: OffscreenContext, chessboards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with running_app("sgm", "--scene-size", "64x48", "--fresh", size=(900, 700)) as app:
        app.state.open_panels = {"calibrate"}
        settle(app)
        body = app.layout.body("calibrate")
        assert isinstance(body, CalibratePanel)
        body.choose_folder(app.layout)
        app.state.palette = None
        app.state.effects.append(("open", str(chessboards)))
        wait_until(lambda: body.running and body.running.result, app.step)
        assert app.state.calibrating.board == "chess:9x6" and app.state.view.name == "views"
        app.state.palette, rig = None, str(tmp_path / "rig.toml")
        body.choose_pair(app.state, rig)
        wait_until(lambda: app.state.palette, app.step)
        assert app.state.palette and app.state.palette.query == f"{chessboards.parent}/"
        keys(app, "Esc")
        assert not app.state.rig  # the next pair is any
        body.choose_pair(app.state, rig)
        wait_until(lambda: app.state.palette, app.step)
        text(app, f"{chessboards.name}/left0.png")
        keys(app, "Enter")
        wait_until(lambda: app.session.source.rectification, app.step)
        assert app.state.view.name == "disparity"
        assert app.state.rig == "" and app.session.source.spec.calibration_scale == "any"


def test_what_was_not_taken_of_a_folder_is_listed_with_its_reason() -> None:
    running = LiveCalibration(BOARD, Worker(), moves=False, length=9)
    running.considered = {0: "", **dict.fromkeys(range(1, 7), "no board found"), 8: "another size"}
    assert running.taken == "0 of 9 views taken, 1 not searched yet"
    assert running.not_taken == [
        "not taken: pictures 2, 3, 4, 5 and 2 more (no board found)",
        "not taken: picture 9 (another size)",
    ]


@pytest.mark.opengl
def test_a_board_that_is_none_is_reported(app: App) -> None:
    body = app.layout.body("calibrate")
    assert isinstance(body, CalibratePanel)
    app.state.calibrating = Calibrating("charuco", "30mm")
    body.begin(app.layout)
    app.step()
    assert "charuco:11x8" in body.error and not body.running
