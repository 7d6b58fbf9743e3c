"""Several sources open at once: listed, switched, compared, closed and remembered."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from benchmarks.resources import GlCount
from tests.offscreen_app import ask, do, keys, running_app, settle
from tests.painted_videos import number_in, write_video
from tests.patience import wait_until
from wheatstone.gpu.pipelines.values import STEPS
from wheatstone.viewer.choices.open_sources import MOST_OPEN, SOURCES, OpenSource, OpenSources
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.histogram.counting import counts_of
from wheatstone.viewer.panels.inspector.reading import values_on_screen
from wheatstone.viewer.panels.keys.palette.entries import entries
from wheatstone.viewer.panels.sources import SourcesPanel
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl
SIZE = (96, 64)
WORDS = ("sgm", "--scene-size", "96x64", "--variant", "cpu", "--disparities", "16")


@pytest.fixture
def app(offscreen: OffscreenContext) -> Iterator[App]:
    """A window on a built-in scene of 96 frames."""
    with running_app(*WORDS, size=(900, 600)) as running:
        yield running


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a pair, its truth, and what another program made of it."""
    folder = tmp_path_factory.mktemp("pair")
    frame = SceneSource(SourceSpec(scene="garden", seed=2, size=SIZE)).frame(0)
    assert frame.right is not None and frame.truth is not None
    Image.fromarray(frame.left).save(folder / "left.png")
    Image.fromarray(frame.right).save(folder / "right.png")
    np.save(folder / "truth.npy", frame.truth)
    theirs = frame.truth + np.float32(0.3)
    theirs[:4, :4] = np.nan
    np.save(folder / "theirs.npy", theirs)
    return folder


def theirs(folder: Path) -> NDArray[np.float32]:
    read: NDArray[np.float32] = np.load(folder / "theirs.npy")
    return read


def open_pair(app: App, folder: Path) -> None:
    ask(app, "open", str(folder / "left.png"), str(folder / "right.png"))


def titles(app: App) -> list[str]:
    return [each.title for each in app.state.sources.listed]


def test_what_is_opened_joins_the_list_and_keys_go_through_it(app: App, pair: Path) -> None:
    scene = app.session.source
    keys(app, ".", ".", ".")
    settle(app)
    open_pair(app, pair)
    assert titles(app) == [scene.name, "left.png | right.png"]
    assert app.state.frame == 0 and app.session.source.name == "left.png | right.png"
    keys(app, "PageDown")
    settle(app)
    assert app.session.source is scene and app.state.frame == 3, "it goes on where it was"
    keys(app, "PageUp")
    settle(app)
    assert app.session.source is not scene
    open_pair(app, pair)
    assert len(titles(app)) == 2, "the same files are the same source"


def test_the_zoom_stays_from_one_source_to_another_of_its_size(app: App, pair: Path) -> None:
    open_pair(app, pair)
    app.state.zoom = 4.0
    keys(app, "PageDown")
    settle(app)
    assert app.state.zoom == 4.0
    ask(app, "open scene", "garden")  # of another size
    assert app.state.zoom == 1.0
    app.state.zoom = 4.0
    keys(app, "PageDown")
    settle(app)
    assert app.state.zoom == 1.0


def test_digits_show_and_compare_while_the_panel_has_the_focus(app: App, pair: Path) -> None:
    open_pair(app, pair)
    keys(app, "1")
    settle(app)
    assert app.state.sources.place(app.state.sources.shown) == 2, "1 chooses a variant"
    app.state.choose_variant("cpu")
    keys(app, "Ctrl+F2", "Ctrl+Tab")
    assert app.state.focus == SOURCES
    keys(app, "1")
    settle(app)
    assert app.state.sources.place(app.state.sources.shown) == 1
    keys(app, "Shift+2")
    settle(app)
    other = app.state.sources.other
    assert other and other.title == "left.png | right.png"
    keys(app, "9")
    settle(app)
    assert "no source 9" in app.state.message
    assert isinstance(app.layout.body(SOURCES), SourcesPanel)


def test_two_sources_of_one_size_are_mixed_each_with_its_own_frame(app: App, pair: Path) -> None:
    open_pair(app, pair)
    ask(app, "compare source", "1")
    assert app.state.mixing.mode == "side-by-side" and app.state.slot_b == app.state.slot
    a, b = app.session.a.frame, app.session.b.frame
    assert a and b and a.shape == b.shape and not np.array_equal(a.left, b.left)
    for mode in ("wipe", "difference", "blink", "onion"):
        app.state.mix(mode=mode)
        settle(app)
        assert app.session.drawing.mode == mode, app.state.message
    keys(app, "X")
    settle(app)
    assert app.session.a.frame is b and app.session.b.frame is a
    app.state.linked, app.state.b = True, app.state.slot.replace(variant="global-scanline")
    app.state.choose_pipeline("invert")
    assert app.state.slot_b.pipeline.name == "invert", "it has no such variant"
    keys(app, "Ctrl+B")
    settle(app)
    assert app.state.sources.other is None, "after the last one comes that of A"


def test_sources_of_different_sizes_are_not_compared(app: App, pair: Path) -> None:
    ask(app, "open scene", "garden")
    ask(app, "compare source", "1")
    assert "must have the same size" in app.state.message and "96x64" in app.state.message
    assert app.state.sources.other is None and app.state.mixing.mode == "off"


def test_a_comparison_ends_when_a_source_of_another_size_is_shown(app: App, pair: Path) -> None:
    open_pair(app, pair)
    ask(app, "compare source", "1")
    ask(app, "open scene", "garden")
    assert app.state.sources.other is None
    assert app.session.source.name.startswith("garden")


def test_values_are_shown_alone_with_histogram_and_their_unit(app: App, pair: Path) -> None:
    ask(app, "open", str(pair / "theirs.npy"))
    assert app.state.question and app.state.question.yes == "Ground truth"
    assert [b.label for b in app.state.question.others] == ["Compare with A", "Values"]
    app.state.answer(True, app.state.question.others[1].effect)
    settle(app)
    run, values = app.state.slot, theirs(pair)
    assert (run.name, run.output.unit) == ("values/file", "px")
    stored = values_on_screen(app.session, "a", (30, 40))[run.output.name]
    assert stored / STEPS == values[30, 40]
    from wheatstone.viewer.display.picture.cell_contents import seen

    what = seen(app.state, app.session.a.shown, None, 0)
    counts = what and counts_of(app.session, what)
    assert counts and counts.valid == values.size - 16
    app.state.choose_pipeline("canny")
    assert app.state.slot is run and "file of values" in app.state.message
    ask(app, "show source", "1")
    assert app.state.slot.name == "sgm/cpu" and app.state.slot.params.disparities == 16  # type: ignore[attr-defined]
    assert not app.state.history.steps, "no choice of the user's"


def test_values_beside_a_pair_are_differenced_and_judged_by_its_truth(app: App, pair: Path) -> None:
    open_pair(app, pair)
    ask(app, "change source", "truth", str(pair / "truth.npy"))
    ask(app, "open", str(pair / "theirs.npy"))
    assert app.state.question
    app.state.answer(True, app.state.question.others[0].effect)
    settle(app)
    assert app.state.sources.compared and app.state.slot.name == "sgm/cpu"
    own = values_on_screen(app.session, "a", (30, 40))["disparity"]
    other = values_on_screen(app.session, "b", (30, 40))["disparity"]
    assert other / STEPS == theirs(pair)[30, 40] and own == round(own)
    app.state.mix(mode="difference")
    settle(app)
    assert app.session.drawing.mode == "difference"
    app.state.mix(mode="side-by-side")
    keys(app, "Y")
    for _ in range(2):
        settle(app)
    figures = app.session.figures.slots[1].figures
    assert figures and figures.judged
    assert figures.values["bad-0.5"] == pytest.approx(figures.values["invalid"])
    assert figures.values["average error"] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("name", ["a.pfm", "a.npy", "a.tiff", "a.png"])
def test_every_format_of_values_opens(
    offscreen: OffscreenContext, name: str, tmp_path: Path
) -> None:
    import cv2

    values = np.arange(48 * 64, dtype=np.float32).reshape(48, 64) / 16
    path = tmp_path / name
    if name == "a.npy":
        np.save(path, values)
    else:
        cv2.imwrite(str(path), (values * 256).astype(np.uint16) if name == "a.png" else values)
    with running_app("sgm", str(path), "--values-in", "px") as app:
        shown = values_on_screen(app.session, "a", (20, 30))["disparity"]
        assert shown / STEPS == values[20, 30]
        assert "--values-in=px" in command_line(app.state, app.session.source.spec)


def test_a_source_that_cannot_be_shown_stays_out_and_those_open_stay(
    app: App, pair: Path, tmp_path: Path
) -> None:
    Image.fromarray(np.zeros((64, 96), np.uint8)).save(tmp_path / "single.png")
    before = app.state.sources
    ask(app, "open", str(tmp_path / "single.png"))
    assert "needs a stereo pair" in app.state.message
    assert app.state.sources == before
    open_pair(app, pair)
    assert len(titles(app)) == 2


def test_closing_ends_a_source_and_shows_its_neighbour(app: App, pair: Path) -> None:
    scene = app.session.source
    assert isinstance(scene, SceneSource)
    keys(app, "Ctrl+W")
    settle(app)
    assert "only open source" in app.state.message
    open_pair(app, pair)
    ask(app, "show source", "1")
    keys(app, "Ctrl+W")
    settle(app)
    assert titles(app) == ["left.png | right.png"] and app.session.source is not scene
    wait_until(lambda: scene._closed)


def test_a_video_goes_on_where_it_was_and_its_file_is_closed(
    app: App, pair: Path, tmp_path: Path
) -> None:
    pytest.importorskip("av")
    video = tmp_path / "film.mp4"
    write_video(video, count=24)
    app.state.choose_pipeline("mean")
    app.state.choose_variant("cpu")
    ask(app, "open", str(video))
    for _ in range(5):
        keys(app, ".")
        settle(app)
    assert app.session.a.frame and number_in(app.session.a.frame.left) == 5
    keys(app, "PageUp")
    settle(app)
    assert video in opened_files()
    keys(app, "PageDown")
    settle(app)
    assert app.state.frame == 5 and number_in(app.session.a.frame.left) == 5
    keys(app, "Ctrl+W")
    settle(app)
    wait_until(lambda: video not in opened_files())


def opened_files() -> set[Path]:
    """The files that this process has open."""
    files = set()
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            files.add(handle.readlink())
    return files


def test_a_hidden_source_is_closed_by_its_button(app: App, pair: Path) -> None:
    open_pair(app, pair)
    shown, a = app.session.source, app.session.a
    ask(app, "close source", "1")
    assert titles(app) == ["left.png | right.png"]
    assert app.session.source is shown and app.session.a is a, "nothing is computed again"


def test_many_switches_leave_nothing_behind(app: App, pair: Path) -> None:
    ask(app, "open", str(pair / "theirs.npy"))
    assert app.state.question
    app.state.answer(True, app.state.question.others[1].effect)
    settle(app)
    app.state.open_panels.add(SOURCES)
    gl, listed = GlCount(), []
    for turn in range(24):
        keys(app, "PageDown")
        settle(app)
        if turn in (3, 23):
            handles = len(list(Path("/proc/self/fd").iterdir()))
            counts = {
                n: c for n, c in gl.counts().items() if n not in ("GL programs", "GL shaders")
            }
            listed.append((counts, threading.active_count(), handles))
    assert listed[0] == listed[1]


def test_the_list_is_kept_from_one_start_to_the_next(
    offscreen: OffscreenContext, pair: Path
) -> None:
    with running_app(*WORDS) as app:
        keys(app, ".", ".")
        settle(app)
        open_pair(app, pair)
        user_settings.save(app.state, app.spec)
        listed = titles(app)
    state, source = open_view(parse(["view"]))
    source.close()
    assert [each.title for each in state.sources.listed] == listed
    assert state.sources.current and state.sources.current.title == source.name
    with running_app() as again:
        assert len(titles(again)) == 2 and len(again.session.sources.pictures) == 1
        ask(again, "show source", "1")
        assert again.state.frame == 2 and again.session.source.spec.scene == "orbit"
        ask(again, "compare source", "2")
        assert again.state.sources.other
    state, source = open_view(parse(["view", "--scene", "garden"]))
    source.close()
    assert not state.sources.listed, "a source that the user names stands alone"


@pytest.mark.parametrize("listed", ["", "sources = 3", "[[sources]]\nframe = 'x'"])
def test_settings_without_a_list_or_with_a_damaged_one_are_read(
    app: App, pair: Path, listed: str
) -> None:
    open_pair(app, pair)
    user_settings.save(app.state, app.spec)
    path = user_settings.last_session()
    text = path.read_text()
    begin = text.index("[[sources]]")
    assert "[[" not in text[:begin]
    kept = text[:begin] if listed.startswith("[") else f"{listed}\n{text[:begin]}"
    path.write_text(kept + listed * listed.startswith("["))
    state, source = open_view(parse(["view"]))
    source.close()
    assert not state.sources.listed and source.name == "left.png | right.png"


def test_the_palette_finds_the_commands_by_other_words(app: App) -> None:
    names = {e.name for e in entries(app.state) if "tabs" in e.also and "images" in e.also}
    assert {"show next source", "close source", "show next source as B"} <= names


def test_the_list_is_plain_data() -> None:
    one, two = OpenSource("one", size=(4, 5)), OpenSource("two", size=(4, 5))
    third = OpenSource("third", size=(5, 5))
    listed = OpenSources((one, two, third), one.number, two.number)
    assert listed.current is one and listed.other is two and listed.beside(-1) is third
    assert listed.showing(two.number).other is None
    assert listed.showing(third.number).other is None, "of another size"
    assert listed.without(two.number).other is None
    full = OpenSources(tuple(OpenSource(str(n)) for n in range(MOST_OPEN)))
    with pytest.raises(ValueError, match="close one first"):
        full.with_source(one)


def test_a_click_on_a_row_shows_its_source(app: App, pair: Path) -> None:
    open_pair(app, pair)
    app.state.open_panels = {SOURCES}
    for _ in range(3):
        app.step()
    do(app, Event("move", x=150, y=40))
    for kind in ("press", "release"):
        do(app, Event(kind, x=150, y=40))
    settle(app)
    assert app.state.sources.place(app.state.sources.shown) == 1
