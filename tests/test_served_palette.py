"""Paths typed on a served page: none leaves the root, and none is opened where it is read-only."""

from functools import partial
from pathlib import Path

import aiohttp
import pytest

from tests.serving import Client, Serving, serving
from wheatstone.viewer.choices.file_choices import OPEN_PATH
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.keys.palette.finding import offered
from wheatstone.viewer.panels.keys.palette.paths import last_path_in

pytestmark = pytest.mark.opengl
WORDS = ("invert", "--scene-size", "64x48", "--fresh", "--no-bars")
BEYOND, LIVE, MISSING = "the served folder", "from the command line", "no such file"
PATHS: tuple[tuple[str, str], ...] = (
    ("{outside}/secret.png", BEYOND),
    ("{outside}/secret.toml", BEYOND),
    ("{outside}/", BEYOND),
    ("{root}/../outside/secret.png", BEYOND),
    ("{root}/within/../../outside/secret.png", BEYOND),
    ("{root}//../outside/secret.png", BEYOND),
    ("{root}/link.png", BEYOND),
    ("{root}/folder/secret.png", BEYOND),
    ("{root}/folder/../secret.png", BEYOND),
    ("{root}/loop", MISSING),
    ("../outside/secret.png", BEYOND),
    ("~/secret.png", BEYOND),
    ("~nobody-by-that-name/secret.png", BEYOND),
    ("/proc/self/environ", BEYOND),
    ("/dev/stdin", BEYOND),
    ("/", BEYOND),
    ("rtsp://127.0.0.1/x", LIVE),
    ("/dev/video0", LIVE),
)
"""What is typed, and words of why it is not opened."""


def prepare(folder: Path) -> dict[str, str]:
    """Make a root, and what lies beyond it; name both."""
    from PIL import Image

    root, outside = folder / "root", folder / "outside"
    (root / "within").mkdir(parents=True)
    outside.mkdir()
    for path in (outside / "secret.png", root / "own.png", folder / "secret.png"):
        Image.new("L", (40, 30)).save(path)
    (outside / "secret.toml").write_text("wheatstone = 1\n")
    (root / "link.png").symlink_to(outside / "secret.png")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(folder / "loop")
    (folder / "loop").symlink_to(root / "loop")
    return {"root": str(root), "outside": str(outside)}


async def type_path(there: Serving, viewer: Client, path: str) -> None:
    """Choose in the palette to open something, and type its path."""
    state = there.app.state
    await viewer.press("P", "KeyP", ctrl=True, shift=True)
    await viewer.until(lambda: state.palette)
    await viewer.say("paste", text=OPEN_PATH)
    await viewer.press("Enter", "Enter")
    await viewer.until(lambda: state.palette and state.palette.asks == OPEN_PATH)
    await viewer.press("Backspace", "Backspace", ctrl=True)
    await viewer.say("paste", text=path)
    await viewer.until(lambda: state.palette and state.palette.query == last_path_in(path))
    if not path.endswith(".png") or not path.startswith(str(there.app.state.bounds.root)):
        assert not {"secret.png", "secret.toml"} & {entry.name for entry in offered(state)}
    state.hint("")
    await viewer.press("Enter", "Enter")


@pytest.mark.parametrize("read_only", [False, True], ids=["", "read-only"])
def test_no_path_that_is_typed_leaves_the_root(
    offscreen: OffscreenContext, tmp_path: Path, read_only: bool
) -> None:
    async def talk(session: aiohttp.ClientSession) -> None:
        state = there.app.state
        async with await there.look(session) as viewer:
            await viewer.until(lambda: there.app.started)
            source = there.app.session.source
            for path, why in PATHS:
                typed = path.format(**named)
                await type_path(there, viewer, typed)
                wanted = "read-only" if read_only else why
                await viewer.until(partial(says, there, wanted))
                assert there.app.session.source is source, typed
                state.palette = None
            await type_path(there, viewer, f"{named['root']}/own.png")
            if read_only:
                await viewer.until(partial(says, there, "read-only"))
                assert there.app.session.source is source
            else:
                await viewer.until(lambda: there.app.session.source.name == "own.png")

    named = prepare(tmp_path)
    with serving(*WORDS, root=Path(named["root"]), read_only=read_only) as there:
        there.run(talk)


def says(there: Serving, words: str) -> bool:
    return words in there.app.state.message
