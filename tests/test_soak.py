"""The soak: what it counts, and that a leak and an exception planted in the program are found."""

import gc
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import soak
from benchmarks.growth import FEWEST, MEMORY, growths
from benchmarks.resources import GlCount, malloc_in_use, resident, resources
from benchmarks.soak_files import write_files, write_home
from tests.offscreen_app import keys, running_app, settle
from tests.patience import PATIENCE, wait_until
from wheatstone.gpu.device import give_back_memory
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.trust import settings_folder
from wheatstone.viewer.window.window_layout import WindowLayout

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from benchmarks.soak_program import Soak

pytestmark = pytest.mark.opengl
MIB = 2**20


@pytest.fixture
def folder() -> Iterator[Path]:
    with soak.own_folders() as made:
        yield made


def soaked(folder: Path, counts: int, monkeypatch: pytest.MonkeyPatch) -> "Soak":
    from benchmarks import soak_program, soak_user

    monkeypatch.setattr(soak_user, "WINDOW_SIZES", ((96, 64),))
    monkeypatch.setattr(soak_program, "HOME_SIZE", (96, 64))
    monkeypatch.setattr(soak_program, "LONGEST_REST", 0)
    drops, home = write_files(folder), write_home(folder)
    with closing(soak_program.Soak(Random(3), drops, home, 2)) as run:
        while len(run.counts) < counts:
            run.step()
    return run


def test_memory_given_out_and_given_back_is_counted(folder: Path) -> None:
    before, used = resident(), malloc_in_use()
    many = [np.ones(50_000, np.uint8) for _ in range(2000)]  # each in a heap, not mapped alone
    assert malloc_in_use() - used > 90 * MIB
    last = many.pop()
    del many
    kept = resident()
    give_back_memory()
    assert malloc_in_use() - used < 20 * MIB and last.size
    assert resident() - before < 40 * MIB and resident() <= kept


HOLES = """
import numpy as np
from benchmarks.resources import MIB, resident
from wheatstone.gpu.device import open_device

open_device("cpu")
np.ones(2**24, np.uint8)  # freed at once: after it glibc would keep smaller ones in heaps
pictures = [np.ones(2**21, np.uint8) for _ in range(100)]
before = resident()
del pictures[::2]
assert before - resident() > 80 * MIB and len(pictures) == 50
"""


def test_pictures_that_are_freed_leave_no_holes_in_the_heaps() -> None:
    """In a process of its own: work of ``batch`` changes how a process frees memory."""
    root = Path(__file__).resolve().parent.parent
    subprocess.run([sys.executable, "-c", HOLES], cwd=root, check=True, timeout=PATIENCE)


def test_everything_that_a_process_holds_is_counted(offscreen: object, folder: Path) -> None:
    from wheatstone.viewer.display.screen.program import ShaderProgram
    from wheatstone.viewer.display.screen.texture import GLTexture

    gl = GlCount()
    ShaderProgram("quad.vert", "image.frag").close()  # a driver opens its own files once
    gc.collect()  # nothing of earlier tests is freed while this counts
    before = resources(gl)
    textures = [GLTexture((4, 5), np.uint8) for _ in range(3)]
    program = ShaderProgram("quad.vert", "image.frag")
    hold = threading.Event()
    thread = threading.Thread(target=hold.wait)
    thread.start()
    with tempfile.NamedTemporaryFile():
        during = resources(gl)
    hold.set()
    thread.join()
    for made in (*textures, program):
        made.close()  # type: ignore[attr-defined]
    grown = {name: int(during[name] - before[name]) for name in before if name not in MEMORY}
    assert grown.pop("Python objects") > 0
    assert {name: count for name, count in grown.items() if count} == {
        "descriptors": 1,
        "threads": 1,
        "temporary files": 1,
        "GL textures": 3,
        "GL programs": 1,
        "GL shaders": 2,
    }
    after = resources(gl)
    assert {name for name in before if after[name] != before[name]} <= {*MEMORY, "Python objects"}


@pytest.mark.usefixtures("offscreen")
def test_other_sources_leave_nothing_in_opengl(folder: Path) -> None:
    write_files(folder)
    gl, counts = GlCount(), []
    kept = {"GL programs", "GL shaders"}  # of ways through the display shader, up to a bound
    words = ("canny", "--scene-size", "48x32", "--variant", "cpu")
    with running_app(*words, size=(96, 64)) as app:
        for turn in range(4):
            for name in ("single-64x48.png", "pair-47x31"):
                app.open_source(open_source(SourceSpec.from_dict({"left": str(folder / name)})))
                settle(app)
                keys(app, "V")
            result = gl.counts()
            counts.append({name: result[name] for name in result.keys() - kept})
            app.state.choose_pipeline(("mean", "canny")[turn % 2])
            app.state.choose_variant("cpu")
    assert counts[1] == counts[3], "whatever was shown before"
    assert sum(counts[2].values()) <= sum(counts[0].values()) + 1


@pytest.mark.usefixtures("offscreen")
def test_a_leak_planted_in_the_program_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wheatstone.viewer.display.screen.texture import GLTexture

    draw, kept, hold = WindowLayout.draw, [], threading.Event()

    def leaking(layout: WindowLayout, places: object) -> None:
        kept.append(GLTexture((2, 2), np.uint8))
        kept.append(os.open("/dev/null", os.O_RDONLY))  # type: ignore[arg-type]
        threading.Thread(target=hold.wait, daemon=True).start()
        draw(layout, places)  # type: ignore[arg-type]

    monkeypatch.setattr(WindowLayout, "draw", leaking)
    run = soaked(folder, 2 * FEWEST, monkeypatch)
    hold.set()
    for number in kept[1::2]:
        os.close(number)  # type: ignore[arg-type]
    flat = {growth.name: growth.flat for growth in growths(run.at, run.counts)}
    assert not flat["GL textures"] and not flat["descriptors"] and not flat["threads"]
    assert flat["GL programs"] and not run.causes


@pytest.mark.usefixtures("offscreen")
def test_what_was_shown_or_recorded_before_is_no_growth(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import soak_program

    monkeypatch.setattr(soak_program, "HOME_SIZE", (96, 64))
    monkeypatch.setattr(soak_program, "PIPELINES", {"sgm": PIPELINES["sgm"]})
    gl, transient = GlCount(), {"recording", "fetching", "scene", "closing"}
    others = set(threading.enumerate())  # of tests before
    with closing(soak_program.Soak(Random(3), [], write_home(folder), 2)) as run:
        run.visit()
        before = gl.counts()
        run.visit()
        assert not run._app.session.recordings.path and gl.counts() == before
        wait_until(
            lambda: not transient & {each.name for each in {*threading.enumerate()} - others}
        )
        assert not run.causes


@pytest.mark.usefixtures("offscreen")
def test_an_exception_planted_in_a_frame_is_named_and_the_program_starts_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, calls = WindowLayout.update, Counter[str]()

    def failing(layout: WindowLayout, *, first: bool = True) -> None:
        calls["update"] += 1
        if calls["update"] % 20 == 0:
            raise KeyError("planted")
        update(layout, first=first)

    monkeypatch.setattr(WindowLayout, "update", failing)
    run = soaked(folder, 4, monkeypatch)
    (cause,) = run.causes
    assert cause.startswith("KeyError: 'planted' (test_soak.py:")
    assert "after " in run.traces[cause] and "presentation.py" in run.traces[cause]


@pytest.mark.usefixtures("offscreen")
def test_an_exception_planted_in_a_thread_is_named(folder: Path) -> None:
    from benchmarks import soak_program

    def fail() -> None:
        raise OSError("planted")

    with closing(soak_program.Soak(Random(3), [], write_home(folder), 2)) as run:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert [cause.split(" (")[0] for cause in run.causes] == ["OSError: planted"]


def test_the_table_says_what_grows_and_what_went_wrong() -> None:
    growth = {"name": "threads", "median": 9.0, "slope": 2.5, "grown": 3.0, "flat": False}
    content = {
        "command": "c",
        "frames": 7,
        "seconds": 3.2,
        "counted": 12,
        "growth": [growth],
        "causes": {"KeyError: 1 (a.py:3)": 2},
    }
    lines = list(soak.table(content))
    assert lines[0] == "c: 7 frames in 3 s, counted 12 times; of the second half:"
    assert lines[2].split() == ["threads", "9.0", "2.500", "3.00", "GROWS"]
    assert lines[3] == "2 x KeyError: 1 (a.py:3)" and not soak.passed(content)
    assert soak.passed({**content, "causes": {}, "growth": [{**growth, "flat": True}]})


def test_a_soak_leaves_folders_and_environment_as_they_were(folder: Path) -> None:
    inside = Path.cwd(), os.environ["XDG_CONFIG_HOME"], tempfile.gettempdir()
    with soak.own_folders() as other:
        assert Path.cwd() == other / "shots" and settings_folder().is_relative_to(other)
        assert tempfile.gettempdir() == str(other / "temporary")
    assert (Path.cwd(), os.environ["XDG_CONFIG_HOME"], tempfile.gettempdir()) == inside
