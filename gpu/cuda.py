"""Compute on an NVIDIA GPU, with CuPy arrays, textures and one stream."""

import importlib.util
import re
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.clock import CudaClock, GraphMarks
from wheatstone.gpu.device import GpuSize
from wheatstone.gpu.image import nbytes
from wheatstone.gpu.installation import first_line, how_to_install_cuda
from wheatstone.gpu.nvidia import driver
from wheatstone.gpu.texture import Texture

WIDEST_LOAD = 16  # bytes that a kernel reads at once, some of them behind the last pixel
STAGED_SHAPES = 16  # of inputs whose pinned buffers are kept; a frame has up to four


def count_gpus() -> int:
    """Count the GPUs that this process may use."""
    import cupy

    return int(cupy.cuda.runtime.getDeviceCount())


class CudaDevice:
    """A GPU that holds CuPy arrays and runs all work in one stream."""

    kind = "cuda"
    on_host = False

    def __init__(self, ordinal: int) -> None:
        import cupy

        self._cupy = cupy
        self.ordinal = ordinal
        self._device = cupy.cuda.Device(ordinal)
        properties = cupy.cuda.runtime.getDeviceProperties(ordinal)
        self.name = properties["name"].decode()
        self.size = GpuSize(
            multiprocessors=properties["multiProcessorCount"],
            shared_bytes=properties["sharedMemPerBlockOptin"],
            capability=10 * properties["major"] + properties["minor"],
        )
        with self._device:
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self._sleeping = cupy.cuda.Event(block=True, disable_timing=True)
        self._active = _Active(self._device, self.stream)
        self.marks = GraphMarks(self.stream, self.record)
        self._staging: dict[tuple[Any, ...], deque[tuple[NDArray[Any], Any]]] = {}

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        size = nbytes(shape, dtype)
        try:
            whole = self._cupy.zeros(-(-size // WIDEST_LOAD) * WIDEST_LOAD, np.uint8)
            return whole[:size].view(dtype).reshape(shape)
        except self._cupy.cuda.memory.OutOfMemoryError as error:
            raise Unavailable(
                f"{self.name} is out of memory: {error}; choose a smaller image or fewer "
                "disparities, or close other programs that use the GPU"
            ) from error

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> Texture:
        with self._device:
            return Texture(shape, dtype, written=written)

    def upload(self, array: Any, host: NDArray[Any]) -> None:
        with self.active():
            pinned, copied = self._staged(host)
            if isinstance(array, Texture):
                array.copy_from(pinned, self.stream)
            else:
                array.set(pinned, stream=self.stream)
            copied.record()

    def _staged(self, host: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """Copy a host array into pinned memory, from which the GPU copies it without the CPU."""
        key = (*host.shape, host.dtype.str)
        if key not in self._staging:
            if len(self._staging) == STAGED_SHAPES:
                self.stream.synchronize()  # copies may still be reading what is given back
                self._staging.clear()
            # A ring of as many buffers as a frame and the one before it have inputs.
            self._staging[key] = deque(
                (self.host_buffer(host.shape, host.dtype), self._cupy.cuda.Event())
                for _ in range(4)
            )
        self._staging[key].rotate()
        pinned, copied = self._staging[key][0]
        copied.synchronize()  # the copy before the previous one may still be reading
        np.copyto(pinned, host, casting="no")
        return pinned, copied

    def download(self, array: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        host = np.empty(array.shape, array.dtype) if out is None else out
        with self.active():
            if isinstance(array, Texture):
                array.copy_to(host, self.stream)
            else:
                array.get(stream=self.stream, out=host)
        self.stream.synchronize()
        return host

    def send(self, array: Any, host: NDArray[Any]) -> None:
        with self.active():
            if isinstance(array, Texture):
                array.copy_from(host, self.stream)
            else:
                assert host.nbytes == array.nbytes
                # As array.set, which refuses to be recorded.
                self._copy_bytes(array.data.ptr, host.ctypes.data, host.nbytes)

    def receive(self, array: Any, out: NDArray[Any]) -> None:
        with self.active():
            if isinstance(array, Texture):
                array.copy_to(out, self.stream)
            else:
                assert out.nbytes == array.nbytes
                self._copy_bytes(out.ctypes.data, array.data.ptr, out.nbytes)

    def _copy_bytes(self, target: int, source: int, count: int) -> None:
        """Copy bytes between contiguous arrays of the host and the device, without waiting."""
        runtime = self._cupy.cuda.runtime
        runtime.memcpyAsync(target, source, count, runtime.memcpyDefault, self.stream.ptr)

    def wait(self) -> None:
        self._sleeping.record(self.stream)
        self._sleeping.synchronize()

    @property
    def idle(self) -> bool:
        return bool(self.stream.done)

    def host_buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        # As cupyx.empty_pinned, whose import takes as long as all the rest of CuPy's.
        size = nbytes(shape, dtype)
        return np.ndarray(shape, dtype, self._cupy.cuda.alloc_pinned_memory(size))

    def lock(self, memory: NDArray[np.uint8]) -> bool:
        runtime = self._cupy.cuda.runtime
        with self._device:
            try:
                runtime.hostRegister(memory.ctypes.data, memory.nbytes, 0)
            except runtime.CUDARuntimeError:
                return False
            return True

    def unlock(self, memory: NDArray[np.uint8]) -> None:
        with self._device:
            self._cupy.cuda.runtime.hostUnregister(memory.ctypes.data)

    def copy(self, target: Any, source: Any) -> None:
        with self.active():
            if isinstance(target, Texture):
                target.copy_from(source, self.stream)
            elif target.dtype == source.dtype and (pitches := _pitches(target, source)):
                runtime, (to, of) = self._cupy.cuda.runtime, pitches
                rows = (target.data.ptr, to, source.data.ptr, of)
                size = target.nbytes // len(target), len(target)
                runtime.memcpy2DAsync(*rows, *size, runtime.memcpyDefault, self.stream.ptr)
            else:
                self._cupy.copyto(target, source)  # ten times as long, on the CPU

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """Record work as a CUDA graph, which is launched once instead of once for every kernel."""
        self.stream.begin_capture()
        try:
            work()
        finally:
            graph = self.stream.end_capture()
        return partial(graph.launch, self.stream)

    def free_bytes(self) -> int | None:
        with self._device:
            free = int(self._cupy.cuda.runtime.memGetInfo()[0])
            return free + int(self._cupy.get_default_memory_pool().free_bytes())

    def give_back(self) -> None:
        with self._device:
            self._cupy.get_default_memory_pool().free_all_blocks()
            self._cupy.get_default_pinned_memory_pool().free_all_blocks()

    def clock(self, marks: int) -> CudaClock:
        with self._device:
            return CudaClock(marks, self.record, self.marks)

    def active(self) -> "_Active":
        return self._active

    def synchronize(self) -> None:
        self.stream.synchronize()


def _pitches(*arrays: Any) -> list[int]:
    """Return the row pitches in bytes of arrays of one shape; empty if shapes or layouts differ.

    Empty: shapes differ, or the elements of a row do not follow each other.
    """
    pitches: list[int] = []
    for array in arrays:
        size = array.itemsize
        for count, stride in zip(array.shape[:0:-1], array.strides[:0:-1], strict=True):
            if stride != size:
                return []
            size *= count
        if array.ndim < 2 or array.strides[0] < size or array.shape != arrays[0].shape:
            return []
        pitches.append(array.strides[0])
    return pitches


class _Active:
    """A re-entrant ``with`` context in which work is queued on a GPU, in one stream."""

    def __init__(self, device: Any, stream: Any) -> None:
        self._device, self._stream = device, stream

    def __enter__(self) -> None:
        self._device.__enter__()
        self._stream.__enter__()

    def __exit__(self, *raised: object) -> None:
        self._stream.__exit__(*raised)
        self._device.__exit__(*raised)


def open_cuda() -> CudaDevice:
    """Open the GPU that is CUDA's current device, by default the first.

    Raises:
        Unavailable: no driver, no CuPy, or no GPU.
    """
    if driver() is None:
        raise Unavailable("no NVIDIA driver is installed (libcuda.so.1 is missing)")
    cupy = _import_cupy()
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise Unavailable(f"CUDA does not start: {error}") from error
    if count == 0:
        raise Unavailable("the NVIDIA driver reports no GPU")
    return CudaDevice(cupy.cuda.runtime.getDevice())


def _import_cupy() -> Any:
    """Import CuPy. Raises ``Unavailable``, caused by CuPy's own error, if that fails."""
    remedy = how_to_install_cuda()
    spec = importlib.util.find_spec("cupy")
    if not spec:
        raise Unavailable(f"CuPy is not installed; install it with: {remedy}")
    records = Path(spec.origin).parents[1].glob("cupy*.dist-info") if spec.origin else ()
    named = {path.stem.partition("-")[0] for path in records}
    both = sorted(name for name in named if name == "cupy" or name.startswith("cupy_cuda"))
    if len(both) > 1:
        raise Unavailable(
            f"{' and '.join(both)} exclude each other; remove them, then install one with: {remedy}"
        )
    try:
        import cupy
    except Exception as error:  # whatever a broken installation raises
        why = first_line(error)
        raise Unavailable(
            f"CuPy is installed, but does not load: {why}; install it again with: {remedy}"
        ) from error
    return cupy


def driver_version() -> str:
    """Return a text with the CUDA version the driver supports and, if known, the driver's own."""
    import cupy

    number = cupy.cuda.runtime.driverGetVersion()
    spoken = f"CUDA {number // 1000}.{number % 1000 // 10}"
    try:
        text = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return spoken
    versions = re.findall(r"\b\d+\.\d+(?:\.\d+)*\b", text)
    return f"{versions[0]} ({spoken})" if versions else spoken


def runtime_version() -> str:
    """Return a text with the version of the CUDA runtime that CuPy uses."""
    import cupy

    number = cupy.cuda.runtime.runtimeGetVersion()
    return f"{number // 1000}.{number % 1000 // 10}"
