"""Open networks with ONNX Runtime, and compute them where their tensors are."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device, why_unavailable
from wheatstone.gpu.image import Array
from wheatstone.gpu.installation import first_line, install_command
from wheatstone.gpu.interruption import interruptible
from wheatstone.gpu.peers.external_data import check_external_data
from wheatstone.gpu.peers.tensors import on_gpu

PROVIDERS = ("TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider")
"""The ways of ONNX Runtime to compute a network that are used where installed, best first."""
CPU = PROVIDERS[-1]
SHORTAGE = re.compile(r"Available memory of (\d+) is smaller than requested bytes of (\d+)")
AS_REQUESTED = 1  # of ways in which an arena grows: by what is asked for, not by powers of two
FATAL = 4  # of log levels: errors are raised, and need not be printed, too
LONGEST_MESSAGE = 300


def providers() -> list[str]:
    """List the ways in which networks can be computed here, best first; none without the package.

    Raises:
        Unavailable: ONNX Runtime is not installed, or does not load.
    """
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise Unavailable(f"onnxruntime is not installed: {install_command('models')}") from error
    except Exception as error:  # whatever a broken installation raises
        raise Unavailable(f"onnxruntime does not load: {first_line(error)}") from error
    available = onnxruntime.get_available_providers()
    return [name for name in PROVIDERS if name in available]


def network_device() -> Literal["cpu", "cuda"]:
    """Return the kind of device, ``cpu`` or ``cuda``, whose memory holds the tensors of networks.

    Raises:
        Unavailable: ONNX Runtime is not installed.
    """
    return "cpu" if providers()[0] == CPU or why_unavailable("cuda") else "cuda"


def open_session(path: Path) -> Any:
    """Open a network with ONNX Runtime, without operators of the file's author.

    Raises:
        Unavailable: ONNX Runtime is not installed.
        ValueError: it is no network that can be computed; the message names the file.
    """
    known = providers()
    import onnxruntime

    check_external_data(path)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL
    _limit_memory(options)
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=known)
    except Exception as error:  # a class of ONNX Runtime's for each code, none of them public
        raise ValueError(f"{path}: {error_line(error)}") from error


def _limit_memory(options: Any) -> None:
    """Let networks fail that need more main memory than is free, before the system ends a process.

    The memory is that of the tensors on the CPU; of a GPU, CUDA itself refuses more than there is.
    """
    import onnxruntime

    if (free := open_device("cpu").free_bytes()) is None:
        return
    kind = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    place = onnxruntime.OrtMemoryInfo("Cpu", kind, 0, onnxruntime.OrtMemType.DEFAULT)
    limits = {"max_mem": free, "arena_extend_strategy": AS_REQUESTED}
    default = {"initial_chunk_size_bytes": -1, "max_dead_bytes_per_chunk": -1}
    onnxruntime.create_and_register_allocator(place, onnxruntime.OrtArenaCfg(limits | default))
    options.add_session_config_entry("session.use_env_allocators", "1")


def error_line(error: Exception) -> str:
    """Return an error of ONNX Runtime in one line."""
    text = " ".join(str(error).split())
    if shortage := SHORTAGE.search(text):
        free, more = (int(number) / 1e6 for number in shortage.groups())
        return f"it needs {more:.0f} MB more memory, and {free:.0f} MB are free: use smaller images"
    return f"ONNX Runtime refuses it: {text[:LONGEST_MESSAGE]}"


def resident() -> int:
    """Return the bytes of main memory that this process holds; 0 where that is not known."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def run_options() -> Iterator[Any]:
    """Yield options of a run that the interruption of the calling thread ends."""
    import onnxruntime

    options = onnxruntime.RunOptions()
    with interruptible(partial(setattr, options, "terminate", True)):
        yield options


def run_on_host(session: Any, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
    """Compute a network on arrays in main memory."""
    with run_options() as options:
        return list(session.run(outputs, dict(feeds), options))


def run_bound(session: Any, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
    """Compute a network on arrays where they are, and leave its outputs in the same memory."""
    device = "cuda" if any(map(on_gpu, feeds.values())) else "cpu"
    binding = session.io_binding()
    for name, array in feeds.items():
        pointer = array.data.ptr if on_gpu(array) else array.ctypes.data
        binding.bind_input(name, device, 0, array.dtype.type, array.shape, pointer)
    for name in outputs:
        binding.bind_output(name, device, 0)
    if device == "cpu":
        with run_options() as options:
            session.run_with_iobinding(binding, options)
        return [value.numpy() for value in binding.get_outputs()]
    import cupy

    cupy.cuda.get_current_stream().synchronize()  # ONNX Runtime has a stream of its own
    with run_options() as options:
        session.run_with_iobinding(binding, options)
    binding.synchronize_outputs()
    return [_as_cupy(value) for value in binding.get_outputs()]


def _as_cupy(value: Any) -> Array:
    """Return an output of a network on a GPU as an array, without a copy."""
    import cupy

    name = value.data_type().removeprefix("tensor(").rstrip(")")
    dtype = np.dtype({"float": "float32", "double": "float64"}.get(name, name))
    shape = tuple(value.shape())
    size = int(np.prod(shape)) * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(value.data_ptr(), size, value)
    return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))
