"""Time the first frame in a new process, with an empty and with a filled cache of compiled code.

The time includes opening the device, importing the variant, preparing, compiling, one frame and its
copy to the host. Starting Python and reading the declarations do not count.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.clock import wall_milliseconds
from wheatstone.gpu.execution import compute
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.inputs import inputs_of

CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "CUDA_CACHE_PATH")


@dataclass(frozen=True)
class ColdStart:
    """The milliseconds of a process's first frame, with compiled code to build and with it cached.

    Attributes:
        uncached: everything is compiled.
        cached: an earlier process has cached the compiled code.
    """

    uncached: float
    cached: float


def cold_start(
    pipeline: Pipeline, variant: str, params: Params, height: int, width: int
) -> ColdStart:
    """Measure the first frame in two new processes: with an empty code cache, then a filled one.

    Raises:
        Unavailable: the first frame failed; the message is the process's last line.
    """
    request = {
        "pipeline": pipeline.name,
        "variant": variant,
        "params": asdict(params),
        "height": height,
        "width": width,
    }
    with TemporaryDirectory(prefix="wheatstone-") as folder:
        environment = os.environ | {name: folder for name in CACHES}
        return ColdStart(*(_in_new_process(request, environment) for _ in range(2)))


def _in_new_process(request: Mapping[str, Any], environment: Mapping[str, str]) -> float:
    command = [sys.executable, "-m", "wheatstone.gpu.analysis.cold_start"]
    text = json.dumps(request)
    run = subprocess.run(command, input=text, capture_output=True, text=True, env=environment)
    if run.returncode:
        last = (run.stderr.strip() or f"exit code {run.returncode}").splitlines()[-1]
        raise Unavailable(f"no first frame in a new process: {last}")
    return float(run.stdout)


def first_frame(request: Mapping[str, Any]) -> float:
    """Compute a first frame from noise in this process, and return its time in milliseconds."""
    pipeline = PIPELINES[request["pipeline"]]
    params = pipeline.params(**request["params"])
    shape, random = (request["height"], request["width"]), np.random.default_rng(1)
    views = {name: random.integers(0, 256, shape, np.uint8) for name in ("left", "right")}
    inputs = inputs_of(pipeline, views)
    return wall_milliseconds(lambda: compute(pipeline, request["variant"], params, **inputs))


if __name__ == "__main__":
    print(first_frame(json.load(sys.stdin)))
