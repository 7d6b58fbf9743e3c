"""List the calls that compute a frame: the stages that a variant runs with given parameters."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, Protocol, runtime_checkable

from wheatstone.gpu.image import nbytes
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant


@dataclass(frozen=True)
class Step:
    """One call of the function that implements a stage: function, images and parameters."""

    stage: Stage
    images: tuple[str, ...]
    arguments: tuple[Any, ...]
    function: Callable[..., None]


@runtime_checkable
class OfImages(Protocol):
    """The interface of a stage's function that needs to know the names of its images."""

    def of_images(self, names: tuple[str, ...], *, first: bool) -> Callable[..., None]:
        """Return the function for images of these names, one of which may replace a declared one.

        Args:
            first: whether it is the stage's first call of a frame.
        """
        ...


def active_stages(
    pipeline: Pipeline, variant: Variant, params: Params, wanted: Iterable[str] = ()
) -> list[Stage]:
    """List the stages that a variant runs, with fused steps in place of the stages they cover.

    Args:
        wanted: images that are needed; those computed only on demand are skipped if not named.
    """
    names = passed_on(pipeline, variant, params)
    wanted = {names.get(name, name) for name in wanted}
    running = _needed([s for s in pipeline.stages if s.when(params)], names, wanted)
    steps = dict.fromkeys(step for stage in running for step in _steps_for(stage, variant))
    return _needed([step for step in steps if step.when(params)], names, wanted)


def _steps_for(stage: Stage, variant: Variant) -> list[Stage]:
    """List the fused steps that do the work of a stage; without any, the stage itself."""
    return [step for step in variant.fused if stage.name in step.covers] or [stage]


def _needed(steps: Sequence[Stage], names: Mapping[str, str], wanted: Iterable[str]) -> list[Stage]:
    """List the steps that must run, in order; steps on demand only if their images are needed."""
    needed, running = set(wanted), []
    for step in reversed(steps):  # what a step that runs reads is also needed
        if not step.on_demand or needed & set(step.writes):
            needed |= {names.get(name, name) for name in step.reads}
            running.append(step)
    return running[::-1]


def on_demand(pipeline: Pipeline, variant: Variant) -> tuple[str, ...]:
    """List the images that a variant computes only on demand, with any parameters."""
    usual = {name for step in variant.fused if not step.on_demand for name in step.writes}
    seldom = [name for step in variant.fused if step.on_demand for name in step.writes]
    own = [name for name in seldom if name not in usual]
    return tuple(dict.fromkeys((*pipeline.on_demand, *own)))


def passed_on(pipeline: Pipeline, variant: Variant, params: Params) -> dict[str, str]:
    """Map each replaced image to its replacement, declared or due to a stage that is off.

    The output keeps its name: the image that stands for it is renamed.
    """
    covered = _covered(pipeline, variant, params)
    names = {i.name: i.stands_for(params) for i in pipeline.images if i.stands_for}
    for stage in pipeline.stages:
        if not stage.when(params) and stage.name not in covered:
            for written, read in zip(stage.writes, stage.reads, strict=False):
                if pipeline.image(written).dims == pipeline.image(read).dims:
                    names[written] = names.get(read, read)
    return _with_output(pipeline, names)


def can_keep(pipeline: Pipeline, variant: Variant, params: Params, image: str) -> bool:
    """Return whether the values of an image can be stored when it is requested."""
    steps = active_stages(pipeline, variant, params, (image,))
    written = {*pipeline.inputs, *(name for step in steps for name in step.writes)}
    held = passed_on(pipeline, variant, params).get(image, image)
    return held in written and image not in without_meaning(pipeline, params)


def remembering(pipeline: Pipeline) -> list[Stage]:
    """List the stages whose results depend on earlier frames of a sequence."""
    return [s for s in pipeline.stages if any(pipeline.image(n).remembers for n in s.reads)]


def without_meaning(pipeline: Pipeline, params: Params) -> set[str]:
    """Return the images that have no meaning with these parameters, because stages are off.

    A stage that is off would write them: either its ``filters`` is false, or another image would
    hold their values of the frame before.
    """
    off = [stage for stage in pipeline.stages if not stage.when(params)]
    states = {image.remembers for image in pipeline.images if image.remembers}
    return {n for stage in off for n in stage.writes if not stage.filters or n in states}


def _with_output(pipeline: Pipeline, names: dict[str, str]) -> dict[str, str]:
    """Rename the image that replaces the output to the output's name, if a stage writes it."""
    output = pipeline.output
    held = names.get(output, output)
    if held == output or held in pipeline.inputs:
        return names
    renamed = {name: output if image == held else image for name, image in names.items()}
    return {name: image for name, image in renamed.items() if name != output} | {held: output}


def _covered(pipeline: Pipeline, variant: Variant, params: Params) -> set[str]:
    """Return the names of the stages whose work is done by fused steps, if these run."""
    running = {stage.name for stage in pipeline.stages if stage.when(params)}
    fused = [s for s in variant.fused if s.when(params) and running.intersection(s.covers)]
    return {name for stage in fused for name in stage.covers}


def plan(
    pipeline: Pipeline, variant: Variant, params: Params, wanted: Iterable[str] = ()
) -> list[Step]:
    """List the calls of stages that compute one frame, in order."""
    names = passed_on(pipeline, variant, params)
    stages = active_stages(pipeline, variant, params, wanted)
    steps = []
    for each, group in groupby(stages, lambda stage: stage.each):
        turns = list(group)
        for number, item in enumerate(each(params) if each else ({},)):
            values = {**params.values(), **item}
            steps += [_step(s, variant, values, names, first=number == 0) for s in turns]
    return steps


def _step(
    stage: Stage,
    variant: Variant,
    values: Mapping[str, Any],
    names: Mapping[str, str],
    *,
    first: bool,
) -> Step:
    images = tuple(names.get(name, name) for name in stage.reads + stage.writes)
    arguments = tuple(values[name] for name in stage.params)
    function = implementation(variant, stage)
    if isinstance(function, OfImages):
        function = function.of_images(images, first=first)
    return Step(stage, images, arguments, function)


def implementation(variant: Variant, stage: Stage) -> Callable[..., None]:
    """Return the function that computes a stage in a variant, with its kind of memory set."""
    if stage.name in variant.functions:
        return variant.functions[stage.name]
    function = function_of(variant.package, stage.name)
    memory = variant.memory.get(stage.name)
    return partial(function, memory=memory) if memory else function


def function_of(package: str, name: str) -> Callable[..., None]:
    """Import the function of a package that computes stage ``name``, and return it."""
    function: Callable[..., None] = getattr(importlib.import_module(module_of(package, name)), name)
    return function


def module_of(package: str, name: str) -> str:
    """Return the name of the module in a package that computes the stage ``name``."""
    modules: Mapping[str, str] = getattr(importlib.import_module(package), "MODULES", {})
    return modules.get(name, f"{package}.{name}")


class Setup(NamedTuple):
    """A variant with its parameters and the size of its input images in pixels."""

    pipeline: Pipeline
    variant: Variant
    params: Params
    height: int
    width: int

    def plan(self, wanted: Iterable[str] = ()) -> list[Step]:
        """List the calls of stages that compute one frame, in order."""
        return plan(self.pipeline, self.variant, self.params, wanted)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an image, given its name."""
        return self.pipeline.image(name).shape(self.height, self.width, self.params)

    def dtype(self, name: str) -> str:
        """Return the name of the dtype in which the variant stores an image."""
        return stored_dtype(self.pipeline, self.variant, name)

    def used(self, steps: Iterable[Step]) -> set[str]:
        """List the names of the inputs, and of the images that steps read or write."""
        return {*self.pipeline.inputs, *(name for step in steps for name in step.images)}

    def nbytes(self, names: Iterable[str]) -> int:
        """Compute the bytes that images occupy."""
        return sum(nbytes(self.shape(name), self.dtype(name)) for name in names)


def stored_dtype(pipeline: Pipeline, variant: Variant, name: str) -> str:
    """Return the name of the dtype in which a variant stores an image."""
    return variant.dtypes.get(name, pipeline.image(name).dtype)
