"""Time variants ``fast`` of the mean filter and of template matching: frames and launches.

Prints a Markdown table in microseconds. A frame is timed alone, which includes the overhead of the
clock that the row `nothing` shows, and back to back: many frames in one graph, which makes the
overhead negligible. The time of a second launch is the difference between the whole frame and the
first launch, because the second launch needs the results of the first. `copy` moves as many bytes
as the frame's images have. If a result differs from that of a plain kernel, the exit code is 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.measurement import CHAINED, LAUNCHES, lap, nothing_milliseconds
from wheatstone.gpu.clock import recorded_milliseconds
from wheatstone.gpu.device import Device, open_device
from wheatstone.gpu.execution import Execution, compute, prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.recording import call_steps
from wheatstone.viewer.io.files.markdown import markdown

SIZES = ((1080, 1920), (2160, 3840))
RADII = (1, 3, 7)
SIDES = (52, 24)  # of templates
PLAIN = {MEAN.name: "unrolled", NCC.name: "texture"}
SINGLE = 30  # single frames
WARM = 3
MICRO = 1e3  # microseconds per millisecond


Row = tuple[tuple[str, ...], int]
"""The cells of a table row, and the number of output elements unlike those of the plain kernel."""


@dataclass(frozen=True)
class Times:
    """The times of one call alone and of one of many calls back to back, in microseconds."""

    single: float
    chained: float

    def __sub__(self, other: "Times") -> "Times":
        return Times(self.single - other.single, self.chained - other.chained)


def time_calls(device: Device, call: Callable[[], None]) -> Times:
    """Time the work that a call queues on a device, alone and back to back.

    The kernels must be compiled, and the work must be repeatable.
    """

    def queue_all() -> None:
        for _ in range(CHAINED):
            call()

    single = median(recorded_milliseconds(device, call, SINGLE))
    chained = min(recorded_milliseconds(device, queue_all, LAUNCHES)) / CHAINED
    return Times(MICRO * single, MICRO * chained)


def image(height: int, width: int) -> NDArray[np.uint8]:
    """Return an image whose left half is noise and whose right half is smooth."""
    noise = np.random.default_rng(1).integers(0, 256, (height, width), np.uint8)
    y, x = np.indices((height, width))
    smooth = 128 + 60 * np.sin(0.03 * x) + 50 * np.cos(0.05 * y + 0.01 * x) + noise // 32
    return np.where(x < width // 2, noise, smooth.astype(np.uint8))


def prepared(pipeline: Pipeline, params: Params, images: dict[str, Any]) -> Execution:
    """Return an execution of variant ``fast`` whose kernels are compiled."""
    execution = prepare(pipeline, "fast", params, *images["left"].shape)
    execution.upload(**images)
    for _ in range(WARM):
        lap(execution)
    return execution


def differing(pipeline: Pipeline, params: Params, images: dict[str, Any]) -> int:
    """Count the output elements of variant ``fast`` that differ from those of a plain kernel."""
    names = ("fast", PLAIN[pipeline.name])
    fast, plain = (compute(pipeline, name, params, **images) for name in names)
    return int(np.count_nonzero(fast != plain))


def frame(execution: Execution) -> Callable[[], None]:
    """Return a function that queues a whole frame."""
    return lambda: call_steps(execution.steps, execution.images, lambda done: None)


def copy_of(execution: Execution, names: tuple[str, ...]) -> Times:
    """Time a copy whose bytes, read and written, are as many as those of the named images."""
    device = execution.device
    size = sum(execution.images[name].nbytes for name in names) // 2
    with device.active():
        source, target = device.zeros((size,), "uint8"), device.zeros((size,), "uint8")
        device.copy(target, source)
    return time_calls(device, lambda: device.copy(target, source))


def rows_of(
    case: str, execution: Execution, wrong: int, names: tuple[str, ...], parts: dict[str, Times]
) -> Iterator[Row]:
    """Time the whole frame and a copy; yield their rows and those of the timed parts.

    Args:
        wrong: number of output elements unlike those of the plain kernel.
        names: images whose bytes the copy moves.
    """
    size = f"{execution.width}x{execution.height}"
    whole = time_calls(execution.device, frame(execution))
    single, chained = f"{whole.single:.2f}", f"**{whole.chained:.2f}**"
    yield (case, size, "frame", single, chained, f"{wrong}"), wrong
    for part, times in (parts | {"copy": copy_of(execution, names)}).items():
        yield (case, size, part, f"{times.single:.2f}", f"{times.chained:.2f}", ""), 0


def mean_rows() -> Iterator[Row]:
    """Measure the mean filter, which has a single launch; yield the table rows."""
    for height, width in SIZES:
        images = {"left": image(height, width)}
        for radius in RADII:
            params = MeanParams(radius)
            execution = prepared(MEAN, params, images)
            wrong = differing(MEAN, params, images)
            yield from rows_of(f"mean r={radius}", execution, wrong, ("left", "mean"), {})


def ncc_rows() -> Iterator[Row]:
    """Measure template matching, which has two launches; yield the table rows."""
    for height, width in SIZES:
        left = image(height, width)
        images = {"left": left, "right": left}
        for side in SIDES:
            params = NccParams(template=(width // 2 + 200, 300, side, side))
            execution = prepared(NCC, params, images)
            wrong = differing(NCC, params, images)
            parts = ncc_parts(execution)
            yield from rows_of(f"ncc {side}x{side}", execution, wrong, ("left", "scores"), parts)


def ncc_parts(execution: Execution) -> dict[str, Times]:
    """Time the two launches of template matching; a repeated launch writes the same result."""
    correlate, choose = execution.steps
    correlating = time_calls(execution.device, lambda: _call(correlate, execution.images))
    choosing = time_calls(execution.device, lambda: _call(choose, execution.images))
    return {
        "packed_correlation": correlating,
        "packed_peaks_choose": time_calls(execution.device, frame(execution)) - correlating,
        "packed_peaks_choose alone": choosing,
    }


def _call(step: Any, images: Any) -> None:
    step.function(*(images[name] for name in step.images), *step.arguments)


PIPELINES = {MEAN.name: mean_rows, NCC.name: ncc_rows}


def main(pipelines: Annotated[tuple[str, ...], PIPELINES] = tuple(PIPELINES)) -> bool:
    """Time the filters and print a table; return whether no output element differs."""
    rows = [row for name in pipelines for row in PIPELINES[name]()]
    nothing = f"{MICRO * nothing_milliseconds(open_device('cuda')):.2f}"
    cells = [*(cells for cells, _ in rows), ("nothing", "", "", nothing, "0.00", "")]
    header = ("Filter", "Size", "Part", "Single us", "Back to back us", "Differ")
    print(markdown(header, cells))
    return not any(wrong for _, wrong in rows)
