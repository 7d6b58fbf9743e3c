"""Hierarchical search of variant `fast`, emulated, on tiles with few blocks and with many."""

from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.kernels import sparse_search
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.packing import FEW_SLOTS, MANY_SLOTS
from wheatstone.viewer.run.parity.checking import agreement, kept

HEIGHT, WIDTH, DISPARITIES = 67, 150, 160


def run(variant: str, changes: dict[str, Any], frames: int = 1) -> Execution:
    """Match a shifted texture and noise, in which small penalties let tiles search many blocks."""
    random = np.random.default_rng(9)
    left = random.integers(0, 256, (HEIGHT, WIDTH), np.uint8)
    right = np.roll(left, -37, axis=1)
    right[:, 90:] = random.integers(0, 256, (HEIGHT, WIDTH - 90), np.uint8)
    params = SGM.preset("fast").changed(search="hierarchical", disparities=DISPARITIES)
    params = params.changed(p1=2, p2=9, p2_adaptation="soft").changed(**changes)
    execution = prepare(SGM, variant, params, HEIGHT, WIDTH)
    for _ in range(frames):
        execution.upload(left=left, right=right)
        execution.run()
    return execution


@pytest.mark.parametrize("slots", [FEW_SLOTS, MANY_SLOTS])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"paths": 8, "outside": 255, "p2_adaptation": "none"},
        {"paths": "sweeps", "min_disparity": -9},
        {"first_path": 2, "last_path": 3, "cost": "absolute"},
    ],
)
def test_tiles_with_few_and_many_blocks_equal_those_of_cpu(
    emulation: None, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], slots: int
) -> None:
    # The path costs of eight blocks are kept in registers: of a lane one or two, or up to four.
    monkeypatch.setattr(sparse_search, "line_slots", lambda height, width: slots)
    ours, cpu = run("fast", changes, frames=2), run("cpu", changes)
    counts = cpu.download("searched").sum(axis=2)
    assert np.any(counts <= 2) and np.any((counts > 2) & (counts <= 4))
    assert np.any((counts > 4) & (counts <= 8)) and np.any(counts > 8)
    compared = agreement(kept(ours), kept(cpu))
    assert compared.images and not compared.differences, "; ".join(map(str, compared.differences))
