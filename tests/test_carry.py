"""Runs over frames: equal bytes from every verb, judging against truth, and accepted inputs."""

import csv
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import wheatstone
from tests.batch_runs import HEIGHT, SHIFT, WIDTH, pair
from tests.batch_runs import Run as Batch
from tests.painted_videos import write_video
from wheatstone.gpu.analysis.conventions import MEASURES
from wheatstone.gpu.compilations import loading
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.evaluate.data_sets import open_data, open_scenes
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.run.carry import beginnings, run_frame, run_jobs
from wheatstone.viewer.run.frame_ref import AnyFrameRef, FrameRef
from wheatstone.viewer.run.jobs.workers import WorkerPool
from wheatstone.viewer.run.run_job import Judging, Row, RunJob

COLUMNS = ["convention", "bad-1", "bad-2", "bad-4", "average error", "judged density"]
Evaluate = Callable[..., dict[str, Any]]


def put_pair(folder: Path, seed: int = 1, suffix: str = "") -> Path:
    """Write a pair at disparity 6 with its ground truth; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for side, pixels in zip(("left", "right"), pair(seed), strict=True):
        assert cv2.imwrite(str(folder / f"{side}{suffix}.png"), pixels)
    truth = np.full((HEIGHT, WIDTH), 256 * SHIFT, np.uint16)
    assert cv2.imwrite(str(folder / "disparity.png"), truth)
    return folder


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")

    def called(*words: object) -> dict[str, Any]:
        lean = ("--variant", "cpu", "--disparities", "16", "--json", "e.json")
        assert main(["evaluate", *map(str, words), *lean]) == 0
        document: dict[str, Any] = json.loads(Path("e.json").read_text())
        return document

    return called


def values_of(ref: AnyFrameRef, options: SourceSpec = NO_SOURCE) -> np.ndarray[Any, Any]:
    run = wheatstone.Run("sgm", variant="cpu", disparities=16)
    results: list[wheatstone.Result] = []

    class CollectingJob(RunJob):
        def write(self, result: wheatstone.Result, row: Row) -> dict[str, str]:
            results.append(result)
            return {}

    assert not run_frame(CollectingJob(ref, run, options, Judging("middlebury"))).why
    return np.asarray(results[0].disparity)


def side_by_side(seed: int) -> np.ndarray[Any, Any]:
    return np.repeat(np.hstack(pair(seed))[..., None], 3, 2)


def saved(result: wheatstone.Result, path: Path) -> bytes:
    result.save(path)
    return path.read_bytes()


def rendered(folder: Path, *words: object) -> bytes:
    lean = ("--variant", "cpu", "--disparities", "16", "--values", str(folder / "render.npy"))
    assert main(["render", "sgm", *map(str, words), *lean, "--fresh"]) == 0
    return (folder / "render.npy").read_bytes()


def test_every_verb_and_the_api_give_the_same_bytes_of_a_pair(run: Batch, tmp_path: Path) -> None:
    folder = put_pair(tmp_path / "wall")
    views = folder / "left.png", folder / "right.png"
    api = wheatstone.Run("sgm", variant="cpu", disparities=16)
    expected = saved(api(wheatstone.open(*views)), tmp_path / "api.npy")
    assert run(folder, "--values", "npy")[0] == 0
    (written,) = (tmp_path / "out" / "disparity").iterdir()
    assert written.read_bytes() == expected
    assert rendered(tmp_path, *views) == expected
    (ref,) = open_data([str(folder)], None, NO_SOURCE).pairs
    measured, known = values_of(ref), np.load(tmp_path / "api.npy")
    assert np.array_equal(np.where(np.isfinite(measured), measured, known), known)
    words = ["compare", "sgm", "cpu", str(written), *map(str, views), "--disparities", "16"]
    assert main(words) == 0


def test_every_verb_and_the_api_give_the_same_bytes_of_a_scene(tmp_path: Path) -> None:
    api = wheatstone.Run("sgm", variant="cpu", disparities=16)
    result = api(wheatstone.open("scene:garden", size=(96, 64)))
    expected = saved(result, tmp_path / "api.npy")
    assert rendered(tmp_path, "--scene", "garden", "--scene-size", "96x64") == expected
    (ref,) = open_scenes(["garden"], size=(96, 64)).pairs
    assert np.array_equal(values_of(ref), result.disparity, equal_nan=True)


def test_every_verb_and_the_api_give_the_same_bytes_of_a_video(run: Batch, tmp_path: Path) -> None:
    pytest.importorskip("av")
    film = tmp_path / "drive.mkv"
    write_video(film, "ffv1", 3, picture=side_by_side, pixels="bgr0")
    (tmp_path / "drive.truth").mkdir()
    np.save(tmp_path / "drive.truth" / "1.npy", np.full((HEIGHT, WIDTH), SHIFT, np.float32))
    api = wheatstone.Run("sgm", variant="cpu", disparities=16)
    source = wheatstone.open(film, layout="side-by-side")
    expected = saved(api(source, index=1), tmp_path / "api.npy")
    assert run(film, "--values", "npy", "--layout", "side-by-side")[0] == 0
    assert (tmp_path / "out" / "disparity" / "000001.npy").read_bytes() == expected
    assert rendered(tmp_path, film, "--layout", "side-by-side", "--frame", "1") == expected
    (ref,) = open_data([str(film)], None, NO_SOURCE).pairs
    measured = values_of(ref, SourceSpec(layout="side-by-side"))
    assert np.array_equal(measured, api(source, index=1).disparity, equal_nan=True)
    rows = list(csv.DictReader((tmp_path / "out" / "summary.csv").read_text().splitlines()))
    assert [bool(row["bad-2"]) for row in rows] == [False, True, False]


def noisy(seed: int) -> np.ndarray[Any, Any]:
    """Both views of one wall, with the noise of a frame."""
    views = np.hstack(pair(1)).astype(np.int16)
    noise = np.random.default_rng(seed).normal(0, 60, views.shape)
    return np.repeat(np.clip(views + noise, 0, 255).astype(np.uint8)[..., None], 3, 2)


LIVE = (
    "--temporal-alpha",
    "0.3",
    "--persistence",
    "2 of 4",
    "--no-fill-holes",
    "--decimation",
    "2",
)


def test_every_verb_and_the_api_filter_a_video_over_time_alike(run: Batch, tmp_path: Path) -> None:
    pytest.importorskip("av")
    film, halves = tmp_path / "drive.mkv", ("--layout", "side-by-side")
    write_video(film, "ffv1", 5, picture=noisy, pixels="bgr0")
    source = wheatstone.open(film, layout="side-by-side")
    plain = wheatstone.Run("sgm", variant="cpu", disparities=16, fill_holes=False, decimation=2)
    api = plain.replace(temporal_alpha=0.3, persistence="2 of 4")
    assert api.remembers and not plain.remembers
    assert wheatstone.Run.from_toml(api.to_toml()) == api
    results = list(api.over(source))
    expected = [saved(each, tmp_path / "api.npy") for each in results]
    assert saved(api(source, index=4), tmp_path / "alone.npy") != expected[4]
    assert saved(plain(source, index=4), tmp_path / "plain.npy") == saved(
        api(source, index=4), tmp_path / "alone.npy"
    )

    def written(out: str, *words: str) -> list[bytes]:
        assert run(film, "--values", "npy", *halves, *LIVE, *words, out=out)[0] == 0
        names = sorted((tmp_path / out / "disparity").glob("*.npy"))
        return [path.read_bytes() for path in names]

    assert written("one") == expected
    assert written("two", "--processes", "2") == expected
    assert written("threads", "--threads", "3") == expected
    assert written("last", "--frames", "3:5") == expected[3:]
    assert written("last") == expected  # those that were there are made again, unwritten
    series = tmp_path / "%d.npy"
    words = (
        *map(str, (film, *halves)),
        *LIVE,
        "--variant",
        "cpu",
        "--disparities",
        "16",
        "--fresh",
    )
    for frames in ("2:4", "0:5"):  # a second run goes on
        assert main(["render", "sgm", *words, "--values", str(series), "--frames", frames]) == 0
    assert [(tmp_path / f"{n}.npy").read_bytes() for n in range(5)] == expected
    assert rendered(tmp_path, film, *halves, *LIVE, "--frame", "3") == expected[3]


def test_a_film_is_searched_as_far_as_its_calibration_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = write_video(tmp_path / "film.mkv", count=2, picture=noisy)
    (tmp_path / "calib.txt").write_text("cam0=[60 0 32; 0 60 20; 0 0 1]\nndisp=20\nbaseline=100\n")
    words = ("--layout", "side-by-side", "--values", "npy", "--variant", "cpu")
    assert main(["batch", str(film), "--out", str(tmp_path / "out"), *words]) == 0
    assert "32 disparities are searched: calib.txt asks for 20" in capsys.readouterr().err
    source = wheatstone.open(film, layout="side-by-side")
    result = wheatstone.Run("sgm", variant="cpu")(source)
    assert np.load(tmp_path / "out/disparity/000000.npy").tobytes() == result.disparity.tobytes()


def test_frames_of_a_folder_are_filtered_over_time_and_unrelated_pairs_are_not(
    run: Batch, tmp_path: Path
) -> None:
    for side, folder in enumerate(("left", "right")):
        (tmp_path / "walls" / folder).mkdir(parents=True)
        for number in range(3):
            view = np.hsplit(noisy(number), 2)[side]
            assert cv2.imwrite(str(tmp_path / "walls" / folder / f"{number}.png"), view)
    api = wheatstone.Run("sgm", variant="cpu", disparities=16, temporal_alpha=0.3)
    source = wheatstone.open(tmp_path / "walls")
    expected = [saved(each, tmp_path / "api.npy") for each in api.over(source)]
    words = ("--values", "npy", "--temporal-alpha", "0.3")
    code, _, output = run(tmp_path / "walls", *words)
    assert code == 0 and "one worker" in output
    files = sorted((tmp_path / "out" / "disparity").glob("*.npy"))
    assert [path.read_bytes() for path in files] == expected
    pictures = sorted((tmp_path / "walls" / "left").glob("*.png"))
    assert run(*pictures, *words, out="pairs")[0] == 0
    files = sorted((tmp_path / "pairs" / "disparity").rglob("*.npy"))
    alone = [saved(api(source, index=n), tmp_path / "api.npy") for n in range(3)]
    assert [path.read_bytes() for path in files] == alone


def test_batch_judges_pairs_with_truth_as_evaluate_does(
    run: Batch, evaluate: Evaluate, tmp_path: Path
) -> None:
    folder = put_pair(tmp_path / "wall")
    assert run(folder, "--values", "npy")[0] == 0
    out = tmp_path / "out"
    header = (out / "summary.csv").read_text().splitlines()[0]
    (named,) = csv.DictReader((out / "summary.csv").read_text().splitlines())
    assert header.split(",")[-7:] == ["why", *COLUMNS]
    (judged,) = evaluate(folder)["pairs"]
    (written,) = json.loads((out / "summary.json").read_text())["pairs"]
    assert written["figures"] == judged["figures"] and written["figures"].keys() == MEASURES.keys()
    assert (written["convention"], written["judged"]) == ("middlebury", judged["judged"])
    assert float(named["bad-2"]) == judged["figures"]["bad-2"]
    assert float(named["judged density"]) == judged["figures"]["density"]
    (folder / "disparity.png").unlink()
    assert "1 pair is to be computed again" in run(folder, "--values", "npy")[2]
    assert (out / "summary.csv").read_text().splitlines()[0] == header.partition(",convention")[0]


def test_without_truth_or_with_no_judge_the_table_is_as_it_was(
    run: Batch, walls: Path, tmp_path: Path
) -> None:
    folder = put_pair(tmp_path / "wall")
    for words, out in (((walls,), "plain"), ((folder, "--no-judge"), "unjudged")):
        assert run(*words, out=out)[0] == 0
        table = (tmp_path / out / "summary.csv").read_text()
        assert table.splitlines()[0].endswith(",frame,calibration,why")
        (first, *_) = json.loads((tmp_path / out / "summary.json").read_text())["pairs"]
        assert "figures" not in first and "judged" not in first
    assert "judged: none there, no here" in run(folder, "--no-judge", out="plain")[2]
    facts = json.loads((tmp_path / "plain" / "wheatstone-run.json").read_text())["definition"]
    assert not {"judged", "decoding", "convention"} & facts.keys()


def test_a_damaged_truth_is_a_warning_of_batch(run: Batch, tmp_path: Path) -> None:
    folder = put_pair(tmp_path / "wall")
    whole = (folder / "disparity.png").read_bytes()
    (folder / "disparity.png").write_bytes(whole[:60])
    assert run(folder, "--values", "npy")[0] == 0
    (row,) = csv.DictReader((tmp_path / "out" / "summary.csv").read_text().splitlines())
    assert "not judged" in row["warnings"] and "disparity.png" in row["warnings"]
    assert "bad-2" not in row


def test_evaluate_reads_what_batch_reads(evaluate: Evaluate, tmp_path: Path) -> None:
    one, two = put_pair(tmp_path / "shots" / "one", 1), put_pair(tmp_path / "shots" / "two", 2)
    for side, folder in (("left", "image_2"), ("right", "image_3")):
        (tmp_path / "kitti" / folder).mkdir(parents=True)
        (tmp_path / "kitti" / folder / "7.png").write_bytes((one / f"{side}.png").read_bytes())
    (tmp_path / "kitti" / "disp_occ_0").mkdir()
    truth = (one / "disparity.png").read_bytes()
    (tmp_path / "kitti" / "disp_occ_0" / "7.png").write_bytes(truth)
    ways: dict[str, Sequence[object]] = {
        "folder": (one,),
        "pattern": (tmp_path / "shots" / "*" / "left.png",),
        "folders": (one, two),
        "two folders": (tmp_path / "kitti" / "image_2", "--right", tmp_path / "kitti" / "image_3"),
    }
    by_name = {name: evaluate(*words) for name, words in ways.items()}
    counts = {name: len(each["pairs"]) for name, each in by_name.items()}
    assert counts == {"folder": 1, "pattern": 2, "folders": 2, "two folders": 1}
    assert by_name["two folders"]["convention"] == "kitti"
    names = [each["pair"] for each in by_name["folders"]["pairs"]]
    assert names == ["one/left", "two/left"]
    figures = [by_name[name]["pairs"][0]["figures"] for name in ("folder", "pattern", "folders")]
    assert figures[0] == figures[1] == figures[2]


def test_evaluate_takes_calibration_layout_and_rectification_as_batch_does(
    evaluate: Evaluate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = put_pair(tmp_path / "wall")
    plain = evaluate(folder)["pairs"]
    assert evaluate(folder, "--rectify", "off", "--decoding", "software")["pairs"] == plain
    views = folder / "left.png", "--right", folder / "right.png"
    swapped = evaluate(*views, "--layout", "swapped")["pairs"]
    assert swapped[0]["figures"]["bad-4"] > plain[0]["figures"]["bad-4"]
    absent = tmp_path / "absent.toml"
    words = ["evaluate", str(folder), "--calibration", str(absent), "--disparities", "16"]
    assert main([*words, "--variant", "cpu"]) == 2
    assert "absent.toml" in capsys.readouterr().err
    other = tmp_path / "other.txt"
    other.write_text("cam0=[9 0 4; 0 9 3; 0 0 1]\nbaseline=1\nwidth=1000\nheight=70\n")
    words = ["batch", str(folder), "--out", str(tmp_path / "out"), "--calibration", str(other)]
    assert main([*words, "--variant", "cpu"]) == 2
    assert "1000x70" in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert main(["evaluate", "--rectify", "off"]) == 2
    assert "built-in scenes" in capsys.readouterr().err


def test_the_reading_time_of_a_first_frame_excludes_loading_its_decoder(tmp_path: Path) -> None:
    reads: list[str] = []

    class SlowlyLoaded(FrameRef):
        def read(
            self, options: SourceSpec, *, truth: str = ""
        ) -> tuple[wheatstone.Frame, tuple[str, ...]]:
            reads.append(self.name)
            if len(reads) > 1:
                return super().read(options, truth=truth)[0], ()
            loading()
            time.sleep(0.5)
            return super().read(options, truth=truth)[0], ("a remark",)

    folder, run = put_pair(tmp_path), wheatstone.Run("sgm", variant="cpu", disparities=16)
    views = folder / "left.png", folder / "right.png"
    run_frame(RunJob(FrameRef("loaded", *views), run, NO_SOURCE))
    refs = [SlowlyLoaded(name, *views) for name in "ab"]
    done = [run_frame(RunJob(ref, run, NO_SOURCE)) for ref in refs]
    assert reads == ["a", "a", "b"] and not any(result.why for result in done)
    assert 0 < done[0].row["read_ms"] < 500 and "a remark" in done[0].row["warnings"]


def test_pieces_of_a_video_begin_at_key_frames(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mp4", count=150, gop=30)
    run = wheatstone.Run("invert", variant="cpu")
    frames = [FrameRef(f"{n}", film, None, n) for n in range(150)]
    single = [FrameRef(f"{n}", tmp_path / f"{n}.png") for n in range(2)]
    jobs = [RunJob(ref, run, NO_SOURCE) for ref in (*single, *frames)]
    keys = {2 + frame for frame in range(0, 150, 30)}
    assert beginnings(jobs, 2) <= {0, 1, *keys} and {0, 1, 2} <= beginnings(jobs, 2)
    assert len(beginnings(jobs, 2)) > 3
    one_key = write_video(tmp_path / "one.mp4", count=150, gop=150)
    jobs = [RunJob(replace(ref, left=one_key), run, NO_SOURCE) for ref in frames]
    assert beginnings(jobs, 2) == {0, 25, 50, 75, 100, 125}
    assert beginnings(jobs[::50], 2) == {0}


def test_jobs_of_scenes_run_in_processes() -> None:
    run = wheatstone.Run("sgm", variant="cpu", disparities=16)
    refs = open_scenes(["orbit", "garden"], size=(64, 48)).pairs
    jobs = [RunJob(ref, run, NO_SOURCE, Judging("middlebury")) for ref in refs]
    done = list(run_jobs(jobs, run_frame, WorkerPool(processes=2)))
    rows = {each.job.name: each.result.row for each in done if each.result}
    assert rows.keys() == {"orbit", "garden"}
    assert all("figures" in row and row["width"] == 64 for row in rows.values())
