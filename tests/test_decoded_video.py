"""Decoded video is converted by the pipelines: the same colours on the host and on every device."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.painted_videos import painted, write_video
from tests.turned import TurnedScene
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_conversion, with_rectification
from wheatstone.gpu.pipelines.nv12 import MATRICES, NV12, coefficients
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.viewer.choices.slot import EVERY_AHEAD, NOTHING_AHEAD, Ahead, fitted
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.io.footage.decoder import Decoder
from wheatstone.viewer.io.footage.gpu_decoding import gpu_that_decodes, view_of_frame
from wheatstone.viewer.io.footage.index import index_of
from wheatstone.viewer.io.footage.planes import Pixels, Planes, pixels_of
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.layouts import LayoutViews
from wheatstone.viewer.run.inputs import host_input
from wheatstone.viewer.run.run import Run

SIZE = WIDTH, HEIGHT = 96, 64


def planes_of(rgb: NDArray[np.uint8], known: NDArray[np.int32]) -> Planes:
    """A picture as a decoder would give it; colours are a little off."""
    yuv = cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV)
    half = cv2.resize(yuv[..., 1:], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return Planes(np.ascontiguousarray(yuv[..., 0]), np.asarray(half, np.uint8), known)


class DecodedScene(Source):
    name, rate, length, planar = "decoded", 0.0, 1, True
    width, height = SIZE

    def __init__(self, *, turned: bool) -> None:
        known = coefficients("bt709", full_range=True)
        scene = TurnedScene(*SIZE)
        raw = scene.frame(0).raw
        assert raw
        left, right = planes_of(raw.left, known), planes_of(raw.right, known)
        self._frame = Frame(left, right, 0)
        if turned:
            self.rectification: Rectification | None = raw.rectification
            self._frame = Frame.of_raw(RawPair(left, right, raw.rectification), 0)

    def frame(self, index: int) -> Frame:
        return self._frame

    def ready(self, index: int) -> bool:
        return True

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def screens(offscreen: OffscreenContext) -> Iterator[Any]:
    with ExitStack() as stack:

        def make(variant: str, *, turned: bool) -> Session:
            absent = {"cuda": why_unavailable("cuda")}
            slot = Run(SGM, variant, SgmParams(disparities=16))
            display = stack.enter_context(closing(Display()))
            state = ViewerState(slot, absent, paused=True)
            source = DecodedScene(turned=turned)
            return stack.enter_context(closing(Session(state, source, display)))

        yield make


@pytest.mark.opengl
@pytest.mark.parametrize("turned", [False, True])
def test_what_a_pipeline_converts_is_what_the_host_converts(screens: Any, turned: bool) -> None:
    screen = screens("cpu", turned=turned)
    screen.state.choose_view(screen.state.slot, "views")
    screen.compute()
    frame, prefix = screen.frames.frame(0), "rectified" if turned else "decoded"
    for name, pixels in ((f"{prefix}_left", frame.left), (f"{prefix}_right", frame.right)):
        assert pixels is not None and pixels.shape == (HEIGHT, WIDTH, 3)
        assert np.array_equal(screen.display.values(name)[..., :3], pixels)
    grey = screen.values("left")
    assert np.array_equal(grey, grey_levels(frame.left))


@pytest.mark.opengl
def test_every_view_of_decoded_video_is_drawn(screens: Any) -> None:
    screen = screens("cpu", turned=False)
    for pipeline in PIPELINES:
        screen.state.choose_pipeline(pipeline)
        for view in screen.state.slot.pipeline.views:
            screen.state.choose_view(screen.state.slot, view.name)
            screen.compute()
            screen.drawing.draw(320, 240)


def test_what_stands_ahead_changes_with_the_source() -> None:
    slot = Run(SGM, "cpu", SgmParams())
    for ahead in EVERY_AHEAD:
        slot = fitted(slot, ahead, None)
        assert slot.pipeline is ahead.of(SGM)
    assert fitted(slot, NOTHING_AHEAD, None).pipeline is SGM
    both = Ahead(converts=True, rectifies=True).of(SGM)
    assert both is with_conversion(with_rectification(SGM)) and with_conversion(both) is both


def test_black_white_and_primaries_are_what_the_standards_say() -> None:
    for matrix, (red, blue) in MATRICES.items():
        for full_range, (black, white) in ((True, (0, 255)), (False, (16, 235))):
            known = coefficients(matrix, full_range=full_range)
            grey = np.full((1, 1, 2), 128, np.uint8)
            for level, expected in ((black, 0), (white, 255)):
                planes = Planes(np.full((2, 2), level, np.uint8), grey, known)
                assert (planes.rgb == expected).all()
            # Pure red: brightness is its share, the blue difference -share / 2 / (1 - blue).
            low, span, chroma = (0, 255, 255) if full_range else (16, 219, 224)
            v, u = 128 + chroma / 2, 128 - chroma * red / 2 / (1 - blue)
            differences = np.array([[[round(u), min(round(v), 255)]]], np.uint8)
            planes = Planes(np.full((2, 2), round(low + span * red), np.uint8), differences, known)
            assert np.abs(planes.rgb.astype(int) - (255, 0, 0)).max() <= 3


@pytest.mark.parametrize("shape", [(16, 24), (35, 67)])
@pytest.mark.parametrize("full_range", [False, True])
def test_grey_levels_of_planes_are_those_of_their_colours(
    shape: tuple[int, int], full_range: bool
) -> None:
    random, (height, width) = np.random.default_rng(2), shape
    luma = random.integers(0, 256, shape, np.uint8)
    chroma = random.integers(0, 256, (-(-height // 2), -(-width // 2), 2), np.uint8)
    planes = Planes(luma, chroma, coefficients("bt709", full_range=full_range))
    expected = cv2.cvtColor(planes.rgb, cv2.COLOR_RGB2GRAY)
    frame = Frame(planes, planes, 0)
    assert np.array_equal(planes.grey(), expected)
    for name in ("left", "right"):
        converted = host_input(name, frame, np.zeros(shape, np.uint8))
        assert converted is not None and np.array_equal(converted, expected)


@pytest.mark.parametrize("down", [False, True])
def test_halves_of_planes_are_halves_of_the_picture(down: bool) -> None:
    rgb = np.random.default_rng(1).integers(0, 256, (16, 24, 3), np.uint8)
    planes = planes_of(rgb, coefficients("bt601", full_range=False))
    layout = LayoutViews("top-bottom" if down else "side-by-side")
    for view, part in zip(
        layout.split("a", planes, None), np.split(planes.rgb, 2, 0 if down else 1), strict=True
    ):
        assert isinstance(view, Planes) and np.array_equal(view.rgb, part)
    odd = Planes(planes.luma[:, :22], planes.chroma[:, :11], planes.coefficients)
    first, second = LayoutViews("side-by-side").split("a", odd, None)
    assert isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
    assert np.array_equal(np.hstack([first, second]), odd.rgb)


@pytest.mark.parametrize("format", ["yuv420p", "yuvj420p", "nv12"])
def test_frames_of_a_decoder_become_planes(format: str) -> None:
    av = pytest.importorskip("av", reason="comes with the extra video")
    rgb = cv2.GaussianBlur(
        np.random.default_rng(1).integers(0, 256, (34, 46, 3), np.uint8), (9, 9), 3
    )
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
    frame = frame.reformat(format=format, dst_colorspace="ITU601")
    view = view_of_frame(frame)
    assert isinstance(view, Planes) and view.shape == (34, 46)
    luma, chroma = view.host
    plain = frame.reformat(format="yuv420p" if format == "nv12" else format)
    for part, plane in ((luma, 0), (chroma[..., 0], 1), (chroma[..., 1], 2)):
        rows = np.frombuffer(plain.planes[plane], np.uint8).reshape(part.shape[0], -1)
        assert np.array_equal(part, rows[:, : part.shape[1]])
    assert np.abs(view.rgb.astype(int) - rgb).mean() < 4


def test_other_frames_become_colours() -> None:
    av = pytest.importorskip("av", reason="comes with the extra video")
    rgb = np.random.default_rng(1).integers(0, 256, (6, 8, 3), np.uint8)
    view = view_of_frame(av.VideoFrame.from_ndarray(rgb, format="rgb24"))
    assert np.array_equal(np.asarray(view), rgb)


def large(number: int) -> Pixels:
    return painted(number).repeat(4, 0).repeat(4, 1)


@pytest.mark.cuda
@pytest.mark.parametrize("pixels", ["yuv420p", "yuv420p10le", "yuv444p"])
def test_a_gpu_decodes_what_the_host_decodes(pixels: str, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="comes with the extra video")
    options = {"crf": "10", "x265-params": "log-level=none"}
    form: dict[str, Any] = {"codec": "libx265", "pixels": pixels, "options": options}
    path = write_video(tmp_path / "a.mkv", count=6, gop=3, picture=large, **form)
    index = index_of(str(path))
    with closing(Decoder(str(path), index)) as host:
        expected = [pixels_of(host.picture(position)) for position in range(len(index))]
    with closing(Decoder(str(path), index, gpu=gpu_that_decodes(None))) as decoder:
        for position in (0, 4, 1, 5, 2, 3):
            result = pixels_of(decoder.picture(position))
            assert result.shape == expected[position].shape
            apart = np.abs(result.astype(int) - expected[position])
            assert apart.mean() < 2 and decoder.by == "GPU"
        assert not decoder.damaged


def test_the_pipeline_is_not_offered() -> None:
    assert NV12.name not in PIPELINES


@pytest.mark.parametrize("turned", [False, True])
def test_a_pixel_is_that_of_the_view(turned: bool) -> None:
    whole, single = (DecodedScene(turned=turned).frame(0) for _ in "ab")
    assert whole.right is not None
    for side, view in enumerate((whole.left, whole.right)):
        for row, column in ((0, 0), (31, 50), (HEIGHT - 1, WIDTH - 1)):
            assert np.array_equal(single.pixel(side, row, column), view[row, column])
            assert np.array_equal(whole.pixel(side, row, column), view[row, column])
