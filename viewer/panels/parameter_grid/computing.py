"""Computation of the parameter grid in the background: results, thumbnails and errors.

The display's thread queues the GPU's work, one cell per presented frame; the worker's thread does
the CPU's work, and all thumbnails.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.conventions import CONVENTIONS, measures
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.judging import TruthChoice, is_disparity
from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.display.picture.truth import judged_of, largest_searched
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.panels.parameter_grid.places import GridPlace, ParameterGrid
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.run import Run

LONGEST_SIDE = 240  # pixels of a thumbnail
MEASURE = {"kitti": "D1"}  # the measure reported for a convention; bad-2 for all others


@dataclass(frozen=True)
class GridSubject:
    """The input of the parameter grid: a run, a frame, and the style of the thumbnails.

    Attributes:
        slot: A; the two parameters of the grid replace its values.
        limits: values of the first and of the last colour, in the output's unit.
        colors: name of the colour map.
    """

    slot: Run
    frame: Frame
    limits: tuple[float, float]
    colors: str
    truth: TruthChoice

    @property
    def measure(self) -> str:
        """Return the name of the error measure by which the grid's results are compared."""
        return MEASURE.get(self.truth.convention, "bad-2")


@dataclass(frozen=True, eq=False)
class GridCell:
    """One cell of the parameter grid, with its thumbnail and its error.

    Attributes:
        picture: (h, w, 3) RGB thumbnail; None before there is one.
        bad: the measure, in percent; None without truth.
        why: why there is no picture; empty while it is being computed.
    """

    place: GridPlace
    picture: NDArray[np.uint8] | None = None
    bad: float | None = None
    why: str = ""


class GridResults:
    """The results of a parameter grid, which are computed cell by cell, row by row."""

    def __init__(self, grid: ParameterGrid, subject: GridSubject, worker: Worker) -> None:
        self.grid, self.subject = grid, subject
        self.cells = [GridCell(p, why=p.why) for p in grid.places(subject.slot.params)]
        self._waiting = [i for i, cell in enumerate(self.cells) if not cell.why]
        self._total = max(len(self._waiting), 1)
        self._worker = worker
        self._views = {n: v.copy() for n, v in grey_views(subject.frame).items()}
        self._task: Task[GridCell] | None = None
        self.done = False

    @property
    def progress(self) -> float:
        """Return the finished share of the cells, from 0 to 1."""
        return 1 - (len(self._waiting) / self._total)

    def step(self) -> None:
        """Store the finished cell, and start to compute the next one."""
        if self.done or (self._task and not self._task.done):
            return
        if self._task:
            self._take(self._task)
        if not self._waiting:
            self.done = True
            return
        self._task = self._begin(self.cells[self._waiting[0]])

    def _begin(self, cell: GridCell) -> Task[GridCell]:
        """Start to compute a cell; on the GPU, its result is computed immediately."""
        params = cell.place.params
        assert params
        result: Callable[[], NDArray[Any]] = partial(computed, self.subject, params, self._views)
        if self.subject.slot.declaration.on_gpu:
            try:
                stored = result()
            except (Unavailable, ValueError, RuntimeError, MemoryError) as error:
                why = str(error) or "out of memory"
                return self._worker.submit("grid", lambda task: replace(cell, why=why))
            result = lambda: stored  # noqa: E731
        return self._worker.submit(
            "parameter grid", lambda task: _finished(self.subject, cell, result)
        )

    def _take(self, task: Task[GridCell]) -> None:
        number = self._waiting.pop(0)
        self._task = None
        try:
            self.cells[number] = task.result()
        except Cancelled:
            self.cancel()
        except (Unavailable, ValueError, RuntimeError, MemoryError) as error:
            self.cells[number] = replace(self.cells[number], why=str(error) or "out of memory")

    def cancel(self) -> None:
        """Cancel the cells that are not finished; keep the finished ones."""
        if self._task:
            self._task.cancel()
        for number in self._waiting:
            self.cells[number] = replace(self.cells[number], why="cancelled")
        self._task, self._waiting, self.done = None, [], True


def computed(
    subject: GridSubject, params: Params, views: Mapping[str, NDArray[np.uint8]]
) -> NDArray[Any]:
    """Compute the output of a pipeline from grey views: (H, W), as stored.

    Raises:
        ValueError, Unavailable: as ``first_frame``.
    """
    slot = subject.slot
    pipeline = PIPELINES.get(slot.pipeline.name, slot.pipeline)  # the views are rectified already
    return first_frame(Run(pipeline, slot.variant, params), views).download(pipeline.output)


def _finished(subject: GridSubject, cell: GridCell, result: Callable[[], NDArray[Any]]) -> GridCell:
    params, stored = cell.place.params, result()
    assert params
    image = subject.slot.image(subject.slot.pipeline.output)
    values = in_units(stored, image, params)
    picture = thumbnail(values, subject.limits, subject.colors)
    truth = subject.frame.truth
    if truth is None or not is_disparity(image):
        return replace(cell, picture=picture)
    convention = CONVENTIONS[subject.truth.convention]
    mask, searched = judged_of(subject.frame, subject.truth), largest_searched(image, params)
    measured = measures(convention, values, truth, mask, searched)
    return replace(cell, picture=picture, bad=measured[subject.measure])


def thumbnail(
    values: NDArray[np.float32], limits: tuple[float, float], colors: str
) -> NDArray[np.uint8]:
    """Render every n-th pixel of (H, W) values in a colour map: a thumbnail (h, w, 3) RGB."""
    every = max(-(-max(values.shape) // LONGEST_SIDE), 1)
    low, high = limits
    share = (values[::every, ::every] - low) / max(high - low, 1e-9)
    index = np.nan_to_num(np.clip(share, 0, 1) * 255 + 0.5).astype(np.uint8)
    picture: NDArray[np.uint8] = colormap(colors)[index]
    picture[~np.isfinite(share)] = INVALID[colors]
    return picture
