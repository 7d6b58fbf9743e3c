"""JPEG encoding on the GPU with nvJPEG, if NVIDIA's nvImageCodec is installed."""

from types import ModuleType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import check_device, gpu_number
from wheatstone.gpu.installation import how_to_install_cuda
from wheatstone.viewer.io.files.streams import without_errors
from wheatstone.viewer.window.serving.pictures import KEY, Encoded, jpeg

NAME = "nvJPEG"
SMALLEST = 64  # pixels a side: nvJPEG has failed on smaller pictures, which take the CPU no time
TRIAL_SIDE, TRIAL_QUALITY = 128, 90
LARGEST_ERROR = 8.0  # grey levels, of the trial's mean: OpenCV's is 0.7, of swapped channels 66


def why_no_gpu_jpeg() -> str:
    """Return the reason why the GPU cannot encode JPEG; empty if it can.

    Call it before other threads print: for a moment, standard error is discarded.
    """
    try:
        GpuJpeg()
    except Unavailable as error:
        return str(error)
    return ""


class GpuJpeg:
    """A JPEG encoder on the GPU, for use in the thread that created it.

    Raises:
        Unavailable: there is no GPU, no nvImageCodec, or a trial gives another picture.
    """

    def __init__(self) -> None:
        check_device("JPEG on the GPU", "cuda")
        self._library = _library()
        self._encoder = self._opened()
        self._try()

    def encode(self, pixels: NDArray[np.uint8], quality: int) -> Encoded:
        """Encode a picture as JPEG, with the same chroma subsampling as OpenCV.

        Args:
            pixels: (H, W, 3) BGR, top row first.
            quality: 1..100, as OpenCV's.

        Raises:
            Unavailable: the encoder fails.
        """
        height, width = pixels.shape[:2]
        if min(height, width) < SMALLEST:
            return jpeg(pixels, quality)
        return Encoded("jpeg", KEY, width, height, self._content(pixels, quality))

    def _opened(self) -> Any:
        """Open a GPU encoder, including hybrid ones of CPU and GPU such as nvJPEG."""
        library = self._library
        try:
            kinds = library.BackendKind.HYBRID_CPU_GPU, library.BackendKind.GPU_ONLY
            backends = [library.Backend(kind) for kind in kinds]
            return library.Encoder(device_id=gpu_number(), max_num_cpu_threads=1, backends=backends)
        except Exception as error:
            raise self._failed(error) from error

    def _content(self, pixels: NDArray[np.uint8], quality: int) -> bytes:
        """Encode a picture of any size as JPEG; return the bytes."""
        library = self._library
        try:
            parameters = library.EncodeParams(
                quality_type=library.QualityType.QUALITY,
                quality_value=quality,
                chroma_subsampling=library.ChromaSubsampling.CSS_420,
            )
            # Rows that are not in their order in memory would be read as if they were.
            rows = np.ascontiguousarray(pixels)
            image = library.as_image(rows, sample_format=library.SampleFormat.I_BGR)
            coded = self._encoder.encode(image, "jpeg", params=parameters)
        except Exception as error:
            raise self._failed(error) from error
        if coded is None:
            raise self._failed("no encoder accepts a picture; is nvJPEG installed?")
        return bytes(coded)

    def _try(self) -> None:
        """Check the encoder with a trial picture, compared after decoding."""
        row, column = np.mgrid[:TRIAL_SIDE, :TRIAL_SIDE]
        pixels = np.stack([2 * column, 2 * row, 255 - column - row], -1).astype(np.uint8)
        content = np.frombuffer(self._content(pixels, TRIAL_QUALITY), np.uint8)
        decoded: Any = cv2.imdecode(content, cv2.IMREAD_COLOR)
        if decoded is None or decoded.shape != pixels.shape:
            raise self._failed("its trial output is not such a picture")
        if (error := float(cv2.absdiff(decoded, pixels).mean())) > LARGEST_ERROR:
            raise self._failed(f"its trial output differs by {error:.1f} grey levels")

    def _failed(self, why: object) -> Unavailable:
        version = getattr(self._library, "__version__", "")
        return Unavailable(f"nvImageCodec {version} cannot encode JPEG on the GPU: {why}")


def _library() -> ModuleType:
    """Import nvImageCodec, without its messages about absent codec libraries."""
    try:
        with without_errors():
            from nvidia import nvimgcodec
    except (ImportError, OSError, RuntimeError) as error:
        raise Unavailable(
            f"JPEG on the GPU needs nvImageCodec ({error}); install it with: "
            f"{how_to_install_cuda()}"
        ) from error
    library: ModuleType = nvimgcodec
    return library
