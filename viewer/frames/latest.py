"""Whole images of the frame shown, on the host, for panels that need more than a pixel.

Nothing is computed again: an image that is on screen is read from its texture, any other from the
arrays of the slot's execution.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu.steps import passed_on
from wheatstone.viewer.frames.runner import Runner
from wheatstone.viewer.picture.shown import Shown
from wheatstone.viewer.screen.display import Display
from wheatstone.viewer.sources.frame import Frame

EVERY = 0.2  # seconds between two copies of an image while frames pass
MOST_COPIES = 16  # kept of a source: those that panels asked for last


@dataclass(frozen=True, eq=False)
class Copy:
    """An image as a slot computed it: stored values, copied at the time ``taken``."""

    shown: Shown
    frame: Frame
    values: NDArray[Any]
    taken: float


class Latest:
    """Copies of the slots' newest results: at once while paused, else every few seconds."""

    def __init__(
        self,
        display: Display,
        every: float = EVERY,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._display, self._every, self._clock = display, every, clock
        self._copies: dict[tuple[int, str], Copy] = {}

    def image(self, runner: Runner, name: str) -> Copy | None:
        """Copy an image of a slot's newest result, or a slightly older one; see ``Copy.shown``.

        None before the first frame, and for an image that the variant does not keep.
        """
        key, shown, now = (id(runner), name), runner.shown, self._clock()
        frame, known = runner.frame, self._copies.get(key)
        if not shown or not frame:
            return None
        if known and is_of(known, shown) and known.frame is frame:
            return self._kept(key, known)
        if known and now - known.taken < self._every:
            return self._kept(key, known)
        values = _read(self._display, runner, shown, name)
        if values is None:
            return known
        return self._kept(key, Copy(shown, frame, values, now))

    def _kept(self, key: tuple[int, str], copy: Copy) -> Copy:
        """Keep a copy as the most recently used; drop those beyond ``MOST_COPIES``."""
        self._copies.pop(key, None)
        self._copies[key] = copy
        if len(self._copies) > MOST_COPIES:
            del self._copies[next(iter(self._copies))]
        return copy


def is_of(copy: Copy, shown: Shown) -> bool:
    """Return whether a copy has the slot and frame shown, in any view."""
    return (copy.shown.slot, copy.shown.frame) == (shown.slot, shown.frame)


def _read(display: Display, runner: Runner, shown: Shown, name: str) -> NDArray[Any] | None:
    slot, execution = shown.slot, runner.execution
    array = passed_on(slot.pipeline, slot.declaration, slot.params).get(name, name)
    if array in shown.computed:
        stored = display.values(shown.texture(array))
        return stored.astype(slot.pipeline.image(array).dtype, copy=False)
    fits = execution and runner.prepared(shown) and execution.keeps(name)
    return execution.download(name) if execution and fits else None
