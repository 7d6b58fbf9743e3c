"""The arguments of a user's kernel for a stage, and the variant that the user's kernels form.

    extern "C" __global__ void census_transform(
        const uint8_t* __restrict__ left, const uint8_t* __restrict__ right,
        uint32_t* __restrict__ left_descriptor, uint32_t* __restrict__ right_descriptor,
        int height, int width, int cost)

The images that the stage reads come first, then those that it writes, the lengths of their axes,
and the stage's parameters: a choice as its index, a rectangle as four numbers. The types are those
in which the base variant stores the images. An image that another one may stand for, of another
type, has a type of its own name, such as ``blurred_t``, which is defined when the kernel is
compiled.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Dim, Kernel, c_type
from wheatstone.gpu.own_kernels.bases import base_step, check_base, params_with
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant
from wheatstone.gpu.pipelines import PIPELINES, known_pipeline
from wheatstone.gpu.plugins import BUILT_IN
from wheatstone.gpu.stage import always
from wheatstone.gpu.steps import function_of, stored_dtype

Threads = Literal["pixel", "row", "base", "custom"]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}\.(cu|py)")
ENTRY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
SIZES = {1: ("length",), 2: ("height", "width"), 3: ("height", "width", "length")}
"""Names of the lengths of axes, by the number of axes of the image that has most."""
SIDES = ("x", "y", "width", "height")
MOST_THREADS = 1024  # of a block


@dataclass(frozen=True)
class OwnStage:
    """The user's kernel for one stage, and how to launch it.

    Attributes:
        stage: the stage's name.
        file: name of the CUDA or Python file.
        text: its text, with the text of the headers that it includes.
        entry: name of the ``__global__`` function, or of the Python function.
        block: threads of a block.
        threads: ``pixel`` or ``row``: one thread for each; ``custom``: the grid is given; ``base``:
            the launches are those of the base variant, whose file this one replaces.
        grid: blocks along each axis, as expressions of sizes, parameters and the block.
        shared: bytes of dynamic shared memory, as such an expression.
    """

    stage: str
    file: str
    text: str
    entry: str
    block: Dim = (32, 8)
    threads: Threads = "pixel"
    grid: tuple[str, ...] = ()
    shared: str = "0"

    @property
    def in_python(self) -> bool:
        """Return whether the kernel is a Python function."""
        return self.file.endswith(".py")


@dataclass(frozen=True)
class OwnKernels:
    """The user's kernels for some stages of a pipeline, which form a variant of it.

    It can be pickled and sent to another process.

    Attributes:
        name: of the variant that they make.
        base: a CUDA variant; it computes all other stages, and declares the types of the images.
        version: counts the saved states of the files in a session, from 1; 0: the newest state.
        hide: whether the built-in variants, except the reference, are offered nowhere.
    """

    name: str
    pipeline: str
    base: str
    stages: tuple[OwnStage, ...]
    version: int = 0
    hide: bool = False

    @property
    def variant(self) -> str:
        """Return the variant's name, with the number of an older saved state, as in ``own@3``."""
        return f"{self.name}@{self.version}" if self.version else self.name

    @cached_property
    def digest(self) -> str:
        """Compute a SHA-256 digest of everything that determines the kernels' results."""
        return sha256(repr((self.pipeline, self.base, self.stages)).encode()).hexdigest()

    @property
    def declared(self) -> Pipeline:
        """Return the declaration of the pipeline whose stages the kernels compute."""
        return PIPELINES[self.pipeline]

    @property
    def stand_in(self) -> str:
        """Return the name of a built-in variant that can replace the kernels with equal results."""
        if self.hide:
            return "reference"
        return "cpu" if emulated() else self.base

    def contract(self, own: OwnStage) -> "StageContract":
        """Return the contract (list of arguments) of the user's kernel for a stage."""
        base = self.declared.variant(self.base)
        return contract_of(self.declared, base, own.stage, as_base=own.threads == "base")

    def declare(self) -> None:
        """Add the variant to its pipeline, or replace the variant of the same name."""
        from wheatstone.gpu.own_kernels.variant import declare

        declare(self)

    def check(self) -> None:
        """Raise ``ValueError``, naming the reason, if the kernels cannot form a variant."""
        if not NAME.fullmatch(self.name):
            raise ValueError(f"name must be letters, digits, - and _ (got {self.name!r})")
        known_pipeline(self.pipeline)
        if (self.pipeline, self.name) in BUILT_IN:
            raise ValueError(f"{self.pipeline} has a variant {self.name!r} of its own; rename it")
        check_base(self.declared, self.base, [(o.stage, o.threads == "base") for o in self.stages])
        for own in self.stages:
            _check_stage(own)


def _check_stage(own: OwnStage) -> None:
    """Raise ``ValueError`` if the settings of a stage's kernel allow no launch."""
    if not FILE.fullmatch(own.file):
        raise ValueError(f"{own.stage}: the file is a name with .cu or .py (got {own.file!r})")
    if not ENTRY.fullmatch(own.entry):
        raise ValueError(f"{own.stage}: {own.entry!r} is no name of a function")
    if own.in_python and own.threads == "base":
        raise ValueError(f'{own.stage}: threads = "base" is for .cu files (got {own.file!r})')
    if not 1 <= len(own.block) <= 3 or min(own.block) < 1 or np.prod(own.block) > MOST_THREADS:
        raise ValueError(
            f"{own.stage}: a block has 1 to 3 sides and up to {MOST_THREADS} threads "
            f"(got {list(own.block)})"
        )
    if (own.threads == "custom") != bool(own.grid) or len(own.grid) > 3:
        raise ValueError(f"{own.stage}: give threads, or a grid of up to 3 sides")


@dataclass(frozen=True)
class KernelImage:
    """An image that a kernel reads or writes.

    Attributes:
        dtypes: of its elements: its own, then those of images that may stand for it.
        written: whether the kernel writes it.
        texture: whether the kernel reads it through a texture object.
    """

    name: str
    dtypes: tuple[str, ...]
    written: bool
    texture: bool

    @property
    def macro(self) -> str:
        """Return the macro of the element type if that depends on parameters; else empty."""
        return f"{self.name}_t" if len(self.dtypes) > 1 and not self.texture else ""

    @property
    def parameter(self) -> str:
        """Return the image's parameter declaration in the ``__global__`` function."""
        if self.texture:
            return f"cudaTextureObject_t {self.name}"
        const = "" if self.written else "const "
        element = self.macro or c_type(np.dtype(self.dtypes[0]).type)
        return f"{const}{element}* __restrict__ {self.name}"


@dataclass(frozen=True)
class KernelScalar:
    """A number that a kernel takes as an argument, from a parameter of its stage.

    Attributes:
        name: in the kernel.
        parameter: name of the stage's parameter.
        part: of a rectangle, the number of the side; absent for other parameters.
        real: whether it is a ``float``; otherwise it is an ``int``.
        meaning: description in one line.
    """

    name: str
    parameter: str
    part: int | None
    real: bool
    meaning: str


@dataclass(frozen=True)
class StageContract:
    """The contract of a stage's kernel: the images and numbers that are its arguments, in order.

    Attributes:
        step: the pipeline's stage, or the base variant's step in its place.
        sizes: names of the lengths of the axes of the image with most axes.
        as_base: whether the launches are those of the base.
    """

    pipeline: Pipeline
    base: Variant
    step: Stage
    images: tuple[KernelImage, ...]
    sizes: tuple[str, ...]
    scalars: tuple[KernelScalar, ...]
    as_base: bool = False

    @property
    def stage(self) -> Stage:
        """Return the declaration of the stage in the pipeline."""
        name = self.step.covers[0] if self.step.covers else self.step.name
        return next(stage for stage in self.pipeline.stages if stage.name == name)

    def example(self) -> tuple[Params, tuple[Any, ...]]:
        """Return parameters with which the stage runs, and the arguments of its first call."""
        params, step = params_with(self.stage, self.pipeline), self.step
        items = step.each(params) if step.each else ({},)
        values = {**params.values(), **items[0]}
        return params, tuple(values[name] for name in step.params)

    @property
    def parameters(self) -> tuple[str, ...]:
        """List the parameters of the user's ``__global__`` function as C declarations."""
        numbers = [f"{'float' if each.real else 'int'} {each.name}" for each in self.scalars]
        sizes = [f"int {name}" for name in self.sizes]
        return (*(image.parameter for image in self.images), *sizes, *numbers)

    def kernel(self, own: OwnStage, dtypes: Sequence[str]) -> Kernel:
        """Declare the user's kernel for images of the given types."""
        images = [
            TEXTURE if image.texture else np.dtype(dtype).type
            for image, dtype in zip(self.images, dtypes, strict=True)
        ]
        numbers = [np.float32 if each.real else np.int32 for each in self.scalars]
        types = (*images, *(np.int32 for _ in self.sizes), *numbers)
        named = zip(self.images, images, strict=True)
        macros = tuple((image.macro, c_type(kind)) for image, kind in named if image.macro)
        return Kernel(own.file, own.entry, types, len(images), macros, own.text)

    def lengths(self, shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """Return the lengths of axes by name, from the shapes of the images."""
        return dict(zip(self.sizes, longest(shapes), strict=True))

    def numbers(self, arguments: Sequence[Any]) -> dict[str, int | float]:
        """Return the value of each scalar by name, from the stage's arguments after its images."""
        given = dict(zip(self.step.params, arguments, strict=True))
        return {each.name: self._number(each, given[each.parameter]) for each in self.scalars}

    def _number(self, scalar: KernelScalar, value: Any) -> int | float:
        if scalar.part is not None:
            return int(value[scalar.part])
        declared = controls(self.pipeline.params).get(scalar.parameter)
        placed = declared.place(value) if declared else value
        return float(placed) if scalar.real else int(placed)


def longest(shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape with the most axes; if there are several, the first."""
    return max(shapes, key=lambda shape: len(shape))


def contract_of(
    pipeline: Pipeline, base: Variant, stage: str, *, as_base: bool = False
) -> StageContract:
    """Return the contract (list of arguments) of a stage's kernel, given the base variant."""
    declared = next(each for each in pipeline.stages if each.name == stage)
    step = base_step(pipeline, base, stage) if as_base else declared
    names = step.reads + step.writes
    images = tuple(
        _image(pipeline, base, name, written=number >= len(step.reads))
        for number, name in enumerate(names)
    )
    axes = max(len(pipeline.image(name).dims) for name in names)
    scalars = () if as_base else tuple(_scalars(pipeline, step))
    return StageContract(pipeline, base, step, images, SIZES.get(axes, ()), scalars, as_base)


def _image(pipeline: Pipeline, base: Variant, name: str, *, written: bool) -> KernelImage:
    """Describe an image that a kernel takes, with the dtype and memory of the base variant."""
    meant = pipeline.image(name).stands_for
    own = meant(pipeline.params()) if meant else name
    others = () if written else _stand_ins(pipeline, name)
    dtypes = dict.fromkeys(stored_dtype(pipeline, base, each) for each in (own, *others))
    return KernelImage(name, tuple(dtypes), written, own in base.textures and not written)


def _stand_ins(pipeline: Pipeline, name: str) -> Iterator[str]:
    """Yield the images that take the place of an image while the stage that writes it is off."""
    for stage in pipeline.stages:
        for written, read in zip(stage.writes, stage.reads, strict=False):
            alike = pipeline.image(written).dims == pipeline.image(read).dims
            if written == name and stage.when is not always and alike:
                yield read
                yield from _stand_ins(pipeline, read)


def _scalars(pipeline: Pipeline, stage: Stage) -> Iterator[KernelScalar]:
    """Yield the numbers that a stage's kernel takes from the stage's parameters."""
    declared, taken = controls(pipeline.params), {*stage.reads, *stage.writes, *SIZES[3]}
    items = stage.each(pipeline.params()) if stage.each else ()
    item = items[0] if items else {}
    for parameter in stage.params:
        name = f"{parameter}_parameter" if parameter in taken else parameter
        control = declared.get(parameter)
        if control is None:
            real = isinstance(item.get(parameter), float)
            yield KernelScalar(name, parameter, None, real, "differs between the calls of a frame")
        elif control.kind == "region":
            for part, side in enumerate(SIDES):
                yield KernelScalar(f"{name}_{side}", parameter, part, False, control.help)
        else:
            chosen = ", ".join(f"{i} {choice}" for i, choice in enumerate(control.choices))
            meaning = f"{control.help} {chosen}".strip()
            yield KernelScalar(name, parameter, None, control.kind == "float", meaning)


def specification(stage: str) -> str:
    """Return a stage's specification: the docstring of its function in the reference."""
    return function_of("wheatstone.gpu.reference", stage).__doc__ or ""
