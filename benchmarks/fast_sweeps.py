"""Variant `fast` of semi-global matching with 8 paths: leaned sweeps against one launch a path.

    python -m benchmarks.fast_sweeps [--frames N] [--all] [--preset NAME] [--disparities N ...]

prints a Markdown table: for each size the kernels that there were before, then leaned sweeps by how
many warps of a block sweep, and how many walk rows beside them; with ``--all`` by how many rows are
straight code as well. ``sweeps`` is the launch of these alone; where no warps walk rows, they come
after. The line that `fast` would choose by itself, could it choose, is marked. A result that
differs from the first one's ends with exit code 1.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cpu_sgm import textured_pair
from gpu import Unavailable
from gpu.analysis.measurement import lap, time_frames, time_stages
from gpu.execution import Execution, device_milliseconds, prepare
from gpu.kernels import packed_leaned
from gpu.pipelines.sgm import SGM, SgmParams, packing
from viewer.files.markdown import markdown

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
GROUPS = (4, 8)  # rows of straight code
ROWERS = (3, 0, 1, 6)  # warps that walk rows beside the sweeps


@dataclass(frozen=True)
class Way:
    """How paths are summed: without sweeps, or in blocks of so many warps.

    Attributes:
        warps: that sweep; 0: there are no sweeps.
        rowers: warps that walk rows beside them; 0: rows come after.
        group: rows of a sweep that are straight code.
    """

    warps: int
    rowers: int = 0
    group: int = packed_leaned.GROUP

    def __str__(self) -> str:
        if not self.warps:
            return "before"
        return f"{self.warps} + {self.rowers} warps, {self.group} rows"


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
    before, declared = (packing.LEANED, packing.LEANED_BLOCKS), packed_leaned.KERNELS
    packing.LEANED = way.warps > 0
    if way.warps:
        block = way.warps, way.rowers
        packing.LEANED_BLOCKS = (block,)
        packed_leaned.KERNELS = {
            (element, size, lanes, *block, adaptive): packed_leaned.kernel(
                element, size, lanes, *block, adaptive, way.group
            )
            for element, size, lanes, _, _, adaptive in declared
        }
    try:
        yield
    finally:
        (packing.LEANED, packing.LEANED_BLOCKS), packed_leaned.KERNELS = before, declared


def ways(all_of_them: bool) -> list[Way]:
    """List the ways that are measured: rows beside the sweeps or after them."""
    groups = GROUPS if all_of_them else (packed_leaned.GROUP,)
    rowers = ROWERS if all_of_them else ROWERS[:2]
    return [Way(0)] + [
        Way(warps, beside, group)
        for warps in sorted({warps for warps, _ in packing.LEANED_BLOCKS}, reverse=True)
        for beside in rowers
        for group in groups
    ]


def chosen(height: int, width: int, params: SgmParams) -> Way:
    """Find the way that ``fast`` would go where it could choose."""
    before, packing.LEANED = packing.LEANED, None
    swept = packing.leaned(height, width, params)
    packing.LEANED = before
    return Way(*packing.leaned_block(height, width, params.disparities)) if swept else Way(0)


def measure(way: Way, best: Way, params: SgmParams, width: int, height: int, frames: int) -> Row:
    """Measure one way at one size."""
    left, right = textured_pair(height, width, params.disparities)
    with going(way):
        execution = prepare(SGM, "fast", params, height, width)
        execution.upload(left=left, right=right)
        lap(execution)  # compiles
        times, _ = time_frames(execution, frames)
        stages = {name: t.median for name, t in time_stages(execution, 20).items()}
        sweeps = sweep_milliseconds(execution, params) if way.warps else 0.0
    return Row(way, way == best, times.median, stages, sweeps, execution.download("disparity"))


def sweep_milliseconds(execution: Execution, params: SgmParams) -> float:
    """Time the launch of the sweeps, with the rows beside them."""
    names = ("left_steps", "packed_matches", "packed_costs", "swept_sums", "swept_ninths")
    arguments = [execution.images[name] for name in (*names, "sweep_turns", "sweep_handed")]
    arguments += [params.p1, params.p2, params.p2_adaptation]
    sweep = partial(packed_leaned.packed_leaned, *arguments)
    return median(device_milliseconds(execution.device, sweep) for _ in range(20))


def rows(
    params: SgmParams, frames: int, all_of_them: bool
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Measure one size after the other; tell of each line whether its result is the first one's."""
    for width, height in SIZES:
        best = chosen(height, width, params)
        before: Row | None = None
        for way in ways(all_of_them):
            with going(way):
                if way.warps and not packing.leaned(height, width, params):
                    continue  # a block shares more than this GPU lets it
            row = measure(way, best, params, width, height, frames)
            before = before or row
            size = f"{width}x{height}"
            yield cells(size, params.disparities, row, before), same(row, before)


def same(row: Row, before: Row) -> bool:
    """Tell whether two results are the same."""
    return bool(np.array_equal(row.disparity, before.disparity))


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


def main() -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fast_sweeps")
    parser.add_argument("--frames", type=int, default=200, help="timed frames; default: 200")
    parser.add_argument("--all", action="store_true", help="try more ways")
    parser.add_argument("--preset", default="libsgm", help="settings; paths are 8")
    parser.add_argument("--disparities", type=int, nargs="+", default=[128])
    options = parser.parse_args()
    base = SgmParams().changed(**SGM.presets[options.preset])
    lines, right = [], True
    try:
        for disparities in options.disparities:
            params = replace(base, paths=8, disparities=disparities)
            for line, agrees in rows(params, options.frames, options.all):
                print(" ".join(line), file=sys.stderr, flush=True)
                lines.append(line)
                right &= agrees
    except Unavailable as error:
        print(f"fast_sweeps: {error}", file=sys.stderr)
        return 3
    print(markdown(HEADER, lines))
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
