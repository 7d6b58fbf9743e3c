"""Time variants `fast` of the mean filter and of template matching: frames and launches.

Prints a Markdown table in microseconds. A single reading is that of a single frame, in which the
clock has its share, as the row `nothing` shows; back to back, frames are so many in one graph that
it has none. What a frame takes beside its first launches is told by differences of frames that are
whole: no launch runs without the one before it. `copy` moves as many bytes as the frame's images
have. Bits first: a result that is not that of a plain kernel ends with exit code 1.
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
MICRO = 1e3  # microseconds of a millisecond


Row = tuple[tuple[str, ...], int]
"""The cells of a line, and the elements of the result that differ from the plain kernel's."""


@dataclass(frozen=True)
class Times:
    """Microseconds of a single frame and back to back."""

    single: float
    chained: float

    def __sub__(self, other: "Times") -> "Times":
        return Times(self.single - other.single, self.chained - other.chained)


def timed(device: Device, call: Callable[[], None]) -> Times:
    """Time what a call queues, which compiled already and can be queued any number of times."""

    def queue_all() -> None:
        for _ in range(CHAINED):
            call()

    single = median(recorded_milliseconds(device, call, SINGLE))
    chained = min(recorded_milliseconds(device, queue_all, LAUNCHES)) / CHAINED
    return Times(MICRO * single, MICRO * chained)


def image(height: int, width: int) -> NDArray[np.uint8]:
    """Make an image of which one half is noise and the other half smooth."""
    noise = np.random.default_rng(1).integers(0, 256, (height, width), np.uint8)
    y, x = np.indices((height, width))
    smooth = 128 + 60 * np.sin(0.03 * x) + 50 * np.cos(0.05 * y + 0.01 * x) + noise // 32
    return np.where(x < width // 2, noise, smooth.astype(np.uint8))


def prepared(pipeline: Pipeline, params: Params, images: dict[str, Any]) -> Execution:
    """Prepare `fast`, and run it until its kernels are compiled."""
    execution = prepare(pipeline, "fast", params, *images["left"].shape)
    execution.upload(**images)
    for _ in range(WARM):
        lap(execution)
    return execution


def differing(pipeline: Pipeline, params: Params, images: dict[str, Any]) -> int:
    """Count the elements of the output that are not those of a plain kernel."""
    names = ("fast", PLAIN[pipeline.name])
    ours, theirs = (compute(pipeline, name, params, **images) for name in names)
    return int(np.count_nonzero(ours != theirs))


def frame(execution: Execution) -> Callable[[], None]:
    """Give what queues a whole frame."""
    return lambda: call_steps(execution.steps, execution.images, lambda done: None)


def copy_of(execution: Execution, names: tuple[str, ...]) -> Times:
    """Time a copy that reads and writes as many bytes as some images have together."""
    device = execution.device
    size = sum(execution.images[name].nbytes for name in names) // 2
    with device.active():
        source, target = device.zeros((size,), "uint8"), device.zeros((size,), "uint8")
        device.copy(target, source)
    return timed(device, lambda: device.copy(target, source))


def rows_of(
    what: str, execution: Execution, wrong: int, names: tuple[str, ...], parts: dict[str, Times]
) -> Iterator[Row]:
    """Put into rows what was timed of a frame."""
    size = f"{execution.width}x{execution.height}"
    whole = timed(execution.device, frame(execution))
    single, chained = f"{whole.single:.2f}", f"**{whole.chained:.2f}**"
    yield (what, size, "frame", single, chained, f"{wrong}"), wrong
    for part, times in (parts | {"copy": copy_of(execution, names)}).items():
        yield (what, size, part, f"{times.single:.2f}", f"{times.chained:.2f}", ""), 0


def mean_rows() -> Iterator[Row]:
    """Measure the mean filter, which is one launch."""
    for height, width in SIZES:
        images = {"left": image(height, width)}
        for radius in RADII:
            params = MeanParams(radius)
            execution = prepared(MEAN, params, images)
            wrong = differing(MEAN, params, images)
            yield from rows_of(f"mean r={radius}", execution, wrong, ("left", "mean"), {})


def ncc_rows() -> Iterator[Row]:
    """Measure template matching, which is two launches."""
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
    """Time the launches; each writes the same however often it is queued."""
    correlate, choose = execution.steps
    correlating = timed(execution.device, lambda: _call(correlate, execution.images))
    choosing = timed(execution.device, lambda: _call(choose, execution.images))
    return {
        "packed_correlation": correlating,
        "packed_peaks_choose": timed(execution.device, frame(execution)) - correlating,
        "packed_peaks_choose alone": choosing,
    }


def _call(step: Any, images: Any) -> None:
    step.function(*(images[name] for name in step.images), *step.arguments)


PIPELINES = {MEAN.name: mean_rows, NCC.name: ncc_rows}


def main(pipelines: Annotated[tuple[str, ...], PIPELINES] = tuple(PIPELINES)) -> bool:
    """Print the table; return whether no element differs."""
    rows = [row for name in pipelines for row in PIPELINES[name]()]
    nothing = f"{MICRO * nothing_milliseconds(open_device('cuda')):.2f}"
    cells = [*(cells for cells, _ in rows), ("nothing", "", "", nothing, "0.00", "")]
    header = ("Filter", "Size", "Part", "Single us", "Back to back us", "Differ")
    print(markdown(header, cells))
    return not any(wrong for _, wrong in rows)
