"""The WebSocket connection of one viewer: receives messages, sends frames and state."""

import asyncio
import json
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

from wheatstone.viewer import VERSION
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.window.serving.messages import FREQUENT, done_by, read_message
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.viewer import Viewer

MALFORMED, TOO_MANY, ENDED, FULL = 1003, 1008, 4001, 4008
"""Codes with which a connection is closed."""
MOST_MESSAGES = 1000  # a second
CHARACTERS = 32  # of a text that count as another message: each is an event of its own
STATE_EVERY = 0.25  # seconds between two messages about the state
MOST_WAITING = 256  # messages that may wait to be sent; who takes none is sent away


class Conversation:
    """The exchange of messages between the program and a viewer's browser.

    Args:
        ended: set when the program ends.
    """

    def __init__(self, served: Served, socket: web.WebSocketResponse, ended: asyncio.Event) -> None:
        self._served, self._socket, self._ended = served, socket, ended
        self._loop = asyncio.get_running_loop()
        self._outgoing: asyncio.Queue[bytes | str] = asyncio.Queue()
        self.viewer = Viewer(secrets.token_urlsafe(9), self._send)
        self._sent_state: Mapping[str, Any] = {}
        self._second, self._counts = 0, [0, 0]  # in that second, of those that count and others

    def _send(self, what: bytes | str) -> None:
        """Queue a message to the viewer; may be called from any thread."""
        with suppress(RuntimeError):  # the server has ended meanwhile
            self._loop.call_soon_threadsafe(self._outgoing.put_nowait, what)

    async def hold(self) -> None:
        """Exchange messages until the viewer disconnects or the program ends."""
        viewers, viewer = self._served.viewers, self.viewer
        if not viewers.join(viewer):
            await self._socket.close(code=FULL, message=b"full")
            return
        self._greet()
        tasks = [
            asyncio.ensure_future(part())
            for part in (self._listen, self._speak, self._tell, self._ended.wait)
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                with suppress(ConnectionError):
                    task.result()
        finally:
            viewers.leave(viewer)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._leave()

    async def _leave(self) -> None:
        """Send the viewer the reason why the conversation ends, and close the connection."""
        if self._socket.closed:
            return
        reason = "the program has ended"
        if not self._ended.is_set():
            reason = "the connection is too slow for the pictures sent"
        with suppress(ConnectionError):
            await self._socket.send_json({"type": "bye", "reason": reason})
        await self._socket.close(code=ENDED, message=reason.encode())

    def _greet(self) -> None:
        controls = self._served.viewers.controller == self.viewer.name
        hello = {"type": "hello", "viewer": self.viewer.name, "controls": controls}
        self._send(json.dumps(hello | {"version": VERSION}))
        for offered in self._served.offers.all:
            self._send(json.dumps(offered.message))

    async def _speak(self) -> None:
        """Send the queued messages in order, until the queue is too long or the viewer has left."""
        while self._outgoing.qsize() < MOST_WAITING:
            what = await self._outgoing.get()
            try:
                if isinstance(what, str):
                    await self._socket.send_str(what)
                else:
                    await self._socket.send_bytes(what)
            except ConnectionError:
                await self._ended.wait()  # whoever listens knows why, and ends the conversation

    async def _tell(self) -> None:
        """Send the program's state to the viewer whenever it has changed."""
        while True:
            if (state := self._state()) != self._sent_state:
                self._sent_state = state
                self._send(json.dumps(state))
            await asyncio.sleep(STATE_EVERY)

    def _state(self) -> Mapping[str, Any]:
        served, viewer = self._served, self.viewer
        return {
            "type": "state",
            "controls": served.viewers.controller == viewer.name,
            "viewers": len(served.viewers.by_name),
            "title": served.title(),
            "theme": served.theme(),
            "codec": served.encoder.codec_of(viewer),
            "fps": round(viewer.rate, 1),
            "latency_ms": round(viewer.delay * 1e3),
            "read_only": served.read_only,
        }

    async def _listen(self) -> None:
        """Execute the viewer's messages, until it disconnects or sends an invalid one."""
        async for message in self._socket:
            if message.type != WSMsgType.TEXT:
                await self._refuse(MALFORMED, "messages must be text")
                return
            try:
                fields = read_message(message.data)
            except ValueError as error:
                await self._refuse(MALFORMED, str(error))
                return
            passing = fields["type"] in FREQUENT and fields.get("kind", "move") == "move"
            if self._too_many(passing, 1 + len(fields.get("text", "")) // CHARACTERS):
                if passing:
                    continue
                await self._refuse(TOO_MANY, f"more than {MOST_MESSAGES} messages a second")
                return
            self._do(fields)

    async def _refuse(self, code: int, reason: str) -> None:
        await self._socket.close(code=code, message=reason.encode("ascii", "replace")[:120])

    def _too_many(self, passing: bool, count: int) -> bool:
        """Count a message; return whether its class exceeds the limit of messages per second.

        Args:
            passing: whether the message may be skipped.
            count: number of messages that it counts as.
        """
        if (second := int(time.monotonic())) != self._second:
            self._second, self._counts = second, [0, 0]
        self._counts[passing] += count
        return self._counts[passing] > MOST_MESSAGES

    def _do(self, message: Mapping[str, Any]) -> None:
        viewers, viewer, kind = self._served.viewers, self.viewer, message["type"]
        if kind == "ack":
            viewers.change(lambda: viewer.acknowledge(message["id"]))
        elif kind == "again":
            viewers.change(lambda: setattr(viewer, "whole", True))
        elif kind == "visible":
            viewers.change(lambda: setattr(viewer, "visible", message["visible"]))
        elif kind == "codec":
            viewers.change(lambda: setattr(viewer, "codec", message["codec"]))
        elif kind == "control":
            viewers.control(viewer)
        elif kind == "drop":
            if paths := self._served.uploads.paths(message["ids"]):
                viewers.do(viewer, message["n"], Event("drop", paths=paths))
        else:
            for what in done_by(message):
                viewers.do(viewer, message["n"], what)
