"""Find out how a variant's kernels are launched, and what each takes of the GPU.

How a variant would launch its kernels is found out without a GPU; what they take, only on one.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import stored_dtype
from wheatstone.gpu.kernels.kernel import Dim, Kernel, Launch, function, noted_launches
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Array, Pipeline, Variant
from wheatstone.gpu.steps import plan

WARP = 32  # threads


@dataclass(frozen=True)
class Resources:
    """Hold what a kernel takes of the GPU that runs it.

    Attributes:
        registers: of a thread.
        shared: bytes of a block that the source declares, without those asked for at launch.
        local: bytes of a thread in local memory: what found no register, and arrays.
        constant: bytes of constant memory.
        max_threads: of a block.
        warps: resident at once on a multiprocessor, at most, out of the ``most_warps`` it holds.
    """

    registers: int
    shared: int
    local: int
    constant: int
    max_threads: int
    warps: int
    most_warps: int

    @property
    def occupancy(self) -> float:
        """Share of the warps that a multiprocessor holds, from 0 to 1."""
        return self.warps / self.most_warps


@dataclass(frozen=True)
class KernelFacts:
    """Describe a kernel in a stage of a variant.

    Attributes:
        grids: blocks along x, y, z, of every launch in a frame, in order.
        block: threads along x, y, z.
        shared: dynamic shared memory of a block in bytes.
        resources: absent until ``with_resources`` found them out.
    """

    stage: str
    kernel: Kernel
    grids: tuple[Dim, ...]
    block: Dim
    shared: int
    resources: Resources | None = None


def kernel_facts(
    pipeline: Pipeline,
    variant: Variant,
    params: Params,
    height: int,
    width: int,
    wanted: Iterable[str] = (),
) -> tuple[KernelFacts, ...]:
    """List the kernels of a CUDA variant in the order of their first launch; needs no GPU.

    Args:
        height, width: of the inputs in pixels.
        wanted: images that are needed besides the output.
    """
    found: dict[tuple[Any, ...], KernelFacts] = {}
    for stage, launch in launches(pipeline, variant, params, height, width, wanted):
        key = (stage, launch.kernel, launch.block, launch.shared)
        one = found.get(key) or KernelFacts(stage, launch.kernel, (), launch.block, launch.shared)
        found[key] = replace(one, grids=(*one.grids, launch.grid))
    return tuple(found.values())


def launches(
    pipeline: Pipeline,
    variant: Variant,
    params: Params,
    height: int,
    width: int,
    wanted: Iterable[str] = (),
) -> list[tuple[str, Launch]]:
    """List the launches of a frame in order, each after its stage's name; needs no GPU."""
    steps = plan(pipeline, variant, params, wanted)
    names = set(pipeline.inputs) | {name for step in steps for name in step.images}
    images = {name: _blank(pipeline, variant, params, height, width, name) for name in names}
    found = []
    for step in steps:
        with noted_launches() as noted:
            step.function(*(images[name] for name in step.images), *step.arguments)
        found += [(step.stage.name, launch) for launch in noted]
    return found


def _blank(
    pipeline: Pipeline, variant: Variant, params: Params, height: int, width: int, name: str
) -> Array:
    """Make an image without content: what a binding asks of its arrays and textures."""
    image = pipeline.image(name)
    shape = image.shape(height, width, params)
    dtype = np.dtype(stored_dtype(pipeline, variant, name))
    array = SimpleNamespace(shape=shape, dtype=dtype, flags=SimpleNamespace(c_contiguous=True))
    if name in variant.textures:
        return SimpleNamespace(shape=shape, dtype=dtype, object=0, linear=array, fill=_do_nothing)
    return array


def _do_nothing() -> None:
    """Copy nothing into a texture without content."""


def with_resources(facts: KernelFacts) -> KernelFacts:
    """Add to a kernel's facts what it takes of the GPU; compiles the kernel, if it never ran.

    Raises:
        Unavailable: there is no GPU.
    """
    with open_device("cuda").active():
        return replace(facts, resources=_resources(facts))


def _resources(facts: KernelFacts) -> Resources:
    import cupy

    compiled = function(facts.kernel, facts.shared)
    taken, device = compiled.attributes, cupy.cuda.Device().attributes
    threads = math.prod(facts.block)
    blocks = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
        compiled.kernel.ptr, threads, facts.shared
    )
    return Resources(
        registers=taken["num_regs"],
        shared=taken["shared_size_bytes"],
        local=taken["local_size_bytes"],
        constant=taken["const_size_bytes"],
        max_threads=taken["max_threads_per_block"],
        warps=blocks * -(-threads // WARP),
        most_warps=device["MaxThreadsPerMultiProcessor"] // WARP,
    )
