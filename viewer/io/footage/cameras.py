"""Listing of this machine's cameras, with the formats, sizes and rates of each.

Video4Linux is queried by ``ioctl`` with numbers and structures of the kernel's ``videodev2.h``.
"""

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from wheatstone.viewer.io.footage.address import check_device, devices
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.reading.regular_files import UNIX_FLAGS

MOST = 200  # entries of a list that are asked for; a driver may have no end of them
CAPTURES, OWN_CAPABILITIES = 0x1, 0x80000000  # bits of the capabilities
DISCRETE = 1  # sizes and rates that are listed, not a range of them
CAPABILITY = struct.Struct("=16s32s32sII I12x")  # driver, card, bus, version, all, of this file
FORMAT = struct.Struct("=III32s4sI12x")  # index, type, flags, description, code, bus code
SIZE = struct.Struct("=I4sI6I8x")  # index, code, type, least and most width, step, height likewise
INTERVAL = struct.Struct("=I4sIII6I8x")  # index, code, width, height, type, fractions
QUERY_CAPABILITY, LIST_FORMATS, LIST_SIZES, LIST_INTERVALS = (
    direction << 30 | layout.size << 16 | ord("V") << 8 | number
    for direction, layout, number in (
        (2, CAPABILITY, 0),
        (3, FORMAT, 2),
        (3, SIZE, 74),
        (3, INTERVAL, 75),
    )
)
NAMES = {
    b"YUYV": "yuyv422",
    b"UYVY": "uyvy422",
    b"MJPG": "mjpeg",
    b"JPEG": "mjpeg",
    b"H264": "h264",
    b"HEVC": "hevc",
    b"GREY": "gray",
    b"Y16 ": "gray16le",
    b"NV12": "nv12",
    b"YU12": "yuv420p",
    b"RGB3": "rgb24",
    b"BGR3": "bgr24",
}
"""FFmpeg's names of formats, as for ``--input-format``, by Video4Linux's code."""

Ask = Callable[[int, bytes], bytes]
"""Queries a driver with the number of a request and its structure; returns the answer.

Raises ``OSError`` if the driver refuses: with EINVAL at the end of a list.
"""


@dataclass(frozen=True)
class Mode:
    """A picture format and a frame size that a camera delivers, with its frame rates.

    Attributes:
        format: as for ``--input-format``.
        size: ``WxH`` in pixels, or a range of them.
        rates: frames per second, the fastest first; empty if the driver does not list them.
    """

    format: str
    size: str
    rates: tuple[float, ...]


@dataclass(frozen=True)
class CameraDevice:
    """A camera as described by its driver.

    Attributes:
        why_not: the reason why it cannot be used; empty if it can.
    """

    path: str
    name: str
    modes: tuple[Mode, ...] = ()
    why_not: str = ""

    @property
    def title(self) -> str:
        """Return the camera's name and its file."""
        return f"{self.name or 'camera'} ({self.path})"


def cameras() -> list[CameraDevice]:
    """List the cameras of this machine, without other Video4Linux devices."""
    listed = (_camera(path) for path in devices())
    return [camera for camera in listed if camera]


def listed_cameras() -> tuple[CameraDevice, ...]:
    """List the cameras; empty if the system does not allow listing them."""
    with suppress(OSError):
        return tuple(cameras())
    return ()


def _camera(path: str) -> CameraDevice | None:
    """Return the camera of a device file with its modes; None if it is not a camera."""
    from fcntl import ioctl

    try:
        check_device(path)
        file = os.open(path, os.O_RDWR | UNIX_FLAGS)
    except OSError as error:
        why = str(error).removeprefix(f"{path}: ") if error.errno is None else error.strerror
        return CameraDevice(path, "", why_not=why or "cannot be opened")
    try:
        return camera_of(path, lambda request, argument: ioctl(file, request, argument))
    except OSError:
        return None
    finally:
        os.close(file)


def camera_of(path: str, ask: Ask) -> CameraDevice | None:
    """Query a driver for its camera's modes; None if the device does not capture pictures.

    Args:
        path: of the camera's file.
        ask: queries the driver.

    Raises:
        OSError: it is not a Video4Linux driver.
    """
    answer = CAPABILITY.unpack(ask(QUERY_CAPABILITY, bytes(CAPABILITY.size)))
    _, card, _, _, capabilities, own = answer
    if not (own if capabilities & OWN_CAPABILITIES else capabilities) & CAPTURES:
        return None
    formats = _answers(ask, LIST_FORMATS, FORMAT, CAPTURES, 0, b"", b"", 0)
    modes = tuple(mode for answer in formats for mode in _modes(ask, answer[4]))
    return CameraDevice(path, label(_text(card)), modes)


def _answers(
    ask: Ask, request: int, layout: struct.Struct, *rest: object
) -> Iterator[tuple[Any, ...]]:
    """Yield the entries of a driver's list, until the driver refuses one."""
    with suppress(OSError):
        for index in range(MOST):
            yield layout.unpack(ask(request, layout.pack(index, *rest)))


def _modes(ask: Ask, code: bytes) -> Iterator[Mode]:
    name = NAMES.get(code, label(_text(code)))
    for _, _, kind, *numbers in _answers(ask, LIST_SIZES, SIZE, code, *[0] * 7):
        if kind != DISCRETE:
            least, most, _, low, high, _ = numbers
            yield Mode(name, f"{least}x{low} to {most}x{high}", ())
            return
        width, height = numbers[:2]
        yield Mode(name, f"{width}x{height}", tuple(_rates(ask, code, width, height)))


def _rates(ask: Ask, code: bytes, width: int, height: int) -> Iterator[float]:
    sizes = code, width, height, *[0] * 7
    for _, _, _, _, kind, seconds, parts, *_ in _answers(ask, LIST_INTERVALS, INTERVAL, *sizes):
        if kind != DISCRETE or not seconds:
            return
        yield parts / seconds


def _text(raw: bytes) -> str:
    return raw.split(b"\0")[0].decode("utf-8", "replace").strip()
