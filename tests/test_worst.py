"""Regions where a result is worst, and the way there."""

from contextlib import closing

import numpy as np
import pytest

from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.latest import Copy
from wheatstone.viewer.display.frames.regions import LEAST, MOST, worst_regions, wrong
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run


def test_the_squares_with_the_most_wrong_pixels_come_first() -> None:
    wrong = np.zeros((160, 240), bool)
    wrong[100:110, 200:210] = True  # 100 in the square at (200, 100)
    wrong[0:20, 0:20] = True
    wrong[50:53] = True  # a line right across: 60 in any square
    regions = worst_regions(wrong)
    first, second, third = regions[:3]
    assert (first.x, first.y, first.width, first.height, first.count) == (0, 0, 20, 20, 400)
    assert second.count == 100 and second.x <= 200 and second.y <= 100
    assert third.count == 60 and len(regions) == 2 + 240 // 20
    assert all(LEAST * first.count < region.count for region in regions)


def test_regions_do_not_overlap_and_lie_in_the_image() -> None:
    wrong = np.random.default_rng(3).random((131, 203)) < 0.3
    regions = worst_regions(wrong)
    assert len(regions) == MOST
    covered = np.zeros(wrong.shape, int)
    for region in regions:
        there = slice(region.y, region.y + region.height), slice(region.x, region.x + region.width)
        assert wrong[there].sum() == region.count and wrong[there].size == region.width**2
        covered[there] += 1
    assert covered.max() == 1
    assert [r.count for r in regions] == sorted((r.count for r in regions), reverse=True)


def test_without_a_wrong_pixel_there_is_no_region() -> None:
    assert worst_regions(np.zeros((40, 50), bool)) == []
    assert [r.count for r in worst_regions(np.ones((5, 7), bool))] == [25]


@pytest.mark.opengl
def test_steps_go_from_the_worst_to_the_next_and_back(offscreen: OffscreenContext) -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams(disparities=16)), {"cuda": "none"}, paused=True)
    with (
        closing(open_source(SourceSpec(size=(160, 120)))) as source,
        closing(Display()) as display,
        closing(Session(state, source, display)) as session,
    ):
        session.compute()
        seen = []
        for step in (1, 1, -1, -1):
            session.worst.jump(session.worst.find().result(), step)
            seen.append((state.message.split(" of")[0], state.center))
        names = [name for name, _ in seen]
        assert names[:3] == ["worst region 1", "worst region 2", "worst region 1"]
        assert names[3] != names[1] and seen[0] == seen[2] and seen[0] != seen[1]
        assert state.zoom > 1
        state.frame = 9
        session.compute()
        session.worst.jump(session.worst.find().result(), -1)
        assert state.message.startswith("worst region ") and "of" in state.message
        state.choose_pipeline("canny")
        with pytest.raises(ValueError, match="canny computes no disparity"):
            session.worst.find()


@pytest.mark.parametrize(
    ("convention", "columns"), [("middlebury", {2, 4}), ("eth3d", {4}), ("kitti", {4})]
)
def test_what_has_no_result_is_wrong_only_where_the_convention_says_so(
    convention: str, columns: set[int]
) -> None:
    params = SgmParams(disparities=16)
    stored = np.full((4, 6), 5 * 16, np.int16)
    stored[:, 4], stored[:, 2] = 16, -16
    truth = np.full((4, 6), 5.0, np.float32)
    frame = Frame(np.zeros((4, 6), np.uint8), None, 0, truth)
    shown = chosen(ViewerState(Run(SGM, "cpu", params)))
    result = wrong(Copy(shown, frame, stored, 0.0), TruthChoice(convention, "known"))
    assert {int(column) for column in np.flatnonzero(result.any(axis=0))} == columns
