"""Conversion of decoded video frames to views, and the choice between GPU and CPU decoders."""

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.exchange import copied_arrays
from wheatstone.gpu.pipelines.nv12 import coefficients
from wheatstone.viewer.io.footage.media import rgb_of
from wheatstone.viewer.io.footage.planes import GPU, SOFTWARE, AnyView, Planes

if TYPE_CHECKING:
    import av

PLANAR = ("yuv420p", "yuvj420p", "nv12")
"""FFmpeg's 8-bit pixel formats with luma and chroma at half resolution in both directions."""

HD = 720  # rows from which on video that does not say is taken to have the matrix of BT.709
BT709, BT601 = 1, (5, 6)  # FFmpeg's numbers of matrices
FULL = 2  # FFmpeg's number of the full range


_coefficients = cache(coefficients)  # frames share the array


def view_of_frame(frame: "av.VideoFrame") -> AnyView:
    """Convert a decoded frame to a view; a frame on a GPU is copied and stays there.

    Frames in other formats than ``PLANAR`` are converted to RGB by FFmpeg, on the host.
    """
    if on_gpu(frame) and frame.sw_format and frame.sw_format.name == "nv12":
        luma, chroma = copied_arrays(frame.planes)
    elif frame.format.name in PLANAR:
        luma, chroma = _rows(frame.planes[0]), _differences(frame)
    else:
        return np.ascontiguousarray(rgb_of(frame))
    matrix, full = _meaning(frame)
    return Planes(luma, chroma, _coefficients(matrix, full_range=full))


def on_gpu(frame: "av.VideoFrame") -> bool:
    """Return whether a frame was decoded by a GPU and is in its memory."""
    return frame.format.name == "cuda"


_elsewhere = threading.Event()


def decode_elsewhere() -> None:
    """Stop GPU decoding of videos in this process; another process that owns the GPU does it."""
    _elsewhere.set()


def decodes_elsewhere(decoding: str | None) -> bool:
    """Return whether the process that owns the GPU decodes a video for this one: only on request.

    By default workers decode, because a GPU does not report all frames that are damaged.
    """
    return _elsewhere.is_set() and decoding == GPU


def gpu_that_decodes(decoding: str | None) -> int | None:
    """Return the number of the CUDA device that decodes a video; None: the CPU decodes it.

    Args:
        decoding: the choice of its options, ``gpu`` or ``software``; None: the default.
    """
    from wheatstone.gpu.device import gpu_number

    if decoding == SOFTWARE or _elsewhere.is_set():
        return None
    return gpu_number()


def _rows(plane: Any, bytes_each: int = 1) -> NDArray[np.uint8]:
    """Copy the rows of a plane without their padding."""
    rows = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
    return np.ascontiguousarray(rows[:, : plane.width * bytes_each])


def _differences(frame: "av.VideoFrame") -> NDArray[np.uint8]:
    """Copy the chroma planes of a frame to one array, with both chroma values on the last axis."""
    if frame.format.name == "nv12":
        both = _rows(frame.planes[1], 2)
        return both.reshape(both.shape[0], -1, 2)
    return np.dstack([_rows(frame.planes[1]), _rows(frame.planes[2])])


def _meaning(frame: "av.VideoFrame") -> tuple[str, bool]:
    """Return the colour matrix of a frame, guessed if unknown, and whether it has full range."""
    known, full = frame.colorspace, frame.color_range == FULL or "yuvj" in frame.format.name
    hd = frame.height >= HD if known not in (BT709, *BT601) else known == BT709
    return "bt709" if hd else "bt601", full
