"""The CUDA variants, their kernels run as C++ on the CPU, give the reference's bits.

Only a GPU proves a kernel; this proves its arithmetic and its launch where there is none.
"""

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

from tests.test_kernels_compile import ENTRY
from tests.test_parity import assert_same, inputs_for
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel
from wheatstone.gpu.kernels.source import OPTIONS, source
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.gpu.pipelines.rectify.ahead import with_rectification
from wheatstone.gpu.pipelines.sgm import SGM

SHIM = Path(__file__).with_name("cuda_shim.hpp")
FLAGS = (
    *("-O1", "-w", "-fPIC"),
    "-fno-gnu-unique",  # shared memory is not shared
    "-U_FORTIFY_SOURCE",  # it takes jumps between stacks for errors
)
MOST_SHARED = 227 * 1024  # bytes of shared memory, and here at least as many elements
CUDA_VARIANTS = [variant for variant in SGM.variants if variant.on_gpu]


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
    # In a namespace of its own, since common.cuh names types that the C++ library also names.
    text = f"#include <{SHIM.name}>\nnamespace device {{\n{source(file)}\n{dynamic}}}\n"
    text += "".join(launchers)
    compiled = folder / f"{sha256(repr((text, options)).encode()).hexdigest()[:32]}.so"
    if not compiled.exists():
        with tempfile.TemporaryDirectory(dir=folder) as name:
            written, made = Path(name, f"{file}.cpp"), Path(name, compiled.name)
            written.write_text(text)
            included = (f"-I{precompiled_shim(folder)}", f"-I{SHIM.parent}")
            compile_with(*options, *included, "-shared", "-o", str(made), str(written))
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


@pytest.fixture
def emulation(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA variants run on the CPU during one test; kernels stay compiled for all that follow."""
    if not why_unavailable("cuda"):
        pytest.skip("this machine has a GPU, on which the kernels themselves are tested")
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kernels"
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr(
        "wheatstone.gpu.kernels.kernel.function", lambda kernel, shared: emulated(folder, kernel)
    )
    monkeypatch.setattr(
        "wheatstone.gpu.kernels.kernel.constant", partial(emulated_constant, folder)
    )
    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.is_possible", lambda: False)
    monkeypatch.setattr("wheatstone.gpu.execution.open_device", lambda kind: EmulatedDevice())


NEW = {"cost": "census-ring-symmetric", "subpixel": "equiangular"}
EIGHT = SGM.params().changed(paths=8, gradient=False, outside=-1, guided_median=0)
CASES = (  # height, width, parameters unlike these
    (1, 1, {"disparities": 16}),
    (1, 40, {"disparities": 48, "cost": "absolute", "min_disparity": -5, "paths": 4}),
    (23, 1, {"disparities": 16, "cost": "census-ring", "min_disparity": -5}),
    (5, 17, {"cost": "census-symmetric", "min_disparity": 7, "p2_adaptation": "divide"}),
    (11, 37, {"disparities": 16, "p2_adaptation": "none", "subpixel": "off"}),
    (17, 39, {"disparities": 48, **NEW, "min_disparity": 3, "guided_median": 20}),
    (10, 70, {"disparities": 96, **NEW, "gradient": True, "outside": 12, "p2": 300}),
    (1, 1, {"disparities": 16, "paths": "sweeps"}),
    (11, 1, {"disparities": 16, "paths": "sweeps", "min_disparity": -3}),
    (9, 34, {"disparities": 80, "paths": "sweeps", "cost": "absolute", "p2": 4095, "p1": 1023}),
    (9, 35, {"disparities": 48, "paths": "sweeps", "p2_adaptation": "none", "first_path": 2}),
    (12, 27, {"disparities": 144, "paths": "sweeps"}),  # more blocks of a sweep than one
    (7, 19, {"disparities": 16, "paths": "sweeps", "first_path": 4, "p2_adaptation": "divide"}),
    (9, 35, {"cost": "census-symmetric", "gradient": True, "guided_median": 255}),
    (11, 21, {"disparities": 16, "min_disparity": -1024, "uniqueness": 100, "median": False}),
    (13, 37, {"disparities": 80, "cost": "absolute", "min_disparity": -60, "p1": 0, "p2": 4095}),
    (2, 19, {"disparities": 512, "cost": "census-ring", "paths": 4, "lr_check": 9}),
    (9, 41, {"disparities": 16, "cost": "census-checkerboard", "speckle_size": 0}),
    (11, 13, {"disparities": 16, "first_path": 2, "last_path": 5}),
    (9, 15, {"disparities": 16, "first_path": 7, "last_path": 7, "p2_adaptation": "none"}),
    (
        35,
        41,
        {
            "disparities": 16,
            "speckle_size": 12,
            "speckle_range": 2,
            "fill_holes": False,
            "guided_median": 9,
        },
    ),
)


@pytest.mark.parametrize("variant", CUDA_VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize(("height", "width", "changes"), CASES)
def test_emulated_variant_equals_reference(
    emulation: None, variant: Variant, height: int, width: int, changes: dict[str, Any]
) -> None:
    for kind in ("shifted", "noise"):
        assert_same(SGM, variant, EIGHT.changed(**changes), height, width, kind)


@pytest.mark.parametrize("disparities", [48, 144])  # lanes without disparities; more blocks
def test_emulated_sweeps_are_the_same_frame_after_frame(emulation: None, disparities: int) -> None:
    params = EIGHT.changed(disparities=disparities, paths="sweeps")
    execution = prepare(SGM, "fast", params, 33, 41)
    reference = prepare(SGM, "reference", params, 33, 41)
    for kind in ("noise", "shifted", "extremes", "noise"):
        for each in (execution, reference):
            each.upload(**inputs_for(SGM, 33, 41, kind))
            each.run()
        assert np.array_equal(execution.download("disparity"), reference.download("disparity"))


@pytest.mark.parametrize("name", ["global", "texture", "fast"])
def test_emulated_rectification_equals_the_reference(emulation: None, name: str) -> None:
    for height, width in ((1, 1), (5, 17), (9, 40), (33, 20)):
        variant = RECTIFY.variant(name)
        assert_same(RECTIFY, variant, RECTIFY.params(), height, width, "noise")


def test_emulated_colour_conversion_equals_the_reference(emulation: None) -> None:
    for height, width in ((1, 1), (5, 17), (9, 40), (34, 20)):
        assert_same(NV12, NV12.variant("global"), NV12.params(), height, width, "noise")


@pytest.mark.parametrize("name", ["texture", "fast"])
def test_emulated_matching_of_raw_views_equals_the_reference(emulation: None, name: str) -> None:
    rectifying = with_rectification(SGM)
    params = SGM.params().changed(disparities=16)
    assert_same(rectifying, rectifying.variant(name), params, 11, 37, "shifted")
