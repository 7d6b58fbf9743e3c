"""Compare leaned sweeps of variant `fast` of semi-global matching with one launch for each path.

Prints a Markdown table: for each size the kernels that there were before, then leaned sweeps by how
many warps of a block sweep, whether more of its warps walk rows beside them, and how many receive;
with ``--all`` by how many warps walk rows, and how many rows are straight code, as well. ``sweeps``
is the launch of these alone, with the rows. The line that ``fast`` would choose, could it
choose, is marked. A result that differs from the first one's ends with exit code 1.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from statistics import median
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pytest import MonkeyPatch

from benchmarks.cpu_sgm import textured_pair
from benchmarks.fast_sgm import chained_steps
from benchmarks.runner import Count, Size
from wheatstone.gpu.analysis.measurement import lap, time_frames
from wheatstone.gpu.clock import device_milliseconds
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.kernels import packed_aggregation
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams, packing
from wheatstone.gpu.pipelines.sgm.packing import NO_BLOCK, LeanedBlock
from wheatstone.viewer.io.files.markdown import markdown

SIZES = (
    (640, 480),
    (1024, 440),
    (1242, 375),
    (1280, 720),
    (1920, 1080),
    (2560, 1440),
    (3840, 2160),
)
STAGES = ("packed_words", "packed_matching", "packed_aggregation", "packed_winner", "packed_checks")
HEADER = ("Size", "D", "Way", "Chosen", "ms", "Ratio", "Differ", "sweeps", *STAGES)
CHAINED = 8  # frames whose stages are told
GROUPS = (4, 8)  # rows of straight code
BESIDE = (((3, 4), (0, 4), (0, 2)), ((1, 4), (6, 4)))  # walk rows, receive; more with --all


@dataclass(frozen=True)
class Way:
    """How paths are summed: without sweeps, or in blocks of a kind.

    Attributes:
        block: of the sweeps; ``NO_BLOCK``: there are none.
        group: rows of a sweep that are straight code.
    """

    block: LeanedBlock
    group: int = packed_aggregation.GROUP

    def __str__(self) -> str:
        if self.block == NO_BLOCK:
            return "before"
        warps, rowers, receivers = self.block
        walkers = f"{warps} + {rowers} warps" if rowers else f"{warps} warps"
        by = "beside" if rowers else "by all"
        return f"{walkers}, rows {by}, {receivers} receive, {self.group} unrolled"


@dataclass(frozen=True)
class Row:
    """Milliseconds of the frame, of its stages, and of the sweeps; and the disparities."""

    way: Way
    chosen: bool
    frame: float
    stages: dict[str, float]
    sweeps: float
    disparity: NDArray[Any]


@contextmanager
def going(way: Way) -> Iterator[None]:
    """Let variant ``fast`` go one way, while entered."""
    with MonkeyPatch.context() as patches:
        patches.setattr(packing, "LEANED", way.block != NO_BLOCK)
        if packing.LEANED:
            kernels = {
                (element, size, lanes, way.block, adaptive): packed_aggregation.leaned_kernel(
                    element, size, lanes, way.block, adaptive, way.group
                )
                for element, size, lanes, _, adaptive in packed_aggregation.PACKED_LEANED_KERNELS
            }
            patches.setattr(packing, "LEANED_BLOCKS", (way.block,))
            patches.setattr(packed_aggregation, "PACKED_LEANED_KERNELS", kernels)
        yield


def ways(all_of_them: bool) -> list[Way]:
    """List the ways that are measured: rows beside the sweeps, or by all blocks."""
    groups = GROUPS if all_of_them else (packed_aggregation.GROUP,)
    beside = sum(BESIDE, ()) if all_of_them else BESIDE[0]
    return [Way(NO_BLOCK)] + [
        Way(LeanedBlock(warps, *more), group)
        for warps in sorted({block.warps for block in packing.LEANED_BLOCKS}, reverse=True)
        for more in beside
        for group in groups
    ]


def chosen(height: int, width: int, params: SgmParams) -> Way:
    """Find the way that ``fast`` would go where it could choose."""
    before, packing.LEANED = packing.LEANED, None
    swept = packing.leaned(height, width, params)
    packing.LEANED = before
    block = packing.leaned_block(height, width, params.disparities)
    return Way(block if swept else NO_BLOCK)


def measure(way: Way, best: Way, params: SgmParams, width: int, height: int, frames: int) -> Row:
    """Measure one way at one size."""
    left, right = textured_pair(height, width, params.disparities)
    with going(way):
        execution = prepare(SGM, "fast", params, height, width)
        execution.upload(left=left, right=right)
        lap(execution)  # compiles
        times, _ = time_frames(execution, frames)
        stages = chained_steps(execution, CHAINED)
        sweeps = 0.0 if way.block == NO_BLOCK else sweep_milliseconds(execution, params)
    return Row(way, way == best, times.median, stages, sweeps, execution.download("disparity"))


def sweep_milliseconds(execution: Execution, params: SgmParams) -> float:
    """Time the launch of the sweeps, with the rows."""
    names = ("left_steps", "packed_matches", "packed_costs", "swept_sums", "swept_ninths")
    arguments = [execution.images[name] for name in (*names, "sweep_turns", "sweep_handed")]
    arguments += [params.p1, params.p2, params.p2_adaptation]
    sweep = partial(packed_aggregation.packed_leaned, *arguments)
    return median(device_milliseconds(execution.device, sweep) for _ in range(20))


def rows(
    params: SgmParams, width: int, height: int, frames: int, all_of_them: bool
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Measure every way at one size; yield a line, and whether its result is the first one's."""
    best = chosen(height, width, params)
    before: Row | None = None
    for way in ways(all_of_them):
        with going(way):
            if packing.LEANED and not packing.leaned(height, width, params):
                continue  # a block shares more than this GPU lets it
        row = measure(way, best, params, width, height, frames)
        before = before or row
        line = cells(f"{width}x{height}", params.disparities, row, before)
        yield line, np.array_equal(row.disparity, before.disparity)


def cells(size: str, disparities: int, row: Row, before: Row) -> tuple[str, ...]:
    """Write a line of the table."""
    return (
        size,
        f"{disparities}",
        str(row.way),
        "*" if row.chosen else "",
        f"**{row.frame:.3f}**",
        f"{row.frame / before.frame:.2f}",
        f"{np.count_nonzero(row.disparity != before.disparity)}",
        f"{row.sweeps:.3f}" if row.sweeps else "",
        *(f"{row.stages.get(stage, 0.0):.3f}" for stage in STAGES),
    )


def main(
    *,
    frames: Count = 200,
    all: Annotated[bool, "try more ways"] = False,
    preset: Annotated[str, "settings; paths are 8"] = "libsgm",
    disparities: tuple[int, ...] = (128,),
    size: tuple[Size, ...] = SIZES,
) -> bool:
    """Print the table; return whether all results are the same."""
    base = SgmParams().changed(**SGM.presets[preset])
    lines, right = [], True
    for count, (width, height) in product(disparities, size):
        params = replace(base, paths=8, disparities=count)
        for line, agrees in rows(params, width, height, frames, all):
            print(" ".join(line), file=sys.stderr, flush=True)
            lines.append(line)
            right &= agrees
    print(markdown(HEADER, lines))
    return right
