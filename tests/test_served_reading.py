"""Files opened from a served page that take for ever to read stop nobody, and are given up."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")

import aiohttp

import tests.hanging
from tests.patience import wait_until
from tests.programs import ROOT, environment
from tests.serving import Client, serving
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.window.serving.authorisation import SUBPROTOCOL

pytestmark = pytest.mark.opengl
WORDS = ("invert", "--scene-size", "64x48", "--fresh", "--no-bars")
LIMIT = 2.0  # seconds


async def drop(session: aiohttp.ClientSession, viewer: Client, address: str, token: str) -> None:
    """Drop a file on the page."""
    hello = await viewer.until(lambda: viewer.received)
    headers = {"Authorization": f"Bearer {token}", "Origin": address}
    answer = await session.post(
        f"{address}/upload?name=mine.toml",
        data=b"view = 1\n",
        headers=headers | {"X-Viewer": hello[0]["viewer"]},
    )
    await viewer.say("drop", ids=[(await answer.json())["id"]])


def test_viewers_are_answered_while_a_file_hangs_which_is_given_up(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    latencies: list[float] = []
    given_up = "opening mine.toml was cancelled after 2 s"

    async def talk(session: aiohttp.ClientSession) -> None:
        state, neighbours = there.app.state, there.app.background
        async with await there.look(session) as viewer, await there.look(session) as other:
            await viewer.until(lambda: there.app.started and other.frames)
            await drop(session, viewer, there.address, there.served.access.token)
            await viewer.until(lambda: neighbours.opening)
            while neighbours.opening:
                begin, count = time.perf_counter(), len(other.frames)
                pressed = await viewer.press("m", "KeyM")
                await viewer.until(lambda: viewer.frames[-1].seen >= pressed)  # noqa: B023
                await other.until(lambda: len(other.frames) > count)  # noqa: B023
                answer = await session.get(f"{there.address}/session", headers=there.headers)
                assert answer.status == 200
                latencies.append(time.perf_counter() - begin)
            # A key that was pressed meanwhile may have a newer message.
            await viewer.until(lambda: any(given_up in str(each) for each in state.messages.log))

    monkeypatch.setattr(
        "wheatstone.viewer.window.effects.opening.understood", tests.hanging.understood
    )
    monkeypatch.setattr("wheatstone.viewer.window.serving.served_window.OPENING", LIMIT)
    with serving(*WORDS, root=tmp_path) as there:
        there.run(talk)
    assert len(latencies) > 3
    assert max(latencies) < LIMIT / 2


def test_a_source_that_hangs_or_ends_its_reader_is_not_opened_here(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        state = there.app.state
        async with await there.look(session) as viewer:
            await viewer.until(lambda: there.app.started)
            await drop(session, viewer, there.address, there.served.access.token)
            await viewer.until(lambda: "ended unexpectedly" in state.message)

    monkeypatch.setattr("wheatstone.viewer.window.effects.opening.understood", tests.hanging.ended)
    with serving(*WORDS, root=tmp_path) as there:
        there.run(talk)


def test_ctrl_c_ends_the_program_while_a_file_hangs_and_no_process_shows_the_token(
    tmp_path: Path,
) -> None:
    async def talk(address: str, token: str) -> None:
        async with aiohttp.ClientSession() as session:
            protocols = (SUBPROTOCOL, token)
            socket = await session.ws_connect(f"{address}/ws", protocols=protocols, origin=address)
            async with Client(socket) as viewer:
                await viewer.until(lambda: viewer.frames)
                await drop(session, viewer, address, token)
                await asyncio.to_thread(wait_until, lambda: readers(program.pid))
                await asyncio.sleep(0.5)  # it hangs
                for process in (program.pid, *readers(program.pid)):
                    listed = Path(f"/proc/{process}")
                    assert token.encode() not in (listed / "cmdline").read_bytes()
                    assert token.encode() not in (listed / "environ").read_bytes()
                program.send_signal(signal.SIGINT)
                await viewer.until(lambda: viewer.code)

    command = [sys.executable, "-m", "tests.hanging", "serve", *WORDS, "--root", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
    ) as program:
        assert program.stdout
        address, _, token = program.stdout.readline().strip().partition("/#")
        asyncio.run(talk(address, token))
        assert program.wait(60) == 130
    assert not list(tmp_path.iterdir())


def readers(program: int) -> list[int]:
    children = Path(f"/proc/{program}/task").glob("*/children")
    listed = [int(word) for path in children for word in path.read_text().split()]
    return [one for one in listed if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
