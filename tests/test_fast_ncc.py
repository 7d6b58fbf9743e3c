"""Variant ``fast`` of template matching gives the reference's bits, whatever template and image."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_parity import assert_same
from wheatstone.gpu.analysis.kernel_facts import launches
from wheatstone.gpu.device import GpuSize
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.kernels.packed_correlation import shared_bytes
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.ncc.params import Region
from wheatstone.gpu.pipelines.ncc.parts import LARGEST, MOST_ROWS, part_of, remark_fast
from wheatstone.gpu.steps import Setup

FAST = NCC.variant("fast")
Images = dict[str, NDArray[np.uint8]]


def noise(height: int, width: int, seed: int = 0) -> NDArray[np.uint8]:
    return np.random.default_rng((height, width, seed)).integers(0, 256, (height, width), np.uint8)


def assert_same_images(params: NccParams, images: Images, executions: int = 1) -> None:
    height, width = images["left"].shape
    ours, reference = (prepare(NCC, name, params, height, width) for name in ("fast", "reference"))
    for execution in (ours, reference):
        execution.upload(**images)
        for _ in range(executions):
            execution.run()
    for name in ("template_sums", "scores", "peaks", "boxes"):
        result, expected = ours.download(name), reference.download(name)
        assert np.array_equal(result.view(np.int32), expected.view(np.int32)), name


def random_case(seed: int, longest: int, largest: int) -> tuple[NccParams, Images]:
    """Parameters and images; sides of images and templates have an upper bound."""
    pick = random.Random(seed)
    height, width = (pick.randint(3, longest) for _ in range(2))
    columns, rows = (
        pick.choice((3, min(largest, n), pick.randint(3, min(largest, n)))) for n in (width, height)
    )
    x, y = (pick.choice((0, n, pick.randint(0, n))) for n in (width - columns, height - rows))
    params = NccParams(
        template=(x, y, columns, rows),
        search=pick.choice(("left", "right")),
        convention=pick.choice(("exact", "exact", "book")),
        peaks=pick.randint(1, 16),
        threshold=pick.choice((-1.0, 0.0, 0.5, 1.0, round(pick.uniform(-1, 1), 3))),
    )
    kinds: tuple[Callable[[], NDArray[np.uint8]], ...] = (
        lambda: noise(height, width, seed),
        lambda: noise(height, width, seed) // 128 * 255,
        lambda: np.full((height, width), pick.choice((0, 1, 254, 255)), np.uint8),
        lambda: (np.indices((height, width)).sum(axis=0) % 2 * 255).astype(np.uint8),
        lambda: noise(height, width, seed) % 2 + 254,
        lambda: (np.indices((height, width))[1] * 3 // 2 % 256).astype(np.uint8),
    )
    return params, {"left": pick.choice(kinds)(), "right": pick.choice(kinds)()}


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("seed", range(12))
def test_emulated_fast_equals_reference_in_random_cases(seed: int) -> None:
    assert_same_images(*random_case(seed, longest=80, largest=40))


TEMPLATES = [  # x, y, width, height: what fills a part, and one more
    *[(0, 0, 3, 3), (2, 1, 3, 7), (1, 0, 4, 8), (0, 3, 8, 9), (5, 6, 24, 24), (0, 0, 25, 3)],
    *[(1, 0, 26, 5), (3, 2, 57, 3), (0, 0, 58, 4), (9, 1, 3, 64), (7, 0, 5, 65), (0, 0, 66, 70)],
    *[(0, 0, 52, 52), (4, 2, 30, 41), (1, 1, 115, 4), (2, 0, 4, 129)],
]


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(
    ("template", "convention"),
    [
        *((template, "exact") for template in TEMPLATES),
        *((template, "book") for template in TEMPLATES[::3] if max(template) < 66),
    ],
)
def test_emulated_fast_equals_reference_with_templates_of_every_part(
    template: Region, convention: str
) -> None:
    x, y, columns, rows = template
    height, width = max(y + rows, 17), max(x + columns, 70)
    params = NccParams(template=template, convention=convention)
    assert_same_images(params, {"left": noise(height, width), "right": noise(height, width, 1)})


@pytest.mark.usefixtures("emulation")
def test_emulated_fast_equals_reference_at_every_width() -> None:
    for width in (*range(3, 71), 127, 128, 129, 255, 257):
        height = 3 + width % 9
        params = NccParams(template=(width - 3, height - 3, 3, 3), threshold=0.0)
        images = {"left": noise(height, width), "right": noise(height, width, 1)}
        assert_same_images(params, images)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("width", [1919, 1921])
def test_emulated_fast_equals_reference_in_wide_images(width: int) -> None:
    params = NccParams(template=(width - 29, 3, 29, 5))
    assert_same_images(params, {"left": noise(9, width), "right": noise(9, width, 1)})


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("convention", ["exact", "book"])
def test_emulated_fast_equals_reference_at_the_largest_sums(convention: str) -> None:
    template, height, width = (0, 0, 57, 64), 64, 70
    for low in (0, 255):
        left = np.maximum(noise(height, width), np.uint8(low))
        params = NccParams(template=template, convention=convention, threshold=-1.0)
        assert_same_images(params, {"left": left, "right": noise(height, width, 1)})


@pytest.mark.usefixtures("emulation")
def test_emulated_fast_chooses_from_more_pixels_than_shared_memory_holds() -> None:
    params = NccParams(template=(3, 3, 3, 3), peaks=16, threshold=-1.0)
    left = noise(205, 205)
    execution = prepare(NCC, "fast", params, *left.shape)
    execution.upload(left=left, right=left)
    for _ in range(2):
        execution.run()
    assert np.sum(execution.download("listed")) > 4096
    assert_same_images(params, {"left": left, "right": left}, executions=2)


@pytest.mark.usefixtures("emulation")
def test_emulated_fast_finds_the_first_of_equal_peaks() -> None:
    left = np.tile(noise(8, 8), (6, 9))
    params = NccParams(template=(8, 8, 8, 8), peaks=16, threshold=0.5)
    assert_same_images(params, {"left": left, "right": left}, executions=3)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("width", [128, 129, 130, 255, 259, 388])
def test_emulated_fast_finds_peaks_across_what_warps_read(width: int) -> None:
    for height, threshold in ((33, -1.0), (70, 0.3)):
        params = NccParams(template=(3, 3, 3, 3), peaks=16, threshold=threshold)
        images = {"left": noise(height, width), "right": noise(height, width, 1)}
        assert_same_images(params, images)
        flat = np.full((height, width), 9, np.uint8)  # all scores alike
        assert_same_images(params, {"left": flat, "right": flat})


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("pattern", ["rows", "columns", "diagonal", "across", "squares"])
def test_emulated_fast_finds_the_first_of_equal_scores_across_groups(pattern: str) -> None:
    y, x = np.indices((70, 140))
    levels = {
        "rows": y,
        "columns": x,
        "diagonal": x + y,
        "across": x - y,
        "squares": x // 2 + y // 2,
    }
    left = (levels[pattern] % 2 * 200 + levels[pattern] % 8 // 7 * 50).astype(np.uint8)
    for corner in (1, 6):
        params = NccParams(template=(corner, corner, 8, 8), peaks=16, threshold=-1.0)
        assert_same_images(params, {"left": left, "right": left})


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("template", "threshold"), [((3, 0, 66, 4), -1.0), ((9, 2, 4, 66), 0.1)])
def test_emulated_fast_lists_the_scores_of_all_parts(template: Region, threshold: float) -> None:
    images = {"left": noise(70, 136), "right": noise(70, 136, 1)}
    assert_same_images(NccParams(template=template, peaks=16, threshold=threshold), images)


@pytest.mark.usefixtures("emulation")
def test_emulated_lists_are_those_of_plain_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    params = NccParams(template=(1, 2, 5, 5), threshold=0.1)
    images = {"left": noise(70, 300), "right": noise(70, 300, 1)}
    listed: list[list[list[int]]] = []
    for why in ("", "template"):
        if why:
            use_plain_kernels(monkeypatch, why)
        execution = prepare(NCC, "fast", params, 70, 300)
        execution.upload(**images)
        execution.run()
        count = execution.download("listed")
        keys = execution.download("listed_keys").reshape(len(count), -1)
        listed.append([sorted(row[:n]) for row, n in zip(keys, count, strict=True)])
    assert listed[0] == listed[1]
    assert max(map(len, listed[0])) > 100


@pytest.mark.usefixtures("emulation")
def test_an_emulated_frame_that_was_cut_short_leaves_nothing_behind() -> None:
    params = NccParams(template=(1, 2, 3, 3), peaks=16, threshold=-1.0)
    execution = prepare(NCC, "fast", params, 70, 140)
    reference = prepare(NCC, "reference", params, 70, 140)

    def cut_short(done: int) -> None:
        raise InterruptedError

    for seed in range(5):
        execution.upload(left=noise(70, 140, seed))
        with pytest.raises(InterruptedError):
            execution.run(after=cut_short)
    execution.run()
    reference.upload(left=noise(70, 140, 4))
    reference.run()
    assert np.array_equal(execution.download("peaks"), reference.download("peaks"))


@pytest.mark.usefixtures("emulation")
def test_emulated_frames_do_not_remember_each_other() -> None:
    params = NccParams(template=(1, 2, 9, 7), threshold=0.2)
    execution = prepare(NCC, "fast", params, 40, 50)
    for seed in (0, 1, 2, 0):
        left = noise(40, 50, seed) if seed < 2 else np.full((40, 50), 7, np.uint8)
        execution.upload(left=left, right=left)
        execution.run()
        for name in ("scores", "peaks"):
            reference = prepare(NCC, "reference", params, 40, 50)
            reference.upload(left=left, right=left)
            reference.run()
            assert np.array_equal(execution.download(name), reference.download(name))


def use_plain_kernels(monkeypatch: pytest.MonkeyPatch, why: str) -> str:
    """Let ``fast`` run plain kernels, for one reason or the other; return a part of its remark."""
    if why == "template":
        monkeypatch.setattr("wheatstone.gpu.pipelines.ncc.parts.LARGEST", 8)
        return "template of 24x24 has 576 pixels"
    monkeypatch.setattr(
        "wheatstone.gpu.pipelines.ncc.parts.gpu_size", lambda: GpuSize(40, 64 * 1024, 75)
    )
    return "compute capability 8.0 "


@pytest.mark.parametrize("why", ["template", "GPU"])
def test_emulated_fast_runs_plain_kernels_where_its_own_does_not_suit(
    emulation: None, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    text = use_plain_kernels(monkeypatch, why)
    assert text in remark_fast(NccParams(), 480, 640)
    for params, height, width in (
        (NccParams(template=(2, 3, 9, 5)), 33, 61),
        (NccParams(template=(2, 3, 9, 5), convention="book", search="right"), 17, 23),
    ):
        assert_same(NCC, FAST, params, height, width, "shifted")
        launched = launches(Setup(NCC, FAST, params, height, width))
        assert [launch.kernel.name for _, launch in launched] == [
            *("template_statistics_global", "correlation_global"),
            *("packed_peaks_list", "packed_peaks_choose"),
        ]


def test_fast_takes_templates_of_32_bit_sums_by_tensor_cores() -> None:
    most = max(shared_bytes(MOST_ROWS, steps) for steps in (1, 2))
    for template in ((0, 0, 3, 3), (0, 0, 640, 103), (0, 0, 257, 257)):
        launched = launches(Setup(NCC, FAST, NccParams(template=template), 480, 640))
        assert [launch.kernel.name for _, launch in launched] == [
            *("packed_correlation", "packed_peaks_choose")
        ]
        assert launched[0][1].shared <= most <= 99 * 1024  # what GPUs from 8.0 on have
        assert not remark_fast(NccParams(template=template), 480, 640)
    assert remark_fast(NccParams(template=(0, 0, 258, 257)), 480, 640)
    assert 257 * 257 <= LARGEST < 258 * 257


def test_a_template_is_taken_in_parts_alike() -> None:
    assert part_of((0, 0, 57, 64)) == (57, 64)
    assert part_of((0, 0, 58, 65)) == (29, 33)
    assert part_of((0, 0, 171, 3)) == (57, 3)


@pytest.mark.cuda
@pytest.mark.spread
@pytest.mark.parametrize("tens", range(20))
def test_fast_equals_reference_in_hundreds_of_random_cases(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        assert_same_images(*random_case(seed, longest=300, largest=140))


@pytest.mark.cuda
@pytest.mark.parametrize("template", TEMPLATES)
def test_fast_equals_reference_with_templates_of_every_part(template: Region) -> None:
    for convention in ("exact", "book"):
        params = NccParams(template=template, convention=convention)
        assert_same_images(params, {"left": noise(211, 391), "right": noise(211, 391, 1)})


@pytest.mark.cuda
@pytest.mark.parametrize("size", [(1080, 1920), (1081, 1921), (2160, 3840), (719, 1278)])
@pytest.mark.parametrize(
    ("x", "y", "width", "height"),
    [(0, 0, 52, 52), (601, 333, 24, 24), (7, 5, 3, 3), (500, 200, 128, 120), (9, 9, 40, 75)],
)
def test_fast_equals_texture_at_large_sizes(
    size: tuple[int, int], x: int, y: int, width: int, height: int
) -> None:
    smooth = np.indices(size)[1] // 3 % 200 + noise(*size) // 16
    smooth[:, : size[1] // 2] = noise(*size)[:, : size[1] // 2]
    images: Any = {"left": smooth.astype(np.uint8), "right": noise(*size, 1)}
    for convention in ("exact", "book"):
        params = NccParams(template=(x, y, width, height), convention=convention)
        ours, theirs = (prepare(NCC, name, params, *size) for name in ("fast", "texture"))
        for execution in (ours, theirs):
            execution.upload(**images)
            execution.run()
        for name in ("scores", "peaks", "boxes"):
            result, expected = ours.download(name), theirs.download(name)
            assert np.array_equal(result.view(np.int32), expected.view(np.int32)), name


@pytest.mark.cuda
def test_the_list_of_peaks_holds_all_that_a_large_image_may_have() -> None:
    params = NccParams(template=(3, 3, 3, 3), peaks=16, threshold=-1.0)
    images = {"left": noise(1080, 1920), "right": noise(1080, 1920, 1)}
    ours, theirs = (prepare(NCC, name, params, 1080, 1920) for name in ("fast", "texture"))
    for execution in (ours, theirs):
        execution.upload(**images)
        for _ in range(3):
            execution.run()
    for name in ("peaks", "boxes"):
        assert np.array_equal(ours.download(name), theirs.download(name))


@pytest.mark.cuda
def test_executions_in_turn_do_not_disturb_each_other() -> None:
    sizes, params = ((97, 310), (161, 205)), NccParams(template=(5, 4, 30, 31), threshold=0.0)
    executions = [prepare(NCC, "fast", params, *size) for size in sizes]
    for _ in range(20):
        for execution, size in zip(executions, sizes, strict=True):
            execution.upload(left=noise(*size), right=noise(*size, 1))
            execution.run()
    for execution, size in zip(executions, sizes, strict=True):
        reference = prepare(NCC, "reference", params, *size)
        reference.upload(left=noise(*size), right=noise(*size, 1))
        reference.run()
        for name in ("scores", "peaks"):
            assert np.array_equal(execution.download(name), reference.download(name))
