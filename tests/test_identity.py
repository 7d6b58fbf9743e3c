"""Whether A and B are the same: counted, said, and found."""

import math

import numpy as np
import pytest

from gpu.comparison import Difference, compare, counted
from gpu.device import open_device
from gpu.execution import prepare
from gpu.kernels.difference_count import KERNELS, difference_count
from gpu.pipelines.sgm import SGM, SgmParams
from tests.test_kernels_emulated import emulation as emulation
from tests.test_parity import images
from viewer.frames.identity import (
    Badge,
    Cluster,
    badge,
    clusters,
    difference,
    kept_by_both,
    stage_badge,
)

SIZES = [(1, 1), (1, 300), (33, 61), (3, 5, 7)]


def test_a_badge_says_how_many_where_and_how_much() -> None:
    same = badge(None, 2_073_600, 1 / 16, "px")
    assert same == Badge("identical: 0 of 2,073,600 differ", "good")
    found = Difference("disparity", 1234, 2_073_600, (7, 5), 24.0)
    text = "1,234 of 2,073,600 differ, first at (7, 5), largest 1.5 px"
    assert badge(found, 2_073_600, 1 / 16, "px") == Badge(text, "bad")


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("dtype", KERNELS, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("differing", [0.0, 0.01, 1.0])
def test_the_kernel_counts_what_numpy_counts(
    dtype: type[np.generic], shape: tuple[int, ...], differing: float
) -> None:
    generator = np.random.default_rng(len(shape))
    first, other = (
        np.frombuffer(generator.bytes(math.prod(shape) * np.dtype(dtype).itemsize), dtype)
        .reshape(shape)
        .copy()
        for _ in range(2)
    )  # of floats, some are not numbers and some infinite
    second = np.where(generator.random(shape) < differing, other, first)
    counts = np.zeros(3, np.int64)
    difference_count(first, second, counts)
    assert counted("x", counts, first) == compare("x", first, second)


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", KERNELS, ids=lambda dtype: dtype.__name__)
def test_the_device_counts_what_numpy_counts(dtype: type[np.generic]) -> None:
    device = open_device("cuda")
    first = np.random.default_rng(1).integers(0, 200, (1080, 1919)).astype(dtype)
    for second in (first, np.roll(first, 1, 0), np.where(first == first[700, 3], 0, first)):
        with device.active():
            arrays = [device.zeros(first.shape, dtype) for _ in range(2)]
        for array, host in zip(arrays, (first, second.astype(dtype)), strict=True):
            device.upload(array, host)
        found = difference("x", arrays[0], arrays[1], (device, device))
        assert found == compare("x", first, second.astype(dtype))


def test_stages_are_compared_one_by_one() -> None:
    left, right = images(37, 61, "shifted")
    runs = []
    for variant, params in (("reference", {}), ("cpu", {}), ("cpu", {"fill_holes": False})):
        run = prepare(SGM, variant, SgmParams(disparities=16, **params), 37, 61)  # type: ignore[arg-type]
        run.upload(left=left, right=right)
        run.run()
        runs.append(run)
    same = {n: stage_badge(n, *runs[:2]) for n in kept_by_both(*runs[:2])}
    assert {"cost", "sums", "disparity"} <= set(same) and "left" not in same
    assert {found.tone for found in same.values()} == {"good"}
    assert same["cost"].text == f"identical: 0 of {37 * 61 * 16:,} differ"
    other = {n: stage_badge(n, *runs[::2]) for n in kept_by_both(*runs[::2])}
    assert [name for name, found in other.items() if found.tone == "bad"] in ([], ["disparity"])


def test_pixels_that_are_near_each_other_are_one_cluster() -> None:
    differs = np.zeros((40, 60), bool)
    differs[30, 2] = differs[5, 40:43] = differs[9, 44] = True
    assert clusters(differs) == [Cluster(40, 5, 5, 5, 4), Cluster(2, 30, 1, 1, 1)]
    assert clusters(np.zeros((4, 5), bool)) == []
