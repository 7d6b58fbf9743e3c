"""Convert frames to pipeline inputs; runs that read the same input use a single upload.

Frames that come again, as in a loop, stay in GPU memory while there is room.
"""

import threading
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array, Pipeline
from wheatstone.gpu.pipelines.inputs import CAMERA, COLOURS, OF_VIEW, RAW, inputs_of, with_presence
from wheatstone.gpu.pipelines.nv12 import COEFFICIENTS, NV12
from wheatstone.gpu.pipelines.rectify import CHANNELS, RECTIFY
from wheatstone.gpu.pipelines.values import INPUTS, STEPS
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_levels, view_of

Key = tuple[str, str, str, bool]  # device, image, dtype, whether it is a texture
GREY = ("left", "right")
VIEWS = (*GREY, *RAW, *COLOURS)  # what has to be made of pixels
MOST_COPIED = 16  # of a few frames: what a GPU may not have copied yet
STILL = object()  # stands for a calibration where there is none
MOST_BYTES = 2**30
SHARE = 4  # of the memory that is free, one part of so many is the most that is taken


def host_input(name: str, frame: Frame, out: NDArray[Any] | None = None) -> NDArray[Any] | None:
    """Create an input of a pipeline from a frame; None if the frame has no such view.

    Args:
        out: an array of the input's shape and dtype that may be overwritten with it.
    """
    view = OF_VIEW.get(name, name)
    if name in NV12.inputs:
        return _decoded(name, frame)
    if name == CAMERA:
        scale = frame.calibration_or_assumed.scale
        return np.array((scale.product, scale.offset), np.float32)
    if name in INPUTS:
        return None if frame.values is None else frame.values * np.float32(STEPS)
    if name in RAW or name in COLOURS:
        raw = view_of(frame, COLOURS.get(name, name))
        return None if raw is None else with_presence(raw, out)
    if name in OF_VIEW:
        if not frame.raw:
            return np.zeros((*frame.shape, 2), np.int16)
        maps = frame.raw.rectification
        return (maps.left if view == "left" else maps.right).displacement
    if name in GREY and frame.planes and not frame.raw:
        return frame.planes[name == "right"].grey(out)
    pixels = view_of(frame, name)
    return None if pixels is None else grey_levels(pixels, out)


def _decoded(name: str, frame: Frame) -> NDArray[Any]:
    """Return a decoded plane (luma or chroma) or the coefficients for RGB, in host memory."""
    assert frame.planes, "frames of a planar source have planes"
    if name == COEFFICIENTS:
        return frame.planes[0].coefficients
    side, part = name.split("_")
    luma, chroma = frame.planes[side == "right"].host
    return luma if part == "luma" else chroma


@cache
def reads_both_views(pipeline: Pipeline) -> bool:
    """Return whether results depend on both views, so that their rows must be aligned."""
    return pipeline is RECTIFY or any("right" in stage.reads for stage in pipeline.stages)


def host_inputs(names: Iterable[str], frame: Frame) -> dict[str, NDArray[Any]]:
    """Convert a frame to inputs of a pipeline, by name; missing views are omitted."""
    inputs = {name: host_input(name, frame) for name in names}
    return {name: array for name, array in inputs.items() if array is not None}


def upload_views(execution: Execution, views: Mapping[str, NDArray[np.uint8]]) -> None:
    """Upload the views that a prepared run reads as inputs.

    Raises:
        ValueError: a view that some step reads is missing.
    """
    pipeline = execution.pipeline
    read = {name for step in execution.steps for name in step.images}
    arrays = inputs_of(pipeline, views, more=execution.variant.inputs)
    for name in execution.inputs:
        if name in read and name not in arrays:
            view = (OF_VIEW | COLOURS).get(name, name)
            raise ValueError(f"{pipeline.name} needs a {view} image as well; give LEFT RIGHT")
    execution.upload(**arrays)


def upload_planes(execution: Execution, frame: Frame, uploaded: dict[str, object]) -> None:
    """Upload the planes of decoded video that a prepared run reads, unless uploaded already.

    Args:
        uploaded: the origins of the inputs that the execution has, by name, updated.
    """
    for name in execution.inputs:
        if uploaded.get(name) is (origin := _origin(name, frame)):
            continue
        uploaded[name] = origin
        there = _decoded_there(name, frame)
        if there is not None:
            execution.device.copy(execution.images[name], there)
        elif (array := host_input(name, frame)) is not None:
            execution.upload(**{name: array})


class SharedInputs:
    """Input arrays that all prepared runs for one image size use together, one set per device.

    Several threads may use it; the arrays themselves belong to the device that computes.
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
        """Make a newly prepared run use the common input arrays, instead of arrays of its own."""
        with self._lock:
            for name in execution.inputs:
                own = execution.images[name]
                execution.images[name] = self._arrays.setdefault(_key(execution, name), own)

    def forget(self) -> bool:
        """Free the GPU memory of cached inputs; return whether there were any."""
        with self._lock:
            return self._kept.forget()

    def upload(self, execution: Execution, frame: Frame) -> None:
        """Upload a frame to the arrays that a prepared run reads, unless uploaded already."""
        for name in execution.inputs:
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
            array = self._on_host(name, frame, origin)
            if array is None:
                return
            if not device.on_host and origin is frame:
                there = self._kept.note(frame, name, key, array, device)
            if there is None:
                execution.upload(**{name: array})
        if there is not None:
            device.copy(execution.images[name], there)
        self._filled[key] = origin

    def _on_device(self, name: str, frame: Frame) -> Array | None:
        """Return an input if it is already in GPU memory, decoded or cached there; else None."""
        plane = _decoded_there(name, frame)
        if plane is not None:
            self._copied.append(plane)
            return plane
        return self._kept.of(frame, name)

    def _on_host(self, name: str, frame: Frame, origin: object) -> NDArray[Any] | None:
        """Return an input on the host; it is converted once per frame, in a reused array."""
        if self._converted.get(name) is not origin:
            room = self._room(name) if name in VIEWS else None
            array = host_input(name, frame, room)
            if array is None:
                return None
            self._host[name], self._converted[name] = array, origin
        return self._host[name]

    def _room(self, name: str) -> NDArray[np.uint8]:
        """Return the reused host array for a converted view: grey levels, or four channels."""
        if name not in self._rooms:
            self._rooms[name] = np.empty(self._size + (CHANNELS,) * (name not in GREY), np.uint8)
        return self._rooms[name]


class KeptInputs:
    """A cache of inputs in GPU memory; each is freed when the source drops its frame.

    An input is kept when it is uploaded to the same place for the second time: a camera's frame
    comes only once, a frame of a loop, which the source keeps, comes again and again.
    """

    def __init__(self) -> None:
        self._arrays: WeakKeyDictionary[Frame, dict[str, Array]] = WeakKeyDictionary()
        self._came: WeakKeyDictionary[Frame, set[Hashable]] = WeakKeyDictionary()

    def of(self, frame: Frame, name: str) -> Array | None:
        """Return a frame's input from the cache in GPU memory; None if it is not cached."""
        return self._arrays.get(frame, {}).get(name)

    def note(
        self, frame: Frame, name: str, to: Hashable, host: NDArray[np.uint8], device: Device
    ) -> Array | None:
        """Record the upload of an input; at its second upload to one array, keep a copy on the GPU.

        Returns the kept array, or None.
        """
        came = self._came.setdefault(frame, set())
        if to not in came:
            came.add(to)
            return None
        if not self._has_room(host.nbytes, device):
            return None
        with device.active():
            kept = device.zeros(host.shape, host.dtype)
        device.upload(kept, host)
        self._arrays.setdefault(frame, {})[name] = kept
        return kept

    def _has_room(self, size: int, device: Device) -> bool:
        """Return whether the GPU has enough free memory to keep ``size`` more bytes of inputs."""
        free = device.free_bytes()
        most = MOST_BYTES if free is None else min(MOST_BYTES, (self.nbytes + free) // SHARE)
        return self.nbytes + size <= most

    @property
    def nbytes(self) -> int:
        """Return the total number of bytes of the cached inputs."""
        return sum(array.nbytes for held in self._arrays.values() for array in held.values())

    def forget(self) -> bool:
        """Free the memory of all cached inputs; return whether there were any."""
        had = bool(self._arrays)
        self._arrays.clear()
        return had


def _origin(name: str, frame: Frame) -> object:
    """Return the object (frame or calibration) whose change makes an uploaded input outdated."""
    if name == CAMERA:
        return frame.calibration or STILL
    if name == COEFFICIENTS:
        return frame.planes[0].coefficients if frame.planes else STILL
    if name not in OF_VIEW or name in RAW:
        return frame
    return frame.raw.rectification if frame.raw else STILL


def _decoded_there(name: str, frame: Frame) -> Array | None:
    """Return a decoded plane of a view if it is in GPU memory; else None."""
    if name not in NV12.inputs or name == COEFFICIENTS:
        return None
    assert frame.planes, "frames of a planar source have planes"
    side, part = name.split("_")
    planes = frame.planes[side == "right"]
    return None if planes.on_host else getattr(planes, part)


def _key(execution: Execution, name: str) -> Key:
    variant = execution.variant
    return variant.device, name, execution.dtype(name), name in execution.textures
