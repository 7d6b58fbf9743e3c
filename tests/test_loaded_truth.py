"""Ground truth that is loaded in a window: offered, chosen, and its scale asked for."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.offscreen_app import keys, running_app, settle
from tests.patience import wait_until
from tests.pictures import read
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.file_choices import FILE_CHOICES
from wheatstone.viewer.display.frames.figures import FigureQuestion, Figures, figures
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.values import WRITERS, write_values
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.truth_places import possible_truth
from wheatstone.viewer.window.app import App

SHIFT = 5
WORDS = ("--disparities", "16", "--variant", "cpu", "--fresh")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pair whose disparity is everywhere the same."""
    wide = np.random.default_rng(1).integers(0, 256, (48, 64 + SHIFT), np.uint8)
    cv2.imwrite(str(tmp_path / "left.png"), wide[:, :64])
    cv2.imwrite(str(tmp_path / "right.png"), wide[:, SHIFT:])
    return tmp_path


def names(app: App) -> list[str]:
    settle(app)
    app.step()
    return [finding.name for finding in app.layout.findings.shown]


def truth(app: App) -> float:
    """The disparity of the ground truth in the middle of the frame shown."""
    settle(app)
    frame = app.session.frame_shown
    assert frame and frame.truth is not None
    return float(frame.truth[24, 32])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *(("gt.png", True), ("truth.pfm", True), ("disp2.png", True), ("Ground-Truth.npy", True)),
        *(("gt_right.png", False), ("gt.txt", False), ("lamp.png", False), ("display.png", False)),
    ],
)
def test_files_named_like_truth_may_be_it(tmp_path: Path, name: str, found: bool) -> None:
    (tmp_path / name).touch()
    finding = possible_truth(tmp_path / "left.png")
    assert bool(finding) == found
    assert not found or finding.startswith(f"{name} may be ground truth; --truth ")


@pytest.mark.parametrize("suffix", WRITERS)
def test_results_of_this_program_are_not_offered_and_the_same_values_of_others_are(
    tmp_path: Path, suffix: str
) -> None:
    disparity, file = np.full((48, 64), 16 * SHIFT, np.int16), tmp_path / f"disparity{suffix}"
    write_values(file, disparity, SGM.image("disparity"), SGM.params())
    assert not possible_truth(tmp_path / "left.png")
    if suffix == ".npy":
        np.save(file, np.load(file))
    else:
        cv2.imwrite(str(file), read(file, cv2.IMREAD_UNCHANGED))
    assert possible_truth(tmp_path / "left.png").startswith(file.name)


@pytest.mark.opengl
@pytest.mark.parametrize("opened", ["left.png", ""], ids=["file", "folder"])
def test_an_offered_truth_is_used_at_the_scale_that_is_asked_for(
    offscreen: OffscreenContext, folder: Path, opened: str
) -> None:
    cv2.imwrite(str(folder / "gt.png"), np.full((48, 64), 4 * SHIFT, np.uint8))
    views = [opened, "right.png"] if opened else [""]
    with running_app("sgm", *(str(folder / view) for view in views), *WORDS) as app:
        app.state.bars = True
        assert "possible truth" in names(app) and "no truth" not in names(app)
        use = next(f for f in app.layout.findings.shown if f.name == "possible truth").buttons[0]
        app.state.request(*use.effect)
        settle(app)
        question = app.state.question
        assert question and question.yes == "Scale 4"  # which fits the result
        assert {other.label for other in question.others} == {"Scale 8", "Scale 2", "Scale 1"}
        keys(app, "Enter")
        assert truth(app) == SHIFT
        assert app.state.message == "ground truth: gt.png"
        assert not {"possible truth", "no truth"} & {*names(app)}


@pytest.mark.opengl
def test_an_ignored_offer_leaves_the_button_that_loads(
    offscreen: OffscreenContext, folder: Path
) -> None:
    (folder / "gt.png").touch()
    with running_app("sgm", str(folder), *WORDS) as app:
        app.state.bars = True
        app.state.request("dismiss", "possible truth")
        assert "no truth" in names(app)


@pytest.mark.opengl
def test_a_truth_that_may_not_be_opened_is_not_offered(
    offscreen: OffscreenContext, folder: Path, tmp_path: Path
) -> None:
    (folder / "gt.png").touch()
    with running_app("sgm", str(folder), *WORDS) as app:
        app.state.bars = True
        app.state.bounds = Bounds(tmp_path / "served")
        assert "no truth" in names(app) and "possible truth" not in names(app)


@pytest.mark.opengl
def test_the_file_is_chosen_in_the_folder_of_the_pair(
    offscreen: OffscreenContext, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    np.save(folder / "values.npy", np.full((48, 64), SHIFT, np.float32))
    with running_app("sgm", str(folder), *WORDS) as app:
        app.state.bars = True
        assert "no truth" in names(app)
        app.state.request("load", "truth")
        app.step()
        palette = app.state.palette
        assert palette and palette.query == f"{folder}/"
        assert palette.asks == FILE_CHOICES["truth"].asks
        app.state.palette = None
        assert not any("bad-" in cell for cell in status(app))
        app.state.request("use truth", str(folder / "values.npy"))
        assert truth(app) == SHIFT
        judged = figures_of(app)
        assert f"bad-2 {judged.values['bad-2']:.2f} %" in status(app)


def status(app: App) -> tuple[str, ...]:
    """The texts of the status line, once everything is known."""
    wait_until(lambda: app.settled, app.step)
    app.step()
    assert app.layout.status
    return app.layout.status.cells


def figures_of(app: App) -> Figures:
    """The quality figures of the result shown, computed here."""
    slot, frame = app.session.a.shown.slot, app.session.a.frame  # type: ignore[union-attr]
    assert frame
    image = slot.image(slot.pipeline.output)
    stored = app.session.values(image.name)
    choice = app.state.truth.judging
    return figures(FigureQuestion(stored, image, slot.params, frame, choice))


def test_a_truth_goes_with_one_pair(folder: Path) -> None:
    cv2.imwrite(str(folder / "left2.png"), np.zeros((48, 64), np.uint8))
    cv2.imwrite(str(folder / "right2.png"), np.zeros((48, 64), np.uint8))
    with pytest.raises(ValueError, match="needs two images"):
        open_source(SourceSpec(str(folder), truth=str(folder / "gt.pfm")))
