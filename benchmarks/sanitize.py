"""Run every CUDA kernel at a small odd size, for checks by ``compute-sanitizer``.

    compute-sanitizer --tool memcheck python -m benchmarks sanitize
    compute-sanitizer --tool racecheck python -m benchmarks sanitize --no-leaned-sweeps

Only memcheck and initcheck can check leaned sweeps. Their warps signal their progress by mbarriers:
one lane arrives for its warp, and does not wait for its own signal. synccheck reports this as a
missing wait and ends the kernel, and racecheck reports accesses that such a signal orders. The
order is tested by the emulation, which counts phases, and by frames with random delays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pytest import MonkeyPatch

from wheatstone.gpu.bands import prepare_in_bands
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_conversion, with_rectification
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.sgm import SGM, packing
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.run.parity.cases import random_maps
from wheatstone.viewer.run.parity.checking import kept

HEIGHT, WIDTH = 37, 61
LARGER = {"canny": (141, 163)}  # `fast` has more than one block of tiles along each side


def settings(pipeline: Pipeline) -> list[Params]:
    """List parameters of a pipeline: defaults, every preset, and every value of every choice."""
    listed = [pipeline.params(), *map(pipeline.preset, pipeline.presets)]
    for name, control in controls(pipeline.params).items():
        listed += [pipeline.params().changed(**{name: value}) for value in control.choices]
    return list(dict.fromkeys(listed))


def results(
    pipeline: Pipeline,
    variant: str,
    params: Params,
    inputs: dict[str, NDArray[Any]],
    bands: int = 1,
) -> dict[str, NDArray[Any]]:
    """Compute a variant; return its output and all images on demand, by name."""
    wanted = on_demand(pipeline, pipeline.variant(variant))
    size = _size(pipeline)
    execution = prepare_in_bands(pipeline, variant, params, *size, wanted, count=bands)
    execution.upload(**inputs)
    execution.run()
    names = [name for name in (pipeline.output, *wanted) if execution.keeps(name)]
    return {name: execution.download(name) for name in names}


def _size(pipeline: Pipeline) -> tuple[int, int]:
    return LARGER.get(pipeline.name, (HEIGHT, WIDTH))


def compare(
    pipeline: Pipeline,
    names: list[str],
    params: Params,
    inputs: dict[str, NDArray[np.uint8]],
    bands: int = 1,
) -> None:
    """Assert that variants have the results of the reference, optionally in bands of rows."""
    reference = prepare(pipeline, "reference", params, *_size(pipeline), pipeline.on_demand)
    reference.upload(**inputs)
    reference.run()
    expected = kept(reference)
    for name in names:
        if pipeline.variant(name).refuses(params, *_size(pipeline)):
            continue
        arrays = results(pipeline, name, params, inputs, bands)
        for image in arrays.keys() & expected.keys():
            floating = arrays[image].dtype.kind == "f"
            same = np.array_equal(arrays[image], expected[image], equal_nan=floating)
            assert same, (name, image, params)


def compare_leaned_sweeps(inputs: dict[str, NDArray[np.uint8]]) -> None:
    """Compare variant ``fast`` with leaned sweeps, which it otherwise uses in large images only."""
    with MonkeyPatch.context() as patches:
        patches.setattr(packing, "LEANED", True)
        for disparities in (16, 64, 128, 256, 512):
            for adaptation in ADAPTATIONS:
                params = SGM.preset("libsgm").changed(
                    disparities=disparities, p2_adaptation=adaptation
                )
                compare(SGM, ["fast"], params, inputs)


def compare_bands(names: list[str], inputs: dict[str, NDArray[np.uint8]]) -> None:
    """Compare variants in bands of rows, which pass path costs from band to band."""
    for paths in (4, 8, "sweeps"):
        for adaptation in ADAPTATIONS:
            params = SGM.params().changed(paths=paths, p2_adaptation=adaptation)
            compare(SGM, names, params, inputs, bands=3)
    compare(SGM, names, SGM.preset("aveiro-2016"), inputs, bands=2)


def main(*, no_leaned_sweeps: bool = False) -> bool:
    """Compare each CUDA variant with the reference, so that kernels that do nothing fail."""
    generator = np.random.default_rng(1)
    rectifying = with_rectification(PIPELINES["sgm"])
    for pipeline in (*PIPELINES.values(), rectifying, NV12, with_conversion(rectifying)):
        names = [v.name for v in pipeline.variants if v.on_gpu]
        views = {
            name: generator.integers(0, 256, _size(pipeline), np.uint8)
            for name in ("left", "right")
        }
        inputs = inputs_of(
            pipeline,
            views,
            random_maps(generator, *_size(pipeline)),
            np.array((50, 0.3), np.float32),
        )
        for params in settings(pipeline):
            compare(pipeline, names, params, inputs)
        print(f"{pipeline.name}: {', '.join(names)} x {len(settings(pipeline))} settings")
        if pipeline is SGM:
            compare_bands(names, inputs)
            if not no_leaned_sweeps:
                compare_leaned_sweeps(inputs)
    return True
