"""The served program and files: a pair that is dropped, and none at all where it may only read."""

import asyncio
import json
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import aiohttp
import numpy as np
import pytest
from PIL import Image

from tests.programs import ROOT
from tests.served_alone import certificate
from tests.serving import serving
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.window.effects import EFFECTS, OPENING, WRITING
from wheatstone.viewer.window.serving.authorisation import Authorisation
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.messages import done_by, read_message
from wheatstone.viewer.window.serving.pictures import KEY, Encoded, ServedPicture
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.server import Server
from wheatstone.viewer.window.serving.uploads import Uploads
from wheatstone.viewer.window.serving.viewer import Resized, Viewer
from wheatstone.viewer.window.serving.viewers import Viewers

pytestmark = pytest.mark.opengl
WORDS = ("invert", "--scene-size", "64x48", "--fresh", "--no-bars")


SENDS = """\
import asyncio, sys
from pathlib import Path
from wheatstone.viewer.window.serving.uploads import Uploads
async def chunks():
    yield b"sent"
uploads = Uploads(Path(sys.argv[1]))
asyncio.run(uploads.receive("a.png", chunks()))
print("sent", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process's locks are those of POSIX")
def test_what_a_killed_program_was_sent_is_gone_when_another_is_sent_something(
    tmp_path: Path,
) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"sent"

    command, pipe = [sys.executable, "-c", SENDS, str(tmp_path)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=ROOT) as killed:
        assert killed.stdout and killed.stdout.readline() == b"sent\n"
        (left,) = tmp_path.iterdir()
        with closing(Uploads(tmp_path)) as neighbours:
            asyncio.run(neighbours.receive("b.png", chunks()))
            assert (left / "a.png").read_bytes() == b"sent"  # it is still in use
            killed.kill()
            killed.wait()
            with closing(Uploads(tmp_path)) as later:
                asyncio.run(later.receive("c.png", chunks()))
                unique = {path.name for path in tmp_path.rglob("*.png")}
                assert unique == {"b.png", "c.png"} and not left.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_pair_that_is_dropped_is_opened(offscreen: OffscreenContext, tmp_path: Path) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await there.look(session) as viewer:
            hello = await viewer.until(lambda: viewer.received)
            headers = there.headers | {"X-Viewer": hello[0]["viewer"]}
            keys = []
            for side in ("left", "right"):
                answer = await session.post(
                    f"{there.address}/upload?name={side}.png",
                    data=(tmp_path / f"{side}.png").read_bytes(),
                    headers=headers,
                )
                keys.append((await answer.json())["id"])
            await viewer.say("drop", ids=["none such", *keys])
            await viewer.until(lambda: there.app.session.source.name.startswith("left.png"))
            assert there.app.session.source.frame(0).is_pair
            await viewer.say("drop", ids=[keys[0]])  # finds the other one beside it
            await viewer.until(lambda: there.app.state.message.startswith("opened as a pair"))

    for side, grey in (("left", 90), ("right", 99)):
        Image.new("L", (40, 30), grey).save(tmp_path / f"{side}.png")
    root = tmp_path / "root"
    root.mkdir()
    with serving(*WORDS, root=root) as there:
        there.run(talk)
    assert list(root.iterdir()) == []


def test_read_only_opens_and_writes_nothing_and_closes_the_own_page_alone(
    offscreen: OffscreenContext, tmp_path: Path
) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        state = there.app.state
        async with await there.look(session) as viewer:
            hello = await viewer.until(lambda: viewer.received)
            await viewer.until(lambda: there.app.started)
            for key, held in (("s", {}), ("s", {"ctrl": True}), ("o", {"ctrl": True})):
                state.messages = Messages()
                await viewer.press(key, f"Key{key.upper()}", **held)
                await viewer.until(lambda: state.message.startswith("read-only"))
            answer = await session.post(
                f"{there.address}/upload?name=a.png",
                data=b"x",
                headers=there.headers | {"X-Viewer": hello[0]["viewer"]},
            )
            assert answer.status == 403

    with serving(*WORDS, root=tmp_path, read_only=True) as there:
        there.run(talk)
    assert list(tmp_path.iterdir()) == []


def test_no_viewer_ends_the_program(offscreen: OffscreenContext, tmp_path: Path) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        state = there.app.state
        async with await there.look(session) as viewer:
            await viewer.until(lambda: there.app.started)
            for key, code in (("Escape", "Escape"), ("Escape", "Escape"), ("q", "KeyQ")):
                await viewer.press(key, code)
            last = await viewer.press("h", "KeyH")
            await viewer.still(last)
            assert state.help and not (state.closing or state.leaving)
            assert viewer.code is None

    with serving(*WORDS, root=tmp_path) as there:
        there.run(talk)


def test_what_writes_and_opens_is_declared_of_effects() -> None:
    assert set(WRITING + OPENING) <= set(EFFECTS)


def test_other_machines_are_served_by_tls(tmp_path: Path) -> None:
    made, key = certificate(tmp_path)
    access = Authorisation("0.0.0.0", secure=True)
    viewers = Viewers()
    served = Served(viewers, Encoder(viewers, "auto", 80), access, Uploads(tmp_path))

    async def talk() -> list[int]:
        trusted = ssl.create_default_context(cafile=str(made))
        statuses = []
        async with aiohttp.ClientSession() as session:
            for host in (f"localhost:{access.port}", f"evil.example:{access.port}"):
                address, headers = (
                    f"https://localhost:{access.port}/icon.png",
                    {"Host": host},
                )
                answer = await session.get(address, headers=headers, ssl=trusted)
                statuses.append(answer.status)
        return statuses

    with closing(Server(served, (made, key))):
        assert asyncio.run(talk()) == [200, 403]
    assert access.address.startswith("https://")


def test_h264_is_for_links_that_prove_slow() -> None:
    picture = ServedPicture(np.zeros((1, 1, 4), np.uint8), {}, 0.0)
    frame = Encoded("jpeg", KEY, 640, 480, bytes(100_000))
    fast, slow = (Viewer(name, lambda _: None) for name in ("fast", "slow"))
    for number in range(1, 10):
        for viewer in (fast, slow):
            viewer.give(frame, picture)
        fast.acknowledge(number)
        time.sleep(0.05)  # 16 Mbit/s
        slow.acknowledge(number)
    assert (fast.slow, slow.slow) == (False, True)


def test_frames_from_elsewhere_are_named_in_the_policy() -> None:
    access = Authorisation("127.0.0.1", frames=("http://localhost:8888",))
    assert "frame-ancestors http://localhost:8888;" in access.headers()["Content-Security-Policy"]
    with pytest.raises(SystemExit):
        parse(["serve", "--frame-origin", "http://x; script-src *"])


def test_pages_of_more_pixels_than_any_screen_get_fewer() -> None:
    content = {"type": "resize", "n": 1, "width": 8192, "height": 8192, "scale": 1}
    (resized,) = done_by(read_message(json.dumps(content)))
    assert isinstance(resized, Resized)
    assert resized.width == resized.height == 5760
    (kept,) = done_by(read_message(json.dumps(content | {"height": 4000})))
    assert kept == Resized(8192, 4000, 1.0)
