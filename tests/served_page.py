"""The page of a served window in a browser, with pictures of the test's own or of the program."""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.chromium import Page
from tests.patience import PATIENCE
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.window.serving.authorisation import Authorisation
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.gpu_jpeg import why_no_gpu_jpeg
from wheatstone.viewer.window.serving.h264 import why_no_h264
from wheatstone.viewer.window.serving.pictures import ServedPicture
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.server import Server
from wheatstone.viewer.window.serving.uploads import Uploads
from wheatstone.viewer.window.serving.viewer import Resized
from wheatstone.viewer.window.serving.viewers import Viewers

PIXELS = """(() => {
  const canvas = document.getElementById("picture");
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let text = "";
  for (let at = 0; at < data.length; at += 32768)
    text += String.fromCharCode(...data.subarray(at, at + 32768));
  return JSON.stringify([canvas.width, canvas.height, btoa(text)]);
})()"""
EXACT = "document.getElementById('more').textContent.includes('exact')"
WORD = "document.getElementById('word').textContent"


@dataclass
class Host:
    """What serves a page, without a program behind it.

    Attributes:
        done: what viewers did and `inputs` has taken, in order.
    """

    served: Served
    server: Server
    done: list[Event] = field(default_factory=list)
    sizes: list[Resized] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Of the page, with the token."""
        return self.served.access.address

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show a picture, (H, W, 3) RGB, top row first."""
        opaque = np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])[::-1]
        viewers = self.served.viewers
        numbers = viewers.numbers()
        viewers.show(ServedPicture(np.ascontiguousarray(opaque), numbers, time.perf_counter()))

    def take(self) -> None:
        """Take what viewers did."""
        for one in self.served.viewers.inputs():
            if isinstance(one.what, Resized):
                self.sizes.append(one.what)
            elif one.viewer:
                self.done.append(one.what)

    def wait_for(self, *kinds: str, count: int = 1) -> list[Event]:
        """Wait until viewers did something so often; return all of these kinds, and forget them."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.take()
            listed = [event for event in self.done if event.kind in kinds]
            if len(listed) >= count:
                self.done.clear()
                return listed
            assert time.monotonic() < deadline, f"only {listed}"
            time.sleep(0.01)

    def restart(self) -> None:
        """End the server; another one listens at the same place."""
        self.server.close()
        self.server = Server(self.served)


@contextmanager
def hosting(root: Path) -> Iterator[Host]:
    """Serve the page with its files in a folder."""
    viewers, access = Viewers(), Authorisation("127.0.0.1")
    can = {"streams": not why_no_h264(), "on_gpu": not why_no_gpu_jpeg()}
    encoder = Encoder(viewers, "auto", 80, **can)
    with ExitStack() as stack:
        stack.callback(encoder.join)
        stack.callback(viewers.close)
        uploads = stack.enter_context(closing(Uploads(root)))
        served = Served(viewers, encoder, access, uploads, title=lambda: "orbit - Wheatstone")
        encoder.start()
        host = Host(served, Server(served))
        stack.callback(lambda: host.server.close())
        yield host


def shown(page: Page) -> NDArray[np.uint8]:
    """What the page's canvas holds, (H, W, 3) RGB, top row first."""
    width, height, text = json.loads(page.run(PIXELS))
    pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)
    return pixels[..., :3]


def painted(seed: int, width: int = 97, height: int = 63) -> NDArray[np.uint8]:
    """A picture of small squares in colours of their own."""
    squares = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return squares.repeat(5, 0).repeat(5, 1)[:height, :width]


def until_shown(page: Page, pixels: NDArray[np.uint8]) -> None:
    """Wait until a page shows a picture, exactly."""
    deadline = time.monotonic() + PATIENCE
    while not np.array_equal(shown(page), pixels):
        assert time.monotonic() < deadline
        time.sleep(0.05)
