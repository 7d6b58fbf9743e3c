"""Files that are sent to a served program: which count, and how slowly one may come."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")

import aiohttp

from tests.served_page import Host, hosting
from wheatstone.viewer.window.serving import server
from wheatstone.viewer.window.serving.uploads import MOST_FILES, TooLargeError, Uploads
from wheatstone.viewer.window.serving.viewer import Viewer


async def chunks(*sizes: int) -> AsyncIterator[bytes]:
    """Yield chunks of these sizes."""
    for size in sizes:
        yield b"x" * size


async def refused(uploads: Uploads, name: str, *sizes: int) -> None:
    """Send a file that is not taken."""
    with pytest.raises(ValueError):
        await uploads.receive(name, chunks(*sizes))


def test_refused_files_do_not_count_and_taken_ones_do(tmp_path: Path) -> None:
    async def send() -> None:
        for number in range(MOST_FILES + 10):
            await refused(uploads, "../a", 1)
            await refused(uploads, f"large-{number}", 60, 60)
        for number in range(MOST_FILES):
            await uploads.receive(f"{number}", chunks(1))
        with pytest.raises(TooLargeError, match="200 files"):
            await uploads.receive("one more", chunks(1))

    with closing(Uploads(tmp_path, 100, 1000)) as uploads:
        asyncio.run(send())
        assert sum(path.is_file() for path in tmp_path.rglob("*[0-9]")) == MOST_FILES


def test_files_that_arrive_count_and_those_that_were_deleted_do_not(tmp_path: Path) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    async def send() -> None:
        arriving = [
            asyncio.create_task(uploads.receive(f"{number}", endless()))
            for number in range(MOST_FILES)
        ]
        await asyncio.sleep(0.1)
        await refused(uploads, "one more", 1)
        for task in arriving:
            task.cancel()
        await asyncio.gather(*arriving, return_exceptions=True)
        for number in range(4):
            await uploads.receive(f"{number}", chunks(100, 100))
        await refused(uploads, "5", 201)
        for path in tmp_path.rglob("[0-9]"):
            path.unlink()
        await uploads.receive("6", chunks(201))

    with closing(Uploads(tmp_path, 400, 1000)) as uploads:
        asyncio.run(send())


@contextmanager
def controlled(root: Path) -> Iterator[tuple[Host, dict[str, str]]]:
    with hosting(root) as host:
        host.served.viewers.join(Viewer("one", lambda _: None))
        access = host.served.access
        origin = f"http://127.0.0.1:{access.port}"
        yield (
            host,
            {"Authorization": f"Bearer {access.token}", "X-Viewer": "one", "Origin": origin},
        )


def test_a_body_of_a_byte_a_second_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def drip() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(1.0)

    async def send() -> tuple[int, str]:
        async with aiohttp.ClientSession() as session:
            answer = await session.post(
                f"{headers['Origin']}/upload?name=a.png", data=drip(), headers=headers
            )
            return answer.status, await answer.text()

    monkeypatch.setattr(server, "CHUNK_SECONDS", 1.5)
    with controlled(tmp_path) as (_, headers):
        status, output = asyncio.run(send())
    assert status == 408 and "65,536 bytes" in output and "1.5 seconds" in output
    assert not list(tmp_path.rglob("*.png"))


def test_a_file_that_comes_slowly_but_steadily_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steady() -> AsyncIterator[bytes]:
        for _ in range(6):
            yield b"x" * server.CHUNK
            await asyncio.sleep(0.5)

    async def send() -> int:
        async with aiohttp.ClientSession() as session:
            answer = await session.post(
                f"{headers['Origin']}/upload?name=a.png", data=steady(), headers=headers
            )
            return answer.status

    monkeypatch.setattr(server, "CHUNK_SECONDS", 2.0)
    with controlled(tmp_path) as (_, headers):
        assert asyncio.run(send()) == 200
