"""Compile the last steps of a frame in another process, while this process compiles the first.

Numba compiles under one lock, so threads would not help. The process stores its results in the
folder of compiled code, from which later steps load them; where both compile the same function, one
of two equal files remains.

Run as ``python -m wheatstone.gpu.compile_ahead``, which reads the request from standard input.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wheatstone.gpu.compilations import telling
from wheatstone.gpu.execution import Execution, prepare

MOST_BYTES = 256 * 2**20
"""Memory that the arrays of the other process may take."""


@contextmanager
def compiling_ahead(execution: Execution) -> Iterator[None]:
    """In the ``with`` block, start a helper process at the first compilation.

    It starts only where a core is free and its arrays are small enough. It ends on its own, at the
    end of the block at the latest.
    """
    helpers: list[subprocess.Popen[str]] = []

    def begin(_: str) -> None:
        if not helpers:
            helpers.append(start(execution))

    if not is_worthwhile(execution):
        yield
        return
    try:
        with telling(begin):
            yield
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()


def is_worthwhile(execution: Execution) -> bool:
    """Return whether a core is free for a helper process and the arrays are small enough."""
    from wheatstone.gpu.cpu.cores import core_count

    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return core_count() - busy >= 1 and execution.nbytes <= MOST_BYTES and len(execution.steps) > 2


def start(execution: Execution) -> "subprocess.Popen[str]":
    """Start the helper process that compiles the last steps."""
    helper = subprocess.Popen(
        [sys.executable, "-m", "wheatstone.gpu.compile_ahead"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    assert helper.stdin
    helper.stdin.write(json.dumps(request_of(execution)))
    helper.stdin.close()
    return helper


def request_of(execution: Execution) -> dict[str, Any]:
    """Describe a prepared variant as plain data, from which another process can prepare it."""
    return {
        "pipeline": execution.pipeline.name,
        "variant": execution.variant.name,
        "params": asdict(execution.params),
        "height": execution.computed_rows,
        "width": execution.width,
    }


def compile_from_the_end(request: dict[str, Any]) -> None:
    """Compile the second half of a frame's steps by calling them on zeros, the last one first."""
    from wheatstone.gpu.pipelines import PIPELINES

    pipeline = PIPELINES[request["pipeline"]]
    # JSON has no tuples.
    values = {n: tuple(v) if isinstance(v, list) else v for n, v in request["params"].items()}
    params = pipeline.params(**values)
    size = request["height"], request["width"]
    execution = prepare(pipeline, request["variant"], params, *size)
    for step in execution.steps[: len(execution.steps) // 2 - 1 : -1]:
        step.function(*(execution.images[name] for name in step.images), *step.arguments)


if __name__ == "__main__":
    compile_from_the_end(json.load(sys.stdin))
