"""What the stage strip says; then the whole panel in a window that nobody sees."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest

from tests.patience import wait_until
from wheatstone.gpu.analysis.roofline import Peaks, StagePoint
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.display.frames.meters import Meters, Rates
from wheatstone.viewer.display.screen.style import byte_color
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.axes import decade_ticks, decades, nice_ticks
from wheatstone.viewer.panels.stages.stage_plots import (
    frame_limit,
    roofline_extent,
    roofs,
    roofs_in_words,
)
from wheatstone.viewer.panels.stages.stage_strip import (
    DARKER,
    HEADING_HELP,
    HEADINGS,
    NEUTRAL,
    StageLine,
    Strip,
    cells,
    number,
    palette,
    percent,
    rates_line,
    stage_colors,
    strip,
    text_color,
)

PARAMS = SgmParams(disparities=16)


def line(
    milliseconds: float, nbytes: int | None, operations: int | None, share: float
) -> StageLine:
    point = StagePoint("path_sum", milliseconds, nbytes, operations)
    return StageLine("path_sum", "Add.", palette()[0], 2 * milliseconds, point, share)


def measured(variant: str = "reference") -> tuple[Meters, Execution]:
    execution, meters = prepare(SGM, variant, PARAMS, 24, 40), Meters()
    execution.upload(**{name: np.zeros((24, 40), np.uint8) for name in ("left", "right")})
    meters.measuring = True
    for _ in range(12):
        stages = meters.wants_stages("a")
        execution.run(stages=stages)
        meters.computed("a", execution, timed=True, stages=stages)
    return meters, execution


def test_a_row_has_a_cell_for_every_heading_with_its_unit() -> None:
    by_heading = cells(line(0.5, 10**9, 4 * 10**9, 0.42))
    assert dict(zip(HEADINGS, by_heading, strict=True)) == {
        "median ms": "0.500",
        "p95 ms": "1.000",
        "GB/s": "2000",
        "of copy": "42%",
        "op/B": "4.00",
        "Gop/s": "8000",
    }
    assert len(HEADING_HELP) == len(HEADINGS)


def test_what_is_not_known_is_a_dash() -> None:
    assert cells(line(0.5, 10**6, None, 0.004))[2:] == ("2.00", "0.4%", "-", "-")
    unknown = StageLine("x", "", byte_color(NEUTRAL), 1.0, StagePoint("x", 1.0, None, None), None)
    assert cells(unknown)[2:] == ("-", "-", "-", "-")


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "0.00"), (9.99, "9.99"), (9.996, "10.0"), (99.96, "100"), (4012.3, "4012")],
)
def test_numbers_keep_three_digits(value: float, expected: str) -> None:
    assert number(value) == expected


def test_shares_have_a_decimal_while_they_are_small() -> None:
    assert [percent(share) for share in (0.031, 0.0994, 0.0996, 1.41)] == [
        "3.1%",
        "9.9%",
        "10%",
        "141%",
    ]


def test_rates_are_distinguished() -> None:
    rates = Rates(30.0, {"a": 61.2, "b": 15.0}, 60.0, 14.96)
    alone = "source 30.0 of 30.0 fps  ·  computed 61.2  ·  presented 60.0  ·  dropped 15.0"
    assert rates_line(rates, 30.0, ["a"]) == alone
    assert "computed A 61.2, B 15.0" in rates_line(rates, 30.0, ["a", "b"])
    assert rates_line(rates, 0.0, ["b"]).startswith("still image  ·  computed 15.0")


def test_a_stage_has_the_same_colour_in_every_variant() -> None:
    declared = stage_colors(SGM, SGM.stages)
    fast = stage_colors(SGM, SGM.variant("fast").fused)
    assert fast["packed_aggregation"] == declared["path_aggregation"]
    assert fast["hole_filling"] == declared["hole_filling"]
    peer = SGM.variant("opencv-sgbm").fused
    assert stage_colors(SGM, peer) == {"opencv_sgbm": byte_color(NEUTRAL)}


@pytest.mark.parametrize("pipeline", [SGM, CANNY], ids=["sgm", "canny"])
def test_no_two_stages_have_the_same_colour(pipeline: object) -> None:
    assert isinstance(pipeline, type(SGM))
    colors = stage_colors(pipeline, pipeline.stages)
    assert len(set(colors.values())) == len(pipeline.stages)
    assert stage_colors(INVERT, INVERT.stages) == {"invert": palette()[0]}


def test_names_are_legible_on_every_colour() -> None:
    """By the contrast that the web's guidelines ask of large text."""
    darker = [(round(r * DARKER), round(g * DARKER), round(b * DARKER)) for r, g, b in palette()]
    for color in (*palette(), *darker):
        dark, light = sorted((luminance(color), luminance(text_color(color))))
        assert (light + 0.05) / (dark + 0.05) >= 3, color


def luminance(color: tuple[int, int, int]) -> float:
    """Relative luminance of an sRGB colour, from 0 to 1."""
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10 else c / 255 / 12.92 for c in color]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def test_ticks_are_round_and_few() -> None:
    assert nice_ticks(9.9) == [0, 2, 4, 6, 8]
    assert nice_ticks(0.42, 5) == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert nice_ticks(1.0, 6) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert nice_ticks(0.0) == []


def test_decades_hold_what_they_are_asked_to() -> None:
    assert decades([0.3, 42.0]) == (0.1, 100)
    assert decades([1.0]) == (1, 10) == decades([])
    assert decade_ticks(0.01, 100, 5)[1] == ["0.01", "0.1", "1", "10", "100"]
    assert decade_ticks(0.01, 1000, 5)[0] == pytest.approx([0.01, 1, 100])


def test_a_roof_slopes_up_to_its_ridge_and_is_level_from_there() -> None:
    slope, level = roofs(Peaks(4000.0, 32000.0), 0.1, 100)
    assert (slope.name, level.name) == ("copy 4000 GB/s", "nominal peak 32.0 Top/s")
    assert slope.xs == (0.1, 8) and slope.ys == pytest.approx((400, 32000))
    assert (level.xs, level.ys) == ((8, 100), (32000, 32000))
    assert [roof.name for roof in roofs(Peaks(20.0, None), 0.1, 100)] == ["copy 20.0 GB/s"]
    assert [roof.xs for roof in roofs(Peaks(20.0, 1.0), 0.1, 100)] == [(0.1, 100)]


def test_roofs_are_reported_in_a_line() -> None:
    fast, slow = roofs(Peaks(4000.0, 32000.0), 0.1, 100), roofs(Peaks(20.0, None), 0.1, 100)
    assert roofs_in_words([("", fast)]) == "copy 4000 GB/s, nominal peak 32.0 Top/s"
    assert roofs_in_words([("A: ", fast), ("B: ", slow)]) == "A: copy 4000 GB/s, B: copy 20.0 GB/s"


def test_the_roofline_shows_all_points_and_the_ridge() -> None:
    lines = (line(1.0, 10**9, 10**8, 1.0), line(1.0, 10**6, 3 * 10**6, 0.1))
    shown = Strip("A", "sgm/fast", "GPU", 2.0, 5, lines, Peaks(1000.0, 8000.0))
    (left, right), (bottom, top) = roofline_extent([shown])
    assert left <= 0.1 and right >= 8 and bottom <= 3 and top >= 8000


def test_spikes_are_seen_but_do_not_flatten_the_rest() -> None:
    steady = [16.0] * 99
    assert frame_limit(steady) == 32
    assert frame_limit([*steady, 60.0]) == pytest.approx(66)
    assert frame_limit([*steady, 5000.0]) == 96
    assert frame_limit([]) == 1


def test_a_strip_tells_what_was_measured() -> None:
    meters, execution = measured()
    times = strip("A", meters.slots["a"], Peaks(10.0, None))
    assert times and times.name == "sgm/reference" and times.device == open_device("cpu").name
    assert [each.stage for each in times.lines] == list(execution.stage_milliseconds())
    assert times.total == pytest.approx(sum(each.milliseconds for each in times.lines))
    assert times.whole and times.longest == max(times.total, times.whole)
    assert "undisturbed" in times.summary and f"stages {times.total:.3f} ms" in times.summary
    rate = times.lines[1].point.gigabytes_per_second
    assert rate and times.lines[1].share == pytest.approx(rate / 10)


def test_before_there_is_a_frame_there_is_nothing_to_tell() -> None:
    assert strip("B", Meters().slots["b"], None) is None
    meters, execution = Meters(), prepare(SGM, "reference", PARAMS, 8, 12)
    meters.computed("a", execution, timed=True, stages=False)
    times = strip("A", meters.slots["a"], None)
    assert times and (times.whole, times.lines, times.summary) == (None, (), "frame -")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def test_the_open_panel_measures_and_the_closed_one_does_not(
    offscreen: object, folder: Path
) -> None:
    with ExitStack() as stack:
        app, play = opened(stack, PARAMS)
        play("size 320x240\nsettle\nwait 3")  # much is drawn, by the CPU
        meters = app.session.meters
        assert not meters.measuring and not meters.slots["a"].stages
        play("key F3\nkey C\nsettle\nwait 10")
        assert meters.measuring
        slots = [meters.slots[slot] for slot in "ab"]

        def measured() -> bool:
            return all(len(slot.samples) and len(slot.frames) for slot in slots)

        wait_until(measured, lambda: play("wait 1"))
        for size in ("640x480", "90x60", "1280x800"):
            play(f"size {size}\nwait 2\nmove 100,640\nwait 1")
        for tab in (620, 680, 745):
            play(f"click {tab},591\nmove 900,660\nwait 2")
        play("key Tab\nsize 320x240\nwait 2")
        assert not meters.measuring
        whole = len(meters.slots["a"].frames)  # what was being measured is measured to its end
        wait_until(lambda: len(meters.slots["a"].frames) > whole + 1, lambda: play("wait 1"))
        counted = len(meters.slots["a"].samples)
        play("wait 30")
        assert not meters.measuring and len(meters.slots["a"].samples) == counted


def opened(stack: ExitStack, params: Params):  # type: ignore[no-untyped-def]
    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.cli.script import parse_script
    from wheatstone.viewer.cli.script_player import played_frames
    from wheatstone.viewer.display.frames.session import Session
    from wheatstone.viewer.display.screen.display import Display
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.display.screen.overlay import Overlay
    from wheatstone.viewer.io.sources.scene import SceneSource
    from wheatstone.viewer.run.run import Run
    from wheatstone.viewer.window.app import App

    state = ViewerState(Run(SGM, "cpu", params), absent={"cuda": "not asked for"})
    display = stack.enter_context(closing(Display()))
    source = SceneSource(SourceSpec(scene="orbit", seed=0, size=(96, 64)))
    session = stack.enter_context(closing(Session(state, source, display)))
    window = stack.enter_context(closing(OffscreenWindow(1280, 800)))
    overlay = stack.enter_context(closing(Overlay(window.scale)))
    app = stack.enter_context(closing(App(window, session, overlay)))
    return app, lambda text: list(played_frames(app, window, parse_script(text), Path.cwd()))
