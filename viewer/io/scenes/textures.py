"""Procedural textures: seamless tiles, their mip levels, and bilinear sampling.

A texel holds its three colours in the 16-bit lanes of one uint64, so that one multiplication
weighs all three: four weights that sum to 256 give 8.8 fixed-point colours. Sampling and levels
use integer arithmetic and plain IEEE operations: the same bytes on every machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.floating[Any]]
Colour = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Atlas:
    """An atlas: square textures of ``side`` x ``side`` texels with all their mip levels.

    Attributes:
        texels: (tiles * stride,) colours in the lanes of a uint64, red lowest.
        side: texels along a tile's edge, a power of two.
        starts: (levels,) offset of each mip level within a tile; level 0 is the finest.
        stride: texels of one tile, all levels together.
    """

    texels: NDArray[np.uint64]
    side: int
    starts: NDArray[np.int32]
    stride: int


def build_atlas(tiles: Sequence[NDArray[np.uint8]]) -> Atlas:
    """Pack textures, (side, side, 3) RGB each, into an atlas with all their mip levels."""
    side = tiles[0].shape[0]
    sizes = [(side >> level) ** 2 for level in range(side.bit_length())]
    texels = np.concatenate([_pack(level).ravel() for tile in tiles for level in _mip_levels(tile)])
    return Atlas(texels, side, np.cumsum([0, *sizes[:-1]], dtype=np.int32), sum(sizes))


def _mip_levels(tile: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    levels = [tile]
    while levels[-1].shape[0] > 1:
        fine = levels[-1].astype(np.uint16)
        total = fine[::2, ::2] + fine[1::2, ::2] + fine[::2, 1::2] + fine[1::2, 1::2]
        levels.append(((total + 2) >> 2).astype(np.uint8))
    return levels


def _pack(tile: NDArray[np.uint8]) -> NDArray[np.uint64]:
    red, green, blue = (tile[..., channel].astype(np.uint64) for channel in range(3))
    packed: NDArray[np.uint64] = red | green << np.uint64(16) | blue << np.uint64(32)
    return packed


def look_up(
    atlas: Atlas, tile: NDArray[np.int32], s: Field, t: Field, spacing: Field
) -> NDArray[np.uint64]:
    """Sample textures by bilinear interpolation in the nearest mip level.

    Args:
        atlas: the tiles.
        tile: (N,) tile numbers.
        s, t: (N,) coordinates in tiles; they repeat.
        spacing: (N,) distance between neighbouring pixels in level-0 texels; below 1 the finest
            level magnifies.

    Returns:
        (N,) colours, 8.8 fixed point in the 16-bit lanes.
    """
    # The exponent of a float is the whole part of its logarithm; sqrt(2) rounds to the nearest
    # level.
    exponent = (np.maximum(spacing * np.float32(2**0.5), 1).view(np.int32) >> 23) - 127
    level = np.minimum(exponent, len(atlas.starts) - 1)
    return _bilinear(
        atlas, tile * np.int32(atlas.stride) + atlas.starts[level], atlas.side >> level, s, t
    )


def _bilinear(
    atlas: Atlas, start: NDArray[np.int32], side: NDArray[np.int32], s: Field, t: Field
) -> NDArray[np.uint64]:
    """Interpolate the four texels around (s, t) in mip levels that begin at ``start``."""
    column, right = _split(s, side)
    row, below = _split(t, side)
    last = side - 1
    upper, lower = start + (row & last) * side, start + (row + 1 & last) * side
    column, next_column = column & last, column + 1 & last
    corner = right * below >> 8
    blended = atlas.texels[upper + column] * (256 - right - below + corner).view(np.uint32)
    blended += atlas.texels[upper + next_column] * (right - corner).view(np.uint32)
    blended += atlas.texels[lower + column] * (below - corner).view(np.uint32)
    blended += atlas.texels[lower + next_column] * corner.view(np.uint32)
    return blended


def _split(
    coordinate: Field, side: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Split coordinates into the texel before each, and the distance from it in 1/256."""
    fixed = (
        np.floor((coordinate - np.floor(coordinate)) * (side * 256).astype(np.float32)).astype(
            np.int32
        )
        - 128
    )
    return fixed >> 8, fixed & 255


def value_noise(
    side: int, random: np.random.Generator, lowest: int = 4, gain: float = 0.6
) -> Field:
    """Return noise: a sum of smoothly interpolated random lattices of increasing fineness.

    Args:
        lowest: cells per side of the coarsest lattice; each further one has twice as many, and the
            finest has one cell per texel.
        gain: weight of a lattice relative to the one before.

    Returns:
        (side, side) values, stretched to [0, 1].
    """
    total = np.zeros((side, side), np.float32)  # transposed, as the lattices come
    cells, amplitude = lowest, 1.0
    while cells <= side:
        lattice = random.random((cells, cells)).astype(np.float32)
        enlarged = _enlarge(np.ascontiguousarray(_enlarge(lattice, side).T), side)
        enlarged *= np.float32(amplitude)
        total += enlarged
        cells, amplitude = cells * 2, amplitude * gain
    least, most = total.min(), total.max()
    total -= least
    total /= most - least
    return np.ascontiguousarray(total.T)


def ranks(field: Field) -> Field:
    """Replace values by their ranks in [0, 1), so that a share x of all values is below x."""
    ranked = np.empty(field.size, np.float32)
    ranked[np.argsort(field, axis=None, kind="stable")] = (
        np.arange(field.size, dtype=np.float32) / field.size
    )
    return ranked.reshape(field.shape)


def _enlarge(lattice: Field, side: int) -> Field:
    """Enlarge a periodic lattice to ``side`` rows by interpolation between its rows."""
    count = len(lattice)
    place = (np.arange(side, dtype=np.float32) + np.float32(0.5)) * np.float32(count / side)
    cell = np.floor(place).astype(np.int64)
    part = place - cell.astype(np.float32)
    part = (part * part * (3 - 2 * part))[:, None]
    enlarged: Field = lattice[cell % count]
    after = lattice[(cell + 1) % count]
    enlarged *= 1 - part
    after *= part
    enlarged += after
    field: Field = enlarged
    return field


def chips(side: int, random: np.random.Generator, cells: int) -> tuple[Field, Field]:
    """Divide a tile into Voronoi cells of ``cells`` x ``cells`` scattered points.

    Returns:
        (side, side) a random number in [0, 1) for each Voronoi cell, and the distance to its border
        (0 at the border) in squares.
    """
    points = random.random((2, cells, cells)).astype(np.float32) * np.float32(0.8) + np.float32(0.1)
    names = random.random((cells, cells)).astype(np.float32)
    place = (np.arange(side, dtype=np.float32) + np.float32(0.5)) * np.float32(cells / side)
    home = np.floor(place).astype(np.int64)
    nearest = np.full((side, side), 9, np.float32)
    second, chip = nearest.copy(), nearest.copy()
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            cell = np.ix_((home + dy) % cells, (home + dx) % cells)
            down = points[0][cell] + ((home + dy) - place)[:, None].astype(np.float32)
            across = points[1][cell] + ((home + dx) - place)[None].astype(np.float32)
            distance = np.sqrt(down * down + across * across)
            second = np.minimum(second, np.maximum(nearest, distance))
            chip = np.where(distance < nearest, names[cell], chip)
            nearest = np.minimum(nearest, distance)
    return chip, second - nearest


def grid(
    side: int, rows: int, columns: int, stagger: float = 0.0
) -> tuple[NDArray[np.int64], Field, Field, Field]:
    """Divide a tile into ``rows`` x ``columns`` bricks, odd rows shifted by ``stagger`` bricks.

    Returns:
        (side, side) each: the brick's number, the position across and down in it in [0, 1), and
        the distance to its nearest joint in brick heights.
    """
    place = (np.arange(side, dtype=np.float32) + np.float32(0.5)) / side
    down = np.broadcast_to((place * rows)[:, None], (side, side))
    row = np.floor(down).astype(np.int64)
    across = (place * columns)[None] + np.float32(stagger) * (row % 2).astype(np.float32)
    column = np.floor(across).astype(np.int64)
    inside_x, inside_y = across - column.astype(np.float32), down - row.astype(np.float32)
    aspect = np.float32(rows / columns)
    joint = np.minimum(
        np.minimum(inside_x, 1 - inside_x) * aspect, np.minimum(inside_y, 1 - inside_y)
    )
    return row * columns + column % columns, inside_x, inside_y, joint.astype(np.float32)


def ramp(field: Field, colours: Sequence[Colour]) -> Field:
    """Convert (H, W) values in [0, 1] to (H, W, 3) colours, interpolated between given colours."""
    stops = np.linspace(0, 1, len(colours))
    channels = [
        np.interp(field, stops, [colour[channel] for colour in colours]) for channel in range(3)
    ]
    return np.stack(channels, axis=-1).astype(np.float32)


Painter = Callable[[int, np.random.Generator], Field]


def paint(painter: Painter, side: int, random: np.random.Generator) -> NDArray[np.uint8]:
    """Call the function that paints a texture; convert its (side, side, 3) colours to 8 bits."""
    return np.clip(np.rint(painter(side, random) * 255), 0, 255).astype(np.uint8)
