"""Recordings: what they hold, what they drop, and that what was written plays in any case."""

import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.offscreen_app import keys, running_app, settle
from tests.patience import PATIENCE, wait_until
from tests.programs import environment
from wheatstone.viewer.choices.panel_choices import RecordingChoice
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.frames.recording import (
    check_source,
    kind_of,
    summary_of,
)
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.film import RecordedFilm, even, fitted
from wheatstone.viewer.io.files.png_pairs import PngPairs
from wheatstone.viewer.io.footage.recorder import Recorder, duration, size_words
from wheatstone.viewer.io.footage.recording import PacketRecorder, PairVideo
from wheatstone.viewer.io.sources.live import LiveSource
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects.writing import has_desktop

av = pytest.importorskip("av", reason="comes with the extra video")
Pixels = NDArray[np.uint8]
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "reference")
RGB, GREY = (19, 33, 3), (19, 33)


def pairs(count: int, shape: tuple[int, ...], seed: int = 0) -> list[tuple[Pixels, Pixels]]:
    random = np.random.default_rng(seed)
    views = random.integers(0, 256, (count, 2, *shape), np.uint8)
    return [(left, right) for left, right in views]


def pictures(path: Path) -> list[Pixels]:
    listed = []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            form = "gray" if frame.format.name == "gray" else "rgb24"
            listed.append(frame.to_ndarray(format=form))
    return listed


def side_by_side(pair: tuple[Pixels, Pixels]) -> Pixels:
    return np.concatenate(pair, axis=1)


@pytest.mark.parametrize("shape", [RGB, GREY, (1, 1, 3), (2, 3)])
def test_pairs_come_back_to_the_bit_with_their_times(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    path, taken = tmp_path / "pairs.mkv", pairs(5, shape)
    times = [0.0, 0.04, 0.0401, 0.5, 9.1]  # the third comes within the same millisecond
    writer = PairVideo(path, 24.0)
    for pair, seconds in zip(taken, times, strict=True):
        writer.add(pair, seconds)
    writer.close()
    for picture, pair in zip(pictures(path), taken, strict=True):
        assert np.array_equal(picture, side_by_side(pair))
    with av.open(str(path)) as container:
        assert container.metadata["WHEATSTONE_LAYOUT"] == "side-by-side"
        stamps = [float(frame.time) for frame in container.decode(video=0)]
    assert stamps == [0.0, 0.04, 0.041, 0.5, 9.1]


def test_a_single_image_is_recorded_as_one(tmp_path: Path) -> None:
    ((view, _),) = pairs(1, RGB)
    writer = PairVideo(tmp_path / "one.mkv", 0.0)
    writer.add((view, None), 0.0)
    writer.close()
    assert np.array_equal(pictures(tmp_path / "one.mkv")[0], view)
    with av.open(str(tmp_path / "one.mkv")) as container:
        assert container.metadata["WHEATSTONE_LAYOUT"] == "pair"


@pytest.mark.parametrize("shape", [RGB, GREY])
def test_a_folder_of_pairs_opens_as_one(tmp_path: Path, shape: tuple[int, ...]) -> None:
    writer, taken = PngPairs(tmp_path / "taken"), pairs(3, shape)
    for number, pair in enumerate(taken):
        writer.add(pair, number / 7)
    writer.close()
    with closing(open_source(SourceSpec(str(tmp_path / "taken")))) as source:
        assert source.length == 3 and source.rate == pytest.approx(7, 1e-4) and not source.notes
        assert source.times is not None
        assert source.times == pytest.approx(np.arange(3) / 7, abs=1e-6)
        for number, (left, right) in enumerate(taken):
            frame = source.frame(number)
            assert frame.right is not None
            assert np.array_equal(frame.left, left) and np.array_equal(frame.right, right)
    times = (tmp_path / "taken" / "times.csv").read_text().splitlines()
    assert times == ["frame,seconds", "0,0.000000", "1,0.142857", "2,0.285714"]
    with pytest.raises(FileExistsError, match="exists already"):
        PngPairs(tmp_path / "taken")


def test_a_folder_opens_that_was_killed_within_a_pair(tmp_path: Path) -> None:
    writer = PngPairs(tmp_path / "taken")
    for number, pair in enumerate(pairs(3, GREY)):
        writer.add(pair, number / 7)
    (tmp_path / "taken/right/000002.png").unlink()
    times = tmp_path / "taken/times.csv"
    times.write_text(times.read_text().rpartition("2,")[0])
    with closing(open_source(SourceSpec(str(tmp_path / "taken")))) as source:
        assert source.length == 2 and source.times is not None
    times.unlink()  # no recording: somebody's pictures, of which one is lost
    with closing(open_source(SourceSpec(str(tmp_path / "taken")))) as source:
        assert source.length == 2 and "left/000002.png" in source.notes[0]


def test_a_recording_of_pairs_can_be_read_wherever_it_ends(tmp_path: Path) -> None:
    path, cut, taken, ends = tmp_path / "p.mkv", tmp_path / "cut.mkv", pairs(3, RGB), list[int]()
    writer = PairVideo(path, 10.0)
    for number, pair in enumerate(taken):
        writer.add(pair, number / 10)
        ends.append(writer.size)
    writer.close()
    whole = path.read_bytes()
    for end in (*ends, *(end - 1 for end in ends[1:]), ends[0] + 20, len(whole) - 1, len(whole)):
        cut.write_bytes(whole[:end])
        frames = pictures(cut)
        assert len(frames) == sum(end >= each for each in ends)
        assert all(map(np.array_equal, frames, map(side_by_side, taken)))


def test_a_whole_recording_of_pairs_is_sought_by_its_cues(tmp_path: Path) -> None:
    path, taken = tmp_path / "p.mkv", pairs(8, RGB)
    writer = PairVideo(path, 10.0)
    for number, pair in enumerate(taken):
        writer.add(pair, number / 10)
    writer.close()
    with av.open(str(path)) as container:
        assert container.duration == 700_000 and container.streams.video[0].average_rate == 10
        container.seek(500_000)
        frame = next(container.decode(video=0))
        assert np.array_equal(frame.to_ndarray(format="rgb24"), side_by_side(taken[5]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frame,seconds\n0,5\n1,7.5\n2,8\n", ""),
        ("frame,seconds\n0,5\n1,7.5\n", ""),  # the program was killed before the last
        ("frame,seconds\n0,5\n", "1 times of 3 pairs"),
        ("frame,seconds\n0,5\n1,7\n2,7\n", "pair 2 is not later than the one before it"),
        ("frame,seconds\n0,5\n2,7\n", "2,7 is not a time of pair 1 (line 3)"),
        ("seconds\n0\n", "the first line is not frame,seconds"),
    ],
)
def test_pairs_play_at_the_pace_that_their_folder_says(
    tmp_path: Path, text: str, message: str
) -> None:
    writer = PngPairs(tmp_path / "taken")
    for pair in pairs(3, GREY):
        writer.add(pair, 0.0)
    times = tmp_path / "taken" / "times.csv"
    times.write_text(text)
    with closing(open_source(SourceSpec(str(tmp_path / "taken")))) as source:
        if message:
            assert source.notes == (f"{times}: {message}; pairs are shown 10 a second",)
            assert source.times is None and source.rate == 10
        else:
            last = 3.0 if "2,8" in text else 5.0
            assert source.times is not None and source.times.tolist() == [0, 2.5, last]


def write_video(path: Path, count: int, codec: str = "libx264", **options: str) -> None:
    """A video of noise whose time stamps begin late."""
    random = np.random.default_rng(4)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = 48, 32, "yuv420p", 8
        stream.options = options
        for number in range(count):
            picture = random.integers(0, 256, (32, 48, 3), np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = 1000 + number, Fraction(1, 25)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def packets(path: Path) -> list[Any]:
    with av.open(str(path)) as container:
        return [packet for packet in container.demux(video=0) if packet.size]


@pytest.mark.parametrize(
    ("name", "codec"), [("v.mp4", "libx264"), ("v.avi", "mpeg4"), ("v.ts", "libx264")]
)
def test_packets_are_kept_as_they_came_from_a_key_frame_on(
    tmp_path: Path, name: str, codec: str
) -> None:
    write_video(tmp_path / name, 30, codec)
    recorder = PacketRecorder(tmp_path / "kept.mkv", "top-bottom")
    with av.open(str(tmp_path / name)) as container:
        stream = container.streams.video[0]
        for number, packet in enumerate(container.demux(stream)):
            if number >= 3:  # within the first group of pictures
                recorder(packet, stream)
    recorder.recorder.stop()
    given = packets(tmp_path / name)
    first = next(n for n, packet in enumerate(given) if n >= 3 and packet.is_keyframe)
    kept = packets(tmp_path / "kept.mkv")
    assert recorder.recorder.written == len(kept) == len(given) - first
    if name != "v.ts":  # whose start codes Matroska replaces by lengths
        assert [bytes(p) for p in kept] == [bytes(p) for p in given[first:]]
    assert [p.is_keyframe for p in kept] == [p.is_keyframe for p in given[first:]]
    shown = pictures(tmp_path / name)[-len(kept) :]
    assert all(map(np.array_equal, pictures(tmp_path / "kept.mkv"), shown))
    for one, other in zip(kept, given[first:], strict=True):
        after = float((other.pts - given[first].pts) * other.time_base)
        assert float((one.pts - kept[0].pts) * one.time_base) == pytest.approx(after, abs=0.002)
    with av.open(str(tmp_path / "kept.mkv")) as container:
        assert container.metadata["WHEATSTONE_LAYOUT"] == "top-bottom"


def test_after_packets_were_dropped_it_goes_on_with_a_key_frame(tmp_path: Path) -> None:
    write_video(tmp_path / "v.mp4", 24, bf="0", sc_threshold="0")  # every eighth is a key frame
    given = packets(tmp_path / "v.mp4")
    recorder, go = PacketRecorder(tmp_path / "kept.mkv"), threading.Event()
    recorder.recorder._most = sum(packet.size for packet in given[:5])
    add = recorder._file.add

    def held_up(item: Any, seconds: float) -> None:
        assert go.wait(10)
        add(item, seconds)

    recorder._file.add = held_up  # type: ignore[method-assign]
    with av.open(str(tmp_path / "v.mp4")) as container:
        stream = container.streams.video[0]
        for number, packet in enumerate(container.demux(stream)):
            if number == 7:  # the fifth was the last for which there was room
                assert recorder.recorder.dropped == 2
                go.set()
                wait_until(lambda: recorder.recorder.written == 5)
                recorder.recorder._most = 2**20
            recorder(packet, stream)
    recorder.recorder.stop()
    kept = [*given[:5], *given[8:]]
    assert (recorder.recorder.written, recorder.recorder.dropped) == (len(kept), 3)
    assert [bytes(p) for p in packets(tmp_path / "kept.mkv")] == [bytes(p) for p in kept]
    assert len(pictures(tmp_path / "kept.mkv")) == len(kept)


def test_packets_that_no_file_keeps_are_refused(tmp_path: Path) -> None:
    recorder = PacketRecorder(tmp_path / "kept.mkv")
    with av.open("testsrc=size=32x24:rate=10", format="lavfi") as container:
        stream = container.streams.video[0]
        recorder(next(container.demux(stream)), stream)
    recorder.recorder.stop()
    assert "wrapped_avframe cannot be kept" in recorder.recorder.error
    assert summary_of(recorder.recorder).startswith(
        f"nothing was recorded to {tmp_path / 'kept.mkv'}"
    )
    with closing(open_source(SourceSpec(size=(32, 24)))) as source:
        with pytest.raises(ValueError, match="sends no packets to record"):
            check_source("packets", source)


class Slow:
    size = 0

    def __init__(self) -> None:
        self.go, self.written = threading.Event(), list[float]()

    def add(self, item: Any, seconds: float) -> None:
        assert self.go.wait(PATIENCE)
        self.written.append(seconds)

    def close(self) -> None:
        pass


def test_what_comes_while_too_much_waits_is_dropped_and_counted() -> None:
    writer = Slow()
    recorder = Recorder(writer, Path("x"), most=30)
    assert recorder.put("first", 10, 0.0)
    wait_until(lambda: not recorder._waiting)  # its bytes count while it is written
    taken = [recorder.put("next", 10, 1.0 + number) for number in range(5)]
    assert taken == [True, True, False, False, False]
    assert not writer.written  # the writer holds nobody up
    writer.go.set()
    recorder.stop()
    assert (recorder.written, recorder.dropped, writer.written) == (3, 3, [0.0, 1.0, 2.0])
    assert not recorder.put("late", 1)


def test_other_sizes_are_fitted_into_the_first(tmp_path: Path) -> None:
    film = RecordedFilm(tmp_path / "f.mp4", 10.0)
    bright = np.full((48, 64, 4), 200, np.uint8)
    film.add(bright, 0.0)
    film.add(bright[:24, :64], 0.5)  # wider: dark above and below
    film.close()
    first, second = pictures(tmp_path / "f.mp4")
    assert first.shape == second.shape == (48, 64, 3)
    assert first.min() > 190 and second[:10].max() < 20 and second[14:34].min() > 185
    assert fitted(bright[..., :3], 48, 64).base is bright
    with pytest.raises(FileExistsError, match=r"f\.mp4: exists already; choose another name"):
        RecordedFilm(tmp_path / "f.mp4", 10.0)


WRITE = """
import sys, numpy as np
from pathlib import Path
from wheatstone.viewer.io.files.film import RecordedFilm
from wheatstone.viewer.io.footage.recording import PairVideo
from wheatstone.viewer.io.footage.recorder import Recorder
path = Path(sys.argv[1])
writer = PairVideo(path, 20.0) if path.suffix == ".mkv" else RecordedFilm(path, 20.0)
recorder = Recorder(writer, path)
for n in range(100_000):
    view = np.full((32, 48, 3), n % 200, np.uint8)
    item = (view, view) if path.suffix == ".mkv" else np.dstack([view, view[..., :1]])
    recorder.put(item, 0, n / 20)
    while recorder.written < n:
        pass
    if n == 95:
        print(flush=True)
        sys.stdin.read()
"""


@pytest.mark.parametrize("name", ["f.mp4", "f.mov", "p.mkv"])
def test_what_a_killed_program_wrote_plays(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    command = [sys.executable, "-c", WRITE, str(path)]
    with subprocess.Popen(command, env=environment(), stdin=-1, stdout=-1) as run:
        assert run.stdout and run.stdout.readline() == b"\n"
        run.send_signal(signal.SIGKILL)
        run.wait(10)
    frames = pictures(path)
    assert len(frames) >= (95 if name == "p.mkv" else 94)  # a film lacks the last picture at most
    for number in (0, 40, len(frames) - 1):
        assert abs(float(frames[number].mean()) - number) < (0.1 if name == "p.mkv" else 3)


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limit[1]))  # Python ignores SIGXFSZ
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


@pytest.mark.parametrize(("name", "most"), [("f.mp4", 25_000), ("p.mkv", 90_000), ("folder", 3000)])
def test_a_full_disk_ends_a_recording_and_what_was_written_plays(
    tmp_path: Path, name: str, most: int, capfd: pytest.CaptureFixture[str]
) -> None:
    path, taken = tmp_path / name, pairs(60, (32, 48, 3))
    with full_disk(most):
        if name == "folder":
            recorder = Recorder(PngPairs(path), path)
        else:
            film = name == "f.mp4"
            recorder = Recorder(RecordedFilm(path, 10.0) if film else PairVideo(path, 10.0), path)
        for number, pair in enumerate(taken):
            item: Any = pair
            if name == "f.mp4":
                item = np.dstack([side_by_side(pair), side_by_side(pair)[..., :1]])
            recorder.put(item, 0, number * 0.1)
        wait_until(lambda: not recorder.running)
        recorder.stop()
    assert "File too large" in recorder.error
    assert recorder.size <= most
    if name == "folder":
        assert not list(path.glob("left/*")) and not list(path.glob(".*"))
    else:
        frames = pictures_until_damage(path)
        assert 5 <= len(frames) <= recorder.written + 1
    if name == "p.mkv":
        assert all(map(np.array_equal, frames, map(side_by_side, taken)))
    assert capfd.readouterr().err == ""


@pytest.mark.opengl
@pytest.mark.parametrize(("name", "most"), [("p.mkv", 30_000), ("f.mp4", 5_000), ("folder", 8_000)])
def test_a_script_that_cannot_record_all_ends_with_an_error(
    name: str,
    most: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steps.txt").write_text("settle\n" + "key .\nsettle\n" * 3 + "wait 20\n")
    words = ["render", "invert", "--scene-size", "97x65", "--script", "steps.txt"]
    with full_disk(most):
        assert main([*words, "--variant", "cpu", "--size", "161x101", "--record", name]) == 2
    err = capsys.readouterr().err
    assert name in err and "File too large" in err
    assert "Errno" not in err and "Traceback" not in err


@pytest.mark.opengl
def test_a_recording_that_is_removed_meanwhile_is_no_success(app: App, tmp_path: Path) -> None:
    app.state.effects.append(("record", "gone.mkv"))
    for _ in range(3):
        app.step()
    wait_until(lambda: app.session.recordings.words.count(" 1 frames"))
    (tmp_path / "gone.mkv").unlink()
    (text,) = app.finish()
    assert "gone.mkv" in text and "removed meanwhile" in text and app.failed


def test_half_a_pair_for_which_there_is_no_room_is_taken_away(tmp_path: Path) -> None:
    flat = np.zeros((64, 64), np.uint8)
    noise = np.random.default_rng(1).integers(0, 256, flat.shape, np.uint8)
    with full_disk(3000), pytest.raises(OSError, match="File too large"):
        PngPairs(tmp_path / "p").add((flat, noise), 0.0)
    assert sorted(path.name for path in (tmp_path / "p").rglob("*")) == ["left", "right"]


def pictures_until_damage(path: Path) -> list[Pixels]:
    listed = []
    with av.open(str(path)) as container:
        try:
            for frame in container.decode(video=0):
                listed.append(frame.to_ndarray(format="rgb24"))
        except av.FFmpegError:
            pass
    return listed


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        (None, "auto", "view"),
        (None, "pairs", "pairs"),
        ("a.mp4", "auto", "view"),
        ("a.MKV", "auto", "pairs"),
        ("folder", "auto", "pairs"),
        ("a.mkv", "view", "view"),
        ("a.mkv", "packets", "packets"),
    ],
)
def test_the_ending_says_what_is_recorded_unless_it_is_chosen(
    name: str | None, kind: str, text: str
) -> None:
    assert kind_of(Path(name) if name else None, RecordingChoice(kind)) == text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--record", "a.avi"), "a.avi: a view is recorded to .mp4 or .mkv or .mov"),
        (("--record", "a.mp4", "--record-as", "pairs"), "pairs are recorded to a folder or .mkv"),
        (("--record", "a.mkv", "--record-as", "packets"), "sends no packets to record"),
        (("--record", "there.mp4"), "there.mp4: exists already"),
        (("--record", "none/a.mp4"), "the folder none does not exist"),
        (("--record", "/proc/a.mp4"), "/proc/a.mp4: cannot be written"),
        (("--record", "/proc/a"), "/proc/a: cannot be made"),
        (("--record", f"{'a' * 300}.mkv"), "aa.mkv: cannot be written (File name too long)"),
    ],
)
def test_what_cannot_be_recorded_is_reported_before_a_window_opens(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.mp4").write_text("mine")
    assert main(["view", *WORDS, "--fresh", *words]) == 2
    assert message in capsys.readouterr().err
    assert main(["render", *WORDS, "--out", "a.png", "--record", "b.mp4"]) == 2
    assert (tmp_path / "there.mp4").read_text() == "mine"


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    with running_app(*WORDS, "--record-rate", "120") as running:
        yield running


def record(app: App, count: int) -> None:
    """Let frames pass until so many more are recorded."""
    now = app.session.recordings._now
    assert now
    count += now.recorder.written
    for _ in range(2000):
        app.step()
        if now.recorder.written >= count:
            return
        time.sleep(0.002)
    raise AssertionError(f"{now.recorder.written} frames recorded: {now.recorder.error}")


@pytest.mark.opengl
def test_a_recording_plays_what_a_step_paused(app: App) -> None:
    for plays in (True, False):
        app.state.paused = not plays
        app.step()
        keys(app, ".")
        assert app.state.paused
        keys(app, "Ctrl+R")
        assert app.state.paused is not plays
        record(app, 2)
        keys(app, "Ctrl+R")
        app.state.paused = True
        settle(app)


@pytest.mark.opengl
def test_a_key_records_the_view_until_it_is_pressed_again(app: App, tmp_path: Path) -> None:
    app.state.paused = False
    keys(app, "Ctrl+R")
    assert "Ctrl+R ends it" in app.state.message
    record(app, 20)
    assert re.fullmatch(r"0:\d\d  ·  2\d frames.*  ·  .*(kB|bytes)", app.session.recordings.words)
    app.state.paused = True
    record(app, 5)
    shown = even(app.session.display.read())  # the picture without its margins
    keys(app, "Ctrl+R")
    settle(app)
    (path,) = tmp_path.iterdir()
    assert path.name == "wheatstone-001.mp4"
    result = re.fullmatch(rf"recorded {path}: (\d+) frames in .* s.*, .* kB", app.state.message)
    assert result and len(pictures(path)) == int(result[1]) >= 20
    buttons = app.state.messages.on_screen.buttons
    assert [button.label for button in buttons] == (
        ["Open", "Open folder"] if has_desktop() else []
    )
    assert app.session.recordings.words == ""
    last = pictures(path)[-1]
    assert last.shape == shown.shape
    assert np.abs(last.mean(axis=2) - shown.mean(axis=2)).mean() < 8


@pytest.mark.opengl
def test_a_still_picture_is_recorded_from_the_beginning_to_the_end(
    app: App, tmp_path: Path
) -> None:
    settle(app)
    app.session.recordings.begin(tmp_path / "still.mp4", RecordingChoice())
    time.sleep(0.3)  # nothing is drawn
    message = app.session.recordings.end()()
    assert message.startswith(f"recorded {tmp_path / 'still.mp4'}: 2 frames")
    first, last = pictures(tmp_path / "still.mp4")
    assert np.array_equal(first.shape, last.shape)


@pytest.mark.opengl
def test_pairs_of_the_frames_shown_are_recorded_once_each(app: App, tmp_path: Path) -> None:
    app.state.effects.append(("record", "pairs.mkv"))
    app.step()
    app.step()
    for _ in range(5):
        keys(app, ".")
        settle(app)
    for text in app.finish():
        assert re.fullmatch(r"recorded pairs\.mkv: 6 frames in .*", text)
    frames = pictures(tmp_path / "pairs.mkv")
    assert len(frames) == 6
    for number, picture in enumerate(frames):
        frame = app.session.source.frame(number)
        assert frame.right is not None
        assert np.array_equal(picture, side_by_side((frame.left, frame.right)))


@pytest.mark.opengl
def test_another_source_ends_a_recording_of_pairs(app: App, tmp_path: Path) -> None:
    app.state.effects.append(("record", "folder"))
    app.step()
    settle(app)
    app.open_source(open_source(SourceSpec(size=(80, 60), seed=1)))
    settle(app)
    assert "ended early: another source is shown" in app.state.message
    assert len(list((tmp_path / "folder" / "left").iterdir())) == 1
    assert app.finish() == [app.state.message]  # for whoever looks at the terminal afterwards


@pytest.mark.opengl
def test_a_recording_that_got_nothing_leaves_no_file(app: App, tmp_path: Path) -> None:
    app.open_source(LiveSource(SourceSpec("lavfi:testsrc=size=64x24:rate=25", layout="swapped")))
    settle(app)
    app.state.recording = RecordingChoice("packets")
    app.state.effects.append(("record", "packets.mkv"))
    wait_until(lambda: app.state.message.startswith("nothing"), app.step)
    message = "nothing was recorded to packets.mkv: packets of wrapped_avframe"
    assert app.state.message.startswith(message)
    assert not (tmp_path / "packets.mkv").exists()


@pytest.mark.opengl
def test_packets_of_a_pipe_are_recorded_as_they_came(app: App, tmp_path: Path) -> None:
    write_video(tmp_path / "v.mkv", 40)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    video = (tmp_path / "v.mkv").read_bytes()
    held = threading.Event()

    def write() -> None:
        with pipe.open("wb") as stream:
            stream.write(video[: len(video) // 2])
            stream.flush()
            held.wait(20)
            stream.write(video[len(video) // 2 :])

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    app.open_source(LiveSource(SourceSpec(str(pipe), layout="side-by-side")))
    settle(app)
    app.state.recording = RecordingChoice("packets")
    keys(app, "Ctrl+R")
    live = app.session.source.live
    assert live and len(live.readers[0].listeners) == 1
    held.set()
    writer.join(20)
    end = time.monotonic() + 10
    while live.readers[0].state == "live" and time.monotonic() < end:
        app.step()
    keys(app, "Ctrl+R")
    settle(app)
    assert not live.readers[0].listeners and "frames in" in app.state.message
    (kept,) = tmp_path.glob("wheatstone*.mkv")
    came = [bytes(packet) for packet in packets(tmp_path / "v.mkv")]
    written = [bytes(packet) for packet in packets(kept)]
    assert written and written == came[-len(written) :]


def test_times_and_sizes_in_words() -> None:
    assert [duration(s) for s in (0.9, 61.0, 3725.0)] == ["0:00", "1:01", "1:02:05"]
    assert [size_words(n) for n in (999, 1500, 2_300_000, 7 * 10**9)] == [
        *("999 bytes", "1.5 kB", "2.3 MB", "7.0 GB")
    ]
