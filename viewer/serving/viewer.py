"""One who looks: what was sent, what was acknowledged, what is wanted."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from wheatstone.viewer.serving.pictures import Encoded, ServedPicture

WINDOW = 2  # frames that a viewer may have on the way: more would only add delay
COUNTED = 2.0  # seconds over which frames are counted
JUDGED = 20_000  # bytes of a frame from which on it tells how fast the link is
SLOW_LINK = 20e6  # bits a second below which H.264 pays

Send = Callable[[bytes | str], None]


@dataclass(frozen=True)
class _Sent:
    """A frame on its way.

    Attributes:
        size: in bytes.
    """

    at: float
    size: int


@dataclass(eq=False)
class Viewer:
    """A browser that looks on, or a program in its place.

    Attributes:
        name: what both sides call it by.
        send: hands bytes or text to it; may be called from any thread.
        dismiss: closes its page, with a reason; may be called from any thread.
        visible: whether its page is seen.
        codec: what it asks for, a codec or ``auto``.
        size: width, height and scale that it has room for; None until it says.
        number: of its last input that the program has taken.
        shown: the picture sent last.
        exact: the picture sent last without loss.
        whole: whether the next frame must need none before it.
        streamed: the stream, and the number of its picture that it got last; None before.
    """

    name: str
    send: Send
    dismiss: Callable[[str], None]
    visible: bool = True
    codec: str = "auto"
    size: tuple[int, int, float] | None = None
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
        """Tell whether another frame may be sent."""
        return self.visible and len(self._sent) < WINDOW

    @property
    def rate(self) -> float:
        """Count the frames shown a second."""
        now = time.perf_counter()
        return sum(now - at < COUNTED for at in list(self._acknowledged)) / COUNTED

    @property
    def delay(self) -> float:
        """Tell the seconds from sending a frame until it was drawn, the median of the last ones."""
        delays = sorted(self._delays)
        return delays[len(delays) // 2] if delays else 0.0

    @property
    def slow(self) -> bool:
        """Tell whether frames show that the link is slow."""
        rates = sorted(self._rates)
        return len(rates) == self._rates.maxlen and rates[len(rates) // 2] < SLOW_LINK

    def give(self, encoded: Encoded, picture: ServedPicture) -> None:
        """Send a frame, with what of this viewer's input its picture includes."""
        self._frames = (self._frames + 1) % 2**32
        now = time.perf_counter()
        seen = picture.seen.get(self.name, 0)
        framed = encoded.framed(self._frames, seen, (now - picture.begun) * 1e3)
        self._sent[self._frames] = _Sent(now, len(framed))
        self.send(framed)

    def acknowledge(self, number: int) -> None:
        """Note that a frame was drawn; numbers that mean none are nothing."""
        sent = self._sent.pop(number, None)
        if not sent:
            return
        now = time.perf_counter()
        self._acknowledged.append(now)
        self._delays.append(now - sent.at)
        if sent.size >= JUDGED:
            self._rates.append(sent.size * 8 / max(now - sent.at, 1e-6))
