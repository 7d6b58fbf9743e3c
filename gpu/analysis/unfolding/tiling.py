"""Lay the threads of a launch over an image: which pixel which block and which warp computes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.kernel_facts import WARP
from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, around


@dataclass(frozen=True)
class Tiling:
    """How the threads of a launch lie over an image, a pixel each.

    Attributes:
        variant: whose launch it is; empty: there is none, and a row counts as a block.
        columns, rows: of a block, in pixels.
        across, down: blocks in a row of blocks, and rows of blocks.
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

    def order(self, height: int, width: int) -> NDArray[np.int32]:
        """Count warps, and tell each pixel's: (height, width)."""
        y, x = np.indices((height, width), np.int32)
        block = y // self.rows * self.across + x // self.columns
        thread = y % self.rows * self.columns + x % self.columns
        return block * self.warps + (thread // WARP if self.variant else 0)

    def boxes(self, moment: int) -> Boxes:
        """Outline the block in work, and in it the warp."""
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
        """Say which block and which warp is in work."""
        block, warp = divmod(moment, self.warps)
        if not self.variant:
            return f"row {block} of {self.down}, as one thread computes it"
        return (
            f"block {block + 1} of {self.across * self.down}, {self.columns}x{self.rows} threads: "
            f"warp {warp + 1} of {self.warps}, as {self.variant} launches it; "
            "a GPU runs many blocks at once"
        )


def by_rows(height: int, width: int) -> Tiling:
    """Give the tiling of an image whose rows come one after the other."""
    return Tiling("", width, 1, 1, height)
