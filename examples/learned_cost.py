"""Compute disparities from learned descriptors: ``python learned_cost.py [LEFT RIGHT]``.

The package mccnn (Apache-2.0) contains a small network as an ONNX file, which describes each pixel
by a vector of length 1. Scalar products of these vectors replace the matching cost; all other
stages are those of the program. Without files, a built-in scene is used.
It needs ``pip install onnxruntime mccnn``.
"""

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wheatstone as ws

Image = NDArray[Any]
NETWORK = "weights/mc_cnn_fast_dw.onnx"
BORDER = 5  # pixels at each side that have no descriptor
SCALE = 40  # of a cost: 0 for equal descriptors, SCALE for unrelated ones
LARGEST = 255


@cache
def session() -> Any:
    """Open the network of the package, without importing PyTorch as the package does."""
    import onnxruntime

    package = find_spec("mc_cnn")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("mccnn is not installed: pip install mccnn")
    path = Path(package.origin).parent / NETWORK
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def descriptors(view: Image) -> Image:
    """Return the descriptors of a grey view: (64, H, W), repeated at the border."""
    grey = view.astype(np.float32)
    grey = (grey - grey.mean()) / max(float(grey.std()), 1e-6)
    (inner,) = session().run(None, {"input": grey})
    return np.pad(inner, ((0, 0), (BORDER, BORDER), (BORDER, BORDER)), mode="edge")


@ws.variant("sgm", "mc-cnn", base="cpu", help="The matching cost from descriptors of MC-CNN.")
def matching_cost(
    left_descriptor: Image,
    right_descriptor: Image,
    left_gradient: Image,
    right_gradient: Image,
    cost_volume: Image,
    cost: str,
    min_disparity: int,
    gradient: bool,
    outside: int,
) -> None:
    """Write the distances between learned descriptors; the given descriptors are grey levels."""
    left, right = descriptors(left_descriptor), descriptors(right_descriptor)
    width = left.shape[2]
    cost_volume[:] = LARGEST if outside < 0 else outside
    for d in range(cost_volume.shape[2]):
        shift = min_disparity + d
        columns = slice(max(shift, 0), min(width + shift, width))
        matches = slice(columns.start - shift, columns.stop - shift)
        alike = np.einsum("chw,chw->hw", left[:, :, columns], right[:, :, matches])
        cost_volume[:, columns, d] = np.rint(SCALE * (1 - alike)).clip(0, LARGEST)


def main(*files: str) -> None:
    """Compare the errors of the learned cost with those of the program's own cost."""
    try:
        session()
    except ModuleNotFoundError as missing:
        print(missing)
        return
    pair = ws.open(*files) if files else ws.open("scene:garden", size=(320, 240))
    runs = {
        "own cost": ws.Run("sgm", variant="cpu", preset="fast"),
        "mc-cnn": ws.Run("sgm", variant="mc-cnn", preset="fast", cost="absolute"),
    }
    for name, run in runs.items():
        result = run(pair)
        wrong = f", bad-2 {result.judge()['bad-2']:.2f} %" if result.frame.truth is not None else ""
        print(f"{name}: {result.density:.2f} % have a disparity{wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
