"""A saved kernel computes the picture, and its verdict follows; errors leave the last good one."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from tests.laid_out import watched
from tests.offscreen_app import click, raced, running_app, settle
from tests.patience import wait_until
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.keys import slot_keys
from wheatstone.viewer.panels.keys.help import help_groups
from wheatstone.viewer.panels.keys.palette.entries import entries as palette_entries
from wheatstone.viewer.panels.own_kernel.kernel_words import DELAYED, picture_line, state_line
from wheatstone.viewer.panels.own_kernel.panel import choose_save, show_difference
from wheatstone.viewer.run.kernels.folder import declare_folders
from wheatstone.viewer.run.kernels.new import new_files, write_folder
from wheatstone.viewer.run.kernels.picture import ComparedPicture, PictureComparison
from wheatstone.viewer.run.kernels.watching import KernelSave
from wheatstone.viewer.run.measuring.sweep import chosen_variants
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.own_kernels import WARNING

SIZE = ("--scene-size", "48x40")
RIGHT, WRONG = "= 255 - left", "= 254 - left"


@pytest.fixture
def folder(emulated_kernels: None, tmp_path: Path) -> Path:
    """A folder with a kernel that inverts an image, whose variant is declared for one test."""
    path = tmp_path / "own"
    write_folder(path, new_files(PIPELINES["invert"], ["invert"], "mine", "global"))
    declare_folders([path])
    return path


@pytest.fixture
def app(offscreen: OffscreenContext, folder: Path) -> Iterator[App]:
    with running_app("invert", *SIZE, "--variant", "mine", size=(900, 600)) as app:
        app.state.open_panels = {"own_kernel"}
        yield app


def newest(app: App) -> KernelSave:
    return app.layout.kernels[0].saves[-1]


def judged(app: App) -> KernelSave:
    """The newest save, once its check has ended and its picture is shown."""
    wait_until(lambda: not app.layout.kernels[0].busy and app.stands, app.step)
    return newest(app)


def with_picture(app: App) -> KernelSave:
    """The newest save, once the picture that it computed is compared."""
    wait_until(lambda: newest(app).picture is not None, app.step)
    return newest(app)


def save(app: App, folder: Path, old: str, new: str) -> KernelSave:
    """Change the text of the kernel; return what came of it."""
    file, number = next(folder.glob("*.cu")), newest(app).number
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    wait_until(lambda: newest(app).number > number, app.step)
    return judged(app)


def brightest(app: App) -> int:
    def is_copied() -> bool:
        copied = app.session.latest.image(app.session.a, "inverted")
        return bool(copied and np.array_equal(copied.values, app.session.values("inverted")))

    wait_until(is_copied, app.step)
    return int(app.session.values("inverted").max())


def test_a_save_computes_the_picture_and_is_judged(app: App, folder: Path) -> None:
    assert judged(app).state == "identical"
    compared = with_picture(app)
    assert compared.picture and compared.picture.images == ("inverted",)
    words = state_line(compared)
    assert "identical in 28 cases, up to 144 x 164, and in the picture shown, 48 x 40" in words
    assert "time is not judged" in words and not picture_line(compared)
    before = brightest(app)
    wrong = save(app, folder, RIGHT, WRONG)
    assert (wrong.number, wrong.state) == (2, "wrong")
    assert brightest(app) == before - 1
    stage = wrong.verdict.stages[0]
    assert stage.wrong and stage.wrong.expected - stage.wrong.actual in (1, -255)
    assert stage.case and (stage.case.height, stage.case.width) == (1, 1)
    assert save(app, folder, WRONG, RIGHT).state == "identical"
    assert brightest(app) == before


def test_a_kernel_that_is_wrong_in_large_images_only_is_wrong_in_the_picture(
    offscreen: OffscreenContext, folder: Path
) -> None:
    with running_app("invert", "--scene-size", "300x240", "--variant", "mine") as app:
        app.state.open_panels = {"own_kernel"}
        assert judged(app).state == "identical" and with_picture(app).state == "identical"
        overflowing = "inverted[at(y, x, width)] = at(y, x, width) > 65535 ? 7 : 255 - left["
        short = save(app, folder, "inverted[at(y, x, width)] = 255 - left[", overflowing)
        assert short.verdict.state == "identical"
        short = with_picture(app)
        assert short.state == "wrong" and short.picture and short.picture.wrong
        assert short.picture.wrong.index >= (65536 // 300, 65536 % 300)
        assert "the picture shown, 300 x 240, is wrong: inverted at x " in picture_line(short)
        show_difference(app.state, short, short.picture.wrong.image)
        app.state.jump = 1
        settle(app)
        assert app.state.marked and app.state.marked[1] == short.picture.wrong.index[0]
        mended = save(app, folder, overflowing, "inverted[at(y, x, width)] = 255 - left[")
        assert mended.state == "identical" and with_picture(app).state == "identical"


def test_another_picture_is_compared_when_it_stands_still(app: App, folder: Path) -> None:
    app.state.paused = True
    judged(app)
    first = with_picture(app).picture
    app.state.frame += 1
    wait_until(lambda: newest(app).picture is not first, app.step)
    assert newest(app).picture == first


def test_a_picture_that_depends_on_earlier_frames_is_not_compared(app: App) -> None:
    frame = app.session.source.frame(0)
    run = Run("sgm", "cpu", temporal_alpha=0.5)
    picture = ComparedPicture(run, frame, 0, {})
    verdict = PictureComparison().verdict(picture, lambda *_: None)
    assert "earlier frames" in verdict.why_not


def test_a_reference_that_takes_too_long_is_given_up(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.viewer.run.kernels.picture.SECONDS", -1.0)
    picture = ComparedPicture(Run("sgm", "cpu", disparities=16), app.session.source.frame(0), 0, {})
    assert "takes more than" in PictureComparison().verdict(picture, lambda *_: None).why_not


def test_a_compile_error_leaves_the_last_good_version(app: App, folder: Path) -> None:
    before = brightest(app)
    broken = save(app, folder, RIGHT, "= 255 - lefft")
    assert (broken.state, broken.compiled) == ("compile error", None)
    assert broken.verdict.errors[0].file == "invert.cu" and broken.verdict.errors[0].line > 1
    assert brightest(app) == before
    assert save(app, folder, "lefft", "left").state == "identical"


def test_a_fault_brings_the_last_good_version_back(app: App, folder: Path) -> None:
    before = brightest(app)
    faulty = save(
        app, folder, "inverted[at(y, x, width)] =", "inverted[at(y, x + width * height, width)] ="
    )
    assert faulty.state == "fault"
    assert app.state.slot.variant == "mine" and brightest(app) == before
    assert save(app, folder, "x + width * height", "x").state == "identical"


def test_a_fault_on_a_gpu_says_that_drawing_may_stop(app: App, folder: Path) -> None:
    faulty = save(
        app, folder, "inverted[at(y, x, width)] =", "inverted[at(y, x + width * height, width)] ="
    )
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    window = app.window
    assert isinstance(window, OffscreenWindow)
    assert not faulty.faulted_gpu and WARNING not in window.title
    watch = app.layout.kernels[0]
    on_gpu = replace(faulty, verdict=replace(faulty.verdict, emulated=False))
    watch.saves, watch.changed = (*watch.saves[:-1], on_gpu), time.perf_counter()
    app.follow_files()
    assert on_gpu.faulted_gpu and window.title.startswith(WARNING)
    with watched() as drawn:
        app.step()
    assert DELAYED in drawn.seen
    watch.changed = -math.inf
    app.follow_files()
    assert WARNING not in window.title


def test_a_window_that_opens_with_a_faulty_kernel_shows_another_variant_until_it_is_mended(
    offscreen: OffscreenContext, folder: Path
) -> None:
    file = folder / "invert.cu"
    file.write_text(file.read_text().replace(RIGHT, "= 255 - lefft"))
    declare_folders([folder])
    with running_app("invert", *SIZE, "--variant", "mine", size=(900, 600)) as app:
        assert judged(app).state == "compile error"
        settle(app)  # the picture may be attempted after the verdict
        assert app.state.slot.variant == "cpu"
        assert save(app, folder, "lefft", "left").state == "identical"
        assert app.state.slot.variant == "mine"


def test_two_saves_are_compared_as_a_and_b(app: App, folder: Path) -> None:
    first, second = judged(app), save(app, folder, RIGHT, WRONG)
    choose_save(app.state, first, "a")
    choose_save(app.state, second, "b")
    settle(app)
    assert (app.state.slot.variant, app.state.slot_b.variant) == ("mine@1", "mine@2")
    assert app.state.mixing.mode == "side-by-side"
    show_difference(app.state, second, "inverted")
    app.state.jump = 1
    settle(app)
    assert (app.state.slot.variant, app.state.slot_b.variant) == ("mine", "cpu")
    assert app.state.marked


def test_a_folder_that_cannot_be_read_says_why(app: App, folder: Path) -> None:
    judged(app)
    document, number = folder / "kernel.toml", newest(app).number
    text = document.read_text()
    document.write_text(text.replace("[32, 16]", "[32, 64]"))
    wait_until(lambda: newest(app).number > number, app.step)
    assert newest(app).state == "not read" and "1024 threads" in newest(app).why_not
    document.write_text(text)
    wait_until(lambda: newest(app).number > number + 1, app.step)
    assert judged(app).state == "identical"


def test_a_faulty_kernel_does_not_end_a_race(app: App, folder: Path) -> None:
    app.state.choose_variant("cpu")
    save(app, folder, "inverted[at(y, x, width)] =", "inverted[at(y, x + width * height, width)] =")
    app.state.open_panels = {"race"}
    app.state.racing = "race"
    wait_until(lambda: app.state.racing == "" and raced(app).standings, app.step)
    rows = {each.variant.name: each for each in raced(app).standings}
    assert rows["mine"].phase == "out" and "invert" in rows["mine"].why
    assert rows["cpu"].times


def test_hidden_variants_are_offered_nowhere_in_the_window(
    offscreen: OffscreenContext, emulated_kernels: None, tmp_path: Path
) -> None:
    files = new_files(PIPELINES["invert"], ["invert"], "mine", "global", hide=True)
    write_folder(tmp_path / "own", files)
    declare_folders([tmp_path / "own"])
    with running_app("invert", *SIZE, size=(900, 600)) as app:
        state, names = app.state, ["reference", "mine"]
        assert state.slot.variant == "mine" and state.slot_b.variant == "reference"
        for offers in (slot_keys.variants(state), slot_keys.variants_b(state)):
            assert [offer.name for offer in offers] == names
        slot_keys.variant(state, 2)
        assert state.slot.variant == "mine"
        titles = [entry.name for entry in palette_entries(state)]
        assert [title for title in titles if title.startswith("variant: ")] == [
            f"variant: {name}" for name in names
        ]
        assert [row[1].partition(":")[0] for row in help_groups(state)[-1].rows] == names
        state.open_panels = {"race"}
        state.racing = "race"
        wait_until(lambda: app.state.racing == "" and raced(app).standings, app.step)
        assert sorted(each.variant.name for each in raced(app).standings) == sorted(names)
    assert [v.name for v in chosen_variants(PIPELINES["invert"], None)] == names


def test_a_file_that_is_being_written_is_no_save(app: App, folder: Path) -> None:
    judged(app)
    file, number = folder / "invert.cu", newest(app).number
    text = file.read_text()
    file.write_text("")
    ends = time.monotonic() + 0.5
    while time.monotonic() < ends:
        app.step()
    assert newest(app).number == number
    file.write_text(text.replace(RIGHT, WRONG))
    wait_until(lambda: newest(app).number > number, app.step)
    assert judged(app).state == "wrong"


@pytest.mark.parametrize(
    ("editor", "words"),
    [("code", "-g {file}:{line}"), ("kate", "-l {line} {file}"), ("gvim", "+{line} {file}")],
)
def test_a_click_on_an_error_opens_the_editor_at_its_line(
    app: App, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editor: str, words: str
) -> None:
    judged(app)
    error = save(app, folder, RIGHT, "= 255 - lefft").verdict.errors[0]
    program, opened = tmp_path / "bin" / editor, tmp_path / "opened"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {opened}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/bin:/usr/bin")
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.setenv("DISPLAY", ":1")
    app.step()
    x, y = 800, 0
    while not app.state.effects and not opened.exists() and y < 200:
        y += 10
        click(app, x, y)
        wait_until(lambda: not app.background.busy, app.step)
    expected = words.format(file=folder.resolve() / "invert.cu", line=error.line)
    assert opened.read_text().strip() == expected
