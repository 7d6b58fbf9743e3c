"""H.264 encoding for browsers without delay: each picture results in one chunk of data."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.viewer.io.files.film import even
from wheatstone.viewer.io.footage.media import check_player
from wheatstone.viewer.window.serving.pictures import KEY, Encoded

LARGEST = 8704  # blocks of 16x16 pixels that decoders of level 4.2 take
FOREVER = 10**6  # pictures from one key frame to the next, but for those that are asked for
ENCODERS = {
    "h264_nvenc": {"preset": "p1", "tune": "ull", "rc": "constqp", "qp": "23", "delay": "0"},
    "libx264": {"preset": "ultrafast", "tune": "zerolatency", "crf": "23", "profile": "baseline"},
}
"""FFmpeg's encoders with their options; the first that opens is used."""


def why_no_h264() -> str:
    """Return the reason why this machine cannot encode H.264; empty if it can."""
    try:
        check_player()
        Stream(64, 64)
    except Unavailable as error:
        return str(error)
    return ""


def fits(width: int, height: int) -> bool:
    """Return whether a picture size, in pixels, is within H.264 level 4.2."""
    return -(-width // 16) * -(-height // 16) <= LARGEST


class Stream:
    """An H.264 stream of pictures of one size, encoded as differences to the previous one.

    Attributes:
        number: of the picture encoded last, from 1.

    Raises:
        Unavailable: no encoder opens.
    """

    def __init__(self, width: int, height: int) -> None:
        self.size, self.number = (width, height), 0
        self._encoder = _opened(width + width % 2, height + height % 2)

    def encode(self, pixels: NDArray[np.uint8], *, key: bool) -> Encoded:
        """Encode the next picture of the H.264 stream.

        Args:
            pixels: (H, W, 3) BGR, top row first, of the stream's size.
            key: whether to encode a key frame, which needs no picture before; the first always is.

        Raises:
            Unavailable: the encoder fails.
        """
        import av
        from av.video.frame import PictureType

        frame = av.VideoFrame.from_ndarray(even(pixels), "bgr24").reformat(format="yuv420p")
        frame.pts = self.number
        frame.pict_type = PictureType.I if key else PictureType.NONE
        try:
            packets = self._encoder.encode(frame)
        except av.FFmpegError as error:
            raise Unavailable(f"H.264 cannot be encoded: {error}") from error
        self.number += 1
        whole = any(packet.is_keyframe for packet in packets)
        content = b"".join(bytes(packet) for packet in packets)
        return Encoded("h264", KEY if whole else 0, *self.size, content)


def _opened(width: int, height: int) -> Any:
    """Open the first usable H.264 encoder, which may be one on the GPU.

    Only opening shows whether the GPU has an encoder.
    """
    import av

    failures = []
    for name, options in ENCODERS.items():
        try:
            encoder: Any = av.CodecContext.create(name, "w")
            encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
            encoder.time_base, encoder.framerate = Fraction(1, 60), Fraction(60)
            encoder.gop_size, encoder.max_b_frames = FOREVER, 0
            encoder.options = {**options, "forced-idr": "1"}
            encoder.open()
        except (av.FFmpegError, ValueError) as error:
            failures.append(f"{name}: {error}")
        else:
            return encoder
    raise Unavailable(f"no H.264 encoder can be opened ({'; '.join(failures)})")
