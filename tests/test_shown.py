"""Every way to show a pipeline's images, from its declaration alone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.composition import compose
from tests.toy import TOY, ToyParams
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipeline import View
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.regions import draw_region
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import ROWS
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.colorbar import footer
from wheatstone.viewer.display.picture.panes import Pane
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.display.screen import pixels
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
HEIGHT, WIDTH = 41, 67
Make = Callable[..., Session]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    with ExitStack() as stack:

        def make(left: str | None = None, mode: str = "auto") -> Session:
            source = stack.enter_context(
                closing(open_source(SourceSpec(left, size=(WIDTH, HEIGHT))))
            )
            state = ViewerState(Run(TOY, "cpu", ToyParams()), paused=True)
            display = stack.enter_context(closing(Display()))
            return stack.enter_context(closing(Session(state, source, display, mode)))

        yield make


@pytest.fixture
def photo(tmp_path: Path) -> str:
    path = str(tmp_path / "photo.png")
    cv2.imwrite(path, np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8))
    return path


def choose(screen: Session, view: str = "marked", variant: str = "cpu", **params: Any) -> None:
    screen.state.views["toy"] = view
    screen.state.slot = Run(TOY, variant, ToyParams(**params))


def picture(screen: Session) -> NDArray[np.uint8]:
    screen.compute()
    screen.drawing.draw(3 * WIDTH, 2 * HEIGHT)
    return screen.display.read()


def arrays(screen: Session) -> dict[str, NDArray[Any]]:
    frame, slot = screen.source.frame(screen.state.frame), screen.state.slot
    shown = {"left": frame.left} | ({} if frame.right is None else {"right": frame.right})
    execution = prepare(slot.pipeline, "cpu", slot.params, HEIGHT, WIDTH)
    grey = {name: cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) for name, pixels in shown.items()}
    execution.upload(**grey)
    execution.run()
    written = [name for name in execution.images if name not in grey]
    return shown | {name: execution.download(name) for name in written}


@pytest.mark.parametrize("view", [view.name for view in TOY.views])
@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("variant", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("mode", ["copy", pytest.param("interop", marks=pytest.mark.cuda)])
def test_every_view_shows_what_the_stages_write(
    session: Make, view: str, negative: bool, variant: str, mode: str
) -> None:
    screen = session(mode=mode)
    choose(screen, view, variant, negative=negative, search="right", template=(9, 4, 12, 20))
    for frame in (0, 40):
        screen.state.frame = frame
        seen = picture(screen)
        promised = chosen(screen.state).picture(screen.state)
        assert np.array_equal(seen, compose(arrays(screen), promised, 3 * WIDTH, 2 * HEIGHT))
        assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 3


def test_a_single_image_shows_all_that_needs_no_right_one(session: Make, photo: str) -> None:
    screen = session(photo)
    for view in ("marked", "negated", "labels", "searched"):
        choose(screen, view)
        promised = chosen(screen.state).picture(screen.state)
        expected = compose(arrays(screen), promised, 3 * WIDTH, 2 * HEIGHT)
        assert np.array_equal(picture(screen), expected)


def test_what_needs_a_right_image_says_so_and_disturbs_nothing(session: Make, photo: str) -> None:
    screen = session(photo)
    before, slot = picture(screen), screen.state.slot
    lacking = "photo.png is a single image: give a right image too, or --layout"
    screen.state.slot = Run(SGM, "reference", SgmParams(disparities=16))
    with pytest.raises(ValueError, match=f"sgm needs a stereo pair; {lacking}"):
        screen.compute()
    choose(screen, search="right")
    with pytest.raises(ValueError, match=f"toy needs a stereo pair; {lacking}"):
        screen.compute()
    choose(screen, "anaglyph")
    with pytest.raises(ValueError, match=f"view anaglyph of toy needs a stereo pair; {lacking}"):
        screen.compute()
    choose(screen)
    assert screen.state.slot == slot and screen.prepared and screen.current
    assert np.array_equal(picture(screen), before)


def test_an_image_whose_stage_is_off_is_the_one_it_stands_for(session: Make) -> None:
    screen = session()
    choose(screen, "negated")
    shown = chosen(screen.state)
    assert shown.arrays == {"negated": "left"} and not shown.computed
    assert shown.picture(screen.state).panes == (Pane("left"),)
    choose(screen, "negated", negative=True)
    assert chosen(screen.state).computed == ("negated",)


def test_labels_have_a_legend_below_the_picture(session: Make) -> None:
    screen = session()
    choose(screen, "labels")
    screen.compute()
    screen.drawing.draw(300, 200)
    promised = chosen(screen.state).picture(screen.state)
    assert promised.legend == (
        ("dark", (0, 0, 0)),
        ("dim", (120, 24, 32)),
        ("light", (60, 200, 90)),
        ("bright", (255, 255, 255)),
    )
    height = len(footer(promised.bars, promised.legend, 300, 200))
    assert 0 < height < 120
    seen = screen.display.read()
    assert np.array_equal(seen, compose(arrays(screen), promised, 300, 200))
    colors = {tuple(color) for color in seen[-height:].reshape(-1, 3).tolist()}
    assert {color for _, color in promised.legend} <= colors
    assert screen.display.drawn.hit(20, 199) is None  # no pane


def test_every_label_has_its_own_colour_in_the_legend() -> None:
    for pipeline in (*PIPELINES.values(), TOY):
        for image in pipeline.images:
            if image.labels:
                view = View("labels", (image.name,), "Labels.")
                slot = Run(replace(pipeline, views=(view,)), "cpu", pipeline.params())
                state = ViewerState(slot)
                legend = chosen(state).picture(state).legend
                assert [name for name, _ in legend] == list(image.labels)
                assert len({color for _, color in legend}) == len(image.labels)


def test_a_declared_colour_map_overrides_the_chosen_one(session: Make) -> None:
    screen = session()
    choose(screen, "labels")
    screen.state.colormap = "viridis"
    labels, edges = chosen(screen.state).picture(screen.state).panes
    assert (labels.colormap, labels.low, labels.high) == ("hysteresis", 0, 3)
    assert (edges.colormap, edges.low, edges.high) == ("viridis", 0, 255)


def test_every_declared_colour_map_exists() -> None:
    for pipeline in (*PIPELINES.values(), TOY):
        for image in pipeline.images:
            assert not image.colormap or image.colormap in ROWS


def test_what_a_variant_does_not_keep_is_refused_by_name(session: Make) -> None:
    screen = session()
    before = picture(screen)
    choose(screen, "labels", "fused")
    with pytest.raises(ValueError, match="toy/fused does not keep labels, which view labels shows"):
        screen.compute()
    choose(screen)
    assert np.array_equal(picture(screen), before)


def test_a_refused_region_leaves_the_old_one_prepared(session: Make) -> None:
    screen = session()
    choose(screen, variant="narrow")
    screen.compute()
    slot = screen.state.slot
    draw_region(screen.state, (0.0, 0.0), (30.0, 9.0), (WIDTH, HEIGHT))
    with pytest.raises(ValueError, match="toy/narrow: the template is 31 pixels wide"):
        screen.compute()
    screen.state.slot = slot
    assert screen.prepared


def test_dragging_a_region_makes_no_new_buffers(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    new = pixels._new_buffer

    def counted(shape: tuple[int, int], dtype: Any) -> int:
        made.append((shape, str(dtype)))
        return new(shape, dtype)

    monkeypatch.setattr(pixels, "_new_buffer", counted)
    screen = session()
    for x in range(5, 50, 9):
        draw_region(screen.state, (3.0, 3.0), (float(x), 20.0), (WIDTH, HEIGHT))
        picture(screen)
    image = (HEIGHT, WIDTH)
    assert sorted(made) == [((6, 4), "int32"), (image, "float32"), (image, "uint8")]


def test_another_view_or_frame_is_not_the_current_one(session: Make) -> None:
    screen = session()
    screen.compute()
    assert screen.current
    choose(screen, "searched")
    assert screen.prepared and not screen.current
    screen.compute()
    screen.state.frame += 1
    assert not screen.current


def test_until_the_next_frame_is_computed_the_last_one_is_drawn(session: Make) -> None:
    screen = session()
    before = picture(screen)
    choose(screen, "labels", threshold=3)
    screen.drawing.draw(3 * WIDTH, 2 * HEIGHT)
    assert np.array_equal(screen.display.read(), before)


def test_floats_without_limits_are_refused() -> None:
    images = tuple(replace(image, limits=None) for image in TOY.images)
    state = ViewerState(Run(replace(TOY, images=images), "cpu", ToyParams()))
    with pytest.raises(ValueError, match="scores is float32: its declaration must give its limits"):
        chosen(state).picture(state)
