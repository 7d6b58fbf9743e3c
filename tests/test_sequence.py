"""Sequences rendered to numbered files: the choice of frames, resuming, and skipped frames."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.painted_videos import write_video
from tests.programs import environment
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.requests import FrameRange, frame_range
from wheatstone.viewer.io.files.locks import hold
from wheatstone.viewer.io.files.output import UNFINISHED
from wheatstone.viewer.run.measuring.progress import pace

SMALL = ("--variant", "reference", "--disparities", "16")
WORDS = ("render", "sgm", "--scene-size", "48x36", "--size", "64x48", *SMALL)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3", range(94, 97)),  # counted on from the frame shown: the scene is a loop
        ("2:5", range(2, 5)),
        ("94:", range(94, 96)),
        (":2", range(2)),
        (":", range(96)),
    ],
)
def test_a_range_says_which_frames(text: str, numbers: range) -> None:
    assert frame_range(text).numbers(94, 96, "orbit") == numbers


@pytest.mark.parametrize(
    "text", ["0", "-1", "", "::", "5:5", "5:2", "1:2:3", "a:b", "1.5", "9" * 10]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        frame_range(text)


@pytest.mark.parametrize("text", ["96:", "0:97", "200:300"])
def test_frames_beyond_the_last_one_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=rf"--frames {text}: orbit has the frames 0 to 95"):
        frame_range(text).numbers(0, 96, "orbit")
    assert FrameRange("", 96).numbers(5, 96, "orbit") == range(5, 101)


def test_the_pace_follows_from_what_was_made() -> None:
    assert pace(10, 60, 4.0) == ", 2.5 frames/s, about 24 s more"
    assert pace(1, 600, 1.5) == ", 0.667 frames/s, about 15 min more"
    assert pace(1, 5000, 1.5, "pairs") == ", 0.667 pairs/s, about 2 h 5 min more"
    assert pace(10, 0, 4.0) == ", 2.5 frames/s"
    assert pace(0, 60, 4.0) == ""


def write_pairs(folder: Path, count: int) -> None:
    random = np.random.default_rng(1)
    for number in range(count):
        for side in ("left", "right"):
            (folder / side).mkdir(exist_ok=True, parents=True)
            pixels = random.integers(0, 256, (36, 48), np.uint8)
            Image.fromarray(pixels).save(folder / side / f"{number}.png")


def ages(folder: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in folder.glob("*-*[0-9].*")}


@pytest.mark.opengl
def test_a_second_run_makes_only_what_is_missing_or_otherwise_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*WORDS, "--frames", "4:7", "--out", str(tmp_path / "s-%02d.png")]
    words += ["--values", str(tmp_path / "d-%04d.npy"), "--cloud", str(tmp_path / "c-%d.ply")]
    assert main(words) == 0
    names = [f"{n}" for k in (4, 5, 6) for n in (f"s-0{k}.png", f"d-000{k}.npy", f"c-{k}.ply")]
    before = ages(tmp_path)
    assert sorted(before) == sorted(names)
    assert "existed already" not in capsys.readouterr().err
    assert main([*WORDS, "--frame", "5", "--values", str(tmp_path / "alone.npy")]) == 0
    five = np.load(tmp_path / "d-0005.npy")
    assert np.array_equal(five, np.load(tmp_path / "alone.npy"), equal_nan=True)

    picture = (tmp_path / "s-05.png").read_bytes()
    (tmp_path / "s-05.png").write_bytes(picture[:-20])  # cut
    changed = np.load(tmp_path / "d-0006.npy")
    np.save(tmp_path / "d-0006.npy", changed + 1)  # as long as before
    (tmp_path / "c-4.ply").unlink()
    capsys.readouterr()
    assert main(words) == 0
    made = {name for name, age in ages(tmp_path).items() if age != before.get(name)}
    assert made == {"s-05.png", "d-0006.npy", "c-4.ply"}
    with Image.open(tmp_path / "s-05.png") as mended:
        assert mended.size == (64, 48)
        mended.verify()
    assert np.array_equal(changed, np.load(tmp_path / "d-0006.npy"), equal_nan=True)

    before = ages(tmp_path)
    assert main(words) == 0
    assert ages(tmp_path) == before
    assert "3 of 3 frames existed already" in capsys.readouterr().err
    assert main([*words, "--p1", "9"]) == 0  # another recipe
    assert all(age != before[name] for name, age in ages(tmp_path).items())


@pytest.mark.opengl
def test_a_changed_frame_of_the_same_size_and_time_is_made_again(tmp_path: Path) -> None:
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for number in range(3):
            pixels = np.random.default_rng(number).integers(0, 256, (36, 48), np.uint8)
            Image.fromarray(pixels).save(tmp_path / side / f"{number}.pgm")
    out = tmp_path / "out"
    out.mkdir()
    files = ["--out", str(out / "s-%d.png"), "--values", str(out / "d-%d.npy")]
    words = ["render", "sgm", str(tmp_path), "--size", "64x48", *SMALL, "--frames", "0:3", *files]
    assert main(words) == 0
    before, place = ages(out), tmp_path / "left" / "1.pgm"
    state = place.stat()
    place.write_bytes((tmp_path / "left" / "2.pgm").read_bytes())
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert place.stat().st_size == state.st_size
    assert main(words) == 0
    after = ages(out)
    assert {name for name in before if after[name] != before[name]} == {"s-1.png", "d-1.npy"}
    again = ["render", str(out / "s-1.png"), "--out", str(tmp_path / "again.png")]
    assert main(again) == 0  # its recipe still restores the view


@pytest.mark.opengl
def test_what_a_killed_run_left_half_written_is_deleted(tmp_path: Path) -> None:
    left, other = (tmp_path / f"{UNFINISHED}{name}.png" for name in ("left", "held"))
    left.touch()
    with other.open("wb") as file:
        assert hold(file)  # another run writes it
        assert main([*WORDS, "--frames", "2", "--out", str(tmp_path / "s-%d.png")]) == 0
        assert not left.exists() and other.exists()


@pytest.mark.opengl
def test_damaged_frames_of_a_video_are_counted_and_end_in_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_video(tmp_path / "a.mkv", "mpeg4", count=24, gop=24)
    words = ["render", "invert", str(path), "--variant", "cpu", "--frames", ":"]
    assert main([*words, "--out", str(tmp_path / "good-%02d.png")]) == 0
    assert "damaged frames" not in capsys.readouterr().err
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 2, len(content) * 3 // 4, 7):
        content[place] ^= 0xFF
    path.write_bytes(bytes(content))
    assert main([*words, "--out", str(tmp_path / "bad-%02d.png")]) == 1
    assert "damaged frame" in capsys.readouterr().err


@pytest.mark.opengl
def test_what_changes_is_measured_over_the_same_frames_however_a_run_goes(tmp_path: Path) -> None:
    words = [*WORDS, "--over-time", "noise", "--over-frames", "4"]
    whole, alone = [*words, "--out", str(tmp_path / "s-%02d.png")], str(tmp_path / "alone.png")
    assert main([*whole, "--frames", "0:7"]) == 0
    pictures = [np.asarray(Image.open(tmp_path / f"s-0{n}.png")) for n in range(7)]
    assert (pictures[5] != pictures[6]).any()
    for number in (1, 2, 6):
        (tmp_path / f"s-0{number}.png").unlink()
    assert main([*whole, "--frames", "0:7"]) == 0
    assert main([*words, "--frame", "6", "--out", alone]) == 0
    for number in (1, 2, 6):
        again = np.asarray(Image.open(tmp_path / f"s-0{number}.png"))
        assert np.array_equal(again, pictures[number])
    assert np.array_equal(np.asarray(Image.open(alone)), pictures[6])


@pytest.mark.opengl
def test_frames_of_a_live_source_are_never_there_already(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["render", "invert", "lavfi:testsrc=size=64x48:rate=50", "--fresh", "--frames", "2"]
    words += ["--out", str(tmp_path / "s-%d.png"), "--values", str(tmp_path / "v-%d.npy")]
    assert main(words) == 0
    before = ages(tmp_path)
    assert len(before) == 4
    assert main(words) == 0
    assert all(age != before[name] for name, age in ages(tmp_path).items())
    assert "existed already" not in capsys.readouterr().err


@pytest.mark.opengl
def test_every_frame_of_a_live_source_is_another_one(tmp_path: Path) -> None:
    words = ["render", "invert", "lavfi:testsrc2=size=320x240:rate=20", "--fresh", "--no-bars"]
    assert main([*words, "--frames", "1:6", "--out", str(tmp_path / "s-%d.png")]) == 0
    unique = {np.asarray(Image.open(path)).tobytes() for path in tmp_path.glob("s-*.png")}
    assert len(unique) == 5


@pytest.mark.opengl
def test_one_picture_of_what_changes_waits_for_the_frames_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = "split[a][b];[b]noise=alls=90:allf=t[c];[a][c]hstack"
    graph = f"testsrc2=size=96x48:rate=50,{noisy}"
    words = ["render", "sgm", *SMALL, f"lavfi:{graph}", "--layout", "side-by-side", "--fresh"]
    words += ["--no-bars", "--size", "96x48"]

    def picture(name: str, *more: str) -> bytes:
        assert main([*words, *more, "--out", str(tmp_path / name)]) == 0
        return np.asarray(Image.open(tmp_path / name)).tobytes()

    result, noise = picture("a.png"), ("--over-time", "noise", "--over-frames", "4")
    assert picture("b.png", *noise) != result
    monkeypatch.setattr(TemporalChoice, "span", 1)  # one frame has no noise: its result is shown
    assert picture("c.png", *noise) == result


@pytest.mark.opengl
def test_a_frame_that_cannot_be_read_is_named_and_the_rest_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_pairs(tmp_path / "in", 4)
    (tmp_path / "in" / "left" / "2.png").write_text("no picture")
    words = [*WORDS[:2], *SMALL, str(tmp_path / "in"), "--values", str(tmp_path / "d-%d.npy")]
    assert main(words) == 1
    errors = capsys.readouterr().err
    assert "frame 2: " in errors and "2.png" in errors
    assert "1 of 4 frames skipped: 2\n" in errors
    assert [(tmp_path / f"d-{n}.npy").exists() for n in range(4)] == [True, True, False, True]
    write_pairs(tmp_path / "in", 4)  # mended
    assert main(words) == 0


@pytest.mark.opengl
def test_a_film_leaves_out_what_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    av = pytest.importorskip("av", reason="comes with the extra video")
    write_pairs(tmp_path / "in", 3)
    (tmp_path / "in" / "right" / "0.png").write_text("no picture")
    film = tmp_path / "f.mp4"
    assert main([*WORDS[:2], *SMALL, str(tmp_path / "in"), "--out", str(film)]) == 1
    assert "1 of 3 frames skipped: 0\n" in capsys.readouterr().err
    with av.open(str(film)) as result:
        assert len(list(result.decode(video=0))) == 2


@pytest.mark.opengl
def test_ctrl_c_leaves_whole_files_and_the_next_run_goes_on(tmp_path: Path) -> None:
    words = [*WORDS, "--values", str(tmp_path / "d-%02d.npy")]
    command = [sys.executable, "-m", "wheatstone", *words]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) as run:
        while not (tmp_path / "d-01.npy").exists() and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, output = run.communicate(timeout=60)
    assert run.returncode == 130
    assert b"of 96 frames are written; the same command" in output
    written = sorted(tmp_path.glob("d-*.npy"))
    assert len(written) < 96 and all(np.load(path).shape == (36, 48) for path in written)
    assert len(list(tmp_path.iterdir())) == len(written) + 1  # and the record
