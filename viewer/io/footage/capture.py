"""Settings requested from a camera, and comparison with the settings that it delivers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING

from wheatstone.viewer.io.reading.plain_text import label

if TYPE_CHECKING:
    from av.video.stream import VideoStream

FFMPEG = {"frame_rate": "framerate"}
"""FFmpeg's names of settings, where they differ."""
LARGEST_VIDEO = 16384  # pixels; columns or rows
FASTEST = 10_000  # frames a second
_FORMAT = re.compile(r"[A-Za-z0-9_]{1,20}")


@dataclass(frozen=True)
class Capture:
    """The settings requested from a camera; a setting of None is the camera's default.

    Raises:
        ValueError: a setting is impossible.

    Attributes:
        video_size: ``WxH``, of the complete picture, in pixels.
        frame_rate: frames per second.
        input_format: FFmpeg's name of a pixel format or a codec, such as ``mjpeg``.
    """

    video_size: str | None = None
    frame_rate: float | None = None
    input_format: str | None = None

    def __post_init__(self) -> None:
        if self.video_size is not None:
            sides = self.video_size.split("x")
            whole = len(sides) == 2 and all(s.isdecimal() and len(s) < 6 for s in sides)
            if not whole or not all(1 <= int(side) <= LARGEST_VIDEO for side in sides):
                raise ValueError(f"video size is WxH, such as 1280x720 (got {self.video_size!r})")
        if self.frame_rate is not None and not 0 < self.frame_rate <= FASTEST:
            got = f"(got {self.frame_rate})"
            raise ValueError(f"frame rate must be above 0 and at most {FASTEST} {got}")
        if self.input_format is not None and not _FORMAT.fullmatch(self.input_format):
            got = f"(got {self.input_format!r})"
            raise ValueError(f"input format is a name, such as mjpeg or yuyv422 {got}")

    @property
    def words(self) -> Mapping[str, str]:
        """Return the requested camera settings as a mapping from name to text."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: _plain(value) for name, value in values if value is not None}

    @property
    def options(self) -> dict[str, str]:
        """Return the requested settings as options of FFmpeg, by FFmpeg's names."""
        return {FFMPEG.get(name, name): word for name, word in self.words.items()}

    def note(self, name: str, stream: "VideoStream") -> str:
        """Return a note on requested settings that the camera does not deliver, or empty."""
        granted = Granted.of(stream)
        wrong = {
            "video_size": self.video_size not in (None, granted.size),
            "frame_rate": bool(self.frame_rate) and not _near(self.frame_rate, granted.rate),
            "input_format": self.input_format not in (None, granted.format, granted.codec),
        }
        asked = ", ".join(word for name, word in self.words.items() if wrong[name])
        return f"{label(name)} delivers {granted}, not {asked} as asked" if asked else ""


AS_IT_COMES = Capture()


@dataclass(frozen=True)
class Granted:
    """The size, rate, format and codec that a camera or a stream delivers."""

    size: str
    rate: float
    format: str
    codec: str

    @classmethod
    def of(cls, stream: "VideoStream") -> "Granted":
        """Return the settings that an open stream delivers; the rate is 0 if it is not known."""
        coded = stream.codec_context
        rate = stream.average_rate or stream.guessed_rate or Fraction(0)
        size = f"{coded.width}x{coded.height}"
        return cls(size, float(rate), str(coded.pix_fmt or ""), str(coded.name))

    def __str__(self) -> str:
        rate = f" at {self.rate:.4g} fps" if self.rate else ""
        return f"{self.size}{rate}, {self.codec}"


def _near(asked: float | None, granted: float) -> bool:
    return asked is None or abs(asked - granted) < 0.01 * asked


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
