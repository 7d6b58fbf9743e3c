"""Hysteresis on tiles of bits keeps what the reference keeps, whatever the seeds."""

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_hysteresis import followed, random_seeds, spiral
from wheatstone.gpu.kernels.packed_edges import (
    packed_hysteresis,
    packed_seams,
    packed_strength,
    packed_tiles,
)
from wheatstone.gpu.pipelines.canny.images import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    SIDES,
    TILE,
    sets,
    tiles,
)

BLOCK = (TILE * BLOCK_ROWS, TILE * BLOCK_COLUMNS)  # pixels whose sets are joined in shared memory


def packed(mask: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """A bit a pixel, a word 32 of a row, tile by tile."""
    padded = np.pad(mask, [(0, -length % TILE) for length in mask.shape])
    rows = np.packbits(padded, axis=1, bitorder="little").view(np.uint32)
    tiled = rows.reshape(-1, TILE, rows.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(tiled)


def follow(seeds: Any, edges: Any, strength: Any) -> None:
    """The launches of hysteresis, once they run on the CPU; memory holds what was there before."""
    height, width = seeds.shape
    weak, strong = packed(seeds > 0), packed(seeds == 255)
    side_sets = np.full((tiles(height, width, None), SIDES, TILE), 5, np.uint16)
    parents = np.full(sets(height, width, None), 7, np.uint32)
    packed_tiles(weak, strong, side_sets, parents)
    packed_seams(weak, side_sets, parents)
    packed_hysteresis(weak, strong, side_sets, parents, edges)
    packed_strength(edges, weak, strong, strength)


def assert_followed(seeds: NDArray[np.uint8]) -> None:
    for ours, theirs in zip(followed(seeds, follow), followed(seeds), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("density", [0.2, 0.35, 0.42, 0.6, 1.0])
@pytest.mark.parametrize("size", [(131, 97), (1, 300), (300, 1), (129, 257), (37, 70)])
def test_emulated_sets_equal_the_references(size: tuple[int, int], density: float) -> None:
    seeds = random_seeds(*size, density)
    assert_followed(seeds)
    seeds[seeds == 255] = 128
    seeds[0, 0] = 255
    assert_followed(seeds)


def winding_lines(height: int, width: int, pick: random.Random) -> NDArray[np.uint8]:
    """Lines that turn at random and cross each other; some have strong pixels."""
    steps = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
    seeds = np.zeros((height, width), np.uint8)
    for _ in range(pick.randint(1, 40)):
        y, x, way = pick.randrange(height), pick.randrange(width), pick.randrange(8)
        strong = pick.choice((0.0,) * 6 + (0.05,))
        for _ in range(pick.randint(1, 200)):
            seeds[y, x] = max(int(seeds[y, x]), 255 if pick.random() < strong else 128)
            way = (way + pick.choice((0, 0, 0, 0, 1, -1))) % 8
            y = min(max(y + steps[way][0], 0), height - 1)
            x = min(max(x + steps[way][1], 0), width - 1)
    return seeds


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("seed", range(20))
def test_emulated_winding_lines_are_followed(seed: int) -> None:
    pick = random.Random(seed)
    assert_followed(winding_lines(pick.randint(1, 200), pick.randint(1, 300), pick))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("turned", range(4))
@pytest.mark.parametrize("strong", range(0, TILE, 3))
def test_emulated_strong_pixels_are_met_from_above_below_and_beside(
    strong: int, turned: int
) -> None:
    # Two lines down a tile that a third one joins at its foot; one pixel is strong.
    seeds = np.zeros((TILE, TILE), np.uint8)
    seeds[:, 4] = seeds[3:29, 20] = seeds[28, 4:21] = 128
    seeds[strong, 4] = 255
    assert_followed(np.ascontiguousarray(np.rot90(seeds, turned)))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("turned", range(4))
@pytest.mark.parametrize("size", [(75, 131), (301, 413)])
def test_emulated_spirals_are_followed_from_either_end(size: tuple[int, int], turned: int) -> None:
    inner = np.ascontiguousarray(np.rot90(spiral(*size), turned))
    assert np.array_equal(followed(inner, follow)[0] > 0, inner > 0)
    nothing = np.where(inner > 0, 128, 0).astype(np.uint8)
    assert not followed(nothing, follow)[0].any()
    y, x = {0: (0, 0), 1: (-1, 0), 2: (-1, -1), 3: (0, -1)}[turned]
    assert nothing[y, x]
    nothing[y, x] = 255
    assert np.array_equal(followed(nothing, follow)[0] > 0, inner > 0)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("turned", range(4))
@pytest.mark.parametrize("teeth", [2, 3, 7])
def test_emulated_combs_cross_every_seam_more_than_once(teeth: int, turned: int) -> None:
    seeds = np.zeros((2 * BLOCK[0] + 9, BLOCK[1] + 40), np.uint8)
    seeds[:, ::teeth] = 128
    seeds[0] = 128
    seeds[-1, 0] = 255
    assert_followed(np.ascontiguousarray(np.rot90(seeds, turned)))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("dy", "dx"), [(0, 1), (1, 0), (1, 1), (1, -1)])
@pytest.mark.parametrize("corner", [(TILE, TILE), BLOCK])
def test_emulated_pixels_join_where_four_tiles_or_blocks_meet(
    corner: tuple[int, int], dy: int, dx: int
) -> None:
    for y in (corner[0] - 1, corner[0]):
        for x in (corner[1] - 1, corner[1]):
            for first, second in ((255, 128), (128, 255)):
                seeds = np.zeros((corner[0] + 3, corner[1] + 5), np.uint8)
                seeds[y, x], seeds[y + dy, x + dx] = first, second
                assert np.count_nonzero(followed(seeds, follow)[0]) == 2


@pytest.mark.usefixtures("emulation")
def test_emulated_diagonals_join_where_two_tiles_and_two_blocks_meet() -> None:
    # Rows of tiles of one block, columns of two, and the other way round.
    for y, x in ((TILE, BLOCK[1]), (BLOCK[0], TILE)):
        for dx in (-1, 0):
            seeds = np.zeros((y + 3, x + 3), np.uint8)
            seeds[y - 1, x + dx], seeds[y, x - 1 - dx] = 128, 255
            assert np.count_nonzero(followed(seeds, follow)[0]) == 2


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("strong", [None, (0, 2), (129, 95), (159, 191)])
def test_emulated_tiles_may_have_as_many_sets_as_their_sides_hold(strong: Any) -> None:
    # Single pixels along all sides; those of neighbouring tiles touch by their corners.
    tile = np.zeros((TILE, TILE), np.uint8)
    tile[0, ::2] = tile[::2, 0] = tile[-1, 1::2] = tile[1::2, -1] = 128
    seeds = np.tile(tile, (5, 6))
    if strong:
        assert seeds[strong]
        seeds[strong] = 255
    assert_followed(seeds)


def follow_on_gpu(seeds: Any, edges: Any, strength: Any) -> None:
    """The launches of hysteresis on a GPU; memory holds what was there before."""
    import cupy

    height, width = seeds.shape
    weak, strong = cupy.asarray(packed(seeds > 0)), cupy.asarray(packed(seeds == 255))
    side_sets = cupy.full((tiles(height, width, None), SIDES, TILE), 5, np.uint16)
    parents = cupy.full(sets(height, width, None), 7, np.uint32)
    listed = [cupy.full(seeds.shape, 77, np.uint8) for _ in range(2)]
    packed_tiles(weak, strong, side_sets, parents)
    packed_seams(weak, side_sets, parents)
    packed_hysteresis(weak, strong, side_sets, parents, listed[0])
    packed_strength(listed[0], weak, strong, listed[1])
    edges[:], strength[:] = (each.get() for each in listed)


@pytest.mark.cuda
@pytest.mark.parametrize("turned", range(2))
@pytest.mark.parametrize("size", [(1080, 1920), (2160, 3840), (1079, 1919)])
def test_spirals_are_followed_on_a_gpu(size: tuple[int, int], turned: int) -> None:
    seeds = np.ascontiguousarray(np.rot90(spiral(*size), 2 * turned))
    for _ in range(20):  # unions race: any order gives the same
        assert np.array_equal(followed(seeds, follow_on_gpu)[0] > 0, seeds > 0)
    seeds = np.where(seeds > 0, 128, 0).astype(np.uint8)
    assert not followed(seeds, follow_on_gpu)[0].any()
    seeds[(-1, -1) if turned else (0, 0)] = 255
    for _ in range(20):
        assert np.array_equal(followed(seeds, follow_on_gpu)[0] > 0, seeds > 0)


@pytest.mark.cuda
@pytest.mark.parametrize("seed", range(40))
def test_winding_lines_are_followed_on_a_gpu(seed: int) -> None:
    pick = random.Random(seed)
    seeds = winding_lines(pick.randint(1, 500), pick.randint(1, 700), pick)
    expected = followed(seeds)
    for _ in range(5):
        for ours, theirs in zip(followed(seeds, follow_on_gpu), expected, strict=True):
            assert np.array_equal(ours, theirs)
