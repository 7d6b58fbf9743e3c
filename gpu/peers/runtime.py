"""Open networks with ONNX Runtime, and run them in the memory that holds their tensors."""

import importlib
import mmap
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ctypes.util import find_library
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device, why_unavailable
from wheatstone.gpu.image import Array
from wheatstone.gpu.installation import first_line, install_command
from wheatstone.gpu.interruption import interruptible
from wheatstone.gpu.peers.tensors import on_gpu
from wheatstone.gpu.protobuf import LENGTH, message_fields

FIELDS: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {1: "key", 2: "value"},
}
"""By message, the number of each field that leads to the place of a tensor's values, and its
message: those of onnx.proto."""
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read by ONNX Runtime when it is imported
DEEPEST = 100
NOT_ONNX = "not an ONNX file, or damaged"


def check_external_data(path: Path) -> None:
    """Raise ``ValueError`` if a network names a file of weights outside its own folder.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no ONNX file, or names a file elsewhere or a missing one; the message is
            one line.
    """
    folder = path.resolve().parent
    with path.open("rb") as file:
        if not path.stat().st_size:
            raise ValueError(f"{path}: {NOT_ONNX} (it is empty)")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                places = list(_locations(content))
            except (ValueError, IndexError) as error:
                raise ValueError(f"{path}: {NOT_ONNX}") from error
    for place in dict.fromkeys(places):
        if "\0" in place or not (folder / place).resolve().is_relative_to(folder):
            raise ValueError(f"{path}: its weights are in {place!r}, outside its folder")
        if not (folder / place).is_file():
            raise ValueError(f"{path}: its weights are in {place!r}, which is missing")


def _locations(content: mmap.mmap) -> Iterator[str]:
    """Yield the names of all external files that contain a network's weights."""
    waiting = [("model", slice(0, len(content)), 0)]
    while waiting:
        kind, part, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError("too deep")
        if kind == "entry":
            if place := _location(content, part):
                yield place
            continue
        for number, value in _parts(content, part):
            if inner := FIELDS[kind].get(number):
                waiting.append((inner, value, depth + 1))


def _location(content: mmap.mmap, entry: slice) -> str:
    """Return the file name if an entry of external data gives one; else an empty text."""
    texts = {FIELDS["entry"].get(n): content[part].decode() for n, part in _parts(content, entry)}
    return texts.get("value", "") if texts.get("key") == "location" else ""


def _parts(content: mmap.mmap, part: slice) -> Iterator[tuple[int, slice]]:
    """Yield number and position of each Protocol Buffers field that holds bytes, in a message."""
    for number, kind, value in message_fields(content, part.start, part.stop):
        if kind == LENGTH and isinstance(value, slice):
            yield number, value


PROVIDERS = ("TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider")
"""The ways of ONNX Runtime to compute a network that are used where installed, best first."""
CPU = PROVIDERS[-1]
SHORTAGE = re.compile(r"Available memory of (\d+) is smaller than requested bytes of (\d+)")
UNKNOWN_OPERATOR = re.compile(
    r"([^\s()]{1,100})\(-?\d{1,9}\) is not a registered function/op"
    r"|No Op registered for (\S{1,100}) with"
)
NEWER_OPERATORS = re.compile(r"Opset (\d+) is under development.{0,999} is till opset (\d+)")
WRONG_SIZE = re.compile(r"for input: (\S{1,100}) .{0,99}?index: (\d+) Got: (\d+) Expected: (\d+)")
PREFIX = re.compile(
    r"^(\[ONNXRuntimeError\] : \d+ : \w+ : )?"
    r"(Load model from .{1,4096}? failed: ?|Non-zero status code returned .*? Status Message: )?"
)
AS_REQUESTED = 1  # of ways in which an arena grows: by what is asked for, not by powers of two
FATAL = 4  # of log levels: errors are raised, and need not also be printed
LONGEST_MESSAGE = 300


def providers() -> list[str]:
    """List the execution providers of ONNX Runtime that can be used here, best first.

    Raises:
        Unavailable: ONNX Runtime is not installed, or does not load.
    """
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        remedy = f"install it with: {install_command('models')}"
        raise Unavailable(f"onnxruntime is not installed; {remedy}") from error
    except Exception as error:  # whatever a broken installation raises
        raise Unavailable(f"onnxruntime does not load: {first_line(error)}") from error
    available = onnxruntime.get_available_providers()
    return [name for name in PROVIDERS if name in available and _has_libraries(name)]


@cache
def _has_libraries(provider: str) -> bool:
    """Return whether a provider's libraries are installed; TensorRT may be listed without them."""
    if provider != PROVIDERS[0]:
        return True
    with suppress(Exception):  # whatever a broken installation raises
        importlib.import_module("tensorrt")  # loads the libraries that its package contains
        return True
    return find_library("nvinfer") is not None


def network_device() -> Literal["cpu", "cuda"]:
    """Return the kind of device, ``cpu`` or ``cuda``, whose memory holds the tensors of networks.

    Raises:
        Unavailable: ONNX Runtime is not installed.
    """
    return "cpu" if providers()[0] == CPU or why_unavailable("cuda") else "cuda"


def open_session(path: Path) -> Any:
    """Open a network with ONNX Runtime, without custom operators.

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
    """Limit the main memory of a network to the free memory, so that the system ends no process.

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
    """Convert an error of ONNX Runtime to a message of one line."""
    text = " ".join(str(error).split())
    if shortage := SHORTAGE.search(text):
        free, more = (int(number) / 1e6 for number in shortage.groups())
        return f"it needs {more:.0f} MB more memory, and {free:.0f} MB are free: use smaller images"
    if unknown := UNKNOWN_OPERATOR.search(text):
        name = unknown[1] or unknown[2]
        return f"it needs the operator {name}, which is no part of ONNX and is not loaded"
    if newer := NEWER_OPERATORS.search(text):
        return f"it needs opset {newer[1]}; the installed ONNX Runtime has up to {newer[2]}"
    if wrong := WRONG_SIZE.search(text):
        name, axis, given, needed = wrong.groups()
        return f"its input {name!r} must have {needed} along axis {axis} (got {given})"
    return f"ONNX Runtime refuses it: {PREFIX.sub('', text)[:LONGEST_MESSAGE]}"


def resident() -> int:
    """Return the bytes of main memory that this process occupies; 0 if unknown."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def run_options() -> Iterator[Any]:
    """Yield run options through which the calling thread's interruption ends the run."""
    import onnxruntime

    options = onnxruntime.RunOptions()
    with interruptible(partial(setattr, options, "terminate", True)):
        yield options


def run_on_host(session: Any, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
    """Run a network on arrays in main memory."""
    with run_options() as options:
        return list(session.run(outputs, dict(feeds), options))


def run_bound(session: Any, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
    """Run a network on arrays without copying them, with outputs on the same device."""
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
    """Return a network's output on the GPU as a CuPy array that shares its memory."""
    import cupy

    name = value.data_type().removeprefix("tensor(").rstrip(")")
    dtype = np.dtype({"float": "float32", "double": "float64"}.get(name, name))
    shape = tuple(value.shape())
    size = int(np.prod(shape)) * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(value.data_ptr(), size, value)
    return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))
