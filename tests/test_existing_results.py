"""Results that exist as files: shown as B, and judged, without running anything."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.batch_runs import HEIGHT, SHIFT, WIDTH, files_in, rows
from tests.batch_runs import walls as walls  # a fixture
from tests.offscreen_app import running_app
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.run.existing_results import find_results
from wheatstone.viewer.run.frame_ref import FrameRef

SIZE = (64, 48)
SCENE = ("--scene", "orbit", "--scene-size", "64x48", "--disparities", "16")
JUDGED = ("--scene", "orbit", "garden", "--size", "64x48", "--convention", "wheatstone")


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder with results: true ones of orbit, and of garden off by 3 pixels."""
    monkeypatch.chdir(tmp_path)
    Path("theirs").mkdir()
    np.save("theirs/orbit.npy", truth("orbit"))
    cv2.imwrite("theirs/garden.pfm", truth("garden") + 3)


def truth(name: str) -> Any:
    known = Scene(name, 0, SIZE).first().truth
    assert known is not None
    return known


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(list(words)) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_results_are_judged_without_computing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *JUDGED, "--results", "theirs", "--json", "a.json"]) == 0
    assert "results/theirs" in capsys.readouterr().out
    document = json.loads(Path("a.json").read_text())
    figures = {each["pair"]: each["figures"] for each in document["pairs"]}
    assert (document["pipeline"], document["variant"]) == ("results", "theirs")
    assert figures["orbit"]["bad-0.5"] == 0 and figures["orbit"]["average error"] == 0
    assert figures["garden"]["bad-2"] == 100 and figures["garden"]["bad-4"] == 0


def test_a_changed_result_is_judged_again() -> None:
    words = ["evaluate", *JUDGED, "--results", "theirs", "--json", "a.json"]
    assert main(words) == 0
    np.save("theirs/orbit.npy", truth("orbit") + 1)
    assert main(words) == 0
    pairs = json.loads(Path("a.json").read_text())["pairs"]
    assert pairs[0]["figures"]["average error"] == pytest.approx(1, abs=1e-3)


def test_a_missing_result_is_a_failed_pair(capsys: pytest.CaptureFixture[str]) -> None:
    Path("theirs/garden.pfm").unlink()
    assert main(["evaluate", *JUDGED, "--results", "theirs"]) == 1
    said = capsys.readouterr().err
    assert f"{Path('theirs').resolve()}: holds no result of this pair; expected garden.pfm" in said


def test_a_result_of_another_size_is_a_failed_pair(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("theirs/orbit.npy", np.ones((9, 9), np.float32))
    assert main(["evaluate", *JUDGED, "--results", "theirs"]) == 1
    assert "orbit.npy" in capsys.readouterr().err


def test_impossible_results_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", *JUDGED, "--results")
    assert "no folder" in refused(capsys, *words, "nowhere")
    said = refused(capsys, *words, ".")
    assert f"{Path.cwd()}: holds no result of these pairs; expected orbit.pfm (or .npy" in said
    assert "it has theirs" in said
    assert "omit --variant" in refused(capsys, *words, "theirs", "--variant", "cpu")
    np.save("theirs/garden.npy", truth("garden"))
    assert "two results" in refused(capsys, *words, "theirs")


def test_results_are_matched_by_the_names_of_pairs(tmp_path: Path) -> None:
    refs = [FrameRef(f"trainingQ/{name}", tmp_path / name / "im0.png") for name in "ABC"]
    refs += [FrameRef("night 7", tmp_path / "night.mp4", index=7)]
    folder = tmp_path / "results"
    places = "trainingQ/A.png", "B.npy", "C/disp0Best_s.pfm", "000007.tiff"
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).touch()
    assert list(find_results(folder, refs).values()) == [folder / place for place in places]
    shared = [FrameRef(f"{name}/left", tmp_path / name / "left.png") for name in "AB"]
    (folder / "left.pfm").touch()
    with pytest.raises(ValueError, match="the result of A/left and of B/left"):
        find_results(folder, shared)
    outside = [FrameRef("../secret", tmp_path / "a.png")]
    (tmp_path / "secret.npy").touch()
    with pytest.raises(ValueError, match="holds no result"):
        find_results(folder, outside)


def test_a_batch_takes_results(walls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("made").mkdir()
    for number in range(4):
        np.save(f"made/{number}.npy", np.full((HEIGHT, WIDTH), SHIFT + 0.25, np.float32))
    words = ("--values", "png", "--depth", "npy", "--cloud", "ply", "--pictures")
    assert main(["batch", str(walls), "--results", "made", "--out", "out", *words]) == 0
    written = files_in(Path("out"))
    assert len(written) == 16
    disparity = cv2.imread("out/disparity/2.png", cv2.IMREAD_UNCHANGED)
    assert disparity is not None and np.all(disparity == (SHIFT + 0.25) * 256)
    assert np.isfinite(np.load("out/depth/0.npy")).all()
    assert [row["density"] for row in rows(Path("out"))] == ["100.0"] * 4
    again = ("batch", str(walls), "--results", "theirs", "--out", "out", *words)
    assert "holds no result" in refused(capsys, *again)


def test_processes_read_results(walls: Path) -> None:
    Path("made").mkdir()
    for number in range(4):
        np.save(f"made/{number}.npy", np.full((HEIGHT, WIDTH), number, np.float32))
    words = ("--results", "made", "--values", "npy")
    assert main(["batch", str(walls), *words, "--out", "one"]) == 0
    assert main(["batch", str(walls), *words, "--out", "two", "--processes", "2"]) == 0
    assert files_in(Path("one")) == files_in(Path("two"))


@pytest.mark.opengl
def test_a_window_shows_values_as_b_and_judges_them() -> None:
    words = (*SCENE, "--b-values", "theirs/orbit.npy", "--error-map")
    with OffscreenContext(None), running_app(*words) as app:
        assert app.state.mixing.mode == "side-by-side"
        other = app.state.sources.other
        assert other and other.title == "orbit.npy"
        app.session.figures.measure()
        figures = app.session.figures.slots[1].figures
        assert figures and figures.judged and figures.values["bad-0.5"] == 0


@pytest.mark.opengl
def test_the_mode_that_is_asked_for_is_kept() -> None:
    words = (*SCENE, "--b-values", "theirs/orbit.npy", "--compare", "wipe")
    with OffscreenContext(None), running_app(*words) as app:
        assert app.state.mixing.mode == "wipe"


@pytest.mark.opengl
def test_values_beside_another_run_or_of_another_size_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("render", *SCENE, "--out", "a.png", "--b-values")
    assert "--b-values replaces" in refused(
        capsys, *words, "theirs/orbit.npy", "--b-variant", "cpu"
    )
    np.save("small.npy", np.ones((9, 9), np.float32))
    capsys.readouterr()
    assert main([*words, "small.npy"]) == 2
    assert "must have the same size" in capsys.readouterr().err
    assert main([*words, "absent.npy"]) == 2
    assert "absent.npy: no such file" in capsys.readouterr().err


@pytest.mark.opengl
def test_a_picture_shows_values(tmp_path: Path) -> None:
    own = ("--size", "320x200", "--compare", "b", "--no-colorbar")
    assert main(["render", *SCENE, *own, "--b-values", "theirs/orbit.npy", "--out", "a.png"]) == 0
    np.save("theirs/orbit.npy", truth("orbit") + 9)
    assert main(["render", *SCENE, *own, "--b-values", "theirs/orbit.npy", "--out", "b.png"]) == 0
    first, second = (cv2.imread(name) for name in ("a.png", "b.png"))
    assert first is not None and second is not None and np.any(first != second)


@pytest.mark.opengl
def test_a_figure_compares_values_and_is_made_again(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--scene-size", "64x48", "--disparities", "16", "--b-values", "theirs/orbit.npy")
    assert main(["figure", "orbit", *words, "--variant", "cpu", "--out", "a.svg"]) == 0
    table = Path("a.md").read_text()
    assert "| orbit.npy | 0.00 | 0.000 |" in table and "| cpu |" in table
    assert main(["figure", "a.svg", "--out", "b.svg"]) == 0
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    assert "single PAIR" in refused(capsys, "figure", "orbit", "garden", *words, "--out", "c.svg")


@pytest.mark.opengl
def test_a_figure_of_a_stranger_opens_no_values_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--scene-size", "64x48", "--disparities", "16", "--b-values", "theirs/orbit.npy")
    assert main(["figure", "orbit", *words, "--out", "a.svg"]) == 0
    text = Path("a.svg").read_text()
    Path("other").mkdir()
    Path("other/a.svg").write_text(text.replace("theirs/orbit.npy", "theirs/../theirs/orbit.npy"))
    assert "--trust-sources" in refused(capsys, "figure", "other/a.svg", "--out", "b.svg")
