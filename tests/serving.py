"""The served program in this process, and viewers that talk to it as a page does."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp
import cv2
import numpy as np
from numpy.typing import NDArray

from tests.patience import PATIENCE, wait_until
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.window.app import App, open_app
from wheatstone.viewer.window.serving.authorisation import SUBPROTOCOL, Authorisation
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.gpu_jpeg import why_no_gpu_jpeg
from wheatstone.viewer.window.serving.h264 import why_no_h264
from wheatstone.viewer.window.serving.pictures import CODECS, EXACT, HEADER, KEY
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.server import Server
from wheatstone.viewer.window.serving.uploads import Offers, Uploads
from wheatstone.viewer.window.serving.viewers import Viewers

T = TypeVar("T")
SIZE = (320, 200)
LOST = 1006  # how a connection ends that nobody closed, or while something was on its way


@dataclass(frozen=True)
class Received:
    """A frame as a viewer receives it.

    Attributes:
        seen: number of the viewer's last input that it includes.
    """

    number: int
    codec: str
    flags: int
    width: int
    height: int
    seen: int
    content: bytes

    @property
    def exact(self) -> bool:
        """Whether no pixel differs from what was drawn."""
        return bool(self.flags & EXACT)

    @property
    def whole(self) -> bool:
        """Whether no frame before is needed."""
        return bool(self.flags & KEY)

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture, (H, W, 3) RGB, top row first."""
        decoded = cv2.imdecode(np.frombuffer(self.content, np.uint8), cv2.IMREAD_COLOR)
        assert decoded is not None
        return np.asarray(decoded[..., ::-1], np.uint8)


@dataclass
class Client:
    """A viewer: it acknowledges frames unless told not to, and keeps what it was sent.

    Attributes:
        acknowledges: whether it does.
        frames: those received.
        received: the messages received.
        code: that the conversation was closed with; None before.
    """

    socket: aiohttp.ClientWebSocketResponse
    acknowledges: bool = True
    frames: list[Received] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    code: int | None = None
    _number: int = 0
    _reading: "asyncio.Task[None] | None" = None

    async def __aenter__(self) -> Self:
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._reading
        await self.socket.close()
        await self._reading

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type == aiohttp.WSMsgType.TEXT:
                self.received.append(json.loads(message.data))
            elif message.type == aiohttp.WSMsgType.BINARY:
                self.frames.append(received(message.data))
                if self.acknowledges:
                    with suppress(ConnectionError):  # why it is closed comes next
                        await self.acknowledge(self.frames[-1].number)
        self.code = self.socket.close_code or LOST

    async def say(self, kind: str, /, **words: Any) -> int:
        """Send a message; return its number."""
        self._number += 1
        await self.socket.send_str(json.dumps({"type": kind, "n": self._number, **words}))
        return self._number

    async def acknowledge(self, number: int) -> None:
        """Say that a frame was drawn."""
        await self.socket.send_str(json.dumps({"type": "ack", "id": number}))

    async def press(self, key: str, code: str = "", **held: bool) -> int:
        """Press a key."""
        return await self.say("key", key=key, code=code, **held)

    async def until(self, happened: Callable[[], T]) -> T:
        """Wait until something holds."""
        ends = time.monotonic() + PATIENCE
        while not (result := happened()):
            assert time.monotonic() < ends, f"it did not happen; received: {self.received[-3:]}"
            await asyncio.sleep(0.01)
        return result

    async def still(self, after: int = 0) -> Received:
        """Wait for a picture without loss that includes an input."""
        await self.until(lambda: any(f.exact and f.seen >= after for f in self.frames))
        return next(f for f in reversed(self.frames) if f.exact)

    @property
    def state(self) -> Mapping[str, Any]:
        """The message received last of the state."""
        return next((text for text in reversed(self.received) if text["type"] == "state"), {})


def received(argument: bytes) -> Received:
    """Take a frame apart."""
    number, codec, flags, width, height, _, seen, _ = HEADER.unpack_from(argument)
    return Received(number, CODECS[codec], flags, width, height, seen, argument[HEADER.size :])


@dataclass
class Serving:
    """The program while it is served."""

    app: App
    window: Any
    served: Served

    @property
    def address(self) -> str:
        """Of the page, without the token."""
        return f"http://127.0.0.1:{self.served.access.port}"

    @property
    def headers(self) -> dict[str, str]:
        """What its own page sends with a question."""
        return {
            "Authorization": f"Bearer {self.served.access.token}",
            "Origin": self.address,
        }

    def run(self, talk: Callable[[aiohttp.ClientSession], Coroutine[Any, Any, T]]) -> T:
        """Run the program until a conversation with it ends; return what came of that."""
        from wheatstone.viewer.window.serving.served_window import run

        listed: list[T] = []
        wrong: list[BaseException] = []

        async def hold() -> None:
            async with aiohttp.ClientSession() as session:
                listed.append(await talk(session))

        def in_thread() -> None:
            try:
                asyncio.run(hold())
            except BaseException as error:
                wrong.append(error)

        thread = threading.Thread(target=in_thread)
        thread.start()
        viewers, encoder = self.served.viewers, self.served.encoder
        run(self.app, self.window, viewers, encoder, lambda: not thread.is_alive())
        if wrong:
            raise wrong[0]
        return listed[0]

    async def look(self, session: aiohttp.ClientSession) -> Client:
        """Look as the page does."""
        token = self.served.access.token
        socket = await session.ws_connect(
            f"{self.address}/ws",
            protocols=(SUBPROTOCOL, token),
            origin=self.address,
            max_msg_size=0,
        )
        return Client(socket)


@contextmanager
def serving(
    *words: str, root: Path, read_only: bool = False, uploads: Uploads | None = None
) -> Iterator[Serving]:
    """Serve ``view`` with these words, paused; an offscreen context must be current."""
    from wheatstone.viewer.window.serving.served_window import ServedWindow, isolate_reading

    with ExitStack() as stack:
        state, source = open_view(parse(["serve", *words]))
        state.paused, state.bounds, state.served = True, Bounds(root, read_only), True
        viewers, offers = Viewers(), Offers()
        window = stack.enter_context(closing(ServedWindow(*SIZE, viewers, offers)))
        app = open_app(stack, window, state, source)
        isolate_reading(app, stack)
        can = {"streams": not why_no_h264(), "on_gpu": not why_no_gpu_jpeg()}
        encoder = Encoder(viewers, "auto", 80, **can)
        stack.callback(encoder.join)
        stack.callback(viewers.close)
        taken = stack.enter_context(closing(uploads or Uploads(root)))
        served = Served(
            viewers, encoder, Authorisation("127.0.0.1"), taken, offers, read_only=read_only
        )
        served.title, served.theme = lambda: window.title, lambda: state.look.theme
        encoder.start()
        stack.enter_context(closing(Server(served)))
        wait_until(lambda: app.settled, app.step)
        yield Serving(app, window, served)
