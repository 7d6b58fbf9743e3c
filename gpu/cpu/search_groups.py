"""List the disparities that each tile searches, in groups that fit one vector register."""

from typing import NamedTuple

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, BLOCK_DISPARITIES, SEARCH_TILE


class Groups(NamedTuple):
    """The groups of sixteen disparities that the pixels of each tile search.

    Attributes:
        columns: number of tiles of a row.
        listed: (tiles, 1 + D / 16): how many groups, then their numbers, ascending.
        absent: (tiles, D), flattened: 65535 for a disparity that is not searched, else 0.
    """

    columns: int
    listed: Uint16
    absent: Uint16


def groups_of(searched: Uint8) -> Groups:
    """List the groups that tiles search, from flags (H / 16, W / 16, D / 8) of searched blocks."""
    tiles = searched.reshape(-1, searched.shape[2])
    listed = np.zeros((len(tiles), 1 + tiles.shape[1] // 2), np.uint16)
    _list_groups(tiles, listed)
    absent = np.where(np.repeat(tiles, BLOCK_DISPARITIES, axis=1), 0, ABSENT).astype(np.uint16)
    return Groups(searched.shape[1], listed, absent.reshape(-1))


@compiled
def _list_groups(tiles: Uint8, listed: Uint16) -> None:
    for tile in range(tiles.shape[0]):
        count = 0
        for group in range(tiles.shape[1] // 2):
            if tiles[tile, 2 * group] or tiles[tile, 2 * group + 1]:
                count += 1
                listed[tile, count] = group
        listed[tile, 0] = count


@helper
def tile_of(searched: Groups, pixel: int, width: int) -> int:
    """Return the index of the tile that contains a pixel, counted row by row."""
    tile: int = pixel // width // SEARCH_TILE * searched.columns + pixel % width // SEARCH_TILE
    return tile
