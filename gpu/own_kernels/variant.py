"""Declare the variant that a user's kernels form.

With a GPU it is the base variant with the user's kernels. Without one, all other stages are those
of the variant ``cpu``, whose results are the same, and the user's kernels are emulated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from wheatstone.gpu.kernels.kernel import Launch, is_noting, note
from wheatstone.gpu.own_kernels.bases import kept_steps
from wheatstone.gpu.own_kernels.calls import UNCHECKED, CallReport, Checking, StageCall
from wheatstone.gpu.own_kernels.contract import OwnKernels, OwnStage, StageContract
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_kernels.launching import ImageForm, planned_launches
from wheatstone.gpu.own_kernels.process import call_stage
from wheatstone.gpu.own_variants import note_declared
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Array, Pipeline, Stage, Variant
from wheatstone.gpu.plugins import BUILT_IN
from wheatstone.gpu.stage import REFERENCE
from wheatstone.gpu.steps import function_of, stored_dtype


def declare(kernels: OwnKernels) -> None:
    """Add the variant of a user's kernels to its pipeline, or replace one of the same name.

    Raises:
        ValueError: the kernels make no variant.
    """
    kernels.check()
    note_declared(kernels)
    if kernels.hide:
        _hide_built_in(kernels.declared)
    kernels.declared.add_variant(variant_of(kernels))


def _hide_built_in(pipeline: Pipeline) -> None:
    """Hide the program's own variants of a pipeline, except the reference."""
    for variant in pipeline.variants:
        own = (pipeline.name, variant.name) in BUILT_IN
        if own and variant.name != REFERENCE.name and not variant.hidden:
            pipeline.add_variant(replace(variant, hidden=True))


def variant_of(kernels: OwnKernels) -> Variant:
    """Return the declaration of the variant that a user's kernels form on this machine."""
    pipeline = kernels.declared
    base = pipeline.variant(kernels.base)
    steps = {own.stage: kernels.contract(own).step for own in kernels.stages}
    functions = {steps[own.stage].name: OwnFunction(kernels, own) for own in kernels.stages}
    others = f"Your kernels for {', '.join(steps)}, all else as {base.name}"
    if not emulated():
        kept = [s for s in base.fused if s in steps.values() or not steps.keys() & {*s.covers}]
        start, help = replace(base, fused=tuple(kept)), f"{others}."
    else:
        start, help = _on_cpu(pipeline, steps), f"{others}; emulated on the CPU."
    return replace(
        start,
        name=kernels.variant,
        help=help,
        functions={**start.functions, **functions},
        recorded=False,
        hidden=bool(kernels.version),  # saved states are chosen in their list
        remark=base.remark,
        refuses=partial(
            _refusal, (base.refuses, *(steps[own.stage].own for own in kernels.stages))
        ),
    )


def _refusal(
    refusals: Sequence[Callable[[Any, int, int], str]], params: Params, height: int, width: int
) -> str:
    """Return the first reason why a variant cannot run; empty if it can."""
    return next(filter(None, (refuses(params, height, width) for refuses in refusals)), "")


def _on_cpu(pipeline: Pipeline, own: Mapping[str, Stage]) -> Variant:
    """Return the variant ``cpu`` without the fused steps that the user's stages rule out.

    Args:
        own: the steps that compute the user's stages, by the stage's name.
    """
    variant = pipeline.variant("cpu")
    kept = kept_steps(pipeline, variant, own)
    alone = {name for step in variant.fused if step not in kept for name in step.covers}
    reference = partial(function_of, "wheatstone.gpu.reference")
    functions = {name: reference(name) for name in alone - own.keys()}
    fused = (*kept, *(step for step in own.values() if step.covers))
    return replace(variant, fused=fused, functions=functions)


class OwnFunction:
    """The function of a stage in a user's variant, which calls the kernel in a separate process."""

    def __init__(self, kernels: OwnKernels, own: OwnStage) -> None:
        self.kernels, self.own = kernels, own

    @cached_property
    def contract(self) -> StageContract:
        """The kernel's contract: the images and numbers that are its arguments."""
        return self.kernels.contract(self.own)

    def of_images(self, names: tuple[str, ...], *, first: bool) -> Callable[..., None]:
        """Return the function that calls the user's kernel on images with the given names."""
        return partial(self._call, names, first)

    def __call__(self, *arguments: Any) -> None:
        """Call the user's kernel on images in the order in which the stage declares them."""
        step = self.contract.step
        self._call((*step.reads, *step.writes), False, *arguments)

    def forms(self, names: Sequence[str], images: Sequence[Array]) -> tuple[ImageForm, ...]:
        """Return the shapes of images, and the types in which the base variant stores them.

        Args:
            names: of the images that the stage is called with; one may stand for another.
        """
        declared = [image.name for image in self.contract.images]
        return tuple(map(self.form, names, declared, images))

    def form(self, name: str, declared: str, image: Array) -> ImageForm:
        """Return the shape and dtype of an image that is passed in place of the declared one."""
        base, pipeline = self.contract.base, self.contract.pipeline
        known = name in {each.name for each in pipeline.images}
        actual = name if known else declared
        texture = actual in base.textures and declared in self.contract.step.reads
        return ImageForm(tuple(image.shape), stored_dtype(pipeline, base, actual), texture)

    def launches(self, forms: tuple[ImageForm, ...], arguments: tuple[Any, ...]) -> list[Launch]:
        """List the launches for images of given shapes and dtypes; none for a Python function."""
        if self.own.in_python:
            return []
        return planned_launches(self.own, self.contract, forms, arguments)

    def _call(self, names: tuple[str, ...], first: bool, *arguments: Any) -> None:
        images, numbers = arguments[: len(names)], arguments[len(names) :]
        if is_noting():
            note(self.launches(self.forms(names, images), numbers))
        else:
            self.call(names, images, numbers, first=first)

    def call(
        self,
        names: Sequence[str],
        images: Sequence[Array],
        arguments: tuple[Any, ...],
        checking: Checking = UNCHECKED,
        *,
        first: bool,
    ) -> CallReport:
        """Call the kernel with images of the program, into which the results are written.

        Args:
            names: of these images; one may stand for another.
            first: whether it is the first call of a frame; then images to be written hold a
                pattern before it, so that pixels that are not written show.

        Raises:
            KernelFault: the kernel cannot be launched, or does not do its work.
        """
        return call_stage(self.prepared(names, images, arguments, first=first), images, checking)

    def prepared(
        self,
        names: Sequence[str],
        images: Sequence[Array],
        arguments: tuple[Any, ...],
        *,
        first: bool,
    ) -> StageCall:
        """Describe a call with images of the program; the arguments are those of ``call``.

        Raises:
            KernelFault: the kernel cannot be launched.
        """
        forms = self.forms(names, images)
        try:
            launches = self.launches(forms, arguments)
        except (TypeError, ValueError) as error:
            raise KernelFault(self.own.stage, "launch", str(error)) from error
        return StageCall(self.own, self.contract, forms, launches, arguments, first)
