"""Values at the cursor, pins, and what a right click on the picture offers."""

from dataclasses import replace

import numpy as np
import pytest

from tests.offscreen_app import click, do, keys, running_app, settle
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.inspector.picture_labels import at_cursor, free_corner
from wheatstone.viewer.panels.inspector.pixel_label import PixelLabel, label_of
from wheatstone.viewer.panels.keys.menu.bars import picture_lines
from wheatstone.viewer.window.app import App

WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")
MIDDLE = 320.0, 200.0


def at(app: App, x: float, y: float) -> PixelLabel:
    """The label at a place of the window."""
    do(app, Event("move", x=x, y=y))
    place = at_cursor(app.layout)
    assert place
    return label_of(app.session, place.place)


def rows(label: PixelLabel) -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, *values in label.rows}


def clipboard(app: App) -> str:
    return str(app.window.clipboard)  # type: ignore[attr-defined]


@pytest.mark.opengl
def test_the_label_says_what_the_result_and_the_truth_are(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, "--view", "pair", size=(640, 400)) as app:
        frame, name = app.session.frames.frame(0), app.state.slot.pipeline.output
        stored, truth = app.session.values(name), frame.truth
        assert truth is not None and frame.calibration
        checked = 0
        for x in (340, 420, 500, 600):
            label = at(app, x, 200)
            table, pixel = rows(label), label.pixel
            assert next(iter(table)) == "disparity"
            if stored[pixel] < 0 or not np.isfinite(truth[pixel]):
                continue
            disparity = stored[pixel] / 16
            assert table["disparity"] == (f"{disparity:.4f} px",)
            assert table["truth"] == (f"{truth[pixel]:.4f} px",)
            assert table["error"] == (f"{disparity - truth[pixel]:+.4f} px",)
            depth = frame.calibration.depth(disparity)
            assert table["depth"] == (f"{depth:.3f} {frame.calibration.unit}",)
            checked += 1
        assert checked
        on_left = at(app, 150, 200)
        color = frame.left[on_left.pixel]
        assert rows(on_left)["left"] == (" ".join(f"{c:3d}" for c in color),)
        assert "disparity" in rows(on_left)


@pytest.mark.opengl
@pytest.mark.parametrize("mode", ["wipe", "wipe-down", "difference", "signed-difference", "onion"])
def test_the_label_follows_the_comparison(offscreen: OffscreenContext, mode: str) -> None:
    words = (*WORDS, "--compare", mode, "--b-set", "p1=30")
    with running_app(*words, size=(640, 400)) as app:
        settle(app)  # a GPU computes B after the first frame
        a = app.session.values(app.state.slot.pipeline.output)
        b = app.session.b
        assert b.frame and b.shown
        other = b.values(b.frame, b.shown, app.state.slot.pipeline.output)
        for x, y in ((200, 120), (450, 280)):
            label = at(app, x, y)
            values = [
                f"{v[label.pixel] / 16:.4f} px" if v[label.pixel] >= 0 else "\N{EN DASH}"
                for v in (a, other)
            ]
            text = rows(label)["disparity"]
            if mode.startswith("wipe"):
                assert text == (values[x > 320 if mode == "wipe" else y > 200],)
            else:
                assert text[:2] == tuple(values) and rows(label)[""] == ("A", "B", "A - B")


@pytest.mark.opengl
@pytest.mark.parametrize("words", [("canny",), ("mean",), ("ncc",), ("sgm", "--view", "reasons")])
def test_every_view_has_a_label(offscreen: OffscreenContext, words: tuple[str, ...]) -> None:
    with running_app(*words, *WORDS[1:3], "--variant", "cpu", "--fresh", size=(640, 400)) as app:
        for view in app.state.slot.pipeline.views:
            if view.cloud:
                continue
            app.state.set_view(app.state.slot.pipeline, view.name)
            settle(app)
            label = at(app, 200, 180)
            assert label.rows and all(len(row) == 2 and row[1] for row in label.rows), view.name


@pytest.mark.opengl
def test_a_resting_mouse_costs_nothing(offscreen: OffscreenContext) -> None:
    import time

    with running_app(*WORDS, size=(640, 400)) as app:
        computed = app.session.a.execution
        pictures = []
        paint = app.session.display._painter.paint
        app.session.display._painter.paint = lambda what: (pictures.append(what), paint(what))  # type: ignore
        for x in range(100, 500, 20):
            do(app, Event("move", x=x, y=200))
        assert app.session.a.execution is computed and not pictures
        ends = time.perf_counter() + 5
        while not app.pace.seconds() and time.perf_counter() < ends:
            app.step()
        assert app.pace.seconds() > 0


@pytest.mark.opengl
def test_clicks_pin_and_release_and_escape_removes_the_last(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(640, 400)) as app:
        for x in (150, 300, 450):
            click(app, x, 200)
        assert len(app.state.look.pins) == 3 and not app.state.open_panels
        click(app, 450, 200)
        assert len(app.state.look.pins) == 2
        before = app.state.look.pins
        do(app, Event("scroll", x=300, y=200, dy=2))
        do(app, Event("move", x=10, y=390))
        click(app, 321, 222)  # on the label of the second, beside its pixel
        assert app.state.look.pins == before[:1]
        do(app, Event("press", x=200, y=200), Event("move", x=260, y=240))
        do(app, Event("release", x=260, y=240))
        assert app.state.look.pins == before[:1]  # the drag moved the picture
        keys(app, "Esc")
        assert not app.state.look.pins and not app.state.leaving


@pytest.mark.opengl
def test_labels_stay_inside_the_picture(offscreen: OffscreenContext) -> None:
    for scale in (1.0, 2.0):
        with running_app(*WORDS, size=(960, 640), scale=scale) as app:
            area = app.layout.area
            for x, y in ((60, 100), (900, 100), (60, 560), (900, 560), (480, 320)):
                app.state.look = replace(app.state.look, pins=())
                click(app, x, y)
                do(app)
                for _, (left, top, right, bottom) in app.layout.labels._boxes:
                    assert area.x <= left < right <= area.x + area.width
                    assert area.y <= top < bottom <= area.y + area.height
                    assert not (left <= x <= right and top <= y <= bottom)


@pytest.mark.opengl
def test_values_and_the_picture_are_copied(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(640, 400)) as app:
        label = at(app, *MIDDLE)
        keys(app, "Ctrl+C")
        assert clipboard(app) == label.text
        lines = dict(line.split("\t") for line in label.text.splitlines())
        assert (int(lines["y"]), int(lines["x"])) == label.pixel
        do(app, Event("leave"))
        keys(app, "Ctrl+C")
        assert app.state.picks == "copy values"  # there is no pixel yet
        keys(app, "Esc")
        for x in (200, 400):
            click(app, x, 200)
        do(app, Event("leave"))
        keys(app, "Ctrl+C")
        assert clipboard(app).count("\n\nx\t") == 1
        keys(app, "Ctrl+Shift+C")
        settle(app)
        copied = app.window.copied_picture  # type: ignore[attr-defined]
        assert np.array_equal(copied, app.session.display.read())


@pytest.mark.opengl
def test_the_label_is_switched_off_and_that_is_kept(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(640, 400)) as app:
        do(app, Event("move", x=200, y=200))
        with_label = app.window.read()  # type: ignore[attr-defined]
        keys(app, "Shift+T")
        assert not app.state.look.cursor_values and Look().cursor_values
        do(app)
        without = app.window.read()  # type: ignore[attr-defined]
        assert (with_label[210:260, 210:300] != without[210:260, 210:300]).any()


@pytest.mark.opengl
def test_the_menu_of_a_pixel_acts_on_that_pixel(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(900, 500)) as app:
        label = at(app, 300, 150)
        click(app, 300, 150, button=1)
        do(app)
        assert app.state.picture_menu and app.layout.hit
        lines = picture_lines(app.layout.bars.menus_of(app.session).values())
        assert not [line.name for line in lines if line.why_not and line.keys[0] != "Alt+T"]
        keys(app, "Esc")
        do(app)
        assert not app.state.picture_menu and not app.state.leaving
        click(app, 300, 150, button=1)
        app.state.paused = False
        click(app, 340, 166)  # its first line
        do(app)
        assert app.state.paused  # the frame asked about stays
        assert not app.state.picture_menu
        assert app.state.look.pin == label.pixel and "inspector" in app.state.open_panels


@pytest.mark.opengl
def test_the_label_of_a_view_of_depths_says_the_depth(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, "--view", "depth", size=(640, 400)) as app:
        label = at(app, *MIDDLE)
        depth = float(app.session.values("depth")[label.pixel])
        found = rows(label)
        assert all(values != ("\N{EN DASH}",) for values in found.values())
        assert float(found["depth"][0].split()[0]) == pytest.approx(depth, rel=0.01)


@pytest.mark.opengl
def test_ranges_begin_and_end_at_the_value_under_the_cursor(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(640, 400)) as app:
        stored = app.session.values("disparity") / 16
        for key, end in (("Ctrl+]", 1), ("Ctrl+[", 0)):
            label = at(app, 200, 150)
            if stored[label.pixel] < 0:
                continue
            before = app.state.look.ranges.get("sgm.disparity", (0.0, 15.0))
            keys(app, key)
            after = app.state.look.ranges.get("sgm.disparity")
            expected = list(before)
            expected[end] = stored[label.pixel]
            if expected[0] < expected[1]:
                assert after == tuple(expected)
            else:
                assert "range" in app.state.message and "(got " in app.state.message


@pytest.mark.opengl
def test_a_right_drag_still_moves_the_picture(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(640, 400)) as app:
        center = app.state.center
        do(app, Event("press", x=200, y=200, button=1), Event("move", x=240, y=200))
        do(app, Event("release", x=240, y=200, button=1))
        assert app.state.center != center and not app.state.picture_menu


@pytest.mark.opengl
@pytest.mark.parametrize("zoomed", [False, True])
def test_the_picture_stays_under_the_cursor(offscreen: OffscreenContext, zoomed: bool) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        do(app, Event("move", x=500, y=300))
        if zoomed:
            do(app, Event("scroll", x=500, y=300, dy=4))
        before = app.state.zoom, app.state.center
        for panel in ("I", "G", "F2", "F3"):
            place = app.layout.hit
            assert place
            keys(app, panel)
            after = app.layout.hit
            assert (
                after
                and abs(after.row - place.row) < 0.2
                and abs(after.column - place.column) < 0.2
            )
        assert app.state.zoom != before[0]
        for panel in ("F3", "F2", "G", "I"):
            keys(app, panel)
        assert app.state.zoom == pytest.approx(before[0])
        assert app.state.center == pytest.approx(before[1], abs=0.01)
        if not zoomed:
            assert (app.state.zoom, app.state.center) == before


@pytest.mark.opengl
def test_a_fitted_picture_is_fitted_again_while_the_cursor_is_elsewhere(
    offscreen: OffscreenContext,
) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        for panel in ("I", "F3", "I"):
            keys(app, panel)
            assert (app.state.zoom, app.state.center) == (1.0, (0.5, 0.5))


@pytest.mark.opengl
@pytest.mark.parametrize("form", ["text", "CSV"])
def test_a_panel_is_copied_from_its_menu(offscreen: OffscreenContext, form: str) -> None:
    with running_app(*WORDS, size=(1280, 800)) as app:
        app.state.show_panel("inspector")
        label = at(app, 400, 300)
        settle(app)
        click(app, 1100, 500, button=1)
        do(app)
        click(app, 1120, 514 + 21 * (form == "CSV"))  # the menu opens at the cursor
        do(app)
        copied = clipboard(app)
        disparity = rows(label)["disparity"][0].removesuffix(" px")
        of_text, of_csv = f"| disparity, px | {disparity} |", f'"disparity, px",{disparity},'
        assert (of_text if form == "text" else of_csv) in copied
        assert copied.startswith("x ") == (form == "text")


@pytest.mark.opengl
def test_the_label_leaves_with_the_cursor(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, size=(640, 400)) as app:
        do(app, Event("move", x=200, y=200))
        assert app.layout.labels._placed
        do(app, Event("leave"))
        assert not app.layout.labels._placed
        x, y = 300.0, 200.0
        pressed = (Event(kind, x=x, y=y) for kind in ("move", "press", "release"))
        do(app, *pressed, Event("leave"))  # all between two frames
        assert len(app.state.look.pins) == 1


@pytest.mark.opengl
def test_labels_of_pins_overlap_neither_each_other_nor_the_pins(
    offscreen: OffscreenContext,
) -> None:
    with running_app(*WORDS, "--compare", "side-by-side", size=(390, 400)) as app:
        settle(app)
        for pins in (((32, 48),), ((32, 48), (33, 50), (5, 90))):
            app.state.look = replace(app.state.look, pins=pins)
            do(app)
            labels = app.layout.labels
            boxes = [box for _, box in labels._boxes]
            assert len(boxes) == 2 * len(pins)
            dots = [(p.x, p.y, p.x, p.y) for p in labels._placed if p.number]
            for number, one in enumerate(boxes):
                for other in boxes[:number] + dots:
                    across = one[0] < other[2] and other[0] < one[2]
                    assert not (across and one[1] < other[3] and other[1] < one[3])


def test_a_label_without_room_next_to_its_pixel_goes_to_the_nearest_free_place() -> None:
    around, size = (0.0, 0.0, 200.0, 100.0), (80.0, 40.0)
    assert free_corner((20, 20), size, (around,), (), 10) == (30, 30)
    assert free_corner((190, 90), size, (around,), (), 10) == (100, 40)
    taken = (30.0, 30.0, 110.0, 70.0)
    x, y = free_corner((20, 20), size, (around,), (taken,), 10) or (30, 30)
    assert x >= 110 or y >= 70
    assert free_corner((20, 20), (300, 40), (around,), (), 10) is None
    assert free_corner((20, 20), size, ((0, 0, 50, 50), around), (), 10) == (30, 30)
    assert free_corner((20, 20), size, (around,), (around,), 10) is None
