"""The state of one viewer: frames sent and acknowledged, requested codec and size."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from wheatstone.viewer.window.serving.pictures import Encoded, ServedPicture

WINDOW = 2  # frames that a viewer may have on the way: more would only add delay
COUNTED = 2.0  # seconds over which frames are counted
JUDGED = 20_000  # bytes of a frame from which on it tells how fast the link is
SLOW_LINK = 20e6  # bits a second below which H.264 pays

Send = Callable[[bytes | str], None]


@dataclass(frozen=True)
class _Sent:
    """The time and size of a frame that was sent but not acknowledged."""

    at: float
    size: int  # in bytes


@dataclass(frozen=True)
class Resized:
    """A new window size of the viewer in control, in pixels, with the scale of its screen.

    Attributes:
        touch: whether fingers work it, not mouse and keys.
    """

    width: int
    height: int
    scale: float
    touch: bool = False


@dataclass(eq=False)
class Viewer:
    """A browser or another client that receives the window's pictures.

    Attributes:
        name: its name on both sides.
        send: sends bytes or text to it; may be called from any thread.
        visible: whether its page is visible.
        codec: the requested codec, or ``auto``.
        size: of its page; None until it sends it.
        number: of its last input that the program has processed.
        shown: the picture sent last.
        exact: the picture sent last without loss.
        whole: whether the next frame must be decodable alone.
        streamed: the stream, and the number of its last picture sent to it; None before.
    """

    name: str
    send: Send
    visible: bool = True
    codec: str = "auto"
    size: Resized | None = None
    number: int = 0
    shown: object = None
    exact: object = None
    whole: bool = True
    streamed: tuple[object, int] | None = None
    _frames: int = 0
    _sent: dict[int, _Sent] = field(default_factory=dict)
    _acknowledged: deque[float] = field(default_factory=lambda: deque(maxlen=240))
    _delays: deque[float] = field(default_factory=lambda: deque(maxlen=30))
    _rates: deque[float] = field(default_factory=lambda: deque(maxlen=9))

    @property
    def ready(self) -> bool:
        """Return whether another frame may be sent to this viewer now."""
        return self.visible and len(self._sent) < WINDOW

    @property
    def rate(self) -> float:
        """Return the number of frames per second that the viewer has acknowledged."""
        now = time.perf_counter()
        return sum(now - at < COUNTED for at in list(self._acknowledged)) / COUNTED

    @property
    def delay(self) -> float:
        """Return the median delay, in seconds, from sending a frame until the browser draws it."""
        delays = sorted(self._delays)
        return delays[len(delays) // 2] if delays else 0.0

    @property
    def slow(self) -> bool:
        """Return whether the viewer's connection is slow, by the data rates of its last frames."""
        rates = sorted(self._rates)
        return len(rates) == self._rates.maxlen and rates[len(rates) // 2] < SLOW_LINK

    def give(self, encoded: Encoded, picture: ServedPicture) -> None:
        """Send an encoded picture, with the number of this viewer's last input that it shows."""
        self._frames = (self._frames + 1) % 2**32
        now = time.perf_counter()
        seen = picture.seen.get(self.name, 0)
        framed = encoded.framed(self._frames, seen, (now - picture.begun) * 1e3)
        self._sent[self._frames] = _Sent(now, len(framed))
        self.send(framed)

    def acknowledge(self, number: int) -> None:
        """Record that the browser drew a frame; unknown frame numbers are ignored."""
        sent = self._sent.pop(number, None)
        if not sent:
            return
        now = time.perf_counter()
        self._acknowledged.append(now)
        self._delays.append(now - sent.at)
        if sent.size >= JUDGED:
            self._rates.append(sent.size * 8 / max(now - sent.at, 1e-6))
