"""Opening of video files, devices and streams with PyAV, with one-line errors for the user."""

import io
import os
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.exchange import make_current
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.io.reading.plain_text import label, one_line

if TYPE_CHECKING:
    import av
    from av.codec.hwaccel import HWAccel
    from av.container import InputContainer
    from av.video.stream import VideoStream

    from wheatstone.viewer.io.footage.address import Pipe

SUFFIXES = (
    *(".mp4", ".m4v", ".3gp", ".mkv", ".mov", ".avi", ".webm", ".mjpeg", ".mjpg"),
    *(".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".h264", ".264", ".h265", ".265", ".hevc"),
)
"""Suffixes of files that are opened as videos."""


def check_player() -> None:
    """Raise ``Unavailable`` if PyAV, which opens videos, cannot be imported."""
    try:
        import av
    except ImportError as error:
        raise Unavailable(
            f"video needs PyAV ({error}); install it with: {install_command('video')}"
        ) from error
    # Nothing is logged. At any level PyAV's own callback takes the interpreter's lock for errors:
    # a decoder that is closed meanwhile waits for its threads, and these for the lock.
    av.logging.set_level(None)


def expect_player() -> None:
    """Raise ``Unavailable`` if PyAV is not installed, without importing it."""
    if find_spec("av") is None:
        raise Unavailable(f"video needs PyAV; install it with: {install_command('video')}")


def is_video(path: str) -> bool:
    """Return whether a path has the suffix of a video file."""
    return path.lower().endswith(SUFFIXES)


def open_media(
    address: "str | Pipe",
    *,
    name: str = "",
    format: str | None = None,
    options: Mapping[str, str] | None = None,
    timeout: tuple[float, float] | None = None,
    gpu: int | None = None,
) -> "InputContainer":
    """Open a video file, a device or a stream with PyAV.

    Args:
        address: a path, or an address of FFmpeg: ``rtsp://...``, ``testsrc`` with format ``lavfi``;
            or an open file.
        name: its name in messages; empty: its address.
        format: FFmpeg's name of the container or the device; None: it is detected.
        options: FFmpeg's options of it.
        gpu: the CUDA device that decodes a file if it supports the codec; None: the CPU
            decodes.
        timeout: seconds that opening, and then each reading, of a network stream may take.

    Raises:
        FileNotFoundError, PermissionError, OSError, ValueError: it cannot be opened; one line for
            the user that names it.
        Unavailable: PyAV is not installed.
    """
    check_player()
    import av

    given = dict(options or {})
    try:
        if gpu is not None:
            make_current(gpu)
            with suppress(av.FFmpegError):
                return av.open(address, "r", options=given, hwaccel=_decoder_of(gpu))
        return av.open(address, "r", format=format, options=given, timeout=timeout)
    except (av.FFmpegError, OSError, ValueError) as error:
        called = name or (address if isinstance(address, str) else address.name)
        raise explained(called, error) from error


def _decoder_of(gpu: int) -> "HWAccel":
    """Return PyAV's hardware decoder of a GPU; frames stay in the current CUDA context.

    FFmpeg itself refuses a device's primary context that already exists with other flags.
    """
    from av.codec.hwaccel import HWAccel

    context: dict[str, object] = {"current_ctx": "1", "primary_ctx": "0"}
    return HWAccel("cuda", gpu, allow_software_fallback=True, options=context, is_hw_owned=True)


def video_stream(container: "InputContainer", address: str) -> "VideoStream":
    """Return a container's first video stream, set to decode with several threads.

    Raises:
        ValueError: there is no video stream.
    """
    if not container.streams.video:
        kinds = ", ".join(sorted({stream.type for stream in container.streams}))
        held = f"only {kinds}" if kinds else "nothing at all"
        raise ValueError(f"{label(address)}: holds no video ({held})")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"  # by slices, as by default, is slower and leaves damage unmarked
    return stream


def explained(address: str, error: Exception) -> Exception:
    """Convert an error of PyAV to an error with one line for the user that names the address."""
    import av

    name = label(address)
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"{name}: no such file or device; check the name")
    if isinstance(error, PermissionError):
        return PermissionError(f"{name}: not allowed to read it; check its permissions")
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return OSError(f"{name}: cannot be read ({os.strerror(error.errno)})")
    if isinstance(error, av.ExitError):  # FFmpeg's word for a time that is over
        return OSError(f"{name}: nothing came in time; nobody sends any")
    reason = one_line(str(getattr(error, "strerror", None) or error))
    if isinstance(error, av.HTTPError | av.HTTPClientError):
        return OSError(f"{name}: {reason}")
    return ValueError(f"{name}: not a video that can be read ({reason})")


def rgb_of(frame: "av.VideoFrame") -> Any:
    """Convert a decoded frame to (H, W, 3) uint8 RGB, or (H, W) if it is grey.

    The conversion is FFmpeg's, with the colour range and matrix given in the frame.
    """
    return frame.to_ndarray(format="gray" if frame.format.name == "gray" else "rgb24")


class SteadyFile(io.FileIO):
    """A file that stores write errors until ``check`` raises them.

    PyAV would print a raised error with a traceback, at each write.
    """

    _failed: OSError | None = None
    size = 0
    """Number of bytes written."""

    def write(self, encoded: Any) -> int:
        """Write all bytes to the file, or store the error."""
        rest = memoryview(encoded)
        try:
            while rest:
                rest = rest[super().write(rest) :]
                self.size = max(self.size, self.tell())
        except OSError as error:
            self._failed = self._failed or error
        return len(encoded)

    def check(self) -> None:
        """Raise the stored error of writing the file, if there is one."""
        if self._failed:
            raise self._failed
