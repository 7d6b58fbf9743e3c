"""The layout of work and arrays in variant `fast` of semi-global matching.

A leaned sweep sums three paths at once, with each row shifted by one column from the row before.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from wheatstone.gpu.device import GpuSize, gpu_size

STRETCH = 8  # pixels of a row, after which its path costs are kept
FEW_COSTS = 240_000_000  # path costs of an image, at most, that are all kept
SWEEP_THREADS = 256  # of a block of a sweep
LANES = (1, 2, 4, 8, 16, 32)  # that own a pixel, 16 disparities each
NINE_BITS = 511  # the largest sum of three path costs that they hold

# Six of eight paths are summed by leaned sweeps: always or never, where that is possible, or, if
# None, where `pays` says so.
LEANED: bool | None = None


class LeanedBlock(NamedTuple):
    """A thread block of a leaned sweep (with shifted rows): its number of warps for each task.

    Attributes:
        warps: warps that sweep.
        rowers: additional warps, which walk rows meanwhile. Blocks that do not sweep walk rows,
            too, and so do all blocks once nothing remains to sweep.
        receivers: warps that receive rows from another block, in turns. With two of them 16 warps
            that sweep have 96 registers, with four 80: five warps per scheduler instead of six.
    """

    warps: int
    rowers: int
    receivers: int = 4

    @property
    def threads(self) -> int:
        """Compute the threads of the block, including a warp that sends rows to another block."""
        return 32 * (self.warps + self.rowers + self.receivers + 1)


NO_BLOCK = LeanedBlock(0, 0)
# Warps that walk rows beside the sweeps take the turns that these leave, and registers: of 16 warps
# that sweep too many. On an H200 a frame with three of them takes 1.02 to 1.08 times as long as
# without at 1280x720 with 256 disparities, at 2560x1440 and 3840x2160 with 128; with eight warps
# 0.96 times at 1920x1080 with 128, and elsewhere 1.00 to 1.03 times.
LEANED_BLOCKS: tuple[LeanedBlock, ...] = (
    LeanedBlock(16, 0, receivers=2),
    LeanedBlock(8, 3),
    LeanedBlock(4, 3),
)
LEAST_WALKING = 4.3  # warps a multiprocessor for which leaned sweeps pay
FEWEST_MULTIPROCESSORS = 100
LARGE_GPU = GpuSize(132, shared_bytes=227 * 1024, capability=90)  # where there is none to ask


def lanes_of(disparities: int) -> int:
    """Compute the number of lanes per pixel: the least power of two for all disparities."""
    return next(lanes for lanes in LANES if 16 * lanes >= disparities)


def rows_of(directions: Sequence[tuple[int, int]]) -> int:
    """Count the directions (dx, dy) that run along rows."""
    return sum(dy == 0 for _, dy in directions)


def leaned(height: int, width: int, params: Any) -> bool:
    """Return whether sweeps with shifted rows ("leaned") aggregate the six paths not along rows.

    The other kernels do the rest: fewer paths, sweeps with two pixels before each, and blocks that
    would need more shared memory than the GPU has.
    """
    if LEANED is False or params.paths_summed < 8:
        return False
    possible = leaned_block(height, width, params.disparities) != NO_BLOCK
    return possible and (LEANED or pays(width, params.disparities))


def pays(width: int, disparities: int) -> bool:
    """Return whether leaned (row-shifted) sweeps are faster than other kernels at this width.

    A row of a sweep has few warps, and waits for the row before. On an H200, with 128 disparities,
    a frame with sweeps takes 1.03 times as long at 1024x440 (3.9 warps per multiprocessor), 0.85
    times at 1242x375 (4.7), and 0.71 times at 3840x2160.
    """
    gpu = gpu_size() or LARGE_GPU
    enough = walking(width, disparities) >= LEAST_WALKING
    return enough and gpu.multiprocessors >= FEWEST_MULTIPROCESSORS


def walking(width: int, disparities: int) -> float:
    """Compute the warps per multiprocessor that aggregate a row of both leaned (shifted) sweeps."""
    gpu = gpu_size() or LARGE_GPU
    return 2 * width * lanes_of(disparities) / 32 / gpu.multiprocessors


def leaned_columns(lanes: int, warps: int) -> int:
    """Compute how many columns a thread block of a leaned (row-shifted) sweep aggregates."""
    return warps * 32 // lanes


def leaned_bytes(lanes: int, warps: int, rowers: int) -> int:
    """Compute the most shared memory, in bytes, of a block of a leaned (row-shifted) sweep.

    They hold path costs of two directions and their minima, of eight rows, or of four if the block
    has many columns; and the data fetched ahead, of four rows.
    """
    rows = 4 if warps > 8 else 8
    columns, walkers = leaned_columns(lanes, warps), 32 * warps
    paths, minima = 2 * 32 * (columns + 2) * lanes, 4 * min(lanes, 8) * (columns + 2)
    fetched = 16 * walkers + 4 * (columns + 2 * warps)
    flags, penalties, rest = 64 * (warps + 2), 1024, 64
    row_costs = max(rowers, 1) * row_bytes(lanes)
    return rows * (paths + minima) + 4 * fetched + flags + penalties + rest + row_costs


def row_span(lanes: int) -> int:
    """Return the number of lanes per pixel on paths along rows: twice ``lanes``, at most a warp."""
    return min(2 * lanes, LANES[-1])


def row_bytes(lanes: int) -> int:
    """Compute the bytes of shared memory that a warp needs for paths along rows."""
    words = 8 * lanes // row_span(lanes)
    groups = 3 if words == 8 else 4
    return groups * (4 * 32 * 2 * words + 16 * (32 // row_span(lanes)))


def leaned_block(height: int, width: int, disparities: int) -> LeanedBlock:
    """Choose the thread block of a leaned (row-shifted) sweep: wide, if enough blocks remain.

    Returns:
        The block; ``NO_BLOCK`` if none fits the GPU.
    """
    gpu, lanes = gpu_size() or LARGE_GPU, lanes_of(disparities)
    most = 4 * width / gpu.multiprocessors  # columns of a block, if enough blocks are to sweep
    chosen = NO_BLOCK
    for block in LEANED_BLOCKS:
        if leaned_bytes(lanes, block.warps, block.rowers) <= gpu.shared_bytes:
            chosen = block
            if leaned_columns(lanes, block.warps) < most:
                break
    return chosen


def leaned_blocks(height: int, width: int, disparities: int) -> int:
    """Compute the number of thread blocks of a leaned (row-shifted) sweep."""
    block = leaned_block(height, width, disparities)
    return -(-(height + width - 1) // leaned_columns(lanes_of(disparities), block.warps))


def leaned_grid(height: int, width: int, disparities: int) -> tuple[int, int]:
    """Compute the blocks launched for leaned (row-shifted) sweeps, and how many of them sweep."""
    gpu, block = gpu_size() or LARGE_GPU, leaned_block(height, width, disparities)
    columns = leaned_columns(lanes_of(disparities), block.warps)
    sweepers = 2 * min(-(-width // columns) + 1, leaned_blocks(height, width, disparities))
    return max(sweepers, gpu.multiprocessors), sweepers


def leaned_sweeps(height: int, width: int, params: Any) -> int:
    """Return the number of leaned (row-shifted) sweeps: 2, or 0 if other kernels are used."""
    return 2 if leaned(height, width, params) else 0


def sum_bytes(height: int, width: int, params: Any) -> int:
    """Return the bytes per stored sum: 1 with a separate ninth bit, if that suffices; else 2."""
    return 1 if 3 * params.largest_path_cost <= NINE_BITS else 2


def ninth_sweeps(height: int, width: int, params: Any) -> int:
    """Return the number of sweeps that store each sum as a byte, and its ninth bit separately."""
    nine = sum_bytes(height, width, params) == 1
    return leaned_sweeps(height, width, params) if nine else 0


def ninth_groups(height: int, width: int, params: Any) -> int:
    """Return the number of groups of 16 disparities, whose sums' ninth bits are stored together."""
    return int(params.disparities) // 16


def rows_apart(height: int, width: int, params: Any) -> int:
    """Return how many paths along rows store their costs only at the ends of stretches of pixels.

    These pixels are the ends of stretches of a row. In large images the number is that of all paths
    along rows. In small ones and with leaned sweeps it is 0: for small images it is faster to write
    all path costs than to walk the rows again; and with leaned sweeps there is little else to read.
    """
    if leaned(height, width, params):
        return 0
    costs = params.paths_summed * height * width * params.disparities
    return rows_of(params.directions) if costs > FEW_COSTS else 0


def volumes(height: int, width: int, params: Any) -> int:
    """Return the number of paths whose costs are stored at every pixel."""
    if leaned(height, width, params):
        return rows_of(params.directions)
    return int(params.paths_summed) - rows_apart(height, width, params)


def stretches(height: int, width: int, params: Any) -> int:
    """Compute the number of stretches, of ``STRETCH`` pixels each, that a row consists of."""
    return -(-width // STRETCH)


def sweep_blocks(height: int, width: int, lanes: int) -> int:
    """Compute the number of blocks of a sweep in which each row is shifted by one column."""
    return -(-(height + width - 1) * lanes // SWEEP_THREADS)


def sweep_words(height: int, width: int, params: Any) -> int:
    """Compute the number of words that blocks of both sweeps pass to their neighbours.

    Eight per lane for each path cost that crosses: three of a leaned sweep, two of others.
    """
    lanes = lanes_of(params.disparities)
    if leaned(height, width, params):
        blocks, crossing = leaned_blocks(height, width, params.disparities), 3
    else:
        blocks, crossing = sweep_blocks(height, width, lanes) if params.sweeps else 0, 2
    return max(2 * blocks * height * crossing * 8 * lanes, 1)
