"""Folders that belong to one run: another run, a second one at once, files of others, removal."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.runner import run as run_benchmark
from tests.batch_runs import Run, files_in, pair, rows
from tests.patience import wait_until
from tests.programs import environment
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.files.folders import folder_below, own_folder
from wheatstone.viewer.io.files.journal import LARGEST_WHOLE, fingerprint
from wheatstone.viewer.io.files.run_folder import NAME, RunDefinition, RunFolder
from wheatstone.viewer.io.files.sole_writer import LOCK, sole_writer
from wheatstone.viewer.io.reading.regular_files import MIB

VALUES = ("--values", "npy")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/proc/absent", "/proc/absent: the folder cannot be made (No such file or directory)"),
        ("/absent/inner", "/absent/inner: the folder /absent does not exist"),
    ],
)
def test_a_folder_that_cannot_be_made_is_named_with_the_reason(path: str, reason: str) -> None:
    with pytest.raises(OSError, match=re.escape(reason)):
        own_folder(Path(path))


@pytest.mark.parametrize(
    ("words", "difference"),
    [
        (["--preset", "fast"], "preset: none there, fast here"),
        (["--p1", "9"], "p1: 35 there, 9 here"),
        (["--values", "npy", "png"], "values: npy there, npy png here"),
        (["--pictures"], "pictures: none there, alone here"),
        (["--rectify", "off"], "rectify: none there, off here"),
    ],
)
def test_another_run_into_the_folder_is_refused(
    run: Run, walls: Path, tmp_path: Path, words: list[str], difference: str
) -> None:
    assert run(walls, *VALUES, "--frames", "2")[0] == 0
    before = _everything(tmp_path / "out")
    code, _, err = run(walls, *VALUES, "--frames", "1", *words)
    assert code == 2 and err.count("\n") == 1 and difference in err, err
    assert "choose another --out, or give --restart" in err
    assert _everything(tmp_path / "out") == before


def test_another_source_is_refused_and_restart_removes_the_earlier_run(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run(walls, *VALUES, "--pictures", "--cloud", "ply")[0] == 0
    (out / "notes.txt").write_text("mine")
    (out / "picture" / "0.png").write_bytes(b"mine")
    shutil.copytree(walls, tmp_path / "others")
    assert "source: " in run(tmp_path / "others", *VALUES, "--pictures", "--cloud", "ply")[2]
    code, _, err = run(tmp_path / "others", *VALUES, "--frames", "1", "--restart")
    assert code == 0 and "1 file is kept" in err and "picture/0.png" in err
    assert sorted(files_in(out)) == ["disparity/0.npy", "picture/0.png"]
    assert (out / "notes.txt").read_text() == "mine"
    assert [row["pair"] for row in rows(out)] == ["0"]


def test_the_same_run_with_other_frames_extends_the_folder_and_its_summary(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run(walls, *VALUES, "--frames", "2:4")[0] == 0
    code, _, err = run(walls, *VALUES, "--limit", "1")
    assert code == 0 and "wrote 1 of 1 pairs" in err and "earlier" not in err
    assert "1 of them in earlier runs" in run(walls, *VALUES, "--limit", "1")[2]
    assert [row["pair"] for row in rows(out)] == ["0", "2", "3"]
    document = json.loads((out / "summary.json").read_text())
    assert all(type(each["disparities"]) is int for each in document["pairs"])
    assert {name for each in document["pairs"] for name in each["files"]} == set(files_in(out))
    for side in ("left", "right"):
        (walls / side / "3.png").unlink()
    assert run(walls, *VALUES, "--limit", "2")[0] == 0
    assert [row["pair"] for row in rows(out)] == ["0", "1", "2", "3"]
    assert "no longer have this pair" in rows(out)[3]["warnings"]


def test_a_changed_input_of_the_same_size_and_time_is_noticed(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    place = walls / "left" / "1.pgm"
    for side, pixels in zip(("left", "right"), pair(1), strict=True):
        (walls / side / "1.png").unlink()
        cv2.imwrite(str(walls / side / "1.pgm"), pixels)
    assert run(walls, *VALUES)[0] == 0
    before, state = files_in(tmp_path / "out"), place.stat()
    cv2.imwrite(str(place), pair(7)[0])
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (place.stat().st_size, place.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    err = run(walls, *VALUES)[2]
    assert "3 of 4 pairs were done before" in err and "1 pair is to be computed again, 1" in err
    assert "replaced" not in err
    after = files_in(tmp_path / "out")
    assert [name for name in before if after[name] != before[name]] == ["disparity/1.npy"]
    (tmp_path / "out" / "disparity" / "2.npy").write_bytes(b"mine")
    assert "1 changed file is replaced: disparity/2.npy" in run(walls, *VALUES)[2]
    for path in walls.rglob("*.p*"):
        path.touch()  # which changes nothing that is read
    assert "4 of 4 pairs were done before" in run(walls, *VALUES)[2]


def test_of_a_large_file_blocks_from_its_beginning_to_its_end_count(tmp_path: Path) -> None:
    path, unique = tmp_path / "film", set()
    with path.open("wb") as file:
        file.truncate(LARGEST_WHOLE + MIB)
    for place in (0, LARGEST_WHOLE // 2, LARGEST_WHOLE + MIB - 1):
        unique.add(fingerprint(path))
        state = path.stat()
        with path.open("rb+") as file:
            file.seek(place)
            file.write(b"x")
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert len(unique | {fingerprint(path)}) == 4
    assert fingerprint(tmp_path / "absent") == ""


@pytest.mark.parametrize("name", ["disparity/2.npy", "summary.csv", NAME])
def test_files_of_others_are_not_replaced(run: Run, walls: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "out" / name).parent.mkdir(parents=True)
    (tmp_path / "out" / name).write_text("mine")
    before = _everything(tmp_path / "out")
    code, _, err = run(walls, *VALUES)
    assert code == 2 and str(tmp_path / "out" / name) in err and "Traceback" not in err
    assert _everything(tmp_path / "out") == before
    assert (run(walls, *VALUES, "--force")[0] == 0) == (name != NAME)


def test_a_folder_of_an_earlier_version_is_refused_until_restart(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    assert run(walls, *VALUES)[0] == 0
    (tmp_path / "out" / NAME).unlink()
    code, _, err = run(walls, *VALUES, "--frames", "1")
    assert code == 2 and "earlier version" in err and "--restart" in err
    assert run(walls, *VALUES, "--frames", "1", "--restart")[0] == 0
    assert list(files_in(tmp_path / "out")) == ["disparity/0.npy"]


def test_a_second_run_at_once_is_refused_and_a_dead_one_holds_nothing(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    with _slow_run(walls, tmp_path / "out") as program:
        wait_until((tmp_path / "out" / NAME).is_file)
        code, _, err = run(walls, *VALUES)
        assert code == 2 and f"another run is writing to it (process {program.pid})" in err
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    code, _, err = run(walls, *VALUES)
    assert "belongs to another run" in err  # no longer because of the lock
    assert run(walls, *VALUES, "--restart")[0] == 0
    assert not [path for path in _everything(tmp_path / "out") if Path(path).name.startswith(".")]


def test_a_folder_that_is_removed_ends_the_run_with_its_name(walls: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with _slow_run(walls, out) as program:
        wait_until((out / "disparity").is_dir)
        out.rename(tmp_path / "gone")
        err = program.communicate(timeout=60)[1]
    assert program.returncode == 2 and f"{out}: the folder was removed during the run" in err
    assert "Traceback" not in err and not out.exists()


def test_files_that_are_removed_during_the_run_are_named_at_the_end(
    walls: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with _slow_run(walls, out) as program:
        record = out / "batch.jsonl"
        wait_until(lambda: record.is_file() and '"pair": "0"' in record.read_text())
        (out / "disparity" / "0.npy").unlink()
        err = program.communicate(timeout=60)[1]
    assert program.returncode == 1 and "wrote 3 of 4 pairs" in err
    assert "1 file is missing or changed: disparity/0.npy" in err and "1 pair failed: 0" in err
    assert "removed or changed" in rows(out)[0]["why"]


def test_a_definition_from_a_stranger_names_no_file_outside_of_its_folder(
    run: Run, walls: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert run(walls, *VALUES)[0] == 0
    document = json.loads((tmp_path / "out" / NAME).read_text())
    for name in ("../mine.txt", str(tmp_path / "mine.txt"), "a/../../mine.txt"):
        changed = {**document, "files": [name]}
        (tmp_path / "out" / NAME).write_text(json.dumps(changed))
        code, _, err = run(walls, *VALUES, "--restart")
        assert code == 2 and "must be the name of a file in this folder" in err
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    changed = {**document, "files": ["link/mine.txt"]}
    (tmp_path / "out" / NAME).write_text(json.dumps(changed))
    code, _, err = run(walls, *VALUES, "--restart")
    assert code == 2 and (tmp_path / "mine.txt").read_text() == "mine"


def test_locks_follow_no_link_and_folders_are_made_in_no_linked_one(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for link in (os.symlink, os.link):
        link(tmp_path / "mine", tmp_path / LOCK)
        with pytest.raises(OSError, match=LOCK), sole_writer(tmp_path):
            pass
        (tmp_path / LOCK).unlink()
    assert (tmp_path / "mine").read_text() == "mine"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "to").symlink_to(tmp_path)
    with pytest.raises(FileExistsError, match="a link is in the way"):
        folder_below(tmp_path / "out", tmp_path / "out" / "to" / "new")
    folder_below(tmp_path / "out", tmp_path / "out" / "a" / "b")
    assert (tmp_path / "out" / "a" / "b").is_dir()


def test_a_preset_of_the_same_parameters_is_no_difference(tmp_path: Path) -> None:
    def opened(preset: str, **parameters: object) -> RunFolder:
        return RunFolder(tmp_path, RunDefinition("x", {"preset": preset, "parameters": parameters}))

    opened("a", p1=(1, 2)).claim(["file"])
    assert opened("b", p1=(1, 2)).differences == []
    assert opened("a", p1=(1, 3)).differences == ["p1: 1 2 there, 1 3 here"]
    assert opened("b", p1=(1, 3)).differences == ["preset: a there, b here"]


def test_a_report_is_not_written_over_pages_of_others(
    walls: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.html").write_text("mine")
    assert main(["report", "--quick", "--out", str(out)]) == 2
    err = capsys.readouterr().err
    assert f"{out}/index.html: not written by this run" in err and "--force" in err
    assert _everything(out) == {"index.html": b"mine"}


@contextmanager
def _slow_run(walls: Path, out: Path) -> Iterator["subprocess.Popen[str]"]:
    """Run ``batch`` as a program in a process group of its own, for some seconds."""
    for path in walls.rglob("*.png"):
        pixels = cv2.imread(str(path), 0)
        assert pixels is not None and cv2.imwrite(str(path), np.tile(pixels, (4, 4)))
    slow = ["--variant", "reference", "--disparities", "64", "--threads", "1"]
    words = ["batch", str(walls), "--out", str(out), *VALUES, *slow]
    with subprocess.Popen(
        [sys.executable, "-m", "wheatstone", *words],
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        yield program


def _everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_killed_runs_leave_no_file_half_written_lost_or_mixed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_benchmark(["kills", "--kills", "2", "--pairs", "6", "--processes", "1"]) == 0
    assert "no file is half written, lost or mixed" in capsys.readouterr().out
