"""A session on a source that has to be rectified: the stage runs ahead of every pipeline."""

import pickle
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import numpy as np
import pytest

from tests.turned import TurnedScene
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_rectification
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.latest import stored_values
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.cell_contents import seen
from wheatstone.viewer.display.picture.panes import ROW_LINE
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.cameras.rectification import apply_map
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
SIZE = WIDTH, HEIGHT = 160, 120
PARAMS = SgmParams(disparities=32)
Make = Callable[..., Session]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    with ExitStack() as stack:

        def make(variant: str = "cpu", *, colour: bool = True) -> Session:
            absent = {"cuda": why_unavailable("cuda")}
            state = ViewerState(Run(SGM, variant, PARAMS), absent, paused=True)
            display = stack.enter_context(closing(Display()))
            source = TurnedScene(*SIZE, colour=colour)
            return stack.enter_context(closing(Session(state, source, display)))

        yield make


@pytest.mark.parametrize("colour", [True, False])
def test_what_the_device_rectifies_is_what_the_host_rectifies(session: Make, colour: bool) -> None:
    screen = session(colour=colour)
    screen.state.choose_view(screen.state.slot, "views")
    screen.compute()
    frame = screen.frames.frame(0)
    for name, pixels in (("rectified_left", frame.left), ("rectified_right", frame.right)):
        assert pixels is not None
        shown = screen.display.values(name)[..., :3]
        assert np.array_equal(shown, pixels if colour else np.dstack([pixels] * 3))


def test_disparities_are_those_of_the_rectified_scene(session: Make) -> None:
    screen = session()
    screen.compute()
    result = screen.values("disparity") / 16
    truth = screen.source.frame(0).truth
    assert truth is not None
    valid = result > -1
    assert valid.mean() > 0.5
    assert np.median(np.abs(result - truth)[valid]) < 0.5


def test_pixels_that_no_view_shows_have_no_disparity_and_the_reason_is_reported(
    session: Make,
) -> None:
    screen = session()
    screen.state.choose_view(screen.state.slot, "reasons")
    screen.compute()
    raw = screen.frames.frame(0).raw
    assert raw
    presence = apply_map(np.full((HEIGHT, WIDTH), 255, np.uint8), raw.rectification.right)
    outside = presence < 255
    assert outside.any()
    disparity, reasons = screen.values("disparity"), screen.values("invalid_reason")
    columns = np.arange(WIDTH) - ((disparity + 8) >> 4)
    rows = np.arange(HEIGHT)[:, None]
    valid = (disparity != -16) & (columns >= 0)
    assert not outside[np.broadcast_to(rows, disparity.shape)[valid], columns[valid]].any()
    unmasked = screen.values("unmasked_disparity")
    rejected = (disparity == -16) & (unmasked != -16)
    assert rejected.any()
    assert (reasons[rejected] == 1).all()


@pytest.mark.parametrize("name", PIPELINES)
def test_every_view_of_every_pipeline_can_be_shown(session: Make, name: str) -> None:
    screen = session()
    if name != "sgm":
        screen.state.choose_pipeline(name)
    for view in screen.state.slot.pipeline.views:
        screen.state.choose_view(screen.state.slot, view.name)
        screen.compute()
        screen.drawing.draw(320, 240)
        assert screen.display.read().std() > 1, view.name


def test_another_source_needs_no_rectification(session: Make) -> None:
    screen = session()
    screen.compute()
    rectifying = screen.state.slot.pipeline
    assert rectifying is not SGM
    screen.open_source(SceneSource(SourceSpec(scene="corridor", seed=0, size=SIZE)))
    assert screen.state.slot.pipeline is SGM
    screen.compute()
    screen.source.close()
    screen.open_source(TurnedScene(*SIZE))
    assert screen.state.slot.pipeline is rectifying


def test_lines_are_drawn_along_every_fortieth_row(session: Make) -> None:
    screen = session()
    screen.state.choose_pipeline("rectify")
    screen.compute()
    screen.drawing.draw(2 * WIDTH, HEIGHT)
    marked = (screen.display.read() == ROW_LINE).all(-1)
    rows = np.flatnonzero(marked[:, : WIDTH - 8].all(1))
    assert len(rows) == (HEIGHT - 1) // 40
    assert np.ptp(np.diff(rows)) <= 1  # a pane is a little smaller than the image
    screen.state.choose_view(screen.state.slot, "grey")
    screen.compute()
    screen.drawing.draw(2 * WIDTH, HEIGHT)
    assert not (screen.display.read() == ROW_LINE).all(-1).any()


def test_a_seam_divides_the_raw_from_the_rectified_view(session: Make) -> None:
    screen = session(colour=False)
    screen.state.choose_pipeline("rectify")
    screen.state.choose_view(screen.state.slot, "wipe")
    pictures = []
    for seam in (1.0, 0.0, 0.5):
        screen.state.mix(seam=seam)
        screen.compute()
        screen.drawing.draw(WIDTH, HEIGHT)
        pictures.append(screen.display.read())
    raw, rectified, both = pictures
    assert not np.array_equal(raw, rectified)
    half = WIDTH // 2
    assert np.array_equal(both[:, : half - 4], raw[:, : half - 4])
    assert np.array_equal(both[:, half + 4 :], rectified[:, half + 4 :])


def test_views_can_be_compared_and_counted_though_they_have_colours(session: Make) -> None:
    screen = session()
    state = screen.state
    state.choose_view(state.slot, "pair")
    state.choose_variant_b("reference")
    state.mix(mode="difference", check=True)
    screen.compute()
    screen.drawing.draw(320, 120)
    assert screen.checks.badge(screen.a.shown).text.startswith("identical")  # type: ignore[union-attr]
    seen_by = seen(state, screen.a.shown, screen.b.shown, 0)
    assert seen_by
    levels = stored_values(screen, seen_by.parts[0])
    assert levels is not None and np.array_equal(levels, screen.values("left"))
    ncc = with_rectification(PIPELINES["ncc"])
    assert pickle.loads(pickle.dumps(ncc)).name == "ncc"
