"""Variant ``fast`` of semi-global matching gives the reference's bits, whatever the parameters."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_parity import assert_same, images
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.kernels import kernel as kernel_module
from wheatstone.gpu.kernels.image_filters import mean_filter
from wheatstone.gpu.kernels.kernel import Kernel
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.packing import STRETCH, rows_of
from wheatstone.gpu.pipelines.sgm.params import LARGEST_COSTS, SUBPIXEL_FITS, path_count

FAST = SGM.variant("fast")
KINDS = ("noise", "shifted", "extremes")
WORDS_ALONE = SgmParams(disparities=48, paths=8, gradient=False, outside=-1)


def random_case(seed: int, longest: int, most: int) -> tuple[SgmParams, int, int, str]:
    """Parameters, height, width and kind of images; sides and disparities have an upper bound."""
    pick = random.Random(seed)
    p2 = pick.choice((0, 60, 223, 224, pick.randint(0, 4095), 4095))
    params = SgmParams(
        disparities=16 * pick.randint(1, most // 16),
        min_disparity=pick.choice((0, 0, 9, -7, pick.randint(-40, 40), 1024, -1024)),
        cost=pick.choice(tuple(LARGEST_COSTS)),
        paths=pick.choice((4, 8, "sweeps")),
        p1=min(pick.choice((0, 10, pick.randint(0, 1023))), p2),
        p2=p2,
        p2_adaptation=pick.choice(("none", "divide", "soft")),
        gradient=pick.random() < 0.5,
        outside=pick.choice((-1, -1, 12, 255)),
        uniqueness=pick.choice((0, 5, 100)),
        lr_check=pick.choice((-1, 0, 1, 255)),
        subpixel=pick.choice(SUBPIXEL_FITS),
        median=pick.random() < 0.7,
    )
    if pick.random() < 0.25:  # a part of the paths
        first, last = sorted(pick.randint(1, path_count(params)) for _ in range(2))
        params = replace(params, first_path=first, last_path=last)
    height, width = (pick.choice((1, pick.randint(2, longest))) for _ in range(2))
    return params, height, width, pick.choice(KINDS)


def unpacked(packed: NDArray[np.uint8]) -> NDArray[np.uint16]:
    paths, height, width, disparities, size = packed.shape
    half = disparities // 2
    shape = (paths, height, width, half, 2)
    if size == 2:
        pairs = packed.reshape(paths, height, width, -1).view(np.uint16).reshape(shape)
    else:
        quads = packed.reshape(paths, height, width, half // 2, 2, 2)
        pairs = quads.astype(np.uint16).swapaxes(-1, -2).reshape(shape)
    return np.concatenate((pairs[..., 0], pairs[..., 1]), axis=-1)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every image is computed as large ones are: rows are walked twice."""
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.FEW_COSTS", 0)


@pytest.fixture(params=["small", "large"])
def either(request: pytest.FixtureRequest) -> None:
    if request.param == "large":
        request.getfixturevalue("large")


def packed_and_sums(params: SgmParams, image: str) -> tuple[NDArray[np.uint16], NDArray[Any]]:
    """Path costs of ``fast`` by path and disparity, and the reference's sums of a 5x21 pair."""
    left, right = images(5, 21, "shifted")
    ours, reference = (prepare(SGM, name, params, 5, 21) for name in ("fast", "reference"))
    for execution in (ours, reference):
        execution.upload(left=left, right=right)
        execution.run()
    return unpacked(ours.download(image)), reference.download("sums")


SIZES = pytest.mark.parametrize(
    ("cost", "p2", "size"), [("census-ring", 223, 1), ("absolute", 223, 2)]
)


@pytest.mark.parametrize("median", [False, True])
@pytest.mark.usefixtures("emulation")
def test_four_pixels_are_checked_at_once_at_every_width(median: bool) -> None:
    """Heights, smallest disparities and checks take turns."""
    for width in range(1, 21):
        params = SgmParams(disparities=16, min_disparity=(0, -20)[width % 2], median=median)
        params = replace(params, lr_check=(1, -1)[width % 3 == 0], uniqueness=5 * (width % 4))
        assert_same(SGM, SGM.variant("fast"), params, 1 + width % 5, width, "noise")


@SIZES
@pytest.mark.parametrize("last_path", [4, 8])
@pytest.mark.usefixtures("emulation")
def test_packed_path_costs_add_up_to_the_references_sums(
    cost: str, p2: int, size: int, last_path: int
) -> None:
    params = WORDS_ALONE.changed(cost=cost, p2=p2, first_path=3, last_path=last_path)
    assert (params.path_cost_bytes, rows_of(params.directions)) == (size, 0)
    packed, sums = packed_and_sums(params, "packed_costs")
    assert np.array_equal(packed.sum(axis=0, dtype=np.uint16), sums)


@SIZES
@pytest.mark.parametrize("path", [1, 2])
@pytest.mark.usefixtures("emulation", "large")
def test_path_costs_of_rows_are_kept_where_a_stretch_ends(
    cost: str, p2: int, size: int, path: int
) -> None:
    params = WORDS_ALONE.changed(cost=cost, p2=p2, first_path=path, last_path=path)
    assert (params.path_cost_bytes, rows_of(params.directions)) == (size, 1)
    (kept,), sums = packed_and_sums(params, "row_costs")
    ends = sums[:, 0 if path == 1 else STRETCH - 1 :: STRETCH]
    assert np.array_equal(kept[:, : ends.shape[1]], ends)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.usefixtures("emulation")
def test_emulated_fast_equals_reference(request: pytest.FixtureRequest, seed: int) -> None:
    """Every other one as a large image."""
    if seed % 2:
        request.getfixturevalue("large")
    params, height, width, kind = random_case(seed, longest=40, most=144)
    assert_same(SGM, FAST, params, height, width, kind)


@pytest.mark.parametrize("min_disparity", [-7, 0, 9])
@pytest.mark.parametrize("disparities", [16, 48, 64, 80, 128])
@pytest.mark.usefixtures("emulation", "either")
def test_emulated_fast_equals_reference_at_every_packing(
    disparities: int, min_disparity: int
) -> None:
    params = SgmParams(paths=8, disparities=disparities, min_disparity=min_disparity)
    assert_same(SGM, FAST, params, 9, 43, "shifted")


@pytest.mark.parametrize("adaptation", ["none", "divide", "soft"])
@pytest.mark.parametrize("cost", tuple(LARGEST_COSTS))
@pytest.mark.usefixtures("emulation", "either")
def test_emulated_fast_does_not_wrap_at_the_largest_penalties(cost: str, adaptation: str) -> None:
    weights = {"p1": 1023, "p2": 4095, "cost": cost, "p2_adaptation": adaptation}
    largest = SgmParams(disparities=64, paths=8).changed(**weights)
    assert_same(SGM, FAST, largest, 7, 30, "noise")
    for params in (replace(largest, p1=0), replace(largest, paths="sweeps")):
        assert_same(SGM, FAST, params, 7, 30, "extremes")


@pytest.mark.parametrize(
    "changes",
    [
        {"p1": 0},
        {"p2": 60},
        {"uniqueness": 0},
        {"lr_check": -1},
        {"min_disparity": 3},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_a_held_key_changes_needs_no_new_kernel(
    emulation: None, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    launched: set[Kernel] = set()
    function = kernel_module.function

    def remember(kernel: Kernel, shared: int) -> Any:
        launched.add(kernel)
        return function(kernel, shared)

    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.function", remember)
    base = SgmParams(disparities=32, paths=8, speckle_size=0, fill_holes=False)
    left, right = images(9, 40, "shifted")
    used = []
    for params in (base, replace(base, **changes)):
        launched.clear()
        compute(SGM, "fast", params, left=left, right=right)
        used.append(set(launched))
    assert used[1] <= used[0]


@pytest.mark.cuda
@pytest.mark.spread
@pytest.mark.parametrize("seed", range(30))
def test_fast_equals_shared_at_large_sizes(seed: int) -> None:
    pick = random.Random(1000 + seed)
    params, _, _, kind = random_case(1000 + seed, longest=2, most=256)
    height, width = pick.randint(200, 1100), pick.randint(300, 2000)
    left, right = images(height, width, kind)
    ours, theirs = (
        compute(SGM, name, params, left=left, right=right) for name in ("fast", "shared")
    )
    assert np.count_nonzero(ours != theirs) == 0


@pytest.mark.cuda
def test_another_stream_of_the_process_does_not_disturb_fast() -> None:
    import cupy

    params, (height, width) = SgmParams(disparities=128, paths=8), (233, 641)
    left, right = images(height, width, "shifted")
    execution = prepare(SGM, "fast", params, height, width)
    execution.upload(left=left, right=right)
    execution.run()
    expected = execution.download("disparity")
    other = cupy.cuda.Stream(non_blocking=True)
    with other:
        image, mean = (cupy.ones((2048, 2048), "uint8") for _ in range(2))
    for _ in range(50):
        with other:  # a kernel that takes as long as a frame, and the shared memory, too
            mean_filter(image, mean, 7, "opencv", "shared")
            mean_filter(mean, image, 7, "opencv", "shared")
        execution.run()
        assert np.array_equal(execution.download("disparity"), expected)
    other.synchronize()
    assert bool((image == 1).all())


@pytest.mark.cuda
@pytest.mark.spread
@pytest.mark.timeout(900)
@pytest.mark.parametrize("tens", range(20))
@pytest.mark.usefixtures("either")
def test_fast_equals_reference_in_hundreds_of_random_cases(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        params, height, width, kind = random_case(seed, longest=140, most=512)
        assert_same(SGM, FAST, params, height, width, kind)


@pytest.mark.cuda
def test_executions_in_turn_do_not_disturb_each_other() -> None:
    sizes, params = ((97, 310), (61, 205)), SgmParams(disparities=128, paths=8)
    executions = [prepare(SGM, "fast", params, *size) for size in sizes]
    for _ in range(20):
        for execution, size in zip(executions, sizes, strict=True):
            left, right = images(*size, "shifted")
            execution.upload(left=left, right=right)
            execution.run()
    for execution, size in zip(executions, sizes, strict=True):
        left, right = images(*size, "shifted")
        expected = compute(SGM, "reference", params, left=left, right=right)
        assert np.array_equal(execution.download("disparity"), expected)
