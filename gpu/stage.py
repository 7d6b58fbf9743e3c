"""The declarations of a pipeline's stages, and of the variants that compute them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from wheatstone.gpu.parameters import Params

Count = Callable[[Any, int, int], int]  # of operations, with parameters at a height and a width


def nothing(params: Params, height: int, width: int) -> str:
    """Return an empty text: the default for functions that may return a complaint or remark."""
    return ""


def always(params: Params) -> bool:
    """Return True: the condition of a stage that cannot be switched off."""
    return True


@dataclass(frozen=True)
class Stage:
    """The declaration of one processing step of a pipeline: its images, parameters and conditions.

    An implementation is a function of the stage's name, called with the images it reads, the
    images it writes, then its parameters, all by position.

    Attributes:
        params: parameters, or keys of the items of ``each``.
        when: whether the stage runs; if not, its inputs stand for its outputs.
        filters: whether its outputs have the same meaning as its inputs; if not, an output has no
            meaning while the stage is off, and the input in its place is only a placeholder.
        each: the items the stage runs for, one after the other; stages in a row with the same
            ``each`` take turns item by item.
        covers: for a fused step of a variant, the stages whose work it does; it runs if one does.
        on_demand: whether the stage runs only if an image it writes is wanted: its images are only
            for display, and cost nothing while they are not shown.
        operations: the arithmetic that the definition asks of one run, at a height and a width,
            whatever an implementation saves or adds. Additions, products, quotients, comparisons
            (a minimum is one), absolute values, roots and bitwise operations on values count one
            each, integer or float; places in the image, borders, conversions, the packing of bits
            into words and computations done once a frame do not. Absent where it depends on the
            image.
        own: returns why a kernel of the user cannot compute the stage with parameters at a height
            and a width; empty if it can.
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
    own: Callable[[Any, int, int], str] = nothing


@dataclass(frozen=True)
class Variant:
    """The declaration of one complete implementation of a pipeline.

    Attributes:
        package: stage ``x`` is computed by function ``x`` of module ``package.x``, or of another
            module that the package's ``MODULES`` name for it.
        memory: for stages with several CUDA kernels, the memory whose kernel runs.
        fused: steps that do the work of several stages at once.
        dtypes: images stored in another dtype than declared, with the same values.
        textures: images held as CUDA textures.
        peer: an external program, whose results need not be identical.
        recorded: whether frames may be replayed; not if a stage allocates, compiles or waits.
        ignores: parameters without effect on this variant.
        refuses: returns why it cannot run with parameters at a height and width; empty if it can.
        remark: returns a note for the user about how it runs with these; may be empty.
        functions: functions of plug-ins by stage, used instead of those of ``package``.
        inputs: images of the source that its steps read besides the pipeline's inputs.
        hidden: whether it is in no list to choose from: the user is to write it, or an older save.
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
    inputs: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def on_gpu(self) -> bool:
        """Return whether the variant needs an NVIDIA GPU."""
        return self.device == "cuda"


def modules_by_stage(package: str, files: Mapping[str, str]) -> Mapping[str, str]:
    """Map stages to the modules of a package that compute them.

    Args:
        files: the stages that a module computes, by its name; a stage that none names has a module
            of its own name.
    """
    return {stage: f"{package}.{file}" for file, all in files.items() for stage in all.split()}


SPECIFICATION = "The specification, one thread."
REFERENCE = Variant("reference", "cpu", "wheatstone.gpu.reference", SPECIFICATION)
cpu_variant = partial(Variant, "cpu", "cpu", "wheatstone.gpu.cpu")
cuda_variant = partial(Variant, device="cuda", package="wheatstone.gpu.kernels")
