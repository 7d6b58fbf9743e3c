"""Map the pixels of an image to the blocks and warps of the launch that computes them."""

from dataclasses import dataclass

import numpy as np

from wheatstone.gpu.analysis.kernel_facts import WARP
from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, around
from wheatstone.gpu.image import Int32


@dataclass(frozen=True)
class Tiling:
    """Layout of the threads of a launch over an image, one pixel per thread.

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
        """Count the warps of a block."""
        return -(-self.columns * self.rows // WARP) if self.variant else 1

    @property
    def moments(self) -> int:
        """Count the warps of all blocks."""
        return self.across * self.down * self.warps

    def order(self, height: int, width: int) -> Int32:
        """Return the number of each pixel's warp, counted over all blocks: (height, width)."""
        y, x = np.indices((height, width), np.int32)
        block = y // self.rows * self.across + x // self.columns
        thread = y % self.rows * self.columns + x % self.columns
        return block * self.warps + (thread // WARP if self.variant else 0)

    def boxes(self, moment: int) -> Boxes:
        """Return boxes around the current block and around its current warp."""
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

    def said(self, moment: int) -> str:
        """Describe the current block and warp in words."""
        block, warp = divmod(moment, self.warps)
        if not self.variant:
            return f"row {block} of {self.down}, as one thread computes it"
        return (
            f"block {block + 1} of {self.across * self.down}, {self.columns}x{self.rows} threads: "
            f"warp {warp + 1} of {self.warps}, as {self.variant} launches it; "
            "a GPU runs many blocks at once"
        )


def by_rows(height: int, width: int) -> Tiling:
    """Return the tiling of an image whose rows are computed one after the other."""
    return Tiling("", width, 1, 1, height)
