"""JPEG of the GPU: the picture that OpenCV's shows, and OpenCV's where there is none."""

import os
import sys
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.installation import how_to_install_cuda
from wheatstone.viewer.cli import doctor
from wheatstone.viewer.cli.doctor import ABSENT, FINE
from wheatstone.viewer.io.files.streams import without_errors
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.gpu_jpeg import SMALLEST, GpuJpeg, why_no_gpu_jpeg
from wheatstone.viewer.window.serving.pictures import KEY, jpeg
from wheatstone.viewer.window.serving.viewers import Viewers

SIZES = [(1, 1), (17, 33), (64, 64), (67, 131), (1080, 1920), (2160, 3840)]


class Library(SimpleNamespace):
    """Stands in for nvImageCodec: OpenCV encodes, until it fails."""

    def __init__(self) -> None:
        names = {"HYBRID_CPU_GPU": 0, "GPU_ONLY": 1, "QUALITY": 2, "CSS_420": 3, "I_BGR": 4}
        enums = ("BackendKind", "QualityType", "ChromaSubsampling", "SampleFormat")
        super().__init__(
            **{name: SimpleNamespace(**names) for name in enums},
            __version__="0",
            Backend=lambda kind: kind,
            Encoder=lambda **words: SimpleNamespace(encode=self.encode),
            EncodeParams=SimpleNamespace,
            as_image=lambda pixels, sample_format: pixels,
        )
        self.wrong: Any = None  # an error to raise, or what to change the pixels by
        self.encodes = 0

    def encode(self, pixels: NDArray[np.uint8], codec: str, params: Any) -> bytes | None:
        self.encodes += 1
        if isinstance(self.wrong, Exception):
            raise self.wrong
        if self.wrong == "none":
            return None
        shown = pixels[..., ::-1] if self.wrong == "colours" else pixels
        return jpeg(np.ascontiguousarray(shown), params.quality_value).content


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "wheatstone.viewer.window.serving.gpu_jpeg.check_device", lambda variant, kind: None
    )
    monkeypatch.setattr("wheatstone.viewer.window.serving.gpu_jpeg.gpu_number", lambda: 0)


@pytest.fixture
def library(gpu: None, monkeypatch: pytest.MonkeyPatch) -> Library:
    library = Library()
    monkeypatch.setitem(sys.modules, "nvidia", SimpleNamespace(nvimgcodec=library))
    return library


def painted(height: int, width: int) -> NDArray[np.uint8]:
    """A picture, (H, W, 3) BGR, of smooth colours with edges and some noise."""
    row, column = np.mgrid[:height, :width]
    channels = (row + 2 * column) % 256, (row // 8 + column // 8) % 2 * 200, 255 - row % 256
    noise = np.random.default_rng(1).integers(0, 9, (height, width, 3))
    return np.clip(np.stack(channels, -1) + noise, 0, 255).astype(np.uint8)


def error_of(content: bytes, pixels: NDArray[np.uint8]) -> float:
    decoded: Any = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    assert decoded.shape == pixels.shape
    return float(cv2.absdiff(decoded, pixels).mean())


def test_without_a_gpu_the_library_is_not_even_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.gpu.device.why_unavailable", lambda kind: "no NVIDIA driver")
    library = Library()
    monkeypatch.setitem(sys.modules, "nvidia", SimpleNamespace(nvimgcodec=library))
    assert why_no_gpu_jpeg() == "JPEG on the GPU needs a CUDA GPU: no NVIDIA driver"
    assert library.encodes == 0


def test_without_the_library_the_extras_are_named(
    gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nvidia", None)
    why = why_no_gpu_jpeg()
    assert why.startswith("JPEG on the GPU needs nvImageCodec (")
    assert why.endswith(how_to_install_cuda())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (RuntimeError("CUDA error 700"), "CUDA error 700"),
        (MemoryError("no pinned memory"), "no pinned memory"),
        ("none", "no encoder accepts a picture; is nvJPEG installed?"),
        ("colours", "its trial output differs by"),
    ],
)
def test_a_trial_tells_whether_it_works(wrong: Any, message: str, library: Library) -> None:
    assert why_no_gpu_jpeg() == ""
    library.wrong = wrong
    assert why_no_gpu_jpeg().startswith(f"nvImageCodec 0 cannot encode JPEG on the GPU: {message}")


def test_a_gpu_that_fails_once_is_left_to_itself(library: Library) -> None:
    pixels = painted(80, 100)
    encoder = Encoder(Viewers(), "jpeg", 80, on_gpu=not why_no_gpu_jpeg())
    first = encoder._encoded("jpeg", pixels, [])
    assert (first.codec, first.flags, first.width, first.height) == ("jpeg", KEY, 100, 80)
    assert encoder.jpeg_by == "nvJPEG" and library.encodes == 3  # two of them trials
    library.wrong = RuntimeError("the GPU was taken away")
    assert encoder._encoded("jpeg", pixels, []) == jpeg(pixels, 80)
    assert encoder.jpeg_by == "OpenCV" and library.encodes == 4
    library.wrong = None
    assert encoder._encoded("jpeg", pixels, []) == jpeg(pixels, 80)
    assert library.encodes == 4


def test_what_libraries_print_is_lost_for_as_long_as_it_is_asked(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ImportError), without_errors():
        os.write(2, b"[ERROR] nvJPEG2000 is missing\n")
        raise ImportError
    os.write(2, b"said\n")
    assert capfd.readouterr().err == "said\n"


def test_small_pictures_are_left_to_opencv(library: Library) -> None:
    encoder = GpuJpeg()
    for height, width in ((1, 1), (SMALLEST - 1, 500), (500, SMALLEST - 1)):
        pixels = painted(height, width)
        assert encoder.encode(pixels, 80) == jpeg(pixels, 80)
    assert library.encodes == 1


def test_rows_are_handed_over_in_their_order(library: Library) -> None:
    pixels = painted(80, 100)
    assert GpuJpeg().encode(pixels[::-1], 90) == jpeg(np.ascontiguousarray(pixels[::-1]), 90)


def test_doctor_says_what_encodes(library: Library) -> None:
    assert doctor._jpeg().state == FINE
    library.wrong = "none"
    check = doctor._jpeg()
    assert check.state == ABSENT and "on the CPU" in check.description


@pytest.fixture
def real() -> GpuJpeg:
    pytest.importorskip("nvidia.nvimgcodec", reason="comes with the extras cuda and cuda13")
    return GpuJpeg()


@pytest.mark.cuda
@pytest.mark.parametrize("quality", [30, 80, 95])
@pytest.mark.parametrize(("height", "width"), SIZES)
def test_it_shows_the_picture_about_as_well_as_opencv(
    height: int, width: int, quality: int, real: GpuJpeg
) -> None:
    pixels = painted(height, width)
    pixels.flags.writeable = False
    theirs = error_of(jpeg(pixels, quality).content, pixels)
    encoded = real.encode(pixels, quality)
    assert (encoded.width, encoded.height) == (width, height)
    assert error_of(encoded.content, pixels) <= 1.5 * theirs


@pytest.mark.cuda
def test_quality_says_how_large_it_is(real: GpuJpeg) -> None:
    pixels = painted(480, 640)
    sizes = [len(real.encode(pixels, quality).content) for quality in (1, 30, 60, 90, 100)]
    assert sizes == sorted(set(sizes)) and sizes[-1] > 4 * sizes[0]
    theirs = len(jpeg(pixels, 60).content)
    assert 0.7 * theirs < sizes[2] < 1.4 * theirs


@pytest.mark.cuda
def test_sizes_may_change_from_picture_to_picture(real: GpuJpeg) -> None:
    for height, width in ((600, 800), (64, 65), (1081, 1921), (600, 800)):
        pixels = painted(height, width)
        theirs = error_of(jpeg(pixels, 80).content, pixels)
        assert error_of(real.encode(pixels, 80).content, pixels) <= 1.5 * theirs


@pytest.mark.cuda
def test_it_works_where_the_encoder_calls_it(real: GpuJpeg) -> None:
    encoder = Encoder(Viewers(), "jpeg", 80, on_gpu=True)
    pixels = painted(300, 500)
    assert encoder._encoded("jpeg", pixels, []).content[:2] == b"\xff\xd8"
    assert encoder.jpeg_by == "nvJPEG"
