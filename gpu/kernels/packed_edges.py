"""Find strong and weak maxima of the gradient on the GPU, in one pass."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.canny.params import DERIVATIVE, SMOOTHING

WARPS = 4
PIXELS = 8  # of a thread in a row
COLUMNS = 32 * PIXELS  # of a warp
LARGE = 4_000_000  # pixels, from which a warp has more rows: enough warps are left
ROWS = {False: 6, True: 8}  # of a warp, by whether the image is large
UNIT = {3: 1, 5: 1, 7: 16}  # what a gradient is stored in
MOST_HALVES = 2047  # above every magnitude |gx| + |gy| of aperture 3, and exact in half precision


def _kernel(norm: str, aperture: int, rows: int, aligned: bool) -> Kernel:
    return Kernel(
        "packed_edges.cu",
        "packed_edges",
        (np.uint8, np.uint32, np.uint32) + (np.int32,) * 4,
        arrays=3,
        defines=(
            ("APERTURE", str(aperture)),
            ("SMOOTHING", ",".join(map(str, SMOOTHING[aperture]))),
            ("DERIVATIVE", ",".join(map(str, DERIVATIVE[aperture]))),
            ("SQUARED", str(int(norm == "l2"))),
            ("ALIGNED_ROWS", str(int(aligned))),
            ("ROWS", str(rows)),
            ("WARPS", str(WARPS)),
        ),
    )


KERNELS = {
    (norm, aperture, rows, aligned): _kernel(norm, aperture, rows, aligned)
    for norm in ("l1", "l2")
    for aperture in SMOOTHING
    for rows in ROWS.values()
    for aligned in (True, False)
}


def packed_edges(
    blurred: Array,
    weak_bits: Array,
    strong_bits: Array,
    low: int,
    high: int,
    norm: str,
    aperture: int,
) -> None:
    """Launch the kernel."""
    height, width = blurred.shape
    rows = ROWS[height * width >= LARGE]
    grid = blocks((COLUMNS, WARPS * rows), width, height)
    compared = (as_compared(threshold, norm, aperture) for threshold in (low, high))
    KERNELS[norm, aperture, rows, width % PIXELS == 0](
        grid, (32 * WARPS,), blurred, weak_bits, strong_bits, height, width, *compared
    )


def as_compared(threshold: int, norm: str, aperture: int) -> int:
    """Give a threshold in the unit that a kernel compares in, which is to be exceeded.

    With gradients in 1/16, 16 m > t is m > t / 16, rounded down; a root above t is a sum of squares
    above t squared.
    """
    if norm == "l2":
        return threshold**2 // UNIT[aperture] ** 2
    if aperture == 3:
        return int(np.float16(min(threshold, MOST_HALVES)).view(np.uint16)) * 0x10001
    return threshold // UNIT[aperture]
