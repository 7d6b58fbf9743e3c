"""The source's images on the devices: each is uploaded once per frame for all readers.

Frames that come again, as in a loop, stay in GPU memory while there is room.
"""

import threading
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.inputs import CAMERA, OF_VIEW, RAW
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.nv12.images import COEFFICIENTS
from wheatstone.gpu.pipelines.rectify.images import CHANNELS
from wheatstone.viewer.frames.kept_inputs import KeptInputs
from wheatstone.viewer.run.inputs import host_input
from wheatstone.viewer.sources.frame import Frame

Key = tuple[str, str, str, bool]  # device, image, dtype, whether it is a texture
VIEWS = ("left", "right", *RAW)  # what has to be made of pixels
MOST_COPIED = 16  # of a few frames: what a GPU may not have copied yet
STILL = object()  # stands for a calibration where there is none


class SharedInputs:
    """Input arrays for executions of one image size, shared on each device.

    Several threads may use it; the arrays themselves belong to the device that computes.

    Args:
        height, width: size of the source's images.
    """

    def __init__(self, height: int, width: int) -> None:
        self._lock = threading.Lock()
        self._size = height, width
        self._arrays: dict[Key, Array] = {}
        self._filled: dict[Key, object] = {}
        self._rooms: dict[str, NDArray[np.uint8]] = {}
        self._host: dict[str, NDArray[Any]] = {}  # an array made here, or the source's own
        self._converted: dict[str, object] = {}
        # Another thread gets the memory of what is forgotten, and writes to it while a copy waits.
        self._copied: deque[Array] = deque(maxlen=MOST_COPIED)
        self._kept = KeptInputs()

    def share(self, execution: Execution) -> None:
        """Share input arrays with an execution that has not run yet."""
        with self._lock:
            for name in execution.pipeline.inputs:
                own = execution.images[name]
                execution.images[name] = self._arrays.setdefault(_key(execution, name), own)

    def forget(self) -> bool:
        """Free the memory of frames kept on a GPU; return whether there were any."""
        with self._lock:
            return self._kept.forget()

    def upload(self, execution: Execution, frame: Frame) -> None:
        """Upload a frame to the arrays that an execution reads, unless it is there already."""
        for name in execution.pipeline.inputs:
            with self._lock:
                self._fill(execution, name, frame)

    def _fill(self, execution: Execution, name: str, frame: Frame) -> None:
        key, origin = _key(execution, name), _origin(name, frame)
        if self._filled.get(key) is origin:
            return
        device, there = execution.device, None
        if not device.on_host:
            there = self._on_device(name, frame)
        if there is None:
            found = self._on_host(name, frame, origin)
            if found is None:
                return
            if not device.on_host and origin is frame:
                there = self._kept.note(frame, name, key, found, device)
            if there is None:
                execution.upload(**{name: found})
        if there is not None:
            device.copy(execution.images[name], there)
        self._filled[key] = origin

    def _on_device(self, name: str, frame: Frame) -> Array | None:
        """Return an input that is in GPU memory, decoded there or kept; None otherwise."""
        plane = _decoded_there(name, frame)
        if plane is not None:
            self._copied.append(plane)
            return plane
        return self._kept.of(frame, name)

    def _on_host(self, name: str, frame: Frame, origin: object) -> NDArray[Any] | None:
        """Make an input on the host, once per frame, in an array that is reused."""
        if self._converted.get(name) is not origin:
            room = self._room(name) if name in VIEWS else None
            found = host_input(name, frame, room)
            if found is None:
                return None
            self._host[name], self._converted[name] = found, origin
        return self._host[name]

    def _room(self, name: str) -> NDArray[np.uint8]:
        """Return the reusable array for a converted view: grey levels or four channels."""
        if name not in self._rooms:
            self._rooms[name] = np.empty(self._size + (CHANNELS,) * (name in RAW), np.uint8)
        return self._rooms[name]


def _origin(name: str, frame: Frame) -> object:
    """Return the origin of an input: a frame, or the calibration of many frames."""
    if name == CAMERA:
        return frame.calibration or STILL
    if name == COEFFICIENTS:
        return frame.planes[0].coefficients if frame.planes else STILL
    if name not in OF_VIEW or name in RAW:
        return frame
    return frame.raw.rectification if frame.raw else STILL


def _decoded_there(name: str, frame: Frame) -> Array | None:
    """Return a view's planes from the decoder, if they are in GPU memory."""
    if name not in NV12.inputs or name == COEFFICIENTS:
        return None
    assert frame.planes, "frames of a planar source have planes"
    side, part = name.split("_")
    planes = frame.planes[side == "right"]
    return None if planes.on_host else getattr(planes, part)


def _key(execution: Execution, name: str) -> Key:
    variant = execution.variant
    return variant.device, name, execution.dtype(name), name in variant.textures
