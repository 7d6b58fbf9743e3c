"""The warning of pairs that are not rectified: window, pictures, messages; and what mends them."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.offscreen_app import do, running_app, settle
from tests.turned_pairs import UNTURNED, TurnedPair, turned_pair
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.frames.facts import Facts
from wheatstone.viewer.display.frames.row_meter import RowMeter
from wheatstone.viewer.display.frames.worker import Worker
from wheatstone.viewer.display.picture.caption import AMBER, Caption, caption_strip
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import in_window
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.inspector.pixel_words import rows_row
from wheatstone.viewer.panels.status_words import KnownOfSource, status
from wheatstone.viewer.settings import recipe as settings

WORDS = ("--disparities", "16", "--variant", "cpu", "--paths", "4")
APART = RowError(100, 3.41, 9.0, 3.0, 1.0, 1.0)
LEVEL = RowError(100, 0.12, 0.5, 0.0, 0.0, 1.0)


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return turned_pair().save(tmp_path_factory.mktemp("turned"))


@pytest.fixture(scope="module")
def level(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return turned_pair(right=UNTURNED).save(tmp_path_factory.mktemp("level"))


def ambers(path: Path) -> int:
    """How many pixels of a picture have the colour of warnings."""
    with Image.open(path) as picture:
        return int((np.asarray(picture.convert("RGB")) == AMBER).all(axis=2).sum())


@pytest.mark.opengl
def test_a_picture_of_a_pair_not_rectified_says_so(
    offscreen: OffscreenContext,
    turned: tuple[str, str],
    level: tuple[str, str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "shot.png"
    assert main(["render", "sgm", *turned, *WORDS, "--out", str(path)]) == 0
    assert "the pair is not rectified; give --calibration FILE" in capfd.readouterr().err
    assert ambers(path) > 100
    for words in (level, (*turned, "--rectify", "auto")):
        assert main(["render", "sgm", *words, *WORDS, "--out", str(path)]) == 0
        assert "not rectified" not in capfd.readouterr().err
        assert ambers(path) == 0
    assert main(["render", "canny", *turned, "--out", str(path)]) == 0
    assert "rows" not in capfd.readouterr().err  # which read the left view alone
    offscreen.make_current()


@pytest.mark.opengl
def test_a_window_warns_and_its_palette_mends(
    offscreen: OffscreenContext, turned: tuple[str, str]
) -> None:
    with running_app("sgm", *turned, *WORDS) as app:
        session, state = app.session, app.state
        assert session.rows.newest and session.rows.newest.misaligned
        assert session.drawing.picture.caption == Caption(warning=in_window(session.rows.warning))
        assert not state.message
        measured = session.rows.newest
        for _ in range(5):
            app.step()
        assert session.rows.newest is measured and not session.worker.running
        state.effects.append(("rectify",))
        settle(app)
        assert session.source.spec.rectify == "auto"
        assert session.rows.newest.known and not session.rows.newest.misaligned
        assert session.drawing.picture.caption is None
        assert state.slot.params.values()["disparities"] > 16


@pytest.mark.opengl
def test_a_window_warns_of_rows_in_one_place(
    offscreen: OffscreenContext, turned: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.viewer.window.effects.remedies.write_dismissed", id)
    with running_app("sgm", *turned, *WORDS, "--fresh", size=(1280, 800)) as app:
        session, state, layout = app.session, app.state, app.layout
        state.messages, state.bars = state.messages.dismissed(), True

        def places() -> tuple[bool, bool, bool]:
            """Whether the findings bar, the status line and the picture's caption warn."""
            do(app)
            caption = session.drawing.picture.caption
            assert layout.status and not state.message
            in_bar = any(finding.name == "rows" for finding in layout.findings.shown)
            return in_bar, "not rectified" in layout.status.alarm, bool(caption)

        assert places() == (True, False, False)
        state.bars = False
        assert places() == (False, False, True)
        state.bars = True
        state.request("dismiss", "rows")
        do(app)
        assert places() == (False, True, False)
        state.bars = False
        assert places() == (False, True, False)


def frame_of(pair: TurnedPair, index: int) -> Frame:
    return Frame(pair.left, pair.right, index)


def test_frames_are_measured_now_and_then_and_never_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    level, apart = frame_of(turned_pair(right=UNTURNED), 0), frame_of(turned_pair(), 1)
    texts: list[str] = []
    with closing(Worker()) as worker:
        shown = [level]
        meter = RowMeter(worker, texts.append, lambda: shown[-1])

        def follow(frame: Frame) -> RowError | None:
            """Show a frame, and follow it until nothing is being measured."""
            shown.append(frame)
            meter.follow()
            worker.submit("end", lambda _: None).wait()
            meter.follow()
            return meter.newest

        assert meter.waits
        first = follow(level)
        assert first and not first.misaligned and not meter.waits
        assert follow(apart) is first  # it is too soon
        monkeypatch.setattr("wheatstone.viewer.display.frames.row_meter.MEASURE_EVERY", 0.0)
        second = follow(apart)
        assert second and second.misaligned and texts == [second.warning]
        assert follow(apart) is second
        third = follow(frame_of(turned_pair(), 2))
        assert third and third is not second and len(texts) == 1


def test_a_single_image_has_no_rows() -> None:
    with closing(Worker()) as worker:
        alone = Frame(turned_pair().left, None, 0)
        meter = RowMeter(worker, pytest.fail, lambda: alone)
        meter.follow()
        meter.measure()
        assert not worker.running and not meter.waits and meter.newest is None


def test_the_status_line_tells_rows_and_alarms() -> None:
    state, source = open_view(parse(["view", "--scene-size", "64x48"]))
    with closing(source):
        facts = Facts("CPU", 1.0, "cpu")
        line = status(state, facts, (64, 48), 60, known=KnownOfSource(rows=LEVEL))
        assert ("known", "rows 0.12 px") in line.parts and not line.alarm
        line = status(state, facts, (64, 48), 60, known=KnownOfSource(rows=APART))
        assert not line.alarm
        line = status(state, facts, (64, 48), 60, known=KnownOfSource(rows=APART, rows_alarm=True))
        assert line.alarm == "rows 3.41 px: not rectified"
        line = status(state, facts, (64, 48), 60, known=KnownOfSource(rows=RowError(7)))
        assert ("known", "rows unknown") in line.parts
        assert "rows" not in str(status(state, facts, (64, 48), 60))


def test_the_inspector_has_a_row_for_rows() -> None:
    row = rows_row(APART, 2)
    assert (row.name, row.values) == ("rows, median / p95", ("3.41 / 9.00 px",) * 2)
    assert "3.0 px lower" in row.help
    assert rows_row(RowError(7), 1).values == ("unknown",)


@pytest.mark.parametrize("width", [160, 640, 1280])
def test_the_warning_is_never_cut_off(width: int) -> None:
    one, two = (caption_strip(Caption(warning=" ".join(["rectified"] * n)), width) for n in (1, 20))
    assert one.shape[1] == two.shape[1] == width
    assert ((two == AMBER).all(axis=2).sum() - (one == AMBER).all(axis=2).sum()) > 19 * 20
    both = caption_strip(Caption(labels=("x", "y"), warning="rows"), width)
    assert len(both) > len(caption_strip(Caption(labels=("x", "y")), width))


def test_the_range_expected_is_searched_unless_options_say_another(
    turned: tuple[str, str],
) -> None:
    state, source = open_view(parse(["render", "sgm", *turned, "--rectify", "auto"]))
    raw = source.frame(0).raw
    assert raw is not None
    params = state.slot.params.values()
    assert (params["min_disparity"], params["disparities"]) == raw.rectification.disparities
    assert params["disparities"] != 16
    words = (*turned, "--rectify", "auto", "--disparities", "16")
    state, source = open_view(parse(["render", "sgm", *words]))
    assert state.slot.params.values()["disparities"] == 16
    text = settings.dumps(settings.to_recipe(state, source.spec))
    assert settings.loads(text)["source"]["rectify"] == "auto"


def test_a_folder_is_rectified_as_its_first_pair(tmp_path: Path) -> None:
    for number, pair in enumerate((turned_pair(), turned_pair(seed=1))):
        for side, view in (("left", pair.left), ("right", pair.right)):
            Image.fromarray(view).save(tmp_path / f"{side}{number}.png")
    with closing(open_source(SourceSpec(str(tmp_path), rectify="auto"))) as source:
        first, second = source.frame(0).raw, source.frame(1).raw
        assert first and second and first.rectification is second.rectification
        assert source.frame(1).calibration == first.rectification.calibration
        assert any("depth is relative" in note for note in source.notes)


def test_a_large_pair_is_scaled_down_with_a_note(tmp_path: Path) -> None:
    pair = turned_pair()
    paths = []
    for side, view in (("left", pair.left), ("right", pair.right)):
        paths.append(str(tmp_path / f"{side}.png"))
        Image.fromarray(view).resize((1920, 1440)).save(paths[-1])
    source = open_source(SourceSpec(*paths, rectify="auto"))
    assert (source.width, source.height) == (960, 720)
    assert source.frame(0).shape == (720, 960)
    assert source.notes[0] == "views scaled down by 2 to 960x720, to be matched live"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"left": None}, "built-in scene is rectified"),
        ({"left": "LEFT"}, "not a single image"),
        (
            {"left": "LEFT", "right": "RIGHT", "calibration": "c.yml"},
            "not by both",
        ),
    ],
)
def test_what_cannot_be_rectified_is_refused(
    words: dict[str, str | None], message: str, turned: tuple[str, str]
) -> None:
    paths = dict(zip(("LEFT", "RIGHT"), turned, strict=True))
    given = {name: paths.get(str(word), word) for name, word in words.items()}
    with pytest.raises(ValueError, match=message):
        open_source(SourceSpec(**given, rectify="auto"))  # type: ignore[arg-type]
