"""Make the pictures of the served window's page: ``python -m tests.served_pictures FOLDER``."""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.chromium import Page, find_chromium
from tests.served_page import EXACT, shown
from tests.serving import Serving, serving
from wheatstone.viewer.display.screen.offscreen import OffscreenContext

WORDS = ("sgm", "--variant", "cpu", "--preset", "balanced", "--fresh")
RESTS = 1.5  # seconds after which nothing more appears


def main() -> int:
    """Write ``serve.png`` and ``serve-phone.png``; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    program = find_chromium()
    if not program:
        parser.error("Chromium is missing (Debian: apt-get install chromium)")
    with Page(program) as page:
        page.look(scheme="dark")
        page.size(1280, 800)
        make(page, on_a_desktop, folder / "serve.png")
        page.size(390, 760, mobile=True, density=2, touch=True)
        make(page, on_a_phone, folder / "serve-phone.png")
    return 0


def make(page: Page, work: Callable[[Page], None], path: Path) -> None:
    """Serve the program, work in its page, and write what that looks like."""
    with tempfile.TemporaryDirectory() as folder, OffscreenContext(None), ExitStack() as stack:
        stack.callback(os.chdir, os.getcwd())
        os.chdir(folder)
        Path("results").mkdir()
        with serving(*WORDS, root=Path("results")) as served:
            served.app.state.bars = True

            async def look(_: object) -> None:
                """Open the page, wait until all is computed, then for what work does."""
                page.visit(served.served.access.address)
                rest(page, served)
                work(page)
                rest(page, served)
                page.picture(path, whole=False)

            served.run(look)


def rest(page: Page, served: Serving) -> None:
    """Wait until all that was asked for is shown exactly, and nothing more appears."""
    before: NDArray[np.uint8] = np.empty(0, np.uint8)
    after = shown(page)
    while not np.array_equal(before, after):
        while not served.app.settled:
            time.sleep(0.1)
        time.sleep(RESTS)
        page.wait(EXACT)
        before, after = after, shown(page)


def on_a_desktop(page: Page) -> None:
    """Open costs and inspector, write a screenshot, and point at a pixel."""
    for key in "kis":
        page.press(key, f"Key{key.upper()}")
    page.click((470, 300), "none")


def on_a_phone(page: Page) -> None:
    """Come nearer by two fingers."""
    page.touch([(150, 380), (230, 380)], [(120, 380), (270, 380)])


if __name__ == "__main__":
    raise SystemExit(main())
