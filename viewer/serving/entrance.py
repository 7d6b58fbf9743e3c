"""Where connections come in: whoever has not shown the token makes room for others.

A program may have so many files open, and connections are some of them: strangers who open many
and say nothing would end it.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from aiohttp import web

MOST_STRANGERS = 64
HANDSHAKE = 10.0  # seconds that TLS may take to begin
DUAL = socket.has_dualstack_ipv6()  # so that :: is every address, those of IPv4 included
PAUSE = 0.1  # seconds until connections are accepted again where none could be
ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""How a machine says that it has no address of a kind, such as one of IPv6."""


class Entrance:
    """Accepts connections for a server until it is closed.

    Args:
        server: talks to those who connect.
        tls: None: without TLS.
    """

    def __init__(self, server: web.Server, tls: ssl.SSLContext | None) -> None:
        self._server, self._tls = server, tls
        self._listening: list[socket.socket] = []
        self._strangers: dict[Any, socket.socket] = {}  # by their address, the first one first
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> int:
        """Listen at all addresses of a host, at one port; return it.

        Args:
            host: a name or an address; empty: all addresses of this machine.
            port: 0: any that is free.

        Raises:
            OSError: the port is in use, or the host is none of this machine.
        """
        loop = asyncio.get_running_loop()
        absent = None
        found = await loop.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, *_, address in dict.fromkeys(found):  # some systems name one twice
            try:
                at = (address[0], port, *address[2:])
                listening = socket.create_server(
                    at, family=family, backlog=128, dualstack_ipv6=host == "::" and DUAL
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

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task, and keep it until it is done."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, listening: socket.socket) -> None:
        """Let in whoever connects, for as long as the entrance is open."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(listening)
            except OSError:  # too many files are open
                await asyncio.sleep(PAUSE)
                continue
            self._make_room()
            self._strangers[address] = connection
            self._begin(self._let_in(connection))

    async def _let_in(self, connection: socket.socket) -> None:
        """Have the server talk to whoever has connected."""
        loop, patience = asyncio.get_running_loop(), (HANDSHAKE if self._tls else None)
        with suppress(OSError):  # it has gone, or speaks no TLS
            await loop.connect_accepted_socket(
                self._server, connection, ssl=self._tls, ssl_handshake_timeout=patience
            )

    def _make_room(self) -> None:
        """Forget strangers who have gone, and let the first ones go where there are too many."""
        here = {where: one for where, one in self._strangers.items() if one.fileno() >= 0}
        for where in list(here)[: max(len(here) - MOST_STRANGERS + 1, 0)]:
            with suppress(OSError):  # it has just gone
                here.pop(where).shutdown(socket.SHUT_RDWR)  # the loop sees its end, and closes it
        self._strangers = here

    def trust(self, request: web.Request) -> None:
        """Keep the connection of a request that has shown the token."""
        if request.transport:
            self._strangers.pop(request.transport.get_extra_info("peername"), None)

    def close(self) -> None:
        """Let nobody in any more."""
        for task in self._tasks:
            task.cancel()
        for listening in self._listening:
            listening.close()
