"""The served program: who is let in, what is sent to whom, and what it refuses."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import numpy as np
import pytest

from tests.fuzz.messages import message
from tests.serving import LOST, SIZE, Client, Received, Serving, serving
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.keys.palette.finding import offered
from wheatstone.viewer.window.serving.admission import MOST_OF_ADDRESS
from wheatstone.viewer.window.serving.authorisation import SUBPROTOCOL
from wheatstone.viewer.window.serving.messages import SIZES
from wheatstone.viewer.window.serving.uploads import Uploads, plain_name
from wheatstone.viewer.window.serving.viewers import MOST_VIEWERS

pytestmark = pytest.mark.opengl
CONVERSATIONS = 40  # with hostile messages, each until it is ended
WORDS = ("invert", "--scene-size", "64x48", "--fresh", "--no-bars")


@pytest.fixture(scope="module")
def here(
    offscreen: OffscreenContext, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving]:
    """The program, served; files of at most 1,000 bytes are taken, 1,500 together."""
    root = tmp_path_factory.mktemp("served")
    with serving(*WORDS, root=root, uploads=Uploads(root, 1000, 1500)) as running:
        yield running


async def _status(session: aiohttp.ClientSession, here: Serving, **changed: str | None) -> int:
    """Ask to look, with other headers than the page's own; return what the answer is."""
    token = changed.pop("token", here.served.access.token)
    headers = {"Origin": here.address, **changed}
    given = {name.title(): value for name, value in headers.items() if value is not None}
    try:
        async with session.ws_connect(
            f"{here.address}/ws", protocols=(SUBPROTOCOL, token or ""), headers=given
        ):
            return 101
    except aiohttp.WSServerHandshakeError as error:
        return error.status


def test_only_its_own_page_with_the_token_may_look(here: Serving) -> None:
    port = here.served.access.port

    async def talk(session: aiohttp.ClientSession) -> list[int]:
        return [
            await _status(session, here),
            await _status(session, here, Origin=f"http://localhost:{port}"),
            await _status(session, here, Origin="http://evil.example"),
            await _status(session, here, Origin=f"https://127.0.0.1:{port}"),
            await _status(session, here, Origin="null"),
            await _status(session, here, Origin=None),
            await _status(session, here, token="wrong"),
            await _status(session, here, token=None),
            await _status(session, here, Host=f"evil.example:{port}"),
            await _status(session, here, Host="127.0.0.1"),
            await _status(session, here, Host=f"127.0.0.1.evil.example:{port}"),
        ]

    assert here.run(talk) == [101, 101, *[403] * 9]


def test_the_page_needs_no_token_and_what_it_asks_first_does(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        for name, kind in (("", "text/html"), ("icon.png", "image/png")):
            answer = await session.get(f"{here.address}/{name}")
            assert (answer.status, answer.content_type) == (200, kind)
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'")
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cache-Control"] == "no-store"
        rebound = await session.get(here.address, headers={"Host": "evil.example"})
        assert (rebound.status, len((await rebound.text()).splitlines())) == (403, 1)
        for path in ("/../pyproject.toml", "/%2e%2e/pyproject.toml", "/x.js", "/file/x/y"):
            answer = await session.get(f"{here.address}{path}", headers=here.headers)
            assert answer.status == 404
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        asked = f"{here.address}/session"
        good = await session.get(asked, headers=here.headers)
        text = await good.json()
        assert text["read_only"] is False
        assert text["upload_limit"] == 1000
        assert {"jpeg", "png"} <= set(text["codecs"])
        wrong = {"Authorization": "Bearer wrong"}
        assert (await session.get(asked)).status == 401
        assert (await session.get(asked, headers=wrong)).status == 401
        foreign = here.headers | {"Origin": "http://evil.example"}
        assert (await session.get(asked, headers=foreign)).status == 403

    here.run(talk)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ((b"GET /session HTTP/1.1", b"Authorization: Bearer \xff\xfe"), b"401"),
        ((b"GET / HTTP/1.1", b"X: " + b"x" * 10_000), b"400"),
        ((b"POST /upload HTTP/1.1", b"Content-Length: " + b"9" * 5000), b"400"),
        ((b"\x16\x03\x01",), b"400"),
    ],
)
def test_requests_that_no_browser_makes_are_refused_without_a_word(
    here: Serving, lines: tuple[bytes, ...], status: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    host = here.address.removeprefix("http://")
    with socket.create_connection(("127.0.0.1", here.served.access.port), 60) as connection:
        connection.sendall(b"\r\n".join((*lines, f"Host: {host}".encode(), b"", b"")))
        assert connection.recv(1000).split()[1] == status
    assert not caplog.records


def test_strangers_who_say_nothing_make_room_for_others(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> int:
        async with await here.look(session) as viewer:
            answer = await session.get(f"{here.address}/session", headers=here.headers)
            await answer.read()  # its connection is kept, and is no stranger's
            silent = [socket.create_connection(at, 60) for _ in range(5 * MOST_OF_ADDRESS)]
            answer = await session.get(f"{here.address}/session", headers=here.headers)
            assert answer.status == 200
            async with aiohttp.ClientSession() as another, await here.look(another) as next_one:
                await next_one.until(lambda: next_one.frames)
            closed = 0
            for connection in silent:
                connection.setblocking(False)
                with suppress(BlockingIOError):
                    closed += connection.recv(1) == b""
                connection.close()
            assert viewer.code is None
        return closed

    at = ("127.0.0.1", here.served.access.port)
    assert 4 * MOST_OF_ADDRESS <= here.run(talk) <= 4 * MOST_OF_ADDRESS + 3


def test_a_still_is_what_the_program_shows_to_the_pixel(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as viewer:
            await viewer.say("resize", width=400, height=300, scale=1)
            pressed = await viewer.press("m", "KeyM")
            still = await viewer.still(pressed)
            first = viewer.frames[0]
            assert (first.codec, first.whole, first.exact) == ("jpeg", True, False)
            assert (still.codec, still.width, still.height) == ("png", 400, 300)
            await asyncio.sleep(1.0)
            viewer.frames.append(await viewer.still(pressed))
            shown.append(viewer.frames[-1].pixels)

    shown: list[np.ndarray] = []
    here.run(talk)
    np.testing.assert_array_equal(shown[0], here.window.read())


def test_nothing_is_drawn_while_nobody_looks_or_nothing_changes(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as viewer:
            await viewer.still()
            await asyncio.sleep(1.5)
            before = (here.window.drawn, here.served.encoder.encoded, len(viewer.frames))
            await asyncio.sleep(1.2)
            assert (here.window.drawn, here.served.encoder.encoded, len(viewer.frames)) == before
            await viewer.say("visible", visible=False)
            here.app.state.paused = False  # it would play
            await asyncio.sleep(0.3)
            drawn = here.window.drawn
            await asyncio.sleep(1.0)
            assert here.window.drawn == drawn
            await viewer.say("visible", visible=True)
            await viewer.until(lambda: here.window.drawn > drawn + 3)
            here.app.state.paused = True

    here.run(talk)


def test_a_slow_viewer_gets_the_newest_and_holds_up_nobody(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as fast, await here.look(session) as slow:
            slow.acknowledges = False
            await fast.until(lambda: fast.frames and slow.frames)
            await asyncio.sleep(1.2)  # both stand
            for _ in range(8):
                pressed = await fast.press("m", "KeyM")
                await fast.until(partial(_has_seen, fast, pressed))
            assert len(slow.frames) == 2
            for frame in slow.frames:
                await slow.acknowledge(frame.number)
            slow.acknowledges = True
            await slow.until(lambda: len(slow.frames) > 2)
            newest = await fast.still(pressed)
            await slow.until(lambda: slow.frames[-1].exact)
            np.testing.assert_array_equal(slow.frames[-1].pixels, newest.pixels)
            assert len(slow.frames) <= 5  # what came between is not sent late

    here.run(talk)


def _has_seen(viewer: Client, number: int) -> bool:
    return bool(viewer.frames) and viewer.frames[-1].seen >= number


def test_a_stream_needs_what_came_before_only_where_it_says_so(here: Serving) -> None:
    av = pytest.importorskip("av")

    async def talk(session: aiohttp.ClientSession) -> list[Received]:
        async with await here.look(session) as viewer, await here.look(session) as other:
            await viewer.still()
            await viewer.say("codec", codec="h264")
            await other.say("codec", codec="h264")
            viewer.frames.clear()
            for _ in range(3):
                pressed = await viewer.press("m", "KeyM")
                await viewer.until(partial(_has_seen, viewer, pressed))
            await viewer.say("again")
            await viewer.until(lambda: sum(frame.whole for frame in _stream(viewer)) >= 2)
            other.acknowledges = False
            pressed = await viewer.press("m", "KeyM")
            await viewer.until(partial(_has_seen, viewer, pressed))
            return _stream(viewer)

    frames = here.run(talk)
    assert frames[0].whole
    assert not all(frame.whole for frame in frames)
    decoder = av.CodecContext.create("h264", "r")
    for frame in frames:
        (picture,) = decoder.decode(av.Packet(frame.content))
        assert (picture.width, picture.height) == here.window.size


def _stream(viewer: Client) -> list[Received]:
    return [frame for frame in viewer.frames if frame.codec == "h264"]


def test_the_first_controls_others_watch_and_may_take_over(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        state = here.app.state
        async with await here.look(session) as one, await here.look(session) as other:
            await one.say("resize", width=400, height=300, scale=1)
            await other.say("resize", width=500, height=360, scale=2)
            await one.until(lambda: one.state.get("viewers") == 2)
            await other.until(lambda: other.state)
            assert (one.state["controls"], other.state["controls"]) == (True, False)
            before = state.colormap
            await other.press("m", "KeyM")
            await one.press("g", "KeyG")
            await one.until(lambda: "histogram" in state.open_panels)
            assert state.colormap == before
            assert here.window.size == (400, 300)
            await other.say("control")
            await other.until(lambda: other.state["controls"] and not one.state["controls"])
            await other.until(lambda: here.window.size == (500, 360))
            assert here.window.scale == 2
            await other.press("g", "KeyG")
            await other.until(lambda: "histogram" not in state.open_panels)
            await one.until(lambda: one.frames[-1].width == 500)
        async with await here.look(session) as third:
            await third.say("resize", width=SIZE[0], height=SIZE[1], scale=1)
            await third.until(lambda: here.window.size == SIZE)

    here.run(talk)


def test_control_passes_on_when_who_had_it_leaves(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as one:
            async with await here.look(session) as other:
                await one.socket.close()
                await other.until(lambda: other.state.get("controls"))

    here.run(talk)


def test_no_more_look_than_there_is_room_for(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        viewers = [await here.look(session) for _ in range(MOST_VIEWERS)]
        async with await here.look(session) as late:
            await late.until(lambda: late.code)
            assert late.code == 4008
        answer = await session.get(f"{here.address}/session", headers=here.headers)
        assert (await answer.json())["full"] is True
        for viewer in viewers:
            await viewer.socket.close()

    here.run(talk)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("no JSON", 1003),
        ("[]", 1003),
        (f'{{"type": "ack", "id": {"9" * 400}}}', 1003),
        (f'{{"type": "ack", "id": {"9" * 5000}}}', 1003),
        ('{"type": "ack", "id": ' + "[" * 30_000, 1003),
        ('{"type": "format the disk", "n": 1}', 1003),
        ('{"type": "resize", "n": 1, "width": 9000, "height": 100, "scale": 1}', 1003),
        ('{"type": "pointer", "n": 1, "kind": "move", "x": NaN, "y": 0}', 1003),
        ('{"type": "wheel", "n": 1, "x": 0, "y": 0, "dx": 0, "dy": 1e999}', 1003),
        ('{"type": "text", "n": 1, "text": "\\ud800"}', 1003),
        (json.dumps({"type": "text", "n": 1, "text": "x" * 4097}), 1003),
        (json.dumps({"type": "text", "n": 1, "text": "x" * 70_000}), 1009),
        (b"\0\1", 1003),
    ],
)
def test_what_is_no_message_ends_the_conversation_and_nothing_else(
    here: Serving, message: str | bytes, code: int
) -> None:
    async def talk(session: aiohttp.ClientSession) -> int | None:
        async with await here.look(session) as viewer:
            if isinstance(message, bytes):
                await viewer.socket.send_bytes(message)
            else:
                await viewer.socket.send_str(message)
            await viewer.until(lambda: viewer.code)
        async with await here.look(session) as next_one:
            await next_one.until(lambda: next_one.frames)
        return viewer.code

    lost = [LOST] if code == 1009 else []  # with the rest of the message, which nobody reads
    assert here.run(talk) in [code, *lost]


def test_too_many_moves_are_dropped_and_too_many_keys_end_the_conversation(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as viewer:
            for _ in range(3000):
                await viewer.say("pointer", kind="move", x=5, y=5)
            await viewer.until(lambda: viewer.frames)
            assert viewer.code is None
            await asyncio.sleep(1.0)
            for _ in range(3000):
                if not viewer.socket.closed:
                    await viewer.press("F20")
            await viewer.until(lambda: viewer.code)
            assert viewer.code == 1008

    here.run(talk)


def test_too_much_text_ends_the_conversation(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as viewer:
            await viewer.say("paste", text="x" * 4096)
            with suppress(ConnectionError):
                for _ in range(100):
                    await viewer.say("paste", text="x" * 4096)
            await viewer.until(lambda: viewer.code)
            assert viewer.code == 1008

    here.run(talk)


def test_text_reaches_the_palette_and_what_is_copied_the_viewer(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        state = here.app.state
        async with await here.look(session) as viewer:
            await viewer.press("P", "KeyP", ctrl=True, shift=True)
            await viewer.until(lambda: state.palette)
            await viewer.say("text", text="co")
            await viewer.say("paste", text="lour\nmäp")
            await viewer.until(lambda: state.palette and state.palette.query == "colourmäp")
            await viewer.press("Escape", "Escape")
            await viewer.until(lambda: not state.palette)
            await viewer.press("l", "KeyL")
            copied = await viewer.until(
                lambda: [text for text in viewer.received if text["type"] == "clipboard"]
            )
            assert copied[0]["text"].startswith("wheatstone view invert")

    here.run(talk)


def test_what_is_written_is_offered(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as viewer:
            await viewer.until(lambda: here.app.started)
            await viewer.press("s", "KeyS", ctrl=True)
            files = await viewer.until(lambda: _three_files(viewer))
            root = here.app.state.bounds.folder
            for text in files:
                asked = f"{here.address}/file/{text['id']}"
                assert (await session.get(asked)).status == 401
                answer = await session.get(asked, headers=here.headers)
                content = await answer.read()
                assert answer.headers["Content-Disposition"].startswith("attachment")
                assert len(content) == text["size"]
                assert content == (root / text["name"]).read_bytes()
        assert np.load(root / "wheatstone-001.npy").shape == (48, 64)
        async with await here.look(session) as next_one:
            await next_one.until(lambda: _three_files(next_one))

    here.run(talk)


def _three_files(viewer: Client) -> list[dict[str, Any]]:
    listed = [text for text in viewer.received if text["type"] == "file"]
    return listed if len(listed) >= 3 else []


def test_files_are_taken_within_bounds(here: Serving) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        headers = here.headers | {"X-Viewer": ""}
        nobody = await session.post(f"{here.address}/upload?name=a", data=b"x", headers=headers)
        assert nobody.status == 403
        async with await here.look(session) as viewer:
            hello = await viewer.until(lambda: viewer.received)
            headers["X-Viewer"] = hello[0]["viewer"]

            async def send(name: str, size: int, **changed: str) -> int:
                answer = await session.post(
                    f"{here.address}/upload",
                    params={"name": name},
                    data=b"x" * size,
                    headers=headers | changed,
                )
                return answer.status

            assert await send("a.txt", 1000) == 200
            assert await send("b.txt", 1001) == 413
            assert await send("c.txt", 600) == 413  # with the first one
            assert await send("d.txt", 400) == 200
            for name in ("../e.txt", "/etc/e", "..", "", ".hidden", "a\\b", "e\n", "x" * 300):
                assert await send(name, 1) == 400
            assert await send("f.txt", 1, **{"X-Viewer": "another"}) == 403
            assert await send("f.txt", 1, Origin="http://evil.example") == 403
            assert await send("f.txt", 1, Authorization="Bearer wrong") == 401
            assert await send("g.bin", 20, **{"Content-Encoding": "gzip"}) == 200  # as it is
        folder = here.app.state.bounds.folder
        names = sorted(path.name for path in folder.rglob("*.txt"))
        assert names == ["a.txt", "d.txt"]

    here.run(talk)


def test_files_beyond_the_root_are_not_opened(here: Serving, tmp_path: Path) -> None:
    from PIL import Image

    outside = tmp_path / "left.png"
    Image.new("L", (40, 30)).save(outside)
    state, root = here.app.state, here.app.state.bounds.folder
    (root / "link.png").symlink_to(outside)
    (root / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "loop").symlink_to(root / "loop")
    (root / "listed").mkdir()
    for side in ("left", "right"):
        Image.new("L", (40, 30)).save(root / "listed" / f"{side}.png")
    pair = f'left = "left.png"\nright = "right.png"\ntruth = "{outside}"\n'
    (root / "listed" / "manifest.toml").write_text(f"[[pairs]]\n{pair}")

    async def refused(viewer: Client, why: str, *effect: str) -> None:
        state.messages = Messages()
        state.effects.append(effect)
        await viewer.press("F20")
        await viewer.until(lambda: why in state.message)

    async def talk(session: aiohttp.ClientSession) -> None:
        async with await here.look(session) as viewer:
            for path in (str(outside), str(root / "link.png"), f"{root}/../{outside.name}"):
                await refused(viewer, "the served folder", "open", path)
            await refused(viewer, "the served folder", "open", str(root / "listed"))
            await refused(viewer, "no such file", "open", str(root / "loop"))
            await refused(viewer, "the served folder", "open", "~nobody-by-that-name/x")
            await refused(viewer, "from the command line", "open", "rtsp://127.0.0.1/x")
            await refused(viewer, "the served folder", "save settings", "../escaped")
            await viewer.press("o", "KeyO", ctrl=True)
            await viewer.until(lambda: state.palette)
            assert state.palette and state.palette.query == f"{root}/"
            for typed in ("~nobody-by-that-name/", f"{tmp_path}/"):
                state.palette = replace(state.palette, query=typed)
                assert "./" not in [entry.name for entry in offered(state)]
            await viewer.press("Escape", "Escape")
            await viewer.until(lambda: not state.palette)
        assert not (root.parent / "escaped.toml").exists()

    here.run(talk)


def test_hostile_messages_do_no_harm(here: Serving) -> None:
    """It comes last of those that share the program, which may show anything afterwards."""
    random = Random(5)

    async def talk(session: aiohttp.ClientSession) -> None:
        for _ in range(CONVERSATIONS):
            async with await here.look(session) as viewer:
                with suppress(ConnectionError):
                    while not viewer.socket.closed:
                        await viewer.socket.send_str(message(random))
                        await asyncio.sleep(0)
                await viewer.until(lambda: viewer.code)
                assert viewer.code in (1003, 1009, LOST)
            here.app.state.effects.clear()
        await asyncio.sleep(0.1)

    here.run(talk)
    assert not here.served.viewers.by_name
    assert SIZES[0] <= min(here.window.size) <= max(here.window.size) <= SIZES[1]


@pytest.mark.parametrize("name", ["left.png", "Bild ä.tif", "a..b.png"])
def test_names_of_files_are_kept(name: str) -> None:
    assert plain_name(name) == name


def test_the_verb_says_where_the_page_is_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "wheatstone", "serve", *WORDS, "--root", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    address, _, token = process.stdout.readline().strip().partition("/#")
    assert address.startswith("http://127.0.0.1:")
    assert len(token) >= 43  # 32 bytes
    port = address.rpartition(":")[2]
    process.send_signal(signal.SIGINT)
    _, output = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"ssh -L {port}:127.0.0.1:{port}" in output
    assert "Traceback" not in output


def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "wheatstone", "serve", *WORDS, "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 is in use" in done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--host", "0.0.0.0"), "--insecure"),
        (("--root", "/nowhere"), "/nowhere"),
        (("--tls", "/nowhere/cert", "/nowhere/key"), "/nowhere/cert"),
        (("--tls", __file__, __file__), __file__),
        (("--read-only", "--record", "x.mkv"), "--read-only"),
    ],
)
def test_what_would_be_unsafe_is_refused(
    words: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *WORDS, *words]) == 2
    assert text in capsys.readouterr().err
