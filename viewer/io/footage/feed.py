"""The feed of a live source: the newest pictures of one device, or of a pair of devices."""

import threading
import time
from collections import deque
from collections.abc import Sequence
from functools import partial

from wheatstone.viewer.io.footage.address import Address
from wheatstone.viewer.io.footage.counters import Counters
from wheatstone.viewer.io.footage.pairing import LARGEST_SKEW, Mailbox, Pairing, Shot, ShotPictures
from wheatstone.viewer.io.footage.reader import Reader, Taker
from wheatstone.viewer.io.reading.plain_text import label

KEPT = 8
"""Number of last pictures that can be shown again."""
USUAL_RATE = 30.0  # frames a second of a source that does not say
RATED = 61  # frames that came last, of which the rate is told
SILENT = 1.0  # seconds without a frame after which none come
LOOKS = 0.1  # seconds between two looks at whether the readers gave up


class Feed:
    """A feed that returns the newest pictures of one device or a pair of devices, numbered.

    Pictures are numbered when they are taken from the feed; pictures that are not taken in time
    are replaced by newer ones.

    Attributes:
        readers: of the devices.
        age_taken: seconds from the exposure of the last pictures until they were taken from the
            feed.
    """

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._mailbox, self._pairing = Mailbox[ShotPictures](), Pairing()
        self._taken, self._shown, self._newest_shown = 0, 0, -1
        self.age_taken = 0.0
        self._received, self._came = 0, deque[float](maxlen=RATED)
        self._seen: ShotPictures | None = None  # shown last
        self._recent: dict[int, ShotPictures] = {}
        self._lock = threading.Lock()
        self._takers: tuple[Taker, ...] = tuple(partial(self._take_side, n) for n in (0, 1))
        if len(addresses) == 1:
            self._takers = (lambda shot: self._put(ShotPictures((shot,))),)
        both = zip(addresses, self._takers, strict=True)
        self.readers: tuple[Reader, ...] = tuple(borrow(*each) for each in both)

    def _take_side(self, side: int, shot: Shot) -> None:
        if pair := self._pairing.add(side, shot):
            self._put(pair)

    def _put(self, pictures: ShotPictures) -> None:
        self._received += 1
        self._came.append(time.monotonic())
        self._mailbox.put(pictures)

    def first(self) -> ShotPictures:
        """Wait for the first pictures and return them; raise an error if none arrive in time.

        Raises:
            OSError, ValueError, Unavailable: a device cannot be opened, or sends nothing.
        """
        patience = max(reader.address.patience for reader in self.readers)
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if pictures := self.take(LOOKS):
                return pictures
            for reader in self.readers:
                if reader.error:
                    raise reader.error
        silent = [reader for reader in self.readers if not reader.received]
        if not silent:
            raise ValueError("the two devices never took a frame at one time")
        address = silent[0].address
        raise OSError(f"{address.name}: no frame within {patience:.0f} s; {address.silence}")

    def take(self, timeout: float = 0.0) -> ShotPictures | None:
        """Return the newest pictures not taken yet; wait for them up to ``timeout`` seconds."""
        pictures = self._mailbox.take(timeout)
        if pictures:
            self.age_taken = time.monotonic() - min(shot.time for shot in pictures.shots)
            with self._lock:
                self._recent[self._taken] = pictures
                self._recent.pop(self._taken - KEPT, None)
                self._taken += 1
        return pictures

    @property
    def newest(self) -> int:
        """Return the index of the newest frame that has arrived, counted from the start."""
        return self._taken - 1 + self._mailbox.full

    @property
    def oldest(self) -> int:
        """Return the index of the oldest frame that is still stored, counted from the start."""
        return max(self._taken - KEPT, 0)

    @property
    def rate(self) -> float:
        """Return the frames per second that arrive, measured by this machine's clock."""
        came = tuple(self._came)
        if len(came) > 1 and came[-1] > came[0] and time.monotonic() - came[-1] < SILENT:
            return (len(came) - 1) / (came[-1] - came[0])
        return 0.0

    @property
    def promised(self) -> float:
        """Return the frames per second that the devices claim to send."""
        return min((reader.rate for reader in self.readers), default=0.0) or USUAL_RATE

    @property
    def state(self) -> str:
        """Return the worst state of all devices: ``lost``, ``opening``, ``stalled`` or ``live``."""
        states = [reader.state for reader in self.readers]
        return next(s for s in ("lost", "opening", "stalled", "live") if s in states)

    @property
    def ended(self) -> bool:
        """Return whether no more pictures can arrive; those that arrived can still be taken."""
        return any(reader.ended for reader in self.readers)

    @property
    def alarm(self) -> str:
        """Return a warning that the pictures shown may be wrong or old; empty if they are not."""
        called = ("source",) if len(self.readers) == 1 else ("left source", "right source")
        alarms = zip(called, (reader.alarm for reader in self.readers), strict=True)
        if wrong := [f"{name}: {alarm}" for name, alarm in alarms if alarm]:
            return "; ".join(wrong)
        skew = self._seen.skew if self._seen else None
        if skew is not None and abs(skew) > LARGEST_SKEW:
            return f"left and right {abs(skew):.1f} ms apart: what moves is wrong"
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """List notes on the settings of the devices, for the user."""
        return tuple(note for reader in self.readers for note in reader.notes)

    @property
    def name(self) -> str:
        """Return the names of the devices of the live source."""
        return " | ".join(label(reader.address.name) for reader in self.readers)

    @property
    def counters(self) -> Counters:
        """Return the counts of frames received, lost, damaged, replaced and shown."""
        seen = self._seen
        return Counters(
            self._received,
            sum(reader.lost for reader in self.readers),
            sum(reader.damaged for reader in self.readers),
            self._pairing.unpaired,
            self._mailbox.replaced,
            self._shown,
            self.rate,
            time.monotonic() - min(shot.time for shot in seen.shots) if seen else None,
            seen.skew if seen else None,
        )

    def note_shown(self, number: int) -> None:
        """Record that the pictures with a given number are on the screen."""
        self._seen = self._recent.get(number, self._seen)
        if number > self._newest_shown:
            self._newest_shown = number
            self._shown += 1

    def close(self) -> None:
        """Stop reading from the devices of the live source."""
        for reader, taker in zip(self.readers, self._takers, strict=True):
            give_back(reader, taker)


_running: dict[Address, Reader] = {}
"""One reader per device, for all users of its frames: a camera can be opened only once, and data
read from a pipe is gone. A source that is opened again, for example in another layout, uses it."""
_lock = threading.Lock()


def borrow(address: Address, take: Taker) -> Reader:
    """Register a callback for the frames of a device; start a reader if none is running.

    Args:
        address: of the device.
        take: called in the reader's thread with every frame, and immediately with the newest;
            must not wait.
    """
    with _lock:
        reader = _running.get(address)
        if reader is None or (reader.error and not reader.received):
            reader = _running[address] = Reader(address)
            reader.takers = (take,)
            reader.start()
        else:
            if reader.newest:
                take(reader.newest)
            reader.decodes = True
            reader.takers += (take,)
        return reader


def give_back(reader: Reader, take: Taker) -> None:
    """Unregister a callback from a reader of frames; close the reader if no other remains."""
    with _lock:
        reader.takers = tuple(taker for taker in reader.takers if taker is not take)
        if reader.takers:
            return
        if _running.get(reader.address) is reader:
            del _running[reader.address]
    reader.close()
