"""What keys ask of the program: files, clipboard, other sources."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.offscreen_app import do, keys, running_app, settle, text
from tests.pictures import read
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.source_spec import LAYOUTS
from wheatstone.viewer.lazy_import import import_object, lazy_function
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects import PLACES

pytestmark = pytest.mark.opengl
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "reference")


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    with running_app(*WORDS) as running:
        yield running


def test_every_effect_is_where_its_place_says() -> None:
    for place in PLACES.values():
        function = import_object(f"wheatstone.viewer.window.effects.{place}")
        assert (
            callable(function)
            and function.__module__ == f"wheatstone.viewer.window.effects.{place.split(':')[0]}"
        )


def test_an_effect_that_cannot_be_imported_any_more_ends_nothing(app: App) -> None:
    app.effects = {
        **app.effects,
        "copy line": lazy_function("wheatstone.viewer.window.effects.writing:gone_since"),
    }
    app.state.effects.append(("copy line",))
    app.step()
    assert not app.state.closing and app.state.message.endswith("; restart it")
    app.effects = {
        **app.effects,
        "copy line": lazy_function("wheatstone.viewer.window.effects.gone_since:copy_line"),
    }
    app.state.effects.append(("copy line",))
    app.step()
    assert "gone_since" in app.state.message


def drop(app: App, *paths: Path) -> None:
    do(app, Event("drop", paths=tuple(map(str, paths))))
    settle(app)


def test_a_pipeline_the_source_cannot_feed_is_not_switched_to(app: App, tmp_path: Path) -> None:
    Image.new("L", (60, 40), 99).save(tmp_path / "photo.png")
    app.state.choose_pipeline("mean")
    drop(app, tmp_path / "photo.png")
    keys(app, "Ctrl+1")
    settle(app)
    assert app.state.slot.pipeline.name == "mean" and "right image" in app.state.message


def write_pair(folder: Path, side: int = 40) -> tuple[Path, Path]:
    paths = folder / "left.png", folder / "right.png"
    for path in paths:
        Image.new("L", (side, side), 99).save(path)
    return paths


def test_one_key_keeps_picture_values_and_settings(app: App, tmp_path: Path) -> None:
    (tmp_path / "wheatstone-001.toml").touch()
    app.state.open_panels = {"parameters"}
    keys(app, "Ctrl+S")
    settle(app)
    stem = tmp_path / "wheatstone-002"
    recipe = read_recipe(stem.with_suffix(".png"))
    document = user_settings.read(stem.with_suffix(".toml"))
    assert document.pop("window") == {"seen": True, "panels": ["parameters"]}
    assert document.pop("shelf") == {}
    assert recipe == document
    assert recipe and recipe["params"]["disparities"] == 16
    values = np.load(stem.with_suffix(".npy"))
    assert values.shape == (48, 64) and values.dtype == np.float32
    assert "saved wheatstone-002.png, .npy (values of disparity)" in app.state.message
    assert app.state.message.endswith(f"in {tmp_path}")
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ('echo "$1" > shown', "opened {}"),
        ("exit 4", "xdg-open could not show {} (exit code 4)"),
        (None, "xdg-open is not installed; it is needed to show {}"),
        ("", "no desktop is available to show {}"),
    ],
)
def test_the_folder_of_screenshots_is_opened(
    script: str | None, message: str, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":1" if script != "" else "")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    programs = tmp_path / "bin"
    programs.mkdir()
    if script:
        (programs / "xdg-open").write_text(f"#!/bin/sh\n{script}\n")
        (programs / "xdg-open").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    keys(app, "Shift+S")
    settle(app)
    opened = message == "opened {}"
    assert app.state.message == message.format(tmp_path) + "; its path was copied" * (not opened)
    assert (tmp_path / "shown").exists() == opened
    assert app.window.clipboard == str(tmp_path) * (not opened)  # type: ignore[attr-defined]


def test_a_file_that_was_written_is_opened_by_a_button_of_its_message(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "xdg-open").write_text('#!/bin/sh\necho "$1" > shown\n')
    (programs / "xdg-open").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("DISPLAY", ":1")
    for number, (place, opened) in enumerate({0: "wheatstone-001.png", 1: ""}.items(), 1):
        keys(app, "S")
        settle(app)
        buttons = app.state.messages.newest.buttons
        assert [button.label for button in buttons] == ["Open", "Open folder"]
        written = tmp_path / f"wheatstone-{number:03}.png"
        assert written.is_file()
        app.state.request(*buttons[place].effect)
        settle(app)
        shown = Path((tmp_path / "shown").read_text().strip())
        assert shown == tmp_path / opened
        assert app.state.message == f"opened {shown}"
    app.state.bounds = Bounds(root=tmp_path / "bin")
    app.state.request("show file", str(tmp_path))
    app.step()
    assert str(tmp_path / "bin") in app.state.message
    keys(app, "S")
    settle(app)
    assert app.state.message.startswith("saved wheatstone-001.png in ")
    assert not app.state.messages.newest.buttons  # the desktop of those who look is elsewhere


def test_a_screenshot_dropped_restores_it(app: App, tmp_path: Path) -> None:
    app.state.zoom, app.state.center = 2.0, (0.25, 0.5)
    keys(app, "V", "M", "S")
    settle(app)
    before = read(tmp_path / "wheatstone-001.png")
    drop(app, *write_pair(tmp_path))
    assert app.session.source.spec.left == str(tmp_path / "left.png")
    assert app.state.zoom == 1.0
    keys(app, "M", "Ctrl+2")
    settle(app)
    drop(app, tmp_path / "wheatstone-001.png")
    assert app.state.message == "wheatstone-001.png restored"
    keys(app, "S")
    settle(app)
    assert np.array_equal(read(tmp_path / "wheatstone-002.png"), before)


def test_what_cannot_be_opened_changes_nothing_and_says_why(app: App, tmp_path: Path) -> None:
    before = app.session.source.spec.to_dict(), app.state.slot
    (tmp_path / "broken.png").write_text("no picture")
    (tmp_path / "broken.toml").write_text("= 3")
    narrow = write_pair(tmp_path, side=5)[0].rename(tmp_path / "alone.png")
    for paths, words in (
        ((tmp_path / "broken.png",), "broken.png"),
        ((tmp_path / "broken.toml",), "is damaged"),
        ((tmp_path / "absent.png",), "no such file"),
        ((narrow,), "needs a stereo pair"),
    ):
        drop(app, *paths)
        assert words in app.state.message
        assert (app.session.source.spec.to_dict(), app.state.slot) == before


def test_settings_that_do_not_fit_end_nothing_and_are_named(app: App, tmp_path: Path) -> None:
    good = settings.dumps(settings.document(app.state, app.session.source.spec))
    for before, after, key in (
        ("zoom = 1.0", "zoom = nan", "view.zoom"),
        ("zoom = 1.0", "zoom = 1e308", "zoom must be in"),
        ("frame = 0", "frame = inf", "view.frame"),
        ("panels = []", "panels = 3", "window.panels"),
        ('scene = "orbit"', "left = 3", "source.left"),
    ):
        assert before in good
        (tmp_path / "bad.toml").write_text(good.replace(before, after))
        drop(app, tmp_path / "bad.toml")
        assert "bad.toml: " in app.state.message and key in app.state.message
        assert app.state.zoom == 1.0


def test_the_source_is_read_again_and_the_look_stays(app: App, tmp_path: Path) -> None:
    left, right = write_pair(tmp_path)
    drop(app, left, right)
    app.state.zoom, app.state.center = 2.0, (0.25, 0.5)
    Image.new("L", (40, 40), 33).save(left)
    keys(app, "F5")
    settle(app)
    assert app.session.source.frame(0).left[0, 0] == 33
    assert (app.state.zoom, app.state.center) == (2.0, (0.25, 0.5))
    left.unlink()
    keys(app, "F5")
    settle(app)
    assert "no such file" in app.state.message
    assert app.session.source.frame(0).left[0, 0] == 33


def test_a_key_undoes_a_layout_that_was_detected(app: App, tmp_path: Path) -> None:
    frame = app.session.frames.frame(0)
    assert frame.right is not None
    both = np.asarray(Image.fromarray(np.hstack([frame.left, frame.right])).resize((512, 192)))
    Image.fromarray(both).save(tmp_path / "both.png")
    drop(app, tmp_path / "both.png")
    assert app.session.source.width == 256 and app.session.frames.frame(0).right is not None
    keys(app, "Ctrl+2")  # what needs no right view
    for layout in LAYOUTS:  # the first is a pair, of which one view is missing
        keys(app, "Ctrl+D")
        settle(app)
        source, alone = app.session.source, app.session.frames.frame(0).right is None
        assert source.spec.layout == layout and layout in app.state.message
        assert (source.width == 512 and alone) == (layout == "pair")


def test_layouts_that_hold_no_pair_are_passed_over_where_one_is_needed(
    app: App, tmp_path: Path
) -> None:
    frame = app.session.frames.frame(0)
    assert frame.right is not None
    both = np.asarray(Image.fromarray(np.hstack([frame.left, frame.right])).resize((512, 192)))
    Image.fromarray(both).save(tmp_path / "both.png")
    drop(app, tmp_path / "both.png")
    seen = []
    for _ in range(4):
        keys(app, "Ctrl+D")
        settle(app)
        seen.append(app.session.source.spec.layout)
    assert seen == ["top-bottom", "half-side-by-side", "swapped", "side-by-side"]


def test_the_line_copied_shows_what_is_shown(app: App) -> None:
    keys(app, "V", "W", "]", "L")
    line: str = app.window.clipboard  # type: ignore[attr-defined]
    assert app.state.message == f"copied: {line}"
    state, source = open_view(parse(shlex.split(line)[1:]))
    source.close()
    assert (state.slot, state.view) == (app.state.slot, app.state.view)
    assert (state.mixing, state.slot_b) == (app.state.mixing, app.state.slot_b)
    assert source.spec.to_dict() == app.session.source.spec.to_dict()


def test_presets_are_saved_and_deleted_by_the_palette(app: App) -> None:
    keys(app, "]", "Ctrl+Shift+P")
    text(app, "save preset")
    keys(app, "Enter")
    text(app, "mine")
    keys(app, "Enter")
    assert list(app.state.presets["sgm"]) == ["mine"]
    keys(app, "P", "Shift+P", "Ctrl+Shift+P")
    text(app, "delete preset: mine")
    keys(app, "Enter")
    assert (app.state.presets, app.state.message) == ({}, "preset mine deleted")


def test_settings_are_saved_where_the_user_says_and_never_over_a_file(
    app: App, tmp_path: Path
) -> None:
    for _ in range(2):
        app.state.effects.append(("save settings", str(tmp_path / "mine")))
        settle(app)
    assert "exists already" in app.state.message
    keys(app, "]", "M")
    drop(app, tmp_path / "mine.toml")
    assert app.state.slot.params.values()["disparities"] == 16
    assert app.state.colormap == "cividis"


def test_a_folder_that_cannot_be_written_to_is_reported(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for key in ("S", "Ctrl+S"):
        app.state.messages = Messages()
        keys(app, key)
        settle(app)
        assert app.state.message
