"""Declare the stages of a pipeline, and the variants that compute them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from wheatstone.gpu.parameters import Params

Count = Callable[[Any, int, int], int]  # of operations, with parameters at a height and a width


def nothing(params: Params, height: int, width: int) -> str:
    """Make no complaint and no remark."""
    return ""


def always(params: Params) -> bool:
    """Let a stage run: the condition of one that cannot be switched off."""
    return True


@dataclass(frozen=True)
class Stage:
    """Declare one step of a pipeline, named by the field's term.

    An implementation is a function of the stage's name, called with the images it reads, the
    images it writes, then its parameters, all by position.

    Attributes:
        params: parameters, or keys of the items of ``each``.
        when: whether the stage runs; if not, what it reads stands for what it writes.
        filters: whether what it reads means the same as what it writes; if not, that means nothing
            while the stage is off, and what stands for it only fills a place.
        each: the items the stage runs for, one after the other; stages in a row with the same
            ``each`` take turns item by item.
        covers: for a fused step of a variant, the stages whose work it does; it runs if one does.
        on_demand: whether the stage runs only if an image it writes is wanted: its images are for
            the eye, and cost nothing while nobody looks.
        operations: the arithmetic that the definition asks of one run, at a height and a width,
            whatever an implementation saves or adds. Additions, products, quotients, comparisons
            (a minimum is one), absolute values, roots and bitwise operations on values count one
            each, integer or float; places in the image, borders, conversions, the packing of bits
            into words and what is computed once a frame do not. Absent where it depends on the
            image.
        counts: for a fused step, the stages whose operations are its own; those it covers, unless
            other steps share their work.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    params: tuple[str, ...] = ()
    when: Callable[[Any], bool] = always
    filters: bool = True
    each: Callable[[Any], Sequence[Mapping[str, Any]]] | None = None
    covers: tuple[str, ...] = ()
    help: str = ""
    on_demand: bool = False
    operations: Count | None = None
    counts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant:
    """Declare one complete implementation of a pipeline.

    Attributes:
        package: stage ``x`` is computed by function ``x`` of module ``package.x``.
        memory: for stages with several CUDA kernels, the memory whose kernel runs.
        fused: steps that do the work of several stages at once.
        dtypes: images held in another dtype than declared, with the same values.
        textures: input images held as CUDA textures.
        peer: a program from outside, never claimed to be identical.
        recorded: whether frames may be replayed; not if a stage allocates, compiles or waits.
        ignores: parameters without effect on this variant.
        refuses: why it cannot run with these parameters at this height and width; empty if it can.
        remark: what the user should know about how it runs with these; empty if nothing.
        functions: functions of plug-ins by stage, used instead of those of ``package``.
    """

    name: str
    device: Literal["cpu", "cuda"]
    package: str
    help: str
    memory: Mapping[str, str] = field(default_factory=dict)
    fused: tuple[Stage, ...] = ()
    dtypes: Mapping[str, str] = field(default_factory=dict)
    textures: tuple[str, ...] = ()
    peer: bool = False
    recorded: bool = True
    ignores: tuple[str, ...] = ()
    refuses: Callable[[Any, int, int], str] = nothing
    remark: Callable[[Any, int, int], str] = nothing
    functions: Mapping[str, Callable[..., None]] = field(default_factory=dict)

    @property
    def on_gpu(self) -> bool:
        """Tell whether it needs an NVIDIA GPU."""
        return self.device == "cuda"
