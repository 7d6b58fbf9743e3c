"""Connections without the token: how many there may be, for how long, and what memory they take."""

import asyncio
import os
import socket
import ssl
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")

from aiohttp import web

from tests.patience import PATIENCE
from tests.programs import ROOT
from tests.served_alone import certificate
from wheatstone.viewer.window.serving import admission
from wheatstone.viewer.window.serving.admission import (
    MOST_OF_ADDRESS,
    MOST_STRANGERS,
    ConnectionAcceptor,
    origin_of,
)

OPEN = 400  # connections that the test holds open at a time
GROWN = 6 * 2**20  # bytes of memory that they may take
HELLO = b"\x16\x03\x01\x02\x00"  # of TLS: a record of 512 bytes, which never come


@dataclass
class Alone:
    """A server in a process of its own.

    Attributes:
        trusted: the context by which its certificate is trusted.
    """

    process: "subprocess.Popen[str]"
    port: int
    token: str
    trusted: ssl.SSLContext

    @property
    def memory(self) -> int:
        """The bytes of memory that the process has."""
        statm = Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(statm.split()[1]) * os.sysconf("SC_PAGESIZE")

    def answers(self) -> bool:
        """Ask for the page's icon; tell whether it came."""
        with (
            socket.create_connection(("127.0.0.1", self.port), PATIENCE) as plain,
            self.trusted.wrap_socket(plain, server_hostname="localhost") as secure,
        ):
            secure.sendall(
                f"GET /icon.png HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode()
            )
            return secure.recv(100).startswith(b"HTTP/1.1 200")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    if sys.platform != "linux":
        pytest.skip("/proc tells what memory a process has")
    folder = tmp_path_factory.mktemp("alone")
    trusted = ssl.create_default_context(cafile=str(certificate(folder)[0]))
    command = [sys.executable, "-m", "tests.served_alone", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout
        port, token = process.stdout.readline().split()
        yield Alone(process, int(port), token, trusted)
        assert process.stdin
        process.stdin.close()


def connect_often(port: int, count: int, first: bytes) -> None:
    """Open connections that send some bytes and then nothing, a few hundred open at a time."""
    kept: deque[socket.socket] = deque()
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        with suppress(ConnectionError):  # turned away already
            connection.sendall(first)
        kept.append(connection)
        if len(kept) > OPEN:
            kept.popleft().close()
    for connection in kept:
        connection.close()


@pytest.mark.parametrize(
    ("first", "count"), [(b"", 4_000), (HELLO, 1_000)], ids=["silent", "half a handshake"]
)
def test_thousands_of_strangers_take_no_memory_and_the_server_answers(
    alone: Alone, first: bytes, count: int
) -> None:
    connect_often(alone.port, OPEN, first)
    assert alone.answers()
    before = alone.memory
    connect_often(alone.port, count, first)
    assert alone.answers()
    assert alone.memory - before < GROWN


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[ConnectionAcceptor, int]]:
    """Listen without TLS; every request is answered, and one for ``/token`` shows the token."""

    async def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/token":
            opened.trust(cast("web.Request", request))
        return web.Response(text="here")

    server = web.Server(answer)
    opened = ConnectionAcceptor(server, None)
    port = await opened.open("127.0.0.1", 0)
    try:
        yield opened, port
    finally:
        opened.close()
        await server.shutdown(0.1)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connect(port: int, path: str = "", source: str = "127.0.0.1") -> Connection:
    """Connect from an address of this machine; ask for a path and wait for the answer, if any."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    if path:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        await reader.readuntil(b"here")
    await asyncio.sleep(0.01)  # it is accepted
    return reader, writer


async def ended(connection: Connection, seconds: float = 0.3) -> bool:
    """Tell whether a connection ends within some seconds."""
    with suppress(TimeoutError, ConnectionError):
        await asyncio.wait_for(connection[0].read(), seconds)
    result = connection[0].at_eof() or connection[0].exception() is not None
    connection[1].close()
    return result


def test_strangers_of_an_address_push_out_each_other_alone_silent_ones_first() -> None:
    async def crowd() -> list[bool]:
        async with listening() as (_, port):
            other = await connect(port, source="127.0.0.2")
            asked = await connect(port, "/page")
            silent = [await connect(port) for _ in range(MOST_OF_ADDRESS + 5)]
            return [await ended(one) for one in (other, asked, silent[0], silent[5], silent[6])]

    assert asyncio.run(crowd()) == [False, False, True, True, False]


def test_strangers_of_many_addresses_are_limited_in_all() -> None:
    async def crowd() -> list[bool]:
        async with listening() as (_, port):
            sources = [f"127.0.0.{2 + number % 3}" for number in range(MOST_STRANGERS + 9)]
            strangers = [await connect(port, source=source) for source in sources]
            return [await ended(stranger, 0.02) for stranger in strangers]

    assert sum(asyncio.run(crowd())) == 9


def test_who_shows_no_token_in_time_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    async def crowd() -> list[bool]:
        async with listening() as (_, port):
            known = await connect(port, "/token")
            asked = await connect(port, "/page")
            silent = await connect(port)
            listed = [await ended(one, 5.0) for one in (silent, asked)]
            return [*listed, await ended(known)]

    monkeypatch.setattr(admission, "SILENCE", 0.5)
    monkeypatch.setattr(admission, "ADMISSION", 1.0)
    assert asyncio.run(crowd()) == [True, True, False]


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8::1:2:3:4", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_strangers_are_counted_by_address_or_network(host: str, origin: str) -> None:
    assert origin_of(host) == origin
