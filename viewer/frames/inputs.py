"""The source's images on the devices: each is uploaded once a frame, whoever reads it."""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.execution import Execution
from gpu.pipeline import Array
from viewer.sources.frame import Frame
from viewer.sources.grey import SOURCE_IMAGES, grey_levels, views

Key = tuple[str, str, str, bool]  # device, image, dtype, whether it is a texture


class SharedInputs:
    """The arrays that executions of one image size read, shared where they live alike.

    Several threads may use it; the arrays themselves belong to the device that computes.

    Args:
        height, width: of the source.
    """

    def __init__(self, height: int, width: int) -> None:
        self._lock = threading.Lock()
        self._arrays: dict[Key, Array] = {}
        self._filled: dict[Key, Frame] = {}
        self._grey = {name: np.empty((height, width), np.uint8) for name in SOURCE_IMAGES}
        self._converted: dict[str, Frame] = {}

    def share(self, execution: Execution) -> None:
        """Let an execution that has not run yet read the arrays that others read."""
        with self._lock:
            for name in execution.pipeline.inputs:
                own = execution.images[name]
                execution.images[name] = self._arrays.setdefault(_key(execution, name), own)

    def upload(self, execution: Execution, frame: Frame) -> None:
        """Bring a frame into the arrays that an execution reads, unless it is there."""
        for name, pixels in views(frame).items():
            if name in execution.pipeline.inputs:
                with self._lock:
                    self._fill(execution, name, pixels, frame)

    def _fill(
        self, execution: Execution, name: str, pixels: NDArray[np.uint8], frame: Frame
    ) -> None:
        key = _key(execution, name)
        if self._filled.get(key) is not frame:
            execution.upload(**{name: self._to_grey(name, pixels, frame)})
            self._filled[key] = frame

    def _to_grey(self, name: str, pixels: NDArray[Any], frame: Frame) -> NDArray[np.uint8]:
        if pixels.ndim == 2:
            return pixels
        if self._converted.get(name) is not frame:
            grey_levels(pixels, self._grey[name])
            self._converted[name] = frame
        return self._grey[name]


def _key(execution: Execution, name: str) -> Key:
    variant = execution.variant
    return variant.device, name, execution.dtype(name), name in variant.textures
