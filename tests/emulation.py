"""CUDA kernels compiled as C++ and run on the CPU, for tests on machines without a GPU."""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.compilations import kept_folder
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel
from wheatstone.gpu.kernels.programs import OPTIONS, source

SHIM = Path(__file__).with_name("cuda_shim.hpp")
ENTRY = re.compile(r"__global__\s+void\s+(\w+)\(([^)]*)\)")
FLAGS = (
    *("-Og", "-w", "-fPIC"),
    "-fno-gnu-unique",  # shared memory is not shared
    "-U_FORTIFY_SOURCE",  # it takes jumps between stacks for errors
)
MOST_SHARED = 227 * 1024  # bytes of shared memory, and here at least as many elements


class Image(ctypes.Structure):
    """What stands for a texture, as declared in the shim."""

    _fields_ = (("pixels", ctypes.c_void_p), ("height", ctypes.c_int), ("width", ctypes.c_int))


class Texture:
    """An image that kernels can read in no other way than through its object."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.pixels = self.linear = np.empty(shape, dtype)
        self._image = Image(self.pixels.ctypes.data, *shape[:2])
        self.object = ctypes.addressof(self._image)

    def fill(self) -> None:
        """Do nothing: what kernels write is what they read."""


class EmulatedDevice(HostDevice):
    """The CPU, posing as a GPU."""

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> Any:
        return Texture(shape, dtype)

    def upload(self, array: Any, host: NDArray[Any]) -> None:
        super().upload(array.pixels if isinstance(array, Texture) else array, host)

    def download(self, array: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        return super().download(array.pixels if isinstance(array, Texture) else array, out)


@cache
def library(folder: Path, file: str, options: tuple[str, ...]) -> ctypes.CDLL:
    """A kernel file compiled for the CPU; every kernel has a launcher."""
    names = [name for name, _ in ENTRY.findall(source(file))]
    launchers = (
        f'extern "C" void launch_{name}(const unsigned* geometry, void** arguments) '
        f"{{ launch(device::{name}, geometry, arguments); }}\n"
        for name in names
    )
    dynamic = "".join(
        f"thread_local {declaration}[{MOST_SHARED}];\n"
        for declaration in re.findall(r"extern __shared__ (\w+ \w+)\[\]", source(file))
    )
    # Macros follow the shim: g++ takes a compiled header only where no word of it is defined anew.
    macros = [option[2:].partition("=") for option in options if option.startswith("-D")]
    others = [option for option in options if not option.startswith("-D")]
    text = f"#include <{SHIM.name}>\n"
    text += "".join(f"#define {name} {value}\n" for name, _, value in macros)
    # In a namespace of its own, since common.cuh names types that the C++ library also names.
    text += f"namespace device {{\n{source(file)}\n{dynamic}}}\n" + "".join(launchers)
    compiled = folder / f"{sha256(repr((text, others)).encode()).hexdigest()[:32]}.so"
    if not compiled.exists():
        with tempfile.TemporaryDirectory(dir=folder) as name:
            written, made = Path(name, f"{file}.cpp"), Path(name, compiled.name)
            written.write_text(text)
            included = (f"-I{precompiled_shim(folder)}", f"-I{SHIM.parent}")
            compile_with(*others, *included, "-shared", "-o", str(made), str(written))
            made.replace(compiled)  # whole at once: other processes look for it, too
    return ctypes.CDLL(str(compiled))


@cache
def precompiled_shim(folder: Path) -> Path:
    """Compile the shim once, since reading it takes longer than compiling most kernels."""
    compiled = folder / f"{SHIM.name}.gch"
    if not compiled.exists():
        made = folder / f"{os.getpid()}.gch"
        compile_with(*OPTIONS, "-x", "c++-header", "-o", str(made), str(SHIM))
        made.replace(compiled)
    return folder


def compile_with(*words: str) -> None:
    """Run the C++ compiler, which must succeed."""
    result = subprocess.run(["g++", *FLAGS, *words], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def emulated(folder: Path, kernel: Kernel) -> Callable[..., None]:
    """What stands for a compiled kernel."""
    launcher = getattr(library(folder, kernel.file, kernel.options), f"launch_{kernel.name}")

    def launch(grid: Any, block: Any, arguments: tuple[Any, ...], shared_mem: int) -> None:
        assert shared_mem <= MOST_SHARED
        geometry = (ctypes.c_uint * 5)(*(*grid, 1, 1)[:3], *(*block, 1)[:2])
        values = [
            ctypes.c_uint64(argument if kernel.types[i] is TEXTURE else argument.ctypes.data)
            if i < kernel.arrays
            else (ctypes.c_float if kernel.types[i] is np.float32 else ctypes.c_int)(argument)
            for i, argument in enumerate(arguments)
        ]
        launcher(geometry, (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values)))

    return launch


def emulated_constant(folder: Path, kernel: Kernel, symbol: str) -> Callable[..., None]:
    """What stands for a copy into ``__constant__`` memory."""
    mangled = f"_ZN6device{len(symbol)}{symbol}E"
    memory = ctypes.c_ubyte.in_dll(library(folder, kernel.file, kernel.options), mangled)

    def store(texture: Texture, rectangle: tuple[int, int, int, int]) -> None:
        x, y, width, height = rectangle
        part = texture.pixels[y : y + height, x : x + width].tobytes()
        ctypes.memmove(ctypes.addressof(memory), part, len(part))

    return store


@pytest.fixture(scope="session")
def compiled_kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of kernels compiled for the CPU, which stays for the next run of the tests."""
    if not why_unavailable("cuda"):
        pytest.skip("this machine has a GPU, on which the kernels themselves are tested")
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout
    folder = kept_folder("emulated", (SHIM, Path(__file__)), f"g++{version.strip()}")
    return folder or tmp_path_factory.mktemp("kernels")


@pytest.fixture
def emulation(compiled_kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA variants run on the CPU during one test."""
    monkeypatch.setattr(
        "wheatstone.gpu.kernels.kernel.function",
        lambda kernel, shared: emulated(compiled_kernels, kernel),
    )
    monkeypatch.setattr(
        "wheatstone.gpu.kernels.kernel.constant", partial(emulated_constant, compiled_kernels)
    )
    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.is_possible", lambda: False)
    monkeypatch.setattr("wheatstone.gpu.execution.open_device", lambda kind: EmulatedDevice())
