"""Hierarchical search of variant `fast`, emulated, on tiles with few blocks and with many."""

from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.run.parity.checking import agreement, kept

HEIGHT, WIDTH, DISPARITIES = 67, 150, 160


def run(variant: str, changes: dict[str, Any], frames: int = 1) -> Execution:
    """Match a shifted texture and noise, in which small penalties let tiles search many blocks."""
    random = np.random.default_rng(9)
    left = random.integers(0, 256, (HEIGHT, WIDTH), np.uint8)
    right = np.roll(left, -37, axis=1)
    right[:, 70:] = random.integers(0, 256, (HEIGHT, WIDTH - 70), np.uint8)
    right[:30, 20:70] = np.roll(right, 30, axis=0)[:30, 20:70]
    params = SGM.preset("fast").changed(search="hierarchical", disparities=DISPARITIES)
    params = params.changed(p1=1, p2=3, p2_adaptation="soft").changed(**changes)
    execution = prepare(SGM, variant, params, HEIGHT, WIDTH)
    for _ in range(frames):
        execution.upload(left=left, right=right)
        execution.run()
    return execution


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"paths": 8, "outside": 255, "p2_adaptation": "none"},
        {"paths": "sweeps", "min_disparity": -9, "p2": 5},
        {"first_path": 2, "last_path": 3, "cost": "absolute"},
    ],
)
def test_tiles_with_few_and_many_blocks_equal_those_of_cpu(
    emulation: None, changes: dict[str, Any]
) -> None:
    # A lane keeps the path costs of one or two blocks in registers; four lanes have a pixel.
    ours, cpu = run("fast", changes, frames=2), run("cpu", changes)
    counts = cpu.download("searched").sum(axis=2)
    for least, most in ((1, 4), (5, 8), (9, DISPARITIES // 8)):
        assert np.any((least <= counts) & (counts <= most)), (least, most)
    compared = agreement(kept(ours), kept(cpu))
    assert compared.images and not compared.differences, "; ".join(map(str, compared.differences))
