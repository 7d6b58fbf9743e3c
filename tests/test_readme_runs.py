"""What the README says can be typed and holds: its command lines run, its figures are printed."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.cli.start import open_view

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
LISTED = re.findall(r"^    wheatstone\b(.*)$", README, re.MULTILINE)
WINDOWS = ("view", "serve")
ELSEWHERE = ("/dev/video0", "drive.mp4", "report")
"""Words of lines that need a camera or another's video, or measure for minutes: not run here."""
QUICK = {
    "render": ["--scene-size", "64x48", "--disparities", "16"],
    "compare": ["--scene-size", "64x48", "--disparities", "16"],
    "lesson": ["--scene-size", "96x64", "--step", "2", "--out", "pages"],
    "bench": ["--size", "64x48", "--disparities", "16", "--repeat", "2", "--variants", "cpu"],
}
"""What makes a line quick: the built-in scene small."""


def lines() -> Iterator[tuple[list[str], str]]:
    for line in LISTED:
        words, _, comment = line.partition(" #")
        yield shlex.split(words), comment


def wanted_variants(words: list[str]) -> Iterator[str]:
    options = parse(words)
    pipeline: Pipeline = getattr(options, "pipeline", None) or options.pipelines[0]
    known = {variant.name: variant.device for variant in pipeline.variants}
    for word in words:
        if word in known:
            yield known[word]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    grey = np.random.default_rng(4).integers(0, 256, (48, 64), np.uint8)
    for name, shift in (("left.png", 0), ("right.png", -4)):
        cv2.imwrite(str(tmp_path / name), np.roll(grey, shift, axis=1))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lines_that_need_a_gpu_are_marked() -> None:
    listed = [
        (words, comment)
        for words, comment in lines()
        if set(words) & {*WINDOWS, "render", "compare", "bench"}
        and "cuda" in wanted_variants(words)
    ]
    assert listed  # one shows how it is marked
    assert [words for words, comment in listed if "needs an NVIDIA GPU" not in comment] == []


@pytest.mark.opengl
@pytest.mark.parametrize(
    "words", [words for words, comment in lines() if "GPU" not in comment], ids=" ".join
)
def test_every_other_line_runs(words: list[str], folder: Path) -> None:
    if set(words) & set(ELSEWHERE):
        pytest.skip("needs a camera or a video, or measures for minutes")
    verb = parse(words).verb
    if verb in WINDOWS:  # what is shown can be shown; windows have tests of their own
        state, source = open_view(parse([*(words or ["view"]), "--fresh"]))
        with closing(source):
            assert state.slot.pipeline.name == "sgm"
        return
    options = QUICK.get(verb, [])
    if any(word.startswith(("left.png", "--frames")) for word in words):
        options = options[2:] if "left.png" in words else [*options, "--size", "64x48"]
    assert main([*words, *options]) == 0
    for name in re.findall(r"--\w+ ([\w.-]+\.(?:png|ply))", " ".join(words)):
        assert (folder / name).stat().st_size > 0


def test_the_figure_of_speed_is_that_of_the_record() -> None:
    record = json.loads((ROOT / "docs" / "gpu" / "nvidia-h200.json").read_text())
    (case,) = (case for case in record["times"] if case["width"] == 640)
    fast, cpu = (case["variants"][name]["median"] for name in ("fast", "cpu"))
    size = f"{case['width']}x{case['height']} and {case['disparities']} disparities"
    times = (
        f"takes {fast:.3f} ms with variant `fast` on an NVIDIA H200, and {cpu:.1f} ms with `cpu`"
    )
    assert f"sgm of {size} {times}" in " ".join(README.split())


def test_the_figure_of_quality_is_that_of_the_record() -> None:
    page = (ROOT / "docs" / "quality.md").read_text().partition("## Bad by more than 1 pixel")[2]
    (mean,) = re.findall(r"^\| `fast` \| \*\*([\d.]+)\*\*", page.partition("## ")[0], re.MULTILINE)
    pairs = page.split("\n")[2].count("|") - 3
    assert pairs == 7
    assert f"of seven published pairs {mean} % of" in " ".join(README.split())
