"""The quality benchmark, on a data set of one small pair."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks import quality
from benchmarks.runner import run
from wheatstone.gpu.pipelines.sgm import SGM

ENTRY = {
    "name": "wall",
    "left": "left.png",
    "right": "right.png",
    "gt": "gt.png",
    "gt_scale": 8,
    "unknown": 0,
    "gt_right": None,
    "disparity_range": 20,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A textured wall at disparity 6, its truth unknown in one row, and a pair without truth."""
    scene = np.random.default_rng(13).integers(0, 256, (41, 96, 3), np.uint8)
    truth = np.full((41, 90), 48, np.uint8)
    truth[20] = 0
    (tmp_path / "wall").mkdir()
    for name, image in {"left": scene[:, :90], "right": scene[:, 6:], "gt": truth}.items():
        assert cv2.imwrite(str(tmp_path / "wall" / f"{name}.png"), image)
    blind = ENTRY | {"name": "blind", "gt": None}
    (tmp_path / "pairs.json").write_text(json.dumps([ENTRY, blind]))
    return tmp_path


@pytest.fixture
def one_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"fast": ("reference", SGM.preset("fast"))}
    monkeypatch.setattr(quality, "settings", lambda variant: chosen)


def test_a_pair_is_read_with_its_convention(folder: Path) -> None:
    (pair,) = quality.read_pairs(folder)
    assert pair.disparities == 32  # 20, rounded up
    assert pair.left.shape == (41, 90)
    assert pair.truth[0, 0] == 6 and not np.isfinite(pair.truth[20]).any()
    assert pair.mask.sum() == (41 - 20 - 1) * (90 - 20)  # border, unknown row


@pytest.mark.usefixtures("one_preset")
def test_page_and_figures_are_written(folder: Path, tmp_path: Path) -> None:
    out, figures = tmp_path / "q.md", tmp_path / "q.json"
    words = [str(folder), "--variant", "reference", "--out", str(out), "--json", str(figures)]
    assert run(["quality", *words]) == 0
    record = json.loads(figures.read_text())
    assert record["variant"] == "reference"
    assert record["means"]["fast"] == record["results"]["fast"]["wall"]
    assert record["means"]["fast"]["bad-1"] < 5
    assert record["means"]["fast"]["density"] > 95
    assert "| `fast` | **" in out.read_text()
    curves = record["sparsification"]["fast"]["wall"]
    assert len(curves["confidence"]) == len(curves["optimal"]) == 20
    assert curves["confidence"][0] == curves["optimal"][0]
    assert "## Confidence" in out.read_text() and "](" not in out.read_text()


@pytest.mark.usefixtures("one_preset")
def test_the_page_shows_the_plot_of_the_same_run(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="comes with the extra plots")
    out, plot = tmp_path / "q.md", tmp_path / "curves.svg"
    words = [str(folder), "--variant", "reference", "--out", str(out), "--plot", str(plot)]
    drawn = []
    for _ in range(2):
        assert run(["quality", *words]) == 0
        drawn.append(plot.read_bytes())
    assert drawn[0] == drawn[1] and b"<svg" in drawn[0]
    assert "](curves.svg)" in out.read_text()
    assert f"DATA --variant reference --out {out} --plot {plot}`" in out.read_text()


@pytest.mark.parametrize(
    ("variant", "supported"), [("cpu", True), ("fast", True), ("texture", False)]
)
def test_hierarchical_search_is_judged_where_it_is_supported(variant: str, supported: bool) -> None:
    judged = quality.settings(variant)
    assert ("fast hierarchical" in judged) == supported
    hierarchical = SGM.preset("fast").changed(search="hierarchical")
    assert not supported or judged["fast hierarchical"] == (variant, hierarchical)


def test_a_plot_without_matplotlib_is_refused_before_anything_is_judged(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(["quality", str(folder), "--plot", str(tmp_path / "curves.svg")]) == 3
    out, error = capsys.readouterr()
    assert "extra `plots`" in error and not out


@pytest.mark.parametrize(
    ("content", "complaint"), [(None, "does not exist"), ("[]", "no pair"), ("{", "Expecting")]
)
def test_a_folder_without_pairs_is_bad_input(
    content: str | None, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "pairs.json").write_text(content)
    assert run(["quality", str(tmp_path), "--out", str(tmp_path / "q.md")]) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "q.md").exists()
