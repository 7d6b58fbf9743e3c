"""Measure how disparities change from frame to frame: difference, mean, noise and flicker.

A window of the newest frames is kept on the device that computes, as NumPy or CuPy arrays; sums are
of integers, and results computed from them are rounded alike on every device.
"""

from typing import Any

import numpy as np

Array = Any  # numpy.ndarray or cupy.ndarray

MEASURES = ("difference", "mean", "noise", "flicker")
JUMP = 1.0
"""Pixels; a disparity that changes by more than this flickers."""
MOVED, STEADY, JUMPED, NEVER = 0, 1, 2, 3  # what a pixel did from one frame to the next


class FrameWindow:
    """A sliding window of one view's newest frames, and temporal measures over them.

    Args:
        frames: size of the window, 2 or more.
        still: largest change in grey levels for which an input pixel counts as unchanged.
        scale: pixels of disparity per stored unit.
        invalid: the stored value of pixels without a disparity.
    """

    def __init__(self, frames: int, still: int, scale: float, invalid: int) -> None:
        self.frames, self._still, self._scale, self._invalid = frames, still, scale, invalid
        self.count = 0
        self._stored: list[Array] = []  # the newest last
        self._grey: Array = None
        self._moves: list[Array] = []
        self._sum: Array = None
        self._squares: Array = None
        self._known: Array = None
        self._resting: Array = None  # steps of each pixel without change of input
        self._jumped: Array = None  # those of them in which the disparity jumped
        self._rate: float | None = None  # None: not computed since the newest frame came

    def add(self, stored: Array, grey: Array) -> None:
        """Add a frame to the window; if the window is full, drop the oldest one.

        Args:
            stored: (H, W) integers, disparities.
            grey: (H, W) uint8, the view to which they belong.
        """
        stored, grey = stored.copy(), grey.astype(np.int16)
        if self._stored:
            self._moves.append(self._moved(stored, grey))
            self._count_moves(self._moves[-1], 1)
            if len(self._moves) == self.frames:
                self._count_moves(self._moves.pop(0), -1)
        else:
            self._sum, self._squares = (_zeros(stored, np.int64) for _ in "ab")
            self._known, self._resting, self._jumped = (_zeros(stored, np.int32) for _ in "abc")
        self._stored.append(stored)
        self._count(stored, 1)
        if len(self._stored) > self.frames:
            self._count(self._stored.pop(0), -1)
        self._grey, self.count, self._rate = grey, len(self._stored), None

    def _moved(self, stored: Array, grey: Array) -> Array:
        """Compare pixels with the last frame: moved, steady, jumped, never valid: (H, W) uint8."""
        before, invalid = self._stored[-1], self._invalid
        far = abs(stored.astype(np.int32) - before) * self._scale > JUMP
        jumped = far | ((stored == invalid) != (before == invalid))
        states = jumped.astype(np.uint8) + np.uint8(STEADY)
        states[abs(grey - self._grey) > self._still] = MOVED
        states[(stored == invalid) & (before == invalid)] = NEVER
        return states

    def _count(self, stored: Array, sign: int) -> None:
        known = stored != self._invalid
        values = stored.astype(np.int64) * known
        self._sum += sign * values
        self._squares += sign * values * values
        self._known += sign * known.astype(np.int32)

    def measure(self, name: str) -> Array:
        """Compute one of ``MEASURES`` for every pixel: (H, W) float32, NaN where undefined.

        ``difference`` is the newest frame minus the previous one, ``mean`` that of the window, in
        pixels; ``noise`` the standard deviation over the window, in pixels; ``flicker`` the
        percentage of steps from frame to frame, among those in which the input stayed the same, in
        which the disparity changed by more than ``JUMP``, appeared or disappeared.
        """
        measured: Array = getattr(self, f"_{name}")()
        return measured.astype(np.float32)

    def _difference(self) -> Array:
        new, old = self._stored[-1], self._stored[-min(2, self.count)]
        change = (new.astype(np.float64) - old) * self._scale
        change[(new == self._invalid) | (old == self._invalid)] = np.nan
        return change

    def _mean(self) -> Array:
        mean = self._sum * self._scale / _at_least_one(self._known)
        mean[self._known == 0] = np.nan
        return mean

    def _noise(self) -> Array:
        known = self._known.astype(np.int64)
        spread = known * self._squares - self._sum * self._sum
        noise = (spread / _at_least_one(known * (known - 1))) ** 0.5 * self._scale
        noise[known < 2] = np.nan
        return noise

    def _flicker(self) -> Array:
        flicker = 100.0 * self._jumped / _at_least_one(self._resting)
        flicker[self._resting == 0] = np.nan
        return flicker

    def _count_moves(self, moved: Array, sign: int) -> None:
        jumped = (moved == JUMPED).astype(np.int32)
        self._jumped += sign * jumped
        self._resting += sign * (jumped + (moved == STEADY))

    @property
    def flicker_rate(self) -> float:
        """Return the fraction of static pixels' steps between frames that jump; NaN if none."""
        if self._rate is None:  # a GPU is waited for, once a frame
            resting = int(self._resting.sum()) if self._moves else 0
            self._rate = int(self._jumped.sum()) / resting if resting else float("nan")
        return self._rate


def _zeros(like: Array, dtype: Any) -> Array:
    """Create an array of zeros with the shape and device of another."""
    return (like != like).astype(dtype)


def _at_least_one(values: Array) -> Array:
    return values.clip(1, None)
