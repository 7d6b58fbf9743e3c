"""Facts for lessons about kernels: layout of threads, memory reads, resources and times."""

from collections.abc import Mapping
from math import prod

from wheatstone.gpu.analysis import memory_access
from wheatstone.gpu.analysis.kernel_facts import WARP, with_resources
from wheatstone.gpu.analysis.measurement import declared_bytes, declared_operations
from wheatstone.viewer.panels.lessons.facts.subject import Fact, FactSubject, Unknown
from wheatstone.viewer.panels.lessons.wording import NO_GPU
from wheatstone.viewer.run.engine import prepare_run


def _block(about: FactSubject, variant: str, stage: str) -> str:
    return " x ".join(map(str, about.launch(variant, stage).block))


def _threads(about: FactSubject, variant: str, stage: str) -> int:
    return prod(about.launch(variant, stage).block)


def _blocks(about: FactSubject, variant: str, stage: str) -> int:
    return prod(about.launch(variant, stage).grids[-1])


def _idle(about: FactSubject, variant: str, stage: str) -> str:
    """Count a launch's threads without a pixel; raise ``Unknown`` unless threads have one each."""
    facts = about.launch(variant, stage)
    pixels = [n * b for n, b in zip(facts.grids[-1], facts.block, strict=False)]
    height, width = about.size
    if len(facts.block) < 2 or pixels[0] < width or pixels[1] < height:
        raise Unknown(f"(the threads of {facts.kernel.name} are not for one pixel each)")
    return f"{prod(pixels) - height * width}"


def _window(about: FactSubject, stage: str) -> int:
    try:
        return memory_access.window_pixels(stage, about.slot.params)
    except ValueError as error:
        raise Unknown(f"({error})") from None


def _tile(about: FactSubject, variant: str, stage: str) -> tuple[int, int]:
    block = about.launch(variant, stage).block
    return memory_access.tile(stage, about.slot.params, block)


def _sectors(about: FactSubject, variant: str, stage: str, shift: int = 0) -> tuple[int, int]:
    setup = about.setup(variant)
    try:
        _, count, nbytes = memory_access.warp_sectors(setup, stage, shift)
    except ValueError as error:
        raise Unknown(f"({error})") from None
    return count, nbytes


def _saved(about: FactSubject, variant: str, stage: str) -> str:
    """Return the factor by which loading a tile once reduces the reads of a thread block."""
    rows, columns = _tile(about, variant, stage)
    asked = _threads(about, variant, stage) * _window(about, stage)
    return f"{asked / (rows * columns):.0f}"


def _registers(about: FactSubject, variant: str, stage: str) -> str:
    if not about.runs(variant):
        raise Unknown(NO_GPU)
    resources = with_resources(about.launch(variant, stage)).resources
    assert resources
    return f"{resources.registers}"


def milliseconds(value: float) -> str:
    """Format a time in milliseconds with three digits, or as an integer from 100 ms."""
    return f"{value:.0f} ms" if value >= 100 else f"{value:.3g} ms"


def _speedup(about: FactSubject, slow: str, fast: str) -> str:
    ratio = about.measured(slow).device.median / about.measured(fast).device.median
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:.0f} times"


def _stage_ms(about: FactSubject, variant: str, stage: str) -> str:
    stages = about.measured(variant).stages
    if stage not in stages:
        raise Unknown(f"({variant} has no stage {stage})")
    return milliseconds(stages[stage].median)


def _declared(about: FactSubject, stage: str, what: str) -> str:
    """Return the declared bytes or operations of a stage in a frame, in millions."""
    execution = prepare_run(about.slot.replace(variant="cpu"), *about.size)
    counts = declared_bytes(execution) if what == "bytes" else declared_operations(execution)
    value = counts.get(stage)
    if value is None:
        raise Unknown("(not declared)")
    return f"{value / 1e6:.1f} million"


_KERNEL = ("VARIANT", "STAGE")
KERNELS: Mapping[str, Fact] = {
    "block": Fact("threads of a kernel's block, along x and y", _block, _KERNEL),
    "threads": Fact("threads of a kernel's block", _threads, _KERNEL),
    "warps": Fact(
        "warps of a kernel's block", lambda about, *of: -(-_threads(about, *of) // WARP), _KERNEL
    ),
    "blocks": Fact("blocks that a kernel launches", _blocks, _KERNEL),
    "idle": Fact("threads of those blocks that have no pixel", _idle, _KERNEL),
    "window": Fact("pixels of the window that a thread reads", _window, ("STAGE",)),
    "block_reads": Fact(
        "pixels that all threads of a block request",
        lambda about, variant, stage: _threads(about, variant, stage) * _window(about, stage),
        _KERNEL,
    ),
    "tile": Fact(
        "columns and rows of the pixels under a block's windows",
        lambda about, *of: " x ".join(map(str, _tile(about, *of)[::-1])),
        _KERNEL,
    ),
    "tile_pixels": Fact(
        "number of those pixels", lambda about, *of: prod(_tile(about, *of)), _KERNEL
    ),
    "saved": Fact("requests of a block per pixel of its tile", _saved, _KERNEL),
    "sectors": Fact(
        "sectors of 32 bytes that one access of a warp touches",
        lambda about, *of: _sectors(about, *of)[0],
        _KERNEL,
    ),
    "sectors_beside": Fact(
        "the same where every thread reads the pixel to the right of its own",
        lambda about, variant, stage: _sectors(about, variant, stage, 1)[0],
        _KERNEL,
    ),
    "warp_bytes": Fact(
        "bytes that the threads of a warp request in one access",
        lambda about, *of: _sectors(about, *of)[1],
        _KERNEL,
    ),
    "registers": Fact("registers of a thread, from the GPU", _registers, _KERNEL, runs=True),
    "ms": Fact(
        "time of a frame by a variant, measured now",
        lambda about, variant: milliseconds(about.measured(variant).device.median),
        ("VARIANT",),
        runs=True,
    ),
    "stage_ms": Fact("time of a stage by a variant, measured now", _stage_ms, _KERNEL, runs=True),
    "speedup": Fact(
        "speed-up of the second variant, measured now",
        _speedup,
        ("VARIANT", "VARIANT"),
        runs=True,
    ),
    "bytes": Fact(
        "bytes that a stage moves in a frame, as declared",
        lambda about, stage: _declared(about, stage, "bytes"),
        ("STAGE",),
    ),
    "operations": Fact(
        "operations of a stage in a frame, as declared",
        lambda about, stage: _declared(about, stage, "operations"),
        ("STAGE",),
    ),
}
