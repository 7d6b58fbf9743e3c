"""Requests to show a stage in slow motion, layouts of threads, and computation up to a stage."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.kernel_facts import WARP
from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, around
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.image import Image, Int32
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline


@dataclass(frozen=True)
class Tiling:
    """The layout of a kernel launch's threads over an image, with one thread per pixel.

    Attributes:
        variant: the variant that launches; empty: there is no launch, and a row counts as a block.
        columns, rows: size of a block, in pixels.
        across, down: number of blocks in a row of blocks, and of rows of blocks.
    """

    variant: str
    columns: int
    rows: int
    across: int
    down: int

    @property
    def warps(self) -> int:
        """Return the number of warps in a block."""
        return -(-self.columns * self.rows // WARP) if self.variant else 1

    @property
    def moments(self) -> int:
        """Return the number of steps that the slow motion shows: one per warp of each block."""
        return self.across * self.down * self.warps

    def order(self, height: int, width: int) -> Int32:
        """Return each pixel's step: the number of its warp, in block order: (height, width)."""
        y, x = np.indices((height, width), np.int32)
        block = y // self.rows * self.across + x // self.columns
        thread = y % self.rows * self.columns + x % self.columns
        return block * self.warps + (thread // WARP if self.variant else 0)

    def boxes(self, moment: int) -> Boxes:
        """Return rectangles around the block and the warp computed at a step of the slow motion."""
        block, warp = divmod(moment, self.warps)
        down, across = divmod(block, self.across)
        x, y = across * self.columns, down * self.rows
        whole = around(x, y, self.columns, self.rows)
        if not self.variant:
            return (whole,)
        first, begin = divmod(warp * WARP, self.columns)
        last = min((warp * WARP + WARP - 1) // self.columns, self.rows - 1)
        wide = min(WARP, self.columns - begin)
        return whole, around(x + begin, y + first, wide, last - first + 1)

    def title(self, moment: int) -> str:
        """Describe the block and the warp that are computed at a step of the slow motion."""
        block, warp = divmod(moment, self.warps)
        if not self.variant:
            return f"row {block} of {self.down}, as one thread computes it"
        return (
            f"block {block + 1} of {self.across * self.down}, {self.columns}x{self.rows} threads: "
            f"warp {warp + 1} of {self.warps}, as {self.variant} launches it; "
            "a GPU runs many blocks at once"
        )


def by_rows(height: int, width: int) -> Tiling:
    """Return a layout of threads that computes an image row by row, without GPU blocks."""
    return Tiling("", width, 1, 1, height)


REFERENCE = "reference"
FLAT = ("height", "width")


def no_report(share: float) -> None:
    """Do nothing with the reported progress: the default progress function."""


@dataclass(eq=False)
class Kept:
    """A cache of the newest computation, for slices through other pixels of the same frame."""

    until: tuple[str, int] = ("", 0)
    execution: Execution | None = None


@dataclass(frozen=True, eq=False)
class Asked:
    """A request to show, step by step in slow motion, how a stage of a frame is computed.

    Attributes:
        inputs: the pipeline's inputs by name, as ``Execution.upload`` takes them.
        height, width: of the frame in pixels.
        stage: the stage to unfold.
        pixel: row and column of the pixel through which slices go.
        path: number of the path to follow, from 1; a number beyond the last means the last.
        tiling: layout of the threads of a stage over the image, if that is shown.
        report: called with the progress, from 0 to 1; an exception that it raises ends the work.
        kept: earlier computation of the same frame with the same parameters.
    """

    pipeline: Pipeline
    params: Params
    inputs: Mapping[str, NDArray[Any]]
    height: int
    width: int
    stage: str
    pixel: tuple[int, int]
    path: int = 1
    tiling: Tiling | None = None
    report: Callable[[float], None] = no_report
    kept: Kept = field(default_factory=Kept)


class _Enough(Exception):
    """The exception that ends a frame's computation after all needed stages."""


def computed_until(asked: Asked, stage: str, turn: int = 0) -> Execution:
    """Compute a frame with the reference up to a stage; cached.

    Args:
        turn: index of the last run of the stage, from 0, if the stage runs for several items.

    Raises:
        ValueError: the stage does not run with these parameters, or the parameters do not fit.
        Unavailable: there is too little memory.
    """
    kept = asked.kept
    if not kept.execution or kept.until != (stage, turn):
        kept.execution = None  # gives its arrays back first
        kept.execution, kept.until = _computed(asked, stage, turn), (stage, turn)
    return kept.execution


def _computed(asked: Asked, stage: str, turn: int) -> Execution:
    """Compute a frame with the reference, up to one call of a stage."""
    pipeline, size = asked.pipeline, (asked.height, asked.width)
    declared = next(each for each in pipeline.stages if each.name == stage)
    execution = prepare(pipeline, REFERENCE, asked.params, *size, declared.writes)
    runs = [n for n, step in enumerate(execution.steps) if step.stage.name == stage]
    if not runs:
        title = stage.replace("_", " ")
        raise ValueError(f"{title} is off with these parameters: no slow motion")
    last = runs[min(turn, len(runs) - 1)] + 1
    execution.upload(**asked.inputs)

    def after(done: int) -> None:
        """Report the progress after a stage's call; end the frame after the last needed one."""
        asked.report(done / last)
        if done >= last:
            raise _Enough

    try:
        execution.run(timed=False, after=after)
    except _Enough:
        pass
    return execution


def flat_images(pipeline: Pipeline, names: tuple[str, ...]) -> list[Image]:
    """Return the declarations of those named images that have one value per pixel."""
    declared = [pipeline.image(name) for name in names]
    return [image for image in declared if image.dims == FLAT]


def copy_of(execution: Execution, name: str) -> NDArray[Any]:
    """Copy a computed image to a new array, so that the memory of the computation can be freed."""
    return np.array(execution.array(name))
