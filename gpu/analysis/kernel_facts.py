"""List the launches of a variant's kernels, and the GPU resources that each kernel uses.

The launches are determined without a GPU; the resources only on one.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from wheatstone.gpu.device import open_device
from wheatstone.gpu.kernels.kernel import Dim, Kernel, Launch, function, noted_launches
from wheatstone.gpu.kernels.placeholders import placeholder
from wheatstone.gpu.steps import Setup

WARP = 32  # threads


@dataclass(frozen=True)
class Resources:
    """The GPU resources that a kernel uses, such as registers and shared memory.

    Attributes:
        registers: number per thread.
        shared: bytes per block that the source declares, without those requested at launch.
        local: bytes per thread in local memory: spilled registers, and arrays.
        constant: bytes of constant memory.
        max_threads: largest number of threads per block.
        warps: largest number resident at once on a multiprocessor, which can hold ``most_warps``.
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
        """Return the fraction of a multiprocessor's warps that the kernel can occupy, 0 to 1."""
        return self.warps / self.most_warps


@dataclass(frozen=True)
class KernelFacts:
    """The launches of one kernel in a stage of a variant.

    Attributes:
        grids: blocks along x, y, z, of every launch in a frame, in order.
        block: threads along x, y, z.
        shared: dynamic shared memory of a block in bytes.
        resources: absent unless ``with_resources`` has added them.
    """

    stage: str
    kernel: Kernel
    grids: tuple[Dim, ...]
    block: Dim
    shared: int
    resources: Resources | None = None


def kernel_facts(setup: Setup, wanted: Iterable[str] = ()) -> tuple[KernelFacts, ...]:
    """List the kernels of a CUDA variant in order of first launch; needs no GPU.

    Args:
        wanted: images that are needed besides the output.
    """
    by_launch: dict[tuple[Any, ...], KernelFacts] = {}
    for stage, launch in launches(setup, wanted):
        key = (stage, launch.kernel, launch.block, launch.shared)
        one = by_launch.get(key) or KernelFacts(
            stage, launch.kernel, (), launch.block, launch.shared
        )
        by_launch[key] = replace(one, grids=(*one.grids, launch.grid))
    return tuple(by_launch.values())


def launches(setup: Setup, wanted: Iterable[str] = ()) -> list[tuple[str, Launch]]:
    """List the kernel launches of a frame in order, each with its stage's name; needs no GPU."""
    steps, textures = setup.plan(wanted), setup.variant.textures
    images = {
        name: placeholder(setup.shape(name), setup.dtype(name), texture=name in textures)
        for name in setup.used(steps)
    }
    launched = []
    for step in steps:
        with noted_launches() as noted:
            step.function(*(images[name] for name in step.images), *step.arguments)
        launched += [(step.stage.name, launch) for launch in noted]
    return launched


def with_resources(facts: KernelFacts) -> KernelFacts:
    """Return a kernel's facts with its resources; compile the kernel if necessary.

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
