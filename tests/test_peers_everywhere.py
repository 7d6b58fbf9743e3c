"""Networks and programs of the user in every place that takes a variant."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.batch_runs import files_in
from tests.batch_runs import walls as walls  # a fixture
from tests.dask_jobs import cluster_program
from tests.offscreen_app import running_app, settle
from tests.patience import wait_until
from tests.stereo_networks import CARD, BlockMatching, described
from tests.test_window import run_window
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.script_player import finish
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.parameter_grid.panel import ParameterGridPanel
from wheatstone.viewer.run.peers.own_peer import peer

PROGRAM = """
import sys, cv2, numpy as np
left, right = (cv2.imread(path, cv2.IMREAD_GRAYSCALE) for path in sys.argv[1:3])
matcher = cv2.StereoSGBM.create(0, 16, 3)
disparity = matcher.compute(left, right) / np.float32(16)
np.save(sys.argv[3], np.where(disparity < 0, np.nan, disparity))
"""
SCENE = ("--scene", "garden", "--scene-size", "96x64", "--disparities", "16")
LEAN = ("--disparities", "16", "--no-rows", "--values", "npy", "--limit", "2")
PEERS = ("network", "program")


@pytest.fixture(params=PEERS)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a variant: a network, or a program; verbs write into the current folder."""
    monkeypatch.chdir(tmp_path)
    if request.param == "network":
        path = BlockMatching(disparities=16).write(tmp_path / "network.onnx")
        described(path, CARD)
        return f"onnx:{path}"
    script = tmp_path / "match.py"
    script.write_text(PROGRAM)
    words = shlex.join([sys.executable, str(script)])
    return f"cmd:{words} {{left}} {{right}} {{out}}"


def test_it_is_timed_beside_the_reference(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    size = ("--size", "96x64", "--disparities", "16", "--repeat", "2", "--seconds", "0.2")
    assert main(["bench", "sgm", "--variants", name, *size, "--stages", "--json", "a.json"]) == 0
    rows = json.loads(Path("a.json").read_text())["rows"]
    assert [row["variant"] for row in rows] == ["reference", name]
    assert rows[1]["identity"] == "peer"
    longest = max(map(len, capsys.readouterr().out.splitlines()))
    assert longest < 200  # whatever the command is


@pytest.mark.parametrize("verb", ["bench", "figure", "compare", "evaluate", "view"])
def test_help_names_networks_and_programs(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(word in said for word in ("onnx:FILE", "cmd:'PROGRAM {left} {right} {out}'"))
    assert "--program-seconds S" in said


def test_it_is_judged(name: str) -> None:
    words = ("--scene", "garden", "--size", "96x64", "--disparities", "16", "--json", "a.json")
    assert main(["evaluate", "--variant", name, *words]) == 0
    figures = json.loads(Path("a.json").read_text())["mean"]
    assert figures["bad-2"] < 60


@pytest.mark.opengl
@pytest.mark.parametrize("mode", ["wipe", "difference", "blink", "side-by-side"])
def test_it_is_mixed_with_another_variant(name: str, mode: str) -> None:
    words = (*SCENE, "--variant", name, "--b-variant", "reference", "--compare", mode)
    assert main(["render", *words, "--size", "320x200", "--out", "a.png"]) == 0
    picture = cv2.imread("a.png")
    assert picture is not None and np.ptp(picture) > 50


@pytest.mark.opengl
def test_figures_show_it(name: str) -> None:
    words = ("garden", "--scene-size", "96x64", "--disparities", "16")
    assert main(["figure", *words, "--variants", "reference", name, "--out", "a.png"]) == 0
    table = Path("a.md").read_text()
    assert name.replace("|", r"\|") in table and "peer, not comparable" in table
    assert main(["figure", *words, "--variant", name, "--out", "b.png"]) == 0  # no empty cell


@pytest.mark.opengl
def test_a_window_has_it_with_errors_by_ground_truth(name: str) -> None:
    peer(name)
    words = (*SCENE, "--variant", name, "--error-map", "--b-variant", "reference")
    with OffscreenContext(None), running_app(*words) as app:
        assert app.session.a.shown and app.session.a.shown.slot.variant == name
        app.session.figures.measure()
        figures = app.session.figures.slots[0].figures
        assert figures and figures.judged and figures.values["bad-2"] < 60
        assert not app.failed


@pytest.mark.opengl
def test_its_parameters_cannot_be_tuned_which_is_no_error(name: str) -> None:
    from tests.laid_out import watched

    peer(name)
    with OffscreenContext(None), running_app(*SCENE, "--variant", name, size=(1280, 800)) as app:
        app.state.show_workspace("Tune")
        finish(app)
        assert app.state.message.startswith("Tune: ")
        with watched() as drawn:
            app.step()
        assert any(words.startswith("No grid for A: the variant reads") for words in drawn.seen)
        app.state.choose_variant("reference")
        finish(app)
        panel = app.layout.body("parameter_grid")
        assert isinstance(panel, ParameterGridPanel) and panel.results and panel.results.done


@pytest.mark.opengl
def test_a_network_that_is_dropped_becomes_the_variant_of_a(tmp_path: Path) -> None:
    file = BlockMatching(disparities=16).write(tmp_path / "dropped.onnx")
    described(file, CARD)
    with OffscreenContext(None), running_app(*SCENE, "--variant", "reference") as app:
        app.window.add([Event("drop", paths=(str(file),))])  # type: ignore[attr-defined]
        wait_until(lambda: app.state.slot.variant == f"onnx:{file}", app.step)
        settle(app)
        assert app.session.a.shown and app.session.a.shown.slot.variant == f"onnx:{file}"
        app.state.bounds = Bounds(tmp_path)
        app.state.request("use network", str(file))
        app.step()
        assert "from the command line" in app.state.message


@pytest.mark.opengl
@pytest.mark.parametrize("name", ["program"], indirect=True)
def test_a_window_on_a_screen_shows_it(name: str, x_display: dict[str, str]) -> None:
    words = (*SCENE, "--variant", name, "--b-variant", "reference", "--compare", "wipe")
    answer = run_window("program", x_display, name, *words)
    assert answer["variants"] == [name, "reference"]
    assert answer["levels"] > 50 and not answer["failed"]


@pytest.mark.opengl
def test_browsers_see_it(name: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="comes with the extra serve")
    from tests.serving import serving

    peer(name)
    words = (*SCENE, "--variant", name, "--fresh", "--no-bars")
    with OffscreenContext(None), serving(*words, root=tmp_path) as here:

        async def talk(session: Any) -> NDArray[np.uint8]:
            async with await here.look(session) as viewer:
                return (await viewer.still()).pixels

        pixels = here.run(talk)
        assert np.array_equal(pixels, here.window.read())
        assert here.app.session.a.shown and here.app.session.a.shown.slot.variant == name


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two workers, which the last tests need; idle, it would slow the others."""
    with cluster_program(2) as (address, _):
        yield address


def test_threads_processes_and_clusters_compute_the_same(
    name: str, walls: Path, address: str
) -> None:
    ways = {"threads": ("--threads", "3"), "processes": ("--processes", "2")}
    ways["cluster"] = ("--cluster", address)
    for way, more in ways.items():
        words = ["batch", str(walls), "--variant", name, *LEAN, *more, "--out", way]
        assert main(words) == 0
    first = files_in(Path("threads"))
    assert len(first) == 2 and all(files_in(Path(way)) == first for way in ways)
    assert np.nanmedian(np.load("threads/disparity/0.npy")) == 6
