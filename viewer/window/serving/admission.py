"""Accept connections, with limits for clients that have not shown the access token.

A stranger needs almost no memory until it sends data: TLS and HTTP start, with their buffers,
when its first bytes arrive. The number of strangers is limited, in total and for each address: the
newest one replaces the oldest one, a silent one first. Their time is also limited. So thousands of
silent connections exhaust neither memory nor the files that the program may open.
"""

import asyncio
import errno
import ipaddress
import socket
import ssl
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

MOST_STRANGERS = 64
MOST_OF_ADDRESS = 32  # strangers of one address
SILENCE = 10.0  # seconds until a stranger's first bytes must have come
HANDSHAKE = 10.0  # seconds that TLS may take to begin
ADMISSION = 30.0  # seconds in all until a stranger must have shown the token
DUAL = socket.has_dualstack_ipv6()  # so that :: is every address, those of IPv4 included
BACKLOG = 1024  # connections that wait to be accepted: a flood fills a short queue at once
PAUSE = 0.1  # seconds until connections are accepted again where none could be
ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Errors of a machine that has no address of a family, such as IPv6."""


@dataclass(eq=False)
class _Stranger:
    """A connection whose client has not shown the access token.

    Attributes:
        origin: the key for counting its limit, see ``origin_of``.
        beginning: waits for its first bytes and begins TLS.
        timer: closes it after the time limit.
    """

    connection: socket.socket
    origin: str
    beginning: "asyncio.Task[None]"
    timer: asyncio.TimerHandle

    @property
    def gone(self) -> bool:
        """Return whether the client's connection is closed."""
        return self.connection.fileno() < 0


def _close(connection: socket.socket) -> None:
    """Shut a socket down, so that the event loop closes the connection."""
    with suppress(OSError):  # it has just gone
        connection.shutdown(socket.SHUT_RDWR)  # the loop sees its end, and closes it


class ConnectionAcceptor:
    """The acceptor of a server's connections, with limits for unauthorised clients.

    Args:
        server: handles the connections.
        tls: settings of TLS; None: without TLS.
    """

    def __init__(self, server: web.Server, tls: ssl.SSLContext | None) -> None:
        self._server, self._tls = server, tls
        self._listening: list[socket.socket] = []
        self._strangers: dict[Any, _Stranger] = {}  # by their address, the first one first
        self._silent: set[socket.socket] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> int:
        """Listen on one port at all addresses of a host; return the port.

        Args:
            host: a name or an address; empty: all addresses of this machine.
            port: 0: any free port.

        Raises:
            OSError: the port is in use, or the host is not an address of this machine.
        """
        loop = asyncio.get_running_loop()
        absent = None
        addresses = await loop.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, *_, address in dict.fromkeys(addresses):  # some systems name one twice
            try:
                at = (address[0], port, *address[2:])
                listening = socket.create_server(
                    at, family=family, backlog=BACKLOG, dualstack_ipv6=host == "::" and DUAL
                )
            except OSError as error:
                if error.errno not in ABSENT:
                    self.close()
                    raise
                absent = error
                continue
            listening.setblocking(False)
            self._listening.append(listening)
            port = listening.getsockname()[1]
        if absent and not self._listening:
            raise absent
        for listening in self._listening:
            self._begin(self._accept(listening))
        return port

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Start an asyncio task; keep a reference, so that it is not collected before its end."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _accept(self, listening: socket.socket) -> None:
        """Accept connections in a loop until this object is closed."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(listening)
            except OSError:  # too many files are open
                await asyncio.sleep(PAUSE)
                continue
            self._forget_gone()
            self._make_room(origin := origin_of(address[0]))
            beginning = self._begin(self._let_in(connection))
            timer = loop.call_later(ADMISSION, _close, connection)
            self._strangers[address] = _Stranger(connection, origin, beginning, timer)
            await asyncio.sleep(0)  # others have their turn, however many connect

    async def _let_in(self, connection: socket.socket) -> None:
        """Pass a connection to the server once its first bytes have arrived."""
        self._silent.add(connection)
        try:
            async with asyncio.timeout(SILENCE):
                await _first_bytes(connection)
        except BaseException as error:
            connection.close()
            if not isinstance(error, OSError):
                raise
            return
        finally:
            self._silent.discard(connection)
        try:
            await self._hand_on(connection)
        except OSError as error:  # it has gone, or speaks no TLS
            error.__traceback__ = None  # a reference cycle that keeps 256 KiB of TLS buffers

    async def _hand_on(self, connection: socket.socket) -> None:
        """Pass a connection to the server, with TLS if configured."""
        patience = HANDSHAKE if self._tls else None
        await asyncio.get_running_loop().connect_accepted_socket(
            self._server, connection, ssl=self._tls, ssl_handshake_timeout=patience
        )

    def _forget_gone(self) -> None:
        """Remove closed connections from the list of unauthorised ones."""
        for address in [where for where, one in self._strangers.items() if one.gone]:
            self._strangers.pop(address).timer.cancel()

    def _make_room(self, origin: str) -> None:
        """Close an unauthorised connection if there are as many as the limit allows.

        It is one of this origin, or of the origin with the most if the limit is that of all.
        """
        counts = Counter(one.origin for one in self._strangers.values())
        if counts[origin] >= MOST_OF_ADDRESS:
            self._turn_away(origin)
        elif counts.total() >= MOST_STRANGERS:
            self._turn_away(counts.most_common(1)[0][0])

    def _turn_away(self, origin: str) -> None:
        """Close the oldest unauthorised connection of an origin, preferably a silent one."""
        its_own = {where: one for where, one in self._strangers.items() if one.origin == origin}
        silent = [where for where, one in its_own.items() if one.connection in self._silent]
        stranger = self._strangers.pop((silent or list(its_own))[0])
        stranger.timer.cancel()
        stranger.beginning.cancel()
        _close(stranger.connection)

    def trust(self, request: web.Request) -> None:
        """Exempt a connection from the limits, because its request has shown the access token."""
        address = request.transport and request.transport.get_extra_info("peername")
        if stranger := self._strangers.pop(address, None):
            stranger.timer.cancel()

    def close(self) -> None:
        """Stop accepting connections from clients."""
        for task in self._tasks:
            task.cancel()
        for stranger in self._strangers.values():
            stranger.timer.cancel()
        for listening in self._listening:
            listening.close()


async def _first_bytes(connection: socket.socket) -> None:
    """Wait until a connection has data to read; raise ``OSError`` if it is closed instead."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(connection, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(connection)
    if not connection.recv(1, socket.MSG_PEEK):
        raise ConnectionResetError


def origin_of(host: str) -> str:
    """Return a client's key for counting connections: its IPv4 address or IPv6 /64 network.

    Whoever has one IPv6 address has all 2**64 addresses of its network.
    """
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
