"""The findings bar: what the program notices about a source, with buttons that resolve it."""

import ast
import pickle
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.laid_out import watched, windows
from tests.offscreen_app import click, do, keys, running_app, settle, text
from tests.patience import wait_until
from tests.turned_pairs import UNTURNED, turned_pair
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.frames.source_findings import key_of, large_range
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import (
    CHOOSE_RIGHT_VIEW,
    DISMISS,
    FINDINGS,
    Finding,
    about,
    in_window,
)
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.findings import LINE_HEIGHT, MOST, capitalised
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.dismissed_findings import (
    dismissed_file,
    read_dismissed,
    write_dismissed,
)
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects import EFFECTS

ROOT = Path(__file__).resolve().parent.parent
OPTION = re.compile(r"(?<![\w-])--[a-z]", re.ASCII)
WORDS = ("--disparities", "16", "--variant", "cpu", "--paths", "4")
FOR_THE_COMMAND_LINE = (
    *("cli", "parser.py", "options.py", "settings/command_line.py", "findings.py"),
    *("run/measuring", "run/engine.py", "io/files", "io/scenes"),
    *("display/screen/pixels.py", "display/screen/glfw_start.py", "settings/saved_choices.py"),
    *("io/sources/source_spec.py", "io/sources/truth.py", "io/sources/disparity_survey.py"),
    *("io/sources/file_kinds.py", "io/cameras/formats/devices.py", "window/effects/learning.py"),
    "window/browser_server.py",
)
"""Texts that no window shows, or that name options of other programs."""


def texts_of(file: Path) -> Iterator[str]:
    """The texts in a source file that are no docstrings, f-strings joined."""
    tree = ast.parse(file.read_text())
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in prose:
                yield node.value


def test_no_message_of_a_window_names_an_option() -> None:
    viewer = ROOT / "viewer"
    named = [
        f"{file.relative_to(viewer)}: {text}"
        for file in viewer.rglob("*.py")
        if not str(file.relative_to(viewer)).startswith(FOR_THE_COMMAND_LINE)
        for text in texts_of(file)
        if OPTION.search(text)
    ]
    assert not named, "\n".join(named)


@pytest.mark.parametrize("name", FINDINGS)
def test_a_finding_is_a_sentence_with_buttons_and_options(name: str) -> None:
    kind = FINDINGS[name]
    labels = [button.label for button in kind.buttons]
    assert not any(OPTION.search(text) for text in (kind.says, *labels))
    assert all(button.effect[0] in EFFECTS for button in kind.buttons)
    texts = kind.says, *labels, *(word for button in kind.buttons for word in button.effect)
    fields = {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}
    assert fields <= {*fields}  # well-formed


def test_a_finding_prints_its_options_and_shows_its_sentence() -> None:
    finding = Finding("rows", median=2.13)
    assert finding == (
        "rows differ by 2.1 px (median): the pair is not rectified; "
        "give --calibration FILE or --rectify auto"
    )
    assert in_window(finding) == "rows differ by 2.1 px (median): the pair is not rectified"
    assert in_window("nothing to do") == "nothing to do"
    assert [button.label for button in finding.buttons] == [
        "Rectify by features",
        "Load calibration...",
    ]
    moved = about("left.png", finding)
    assert isinstance(moved, Finding) and moved.says.startswith("left.png: rows differ by 2.1 px")
    assert moved.endswith("--rectify auto") and about("a", "b") == "a: b"
    assert type(pickle.loads(pickle.dumps(finding))) is str


def test_sentences_begin_with_a_capital_letter_but_names_of_files_stay() -> None:
    assert capitalised("rows differ") == "Rows differ"
    assert capitalised("calib.txt is for 741x497") == "calib.txt is for 741x497"


@pytest.fixture
def level(tmp_path: Path) -> tuple[str, str]:
    return turned_pair(right=UNTURNED).save(tmp_path)


@pytest.fixture
def turned(tmp_path: Path) -> tuple[str, str]:
    return turned_pair().save(tmp_path)


def names(app: App) -> list[str]:
    return [finding.name for finding in app.layout.findings.shown]


def with_bars(app: App) -> App:
    app.state.bars = True
    settle(app)
    do(app)
    return app


def press(app: App, label: str) -> None:
    """Click the button of a finding, found by trying the places of its line."""
    asked: list[tuple[str, ...]] = []
    effects = {effect: app.effects[effect] for effect in app.effects}
    wanted = next(
        button.effect
        for finding in app.layout.findings.shown
        for button in finding.buttons
        if button.label == label
    )
    app.effects = {**effects, wanted[0]: lambda _, *words: asked.append(words)}
    height = app.layout.findings.height(app.presentation.scale, app.window.size[0])
    top = app.layout.area.y - height
    lines = min(len(app.layout.findings.shown), MOST)
    for line in range(lines):
        for x in range(120, app.window.size[0], 12):
            if not asked:
                click(app, x, top + (line + 0.5) * height / lines)
    app.effects = effects
    assert asked == [wanted[1:]]
    app.state.effects.append(wanted)
    settle(app)
    do(app)


@pytest.mark.opengl
def test_findings_have_lines_above_the_picture_until_they_are_resolved(
    offscreen: OffscreenContext, turned: tuple[str, str]
) -> None:
    with running_app("sgm", *turned, *WORDS, size=(1280, 800)) as app:
        before = app.layout.area
        assert names(app) == []  # without bars
        with_bars(app)
        assert names(app) == ["rows", "relative", "no truth"]
        area, center = app.layout.area, app.state.center
        assert area.height < before.height and area.y >= round(3 * LINE_HEIGHT)
        press(app, "Rectify by features")
        assert app.session.source.spec.rectify == "auto"
        assert "rows" not in names(app) and "features" in names(app)
        assert "--" not in app.state.message and app.state.center == center


@pytest.mark.opengl
def test_the_bar_of_findings_covers_nothing_below_its_lines(
    offscreen: OffscreenContext, turned: tuple[str, str]
) -> None:
    with running_app("sgm", *turned, *WORDS, size=(1280, 800)) as app:
        with_bars(app)
        while shown := names(app):
            bar = windows()["findings"]
            assert bar.pos.y + bar.size.y == app.layout.area.y
            app.state.request(*DISMISS, shown[0])
            settle(app)
            do(app)
            assert len(names(app)) < len(shown)


@pytest.mark.opengl
def test_an_image_alone_offers_to_choose_its_right_view(
    offscreen: OffscreenContext, level: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    folder = Path(level[0]).parent
    one, other = (Path(path).rename(folder / name) for path, name in zip(level, NAMES, strict=True))
    with running_app("sgm", "--scene-size", "48x36", *WORDS, size=(1280, 800)) as app:
        app.state.open_panels = {START}
        with_bars(app)
        do(app, Event("move", x=100, y=300))  # where the mouse is after a click on that page
        app.state.request("open", str(one))
        settle(app)
        do(app)
        assert names(app)[0] == "single image"
        assert f"click {CHOOSE_RIGHT_VIEW.label}" in app.state.message
        press(app, CHOOSE_RIGHT_VIEW.label)
        palette = app.state.palette
        assert palette and palette.first == str(one) and palette.query == f"{folder}/"
        text(app, other.name)
        keys(app, "Enter")
        settle(app)
        do(app)
        spec = app.session.source.spec
        assert (spec.left, spec.right) == (str(one), str(other))
        assert "single image" not in names(app)
        app.state.single = str(one)
        do(app)
        app.state.request("dismiss", "single image")
        do(app)
        assert "single image" not in names(app) and not app.state.dismissed
        app.state.single = str(one)
        do(app)
        _, halves = app.layout.findings.shown[0].buttons
        app.state.request(*halves.effect)
        settle(app)
        spec = app.session.source.spec
        assert (spec.left, spec.right, spec.layout) == (str(one), None, "side-by-side")


NAMES = "cam.png", "other_b.png"
"""Names of which nothing shows that the pictures belong together."""


@pytest.mark.opengl
def test_no_text_of_a_panel_names_an_option(
    offscreen: OffscreenContext, turned: tuple[str, str]
) -> None:
    with running_app("sgm", *turned, *WORDS, size=(1280, 800)) as app:
        app.state.open_panels = {"camera", "measure", "calibrate", "truth", "inspector"}
        settle(app)
        wait_until(lambda: app.session.rows.newest, app.step)
        with watched() as drawn:
            do(app)
        assert any(text.startswith("right view ") for text in drawn.seen)
        assert not [text for text in drawn.seen if OPTION.search(text)]


@pytest.mark.opengl
def test_a_dismissed_finding_stays_away_from_its_source_only(
    offscreen: OffscreenContext,
    level: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    with running_app("sgm", *level, *WORDS, size=(1280, 800)) as app:
        app.state.bounds = app.state.bounds.__class__(saves=True)
        with_bars(app)
        assert "no truth" in names(app)
        app.state.request("dismiss", "no truth")
        do(app)
        assert "no truth" not in names(app)
        key = key_of(app.session.source.spec)
    assert read_dismissed() == {key: ("no truth",)}
    with running_app("sgm", *level, *WORDS, size=(1280, 800)) as app:
        app.state.dismissed = read_dismissed()
        assert "no truth" not in names(with_bars(app))
        app.state.dismissed = {"another": ("no truth",)}
        do(app)
        assert "no truth" in names(app)


def test_a_damaged_list_of_dismissed_findings_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert read_dismissed() == {}
    write_dismissed({str(n): ("rows",) for n in range(600)})
    assert list(read_dismissed())[::499] == ["100", "599"]
    dismissed_file().write_text('{"schema": 3}')
    assert read_dismissed() == {}
    assert "dismissed findings are ignored" in capfd.readouterr().err


def test_a_range_that_is_too_small_is_searched_by_a_button(level: tuple[str, str]) -> None:
    from wheatstone.viewer.io.sources.disparity_survey import survey_disparities
    from wheatstone.viewer.io.sources.grey import grey_views

    grey = grey_views(open_source(SourceSpec(*level)).frame(0))
    result = survey_disparities(grey["left"], grey["right"]).outside(0, 8)
    assert isinstance(result, Finding) and "; try --disparities " in result
    (button,) = result.buttons
    name, count, begin = button.effect
    assert (name, begin) == ("search", "0") and button.label == f"Search {count}"
    assert f"--disparities {count}" in result


@pytest.mark.opengl
def test_ground_truth_that_is_not_searched_is_a_finding(
    offscreen: OffscreenContext, level: tuple[str, str], tmp_path: Path
) -> None:
    np.save(tmp_path / "truth.npy", np.full((360, 480), 20, np.float32))
    words = *level, "--truth", str(tmp_path / "truth.npy"), *WORDS
    with running_app("sgm", *words, size=(900, 600)) as app:
        assert "truth range" in names(with_bars(app))
        app.state.request("search", "32", "0")
        settle(app)
        do(app)
        assert "truth range" not in names(app)


@pytest.mark.opengl
def test_search_changes_the_range_of_a(offscreen: OffscreenContext, level: tuple[str, str]) -> None:
    with running_app("sgm", *level, *WORDS) as app:
        app.state.request("search", "64", "0")
        settle(app)
        assert app.state.slot.params.values()["disparities"] == 64


def test_hierarchical_search_is_offered_where_it_gains() -> None:
    run = Run("sgm", "shared", SGM.params().changed(disparities=512))
    offered = large_range(run, 2000, 3000)
    assert offered and offered.says.startswith(
        "6 MP x 512 disparities: hierarchical search examines about 7% of the costs"
    )
    assert not large_range(run, 1000, 1500)
    assert not large_range(run.replace(disparities=64), 2000, 3000)
    assert not large_range(run.replace(search="hierarchical"), 2000, 3000)
    assert not large_range(run.replace(variant="cpu"), 2000, 3000)  # takes longer
    assert not large_range(run.replace(variant="texture"), 2000, 3000)  # cannot
    assert not large_range(Run("canny", "cpu"), 2000, 3000)


@pytest.mark.opengl
def test_a_button_changes_a_parameter_of_a(
    offscreen: OffscreenContext, level: tuple[str, str]
) -> None:
    with running_app("sgm", *level, *WORDS) as app:
        app.state.request("change parameter", "search", "hierarchical")
        settle(app)
        assert app.state.slot.params.values()["search"] == "hierarchical"


@pytest.mark.opengl
def test_a_calibration_for_another_size_can_be_scaled_or_ignored(
    offscreen: OffscreenContext, level: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    folder = Path(level[0]).parent
    matrix = "[{f} 0 {x}; 0 {f} {y}; 0 0 1]"
    cameras = (f"cam{n}={matrix.format(f=300, x=160, y=120)}" for n in "01")
    sizes = ("doffs=0", "baseline=100", "width=320", "height=240")
    (folder / "calib.txt").write_text("\n".join((*cameras, *sizes)))
    with running_app("sgm", *level, *WORDS, size=(1280, 800)) as app:
        with_bars(app)
        assert "calibration size" in names(app) and "relative" not in names(app)
        text = app.layout.findings.shown[0].says
        assert text == "calib.txt is for 320x240, the images are 480x360: ignored"
        press(app, "Scale")
        assert app.session.source.spec.calibration_scale == "any"
        known = app.session.source.frame(0).calibration
        assert known and known.focal == pytest.approx(450) and known.baseline == pytest.approx(0.1)
        assert not {"calibration size", "relative"} & set(names(app))
        assert "calibration scaled" in names(app)
    assert main(["render", "sgm", *level, *WORDS, "--out", str(folder / "a.png")]) == 0
    assert "ignored; --calibration-scale any scales it" in capfd.readouterr().err
    offscreen.make_current()


@pytest.mark.opengl
def test_a_loaded_calibration_for_another_shape_is_a_finding_until_it_is_ignored(
    offscreen: OffscreenContext, level: tuple[str, str]
) -> None:
    for name, height in (("wide", 90), ("twice", 720)):
        cameras = (f"cam{n}=[300 0 480; 0 300 {height // 2}; 0 0 1]" for n in "01")
        sizes = ("doffs=0", "baseline=100", "width=960", f"height={height}")
        (Path(level[0]).parent / f"{name}.txt").write_text("\n".join((*cameras, *sizes)))
    with running_app("sgm", *level, *WORDS, size=(1280, 800)) as app:
        with_bars(app)
        for _ in range(2):
            app.state.request("open", str(Path(level[0]).with_name("wide.txt")))
            settle(app)
            assert "calibration shape" in names(app) and app.session.source.spec.left == level[0]
            says = "wide.txt is for 960x90, the images are 480x360, of another shape: ignored"
            assert app.layout.findings.shown[0].says == says
            app.state.request("dismiss", "calibration shape")
            settle(app)
            assert "calibration shape" not in names(app)
        app.state.request("open", str(Path(level[0]).with_name("twice.txt")))
        settle(app)
        assert app.layout.findings.shown[0].says == "twice.txt: scaled from 960x720 to the images"


@pytest.mark.opengl
def test_more_findings_than_lines_are_behind_a_button(
    offscreen: OffscreenContext, turned: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(Finding(name, **values) for name, values in SHOWN.items())
    monkeypatch.setattr("wheatstone.viewer.panels.findings.source_findings", lambda _: many)
    with running_app("sgm", *turned, *WORDS, size=(900, 500)) as app:
        with_bars(app)
        height = app.layout.findings.height(app.presentation.scale, app.window.size[0])
        assert height == round(LINE_HEIGHT * app.presentation.scale) * MOST and len(many) > MOST
        before = app.window.read()  # type: ignore[attr-defined]
        width, top = app.window.size[0], app.layout.area.y - height
        click(app, width - 24, top + height * 5 / 6)
        after = app.window.read()  # type: ignore[attr-defined]
        assert np.any(before[top + height :] != after[top + height :])


SHOWN: dict[str, dict[str, Any]] = {
    "rows": {"median": 2.1},
    "range": {
        **{"share": 0.4, "where": "above", "first": 0, "last": 63, "options": ""},
        **{"search": "256", "count": 256, "begin": 0},
    },
    "truth scale": {"name": "disp2.png"},
    "relative": {"why": "the cameras are not calibrated"},
    "no truth": {},
}


@pytest.mark.opengl
def test_dropped_calibrations_and_values_are_used_for_the_open_pair(
    offscreen: OffscreenContext, level: tuple[str, str], tmp_path: Path
) -> None:
    rig, floats, deep = tmp_path / "calib.csv.txt", tmp_path / "a.npy", tmp_path / "b.png"
    cameras = (f"cam{n}=[200 0 160; 0 200 120; 0 0 1]" for n in "01")
    rig.write_text("\n".join((*cameras, "doffs=0", "baseline=100", "width=320", "height=240")))
    np.save(floats, turned_pair(right=UNTURNED).truth)
    Image.fromarray(np.full((360, 480), 5 * 256, np.uint16)).save(deep)
    with running_app("sgm", *level, *WORDS, size=(900, 600)) as app:

        def drop(path: Path) -> None:
            do(app, Event("drop", paths=(str(path),)))
            settle(app)

        drop(rig)
        known = app.session.source.frame(0).calibration
        assert known and known.focal == 300 and known.baseline == pytest.approx(0.1)
        drop(floats)
        assert app.state.question and app.state.question.yes == "Ground truth"
        do(app, Event("key", key="Enter"))
        settle(app)
        truth = app.session.source.frame(0).truth
        assert truth is not None and np.array_equal(truth, np.load(floats), equal_nan=True)
        assert app.session.source.spec.calibration == str(rig)  # is kept
        drop(deep)
        question = app.state.question
        assert question and (question.yes, question.others[0].label) == (
            "Ground truth",
            "Compare with A",
        )
        do(app, Event("key", key="Enter"))
        settle(app)
        truth = app.session.source.frame(0).truth
        assert truth is not None and np.all(truth == 5) and not app.state.question
