"""The learned matching cost of the example: the small networks of the package mccnn, really run."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.programs import environment
from wheatstone.gpu.peers.runtime import open_session

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
PACKAGE = find_spec("mc_cnn")
if PACKAGE is None or PACKAGE.origin is None:
    pytest.skip("the package mccnn, which holds the networks, is not installed", True)
WEIGHTS = Path(PACKAGE.origin).parent / "weights"
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "learned_cost.py"


def test_a_scene_is_matched_by_learned_descriptors() -> None:
    paths = f"{environment()['PYTHONPATH']}:{WEIGHTS.parent.parent}"
    program = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        env=environment(PYTHONPATH=paths),
        capture_output=True,
        text=True,
        check=True,
    )
    own, learned = re.findall(r"bad-2 (\S+) %", program.stdout)
    assert float(own) < 15 and float(learned) < 15


@pytest.mark.parametrize("name", ["mc_cnn_fast_dw.onnx", "mc_cnn_fast_int8_excl_01.onnx"])
def test_both_networks_give_vectors_of_length_1(name: str) -> None:
    view = np.random.default_rng(1).normal(size=(40, 50)).astype(np.float32)
    (vectors,) = open_session(WEIGHTS / name).run(None, {"input": view})
    assert vectors.shape == (64, 30, 40)
    assert np.allclose(np.linalg.norm(vectors, axis=0), 1, atol=1e-3)
