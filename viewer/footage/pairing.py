"""Pairing of frames from two unsynchronised devices, by their times and not by their numbers."""

import threading
from collections import deque
from dataclasses import dataclass

from wheatstone.viewer.footage.shot import Shot

WAITING = 8  # frames of a device that wait for the other one
LARGEST_SKEW = 2.0
"""Milliseconds between two views above which the user is warned: moving objects are displaced."""


@dataclass(frozen=True)
class ShotPair:
    """Two frames taken at nearly the same time.

    Attributes:
        skew: milliseconds from the left one to the right one.
    """

    left: Shot
    right: Shot

    @property
    def skew(self) -> float:
        """Compute the milliseconds by which the right frame was taken later."""
        return (self.right.time - self.left.time) * 1e3


class Pairing:
    """Pairs each frame of one device with the frame of the other that is nearest in time.

    Frames more than half a period apart make no pair. Both devices' threads may add frames.

    Attributes:
        unpaired: number of frames without a partner.
    """

    def __init__(self) -> None:
        self.unpaired = 0
        self._waiting = deque[Shot](), deque[Shot]()
        self._lock = threading.Lock()

    def add(self, side: int, shot: Shot) -> ShotPair | None:
        """Add a frame of the left (0) or right (1) device; return the pair that it completes."""
        with self._lock:
            waiting = self._waiting[side]
            if waiting and shot.time < waiting[-1].time:  # a stream that began anew
                self._drop(side, len(waiting))
            waiting.append(shot)
            if len(waiting) > WAITING:
                self._drop(side, 1)
            return self._match()

    def _match(self) -> ShotPair | None:
        """Take the oldest pair that is near enough; drop frames that can have no partner."""
        left, right = self._waiting
        while left and right:
            first, second = left[0], right[0]
            apart = second.time - first.time
            older = 0 if apart > 0 else 1
            others = self._waiting[older]
            nearer = len(others) > 1 and abs(self._other(older).time - others[1].time) < abs(apart)
            if nearer or abs(apart) > max(first.period, second.period) / 2:
                self._drop(older, 1)
                continue
            return ShotPair(left.popleft(), right.popleft())
        return None

    def _other(self, side: int) -> Shot:
        return self._waiting[1 - side][0]

    def _drop(self, side: int, count: int) -> None:
        self.unpaired += count
        for _ in range(count):
            self._waiting[side].popleft()
