"""``wheatstone batch``: what is written of every source, resuming, what fails, who computes."""

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from tests.batch_runs import HEIGHT, SHIFT, WIDTH, Run, files_in, pair, rows
from tests.dask_jobs import cluster_program
from tests.pictures import read
from tests.programs import environment
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.pairs import _file_names

ALL = ("--values", "npy", "pfm", "tiff", "png", "--depth", "npy", "--cloud", "ply", "pcd")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two workers."""
    pytest.importorskip("distributed")
    with cluster_program(2) as (address, _):
        yield address


def test_values_are_those_of_the_pipeline_and_the_table_tells_of_them(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    code, _, err = run(walls, *ALL, "--side-by-side")
    assert code == 0 and "wrote 4 of 4 pairs" in err
    left, right = pair(2)
    expected = (
        compute(
            SGM,
            "reference",
            SGM.params().changed(disparities=16),
            left=left,
            right=right,
            camera=np.array((WIDTH, 0), np.float32),
        )
        / 16
    )
    result = np.load(tmp_path / "out" / "disparity" / "2.npy")
    known = np.isfinite(result)
    assert np.array_equal(result[known], expected[known]) and np.all(expected[~known] < 0)
    assert np.median(result[known]) == SHIFT
    depth = np.load(tmp_path / "out" / "depth" / "2.npy")
    assert np.allclose(depth[known], WIDTH / result[known], rtol=1e-6)
    with Image.open(tmp_path / "out" / "picture" / "2.png") as picture:
        pixels = np.asarray(picture)
    assert pixels.shape == (HEIGHT, 2 * WIDTH, 3)
    assert np.array_equal(pixels[:, :WIDTH], np.repeat(left[..., None], 3, 2))
    table = rows(tmp_path / "out")
    assert [row["pair"] for row in table] == ["0", "1", "2", "3"]
    files = str(walls / "left" / "2.png"), str(walls / "right" / "2.png"), ""
    assert (table[2]["left"], table[2]["right"], table[2]["frame"]) == files
    assert float(table[2]["density"]) == pytest.approx(100 * known.mean(), abs=1e-3)
    document = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (document["variant"], document["failed"], len(document["pairs"])) == ("cpu", [], 4)
    assert document["pairs"][2]["left"] == files[0] and document["pairs"][2]["frame"] is None


def test_a_second_run_does_what_is_missing_or_changed(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    words = (walls, "--values", "npy")
    assert run(*words)[0] == 0
    out = tmp_path / "out" / "disparity"
    before = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    assert "4 of 4 pairs were done before" in run(*words)[2]
    (out / "1.npy").unlink()
    (out / "2.npy").write_bytes((out / "2.npy").read_bytes()[:-4])
    (walls / "left" / "3.png").write_bytes((walls / "left" / "0.png").read_bytes())
    code, _, err = run(*words)
    assert code == 0 and "1 of 4 pairs were done before" in err
    after = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    assert [name for name in sorted(before) if after[name] == before[name]] == ["0.npy"]
    assert "pairs were done before" not in run(*words, "--restart", "--p1", "9")[2]
    assert len(rows(tmp_path / "out")) == 4


def test_files_of_a_removed_pair_are_named_and_stay(run: Run, walls: Path, tmp_path: Path) -> None:
    words = (walls, "--values", "npy", "pfm")
    assert "no longer in the sources" not in run(*words)[2]
    for side in ("left", "right"):
        (walls / side / "1.png").unlink()
    code, _, err = run(*words)
    (line,) = (line for line in err.splitlines() if "no longer in the sources" in line)
    assert code == 0 and "2 files" in line
    assert line.endswith(": disparity/1.npy, disparity/1.pfm")
    assert {"disparity/1.npy", "disparity/1.pfm"} <= files_in(tmp_path / "out").keys()
    (tmp_path / "out" / "disparity" / "1.npy").unlink()
    assert "1 file of pairs" in run(*words)[2]


def test_the_calibration_that_was_used_is_recorded(run: Run, walls: Path, tmp_path: Path) -> None:
    calibration = walls / "calib.txt"
    calibration.write_text("cam0=[70 0 32; 0 70 20; 0 0 1]\nbaseline=100\n")
    other = tmp_path / "other.txt"
    other.write_text(calibration.read_text())
    for out, words, file in (
        ("beside", (walls,), calibration),
        ("given", (walls, "--calibration", other), other),
    ):
        code, _, err = run(*words, out=out)
        assert code == 0 and f"calibration of 4 pairs: {file}" in err
        assert {row["calibration"] for row in rows(tmp_path / out)} == {str(file)}
        listed = json.loads((tmp_path / out / "summary.json").read_text())["pairs"]
        assert {pair["calibration"] for pair in listed} == {str(file)}
    assert f"calibration of 4 pairs: {other}" in run(*words, out=out)[2]  # of an earlier run
    calibration.unlink()
    code, _, err = run(walls, out="none")
    assert code == 0 and "calibration of" not in err
    assert {row["calibration"] for row in rows(tmp_path / "none")} == {""}


def test_files_that_others_wrote_since_are_not_taken_for_those_of_the_first_run(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    words, file = (walls, "--values", "npy"), tmp_path / "out" / "disparity" / "2.npy"
    assert run(*words)[0] == 0
    first = files_in(tmp_path / "out")
    touched = bytearray(file.read_bytes())
    touched[-1] ^= 1
    file.write_bytes(touched)
    err = run(*words)[2]
    assert "3 of 4 pairs were done before" in err and "1 pair is to be computed again" in err
    assert files_in(tmp_path / "out") == first


def test_a_bad_pair_is_listed_and_the_rest_goes_on(run: Run, walls: Path, tmp_path: Path) -> None:
    whole = (walls / "right" / "1.png").read_bytes()
    (walls / "right" / "1.png").write_bytes(whole[:80])
    cv2.imwrite(str(walls / "right" / "2.png"), np.zeros((3, 3), np.uint8))
    code, _, err = run(walls, "--values", "npy")
    assert code == 1 and "2 pairs failed: 1, 2" in err and "Traceback" not in err
    assert sorted(files_in(tmp_path / "out")) == ["disparity/0.npy", "disparity/3.npy"]
    assert "1.png" in rows(tmp_path / "out")[1]["why"]
    assert "same size" in rows(tmp_path / "out")[2]["why"]
    for number in (1, 2):
        (walls / "right" / f"{number}.png").write_bytes(whole)
    code, _, err = run(walls, "--values", "npy")
    assert code == 0 and "2 of 4 pairs were done before" in err


def test_whoever_computes_the_files_are_the_same(
    run: Run, walls: Path, tmp_path: Path, address: str
) -> None:
    words = (walls, *ALL, "--pictures")
    ways: dict[str, tuple[str, ...]] = {
        "one": ("--threads", "1"),
        "threads": (),
        "processes": ("--processes", "2"),
        "cluster": ("--cluster", address),
        "sent": ("--cluster", address, "--send-files"),
    }
    for way, more in ways.items():
        code, _, err = run(*words, *more, out=way)
        assert code == 0, err
    first = files_in(tmp_path / "one")
    assert len(first) == 4 * 8
    for way in ways:
        assert files_in(tmp_path / way) == first, way
        ours, theirs = (
            [(r["pair"], r["density"], r["warnings"]) for r in rows(tmp_path / name)]
            for name in ("one", way)
        )
        assert ours == theirs
    assert {row["worker"] for row in rows(tmp_path / "cluster")} <= {"127.0.0.1-0", "127.0.0.1-1"}
    assert {row["worker"] for row in rows(tmp_path / "one")} == {""}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--frames", "2"), "0 1"),
        (("--frames", "1:3"), "1 2"),
        (("--every", "2"), "0 2"),
        (("--frames", "1:", "--every", "2", "--limit", "1"), "1"),
    ],
)
def test_pairs_are_chosen(
    run: Run, walls: Path, tmp_path: Path, words: tuple[str, ...], names: str
) -> None:
    assert run(walls, *words)[0] == 0
    assert " ".join(row["pair"] for row in rows(tmp_path / "out")) == names


def test_a_dry_run_writes_nothing(run: Run, walls: Path, tmp_path: Path) -> None:
    code, out, _ = run(walls, "--values", "npy", "--cloud", "ply", "--dry-run")
    assert code == 0 and not (tmp_path / "out").exists()
    assert "walls: 4 pairs, 0 to 3" in out and "disparity/0.npy, cloud/0.ply" in out
    assert "4 of 4 pairs to compute" in out


def test_every_kind_of_source_is_taken_in_turn(run: Run, walls: Path, tmp_path: Path) -> None:
    (walls / "m.json").write_text(
        json.dumps({"pairs": [{"left": "left/0.png", "right": "right/0.png", "name": "../up"}]})
    )
    for side, pixels in zip(("left", "right"), pair(1), strict=True):
        cv2.imwrite(str(tmp_path / f"shot-{side}.png"), pixels)
    words = [walls, walls / "m.json", tmp_path / "shot-*.png", walls / "left" / "[01].png"]
    code, _, err = run(*words, "--values", "npy")
    assert code == 0, err
    unique = {row["pair"] for row in rows(tmp_path / "out")}
    assert unique >= {"walls/0", "walls/3", "m/up", "pairs/shot-left", "pairs/walls_left_0"}
    assert len(unique) == 4 + 1 + 3
    values = [tmp_path / "out" / "disparity" / f"{name}.npy" for name in ("walls/0", "m/up")]
    assert values[0].read_bytes() == values[1].read_bytes()
    assert not (tmp_path / "out" / "up.npy").exists()


def test_two_folders_and_a_film_of_them(run: Run, walls: Path, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    words = (walls / "left", "--right", walls / "right", "--video", "mp4")
    code, _, err = run(*words)
    assert code == 0 and "left.mp4" in err
    with av.open(str(tmp_path / "out" / "left.mp4")) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert [frame.shape for frame in frames] == [(HEIGHT, 2 * WIDTH, 3)] * 4
    code, _, err = run(tmp_path / "out" / "left.mp4", "--layout", "side-by-side", out="of-film")
    assert code == 0 and [row["pair"] for row in rows(tmp_path / "of-film")][-1] == "000003"


def test_names_of_pairs_never_leave_the_folder() -> None:
    names = ["../a", "/etc/passwd", "A", "a", "", "..", "x" * 300, "b\0\n", "b", "b-000008"]
    result = _file_names(names)
    assert len({name.casefold() for name in result}) == len(names)
    for name in result:
        assert name and "/" not in name and not name.startswith(".") and len(name) < 120


def test_a_full_disk_ends_the_run_and_leaves_no_part_of_a_file(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))  # bytes; the values have 10,240
    try:
        code, _, err = run(walls, "--values", "npy")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert code == 2 and "cannot be written (File too large)" in err
    assert "0 of 4 pairs are done; the same command" in err
    assert not files_in(tmp_path / "out")
    assert run(walls, "--values", "npy")[0] == 0


def test_an_interrupted_run_resumes(run: Run, walls: Path, tmp_path: Path) -> None:
    for path in walls.rglob("*.png"):  # which take the reference seconds
        pixels = cv2.imread(str(path), 0)
        assert pixels is not None and cv2.imwrite(str(path), np.tile(pixels, (6, 6)))
    slow = ["--variant", "reference", "--disparities", "256", "--threads", "1"]
    words = ["batch", str(walls), "--out", str(tmp_path / "out"), "--values", "npy", *slow]
    command = [sys.executable, "-m", "wheatstone", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(), stderr=pipe, text=True) as program:
        record = tmp_path / "out" / "batch.jsonl"
        deadline = time.monotonic() + 60
        while not record.is_file() and time.monotonic() < deadline:
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        err = program.communicate(timeout=60)[1]
    assert program.returncode == 130 and "the same command continues" in err
    done = record.read_text().count("\n")
    assert done < 4 and len(rows(tmp_path / "out")) in (done - 1, done)  # it may come in between


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["absent"], "absent: no such file or folder"),
        (["absent/*.png"], "absent/*.png: no file"),
        (["walls/left/0.png", "walls", "--right", "walls"], "--right needs one SOURCE"),
        (["text.txt"], "neither a folder, a video, a robot recording, a manifest nor a picture"),
        (["bad.json"], "bad.json"),
        (["/dev/video0"], "live"),
        (["walls", "--frames", "9:12"], "has the frames 0 to 3"),
        (["walls", "--pictures", "--side-by-side"], "exclude each other"),
        (["walls", "--processes", "2", "--cluster", "tcp://x:1"], "--cluster excludes --processes"),
        (["walls", "--send-files"], "--send-files needs --cluster"),
        (["walls", "--image", "cost"], "sgm: cost is not"),
        (["walls", "--pipeline", "canny", "--cloud", "ply"], "no disparity"),
    ],
)
def test_bad_input_is_refused(
    walls: Path,
    tmp_path: Path,
    words: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("x")
    Path("bad.json").write_text("{")
    code = main(["batch", *words, "--out", "out"])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and says in err and "Traceback" not in err


def test_gpus_need_a_gpu_and_bench_takes_one_machine(
    run: Run, walls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if why_unavailable("cuda"):
        code, _, err = run(walls, "--gpus", "all")
        assert code == 3 and "--gpus needs a CUDA GPU: " in err
    for gpus in ("0,0", "x", ""):
        with pytest.raises(SystemExit) as ended:
            run(walls, "--gpus", gpus)
        assert ended.value.code == 2
    with pytest.raises(SystemExit) as ended:
        main(["bench", "sgm", "--cluster", "tcp://127.0.0.1:8786"])
    assert ended.value.code == 2 and "one GPU" in capsys.readouterr().err


def test_evaluate_judges_alike_on_a_cluster(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", "--scene", "orbit", "garden", "--size", "64x48", "--variant", "cpu"]
    assert main([*words, "--json", "one.json", "--csv", "one.csv", "--state", "one"]) == 0
    more = ["--json", "two.json", "--csv", "two.csv", "--state", "two", "--cluster", address]
    assert main([*words, *more]) == 0
    one, two = (json.loads(Path(name).read_text()) for name in ("one.json", "two.json"))
    assert one["mean"] == two["mean"]
    assert all(each["worker"].startswith("127.0.0.1-") for each in two["pairs"])
    assert "worker" not in one["pairs"][0] and ",worker,device,why" in Path("two.csv").read_text()
    assert main([*words, *more[:4], "--state", "two"]) == 0  # who judged it before stays named
    assert json.loads(Path("two.json").read_text()) == two


def test_png_levels_change_sizes_not_pixels_and_compute_nothing_again(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    assert run(walls, "--values", "png")[0] == 0
    assert run(walls, "--values", "png", "--png-level", "9", out="small")[0] == 0
    fast, small = (files_in(tmp_path / out) for out in ("out", "small"))
    assert sum(map(len, small.values())) < sum(map(len, fast.values()))
    for name in fast:
        one, other = (read(tmp_path / out / name, cv2.IMREAD_UNCHANGED) for out in ("out", "small"))
        assert np.array_equal(one, other)
    code, _, err = run(walls, "--values", "png", "--png-level", "9")
    assert code == 0 and "4 of 4 pairs were done before" in err
    assert files_in(tmp_path / "out") == fast


def test_rows_are_measured_of_the_first_pair_unless_of_all_or_none(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    for number in range(2):
        scene = cv2.GaussianBlur(random.integers(0, 256, (240, 320 + SHIFT), np.uint8), (7, 7), 0)
        for side, view in {"left": scene[:, :320], "right": scene[:, SHIFT:]}.items():
            (tmp_path / "pairs" / side).mkdir(parents=True, exist_ok=True)
            assert cv2.imwrite(str(tmp_path / "pairs" / side / f"{number}.png"), view)
    words = ["--variant", "cpu", "--disparities", "16", "--no-confidence"]
    measured = {}
    for name, more in {"some": [], "all": ["--rows"], "none": ["--no-rows"]}.items():
        out = tmp_path / name
        assert main(["batch", str(tmp_path / "pairs"), *words, *more, "--out", str(out)]) == 0
        measured[name] = [bool(row["rows_off"]) for row in rows(out)]
    expected = {"some": [True, False], "all": [True] * 2, "none": [False] * 2}
    assert measured == expected
