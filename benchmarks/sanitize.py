"""Run every CUDA kernel once or more at a small odd size: what ``compute-sanitizer`` watches.

compute-sanitizer --tool memcheck python -m benchmarks.sanitize
"""

import numpy as np

from gpu.execution import compute
from gpu.parameters import Params, controls
from gpu.pipeline import Pipeline
from gpu.pipelines import PIPELINES

HEIGHT, WIDTH = 37, 61


def settings(pipeline: Pipeline) -> list[Params]:
    """The defaults, every preset, and every value of every choice."""
    found = [pipeline.params(), *map(pipeline.preset, pipeline.presets)]
    for name, control in controls(pipeline.params).items():
        found += [pipeline.params().changed(**{name: value}) for value in control.choices]
    return list(dict.fromkeys(found))


def main() -> None:
    """Compare each CUDA variant with the reference, so that a run that computed nothing fails."""
    generator = np.random.default_rng(1)
    for pipeline in PIPELINES.values():
        names = [v.name for v in pipeline.variants if v.device == "cuda"]
        inputs = {
            name: generator.integers(0, 256, (HEIGHT, WIDTH), np.uint8) for name in pipeline.inputs
        }
        for params in settings(pipeline):
            expected = compute(pipeline, "reference", params, **inputs)
            for name in names:
                result = compute(pipeline, name, params, **inputs)
                assert np.array_equal(result, expected), (pipeline.name, name, params)
        print(f"{pipeline.name}: {', '.join(names)} x {len(settings(pipeline))} settings")


if __name__ == "__main__":
    main()
