"""Compute on arrays in the GPU's memory that other libraries own, such as CuPy and PyTorch.

Arrays are exchanged by DLPack or ``__cuda_array_interface__``, without a copy through the host. The
work is ordered after the caller's stream's earlier work, and before its later work.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array

DLPACK_GPUS = (2, 13)  # kDLCUDA and kDLCUDAManaged


def on_gpu(array: Any) -> bool:
    """Return whether an array of any library is in a GPU's memory."""
    if device := getattr(array, "__dlpack_device__", None):
        return int(device()[0]) in DLPACK_GPUS
    return hasattr(array, "__cuda_array_interface__")


def _of_torch(array: Any) -> bool:
    """Return whether an array is a tensor of PyTorch, without importing PyTorch."""
    return type(array).__module__.partition(".")[0] == "torch"


class Exchange:
    """A wrapper that runs a prepared variant on arrays in GPU memory, such as PyTorch tensors.

    Nothing is allocated after the first call: all calls share the arrays that they return.

    Raises:
        ValueError: the variant computes on the CPU.
    """

    def __init__(self, execution: Execution) -> None:
        if execution.device.on_host:
            name = f"{execution.pipeline.name}/{execution.variant.name}"
            raise ValueError(f"{name} computes on the CPU; arrays on a GPU need a CUDA variant")
        import cupy

        self._cupy, self._execution = cupy, execution
        self._device: Any = execution.device
        self._values: dict[str, Array] = {}
        with self._device.active():
            self._before, self._after = (
                cupy.cuda.Event(disable_timing=True) for _ in ("before", "after")
            )

    def run(self, inputs: Mapping[str, Any], stream: int | None = None) -> None:
        """Queue the computation of a frame on the GPU, without waiting for it.

        Args:
            inputs: by name, (H, W) uint8 grey levels or (H, W, 3) uint8 RGB.
            stream: address of the caller's CUDA stream. By default PyTorch's current stream if an
                input is a tensor, else CuPy's.

        Raises:
            ValueError: an array has another shape or dtype, or is on another GPU.
        """
        caller = self._caller(inputs, stream)
        self._before.record(caller)
        self._device.stream.wait_event(self._before)
        with self._device.active():
            for name, array in inputs.items():
                self._take(name, array)
            self._execution.run(timed=False)
            self._after.record(self._device.stream)
        caller.wait_event(self._after)

    def output(self, name: str) -> Array:
        """Return a computed image as it is stored: a CuPy array, valid until the next call."""
        from wheatstone.gpu.texture import as_array

        return as_array(self._execution.array(name))

    def in_units(self, name: str, scale: float, invalid: int | None) -> Array:
        """Return an image in its unit: (H, W) float32, NaN where there is no result.

        The array is a CuPy array, valid until the next call.
        """
        from wheatstone.gpu.kernels.arrays import in_units

        stored = self.output(name)
        with self._device.active():
            if name not in self._values:
                self._values[name] = self._cupy.empty(stored.shape, "float32")
            in_units(stored, self._values[name], scale, invalid)
            self._after.record(self._device.stream)
        self._last.wait_event(self._after)
        return self._values[name]

    def _caller(self, inputs: Mapping[str, Any], stream: int | None) -> Any:
        first = next(iter(inputs.values()))
        if stream is None and _of_torch(first):
            stream = sys.modules["torch"].cuda.current_stream(first.device).cuda_stream
        streams = self._cupy.cuda
        known = streams.get_current_stream() if stream is None else streams.ExternalStream(stream)
        self._last = known
        return known

    def _take(self, name: str, array: Any) -> None:
        """Copy an input into the array from which the variant reads it."""
        from wheatstone.gpu.kernels.arrays import grey_levels

        array, target = self._borrowed(array), self._execution.images[name]
        if array.device.id != self._device.ordinal:
            here = f"GPU {self._device.ordinal}"
            raise ValueError(f"{name} must be on {here} (got GPU {array.device.id})")
        if array.dtype != target.dtype or array.shape not in (target.shape, (*target.shape, 3)):
            expected = f"{target.shape} or {(*target.shape, 3)} {target.dtype}"
            raise ValueError(f"{name} must be {expected} (got {array.shape} {array.dtype})")
        if array.ndim == 3:
            from wheatstone.gpu.texture import written

            with written(target) as grey:
                grey_levels(self._cupy.ascontiguousarray(array), grey)
        else:
            self._device.copy(target, array)

    def _borrowed(self, array: Any) -> Any:
        """Return a CuPy array that shares the memory of another library's array."""
        cupy = self._cupy
        if isinstance(array, cupy.ndarray):
            return array
        if _of_torch(array) and array.is_contiguous():  # DLPack takes longer than a small frame
            size, ordinal = array.element_size() * array.numel(), array.device.index
            memory = cupy.cuda.UnownedMemory(array.data_ptr(), size, array, ordinal)
            dtype = str(array.dtype).removeprefix("torch.")
            return cupy.ndarray(tuple(array.shape), dtype, cupy.cuda.MemoryPointer(memory, 0))
        return cupy.from_dlpack(array) if hasattr(array, "__dlpack__") else cupy.asarray(array)


def make_current(ordinal: int) -> None:
    """Make a CUDA device's context current, so that libraries called by this thread use it."""
    import cupy

    cupy.cuda.runtime.setDevice(ordinal)


def copied_arrays(exported: Iterable[Any]) -> list[Array]:
    """Copy arrays that a library exports, all on one GPU, and wait until they are copied.

    The library may then use their memory again.

    Args:
        exported: objects with ``__dlpack__``, such as the planes of a decoded frame.
    """
    import cupy

    read = [cupy.from_dlpack(_Exported(each)) for each in exported]
    with read[0].device:
        copies = [each.copy() for each in read]
        cupy.cuda.get_current_stream().synchronize()
    return copies


class _Exported:
    """A video plane in GPU memory that CuPy imports without a stream, which PyAV would reject.

    The decoder has written the plane when PyAV hands it out.
    """

    def __init__(self, plane: Any) -> None:
        self._plane = plane

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._plane.__dlpack_device__()
        return device

    def __dlpack__(self, **_: Any) -> Any:
        return self._plane.__dlpack__()
