"""Statistics of a live source: frame counts, lost frames and arrival times."""

from collections import deque
from dataclasses import dataclass
from statistics import median

KNOWN = 31  # distances of time stamps of which the median is the period
LONG_GAP = 10.0  # seconds; a longer one is a clock that was set again, not frames that were lost
LOOKS_BACK = 30.0  # seconds after which the quickest frame is found again


@dataclass(frozen=True)
class Counters:
    """Counts of the frames of a live source since it was opened.

    Attributes:
        received: decoded, or for two devices, paired.
        lost: that never arrived, according to gaps in time stamps.
        damaged: that arrived and could not be decoded completely.
        unpaired: of one of two devices, without a frame of the same time from the other.
        replaced: received and never shown, because a newer one arrived.
        shown: that were on the screen.
        rate: frames per second that arrive, by the clock of this machine.
        age: estimated seconds since the frame shown was taken; None before the first.
        skew: milliseconds between the two views of the frame shown; None for a single device.
    """

    received: int = 0
    lost: int = 0
    damaged: int = 0
    unpaired: int = 0
    replaced: int = 0
    shown: int = 0
    rate: float = 0.0
    age: float | None = None
    skew: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Format the counts with their names; omit damaged, unpaired, age and skew if 0 or None."""
        texts = [f"received {self.received:,}", f"lost {self.lost:,}"]
        texts += [f"damaged {self.damaged:,}"] if self.damaged else []
        texts += [f"unpaired {self.unpaired:,}"] if self.unpaired else []
        texts += [f"replaced {self.replaced:,}", f"shown {self.shown:,}"]
        texts += [f"age {in_words(self.age)}"] if self.age is not None else []
        return (*texts, *([f"skew {self.skew:.1f} ms"] if self.skew is not None else []))


def in_words(seconds: float) -> str:
    """Format a duration in seconds, below a second in milliseconds."""
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


class Gaps:
    """A counter of lost frames, by gaps between the time stamps of frames that arrived.

    Args:
        rate: frames per second that the source declares; 0: unknown.

    Attributes:
        period: seconds from one frame to the next: the median of the last distances.
        lost: frames that never arrived.
    """

    def __init__(self, rate: float = 0.0) -> None:
        self.lost = 0
        self._distances = deque([1 / rate] if rate > 0 else [], maxlen=KNOWN)
        self._last: float | None = None

    @property
    def period(self) -> float:
        """Return the usual time between two frames in seconds; 0 if it is not known yet."""
        return median(self._distances) if self._distances else 0.0

    def skip(self) -> None:
        """Mark the frames before the next one as skipped by the program, not as lost."""
        self._last = None

    def add(self, time: float) -> None:
        """Add a frame's time stamp in seconds, and count the frames missing before it.

        A time stamp before the last one restarts the sequence.
        """
        last, self._last = self._last, time
        gap = time - last if last is not None else 0.0
        if not 0 < gap < LONG_GAP:
            return
        if self.period:
            self.lost += max(round(gap / self.period) - 1, 0)
        self._distances.append(gap)


class ArrivalClock:
    """An estimator of the times at which frames were taken, by this machine's clock.

    A stream's time stamps begin at any value. Of the latest frames, the one that arrived soonest
    after its time stamp is assumed to have no delay; the delays of others are relative to it.
    """

    def __init__(self) -> None:
        self._soonest = self._before = float("inf")  # arrival less time stamp; of the span before
        self._began = self._stamp = float("-inf")

    def taken(self, stamp: float, arrived: float) -> float:
        """Estimate when a frame was taken, by this machine's clock, from its stamp and arrival.

        Args:
            stamp: its time stamp, in seconds.
            arrived: its time of arrival.
        """
        offset, before, self._stamp = arrived - stamp, self._stamp, stamp
        if stamp < before:  # the stamps begin again
            self._soonest = self._before = offset
        if arrived - self._began > LOOKS_BACK:  # clocks drift apart
            self._before, self._soonest, self._began = self._soonest, offset, arrived
        self._soonest = min(self._soonest, offset)
        return stamp + min(self._soonest, self._before)
