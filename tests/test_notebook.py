"""The window in a cell of JupyterLab, in a browser: shown, framed there only, closed with it."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.chromium import Page, find_chromium
from tests.patience import PATIENCE, wait_until
from tests.programs import environment

BROWSER, LAB = find_chromium(), shutil.which("jupyter-lab")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="Chromium is missing (apt-get install chromium)"),
    pytest.mark.skipif(
        LAB is None, reason="JupyterLab is missing: pip install jupyterlab 'wheatstone[notebook]'"
    ),
    pytest.mark.opengl,
]
CELLS = (
    "import os, wheatstone as ws\nprint(os.getpid())",
    'pair = ws.open("scene:garden", size=(160, 120))\n'
    'run = ws.Run("sgm", variant="cpu", disparities=32)',
    "window = ws.show(pair, run, compare=run.replace(p1=1, p2=4), height=420)\nwindow",
)
NEWS = "@jupyterlab/apputils-extension:announcements"
"""An extension that asks the user a question, and a server on the internet for news."""
NOTEBOOK = "[...(window.jupyterapp?.shell.widgets('main') ?? [])][0]"
FRAME = "document.querySelector('.jp-OutputArea iframe')"
PRINTED = "document.querySelector('.jp-OutputArea-output pre')?.textContent"
WORD = "document.getElementById('word')?.textContent === 'connected'"
ENCODED = "/png|jpeg|h264/i.test(document.getElementById('more')?.textContent)"
"""A picture has arrived: the built-in scene plays, so that it need not be exact."""


@dataclass
class Lab:
    """A running JupyterLab.

    Attributes:
        page: the browser's page with the notebook.
        notebook: the notebook's file.
    """

    page: Page
    notebook: Path

    def execute(self, command: str) -> None:
        self.page.run(f"window.jupyterapp.commands.execute('{command}').then(() => null)")

    def append(self, code: str) -> None:
        self.execute("notebook:move-cursor-down")
        self.execute("notebook:insert-cell-below")
        model = f"{NOTEBOOK}.content.activeCell.model"
        self.page.run(f"{model}.sharedModel.setSource({json.dumps(code)})")
        self.execute("notebook:run-cell")


def document() -> dict[str, Any]:
    """A notebook of the cells, which was never run."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    blank: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
    }
    cells = [{**blank, "id": f"c{number}", "source": code} for number, code in enumerate(CELLS)]
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab with the notebook open, all of whose cells were run."""
    folder = tmp_path_factory.mktemp("lab")
    notebook = folder / "shown.ipynb"
    notebook.write_text(json.dumps(document()))
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    variables = {name: str(folder / ".own" / name) for name in own}
    settings = folder / ".own" / "JUPYTER_CONFIG_DIR" / "labconfig"
    settings.mkdir(parents=True)
    saved = settings.parent / "lab" / "user-settings" / "@jupyter-widgets" / "jupyterlab-manager"
    saved.mkdir(parents=True)
    (saved / "plugin.jupyterlab-settings").write_text(json.dumps({"saveState": True}))
    (settings / "page_config.json").write_text(json.dumps({"disabledExtensions": {NEWS: True}}))
    words = ("--no-browser", "--allow-root", "--expose-app-in-browser", "--ServerApp.port=0")
    assert LAB and BROWSER
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [LAB, *words, f"--ServerApp.root_dir={folder}"],
            env=environment(**variables),
            stdout=log,
            stderr=log,
        )
    try:
        runtime = folder / ".own" / "JUPYTER_RUNTIME_DIR"
        wait_until(lambda: list(runtime.glob("jpserver-*.json")))
        (about,) = runtime.glob("jpserver-*.json")
        wait_until(lambda: about.stat().st_size)
        known = json.loads(about.read_text())
        with Page(BROWSER) as page:
            page.size(1000, 800)
            address = f"http://localhost:{known['port']}/lab/tree/{notebook.name}"
            page.visit(f"{address}?token={known['token']}")
            page.wait(f"{NOTEBOOK}?.sessionContext?.session?.kernel?.status === 'idle'")
            page.run(f"window.jupyterapp.shell.activateById({NOTEBOOK}.id)")
            lab = Lab(page, notebook)
            lab.execute("notebook:run-all-cells")
            yield lab
    finally:
        server.terminate()
        server.wait(PATIENCE)


def shown_address(page: Page) -> tuple[str, str]:
    """Wait for the window's frame; return the address that it shows, and its token."""
    address, _, token = str(page.wait(f"{FRAME}?.src")).partition("#")
    return address, token


def children(of: int) -> list[int]:
    listed = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == of and state != "Z":
                listed.append(int(path.parent.name))
    return listed


def windows_of(kernel: int) -> list[int]:
    commands = {child: Path(f"/proc/{child}/cmdline") for child in children(kernel)}
    return [child for child, path in commands.items() if b"window_process" in path.read_bytes()]


def test_a_cell_shows_the_window_until_it_is_closed(lab: Lab, tmp_path: Path) -> None:
    page = lab.page
    kernel = int(page.wait(PRINTED))
    address, token = shown_address(page)
    with page.frame(address):
        page.wait(WORD)
        page.wait(ENCODED)
        assert "garden" in page.run("document.title")
        assert page.run("document.getElementById('picture').width") > 300
    with urlopen(address) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert f"frame-ancestors {page.run('location.origin')};" in policy
    assert len(windows_of(kernel)) == 1
    page.run(f"{NOTEBOOK}.context.save().then(() => null)")
    wait_until(lambda: "widget-state" in lab.notebook.read_text())
    assert token and token not in lab.notebook.read_text()
    lab.append("window.close()")
    page.wait(f"!{FRAME}")
    wait_until(lambda: not windows_of(kernel))


def test_the_window_ends_with_its_output_and_with_its_kernel(lab: Lab) -> None:
    page = lab.page
    kernel = int(page.wait(PRINTED))
    lab.append("ws.show(pair, run)")
    first, _ = shown_address(page)
    lab.execute("notebook:clear-cell-output")
    wait_until(lambda: not windows_of(kernel))
    lab.execute("notebook:run-cell")
    second, _ = shown_address(page)
    assert second != first
    (window,) = windows_of(kernel)
    os.kill(kernel, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{window}").exists())
