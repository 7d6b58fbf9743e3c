"""A headless Chromium driven through its debugging pipe; for tests of pages."""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.patience import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"),
    *("--no-first-run", "--disable-extensions", "--disable-background-networking"),
    *("--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars"),
)
MODIFIERS = {"Alt": 1, "Ctrl": 2, "Meta": 4, "Shift": 8}
"""The protocol's bits of the modifiers."""
CODES = {
    **{"Backspace": 8, "Tab": 9, "Enter": 13, "Alt": 18, "Escape": 27, " ": 32},
    **{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40},
}
"""Codes of keys on which the browser acts by itself."""


def find_chromium() -> str | None:
    """The browser's program, if it is installed."""
    return next((result for name in NAMES if (result := shutil.which(name))), None)


class Page:
    """A page in a browser of its own, closed with it.

    Attributes:
        requests: addresses that the page asked for, itself first.
        referrers: what requests named as the page that they came from.
        complaints: what it wrote to the console, errors it threw, what its policy blocked.
    """

    def __init__(self, program: str) -> None:
        self.requests: list[str] = []
        self.referrers: list[str] = []
        self.complaints: list[str] = []
        self._count, self._rest = 0, b""
        self._folder = tempfile.TemporaryDirectory(prefix="chromium-")
        to_child, self._write = os.pipe()
        self._read, from_child = os.pipe()
        command = [program, *FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"]
        # The pipe's ends must be 3 and 4 in the browser; a shell puts them there.
        script = f'exec "$@" 3<&{to_child} 4>&{from_child}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", script, "bash", *command],
            pass_fds=(to_child, from_child),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self._session = ""
        targets = self.send("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer. Raises ``RuntimeError`` if it is refused."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            self._note(answer)

    @contextmanager
    def frame(self, address: str) -> Iterator[None]:
        """Send to a frame of another site instead, found by what its address begins with."""
        outer, self._session = self._session, ""
        try:
            deadline = time.monotonic() + PATIENCE
            while not (frames := self._frames(address)):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"there is no frame of {address}")
                time.sleep(0.1)
            attached = self.send("Target.attachToTarget", targetId=frames[0], flatten=True)
            self._session = attached["sessionId"]
            yield
        finally:
            self._session = outer

    def _frames(self, address: str) -> list[str]:
        """List the identifiers of frames of other sites."""
        targets = self.send("Target.getTargets")["targetInfos"]
        frames = [one for one in targets if one["type"] == "iframe"]
        return [one["targetId"] for one in frames if one["url"].startswith(address)]

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            if not (known := os.read(self._read, 1 << 20)):
                raise RuntimeError("Chromium ended")
            self._rest += known
        message, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(message))

    def _note(self, event: Mapping[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
                if referrer := params["request"]["headers"].get("Referer"):
                    self.referrers.append(referrer)
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.complaints.append(json.dumps(params))

    def open(self, path: Path) -> None:
        """Show a file, and wait until it is there."""
        self.visit(path.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Show what is at an address, and wait until it is there."""
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def wait(self, condition: str, seconds: float = PATIENCE) -> Any:
        """Wait until a JavaScript expression is true; return its value.

        Raises:
            TimeoutError: it did not become true, naming it.
        """
        deadline = time.monotonic() + seconds
        while not (output := self._value(condition)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{condition} is not true; the page says {self.complaints[-3:]}")
            time.sleep(0.03)
        return output

    def _value(self, condition: str) -> Any:
        """The value of an expression; None if the page changes to another one meanwhile."""
        try:
            return self.run(condition)
        except RuntimeError as error:
            if not re.search(
                "target navigated|Cannot find context|context was destroyed", str(error)
            ):
                raise
            return None

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression, or of what it promises."""
        how = {"returnByValue": True, "awaitPromise": True}
        reply = self.send("Runtime.evaluate", expression=script, **how)
        if "exceptionDetails" in reply:
            raise RuntimeError(json.dumps(reply["exceptionDetails"]))
        return reply["result"].get("value")

    def size(
        self,
        width: int,
        height: int,
        *,
        mobile: bool = False,
        density: float = 1,
        touch: bool = False,
    ) -> None:
        """Set the size of the page in CSS pixels.

        Args:
            density: pixels of the screen a CSS pixel.
            touch: whether fingers, not a mouse, point.
        """
        device = {"width": width, "height": height, "deviceScaleFactor": density, "mobile": mobile}
        self.send("Emulation.setDeviceMetricsOverride", **device)
        self.send("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=5)

    def look(self, *, media: str = "screen", scheme: str = "light") -> None:
        """Show it as on paper, or as to those who prefer dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def press(self, key: str, code: str = "", *, held: Iterable[str] = ()) -> None:
        """Press a key and release it.

        Args:
            key: what it types or its name, as ``KeyboardEvent.key`` has it.
            code: where it lies; the key's own name by default.
            held: modifiers, of ``MODIFIERS``.
        """
        bits = sum(MODIFIERS[name] for name in held)
        known = {"windowsVirtualKeyCode": CODES[key]} if key in CODES else {}
        for kind in ("rawKeyDown", "keyUp"):
            what = {"type": kind, "key": key, "code": code or key, "modifiers": bits}
            self.send("Input.dispatchKeyEvent", **what, **known)

    def wheel(self, place: tuple[float, float], down: float) -> None:
        """Turn the wheel at a place in the window, by pixels downwards."""
        at = dict(zip("xy", place, strict=True))
        self.send("Input.dispatchMouseEvent", type="mouseWheel", deltaX=0, deltaY=down, **at)

    def touch(self, *steps: Iterable[tuple[float, float]]) -> None:
        """Put fingers on places in the window, move them step by step, and lift them."""
        kind = "touchStart"
        for places in steps:
            points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(places)]
            self.send("Input.dispatchTouchEvent", type=kind, touchPoints=points)
            kind = "touchMove"
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, place: tuple[float, float], button: str = "left", *held: str) -> None:
        """Click at a place in the window, with modifiers of ``MODIFIERS`` held."""
        at = dict(zip("xy", place, strict=True))
        bits = sum(MODIFIERS[name] for name in held)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            what = {"type": kind, "button": button, "clickCount": 1, "modifiers": bits}
            self.send("Input.dispatchMouseEvent", **what, **at)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag with the left button, from a place in the window to another."""
        steps = (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end))
        for kind, (x, y) in steps:
            held = {"button": "left", "buttons": 1, "clickCount": 1}
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **held)

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Write what it looks like as PNG."""
        reply = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(reply["data"]))

    def print(self, path: Path) -> None:
        """Write it as PDF, as it looks on paper."""
        self.look(media="print")
        reply = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(reply["data"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._write)  # the browser ends when its pipe does
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        self._folder.cleanup()
