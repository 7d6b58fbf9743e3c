"""Hysteresis: hand-worked chains, sets by another program, spirals, and tiles that must join."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu.edges import hysteresis as hysteresis_on_all_cores
from wheatstone.gpu.kernels.edges import hysteresis as hysteresis_on_gpu
from wheatstone.gpu.reference.edges import hysteresis

Follow = Callable[[Any, Any, Any], None]
ON_CPU = [pytest.param(hysteresis, id="reference"), pytest.param(hysteresis_on_all_cores, id="cpu")]
MEMORIES = ("global", "shared")


def followed(
    seeds: NDArray[np.uint8], follow: Follow = hysteresis
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    edges, strength = np.full_like(seeds, 77), np.full_like(seeds, 77)
    follow(seeds, edges, strength)
    return edges, strength


def emulated(memory: str) -> Follow:

    def follow(seeds: Any, edges: Any, strength: Any) -> None:
        hysteresis_on_gpu(seeds, edges, strength, np.full(seeds.shape, 77, np.int32), memory)

    return follow


def drawing(text: str) -> NDArray[np.uint8]:
    codes = {".": 0, "w": 128, "S": 255}
    return np.array([[codes[c] for c in line] for line in text.split()], np.uint8)


def spiral(height: int, width: int) -> NDArray[np.uint8]:
    """A weak line, one pixel wide, from the first pixel inwards; strong at its inner end."""
    seeds = np.zeros((height + 4, width + 4), np.uint8)
    seeds[:2] = seeds[-2:] = seeds[:, :2] = seeds[:, -2:] = 1  # walls
    y, x, dy, dx = 2, 2, 0, 1
    while True:
        seeds[y, x] = 128
        if seeds[y + dy, x + dx] or seeds[y + 2 * dy, x + 2 * dx] == 128:
            dy, dx = dx, -dy
            if seeds[y + dy, x + dx] or seeds[y + 2 * dy, x + 2 * dx] == 128:
                break
        y, x = y + dy, x + dx
    seeds[y, x] = 255
    return np.ascontiguousarray(seeds[2:-2, 2:-2])


def by_components(seeds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Edges by OpenCV's labels of connected pixels."""
    _, labels = cv2.connectedComponents((seeds > 0).astype(np.uint8), connectivity=8)
    kept = np.isin(labels, np.unique(labels[seeds == 255])) & (seeds > 0)
    return np.where(kept, 255, 0).astype(np.uint8)


def random_seeds(height: int, width: int, density: float) -> NDArray[np.uint8]:
    generator = np.random.default_rng((height, width))
    chosen = generator.random((height, width))
    seeds: NDArray[np.uint8] = np.select([chosen < 0.01, chosen < density], [255, 128], 0)
    return seeds.astype(np.uint8)


@pytest.mark.parametrize("follow", ON_CPU)
def test_weak_pixels_are_kept_along_chains_and_corners(follow: Follow) -> None:
    edges, strength = followed(
        drawing("""
            S.w.w
            .w.w.
            .....
            ww..w
        """),
        follow,
    )
    assert strength.tolist() == [[3, 0, 2, 0, 2], [0, 2, 0, 2, 0], [0] * 5, [1, 1, 0, 0, 1]]
    assert np.array_equal(edges, np.where(strength > 1, 255, 0))


@pytest.mark.parametrize("follow", ON_CPU)
@pytest.mark.parametrize("seeds", ["S", "w", "."])
def test_one_pixel_stays_what_it_is(follow: Follow, seeds: str) -> None:
    edges, _ = followed(drawing(seeds), follow)
    assert edges.tolist() == [[255 if seeds == "S" else 0]]


@pytest.mark.parametrize("follow", ON_CPU)
@pytest.mark.parametrize("density", [0.2, 0.35, 0.42, 0.6, 1.0])
@pytest.mark.parametrize(("height", "width"), [(131, 97), (1, 60), (60, 1), (3, 3)])
def test_sets_equal_connected_components(
    follow: Follow, height: int, width: int, density: float
) -> None:
    seeds = random_seeds(height, width, density)
    edges, _ = followed(seeds, follow)
    assert np.array_equal(edges, by_components(seeds))


@pytest.mark.parametrize("follow", ON_CPU)
def test_a_spiral_as_long_as_half_the_image_is_followed(follow: Follow) -> None:
    seeds = spiral(1080, 1920)
    assert np.count_nonzero(seeds) > 1_000_000
    assert np.count_nonzero(seeds == 255) == 1
    edges, _ = followed(seeds, follow)
    assert np.array_equal(edges > 0, seeds > 0)
    seeds[seeds == 255] = 128
    assert not followed(seeds, follow)[0].any()


@pytest.mark.parametrize("turned", range(4))
def test_a_chain_may_cross_bands_more_than_once(turned: int) -> None:
    # Teeth of a comb, whose back connects them at one end only.
    seeds = np.zeros((97, 97), np.uint8)
    seeds[:, ::2] = 128
    seeds[0] = 128
    seeds[96, 0] = 255
    seeds = np.ascontiguousarray(np.rot90(seeds, turned))
    assert np.array_equal(followed(seeds, hysteresis_on_all_cores)[0] > 0, seeds > 0)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("density", [0.35, 0.42, 1.0])
@pytest.mark.parametrize(("height", "width"), [(37, 67), (1, 70), (35, 1)])
def test_emulated_sets_equal_connected_components(
    memory: str, height: int, width: int, density: float
) -> None:
    seeds = random_seeds(height, width, density)
    edges, strength = followed(seeds, emulated(memory))
    assert np.array_equal(edges, by_components(seeds))
    assert np.array_equal(strength, followed(seeds)[1])


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("memory", MEMORIES)
def test_an_emulated_spiral_is_followed_through_every_tile(memory: str) -> None:
    seeds = spiral(75, 131)
    assert np.array_equal(followed(seeds, emulated(memory))[0] > 0, seeds > 0)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize(("dy", "dx"), [(0, 1), (1, 0), (1, 1), (1, -1)])
def test_emulated_sets_join_across_the_edges_of_tiles(memory: str, dy: int, dx: int) -> None:
    # Pairs of pixels at every place where four tiles of 16 x 32 meet.
    for y in (15, 16):
        for x in (31, 32):
            seeds = np.zeros((34, 66), np.uint8)
            seeds[y, x] = 255
            seeds[y + dy, x + dx] = 128
            assert followed(seeds, emulated(memory))[1][y + dy, x + dx] == 2
            seeds[y, x], seeds[y + dy, x + dx] = 128, 255
            assert followed(seeds, emulated(memory))[1][y, x] == 2
