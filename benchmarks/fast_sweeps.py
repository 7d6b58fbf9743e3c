"""Compare leaned sweeps in variant ``fast`` of semi-global matching with one launch per path.

Prints a Markdown table. The first row of each size uses one launch per path. The other rows use
leaned sweeps (docs/fast-sgm.md) with different numbers of warps per block that sweep, that walk
rows at the same time, and that receive costs from the neighbouring block; with ``--all``, also with
more numbers of warps that walk rows and of unrolled rows. ``sweeps`` is the time of the launch that
sweeps, including the rows. A star marks the configuration that ``fast`` chooses by itself. If
a result differs from that of the first row, the exit code is 1.
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
HEADER = ("Size", "D", "Configuration", "Chosen", "ms", "Ratio", "Differ", "sweeps", *STAGES)
CHAINED = 8  # consecutive frames when stages are timed
GROUPS = (4, 8)  # numbers of unrolled rows of a sweep
# Numbers of warps that walk rows and that receive; those of the second group only with --all.
OTHER_WARPS = (((3, 4), (0, 4), (0, 2)), ((1, 4), (6, 4)))


@dataclass(frozen=True)
class Configuration:
    """A configuration of path aggregation: one launch per path, or leaned sweeps.

    Attributes:
        block: block of the sweeps; ``NO_BLOCK``: one launch per path.
        group: number of unrolled rows of a sweep.
    """

    block: LeanedBlock
    group: int = packed_aggregation.GROUP

    def __str__(self) -> str:
        if self.block == NO_BLOCK:
            return "one launch per path"
        warps, rowers, receivers = self.block
        walkers = f"{warps} + {rowers} warps" if rowers else f"{warps} warps"
        rows = "in parallel" if rowers else "by all blocks"
        return f"{walkers}, rows {rows}, {receivers} receive, {self.group} unrolled"


@dataclass(frozen=True)
class Row:
    """The times of a configuration in milliseconds, and its disparities."""

    configuration: Configuration
    chosen: bool
    frame: float
    stages: dict[str, float]
    sweeps: float
    disparity: NDArray[Any]


@contextmanager
def using(configuration: Configuration) -> Iterator[None]:
    """Make variant ``fast`` use a configuration until the context ends."""
    block = configuration.block
    with MonkeyPatch.context() as patches:
        patches.setattr(packing, "LEANED", block != NO_BLOCK)
        if packing.LEANED:
            kernels = {
                (element, size, lanes, block, adaptive): packed_aggregation.leaned_kernel(
                    element, size, lanes, block, adaptive, configuration.group
                )
                for element, size, lanes, _, adaptive in packed_aggregation.PACKED_LEANED_KERNELS
            }
            patches.setattr(packing, "LEANED_BLOCKS", (block,))
            patches.setattr(packed_aggregation, "PACKED_LEANED_KERNELS", kernels)
        yield


def configurations(all_of_them: bool) -> list[Configuration]:
    """List the configurations to measure; the first one uses one launch per path."""
    groups = GROUPS if all_of_them else (packed_aggregation.GROUP,)
    other_warps = sum(OTHER_WARPS, ()) if all_of_them else OTHER_WARPS[0]
    return [Configuration(NO_BLOCK)] + [
        Configuration(LeanedBlock(warps, *others), group)
        for warps in sorted({block.warps for block in packing.LEANED_BLOCKS}, reverse=True)
        for others in other_warps
        for group in groups
    ]


def chosen(height: int, width: int, params: SgmParams) -> Configuration:
    """Return the configuration that ``fast`` chooses by itself."""
    before, packing.LEANED = packing.LEANED, None
    swept = packing.leaned(height, width, params)
    packing.LEANED = before
    block = packing.leaned_block(height, width, params.disparities)
    return Configuration(block if swept else NO_BLOCK)


def measure(
    configuration: Configuration,
    best: Configuration,
    params: SgmParams,
    width: int,
    height: int,
    frames: int,
) -> Row:
    """Measure a configuration at one image size.

    Args:
        best: the configuration that ``fast`` chooses by itself.
    """
    left, right = textured_pair(height, width, params.disparities)
    swept = configuration.block != NO_BLOCK
    with using(configuration):
        execution = prepare(SGM, "fast", params, height, width)
        execution.upload(left=left, right=right)
        lap(execution)  # compiles
        times, _ = time_frames(execution, frames)
        stages = chained_steps(execution, CHAINED)
        sweeps = sweep_milliseconds(execution, params) if swept else 0.0
    disparity = execution.download("disparity")
    return Row(configuration, configuration == best, times.median, stages, sweeps, disparity)


def sweep_milliseconds(execution: Execution, params: SgmParams) -> float:
    """Return the median milliseconds of the launch that sweeps, including the rows."""
    names = ("left_steps", "packed_matches", "packed_costs", "swept_sums", "swept_ninths")
    arguments = [execution.images[name] for name in (*names, "sweep_turns", "sweep_handed")]
    arguments += [params.p1, params.p2, params.p2_adaptation]
    sweep = partial(packed_aggregation.packed_leaned, *arguments)
    return median(device_milliseconds(execution.device, sweep) for _ in range(20))


def rows(
    params: SgmParams, width: int, height: int, frames: int, all_of_them: bool
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Measure all configurations at one size; yield cells, and whether the result is correct.

    A result is correct if it equals that of the first configuration.
    """
    best = chosen(height, width, params)
    first: Row | None = None
    for configuration in configurations(all_of_them):
        with using(configuration):
            if packing.LEANED and not packing.leaned(height, width, params):
                continue  # a block needs more shared memory than this GPU has
        row = measure(configuration, best, params, width, height, frames)
        first = first or row
        line = cells(f"{width}x{height}", params.disparities, row, first)
        yield line, np.array_equal(row.disparity, first.disparity)


def cells(size: str, disparities: int, row: Row, first: Row) -> tuple[str, ...]:
    """Return the cells of a table row, which compares its result with that of the first row."""
    return (
        size,
        f"{disparities}",
        str(row.configuration),
        "*" if row.chosen else "",
        f"**{row.frame:.3f}**",
        f"{row.frame / first.frame:.2f}",
        f"{np.count_nonzero(row.disparity != first.disparity)}",
        f"{row.sweeps:.3f}" if row.sweeps else "",
        *(f"{row.stages.get(stage, 0.0):.3f}" for stage in STAGES),
    )


def main(
    *,
    frames: Count = 200,
    all: Annotated[bool, "measure more configurations"] = False,
    preset: Annotated[str, "preset of the parameters, with 8 paths"] = "libsgm",
    disparities: tuple[int, ...] = (128,),
    size: tuple[Size, ...] = SIZES,
) -> bool:
    """Time all configurations and print a table; return whether all results are the same."""
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
