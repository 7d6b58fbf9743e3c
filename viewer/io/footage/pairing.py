"""Pairing of frames by their times, for two devices of a live source or two videos.

Videos of two unsynchronised devices are paired in the same way, not by the numbers of frames.
"""

import threading
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.footage.index import FrameIndex
from wheatstone.viewer.io.footage.planes import AnyView


@dataclass(frozen=True, eq=False)
class Shot:
    """A frame of a live source, with the time at which it was taken.

    Attributes:
        view: pixels or decoded planes.
        time: seconds of ``time.monotonic`` at which it was taken, estimated from time stamps.
        period: seconds from one frame to the next; 0 while it is not known.
    """

    view: AnyView
    time: float
    period: float = 0.0


@dataclass(frozen=True, eq=False)
class ShotPictures:
    """The frames that one or two devices took at nearly the same time.

    Attributes:
        shots: a single one, or the left and the right one.
    """

    shots: tuple[Shot, ...]

    @property
    def skew(self) -> float | None:
        """Return the milliseconds from the left to the right frame; None for a single device."""
        return (self.shots[1].time - self.shots[0].time) * 1e3 if len(self.shots) > 1 else None

    @property
    def left(self) -> AnyView:
        """Return the picture of the left device, or of a single device."""
        return self.shots[0].view

    @property
    def right(self) -> AnyView | None:
        """Return the picture of the right device; None for a single device."""
        return self.shots[1].view if len(self.shots) > 1 else None


T = TypeVar("T")


class Mailbox(Generic[T]):
    """A mailbox that passes only the newest item from one thread to another.

    Attributes:
        replaced: number of items that were never taken, because a newer one was put.
    """

    def __init__(self) -> None:
        self.replaced = 0
        self._slot: T | None = None
        self._changed = threading.Condition()

    @property
    def full(self) -> bool:
        """Return whether an item is waiting in the mailbox to be taken."""
        return self._slot is not None

    def put(self, thing: T) -> None:
        """Store an item in the mailbox; replace an earlier one that was not taken."""
        with self._changed:
            self.replaced += self._slot is not None
            self._slot = thing
            self._changed.notify_all()

    def take(self, timeout: float = 0.0) -> T | None:
        """Remove and return the item; wait for one up to ``timeout`` seconds, else return None."""
        with self._changed:
            self._changed.wait_for(lambda: self._slot is not None, timeout)
            thing, self._slot = self._slot, None
            return thing


WAITING = 8  # frames of a device that wait for the other one
LARGEST_SKEW = 2.0
"""Milliseconds between two views above which the user is warned: moving objects are displaced."""


class Pairing:
    """A matcher of the frames of two devices, which pairs those that are nearest in time.

    Frames more than half a period apart make no pair. Both devices' threads may add frames.

    Attributes:
        unpaired: number of frames without a partner.
    """

    def __init__(self) -> None:
        self.unpaired = 0
        self._waiting = deque[Shot](), deque[Shot]()
        self._lock = threading.Lock()

    def add(self, side: int, shot: Shot) -> ShotPictures | None:
        """Add a frame of the left (0) or right (1) device; return the pair that it completes."""
        with self._lock:
            waiting = self._waiting[side]
            if waiting and shot.time < waiting[-1].time:  # a stream that began again
                self._drop(side, len(waiting))
            waiting.append(shot)
            if len(waiting) > WAITING:
                self._drop(side, 1)
            return self._match()

    def _match(self) -> ShotPictures | None:
        """Return the oldest pair of frames near enough in time; drop frames without a partner."""
        left, right = self._waiting
        while left and right:
            first, second = left[0], right[0]
            offset = second.time - first.time
            older = 0 if offset > 0 else 1
            others = self._waiting[older]
            newer = self._waiting[1 - older][0]
            nearer = len(others) > 1 and abs(newer.time - others[1].time) < abs(offset)
            if nearer or abs(offset) > max(first.period, second.period) / 2:
                self._drop(older, 1)
                continue
            return ShotPictures((left.popleft(), right.popleft()))
        return None

    def _drop(self, side: int, count: int) -> None:
        self.unpaired += count
        for _ in range(count):
            self._waiting[side].popleft()


Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairedFrames:
    """The pairs of corresponding frames of two videos.

    Attributes:
        left, right: (N,) positions of the frames of each pair.
        aligned: whether both are treated as starting together, because their clocks differ.
    """

    left: Positions
    right: Positions
    aligned: bool


def pair_frames(left: FrameIndex, right: FrameIndex) -> PairedFrames:
    """Pair the frames of two videos by the nearest time, at most half a frame period apart.

    Times are those of the files; if these leave more than half of the shorter video without a
    partner, times since the first frame of each are used.
    """
    paired = paired_times(left.seconds, right.seconds)
    if 2 * len(paired[0]) >= min(len(left), len(right)):
        return PairedFrames(*paired, aligned=False)
    begun = (index.seconds - index.seconds[0] for index in (left, right))
    return PairedFrames(*paired_times(*begun), aligned=True)


def paired_times(
    left: NDArray[np.float64], right: NDArray[np.float64]
) -> tuple[Positions, Positions]:
    """Pair the times of two lists that are mutually nearest, at most half a frame period apart."""
    nearest = _nearest(right, left)
    mutual = _nearest(left, right)[nearest] == np.arange(len(left))
    periods = [float(np.median(np.diff(times))) for times in (left, right) if len(times) > 1]
    reach = min(periods, default=np.inf) / 2 + 1e-9
    close = np.abs(right[nearest] - left) <= reach
    kept = np.flatnonzero(mutual & close)
    return kept, nearest[kept]


def _nearest(times: NDArray[np.float64], wanted: NDArray[np.float64]) -> Positions:
    """Return the index of the time nearest to each wanted time; at equal distances, the earlier."""
    after = np.clip(np.searchsorted(times, wanted), 1, max(len(times) - 1, 1))
    after = np.minimum(after, len(times) - 1)
    before = np.maximum(after - 1, 0)
    earlier = wanted - times[before] <= times[after] - wanted
    return np.where(earlier, before, after).astype(np.int64)
