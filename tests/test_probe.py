"""The probe tells the numbers the program computes, at every pixel and with every parameter."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.curves import Angle, CostVerdict, Curves, Parabola
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS, LARGEST_COSTS, path_count
from wheatstone.gpu.pipelines.sgm.probe import SgmProbe
from wheatstone.gpu.steps import plan

COSTS = tuple(LARGEST_COSTS)
WANTED = ("invalid_reason", "margin")


def pair(height: int, width: int, shift: int = 3) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A texture with flat parts, and the same seen ``shift`` pixels to the left, noisier."""
    random = np.random.default_rng((height, width))
    texture = random.integers(0, 256, (height, width + shift), dtype=np.uint8)
    texture[height // 3 : height // 2] //= 64
    noise = random.integers(0, 24, (height, width), dtype=np.uint8)
    left, right = texture[:, :width], texture[:, shift:] // 2 + texture[:, shift:] // 4 + noise
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def ran(variant: str, params: SgmParams, *views: NDArray[np.uint8]) -> Execution:
    height, width = views[0].shape
    execution = prepare(SGM, variant, params, height, width, WANTED)
    execution.upload(left=views[0], right=views[1])
    execution.run()
    return execution


def paths(params: SgmParams, *views: NDArray[np.uint8]) -> list[NDArray[np.uint16]]:
    """The reference's L of every direction, noted after each step: (H, W, D)."""
    execution = prepare(SGM, "reference", params, *views[0].shape)
    execution.upload(left=views[0], right=views[1])
    listed = []

    def note(done: int) -> None:
        if execution.steps[done - 1].stage.name == "path_aggregation":
            listed.append(execution.download("path_costs"))

    execution.run(after=note)
    return listed


def pixels(height: int, width: int) -> list[tuple[int, int]]:
    """The corners, the middle of the edges, and some inside: row and column."""
    random = np.random.default_rng(9)
    edges = [(y, x) for y in (0, height // 2, height - 1) for x in (0, width // 2, width - 1)]
    inside = zip(random.integers(0, height, 9), random.integers(0, width, 9), strict=True)
    return edges + [(int(y), int(x)) for y, x in inside]


def looked(params: SgmParams, *views: NDArray[np.uint8]) -> list[tuple[Curves, CostVerdict]]:
    """What the probe tells of some pixels."""
    probe = SgmProbe(params, *views)
    curves = [probe.curves(*pixel) for pixel in pixels(*views[0].shape)]
    return [(each, probe.verdict(each, lambda done: None)) for each in curves]


def test_a_row_of_three_pixels_by_hand() -> None:
    # Walking right: L = C + min(L(q, d), L(q, d - 1) + 1, L(q, d + 1) + 1, m + 3) - m; outside C is
    # 255. First pixel: 31 255 255 ... Second, m = 31: 20 + 31 - 31; 0 + 32 - 31; 255 + 34 - 31 ...
    # Third, m = 1: 10 + 2 - 1; 10 + 1 - 1; 30 + 2 - 1; 255 + 4 - 1 ...
    left, right = np.array([[9, 40, 70]], np.uint8), np.array([[40, 60, 80]], np.uint8)
    weights = {"p1": 1, "p2": 3, "p2_adaptation": "none", "outside": -1}
    params = SgmParams(disparities=16, cost="absolute").changed(**weights)
    curves = SgmProbe(params, left, right).curves(0, 2)
    assert curves.costs[:4].tolist() == [10, 10, 30, 255]
    assert curves.directions == ((-1, 0), (1, 0), (0, -1), (0, 1))
    assert curves.path_costs[0, :4].tolist() == [10, 10, 30, 255]  # walking left it begins here
    assert curves.path_costs[1, :4].tolist() == [11, 10, 31, 258]
    assert curves.sums[:4].tolist() == [41, 40, 121, 1023]  # and twice C, from above and below
    assert (curves.winner, curves.rival) == (1, 3)
    assert curves.margin == 10000 * (1023 - 40) // 1023


def test_what_a_cost_is_made_of_by_hand() -> None:
    # Left grows brighter by 9 a column, right darker: the gradients, 72 and -72, are cut off at 31
    # and -31, and half of 62 counts 16. All bits differ but those of pairs in one column, of which
    # the word has 4 above and below the centre, (-3, 0) and (-1, 0): 26 of 32.
    ramp = np.arange(0, 144, 9, dtype=np.uint8)[None]
    params = SgmParams(disparities=16, cost="census-ring-symmetric", gradient=True, outside=12)
    parts = SgmProbe(params, ramp, ramp[:, ::-1].copy()).curves(0, 10).parts
    assert parts.gradient is not None
    assert (parts.bits, parts.compared[0], parts.gradient[0]) == (32, 26, 16)
    assert parts.outside.tolist() == [False] * 11 + [True] * 5
    assert (parts.compared[11], parts.gradient[11]) == (12, 0)
    # Beside an even view the left gradient of 31 stands alone: half of it, rounded down.
    even = SgmProbe(params, ramp, np.zeros_like(ramp)).curves(0, 10).parts
    assert even.gradient is not None and even.gradient[0] == 15
    grey = SgmProbe(params.changed(cost="absolute"), ramp, np.zeros_like(ramp)).curves(0, 10).parts
    assert (grey.bits, grey.compared[0], grey.gradient) == (0, 90, None)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("outside", [-1, 12])
def test_the_parts_of_a_cost_add_up_to_it_everywhere(
    cost: str, gradient: bool, outside: int
) -> None:
    params = SgmParams(
        disparities=16, min_disparity=-2, cost=cost, gradient=gradient, outside=outside
    )
    views = pair(7, 23)
    volume = ran("reference", params, *views).download("cost")
    probe = SgmProbe(params, *views)
    for y, x in np.ndindex(7, 23):
        parts = probe._parts(y, x)
        assert (parts.gradient is not None) == (gradient and cost != "absolute")
        added = 0 if parts.gradient is None else parts.gradient
        np.testing.assert_array_equal(parts.compared.astype(int) + added, volume[y, x])
        partners = [x + 2 - d for d in range(16)]
        assert parts.outside.tolist() == [partner not in range(23) for partner in partners]


PATHS = (4, 8, "sweeps")


@pytest.mark.parametrize(
    ("cost", "count", "adaptation"),
    [
        (cost, PATHS[(first + second) % 3], adaptation)
        for first, cost in enumerate(COSTS)
        for second, adaptation in enumerate(ADAPTATIONS)
    ],
)
def test_the_curves_are_the_references_volumes(
    cost: str, count: int | str, adaptation: str
) -> None:
    params = SgmParams(
        disparities=16, min_disparity=-2, cost=cost, paths=count, p2_adaptation=adaptation
    )
    views = pair(23, 41)
    execution, walked = ran("reference", params, *views), paths(params, *views)
    assert len(walked) == params.paths_summed == path_count(params)
    for curves, _ in looked(params, *views):
        at = curves.row, curves.column
        np.testing.assert_array_equal(curves.costs, execution.download("cost")[at])
        np.testing.assert_array_equal(curves.path_costs, [volume[at] for volume in walked])
        np.testing.assert_array_equal(curves.sums, execution.download("sums")[at])


CHECKS: tuple[dict[str, Any], ...] = (
    {},
    {"paths": 8, "gradient": False, "subpixel": "parabola"},
    {"min_disparity": -5, "uniqueness": 30},
    {"min_disparity": 6, "subpixel": "off", "lr_check": 0},
    {"lr_check": -1, "uniqueness": 100},
    {"uniqueness": 0, "median": False},
    {"paths": "sweeps"},
    {"paths": "sweeps", "first_path": 3, "uniqueness": 30},
    {"paths": 8, "first_path": 2, "last_path": 5, "cost": "census-ring"},
    {"search": "hierarchical", "disparities": 64},
    {"search": "hierarchical", "disparities": 48, "min_disparity": -9, "paths": "sweeps"},
)


def assert_tells(execution: Execution, curves: Curves, verdict: CostVerdict) -> None:
    at = curves.row, curves.column
    content = {
        "winner": curves.winner,
        "refined": curves.refined,
        "smoothed": verdict.smoothed,
        "margin": curves.margin,
    }
    kept = [name for name in content if execution.keeps(name)]
    assert {n: content[n] for n in kept} == {n: int(execution.download(n)[at]) for n in kept}
    reason = int(execution.download("invalid_reason")[at])
    assert reason in (verdict.reason, 4 if verdict.reason == 0 else verdict.reason)
    right = verdict.right_winner
    if right is not None and execution.keeps("right_winner"):
        assert right == execution.download("right_winner")[curves.row, verdict.partner]


@pytest.mark.parametrize("changes", CHECKS)
def test_the_choices_and_checks_are_the_references(changes: dict[str, Any]) -> None:
    params, views = SgmParams(disparities=32).changed(**changes), pair(32, 67)
    execution = ran("reference", params, *views)
    for curves, verdict in looked(params, *views):
        assert_tells(execution, curves, verdict)


def test_every_reason_but_islands_is_found_somewhere() -> None:
    params = SgmParams(disparities=16, min_disparity=9, uniqueness=20, lr_check=1)
    probe = SgmProbe(params, *pair(31, 67, shift=6))
    unique = {probe.verdict(probe.curves(12, x), lambda done: None).reason for x in range(67)}
    assert unique == {0, 1, 2, 3}


@pytest.mark.cuda
@pytest.mark.parametrize("variant", [v.name for v in SGM.variants if v.on_gpu and not v.peer])
def test_every_gpu_variant_computes_the_probes_numbers(variant: str) -> None:
    params, views = SgmParams(disparities=32), pair(31, 67)
    execution = ran(variant, params, *views)
    for curves, verdict in looked(params, *views):
        assert_tells(execution, curves, verdict)


def test_a_path_alone_and_the_rest_add_up_to_all() -> None:
    views, whole = pair(19, 33), SgmParams(disparities=16, paths=8)
    parts = [whole.changed(first_path=1, last_path=3), whole.changed(first_path=4, last_path=8)]
    sums = [SgmProbe(params, *views).curves(9, 20).sums for params in (whole, *parts)]
    np.testing.assert_array_equal(sums[0], sums[1] + sums[2])


def test_the_parabola_is_lowest_where_the_definition_says() -> None:
    parabola = Parabola(5, (14, 10, 18))  # curvature 12, slope 2
    assert parabola.vertex == pytest.approx((5 - 1 / 6, 10 - 1 / 6))
    assert [parabola.at(index) for index in (4, 5, 6)] == [14, 10, 18]
    angle = Angle(5, (14, 10, 18))  # slope 8
    assert angle.vertex == pytest.approx((5 - 1 / 4, 8))
    assert [angle.at(index) for index in (4, 4.75, 6)] == [14, 8, 18]
    flat = Parabola(5, (7, 7, 7))
    assert flat.vertex == (5, 7)


def test_the_threshold_is_what_the_check_compares_with() -> None:
    params, views = SgmParams(disparities=32, uniqueness=30), pair(31, 67)
    for curves, _ in looked(params, *views):
        assert curves.threshold == curves.sums[curves.winner] * 100 / 70
        assert curves.unique == (curves.sums[curves.rival] >= curves.threshold)


def test_a_check_can_be_ended() -> None:
    class Ended(Exception):
        pass

    def end(done: float) -> None:
        raise Ended

    probe = SgmProbe(SgmParams(), *pair(20, 90))
    with pytest.raises(Ended):
        probe.verdict(probe.curves(3, 70), end)


def test_a_pixel_outside_is_named() -> None:
    with pytest.raises(ValueError, match="row 20, column 3 lies outside the image of 90 x 20"):
        SgmProbe(SgmParams(), *pair(20, 90)).curves(20, 3)


def test_the_plan_has_no_stage_the_probe_does_not_know() -> None:
    stages = {step.stage.name for step in plan(SGM, SGM.variant("reference"), SgmParams(), WANTED)}
    whole_image = {"speckle_filter", "hole_filling", "guided_median"}
    pixelwise = {
        "census_transform",
        "horizontal_gradient",
        "matching_cost",
        "path_aggregation",
        "path_sum",
        "winner_takes_all",
        "subpixel_refinement",
        "median_filter",
        "uniqueness_check",
        "right_winner_takes_all",
        "consistency_check",
        "rejection_reason",
        "winner_margin",
    }
    assert stages == pixelwise | whole_image
