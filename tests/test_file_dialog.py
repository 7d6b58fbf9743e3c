"""Choosing what to open: in the desktop's dialog, or by typing a path that is completed."""

import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.offscreen_app import keys, running_app, settle, text
from tests.patience import PATIENCE
from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.choices.file_choices import FILE_CHOICES, OPEN_PATH
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.events import Event, Kind
from wheatstone.viewer.display.screen.file_dialog import has_dialog
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.keys.palette.finding import feed, offered, take
from wheatstone.viewer.panels.keys.palette.paths import completed, completions

ABSENT = {"cpu": "", "cuda": "no GPU"}
CHOOSER = """#!/bin/sh
printf '%s\\n' "$PWD/others/right.png" "$PWD/others/left.png"
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pair in a folder, and others beside; it is the current one."""
    (tmp_path / "pairs").mkdir()
    (tmp_path / "Papers").mkdir()
    for name in ("pairs/left.png", "pairs/right.png", "note.txt", ".hidden"):
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typing(query: str) -> ViewerState:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    state.palette = Palette(query, asks=OPEN_PATH)
    return state


def pressed(state: ViewerState, *names: str) -> None:
    for name in names:
        feed(state, Event("key", key=name))


def test_folders_come_first_and_hidden_files_are_listed_when_asked_for(files: Path) -> None:
    assert [name for name, _ in completions(f"{files}/")] == ["pairs", "Papers", "note.txt"]
    assert completions(f"{files}/.h") == ((".hidden", False),)
    assert completions(f"{files}/pa") == completions("PA") == (("pairs", True), ("Papers", True))
    assert completions(f"{files}/absent/") == ()


def test_tab_completes_as_far_as_all_agree(files: Path) -> None:
    assert completed("pai") == "pairs/"
    assert completed("p") == "p"  # pairs or Papers
    assert completed("pairs/") == "pairs/"
    assert completed("pairs/l") == "pairs/left.png"
    assert completed("rtsp://somewhere/x") == "rtsp://somewhere/x"


def test_enter_goes_into_folders_and_opens_files(files: Path) -> None:
    state = typing("pai")
    pressed(state, "Enter")
    assert state.palette == Palette("pairs/", asks=OPEN_PATH)
    assert [entry.name for entry in offered(state)] == ["./", "../", "left.png", "right.png"]
    pressed(state, "Down", "Down", "Enter")
    assert not state.palette and state.effects == [("open", "pairs/left.png")]
    state = typing("pairs/")
    pressed(state, "Enter")
    assert state.effects == [("open", "pairs")]


def test_two_files_are_a_left_and_a_right_view(files: Path) -> None:
    state = typing("pairs/")
    pressed(state, "Down", "Down", "Down", "Ctrl+Enter")
    assert state.palette == Palette("pairs/", asks=OPEN_PATH, first="pairs/right.png")
    assert [entry.name for entry in offered(state)] == ["./", "../", "left.png"]  # no left view
    pressed(state, "Down", "Down", "Enter")
    assert state.effects == [("open", "pairs/right.png", "pairs/left.png")]


def test_the_right_view_of_an_image_is_chosen_by_a_click(files: Path) -> None:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    asks = FILE_CHOICES["right view"].asks
    state.palette = Palette("pairs/", asks=asks, first="elsewhere/a.png")
    first = next(entry for entry in offered(state) if entry.name == "right.png")
    take(state, first)
    assert state.effects == [("open", "elsewhere/a.png", "pairs/right.png")]
    state.palette = Palette("absent/b.png", asks=asks, first="elsewhere/a.png")
    pressed(state, "Enter")
    assert state.effects[1:] == [("open", "elsewhere/a.png", "absent/b.png")]


def test_the_folder_above_is_listed(files: Path) -> None:
    state = typing(f"{files}/pairs/")
    pressed(state, "Down", "Enter")
    assert state.palette == Palette(f"{files}/", asks=OPEN_PATH)


def test_files_that_fit_the_purpose_come_first(files: Path) -> None:
    for name in ("z.mp4", "a.pfm"):
        (files / name).touch()
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    shown = {}
    for purpose in ("video", "truth"):
        state.palette = Palette(f"{files}/", asks=FILE_CHOICES[purpose].asks)
        shown[purpose] = [(entry.name, entry.quiet) for entry in offered(state)]
    folders = [("../", False), ("pairs/", False), ("Papers/", False)]
    video, truth = ("z.mp4", False), ("a.pfm", False)
    others = [("a.pfm", True), ("note.txt", True)]
    assert shown["video"] == [video, *folders, *others]
    assert shown["truth"] == [truth, *folders, ("note.txt", True), ("z.mp4", True)]
    pressed(state, "Enter")
    assert state.effects == [("use truth", f"{files}/a.pfm")]


def test_what_is_no_file_here_is_opened_as_it_is_typed(files: Path) -> None:
    state = typing("rtsp://somewhere/live")
    pressed(state, "Tab", "Enter")
    assert state.effects == [("open", "rtsp://somewhere/live")]


@pytest.mark.parametrize("kind", ["text", "key"], ids=["typed", "pasted"])
@pytest.mark.parametrize("whole", ["{}/pairs/l", "~/pairs/l", "rtsp://somewhere/live"])
def test_a_whole_path_takes_the_place_of_the_folder_that_is_offered(
    files: Path, kind: Kind, whole: str
) -> None:
    state = typing(f"{files}/Papers/")
    for part in whole.format(files) if kind == "text" else [whole.format(files)]:
        feed(state, Event(kind, key="Ctrl+V" * (kind == "key"), text=part))
    assert state.palette and state.palette.query == whole.format(files)


@pytest.mark.opengl
def test_what_is_chosen_is_opened_as_if_it_were_dropped(
    files: Path, monkeypatch: pytest.MonkeyPatch, offscreen: OffscreenContext
) -> None:
    for name, shift in (("left", 0), ("right", 4)):
        picture = np.random.default_rng(1).integers(0, 255, (48, 64), np.uint8)
        cv2.imwrite(f"pairs/{name}.png", np.roll(picture, -shift, axis=1))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not has_dialog()
    words = ("--scene-size", "96x64", "--disparities", "16", "--variant", "reference", "--fresh")
    with running_app("sgm", *words) as app:
        keys(app, "Ctrl+O")
        assert app.state.palette == Palette(f"{files}/", asks=OPEN_PATH)
        text(app, "pai")
        keys(app, "Tab")
        text(app, "left")
        keys(app, "Ctrl+Enter")
        text(app, "r")
        keys(app, "Enter")
        settle(app)
        folder = files / "pairs"
        pair = {"left": str(folder / "left.png"), "right": str(folder / "right.png")}
        assert app.session.source.spec.to_dict() == pair
        folder.rename(files / "others")
        dialog = files / "programs" / "zenity"
        dialog.parent.mkdir()
        dialog.write_text(CHOOSER)
        dialog.chmod(0o755)
        monkeypatch.setenv("DISPLAY", ":0")
        monkeypatch.setenv("PATH", f"{dialog.parent}:/usr/bin:/bin")
        keys(app, "Ctrl+O")
        began = time.monotonic()
        while app.dialog and time.monotonic() - began < PATIENCE:
            app.step()
        settle(app)
        assert app.session.source.spec.to_dict() == {
            k: v.replace("pairs", "others") for k, v in pair.items()
        }
