"""Addresses of live sources (cameras, streams, pipes and test sources) and how to open each."""

import errno
import grp
import os
import re
import select
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from wheatstone.viewer.io.footage.capture import AS_IT_COMES, Capture
from wheatstone.viewer.io.footage.media import open_media
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.reading.regular_files import UNIX_FLAGS

if TYPE_CHECKING:
    from av.container import InputContainer

TURN = 0.1  # seconds between two looks at whether the pipe is closed


def is_fifo(path: str) -> bool:
    """Return whether a path is that of a named pipe."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class Pipe:
    """A pipe that FFmpeg reads like a file, until the pipe ends or is closed.

    Args:
        path: of a named pipe, whose writer may start later; None: standard input.
        closing: set to stop reading.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: str | None, closing: threading.Event) -> None:
        self.name = path or "standard input"
        self._closing = closing
        flags = os.O_RDONLY | UNIX_FLAGS
        self._file = os.open(path, flags) if path else os.dup(sys.__stdin__.fileno())  # type: ignore[union-attr]

    def read(self, size: int) -> bytes:
        """Read up to ``size`` bytes as soon as any are available; empty at the end."""
        poll = select.poll()
        poll.register(self._file, select.POLLIN)
        while not self._closing.is_set():
            if poll.poll(TURN * 1e3):
                return os.read(self._file, size)
        return b""

    def close(self) -> None:
        """Close the pipe; repeated calls are harmless."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)


DEVICES = ("/dev/video", "/dev/v4l/")
NETWORK = ("rtsp://", "rtsps://", "tcp://", "udp://", "rtp://", "http://", "https://")
TEST = "lavfi:"
STDIN = ("-", "pipe:", "pipe:0")

OPENS, READS = 10.0, 5.0  # seconds that a stream of the network may take to open, and to go on
LISTENS = 60.0  # seconds for which an address that listens waits for whoever sends
PROTOCOLS = "tcp,udp,rtp,rtsp,http,https,tls,crypto,httpproxy,srtp"
"""Protocols that a network stream may use: a playlist from the network opens no local file."""
AT_ONCE = {"probesize": "200000", "analyzeduration": "500000"}
"""FFmpeg's options that shorten the analysis of a stream before its first frame.

Not ``nobuffer``: it drops the analysed packets, and with them the only key frame.
"""

Kind = Literal["device", "network", "test", "pipe"]


def is_live(address: str) -> bool:
    """Return whether an address given by the user is a live source, not a file."""
    return address in STDIN or address.startswith((TEST, *DEVICES, *NETWORK)) or is_fifo(address)


@dataclass(frozen=True)
class Address:
    """The address of a live source: a camera, a stream, a pipe or a test source.

    Attributes:
        text: as given by the user.
        capture: the settings that are requested from a camera.

    Raises:
        ValueError: settings are requested from a source that is not a camera.
    """

    text: str
    capture: Capture = AS_IT_COMES

    def __post_init__(self) -> None:
        if self.capture != AS_IT_COMES and self.kind != "device":
            asked = ", ".join(self.capture.words.values())
            raise ValueError(f"{self.name} is no camera that could be asked for {asked}")

    @property
    def kind(self) -> Kind:
        """Return the kind of the source: device, network, test source or pipe."""
        if self.text.startswith(DEVICES):
            return "device"
        if self.text.startswith(NETWORK):
            return "network"
        return "test" if self.text.startswith(TEST) else "pipe"

    @property
    def name(self) -> str:
        """Return the address in the form shown to the user, without user name and password."""
        if self.kind == "network":
            return label(re.sub(r"(?<=//)[^/@]*@", "", self.text))
        return "standard input" if self.text in STDIN else label(self.text)

    @property
    def word(self) -> str:
        """Return the address, with a pipe's path made absolute; empty for standard input."""
        if self.kind == "pipe":
            return "" if self.text in STDIN else os.path.abspath(self.text)
        return self.text

    @property
    def comes_once(self) -> bool:
        """Return whether the source is standard input, which cannot be opened a second time."""
        return self.kind == "pipe" and self.text in STDIN

    @property
    def patience(self) -> float:
        """Return the maximum time in seconds to wait for the source's first frame."""
        return LISTENS if self.listens else OPENS

    @property
    def listens(self) -> bool:
        """Return whether the source waits for a sender to connect, instead of connecting to it."""
        return self.kind == "network" and bool(re.search(r"[?&]listen(=[^0]|&|$)", self.text))

    @property
    def silence(self) -> str:
        """Return the probable reason why a source delivers no frame, as a clause for a message."""
        says = {"pipe": "nobody writes to it", "device": "the camera sends none"}
        return says.get(self.kind, "nobody sends any")

    @contextmanager
    def opened(self, closing: threading.Event) -> "Iterator[InputContainer]":
        """Open the source with PyAV for the ``with`` block, and yield PyAV's container.

        Args:
            closing: set to stop reading: ends a read that waits for a pipe.

        Raises:
            OSError, ValueError, Unavailable: as ``open_media``.
        """
        if self.kind == "pipe":
            pipe = Pipe(None if self.text in STDIN else self.text, closing)
            try:
                with open_media(pipe, name=self.name, options=AT_ONCE) as container:
                    yield container
            finally:
                pipe.close()
            return
        openers = {"device": self._device, "network": self._network, "test": self._test}
        with openers[self.kind]() as container:
            yield container

    def _test(self) -> "InputContainer":
        """Open an artificial test source, which sends frames in real time."""
        graph = self.text.removeprefix(TEST)
        paced = "realtime" in graph or "[out" in graph
        return open_media(graph if paced else f"{graph},realtime", name=self.name, format="lavfi")

    def _network(self) -> "InputContainer":
        """Open a network stream."""
        try:
            return self._stream()
        except (OSError, ValueError) as error:
            raise unanswered(self, error) from error

    def _stream(self) -> "InputContainer":
        """Open a network stream as FFmpeg does; RTSP with ``?listen`` waits for a sender."""
        options = {**AT_ONCE, "protocol_whitelist": PROTOCOLS}
        if not self.text.startswith("rtsp"):
            timeout = (self.patience, READS)
            return open_media(self.text, name=self.name, options=options, timeout=timeout)
        parts = urlsplit(self.text)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        query.pop("listen", "")
        if self.listens:
            options |= {"rtsp_flags": "listen", "listen_timeout": f"{LISTENS:.0f}"}
        else:
            options |= {"timeout": str(int(READS * 1e6)), "rtsp_transport": "tcp"}
        address = urlunsplit(parts._replace(query=urlencode(query)))
        return open_media(address, name=self.name, format="rtsp", options=options)

    def _device(self) -> "InputContainer":
        """Open a camera with Video4Linux, FFmpeg's input for Linux cameras."""
        check_device(self.text)
        try:
            return open_media(self.text, format="v4l2", options=self.capture.options)
        except (OSError, ValueError) as error:
            raise refused(self, error.__cause__ or error) from error


def devices() -> list[str]:
    """List the device files of cameras, in natural order."""
    names = [name for name in os.listdir("/dev") if re.fullmatch(r"video\d+", name)]
    return [f"/dev/{name}" for name in sorted(names, key=lambda name: int(name[5:]))]


def check_device(path: str) -> None:
    """Raise ``OSError`` with advice if a camera's file is missing or may not be opened."""
    if not os.path.exists(path):
        listed = devices()
        there = f"there is {', '.join(listed)}" if listed else "there is no camera"
        raise FileNotFoundError(f"{label(path)}: no such camera; {there}")
    if not os.access(path, os.R_OK | os.W_OK):
        group = group_of(path)
        mends = f"sudo usermod -aG {group} $USER, then log in again"
        raise PermissionError(f"{label(path)}: only the group {group} may open it; {mends}")


def group_of(path: str) -> str:
    """Return the name of the Unix group that owns a file."""
    number = os.stat(path).st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def unanswered(address: Address, error: Exception) -> Exception:
    """Return an error on opening a stream, replaced where FFmpeg hides the cause in its log."""
    number, name = getattr(error.__cause__, "errno", None), address.name
    if number == errno.EIO:
        host = urlsplit(address.text).hostname
        try:
            socket.getaddrinfo(host, None)
        except (OSError, ValueError) as unknown:
            return OSError(f"{name}: {host}: {getattr(unknown, 'strerror', None) or unknown}")
        return OSError(f"{error}: the server ended the connection, or sent no video")
    if type(error.__cause__).__name__ == "InvalidDataError" and address.text.startswith("rtsp"):
        return OSError(f"{name}: no RTSP answer came within {READS:.0f} s, or none that is valid")
    return error


def refused(address: Address, error: BaseException) -> Exception:
    """Convert an error on opening a camera to one that explains the cause in one line."""
    name, number = address.name, getattr(error, "errno", None)
    if number == errno.EBUSY:
        return OSError(f"{name}: another program has it; close that program")
    asked = ", ".join(address.capture.words.values())
    if number == errno.EINVAL and asked:
        advice = "`wheatstone sources` lists what it delivers"
        return ValueError(f"{name}: does not deliver {asked}; {advice}")
    if number in (errno.ENODEV, errno.ENXIO, errno.ENOTTY, errno.EINVAL):
        advice = "`wheatstone sources` lists those that are"
        return ValueError(f"{name}: no camera that delivers pictures; {advice}")
    return OSError(f"{name}: cannot be read ({label(str(error))})")
