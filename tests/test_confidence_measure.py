"""Confidence: hand-worked neighbourhoods, then whether it knows where the matcher errs."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.sparsification import area_under, sparsification
from wheatstone.gpu.analysis.metrics import in_pixels
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.reference.confidence import confidence_measure
from wheatstone.viewer.io.sources.scene import Scene


def confidence(margin: Any, refined: Any) -> NDArray[np.uint16]:
    measured = np.empty(np.shape(margin), np.uint16)
    confidence_measure(np.array(margin, np.uint16), np.array(refined, np.int16), measured)
    return measured


def test_neighbours_that_agree_give_their_mean_margin() -> None:
    margin = np.zeros((9, 9), int)
    margin[4, 4], margin[1, 1] = 4900, 49
    measured = confidence(margin, np.full((9, 9), 80))
    assert measured[4, 4] == 101 and measured[0, 0] == 1  # 4949 / 49; 49 / 49
    assert measured[7, 7] == 100 and measured[8, 8] == 0  # three away, four away


def test_neighbours_that_disagree_count_as_nothing() -> None:
    margin, refined = np.full((7, 7), 490), np.full((7, 7), 80)
    refined[0] = 96  # a pixel more: agrees
    refined[6] = 97
    assert confidence(margin, refined)[3, 3] == 490 * 42 // 49


def test_the_edge_stands_in_where_the_window_leaves_the_image() -> None:
    assert confidence([[8000]], [[-5]]).tolist() == [[8000]]
    assert confidence([[4900, 0]], [[0, 0]]).tolist() == [[2800, 2100]]  # 4 and 3 of 7 columns


@pytest.mark.parametrize("name", ["orbit", "garden"])
def test_the_more_confident_the_fewer_are_wrong(name: str) -> None:
    frame = Scene(name, 0, (320, 240)).render(0)
    assert frame.right is not None and frame.truth is not None
    left, right = (cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for view in (frame.left, frame.right))
    params = SGM.params().changed(cost="census-checkerboard", p1=15, p2=120)
    execution = prepare(SGM, "cpu", params, 240, 320, ["confidence"])
    execution.upload(left=left, right=right)
    execution.run()
    invalid = SGM.image("disparity").invalid
    assert invalid
    disparity = in_pixels(execution.download("disparity"), 1 / 16, invalid(params))
    judged = np.isfinite(disparity) & np.isfinite(frame.truth)
    wrong = np.abs(disparity - frame.truth)[judged] > 1
    curve = sparsification(wrong, execution.download("confidence")[judged])
    assert wrong.mean() > 0.005
    assert curve[10] < curve[0] / 4  # the more confident half
    assert area_under(curve) < area_under(np.full(20, curve[0])) / 2
