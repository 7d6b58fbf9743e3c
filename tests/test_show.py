"""``wheatstone.show`` outside a notebook: the window's settings, its process, and its end."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

import wheatstone as ws
from tests.patience import PATIENCE, wait_until
from tests.programs import environment
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.cli.view import prepare_state
from wheatstone.viewer.io.sources.arrays import ArraySource
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import user_settings
from wheatstone.window import require_notebook
from wheatstone.window_process import WindowProcess, WindowSettings

RUN = ws.Run("sgm", variant="cpu", disparities=32, p1=7)
GARDEN = 'ws.open("scene:garden", size=(96, 64))'


@pytest.fixture
def arrays() -> ArraySource:
    frame = ws.open("scene:garden", size=(96, 64)).frame(0)
    assert frame.right is not None and frame.truth is not None
    calibration = ws.Calibration(focal=100.0, baseline=0.25, principal=(48.0, 32.0), offset=2.0)
    truth = frame.truth.copy()
    truth[:9] = np.nan
    source = ws.open(frame.left, frame.right, calibration=calibration, truth=truth)
    assert isinstance(source, ArraySource)
    return source


def test_settings_hold_both_runs_and_open_the_same_source(tmp_path: Path) -> None:
    pair = ws.open("scene:garden", size=(96, 64), seed=3)
    saved = user_settings.read(WindowSettings(pair, RUN, RUN.replace(p1=9)).write(tmp_path))
    assert saved["params"] == RUN.params.values() and saved["view"]["variant"] == "cpu"
    assert saved["b"]["params"]["p1"] == 9 and not saved["b"]["linked"]
    assert saved["compare"]["mode"] == "side-by-side"
    again = open_source(SourceSpec.from_dict(saved["source"]))
    assert np.array_equal(again.frame(0).left, pair.frame(0).left)


@pytest.mark.parametrize("as_frame", [False, True])
def test_arrays_are_written_without_loss(
    arrays: ArraySource, tmp_path: Path, as_frame: bool
) -> None:
    given = arrays.frame(0) if as_frame else arrays
    saved = user_settings.read(WindowSettings(given, RUN).write(tmp_path))
    assert "b" not in saved and all(Path(name).parent == tmp_path for name in list_of(saved))
    again, frame = open_source(SourceSpec.from_dict(saved["source"])).frame(0), arrays.frame(0)
    assert np.array_equal(again.left, frame.left)
    assert again.right is not None and frame.right is not None and again.truth is not None
    assert np.array_equal(again.right, frame.right)
    assert np.array_equal(again.truth, frame.truth, equal_nan=True)  # type: ignore[arg-type]
    assert again.calibration == frame.calibration


def list_of(saved: dict[str, dict[str, str]]) -> list[str]:
    return list(saved["source"].values())


def test_a_grey_image_without_a_partner_is_written(tmp_path: Path) -> None:
    grey = np.arange(60, dtype=np.uint8).reshape(6, 10)
    settings = WindowSettings(ws.open(grey), ws.Run("canny", variant="cpu"))
    again = open_source(
        SourceSpec.from_dict(user_settings.read(settings.write(tmp_path))["source"])
    ).frame(0)
    assert np.array_equal(again.left, grey) and again.right is None


def test_a_source_that_cannot_be_opened_again_is_refused(arrays: ArraySource) -> None:
    arrays.length = 2  # as of a pipe, whose recipe is empty, too
    with pytest.raises(ValueError, match="a second time"):
        ws.show(arrays, RUN)


def test_a_window_that_does_not_start_gives_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    with pytest.raises(RuntimeError, match=r"exit code [23]"):
        ws.show(ws.open("scene:garden", size=(96, 64)), RUN)
    assert "wheatstone" in capfd.readouterr().err


def test_a_notebook_without_its_packages_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.window.find_spec", lambda name: None)
    with pytest.raises(ws.Unavailable, match=r"anywidget and aiohttp.*wheatstone\[notebook\]"):
        require_notebook()


@pytest.mark.parametrize(("words", "hints"), [((), True), (("--no-save",), False)])
def test_a_window_that_saves_no_session_shows_no_hints_of_a_first_start(
    words: tuple[str, ...], hints: bool
) -> None:
    options = parse(["view", "--scene", "garden", "--scene-size", "96x64", *words])
    state, source = open_view(options)
    prepare_state(options, state, source)
    source.close()
    assert state.hints == hints


SCRIPT = f"""
import wheatstone as ws
run = ws.Run("sgm", variant="cpu", disparities=32)
print("begins", flush=True)
ws.show({GARDEN}.frame(0), run, compare=run.replace(p1=9))
print("closed", flush=True)
"""


@pytest.mark.window
@pytest.mark.opengl
def test_a_script_goes_on_when_the_user_closes_the_window(
    x_display: dict[str, str], own_settings: Path
) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is missing: apt-get install xdotool")
    variables = environment(**x_display)
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env=variables, stdout=subprocess.PIPE, text=True
    ) as script:
        search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "Wheatstone"]
        subprocess.run([*search, "windowfocus"], env=variables, check=True)
        assert script.poll() is None
        subprocess.run(["xdotool", "key", "--delay", "120", "q"], env=variables, check=True)
        answer, _ = script.communicate(timeout=PATIENCE)
    assert answer.split() == ["begins", "closed"] and script.returncode == 0
    # Neither a session nor a recent source was saved.
    assert {path.name for path in own_settings.rglob("*")} <= {"seal.key"}


SERVED = f"""
import subprocess, time
import wheatstone as ws
from wheatstone.window_process import WindowProcess, WindowSettings
settings = WindowSettings({GARDEN}, ws.Run("sgm", variant="cpu", disparities=32))
window = WindowProcess("serve", settings, ("--frame-origin", "http://localhost:8888"),
                       subprocess.PIPE)
print(window._process.pid, window._folder, window.first_line(), flush=True)
time.sleep(600)
"""


@pytest.mark.opengl
def test_a_served_window_ends_with_its_parent() -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")
    with subprocess.Popen(
        [sys.executable, "-c", SERVED], env=environment(), stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        process, folder, address = parent.stdout.readline().split()
        with urlopen(address.partition("#")[0]) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors http://localhost:8888;" in policy
        assert len(address.partition("#")[2]) > 40
        assert Path(folder).is_dir()
        assert address.encode() not in Path(f"/proc/{process}/cmdline").read_bytes()
        os.kill(parent.pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{process}").exists())
    assert not Path(folder).exists()


@pytest.mark.opengl
def test_a_closed_window_leaves_no_process_and_no_files(
    arrays: ArraySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    window = WindowProcess("serve", WindowSettings(arrays, RUN), (), subprocess.PIPE)
    try:
        assert window.running and window.first_line().startswith("http://127.0.0.1:")
    finally:
        window.close()
    assert not window.running and not window._folder.exists()
