"""The served program and files: a pair that is dropped, and none at all where it may only read."""

from pathlib import Path

import aiohttp
import pytest
from PIL import Image

from tests.serving import serving
from viewer.screen.offscreen import OffscreenContext

pytestmark = pytest.mark.opengl
WORDS = ("invert", "--scene-size", "64x48", "--fresh", "--no-bars")


def test_a_pair_that_is_dropped_is_opened(offscreen: OffscreenContext, tmp_path: Path) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        async with await there.look(session) as viewer:
            hello = await viewer.until(lambda: viewer.told)
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
            await viewer.until(lambda: there.app.state.message.endswith("beside each other"))

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
            hello = await viewer.until(lambda: viewer.told)
            await viewer.until(lambda: there.app.started)
            for key, held in (("s", {}), ("s", {"ctrl": True}), ("o", {"ctrl": True})):
                state.message = ""
                await viewer.press(key, f"Key{key.upper()}", **held)
                await viewer.until(lambda: state.message.startswith("read-only"))
            answer = await session.post(
                f"{there.address}/upload?name=a.png",
                data=b"x",
                headers=there.headers | {"X-Viewer": hello[0]["viewer"]},
            )
            assert answer.status == 403
            await viewer.press("q", "KeyQ")
            await viewer.until(lambda: viewer.code)
            assert viewer.code == 4001
            assert viewer.told[-1]["type"] == "bye"
        async with await there.look(session) as next_one:
            await next_one.until(lambda: next_one.frames)

    with serving(*WORDS, root=tmp_path, read_only=True) as there:
        there.run(talk)
    assert list(tmp_path.iterdir()) == []
