"""Copies of whole result images on the host, for panels that need more than a pixel.

Nothing is computed again: an image that is on screen is read from its texture, any other from the
arrays of the run.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.steps import passed_on
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.display.picture.cell_contents import SeenImage
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.io.files.cloud import EVERYWHERE, PointCloud, cloud_of
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_levels, view_of

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

EVERY = 0.2  # seconds between two copies of an image while frames pass
MOST_COPIES = 16  # kept of a source: those that panels asked for last


@dataclass(frozen=True, eq=False)
class Copy:
    """A copy of an image that a run computed: its stored values, and when they were copied."""

    shown: Shown
    frame: Frame
    values: NDArray[Any]
    taken: float

    def is_of(self, shown: Shown) -> bool:
        """Return whether the copy is of the run and frame shown, in any view."""
        return (self.shown.slot, self.shown.frame) == (shown.slot, shown.frame)


class Latest:
    """Copies of the newest results of runs A and B, renewed at most every ``every`` seconds."""

    def __init__(
        self, display: Display, every: float = EVERY, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._display, self._every, self._clock = display, every, clock
        self._copies: dict[tuple[int, str], Copy] = {}

    def image(self, runner: Runner, name: str) -> Copy | None:
        """Return a copy of an image of a run's newest result, or a slightly older one.

        None before the first frame, and for an image that the variant does not keep.
        """
        key, shown, now = (id(runner), name), runner.shown, self._clock()
        frame, known = runner.frame, self._copies.get(key)
        if not shown or not frame:
            return None
        if known and known.is_of(shown) and known.frame is frame:
            return self._kept(key, known)
        if known and now - known.taken < self._every:
            return self._kept(key, known)
        values = _read(self._display, runner, shown, name)
        if values is None:
            return known
        return self._kept(key, Copy(shown, frame, values, now))

    def _kept(self, key: tuple[int, str], copy: Copy) -> Copy:
        """Store a copy as the most recently used one, and drop those beyond ``MOST_COPIES``."""
        self._copies.pop(key, None)
        self._copies[key] = copy
        if len(self._copies) > MOST_COPIES:
            del self._copies[next(iter(self._copies))]
        return copy


def _read(display: Display, runner: Runner, shown: Shown, name: str) -> NDArray[Any] | None:
    slot, execution = shown.slot, runner.execution
    array = passed_on(slot.pipeline, slot.declaration, slot.params).get(name, name)
    if array in shown.computed:
        stored = display.values(shown.texture(array))
        return stored.astype(slot.pipeline.image(array).dtype, copy=False)
    fits = execution and runner.prepared(shown) and execution.keeps(name)
    return execution.download(name) if execution and fits else None


def stored_values(session: "Session", part: SeenImage) -> NDArray[Any] | None:
    """Return the stored values of an image on screen; colours become grey levels.

    Slightly older values while frames pass quickly; None before the first ones.
    """
    runner = session.a if part.slot == "a" else session.b
    if part.of_source:
        array = part.shown.arrays[part.name]
        pixels = view_of(runner.frame, array) if runner.frame else None
        return None if pixels is None else grey_levels(pixels)
    copy = session.latest.image(runner, part.name)
    if not copy:
        return None
    values = copy.values
    return grey_levels(np.ascontiguousarray(values[..., :3])) if values.ndim == 3 else values


def begin_cloud(session: "Session") -> Task[PointCloud]:
    """Start a task that computes the point cloud of the visible pixels of result A.

    If none is visible, it has all pixels.

    Raises:
        ValueError: A's pipeline has no disparity.
    """
    state = session.state
    slot, frame = state.slot, session.frames.frame(state.frame)
    image = slot.image(slot.pipeline.output)
    if not image.disparity:
        raise ValueError(f"{slot.pipeline.name} has no disparity to make points of")
    stored, axes = session.values_task(image.name), state.look.axes
    region = session.display.drawn.visible(0) or EVERYWHERE

    def job(_: Task[PointCloud]) -> PointCloud:
        disparity = in_units(stored.result(), image, slot.params)
        return cloud_of(disparity, frame.calibration_or_assumed, frame.left, axes, region)

    return session.worker.submit("cloud", job)
