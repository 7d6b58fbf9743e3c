"""Live sources: test sources, streams of the network and pipes stand in for cameras."""

import os
import shlex
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.offscreen_app import keys, running_app
from tests.painted_videos import number_in, write_video
from tests.patience import PATIENCE
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.cli.script_player import finish
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.io.footage.address import Address
from wheatstone.viewer.io.footage.feed import KEPT, Feed, borrow, give_back
from wheatstone.viewer.io.footage.pairing import Shot
from wheatstone.viewer.io.footage.planes import pixels_of
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.settings.trust import foreign_files
from wheatstone.viewer.window.app import App

av = pytest.importorskip("av", reason="live sources need PyAV")

NUMBERED = r"lavfi:nullsrc=size=64x48:rate={rate},format=gray,geq=lum=mod(N\,256)"
"""A source whose frames are as grey as their number says."""
PAIR = (
    "lavfi:testsrc2=size=336x240:rate=30,split[a][b];[a]crop=320:240:8:0[l];"
    "[b]crop=320:240:16:0[r];[l][r]hstack"
)
"""A pair side by side, 8 px apart."""


def eventually(holds: Callable[[], Any], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def level(source: Source, index: int) -> int:
    return int(source.frame(index).left[10, 10].flat[0])


def followed(source: Source, frames: int, pause: float = 0.0) -> list[int]:
    assert source.live
    seen: list[int] = []
    while len(seen) < frames:
        newest = source.live.newest
        seen.append(level(source, newest))
        source.live.note_shown(newest)
        time.sleep(pause)
        assert eventually(partial(_has_newer, source.live, newest))
    return seen


def _has_newer(live: Feed, number: int) -> bool:
    return live.newest > number


def test_who_is_slow_sees_the_newest_and_the_others_are_counted() -> None:
    with closing(open_source(SourceSpec(NUMBERED.format(rate=60)))) as source:
        assert isinstance(source.live, Feed)
        seen = followed(source, 8, pause=0.15)
        steps = np.diff(seen)
        assert np.all(steps >= 2)  # 9 frames come in that time; none is waited for
        assert source.live.age_taken < 0.15  # however many were not taken
        counted = source.live.counters
    assert counted.shown == 8 and counted.lost == 0 and counted.skew is None
    assert counted.replaced == pytest.approx(counted.received - counted.shown, abs=3)
    assert counted.received >= seen[-1] - seen[0]


def test_a_frame_stays_while_it_is_kept_and_the_reader_goes_on() -> None:
    with closing(open_source(SourceSpec(NUMBERED.format(rate=60)))) as source:
        assert source.live
        seen = followed(source, KEPT + 4)
        last = source.live.newest - 1
        received = source.live.counters.received
        kept = [level(source, number) for number in range(last - 3, last + 1)]
        assert kept == seen[-4:]
        assert eventually(lambda: source.live and source.live.counters.received > received + 5)
        assert level(source, last) == seen[-1]  # a pause
        assert level(source, source.live.newest) != seen[-1]
        assert source.frame(0).index == source.live.oldest > 0


def test_two_devices_are_paired_by_their_times() -> None:
    left, right = NUMBERED.format(rate=30), NUMBERED.format(rate=30).replace("nullsrc", "color")
    with closing(open_source(SourceSpec(left, right))) as source:
        assert source.live
        followed(source, 5)
        counted = source.live.counters
        assert counted.skew is not None and abs(counted.skew) <= 1000 / 30 / 2 + 1
        assert counted.replaced + counted.shown <= counted.received
        assert source.frame(source.live.newest).right is not None


def ffmpeg() -> str:
    """Where FFmpeg's program is; without it, the test is skipped."""
    program = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg brings the program")
    return str(program.get_ffmpeg_exe())


@contextmanager
def sender(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    source = (
        "-re",
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=320x240:rate=30",
        "-c:v",
        "mpeg4",
        "-g",
        "5",
    )
    line = [ffmpeg(), "-loglevel", "quiet", *source, *words]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def opened(address: str) -> tuple[threading.Thread, list[Source]]:
    ffmpeg()
    listed: list[Source] = []
    thread = threading.Thread(
        target=lambda: listed.append(open_source(SourceSpec(address))), daemon=True
    )
    thread.start()
    return thread, listed


STREAMS = {
    "tcp": ("tcp://127.0.0.1:{port}?listen=1", "-f mpegts tcp://127.0.0.1:{port}"),
    "udp": ("udp://127.0.0.1:{port}", "-f mpegts udp://127.0.0.1:{port}?pkt_size=1316"),
    "rtsp": (
        "rtsp://127.0.0.1:{port}/pair?listen=1",
        "-f rtsp -rtsp_transport tcp rtsp://127.0.0.1:{port}/pair",
    ),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_of_the_network_is_shown_until_nobody_sends(kind: str) -> None:
    port = free_port()
    address, words = (text.format(port=port) for text in STREAMS[kind])
    thread, sources = opened(address)
    time.sleep(0.5)  # until it listens
    with sender(*words.split()):
        thread.join(20)
        assert sources, "nothing came"
        source = sources[0]
        assert (source.width, source.height) == (320, 240) and source.live
        followed(source, 5)
        assert source.live.state == "live" and not source.live.alarm
    assert eventually(lambda: source.live and source.live.state in ("lost", "stalled"))
    last = source.live.newest
    assert source.frame(last).left.any()  # the last frame stays
    assert source.live.alarm.startswith("source: ")
    begun = time.monotonic()
    source.close()
    assert time.monotonic() - begun < 2


def test_a_stream_that_nobody_sends_is_reported_by_the_time() -> None:
    from wheatstone.viewer.io.footage.media import open_media

    with pytest.raises(OSError, match="nothing came in time; nobody sends any"):
        open_media(f"udp://127.0.0.1:{free_port()}", timeout=(0.2, 0.2))


def test_a_pipe_whose_writer_is_killed_is_read_again(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    thread, sources = opened(str(pipe))
    words = ("-f", "mpegts", "-y", str(pipe))
    with sender(*words):
        thread.join(20)
        source = sources[0]
        followed(source, 3)
    live = source.live
    assert live and eventually(lambda: live.state == "lost") and "the stream ended" in live.alarm
    received = live.counters.received
    with sender(*words):
        assert eventually(lambda: live.state == "live" and live.counters.received > received + 5)
    source.close()


def test_a_pipe_that_nobody_writes_gives_up_and_closes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wheatstone.viewer.io.footage.address.OPENS", 0.4)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    before = threading.active_count()
    assert main(["render", str(pipe), "--out", str(tmp_path / "x.png")]) == 2
    errors = capsys.readouterr().err.strip().splitlines()[-1]
    assert errors.endswith("pipe: no frame within 0 s; nobody writes to it")
    assert eventually(lambda: threading.active_count() <= before)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("/dev/video987",), "no such camera; there is"),
        (("rtsp://127.0.0.1:9/x",), "Connection refused"),
        (("lavfi:nosuchfilter",), "Filter not found"),
        (("lavfi:sine,arealtime[out0]",), "holds no video (only audio)"),
        (("lavfi:testsrc", "right.png"), "the other view must also be live"),
        (("lavfi:testsrc", "--video-size", "640x480"), "no camera that could be asked for 640x480"),
        (("lavfi:testsrc=size=321x240", "--layout", "side-by-side"), "is 321 wide"),
        (("lavfi:testsrc", "--rectify", "auto"), "not a single image"),
        (("lavfi:testsrc", "--truth", "x.pfm"), "needs two images"),
        (("lavfi:testsrc=size=320x240", "lavfi:testsrc=size=160x120"), "the same size"),
        (("--frame-rate", "30"), "give its address"),
        (("lavfi:testsrc=size=8194x16",), "at most 8192"),
        (("lavfi:testsrc=size=64x48",), "give a right image too, or --layout"),
        (("lavfi:testsrc=size=64x48", "--frame", "2"), "give a right image too, or --layout"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", *words, "--out", str(tmp_path / "x.png")]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert message in lines[-1] and not any("Traceback" in line for line in lines)


ANSWERS = {
    "http 404": b"HTTP/1.0 404 Not Found\r\n\r\n",
    "rtsp 401": b"RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\n\r\n",
    "rtsp": b"",
}


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """A server that gives one answer to whoever asks, and ends the connection; yields its port."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("http 404", "/x: Server returned 404 Not Found"),
        ("rtsp 401", "/x: Server returned 401 Unauthorized"),
        ("rtsp", "/x: no RTSP answer came within 5 s"),
    ],
)
def test_the_answer_of_a_server_is_the_cause(kind: str, message: str) -> None:
    with answering(ANSWERS[kind]) as port:
        address = Address(f"{kind.split()[0]}://127.0.0.1:{port}/x")
        with pytest.raises(OSError, match=message), address.opened(threading.Event()):
            pass


@pytest.mark.parametrize("scheme", ["rtsp", "http", "tcp"])
def test_a_host_that_has_no_address_is_the_cause(scheme: str) -> None:
    address = Address(f"{scheme}://no.such.host.invalid:9/x")
    with pytest.raises(OSError, match=r"/x: no\.such\.host\.invalid: ") as raised:
        with address.opened(threading.Event()):
            pass
    assert "Input/output" not in str(raised.value)


def test_sources_of_one_device_share_its_reader() -> None:
    with closing(open_source(SourceSpec(PAIR))) as first:
        with closing(open_source(SourceSpec(PAIR, layout="side-by-side"))) as second:
            assert first.live and second.live
            assert first.live.readers[0] is second.live.readers[0]
            assert (second.width, second.height) == (320, 240)
        assert first.live.state == "live"
        followed(first, 3)


def test_packets_are_handed_on_as_they_came(tmp_path: Path) -> None:
    heard: list[tuple[int, object]] = []
    address, before = Address(NUMBERED.format(rate=60)), set(threading.enumerate())
    shots: list[int] = []
    reader = borrow(address, lambda shot: shots.append(int(pixels_of(shot.view)[0, 0])))

    def hear(packet: Any, stream: Any) -> None:
        heard.append((packet.size, stream))
        raise OSError("the disk is full")  # ends nothing

    reader.listeners += (hear,)
    assert eventually(lambda: len(heard) > 5 and len(shots) > 5)
    give_back(reader, reader.takers[0])
    assert all(size > 0 for size, _ in heard) and len({id(stream) for _, stream in heard}) == 1
    assert shots == list(range(shots[0], shots[0] + len(shots)))
    assert eventually(lambda: set(threading.enumerate()) <= before)


def test_a_recipe_opens_the_same_source_again_but_a_strangers_has_to_ask(tmp_path: Path) -> None:
    with closing(open_source(SourceSpec(PAIR, layout="side-by-side"))) as source:
        spec = source.spec
    assert spec == SourceSpec(PAIR, layout="side-by-side")
    with closing(open_source(spec)) as again:
        assert again.frame(0).right is not None
    assert foreign_files(tmp_path / "settings.toml", spec) == (PAIR,)
    inside = SourceSpec(str(tmp_path / "left.png"))
    assert foreign_files(tmp_path / "settings.toml", inside) == ()


def steps(app: App, until: Callable[[], bool]) -> None:
    """Let frames pass until something holds."""
    begun = time.monotonic()
    while not until():
        assert time.monotonic() - begun < PATIENCE
        app.step()


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_the_window_follows_pauses_and_writes_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with running_app("mean", PAIR, "--layout", "side-by-side", "--variant", "cpu") as app:
        live, state = app.session.source.live, app.state
        assert live
        state.paused = False
        steps(app, lambda: live.counters.shown > 4)
        keys(app, "Space")
        frame, shown = state.frame, live.counters.shown
        received = live.counters.received
        steps(app, lambda: live.counters.received > received + 3)
        assert (state.frame, live.counters.shown) == (frame, shown)
        left = app.session.frames.frame(frame).left
        keys(app, ",")
        assert state.frame == frame - 1
        state.frame = frame
        app.step()
        keys(app, "S")
        finish(app)
    recipe = read_recipe(tmp_path / "wheatstone-001.png")
    assert recipe and "layout" not in recipe["source"]
    spec = SourceSpec.from_dict(recipe["source"])
    assert not foreign_files(tmp_path / "wheatstone-001.png", spec, recipe["seal"])
    with closing(open_source(spec)) as still:
        assert np.array_equal(still.frame(0).left, left) and still.frame(0).right is not None


def test_a_pipe_loses_neither_its_only_key_frame_nor_its_last_frames(tmp_path: Path) -> None:
    """All but the first frame need the one before; the decoder holds the last ones back."""
    count = 40
    film = write_video(tmp_path / "a.ts", "libx264", count, gop=1000, b_frames=2, form="mpegts")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    shown: list[int] = []

    def take(shot: Shot) -> None:
        shown.append(number_in(shot.view))

    writer = subprocess.Popen(["cp", str(film), str(pipe)])
    reader = borrow(Address(str(pipe)), take)
    try:
        assert eventually(lambda: len(shown) >= count), shown
    finally:
        give_back(reader, take)
        writer.kill()
        writer.wait()
    assert shown[:count] == list(range(count))


def test_frames_of_a_live_source_need_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for frames in ((), ("--frames", "3:")):
        out = str(tmp_path / "x-%03d.png")
        assert main(["render", "invert", PAIR, *frames, "--out", out]) == 2
        assert "--frames N or A:B" in capsys.readouterr().err


def test_standard_input_is_a_pipe_too(tmp_path: Path) -> None:
    program = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg brings the program")
    source = "-re -f lavfi -i testsrc2=size=160x120:rate=30 -c:v mpeg4 -f mpegts -"
    sends = subprocess.Popen(
        [program.get_ffmpeg_exe(), "-loglevel", "quiet", *source.split()], stdout=subprocess.PIPE
    )
    line = [
        sys.executable,
        "-m",
        "wheatstone",
        "render",
        "invert",
        "-",
        "--out",
        str(tmp_path / "x.png"),
    ]
    done = subprocess.run(line, stdin=sends.stdout, capture_output=True, text=True, timeout=60)
    sends.kill()
    sends.wait()
    assert done.returncode == 0, done.stderr
    assert "standard input: 160x120" in done.stderr


@pytest.mark.opengl
def test_a_pipe_that_has_ended_ends_what_waits_for_more(tmp_path: Path) -> None:
    sent = write_video(tmp_path / "a.ts", count=9, form="mpegts").read_bytes()
    words = ["render", "invert", "-", "--frames", "500", "--out", str(tmp_path / "x-%03d.png")]
    line = [sys.executable, "-m", "wheatstone", *words, "--variant", "cpu"]
    done = subprocess.run(line, input=sent, capture_output=True, timeout=60)
    output = done.stderr.decode()
    assert done.returncode == 2 and "of 500 frames are written" in output
    assert "standard input has ended before frame " in output
    assert 1 <= len(list(tmp_path.glob("x-*.png"))) <= 9


def test_sources_says_what_is_there_and_what_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sources"]) == 0
    output = capsys.readouterr().out
    assert "camera" in output and "rtsp://" in output
    examples = [shlex.split(line)[1:] for line in output.splitlines() if "lavfi:" in line]
    assert len(examples) == 2
    for words in examples:
        state, source = open_view(parse([*words, "--fresh"]))
        with closing(source):
            assert (source.width, source.height) in ((1280, 720), (640, 480))
            if not source.frame(0).is_pair:
                chosen(state).check_single_image(source.name)
