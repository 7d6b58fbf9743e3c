"""The layout of work and arrays in variant `fast` of template matching."""

from typing import Any

from wheatstone.gpu.device import gpu_size
from wheatstone.gpu.pipelines.ncc.params import NccParams, Region

WINDOWS = (128, 64)  # that a block computes: columns, rows
COLUMNS = 192  # of the tile that their windows lie in
MOST_COLUMNS, MOST_ROWS = 57, 64  # of a part of the template
FEW_COLUMNS = 25  # of a part for which half the products are enough
LARGEST = 66051  # pixels, of which the sum of N * 255 * 255 fits 32 bits
TENSOR_CORES = 80  # the compute capability from which on there are such that multiply bytes


def part_of(template: Region) -> tuple[int, int]:
    """Compute the columns and rows of the parts into which a large template is divided."""
    _, _, width, height = template
    return _share(width, MOST_COLUMNS), _share(height, MOST_ROWS)


def _share(count: int, most: int) -> int:
    parts = -(-count // most)
    return -(-count // parts)


def without_tensor_cores(template: Region) -> str:
    """Return why the variant `fast` cannot run its tensor core kernel; empty if it can."""
    _, _, width, height = template
    if width * height > LARGEST:
        return (
            f"the template of {width}x{height} has {width * height} pixels, 32-bit sums allow at "
            f"most {LARGEST}"
        )
    gpu = gpu_size()
    if gpu and gpu.capability < TENSOR_CORES:
        own = gpu.capability / 10
        return f"tensor cores multiply bytes from compute capability 8.0 on (got {own})"
    return ""


def remark_fast(params: NccParams, height: int, width: int) -> str:
    """Return a note if the variant `fast` runs a plain kernel; else empty."""
    complaint = without_tensor_cores(params.template)
    return complaint and f"uses one thread per pixel: {complaint}"


def window_words(height: int, width: int, params: Any) -> int:
    """Compute the number of words that store window sums: two per window; 1 if none is stored."""
    if without_tensor_cores(params.template) or part_of(params.template) == params.template[2:]:
        return 1
    columns, rows = WINDOWS
    return 2 * (-(-width // columns) * columns) * (-(-height // rows) * rows)


def groups(height: int, width: int, params: Any) -> int:
    """Compute the number of pixel groups that list candidate peaks: one group per block."""
    columns, rows = WINDOWS
    return -(-height // rows) * -(-width // columns)


def most_candidates(height: int, width: int, params: Any) -> int:
    """Compute the largest number of candidates in all groups: one per 2x2 pixels."""
    columns, rows = WINDOWS
    return groups(height, width, params) * columns * rows // 4
