"""Leaned sweeps, which sum six of eight paths in variant ``fast``, change no bit."""

from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_fast import random_case
from tests.test_parity import assert_same, images
from wheatstone.gpu.analysis.kernel_facts import launches
from wheatstone.gpu.device import GpuSize
from wheatstone.gpu.emulation.device import GuardedArray, Placement
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.kernels import packed_aggregation
from wheatstone.gpu.kernels.kernel import Kernel
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams, packing
from wheatstone.gpu.pipelines.sgm.packing import (
    LANES,
    LEANED_BLOCKS,
    NO_BLOCK,
    LeanedBlock,
    leaned_block,
    leaned_blocks,
    leaned_bytes,
)
from wheatstone.gpu.steps import Setup

FAST = SGM.variant("fast")
LIBSGM = SgmParams().changed(**SGM.presets["libsgm"])
NARROW = LeanedBlock(2, 3)  # of few columns, so that images have several
BY_ALL = LeanedBlock(2, 0, 2)  # rows are walked by who does not sweep, and by all at last
ADAPTATIONS = ("none", "divide", "soft")
H200, LAPTOP = GpuSize(132, 227 * 1024, 90), GpuSize(24, 99 * 1024, 89)
SIZES = ((375, 1242), (1080, 1920))  # height, width


def kernels(block: LeanedBlock, *more: tuple[str, str]) -> dict[Any, Kernel]:
    by_key = {
        (element, size, lanes, block, adaptive): packed_aggregation.leaned_kernel(
            element, size, lanes, block, adaptive
        )
        for element, size in ((np.uint8, 1), (np.uint8, 2), (np.uint16, 2))
        for lanes in LANES
        for adaptive in (False, True)
    }
    return {key: replace(each, defines=each.defines + more) for key, each in by_key.items()}


def sweep_by(monkeypatch: pytest.MonkeyPatch, block: LeanedBlock, *more: tuple[str, str]) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED", True)
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED_BLOCKS", (block,))
    monkeypatch.setattr(
        "wheatstone.gpu.kernels.packed_aggregation.PACKED_LEANED_KERNELS", kernels(block, *more)
    )


@pytest.fixture
def emulated(emulation: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA variants run on the CPU, as on a GPU of three multiprocessors."""
    monkeypatch.setattr(
        "wheatstone.gpu.pipelines.sgm.packing.gpu_size", lambda: GpuSize(3, 227 * 1024, 90)
    )


@pytest.fixture
def leaned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED", True)


@pytest.fixture(params=[NARROW, BY_ALL], ids=["beside", "by-all"])
def narrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_by(monkeypatch, request.param)


def swept_case(seed: int, longest: int, most: int) -> tuple[SgmParams, int, int, str]:
    """A random case with all of eight paths."""
    params, height, width, kind = random_case(seed, longest, most)
    return replace(params, paths=8, first_path=1, last_path=8), height, width, kind


def disparity(params: SgmParams, height: int, width: int, variant: str) -> NDArray[Any]:
    left, right = images(height, width, "shifted")
    return compute(SGM, variant, params, left=left, right=right)


def test_images_are_swept_where_it_pays_unless_it_is_decided_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.gpu_size", lambda: H200)
    assert packing.LEANED is None
    wide, small = ((2160, 3840, LIBSGM), (48, 64, LIBSGM))
    for decided, swept in ((None, [True, False]), (False, [False] * 2), (True, [True] * 2)):
        monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED", decided)
        assert [packing.leaned(*wide), packing.leaned(*small)] == swept


@pytest.mark.parametrize(
    "changes", [{"paths": 4}, {"paths": "sweeps"}, {"first_path": 2}, {"last_path": 7}], ids=str
)
@pytest.mark.usefixtures("leaned")
def test_fewer_paths_are_left_to_the_other_kernels(changes: dict[str, Any]) -> None:
    assert packing.leaned(1080, 1920, LIBSGM)
    assert not packing.leaned(1080, 1920, LIBSGM.changed(**changes))


def test_large_images_are_swept_on_large_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED", None)
    wide = LIBSGM.changed(disparities=128)
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.gpu_size", lambda: H200)
    swept = [packing.leaned(*size, wide) for size in ((480, 640), (440, 1024), *SIZES)]
    assert swept == [False, False, True, True]
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.gpu_size", lambda: LAPTOP)
    assert not packing.leaned(1080, 1920, wide)


def test_blocks_share_no_more_than_the_gpu_lets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED", True)
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.gpu_size", lambda: LAPTOP)
    for disparities in range(16, 513, 16):
        block, lanes = leaned_block(1080, 1920, disparities), packing.lanes_of(disparities)
        fits = block in LEANED_BLOCKS
        assert packing.leaned(1080, 1920, LIBSGM.changed(disparities=disparities)) == fits
        assert not fits or leaned_bytes(lanes, block.warps, block.rowers) <= 99 * 1024
    assert leaned_block(1080, 1920, 64) == LeanedBlock(4, 3)
    assert leaned_block(1080, 1920, 512) == NO_BLOCK


def test_wider_images_are_swept_by_wider_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.gpu_size", lambda: H200)
    blocks = {640: (4, 3), 1024: (4, 3), 1242: (8, 3), 1920: (8, 3), 2560: (16, 0), 3840: (16, 0)}
    by_key = {width: leaned_block(1080, width, 128)[:2] for width in blocks}
    assert by_key == blocks
    assert packing.leaned_grid(2160, 3840, 128) == (132, 122)


@pytest.mark.parametrize("disparities", [16, 128, 272, 512])
@pytest.mark.usefixtures("leaned")
def test_blocks_have_all_leaned_columns_and_launches_keep_cudas_limits(disparities: int) -> None:
    for height, width in ((1, 1), (1080, 1920), (8192, 8192)):
        params = LIBSGM.changed(disparities=disparities)
        block = leaned_block(height, width, disparities)
        columns = packing.leaned_columns(packing.lanes_of(disparities), block.warps)
        blocks = leaned_blocks(height, width, disparities)
        assert (blocks - 1) * columns < height + width - 1 <= blocks * columns
        (sweep,) = [
            launch
            for _, launch in launches(Setup(SGM, FAST, params, height, width))
            if launch.kernel.name == "packed_leaned"
        ]
        assert sweep.grid[0] >= 132
        assert sweep.block == (block.threads,)
        assert sweep.shared <= H200.shared_bytes


@pytest.mark.parametrize(
    ("disparities", "block", "first"),
    [(16, NARROW, 1), (64, BY_ALL, 2), (144, NARROW, 3), (272, BY_ALL, 4)],
)
@pytest.mark.usefixtures("emulated")
def test_emulated_sweeps_equal_the_reference_at_every_width(
    monkeypatch: pytest.MonkeyPatch, disparities: int, block: LeanedBlock, first: int
) -> None:
    """Heights, adaptations and bytes of a sum take turns; one of the four has each width."""
    sweep_by(monkeypatch, block)
    for width in range(first, 71, 4):
        adaptation, p2 = ADAPTATIONS[width % 3], (120, 300)[width // 4 % 2]
        params = LIBSGM.changed(disparities=disparities, p2=p2, p2_adaptation=adaptation)
        assert_same(SGM, FAST, params, 1 + width * 5 % 13, width, "shifted")


@pytest.mark.parametrize(
    ("block", "disparities"), [*zip(LEANED_BLOCKS, (512, 32, 128), strict=True)]
)
@pytest.mark.usefixtures("emulated", "leaned")
def test_emulated_sweeps_of_wide_blocks_equal_the_reference(
    monkeypatch: pytest.MonkeyPatch, block: LeanedBlock, disparities: int
) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED_BLOCKS", (block,))
    sizes = ((1, 1), (1, 40), (23, 1), (9, 35), (20, 60), (40, 130))
    penalties = cycle(((120, "none"), (200, "soft")))
    for (height, width), (p2, adaptation) in zip(sizes, penalties, strict=False):
        if disparities < 512 or width < 130:
            params = LIBSGM.changed(disparities=disparities, p2=p2, p2_adaptation=adaptation)
            assert_same(SGM, FAST, params, height, width, "noise")


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.usefixtures("emulated")
def test_emulated_sweeps_equal_the_reference_in_random_cases(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    sweep_by(monkeypatch, (NARROW, BY_ALL)[seed % 2])
    params, height, width, kind = swept_case(seed, longest=40, most=288)
    assert packing.leaned(height, width, params)
    assert_same(SGM, FAST, params, height, width, kind)


@pytest.mark.parametrize("adaptation", ADAPTATIONS)
@pytest.mark.usefixtures("emulated", "narrow")
def test_emulated_sweeps_do_not_wrap_at_the_largest_penalties(adaptation: str) -> None:
    largest = LIBSGM.changed(
        disparities=48, cost="absolute", p2=4095, p1=1023, p2_adaptation=adaptation, outside=255
    )
    for params in (largest, largest.changed(p1=0)):
        for kind in ("noise", "extremes"):
            assert_same(SGM, FAST, params, 7, 30, kind)


@pytest.mark.parametrize(("p2", "size"), [(138, 1), (139, 2)])
@pytest.mark.parametrize("kind", ["noise", "extremes"])
@pytest.mark.usefixtures("emulated", "narrow")
def test_sums_of_up_to_511_have_nine_bits(p2: int, size: int, kind: str) -> None:
    params = LIBSGM.changed(disparities=16, cost="census-ring", p1=90, p2=p2, outside=-1)
    assert packing.sum_bytes(9, 33, params) == size
    assert_same(SGM, FAST, params, 9, 33, kind)


@pytest.mark.parametrize(("disparities", "block"), [(48, BY_ALL), (272, NARROW)])
@pytest.mark.usefixtures("emulated")
def test_emulated_sweeps_are_the_same_frame_after_frame(
    monkeypatch: pytest.MonkeyPatch, disparities: int, block: LeanedBlock
) -> None:
    sweep_by(monkeypatch, block)
    params = LIBSGM.changed(disparities=disparities)
    ours, reference = (prepare(SGM, name, params, 17, 43) for name in ("fast", "reference"))
    for kind in ("noise", "shifted", "extremes", "noise"):
        left, right = images(17, 43, kind)
        for each in (ours, reference):
            each.upload(left=left, right=right)
            each.run()
        assert np.array_equal(ours.download("disparity"), reference.download("disparity"))


@pytest.mark.parametrize("placement", ["start", "end"])
@pytest.mark.parametrize("disparities", [16, 64, 272])
@pytest.mark.usefixtures("emulated", "narrow")
def test_emulated_sweeps_touch_nothing_beyond_their_arrays(
    monkeypatch: pytest.MonkeyPatch, disparities: int, placement: Placement
) -> None:
    """If they do, the launch ends with a fault."""
    monkeypatch.setattr(
        "wheatstone.gpu.emulation.device.EmulatedDevice.zeros",
        lambda device, shape, dtype: GuardedArray(shape, dtype, placement).array,
    )
    for height, width in ((1, 1), (7, 40), (23, 9)):
        for adaptation, p2 in (("divide", 120), ("none", 300)):
            params = LIBSGM.changed(disparities=disparities, p2=p2, p2_adaptation=adaptation)
            assert_same(SGM, FAST, params, height, width, "noise")


@pytest.mark.parametrize(
    ("block", "disparities"), [((4, 3, 4), 64), ((4, 0, 2), 272), ((16, 0, 2), 64)]
)
@pytest.mark.usefixtures("emulated")
def test_emulated_sweeps_wait_for_whoever_dallies(
    monkeypatch: pytest.MonkeyPatch, block: tuple[int, int, int], disparities: int
) -> None:
    sweep_by(monkeypatch, LeanedBlock(*block), ("DELAYS", "1"))
    for height, width, adaptation in ((9, 40, "none"), (40, 9, "divide"), (33, 33, "none")):
        params = LIBSGM.changed(disparities=disparities, p2_adaptation=adaptation)
        assert_same(SGM, FAST, params, height, width, "noise")


@pytest.mark.cuda
@pytest.mark.parametrize("disparities", [64, 128, 256, 512])
@pytest.mark.parametrize(("height", "width"), SIZES)
@pytest.mark.usefixtures("leaned")
def test_sweeps_equal_shared_at_large_sizes(height: int, width: int, disparities: int) -> None:
    for p2, adaptation in ((120, "none"), (120, "divide"), (200, "soft"), (1000, "none")):
        params = LIBSGM.changed(disparities=disparities, p2=p2, p2_adaptation=adaptation)
        assert packing.leaned(height, width, params)
        ours, theirs = (disparity(params, height, width, name) for name in ("fast", "shared"))
        assert np.count_nonzero(ours != theirs) == 0


@pytest.mark.cuda
@pytest.mark.spread
@pytest.mark.timeout(900)
@pytest.mark.parametrize("tens", range(20))
@pytest.mark.parametrize("block", LEANED_BLOCKS)
@pytest.mark.usefixtures("leaned")
def test_sweeps_equal_the_reference_in_hundreds_of_random_cases(
    monkeypatch: pytest.MonkeyPatch, tens: int, block: LeanedBlock
) -> None:
    monkeypatch.setattr("wheatstone.gpu.pipelines.sgm.packing.LEANED_BLOCKS", (block,))
    for seed in range(10 * tens, 10 * tens + 10):
        params, height, width, kind = swept_case(seed, longest=140, most=512)
        assert_same(SGM, FAST, params, height, width, kind)


@pytest.mark.cuda
@pytest.mark.parametrize("block", LEANED_BLOCKS)
@pytest.mark.parametrize("disparities", [64, 128, 512])
def test_sweeps_wait_for_whoever_dallies(
    monkeypatch: pytest.MonkeyPatch, disparities: int, block: LeanedBlock
) -> None:
    height, width = 233, 641
    params = LIBSGM.changed(disparities=disparities, p2_adaptation="divide")
    expected = disparity(params, height, width, "shared")
    sweep_by(monkeypatch, block, ("DELAYS", "1"))
    execution = prepare(SGM, "fast", params, height, width)
    left, right = images(height, width, "shifted")
    execution.upload(left=left, right=right)
    for _ in range(100):
        execution.run()
        assert np.array_equal(execution.download("disparity"), expected)


@pytest.mark.cuda
@pytest.mark.usefixtures("leaned")
def test_sweeps_end_though_another_stream_fills_the_gpu() -> None:
    """Kernels of other streams take the multiprocessors before, between and after blocks."""
    import cupy

    height, width = 440, 1024
    params = LIBSGM.changed(disparities=128)
    expected = disparity(params, height, width, "shared")
    execution = prepare(SGM, "fast", params, height, width)
    left, right = images(height, width, "shifted")
    execution.upload(left=left, right=right)
    others = [cupy.cuda.Stream(non_blocking=True) for _ in range(3)]
    filled = [cupy.ones((4096, 4096), "float32") for _ in others]
    for _ in range(50):
        for stream, values in zip(others, filled, strict=True):
            with stream:
                cupy.sin(values, out=values)
                cupy.sort(values[:64], axis=1)
        execution.run()
        assert np.array_equal(execution.download("disparity"), expected)
    for stream in others:
        stream.synchronize()


@pytest.mark.cuda
@pytest.mark.usefixtures("leaned")
def test_sweeps_of_executions_in_turn_do_not_disturb_each_other() -> None:
    sizes, params = ((97, 310), (61, 205), (375, 1242)), LIBSGM.changed(disparities=128)
    executions = [prepare(SGM, "fast", params, *size) for size in sizes]
    for _ in range(20):
        for execution, size in zip(executions, sizes, strict=True):
            left, right = images(*size, "shifted")
            execution.upload(left=left, right=right)
            execution.run()
    for execution, size in zip(executions, sizes, strict=True):
        assert np.array_equal(execution.download("disparity"), disparity(params, *size, "shared"))
