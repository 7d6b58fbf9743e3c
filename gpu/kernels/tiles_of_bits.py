"""Define the macros of kernels that work on tiles of bits."""

from wheatstone.gpu.pipelines.canny.packing import BLOCK_COLUMNS, BLOCK_ROWS, MOST_SETS

DEFINES = {"BLOCK_ROWS": BLOCK_ROWS, "BLOCK_COLUMNS": BLOCK_COLUMNS, "MOST_SETS": MOST_SETS}
