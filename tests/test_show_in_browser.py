"""The menu shows a copy of the window in a browser, by a server that ends with the window."""

from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import cv2
import numpy as np
import pytest

from tests.offscreen_app import do, keys, running_app, settle
from tests.patience import wait_until
from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.window.browser_server import BrowserServer
from wheatstone.viewer.window.effects import browser

pytest.importorskip("aiohttp", reason="aiohttp is not installed, which serves the window")


@pytest.mark.opengl
def test_the_window_is_served_until_it_closes(offscreen: OffscreenContext) -> None:
    with running_app("invert", "--scene-size", "64x48", "--fresh", size=(900, 600)) as app:
        settle(app)
        keys(app, "Alt+W")
        wait_until(lambda: app.state.question, app.step)
        assert app.state.question and app.browser
        address, reached = app.state.question.about
        assert address.startswith("http://127.0.0.1:") and "ssh -L" in reached
        page = address.partition("#")[0]
        with urlopen(page, timeout=30) as answer:
            assert answer.status == 200
        app.state.answer(False)
        do(app)
    with pytest.raises(URLError):
        urlopen(page, timeout=5)


@pytest.mark.opengl
def test_the_window_is_shared_after_a_question_with_a_code_to_scan(
    offscreen: OffscreenContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "network_address", lambda: "127.0.0.1")
    with running_app("invert", "--scene-size", "64x48", "--fresh", size=(900, 600)) as app:
        settle(app)
        app.state.request("share")
        wait_until(lambda: app.state.question, app.step)
        app.step()
        assert not app.browser
        keys(app, "Enter")
        wait_until(lambda: app.browser and app.state.question, app.step)
        asked, server = app.state.question, app.browser
        assert asked and server and server.shared and asked.about == (server.address,)
        modules = np.array([[0 if mark == "#" else 255 for mark in row] for row in asked.code])
        drawn = np.kron(modules, np.ones((8, 8))).astype(np.uint8)
        assert cv2.QRCodeDetector().detectAndDecode(drawn)[0] == server.address
        app.step()
        app.state.answer(False)
        app.state.request("share")
        wait_until(lambda: app.state.question, app.step)
        assert app.state.question == asked
        app.state.answer(True, ("stop sharing",))
        do(app)
        assert not app.browser and not server.runs


def test_a_server_that_cannot_start_tells_why(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"window\.toml"):
        BrowserServer("no settings at all")
