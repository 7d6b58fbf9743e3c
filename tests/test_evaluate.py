"""``wheatstone evaluate``: every layout, what is written, and resuming a killed run."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from benchmarks import quality
from tests.programs import descendants, environment
from wheatstone.gpu.analysis.conventions import MEASURES
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.evaluate.data_sets import calibrated_disparities, open_data_set
from wheatstone.viewer.cli.evaluate.report import state_path
from wheatstone.viewer.cli.evaluate.request import judgeable
from wheatstone.viewer.cli.evaluate.verb import EvaluationState, outcome_of
from wheatstone.viewer.io.files.sole_writer import LOCK, sole_writer
from wheatstone.viewer.io.reading.plain_text import LONGEST_LABEL
from wheatstone.viewer.io.sources.manifest import ManifestEntry, read_manifest
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE
from wheatstone.viewer.io.sources.truth_places import find_truth
from wheatstone.viewer.run.carry import run_frame, run_jobs, with_worker
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.jobs.workers import WorkerPool
from wheatstone.viewer.run.run import Run as PipelineRun
from wheatstone.viewer.run.run_job import Judging, RunJob

ROOT = Path(__file__).resolve().parent.parent
SHIFT, HEIGHT, WIDTH = 6, 41, 90
Run = Callable[..., tuple[int, str, str]]
LEAN = ("--variant", "reference")


def wall(seed: int = 13) -> dict[str, NDArray[np.uint8]]:
    """Both views of a textured wall at disparity 6."""
    scene = np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH + SHIFT), np.uint8)
    return {"left": scene[:, :WIDTH], "right": scene[:, SHIFT:]}


def truth() -> NDArray[np.float32]:
    result = np.full((HEIGHT, WIDTH), SHIFT, np.float32)
    result[20] = np.inf
    return result


def integers(scale: int, dtype: Any) -> NDArray[Any]:
    """The truth as integers, 0 where it is unknown."""
    known = np.isfinite(truth())
    return np.where(known, scale * np.where(known, truth(), 0), 0).astype(dtype)


def seen() -> NDArray[np.bool_]:
    """What both views see: all but the leftmost columns."""
    return np.arange(WIDTH)[None] >= np.full((HEIGHT, 1), SHIFT)


def write(path: Path, pixels: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), pixels)


def middlebury_2014(folder: Path) -> None:
    for name, image in {"im0.png": wall()["left"], "im1.png": wall()["right"]}.items():
        write(folder / "wall" / name, image)
    for name in ("disp0.pfm", "disp1.pfm"):
        write(folder / "wall" / name, truth())
    (folder / "wall" / "calib.txt").write_text("cam0=[1 0 2]\nndisp=20\nvmin=5\n")
    (folder / "notes").mkdir()


def eth3d(folder: Path) -> None:
    place = folder / "wall"
    for name, image in {"im0.png": wall()["left"], "im1.png": wall()["right"]}.items():
        write(place / name, image)
    write(place / "disp0GT.pfm", truth())
    write(place / "mask0nocc.png", np.where(seen(), 255, 128).astype(np.uint8))
    (place / "calib.txt").write_text("ndisp = 20\n")


def kitti(folder: Path, views: tuple[str, str], truths: tuple[str, str]) -> None:
    for name, image in zip(views, wall().values(), strict=True):
        for frame in ("wall.png", "wall_without_truth.png"):
            write(folder / name / frame, image)
    write(folder / truths[0] / "wall.png", integers(256, np.uint16))
    write(folder / truths[1] / "wall.png", np.where(seen(), integers(256, np.uint16), 0))


def middlebury_2001(folder: Path) -> None:
    write(folder / "wall" / "im2.ppm", cv2.cvtColor(wall()["left"], cv2.COLOR_GRAY2BGR))
    write(folder / "wall" / "im6.ppm", cv2.cvtColor(wall()["right"], cv2.COLOR_GRAY2BGR))
    for name in ("disp2.pgm", "disp6.pgm"):
        write(folder / "wall" / name, integers(8, np.uint8))


ENTRY = {
    "name": "wall",
    "left": "left.png",
    "right": "right.png",
    "gt": "gt.png",
    "gt_scale": 8,
    "unknown": 0,
    "gt_right": "gt.png",
    "disparity_range": 20,
}


def pairs_json(folder: Path) -> None:
    for name, image in (wall() | {"gt": integers(8, np.uint8)}).items():
        write(folder / "wall" / f"{name}.png", image)
    (folder / "pairs.json").write_text(json.dumps([ENTRY, ENTRY | {"name": "blind", "gt": None}]))


def manifest(folder: Path, **more: Any) -> Path:
    """A manifest of two pairs."""
    np_truth = integers(4, np.uint8)
    pairs = []
    for seed, name in enumerate(("one", "two"), 1):
        for side, image in (wall(seed) | {"truth": np_truth}).items():
            write(folder / name / f"{side}.png", image)
        files = {side: f"{name}/{side}.png" for side in ("left", "right", "truth")}
        pairs.append({**files, "scale": 4, "disparities": 16, **more})
    path = folder / "walls.json"
    path.write_text(json.dumps({"pairs": pairs}))
    return path


LAYOUTS: dict[str, tuple[Callable[[Path], None], str, int]] = {
    "middlebury-2014": (middlebury_2014, "middlebury", 32),
    "eth3d": (eth3d, "eth3d", 32),
    "kitti-2015": (
        lambda f: kitti(f, ("image_2", "image_3"), ("disp_occ_0", "disp_noc_0")),
        "kitti",
        128,
    ),
    "kitti-2012": (
        lambda f: kitti(f / "training", ("colored_0", "colored_1"), ("disp_occ", "disp_noc")),
        "kitti",
        128,
    ),
    "middlebury-2001": (middlebury_2001, "middlebury", 32),
    "pairs.json": (pairs_json, "middlebury", 32),
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``evaluate`` in an empty folder: exit code, standard output, standard error."""
    place = tmp_path / "cwd"
    place.mkdir()
    monkeypatch.chdir(place)

    def command(*words: str | Path) -> tuple[int, str, str]:
        try:
            code = main(["evaluate", *map(str, words)])
        except SystemExit as exit:  # argparse
            code = int(exit.code or 0)
        return code, *capsys.readouterr()

    return command


def document() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path("e.json").read_text())
    return content


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_figures(run: Run, tmp_path: Path, layout: str) -> None:
    lay_out, convention, searched = LAYOUTS[layout]
    folder = tmp_path / "walls"
    folder.mkdir()
    lay_out(folder)
    words = (folder, "--scale", "8", *LEAN, "--no-subpixel", "--json", "e.json")
    code, out, err = run(*words)
    assert code == 0, err
    assert document()["convention"] == convention
    assert document()["pairs"][0]["disparities"] == searched
    assert f"convention {convention}" in " ".join(out.split())  # a long path breaks the line
    assert "wheatstone: [1/1] wall: bad-2" in err

    code, _, _ = run(*words, "--convention", "middlebury", "--disparities", "16")
    (pair,) = document()["pairs"]
    assert (code, pair["pair"], pair["disparities"]) == (0, "wall", 16)
    assert pair["judged"] == pytest.approx(100 * 40 * 84 / (41 * 90), abs=1e-3)
    common = {name: pair["figures"][name] for name in MEASURES}  # KITTI has others of its own
    assert common == dict.fromkeys(MEASURES, 0.0) | {"density": 100.0}
    assert Path("walls.evaluate.jsonl").read_text().count("\n") == 2


def test_the_quality_page_has_the_same_figures(run: Run, tmp_path: Path) -> None:
    pairs_json(tmp_path)
    (pair,) = quality.read_pairs(tmp_path)
    figures, _ = quality.judge(pair, "reference", SGM.preset("libsgm"))
    words = ("--convention", "wheatstone", "--preset", "libsgm")
    assert run(tmp_path, *LEAN, *words, "--json", "e.json")[0] == 0
    assert figures.items() <= document()["mean"].items()


def test_files_hold_what_the_tables_say(run: Run, tmp_path: Path) -> None:
    words = (manifest(tmp_path), *LEAN, "--restart", "--markdown", "e.md", "--csv", "e.csv")
    code, out, _ = run(*words, "--json", "e.json")
    assert code == 0
    rows = list(csv.DictReader(Path("e.csv").read_text().splitlines()))
    assert [row["pair"] for row in rows] == ["one", "two"]
    assert rows[0]["density"] == "100.0" and rows[0]["why"] == ""
    assert "| one | " in Path("e.md").read_text() and "| mean | " in Path("e.md").read_text()
    assert out.index("one") < out.index("two") < out.index("mean")
    assert max(map(len, out.splitlines())) <= 100
    wrong = sorted((float(row["bad-2"]), row["pair"]) for row in rows)
    (least, best), (most, worst) = wrong
    message = f"of 2 pairs: least {best} ({least:.2f} %), most {worst} ({most:.2f} %)."
    assert " ".join(out.split()).endswith(message)
    assert f"In short: {(least + most) / 2:.2f} % of the pixels" in out
    first = Path("e.json").read_bytes()
    assert run(*words, "--json", "e.json", "--processes", "2")[0] == 0
    assert Path("e.json").read_bytes() == first


def test_several_presets_are_compared_in_a_table(run: Run, tmp_path: Path) -> None:
    words, presets = (manifest(tmp_path), *LEAN), ("fast", "libsgm")
    files = ("--json", "e.json", "--csv", "e.csv", "--markdown", "e.md")
    alone = []
    for preset in presets:
        assert run(*words, "--preset", preset, *files)[0] == 0
        alone.append(document())
    code, out, err = run(*words, "--preset", presets[0], "--preset", presets[1], *files)
    assert code == 0 and err.count("2 of 2 pairs were finished before") == 2
    assert document()["reports"] == alone
    table = [line.split() for line in out[out.index(": presets") :].splitlines()]
    cells = {row[0]: row[1:] for row in table if row and row[0] in presets}
    assert [*cells] == [*presets] and {row[-1] for row in cells.values()} == {"2"}
    for preset, report in zip(presets, alone, strict=True):
        assert f"{report['mean']['average error']:.2f}" in cells[preset]
    rows = list(csv.DictReader(Path("e.csv").read_text().splitlines()))
    expected = [(preset, pair) for preset in presets for pair in ("one", "two")]
    assert [(row["preset"], row["pair"]) for row in rows] == expected
    assert Path("e.md").read_text().count("| mean | ") == 2


def test_a_finished_pair_is_not_computed_again(run: Run, tmp_path: Path) -> None:
    words = (manifest(tmp_path), *LEAN)
    assert run(*words)[0] == 0
    _, _, err = run(*words)
    assert "2 of 2 pairs were finished before (walls.evaluate.jsonl" in err and "[1/" not in err
    for other in (("--restart",), ("--p1", "7"), ("--convention", "kitti")):
        assert "[2/2]" in run(*words, *other)[2]
    for name in ("left", "truth"):
        (tmp_path / "two" / f"{name}.png").touch()  # which changes nothing that is read
    assert "2 of 2 pairs" in run(*words)[2]
    write(tmp_path / "two" / "truth.png", integers(4, np.uint8) + 1)
    _, _, err = run(*words)
    assert "1 of 2 pairs" in err and "[1/1] two" in err


def test_a_bad_pair_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    path = manifest(tmp_path)
    whole = (tmp_path / "one" / "left.png").read_bytes()
    (tmp_path / "one" / "left.png").write_bytes(whole[:100])
    words = (path, *LEAN, "--json", "e.json", "--csv", "e.csv")
    code, out, err = run(*words)
    assert code == 1
    assert "FAILED" in err and "failed: 1 of 2" in out and "truncated" in out
    wrong = document()["pairs"][0]["figures"]["bad-2"]
    message = f"In short: {wrong:.2f} % of the pixels judged are wrong by more than 2 px"
    assert " ".join(out.split()).endswith(f"{message}; 1 of 2 pairs failed.")
    assert [pair["pair"] for pair in document()["pairs"]] == ["two"]
    assert document()["failed"][0]["pair"] == "one" and "one,,,,,," in Path("e.csv").read_text()
    (tmp_path / "one" / "left.png").write_bytes(whole)
    code, _, err = run(*words)
    assert code == 0 and "1 of 2 pairs were finished before" in err


def test_the_documented_manifest_has_every_field(tmp_path: Path) -> None:
    text = (
        Path(__file__)
        .parent.parent.joinpath("docs/sources.md")
        .read_text()
        .split("```toml\n")[1]
        .split("```")[0]
    )
    path = tmp_path / "manifest.toml"
    path.write_text(text)
    convention, (pair,) = read_manifest(path)
    assert (convention, pair.name, pair.left) == ("middlebury", "bull", tmp_path / "bull/left.png")
    assert (pair.disparities, pair.min_disparity) == (32, 0)
    assert pair.truth and pair.truth.scale == 8
    assert {field.name for field in fields(ManifestEntry)} == set(tomllib.loads(text)["pairs"][0])
    assert open_data_set(path).name == tmp_path.name


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"truth": "absent.png"}, "absent.png"),
        ({"truth": "small.png"}, "must have the left image's size 90x41 (found 3x2)"),
        ({"truth": "empty.png"}, "no pixel is judged"),
        ({"mask": "small.png"}, "small.png"),
        ({"disparities": 600}, "--disparities 512 --min-disparity 96"),
        ({"min_disparity": -2000}, "min_disparity"),
    ],
)
def test_what_is_wrong_with_a_pair_is_reported(
    run: Run, tmp_path: Path, change: Mapping[str, Any], says: str
) -> None:
    path = manifest(tmp_path, **change)
    write(tmp_path / "small.png", np.full((2, 3), 9, np.uint8))
    write(tmp_path / "empty.png", np.zeros((HEIGHT, WIDTH), np.uint8))
    code, out, err = run(path, *LEAN, "--csv", "e.csv")
    assert code == 1 and says in Path("e.csv").read_text() and "Traceback" not in err
    assert "failed: 2 of 2" in out


def test_without_a_data_set_the_built_in_scenes_are_judged(run: Run, tmp_path: Path) -> None:
    words = ("--size", "96x64", "--scene", "garden", "orbit", *LEAN, "--json", "e.json")
    code, out, err = run(*words)
    assert code == 0, err
    result = document()
    assert [pair["pair"] for pair in result["pairs"]] == ["garden", "orbit"]
    assert {pair["occlusions"] for pair in result["pairs"]} == {"scene"}
    assert result["mean"]["bad-4"] < 20 and "built-in scenes: sgm/reference, preset " in out
    assert "2 of 2 pairs were finished before (scenes.evaluate.jsonl" in run(*words)[2]
    assert "[2/2]" in run("--seed", "1", *words)[2]
    code, _, err = run(manifest(tmp_path), "--scene", "orbit")
    assert code == 2 and "--scene, --size and --seed" in err


def test_a_range_that_no_file_names_follows_from_the_truth(run: Run, tmp_path: Path) -> None:
    middlebury_2014(tmp_path)
    (tmp_path / "wall" / "calib.txt").unlink()
    for words, searched in (((), 64), (("--disparities", "16"), 16)):
        assert run(tmp_path, *LEAN, *words, "--json", "e.json")[0] == 0
        (pair,) = json.loads(Path("e.json").read_text())["pairs"]
        assert pair["disparities"] == searched


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["absent"], "absent: no such folder or manifest"),
        (["."], "no stereo pair with truth; expected manifest.toml"),
        (["old"], "give --truth-scale 8 (Middlebury 2001), 4 (2003, quarter size) or 2"),
        (["aloe"], "disp1.png has no size of Middlebury 2005 or 2006, does not state its scale"),
        (["bad.json"], "neither a folder nor a manifest"),
        (["field.json"], "pairs[0] knows no 'ranges'"),
        (["kind.json"], "pairs[0].disparities must be an integer (got '16') (line 1)"),
        (["lacks.json"], "pairs[0] lacks truth (line 1)"),
        (["list.json"], "pairs must be a list (got 3) (line 1)"),
        (["twice.json"], "different names (got twice: a)"),
        (["good.json", "--state", "bad.json"], "is not of a state file"),
        (["good.json", "--state", "good.json"], "would replace an input"),
        (["good.json", "--json", "no/e.json"], "folder no does not exist"),
        (["good.json", "--json", "x", "--csv", "x"], "must name different files"),
        (["good.json", "--pipeline", "canny"], "canny"),
        (["good.json", "--p1", "-1"], "p1 must be in"),
    ],
)
def test_bad_input_is_refused(run: Run, words: list[str], says: str) -> None:
    pair = {"left": "a.png", "right": "b.png", "truth": "c.png", "name": "a", "disparities": 16}
    files = {
        "good": {"pairs": [pair]},
        "field": {"pairs": [pair | {"ranges": 3}]},
        "kind": {"pairs": [pair | {"disparities": "16"}]},
        "lacks": {"pairs": [{"left": "a.png", "right": "b.png"}]},
        "list": {"pairs": 3},
        "twice": {"pairs": [pair, pair]},
    }
    for name, content in files.items():
        Path(f"{name}.json").write_text(json.dumps(content) + "\n")
    Path("bad.json").write_text("pairs")
    middlebury_2001(Path("old"))
    if words == ["aloe"]:
        Path("aloe").mkdir()
        for file in ("view1", "view5", "disp1"):
            Image.fromarray(np.zeros((6, 8), np.uint8)).save(f"aloe/{file}.png")
    code, out, err = run(*words)
    assert (code, out) == (2, "") and says in err and "Traceback" not in err


WRONG: dict[str, tuple[Any, str]] = {
    "number": ({"pairs": [1]}, r"pairs\[0\] must be a table \(got 1\) \(line 1\)"),
    "convention": ({"pairs": [], "convention": []}, r"convention must be text"),
    "stranger": ({"pairs": [], "convention": "x"}, r"convention must be one of .*\(line 1\)"),
    "list": ({"pairs": [{"left": [], "right": "b", "truth": "c"}]}, r"left must be text"),
    "empty": ({"pairs": [{"left": "", "right": "b", "truth": "c"}]}, r"left must be the path"),
    "nul": ({"pairs": [{"left": "a", "right": "b\0", "truth": "c"}]}, r"right must be the path"),
    "scale": (
        {"pairs": [{"left": "a", "right": "b", "truth": "c", "scale": 1e-9}]},
        r"pairs\[0\]: scale must be in \[0.001, 65536\]",
    ),
    "none": (
        {"pairs": [{"left": "a", "right": "b", "truth": "c", "disparities": 0}]},
        r"pairs\[0\]: disparities must exceed 0 \(got 0\)",
    ),
    "older": ([1], r"\[0\] must be a table"),
    "older type": ([ENTRY | {"gt_scale": "8"}], r"\[0\].gt_scale must be a finite number"),
    "older name": ([ENTRY | {"name": 3}], r"\[0\].name must be text"),
    "older lacks": ([ENTRY, {"gt": "x", "name": "y"}], r"\[1\] lacks left, right, gt_scale"),
    "text": ("pairs", r"the document must be a table"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_manifest_that_holds_something_else_is_refused(tmp_path: Path, case: str) -> None:
    document, text = WRONG[case]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=rf"{path}: .*{text}"):
        read_manifest(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"pairs": ' * 100_000, "{}", "[1]", "\xff", ""])
@pytest.mark.parametrize("name", ["manifest.json", "manifest.toml", "pairs.json"])
def test_what_lies_beside_an_image_and_is_no_manifest_is_no_error(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="latin-1")
    assert find_truth(tmp_path / "left.png") is None
    with pytest.raises(ValueError, match=rf"{name}: "):
        read_manifest(tmp_path / name)


def test_a_manifest_is_asked_once_for_many_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def reading(path: Path) -> Any:
        read.append(path)
        return read_manifest(path)

    monkeypatch.setattr("wheatstone.viewer.io.sources.manifest.read_manifest", reading)
    pair = {"left": "l0.png", "right": "r.png", "truth": "t.png"}
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"pairs": [pair, pair | {"left": "loop"}]}))
    (tmp_path / "loop").symlink_to("loop")
    listed = [find_truth(tmp_path / f"l{number}.png") for number in range(9)]
    assert listed[0] and listed[0].truth == tmp_path / "t.png" and not any(listed[1:])
    assert read == [path]
    path.write_text(json.dumps({"pairs": [pair | {"left": "l1.png"}]}))
    assert find_truth(tmp_path / "l0.png") is None and find_truth(tmp_path / "l1.png")


def test_a_hostile_name_stays_a_label(run: Run, tmp_path: Path) -> None:
    path = manifest(tmp_path)
    names = ("=cmd|' /C calc'!A0", "../../up\x1b[31m\n[bold]\udc80" + "x" * 5000)
    document = json.loads(path.read_text())
    document["pairs"] = [p | {"name": n} for p, n in zip(document["pairs"], names, strict=True)]
    path.write_text(json.dumps(document))
    files = ("--csv", "e.csv", "--markdown", "e.md", "--json", "e.json")
    code, out, err = run(path, *LEAN, *files)
    assert code == 0 and "\x1b" not in out + err and max(map(len, err.splitlines())) < 300
    first, second = list(csv.DictReader(Path("e.csv").read_text().splitlines()))
    assert first["pair"] == f"'{names[0]}"
    assert second["pair"].startswith(r"../../up\x1b[31m\n[bold]\x80xxx")
    assert len(second["pair"]) == LONGEST_LABEL
    assert [pair["pair"] for pair in document_of_pairs()] == [names[0], second["pair"]]
    here = {"walls.evaluate.jsonl", "e.csv", "e.md", "e.json"}
    assert {file.name for file in Path.cwd().iterdir()} == here
    assert {file.name for file in tmp_path.iterdir()} == {"one", "two", "walls.json", "cwd"}


def document_of_pairs() -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = document()["pairs"]
    return result


def test_no_name_of_a_data_set_leaves_the_folder() -> None:
    for name in ("..", "../up", "/etc/passwd", "", "x" * 400, "\N{GRINNING FACE}" * 103):
        path = state_path(name)
        assert path.name == str(path) and len(os.fsencode(path)) <= 255
        assert path.name.endswith(".evaluate.jsonl")


@pytest.mark.parametrize("scale", ["nan", "inf", "-1", "0", "1e-300"])
def test_a_scale_that_no_truth_has_is_refused(run: Run, tmp_path: Path, scale: str) -> None:
    middlebury_2001(tmp_path / "walls")
    code, out, err = run(tmp_path / "walls", f"--scale={scale}")
    assert (code, out) == (2, "") and re.search("scale:? must be in", err)


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=r"pipe: cannot be listed \(Not a directory\)"):
        open_data_set(tmp_path / "pipe")


def test_calibration_may_lack_a_range(tmp_path: Path) -> None:
    path = tmp_path / "calib.txt"
    path.write_text("baseline=1\n")
    assert calibrated_disparities(path) is None
    for text in ("20.5", "20 px", "many", "[20]"):
        path.write_text(f"ndisp={text}\n")
        assert calibrated_disparities(path) is None
    path.write_text("cam0=[" * 99)
    with pytest.raises(ValueError, match=r"calib\.txt: the bracket of cam0 is never closed"):
        calibrated_disparities(path)
    assert calibrated_disparities(tmp_path / "absent.txt") is None


def test_only_disparities_are_judged() -> None:
    assert list(judgeable()) == ["sgm"]


@pytest.mark.skipif(not why_unavailable("cuda"), reason="this machine has a GPU")
def test_a_variant_that_cannot_run_is_reported(run: Run, tmp_path: Path) -> None:
    assert run(manifest(tmp_path), "--variant", "fast")[0] == 3


@pytest.fixture
def job(tmp_path: Path) -> RunJob:
    ref = open_data_set(manifest(tmp_path)).pairs[0]
    run = PipelineRun("sgm", "reference", disparities=16)
    return RunJob(ref, run, NO_SOURCE, Judging("middlebury", "seen", required=True))


def test_an_incomplete_line_is_dropped(job: RunJob, tmp_path: Path) -> None:
    path, outcome = tmp_path / "s.jsonl", outcome_of(job, run_frame(job))
    EvaluationState(path).add(job, asdict(outcome))
    whole = path.read_bytes()
    for length in (1, 9, len(whole) - 1):
        path.write_bytes(whole + whole[:length])
        state = EvaluationState(path)
        assert state.finished(job) == outcome
        state.add(job, asdict(outcome))
        assert path.read_bytes() == whole * 2


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("name", 3),
        ("name", "another"),
        ("why", "it failed"),
        ("figures", []),
        ("figures.bad-1", "none"),
        ("figures.RMS", 1e300),
        ("figures.other", 1.0),
        ("facts", {}),
        ("facts.width", "8"),
        ("facts.judged", None),
        ("facts.occlusions", "\x1b[31m"),
        ("facts.other", 1),
        ("other", 1),
    ],
)
def test_a_line_that_holds_something_else_is_computed_again(
    job: RunJob, tmp_path: Path, place: str, value: Any
) -> None:
    path, outcome = tmp_path / "s.jsonl", outcome_of(job, run_frame(job))
    EvaluationState(path).add(job, asdict(outcome))
    line = json.loads(path.read_text())
    *way, last = place.split(".")
    table = line["outcome"][way[0]] if way else line["outcome"]
    table[last] = value
    path.write_text(json.dumps(line) + "\n")
    state = EvaluationState(path)
    assert state.finished(job) is None and state.misfits == [job.name]
    state.add(job, asdict(outcome))
    assert EvaluationState(path).finished(job) == outcome


def test_another_program_or_setting_is_another_pair(
    job: RunJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key(one: RunJob) -> str:
        return one.key(one.fingerprints)

    known = Judging("middlebury", "known", required=True)
    keys = {key(job), key(replace(job, run=job.run.replace(variant="cpu")))}
    keys.add(key(replace(job, judging=known)))
    assert isinstance(job.ref, FrameRef) and job.ref.truth
    truth = replace(job.ref.truth, scale=8)
    keys.add(key(replace(job, ref=replace(job.ref, truth=truth))))
    monkeypatch.setattr("wheatstone.viewer.run.run_job.program", lambda: "changed")
    assert len(keys | {key(job)}) == 5


class Deadly(Params):
    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


def test_a_process_that_dies_takes_only_its_own_pair_with_it(job: RunJob) -> None:
    assert isinstance(job.ref, FrameRef)
    ref = replace(job.ref, name="deadly")
    deadly = replace(job, run=replace(job.run, params=Deadly()), ref=ref)
    done = run_jobs([deadly, job], run_frame, WorkerPool(2))
    outcomes = {each.job.name: outcome_of(each.job, with_worker(each)) for each in done}
    assert outcomes["deadly"].why == "the process that computed it died 2 times"
    assert outcomes[job.name] == outcome_of(job, run_frame(job))


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended, but that nobody waited for, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are listed in /proc")
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_killed_run_resumes(run: Run, tmp_path: Path, processes: str) -> None:
    path = manifest(tmp_path)
    pictures = {p: cv2.imread(str(p), 0) for p in (tmp_path / "two").iterdir()}
    for picture, pixels in pictures.items():  # which take the reference seconds
        assert pixels is not None
        cv2.imwrite(str(picture), np.tile(pixels, (30, 30)))
    words = [str(path), *LEAN, "--processes", processes, "--json", "e.json"]
    command = [sys.executable, "-m", "wheatstone", "evaluate", *words]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL) as killed:
        state = Path("walls.evaluate.jsonl")
        wait_until(lambda: state.is_file() and state.read_bytes().endswith(b"\n"))
        children = descendants(killed.pid)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    wait_until(lambda: not any(map(alive, children)))
    left = {file.name for file in Path.cwd().iterdir()}
    assert left == {state.name, state.name + LOCK}  # which nobody holds
    for picture, pixels in pictures.items():
        cv2.imwrite(str(picture), pixels)
    code, _, err = run(*words)
    assert code == 0
    assert "1 of 2 pairs were finished before" in err and "[1/1] two" in err
    resumed = Path("e.json").read_bytes()
    assert run(*words, "--restart")[0] == 0
    assert Path("e.json").read_bytes() == resumed


def test_published_pairs_have_the_figures_of_the_quality_page(run: Run, data: Path) -> None:
    if not (data / "stereo" / "pairs.json").is_file():
        pytest.skip("the stereo pairs are absent (data beside the project)")
    words = ("--variant", "cpu", "--convention", "wheatstone", "--preset", "fast")
    code, _, err = run(data / "stereo", *words, "--json", "e.json")
    assert code == 0, err
    assert [pair["pair"] for pair in document()["pairs"]][::6] == ["bull", "aloe"]
    means = document()["mean"]
    assert means["density"] == 100 and means["bad-1"] < 5


def test_a_second_evaluation_with_the_same_state_is_refused(run: Run) -> None:
    words = ("--scene", "bare-wall", "--size", "64x48", "--disparities", "16", "--state", "s.jsonl")
    with sole_writer(Path("s.jsonl")):
        code, _, err = run(*words)
        assert code == 2 and f"(process {os.getpid()})" in err and "--state" in err
    assert run(*words)[0] == 0
    assert [file.name for file in Path.cwd().iterdir()] == ["s.jsonl"]
