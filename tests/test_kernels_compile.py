"""Every kernel compiles for every GPU and takes what its binding passes; needs no GPU."""

import importlib
import inspect
import re
from dataclasses import replace
from functools import cache
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

import wheatstone.gpu.kernels
from wheatstone.gpu.analysis.kernel_facts import launches
from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, c_type
from wheatstone.gpu.kernels.packed_aggregation import DECLARED
from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.kernels.programs import FOLDER, entries, source
from wheatstone.gpu.own_kernels.compiling import ARCHITECTURES
from wheatstone.gpu.parameters import Control, Params, controls
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.steps import Setup, module_of, on_demand, plan

ENDS, HOPPER = (ARCHITECTURES[0], ARCHITECTURES[-1]), 90
FILES = sorted(path.name for path in FOLDER.glob("*.cu"))
OF_NO_STAGE = {  # the modules that launch their kernels
    "array_exchange.cu": "arrays",
    "difference_count.cu": "arrays",
    "handed_aggregation.cu": "path_aggregation",
    "packed_handed.cu": "packed_aggregation",
}
CUDA_VARIANTS = [
    pytest.param(pipeline, variant, id=f"{pipeline.name}/{variant.name}")
    for pipeline in PIPELINES.values()
    for variant in pipeline.variants
    if variant.on_gpu
]


@cache
def all_kernels() -> list[Kernel]:
    """Every kernel that a module of ``gpu.kernels`` declares, in the order of the declarations."""
    by_key: dict[Kernel, None] = {}
    for module in iter_modules(wheatstone.gpu.kernels.__path__, "wheatstone.gpu.kernels."):
        for value in vars(importlib.import_module(module.name)).values():
            declared = getattr(value, "kernels", value)
            several = declared.values() if isinstance(declared, dict) else (declared,)
            by_key |= {kernel: None for kernel in several if isinstance(kernel, Kernel)}
    return list(by_key)


def kernels(file: str) -> list[Kernel]:
    return [kernel for kernel in all_kernels() if kernel.file == file]


@pytest.fixture(scope="module")
def nvrtc() -> Any:
    bindings = pytest.importorskip("cuda.bindings.nvrtc", reason="comes with the extra nvrtc")
    try:
        bindings.nvrtcVersion()
    except RuntimeError as error:
        pytest.skip(f"NVRTC is not installed: {error}")
    return bindings


def hasty(nvrtc: Any) -> tuple[str, ...]:
    """Options that optimize little; with them NVRTC 13.5 fails to compile some kernels."""
    return ("--Ofast-compile=max",) if nvrtc.nvrtcVersion()[1] < 13 else ()


def compiled(nvrtc: Any, kernel: Kernel, target: str, *more: str) -> bytes:
    """The kernel's file, compiled for ``sm_`` to machine code and for ``compute_`` to PTX."""
    text, file = source(kernel.file).encode(), kernel.file.encode()
    _, program = nvrtc.nvrtcCreateProgram(text, file, 0, [], [])
    options = [option.encode() for option in (*kernel.options, f"-arch={target}", *more)]
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = bytes(nvrtc.nvrtcGetProgramLogSize(program)[1])
    nvrtc.nvrtcGetProgramLog(program, log)
    assert not log.strip(b"\0 \n"), log.decode()
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS
    kind = "CUBIN" if target.startswith("sm_") else "PTX"
    binary = bytes(getattr(nvrtc, f"nvrtcGet{kind}Size")(program)[1])
    getattr(nvrtc, f"nvrtcGet{kind}")(program, binary)
    nvrtc.nvrtcDestroyProgram(program)
    return binary


def programs(file: str) -> list[list[Kernel]]:
    """The kernels of a file by sets of options, in which each value occurs."""
    named: dict[tuple[str, ...], list[Kernel]] = {}
    for kernel in kernels(file):
        named.setdefault(kernel.options, []).append(kernel)
    listed, met = [], set[str]()
    for options, group in named.items():
        # How much is shared follows from the others.
        values = {option for option in options if not option.startswith("-DSHARED=")}
        values |= {kernel.name for kernel in group}
        if not values <= met:
            listed.append(group)
            met |= values
    return listed


def architectures(place: int, number: int) -> tuple[int, ...]:
    turn = (place + number) % len(ARCHITECTURES)
    if number == 0:
        other = ARCHITECTURES[turn]
        return (ENDS[0], other if turn else HOPPER)
    return (ARCHITECTURES[turn],) if turn else ENDS


PROGRAMS = [
    pytest.param(group, architectures(place, number), number == 0, id=f"{file}-{number}")
    for place, file in enumerate(FILES)
    for number, group in enumerate(programs(file))
]


@pytest.mark.parametrize(("group", "architectures", "first"), PROGRAMS)
def test_every_kernel_compiles_without_a_warning_and_is_exported(
    nvrtc: Any, group: list[Kernel], architectures: tuple[int, ...], first: bool
) -> None:
    """Compile a file with one set of options.

    The first set of a file is compiled to machine code, for the oldest architecture and for
    another one, by turns. Other sets change types and counts only, so each is compiled to PTX for
    one architecture, by turns. The oldest architecture cannot copy asynchronously and takes other
    code; a set whose turn it is, is compiled for the newest as well. Optimizing takes most of the
    time, and is done as little as possible here; ``test_kernel_limits`` compiles in full.
    """
    kind, name = ("sm", ".text.{}\0") if first else ("compute", ".entry {}(")
    for architecture in architectures:
        code = compiled(nvrtc, group[0], f"{kind}_{architecture}", *hasty(nvrtc))
        for kernel in group:
            assert name.format(kernel.name).encode() in code


@pytest.mark.parametrize("file", ["packed_aggregation.cu", "packed_leaned.cu", "packed_winner.cu"])
def test_kernels_refuse_to_walk_directions_in_another_order_than_declared(
    nvrtc: Any, file: str
) -> None:
    kernel, name, directions = kernels(file)[0], "DIRECTIONS", DECLARED
    assert (name, directions) in kernel.defines
    turned = dict(kernel.defines) | {name: directions.replace("{-1,0},{1,0}", "{1,0},{-1,0}")}
    with pytest.raises(AssertionError, match="declares its directions in another order"):
        compiled(nvrtc, replace(kernel, defines=tuple(turned.items())), "compute_90")


@pytest.mark.parametrize("file", FILES)
def test_a_binding_passes_the_types_that_its_kernels_take(file: str) -> None:
    declared = entries(source(file))
    for kernel in kernels(file):
        taken = []
        for parameter in declared[kernel.name].split(","):
            words = re.sub(r"\bconst\b|__restrict__", "", parameter).split()[:-1]
            element = words[0].rstrip("*")
            pointer = "*" if "*" in parameter else ""
            taken.append(dict(kernel.defines).get(element, element) + pointer)
        arrays, scalars = kernel.types[: kernel.arrays], kernel.types[kernel.arrays :]
        passed = ["cudaTextureObject_t" if t is TEXTURE else f"{c_type(t)}*" for t in arrays]
        assert taken == passed + ["float" if t is np.float32 else "int" for t in scalars]
        assert set(scalars) <= {np.int32, np.float32}


@pytest.mark.parametrize("file", FILES)
def test_a_kernel_of_one_thread_a_pixel_names_its_arrays_as_the_declaration_does(file: str) -> None:
    stage, package = file.removesuffix(".cu"), "wheatstone.gpu.kernels"
    launching = OF_NO_STAGE.get(file)
    known = f"{package}.{launching}" if launching else module_of(package, stage)
    module = importlib.import_module(known)
    binding = getattr(module, stage, None)  # absent where a file holds several entry points
    if isinstance(binding, PerPixel):
        entry = entries(source(file))[stage]
        arrays = [words.split()[-1] for words in entry.split(",") if "*" in words]
        assert arrays == list(inspect.signature(binding).parameters)[: len(arrays)]


@pytest.mark.parametrize("file", FILES)
def test_every_kernel_of_a_file_has_a_binding(file: str) -> None:
    named = {kernel.name for kernel in kernels(file)}
    assert named == set(entries(source(file)))


def values_of(control: Control) -> tuple[Any, ...]:
    if control.kind == "region":
        return ((0, 0, int(control.low), int(control.low)),)
    return control.choices or (control.low, control.high)


def one_parameter_changed(pipeline: Pipeline) -> list[Params]:
    params = pipeline.params()
    return [params] + [
        params.adjusted(name, value)
        for name, control in controls(pipeline.params).items()
        for value in values_of(control)
    ]


@pytest.mark.parametrize(("height", "width"), [(1, 1), (8192, 16384)])
@pytest.mark.parametrize(("pipeline", "variant"), CUDA_VARIANTS)
def test_every_stage_finds_a_kernel_and_a_launch_within_cudas_limits(
    pipeline: Pipeline, variant: Variant, height: int, width: int
) -> None:
    for params in one_parameter_changed(pipeline):
        if pipeline.fits(params, height, width) or variant.refuses(params, height, width):
            continue
        wanted = on_demand(pipeline, variant)
        launched = launches(Setup(pipeline, variant, params, height, width), wanted)
        assert len(launched) >= len(plan(pipeline, variant, params, wanted))
        for _, launch in launched:
            assert 1 <= np.prod(launch.block) <= 1024
            limits = (2**31 - 1, 65535, 65535)[: len(launch.grid)]
            assert all(1 <= n <= limit for n, limit in zip(launch.grid, limits, strict=True))
