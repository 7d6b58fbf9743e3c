"""The reader of a live source: a thread that reads continuously, so that frames are current."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from wheatstone.gpu import Unavailable
from wheatstone.viewer.io.footage.address import Address
from wheatstone.viewer.io.footage.capture import Granted
from wheatstone.viewer.io.footage.counters import ArrivalClock, Gaps, in_words
from wheatstone.viewer.io.footage.gpu_decoding import view_of_frame
from wheatstone.viewer.io.footage.media import video_stream
from wheatstone.viewer.io.footage.pairing import Shot
from wheatstone.viewer.io.reading.plain_text import one_line

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0  # seconds before a source that was lost is opened again
STALLED = 1.0  # seconds without a frame, or ten periods, after which a source is said to stall
PATIENCE = 0.5  # seconds to wait for the thread's end; a camera may hold it for ever
LONGEST_GROUP = 300  # packets in which a key frame is waited for; after them all are decoded
IN_FLIGHT = 64  # packets whose time of arrival is kept until they are decoded
THREADS = 2  # that decode frames beside each other; each holds one back
MOST_PIXELS = 2 * 8192 * 8192  # of a picture; what is larger is not decoded
ENDED = "the stream ended"
KNOWN = (OSError, ValueError, Unavailable)  # with a line for the user

State = Literal["opening", "live", "stalled", "lost"]
Taker = Callable[[Shot], None]
Listener = Callable[["Packet[VideoStream]", "VideoStream"], None]


class Reader:
    """A reader of one live source in a thread, which opens a lost source again.

    Attributes:
        address: of the source.
        takers: called in the reader's thread with every frame; they must not wait.
        listeners: called in the reader's thread with every packet and its stream, after it was
            decoded: they may keep and change it. Another stream means that the source was opened
            again. Their exceptions are ignored, and they have to report them themselves.
        error: why it could not be opened or delivered no frame; None if there is no error.
        why: why it was lost last, as text.
        notes: the settings that it delivers; complete once there is a frame.
        rate: frames per second that it declares; 0: unknown.
        newest: the last frame; None before the first.
        received, damaged: number of frames, and of those that could not be decoded completely.
        decodes: whether packets are decoded; if not, they are only read and passed to listeners.
        ended: whether no more frames can arrive; then all frames were passed on.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.takers: tuple[Taker, ...] = ()
        self.listeners: tuple[Listener, ...] = ()
        self.error: Exception | None = None
        self.why, self.rate = "", 0.0
        self.notes: tuple[str, ...] = ()
        self.newest: Shot | None = None
        self.received = self.damaged = 0
        self.ended, self.decodes = False, True
        self._skipped = 0  # packets in search of a key frame
        self._marks_keys = False  # packets say whether they are key frames
        self._gaps, self._clock, self._lost_before = Gaps(), ArrivalClock(), 0
        self._arrived: dict[int, float] = {}  # by time stamp
        self._came, self._again, self._lost = 0.0, 0.0, False
        self._size: tuple[int, int] | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Start the thread that reads the live source."""
        self._thread.start()

    @property
    def state(self) -> State:
        """Return the state of the source: ``opening``, ``live``, ``stalled`` or ``lost``."""
        if not self.received:
            return "lost" if self.error else "opening"
        if self._lost:
            return "lost"
        return "stalled" if self.silent > max(STALLED, 10 * self._gaps.period) else "live"

    @property
    def silent(self) -> float:
        """Return the seconds since the last frame arrived; 0 before the first."""
        return time.monotonic() - self._came if self.received else 0.0

    @property
    def lost(self) -> int:
        """Return the number of lost frames, according to gaps in time stamps."""
        return self._lost_before + self._gaps.lost

    @property
    def alarm(self) -> str:
        """Return why no frames arrive from the live source; empty while they arrive."""
        state, since = self.state, in_words(self.silent)
        if self.ended:
            return f"ended {since} ago" + ("" if self.why == ENDED else f" ({self.why})")
        if state == "lost":
            again = max(self._again - time.monotonic(), 0.0)
            when = f"opened again in {again:.1f} s" if again else "being opened again"
            return f"lost {since} ago ({self.why}), {when}"
        return f"no frame for {since}" if state == "stalled" else ""

    def close(self) -> None:
        """Stop reading; wait at most ``PATIENCE`` seconds, since a device may block the thread."""
        self._closing.set()
        if self._thread is not threading.current_thread():
            self._thread.join(PATIENCE)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._closing.is_set():
            before = self.received
            self._try()
            if not self.received:
                nothing = ValueError(f"{self.address.name}: holds no frame that can be decoded")
                self.error = self.error or nothing
                return
            if self.address.comes_once:
                self._lost = self.ended = True
                return
            pause = FIRST_PAUSE if self.received > before else min(2 * pause, LONGEST_PAUSE)
            self._lost, self._again = True, time.monotonic() + pause
            self._closing.wait(pause)

    def _try(self) -> None:
        """Read the source until it ends or fails, and record why it stopped."""
        try:
            self._read()
            self.why = ENDED
        except Exception as error:  # whatever breaks here, the window stays
            self.why = one_line(error).removeprefix(f"{self.address.name}: ")
            self.error = error if isinstance(error, KNOWN) else ValueError(self.why)

    def _read(self) -> None:
        """Open the source and read it until it ends or the reader is closed."""
        with self.address.opened(self._closing) as container:
            stream = video_stream(container, self.address.name)
            self._begin(stream)
            for packet in self._packets(container, stream):
                self._arrive(packet)
                if self._is_to_decode(packet, stream):
                    self._decode(packet, stream)
                if not packet.size:
                    continue  # the last one, which holds nothing: what the decoder held back came
                for listener in self.listeners:
                    with suppress(Exception):
                        listener(packet, stream)

    def _packets(
        self, container: "InputContainer", stream: "VideoStream"
    ) -> "Iterator[Packet[VideoStream]]":
        """Yield a stream's packets as they arrive; raise an error if the stream fails."""
        from av import FFmpegError

        from wheatstone.viewer.io.footage.media import explained

        try:
            for packet in container.demux(stream):
                if self._closing.is_set():
                    return
                yield packet
        except FFmpegError as error:
            raise explained(self.address.name, error) from error

    def _begin(self, stream: "VideoStream") -> None:
        """Record the settings that a stream delivers, and set up its decoder for a low delay."""
        granted = Granted.of(stream)
        coded = stream.codec_context
        if coded.codec.intra_only:
            stream.thread_type = "SLICE"
        else:
            coded.thread_count = THREADS
        coded.options = {"max_pixels": str(MOST_PIXELS)}
        self.rate = granted.rate
        note = self.address.capture.note(self.address.name, stream)
        self.notes = (note or f"{self.address.name}: {granted}",)
        self._lost_before, self._gaps = self.lost, Gaps(granted.rate)
        self._clock = ArrivalClock()
        self._arrived.clear()

    def _arrive(self, packet: "Packet[VideoStream]") -> None:
        if packet.pts is not None:
            self._arrived[packet.pts] = time.monotonic()
            while len(self._arrived) > IN_FLIGHT:
                self._arrived.pop(next(iter(self._arrived)))

    def _is_to_decode(self, packet: "Packet[VideoStream]", stream: "VideoStream") -> bool:
        """Return whether a packet must be decoded; after skipped ones, decoding needs a key frame.

        Standard input is always decoded: it may have a single key frame.
        """
        self._marks_keys = self._marks_keys or packet.is_keyframe
        if self.address.comes_once or (self.decodes and not self._skipped):
            return True
        self._skipped += 1
        if not self.decodes:
            self._skipped = 1
        elif packet.is_keyframe or not self._marks_keys or self._skipped > LONGEST_GROUP:
            self._skipped = 0
            stream.codec_context.flush_buffers()
            self._gaps.skip()
        return not self._skipped

    def _decode(self, packet: "Packet[VideoStream]", stream: "VideoStream") -> None:
        """Decode a packet and pass its frames to all receivers; count damaged packets."""
        from av import FFmpegError

        try:
            frames: list[Any] = stream.decode(packet)
        except FFmpegError:
            self.damaged += 1
            return
        for frame in frames:
            self._hand_on(frame)

    def _hand_on(self, frame: "VideoFrame") -> None:
        """Pass a frame, with the time at which it was taken, to all receivers.

        Raises:
            ValueError: its size differs from that of the first frame.
        """
        now, size = time.monotonic(), (frame.width, frame.height)
        self._size = self._size or size
        if size != self._size:
            was, now_size = (f"{width}x{height}" for width, height in (self._size, size))
            raise ValueError(f"it delivers {now_size} now, not {was}: open it again")
        self.damaged += bool(frame.is_corrupt)
        taken = self._taken(frame, now)
        self._came, self._lost = now, False
        self.received += 1
        self.newest = shot = Shot(view_of_frame(frame), taken, self._gaps.period)
        for take in self.takers:
            take(shot)

    def _taken(self, frame: "VideoFrame", now: float) -> float:
        """Return the time at which a frame was taken, in seconds of ``time.monotonic``."""
        if frame.pts is None or frame.time_base is None:
            return now
        stamp, came = float(frame.pts * frame.time_base), self._arrived.pop(frame.pts, now)
        self._gaps.add(stamp)
        taken = self._clock.taken(stamp, came)
        if self.address.kind == "device" and 0 <= came - stamp < STALLED:
            return stamp  # Video4Linux stamps frames by that clock
        return taken
