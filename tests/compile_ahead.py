"""Compile the default functions of CPU variants; run in parallel with the linters.

Else all workers begin with the same compilations, and the longest tests wait for them.
"""

import gc

from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_rectification
from wheatstone.gpu.pipelines.sgm import SGM


def compile_ahead() -> None:
    """Compute a frame by the variants that every test compares, whose functions stay compiled."""
    for pipeline in (*PIPELINES.values(), with_rectification(SGM)):
        for variant in pipeline.variants:
            if variant.name in ("reference", "cpu"):
                prepare(pipeline, variant.name, pipeline.params(), 64, 96).run()


if __name__ == "__main__":
    gc.disable()  # it would take a sixth of the time, and find little
    compile_ahead()
