"""Compiled kernels stay within the registers, shared memory and blocks of every architecture."""

import math
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from tests.test_kernels_compile import (
    CUDA_VARIANTS,
    HOPPER,
    compiled,
    nvrtc,
)
from wheatstone.gpu.analysis.kernel_facts import launches
from wheatstone.gpu.device import GpuSize
from wheatstone.gpu.kernels.kernel import Kernel, Launch
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ncc import parts
from wheatstone.gpu.pipelines.sgm import packing
from wheatstone.gpu.steps import Setup

__all__ = ["nvrtc"]
GPUS = {
    75: GpuSize(40, 64 * 1024, 75),  # T4
    86: GpuSize(68, 99 * 1024, 86),  # GeForce RTX 3080
    87: GpuSize(16, 163 * 1024, 87),  # Jetson AGX Orin
    89: GpuSize(128, 99 * 1024, 89),  # GeForce RTX 4090
    90: GpuSize(132, 227 * 1024, 90),  # H100
    120: GpuSize(170, 99 * 1024, 120),  # GeForce RTX 5090
}
"""A card of each architecture: what its blocks may share is the architecture's own limit."""
SIZES = ((480, 640), (1080, 1920), (2160, 3840))
REGISTERS, MOST_REGISTERS, UNIT = 65536, 255, 256
"""Registers of a multiprocessor and of a thread; a warp is given a multiple of 256."""
STATIC_SHARED = 48 * 1024
SIZED, COUNT_OF_REGISTERS = 4, 0x2F  # of attributes in NVIDIA's ELF files: form and kind
DESIGNS = {
    75: [False, False, False],
    86: [False, False, False],
    87: [False, False, False],
    89: [False, True, True],
    90: [False, True, True],
    120: [False, True, True],
}
"""Whether leaned sweeps sum the paths of preset `libsgm`, 128 disparities, by size."""
TURNS = 3
"""A program is compiled for every third architecture: an older and a newer one."""


@pytest.fixture(params=GPUS, ids="sm_{}".format)
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> GpuSize:
    size = GPUS[request.param]
    for module in (packing, parts):
        monkeypatch.setattr(module, "gpu_size", lambda: size)
    return size


def launched(pipeline: Pipeline, variant: Variant, **changes: Any) -> Iterator[Launch]:
    params = pipeline.params().changed(**changes)
    for height, width in SIZES:
        if not variant.refuses(params, height, width):
            for _, launch in launches(Setup(pipeline, variant, params, height, width)):
                yield launch


def resources(cubin: bytes, name: str) -> tuple[int, int]:
    """Return the registers of a kernel's thread and the bytes that its block shares, from ELF."""
    start, entry, count, names_at = struct.unpack_from("<Q10xHHH", cubin, 40)
    sections = [struct.unpack_from("<IIQQQQII", cubin, start + i * entry) for i in range(count)]
    texts = sections[names_at][4]
    named = {
        cubin[texts + section[0] : cubin.index(b"\0", texts + section[0])].decode(): section
        for section in sections
    }
    info, shared = named[".nv.info"], named.get(f".nv.shared.{name}")
    symbol = named[f".text.{name}"][7] & 0xFFFFFF
    registers = dict(register_counts(cubin[info[4] : info[4] + info[5]]))
    return registers[symbol], shared[5] if shared else 0


def register_counts(attributes: bytes) -> Iterator[tuple[int, int]]:
    """Yield the symbol and the registers of every kernel, from a section ``.nv.info``."""
    place = 0
    while place < len(attributes):
        form, attribute, size = struct.unpack_from("<BBH", attributes, place)
        if (form, attribute) == (SIZED, COUNT_OF_REGISTERS):
            symbol, count = struct.unpack_from("<II", attributes, place + 4)
            yield symbol, count
        place += 4 + (size if form == SIZED else 0)


def test_resources_are_those_that_a_kernel_states(nvrtc: Any) -> None:
    text = (
        'extern "C" __global__ void __launch_bounds__(1024) k(int* out) {'
        " __shared__ int kept[300]; kept[threadIdx.x] = out[threadIdx.x]; __syncthreads();"
        " out[threadIdx.x] = kept[299 - threadIdx.x]; }"
    )
    (_, program) = nvrtc.nvrtcCreateProgram(text.encode(), b"k.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_86"])
    cubin = bytes(nvrtc.nvrtcGetCUBINSize(program)[1])
    nvrtc.nvrtcGetCUBIN(program, cubin)
    nvrtc.nvrtcDestroyProgram(program)
    registers, shared = resources(cubin, "k")
    assert 1 < registers <= 64 and shared == 1200


@pytest.mark.parametrize(("pipeline", "variant"), CUDA_VARIANTS)
def test_blocks_share_no_more_than_the_architecture_allows(
    gpu: GpuSize, pipeline: Pipeline, variant: Variant
) -> None:
    for launch in launched(pipeline, variant):
        assert launch.shared <= gpu.shared_bytes, (launch.kernel.name, launch.shared)
        assert math.prod(launch.block) <= 1024


def programs_of_fast(capability: int) -> dict[tuple[str, tuple[str, ...]], list[Launch]]:
    """The launches of variants `fast` by their program; sparse ones, the slowest, once."""
    listed: dict[tuple[str, tuple[str, ...]], list[Launch]] = {}
    for pipeline in PIPELINES.values():
        variant = next((each for each in pipeline.variants if each.name == "fast"), None)
        searches = [{}, {"search": "hierarchical"}] if pipeline.name == "sgm" else [{}]
        for changes in searches[: 1 + (capability == HOPPER)]:
            for launch in launched(pipeline, variant, **changes) if variant else ():
                listed.setdefault((launch.kernel.file, launch.kernel.options), []).append(launch)
    return listed


@pytest.mark.spread
def test_compiled_kernels_of_fast_fit_the_architecture(nvrtc: Any, gpu: GpuSize) -> None:
    listed = programs_of_fast(gpu.capability)
    assert len(listed) > 10
    turn = list(GPUS).index(gpu.capability)
    for place, used in enumerate(listed.values()):
        kernel: Kernel = used[0].kernel
        if (place - turn) % TURNS and not kernel.file.startswith("sparse"):
            continue
        cubin = compiled(nvrtc, kernel, f"sm_{gpu.capability}")
        for launch in used:
            registers, static = resources(cubin, launch.kernel.name)
            warps = -(-math.prod(launch.block) // 32)
            described = f"{launch.kernel.name}: {registers} registers, {static} bytes"
            assert 0 < registers <= MOST_REGISTERS, described
            assert warps * -(-32 * registers // UNIT) * UNIT <= REGISTERS, described
            assert static <= STATIC_SHARED, described
            assert static + launch.shared <= gpu.shared_bytes, described


def test_the_design_of_fast_follows_the_gpu(gpu: GpuSize) -> None:
    sgm = PIPELINES["sgm"]
    params = sgm.params().changed(**sgm.presets["libsgm"]).changed(disparities=128)
    chosen = [packing.leaned(height, width, params) for height, width in SIZES]
    assert chosen == DESIGNS[gpu.capability]
