"""Time the copies of images between host and device, as made by the course's programs."""

from functools import partial
from statistics import median
from typing import Any

from wheatstone.gpu.execution import Execution, wall_milliseconds
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.viewer.commands.report.published import STEPS
from wheatstone.viewer.measuring.inputs import GreyPictures
from wheatstone.viewer.measuring.sweep import Configuration
from wheatstone.viewer.measuring.variants import first_frame

COPIES = 5  # of each image, of which the median counts


def transfer_name(command: str) -> str:
    """Name the copies that belong to a row, after the row's command line."""
    return f"copies of {command}"


def transfers(one: Configuration, variant: str, inputs: GreyPictures) -> dict[str, Any]:
    """Time the upload of the inputs, and the download of each step's image, in milliseconds.

    Host memory is page-locked; times are by the wall clock. An image that the host copies once for
    every path is counted that often; one that the variant does not keep is left out.
    """
    execution = first_frame(one, variant, inputs)
    paths = one.params.values()["paths"]
    found = {step.crossing: step for step in STEPS}
    times = {
        name: (paths if step.each else 1) * _download(execution, name or one.pipeline.output)
        for name, step in found.items()
        if execution.keeps(name or one.pipeline.output)
    }
    return {"upload_ms": _upload(execution, inputs, one), "download_ms": times}


def _upload(execution: Execution, inputs: GreyPictures, one: Configuration) -> float:
    views = inputs_of(one.pipeline, inputs.grey(one.width, one.height))

    def upload() -> None:
        execution.upload(**views)
        execution.device.synchronize()

    return _median(upload)


def _download(execution: Execution, name: str) -> float:
    array = execution.array(name)
    target = execution.device.host_buffer(tuple(array.shape), array.dtype)
    return _median(partial(execution.device.download, array, target))


def _median(copy: Any) -> float:
    return float(median(wall_milliseconds(copy) for _ in range(COPIES)))
