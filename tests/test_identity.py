"""Whether A and B are the same: counted, said, and found."""

import math
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.test_parity import images
from wheatstone.gpu.analysis.comparison import Difference, compare, compare_on, counted, differing
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.kernels.arrays import DIFFERENCE_COUNT_KERNELS as KERNELS
from wheatstone.gpu.kernels.arrays import difference_count
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.regions import Cluster, clusters
from wheatstone.viewer.display.picture.identity import (
    OTHER_DISPARITIES,
    Badge,
    badge,
    difference,
    host_badge,
    kept_by_both,
    stage_badge,
    why_incomparable,
    why_stage_incomparable,
)
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

SIZES = [(1, 1), (1, 300), (33, 61), (3, 5, 7)]


def test_a_badge_says_how_many_where_and_how_much() -> None:
    same = badge(None, 2_073_600, SGM.image("disparity"))
    assert same == Badge("identical: 0 of 2,073,600 differ", "good")
    result = Difference("disparity", 1234, 2_073_600, (7, 5), 24.0)
    text = "1,234 of 2,073,600 differ, first at (7, 5), largest 1.5 px"
    assert badge(result, 2_073_600, SGM.image("disparity")) == Badge(text, "bad")


def test_arrays_that_differ_in_shape_or_type_are_refused() -> None:
    device, array = open_device("cpu"), np.zeros((3, 5), np.int16)
    with pytest.raises(ValueError, match=r"x: .* different shape .*\(3, 5\) and \(3, 1\)"):
        compare_on(device, "x", array, array[:, :1])
    with pytest.raises(ValueError, match=r"x: .* different dtype .*int16 and int32"):
        compare_on(device, "x", array, array.astype(np.int32))
    with pytest.raises(ValueError, match="different shape"):
        compare("x", array, array[:, :1])


def test_no_value_equals_no_value_however_it_is_stored() -> None:
    first = np.array([[-16, -16, 40, -96]], np.int16)
    second = np.array([[-96, 16, 48, -96]], np.int16)
    differs = [[False, True, True, True]]
    assert differing(first, second, (-16, -96)).tolist() == differs
    result = compare("x", first, second, (-16, -96))
    assert result == Difference("x", 3, 4, (1, 0), 8.0)
    cpu = open_device("cpu")
    assert difference("x", first, second, (cpu, cpu), (-16, -96)) == result
    assert compare("x", first[:, :1], second[:, :1], (-16, -96)) is None


def test_where_only_one_has_a_value_there_is_no_largest_difference() -> None:
    first, second = np.array([[-16, 4]], np.int16), np.array([[32, 4]], np.int16)
    result = compare("x", first, second, (-16, -16))
    text = "1 of 2 differ, first at (0, 0), all where only one has a value"
    assert badge(result, 2, SGM.image("disparity")) == Badge(text, "bad")
    image = SGM.image("disparity")
    assert host_badge(image, first, second, (-16, -16)) == Badge(text, "bad")


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
    for invalid in (None, (7, 7), (7, 9)):
        if invalid and first.dtype.kind != "f" and first.size > 3:
            first.flat[1], second.flat[1], second.flat[2] = invalid[0], invalid[1], invalid[1]
        counts = np.zeros(3, np.int64)
        difference_count(first, second, counts, invalid)
        assert counted("x", counts, first) == compare("x", first, second, invalid)


def test_every_image_that_is_declared_can_be_compared_on_a_gpu() -> None:
    declared = {image.dtype for pipeline in PIPELINES.values() for image in pipeline.images}
    assert {np.dtype(name).type for name in declared} <= set(KERNELS)


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
        for invalid in (None, (7, 7), (7, 9)):
            result = difference("x", arrays[0], arrays[1], (device, device), invalid)
            assert result == compare("x", first, second.astype(dtype), invalid)


def test_stages_are_compared_one_by_one() -> None:
    left, right = images(37, 61, "shifted")
    runs = []
    for variant, params in (("reference", {}), ("cpu", {}), ("cpu", {"fill_holes": False})):
        run = prepare(SGM, variant, SgmParams(disparities=16, **params), 37, 61)  # type: ignore[arg-type]
        run.upload(left=left, right=right)
        run.run()
        runs.append(run)
    same = {n: stage_badge(SGM.image(n), *runs[:2]) for n in kept_by_both(*runs[:2])}
    assert {"cost", "sums", "disparity"} <= set(same) and "left" not in same
    assert {each.tone for each in same.values()} == {"good"}
    assert same["cost"].text == f"identical: 0 of {37 * 61 * 16:,} differ"
    other = {n: stage_badge(SGM.image(n), *runs[::2]) for n in kept_by_both(*runs[::2])}
    assert [name for name, each in other.items() if each.tone == "bad"] in ([], ["disparity"])


@pytest.mark.parametrize(
    ("changes", "apart", "reason"),
    [
        (
            {"disparities": 32},
            {"cost", "sums", "path_costs"},
            "not comparable: 37 x 61 x 16 in A, 37 x 61 x 32 in B",
        ),
        (
            {"min_disparity": -5},
            {"cost", "sums", "winner", "right_winner"},
            OTHER_DISPARITIES,
        ),
        ({"p1": 21}, set(), ""),
    ],
)
def test_stages_of_other_disparities_are_not_comparable(
    changes: dict[str, Any], apart: set[str], reason: str
) -> None:
    a, b = (
        prepare(SGM, "reference", SgmParams(disparities=16).changed(**more), 37, 61)
        for more in ({}, changes)
    )
    reasons = {name: why_stage_incomparable(name, a, b) for name in kept_by_both(a, b)}
    assert {reasons[name] for name in apart} == ({reason} if apart else set())
    assert reasons["left_descriptor"] == ""
    assert reasons["disparity"] == reasons["refined"] == ""
    if not apart:
        assert set(reasons.values()) == {""}


def test_a_still_is_the_same_at_every_index(tmp_path: Path) -> None:
    photo = str(tmp_path / "photo.png")
    cv2.imwrite(photo, np.full((40, 60), 99, np.uint8))
    state = ViewerState(Run(SGM, "cpu", SgmParams(disparities=16)))
    state.mix(frozen=3)
    with closing(open_source(SourceSpec(photo, photo))) as still:
        assert why_incomparable(chosen(state), chosen_b(state), still) == ""
    with closing(open_source(SourceSpec(size=(60, 40)))) as scene:
        why = why_incomparable(chosen(state), chosen_b(state), scene)
        assert why == "B is frozen at frame 3, not comparable"


def test_pixels_that_are_near_each_other_are_one_cluster() -> None:
    differs = np.zeros((40, 60), bool)
    differs[30, 2] = differs[5, 40:43] = differs[9, 44] = True
    assert clusters(differs) == [Cluster(40, 5, 5, 5, 4), Cluster(2, 30, 1, 1, 1)]
    assert clusters(np.zeros((4, 5), bool)) == []
    colours = differs[..., np.newaxis] & np.array([False, True, False])
    assert clusters(colours) == clusters(differs)
