"""Prepare a variant for one image size and one set of parameters, then run it frame after frame.

Everything a frame needs is allocated by ``prepare``; ``Execution.run`` allocates nothing. This is
also the only place that measures time.
"""

import importlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu import Unavailable
from gpu.device import Device, nbytes, open_device
from gpu.parameters import Params
from gpu.pipeline import Array, Pipeline, Stage, Variant

RECORDED_FRAMES = 4  # a mapped buffer has the same address nearly always


@dataclass(frozen=True)
class Step:
    """One call of one implementation: the images it gets, in order, then its parameters."""

    stage: Stage
    images: tuple[str, ...]
    arguments: tuple[Any, ...]
    function: Callable[..., None]


def active_stages(
    pipeline: Pipeline, variant: Variant, params: Params, wanted: Iterable[str] = ()
) -> list[Stage]:
    """The stages a variant runs with these parameters, fused ones standing for what they cover.

    Args:
        wanted: images that are needed; those computed only on demand cost nothing if not named.
    """
    running = _running(pipeline, passed_on(pipeline, variant, params), params, wanted)
    chosen = [step for stage in running for step in _steps_for(stage, variant)]
    return list(dict.fromkeys(stage for stage in chosen if stage.when(params)))


def _steps_for(stage: Stage, variant: Variant) -> list[Stage]:
    """The fused steps that do a stage's work, or the stage."""
    return [step for step in variant.fused if stage.name in step.covers] or [stage]


def _running(
    pipeline: Pipeline, names: Mapping[str, str], params: Params, wanted: Iterable[str]
) -> list[Stage]:
    """The declared stages that run, in order."""
    needed, running = {names.get(name, name) for name in wanted}, []
    for stage in reversed(pipeline.stages):  # what a wanted stage reads is wanted, too
        if stage.when(params) and (not stage.on_demand or needed & set(stage.writes)):
            needed |= {names.get(name, name) for name in stage.reads}
            running.append(stage)
    return running[::-1]


def passed_on(pipeline: Pipeline, variant: Variant, params: Params) -> dict[str, str]:
    """The image that a name means, for those declared so and those whose stage is off."""
    covered = _covered(pipeline, variant, params)
    names = {i.name: i.stands_for(params) for i in pipeline.images if i.stands_for}
    for stage in pipeline.stages:
        if not stage.when(params) and stage.name not in covered:
            for written, read in zip(stage.writes, stage.reads, strict=False):
                if pipeline.image(written).dims == pipeline.image(read).dims:
                    names[written] = names.get(read, read)
    return names


def _covered(pipeline: Pipeline, variant: Variant, params: Params) -> set[str]:
    """The stages that fused ones stand for, of those fused ones that run if they are wanted."""
    running = {stage.name for stage in pipeline.stages if stage.when(params)}
    fused = [s for s in variant.fused if s.when(params) and running.intersection(s.covers)]
    return {name for stage in fused for name in stage.covers}


def plan(
    pipeline: Pipeline, variant: Variant, params: Params, wanted: Iterable[str] = ()
) -> list[Step]:
    """The calls of one frame, in order; ``wanted`` as for ``active_stages``."""
    names = passed_on(pipeline, variant, params)
    stages = active_stages(pipeline, variant, params, wanted)
    steps = []
    for each, group in groupby(stages, lambda stage: stage.each):
        turns = list(group)
        for item in each(params) if each else ({},):
            steps += [_step(stage, variant, {**params.values(), **item}, names) for stage in turns]
    return steps


def _step(
    stage: Stage, variant: Variant, values: Mapping[str, Any], names: Mapping[str, str]
) -> Step:
    images = tuple(names.get(name, name) for name in stage.reads + stage.writes)
    arguments = tuple(values[name] for name in stage.params)
    return Step(stage, images, arguments, implementation(variant, stage))


def implementation(variant: Variant, stage: Stage) -> Callable[..., None]:
    """Find the function that computes a stage for a variant, bound to the variant's memory."""
    function = function_of(variant.package, stage.name)
    memory = variant.memory.get(stage.name)
    return partial(function, memory=memory) if memory else function


def function_of(package: str, name: str) -> Callable[..., None]:
    """Import function ``name`` of module ``package.name``: how declarations reach their code."""
    function: Callable[..., None] = getattr(importlib.import_module(f"{package}.{name}"), name)
    return function


class Execution:
    """A variant prepared for one image size and one set of parameters.

    Attributes:
        images: the arrays by name; an image that the variant does not keep is absent.
        nbytes: memory the arrays take.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        variant: Variant,
        params: Params,
        height: int,
        width: int,
        device: Device,
        wanted: Iterable[str] = (),
    ) -> None:
        self.pipeline, self.variant, self.params = pipeline, variant, params
        self.height, self.width, self.device = height, width, device
        self.steps = plan(pipeline, variant, params, wanted)
        self._names = passed_on(pipeline, variant, params)
        used = set(pipeline.inputs) | {name for step in self.steps for name in step.images}
        shapes = {n: pipeline.image(n).shape(height, width, params) for n in used}
        self.nbytes = sum(nbytes(shapes[name], self.dtype(name)) for name in used)
        self._check_memory()
        with device.active():
            self.images = {name: self._allocate(name, shapes[name]) for name in sorted(used)}
        self._whole = device.clock(2)
        self._stagewise = device.clock(len(self.steps) + 1)
        self._compiled = False
        self._frames: dict[tuple[int, ...], Callable[[], None]] = {}

    def dtype(self, name: str) -> str:
        """The dtype this variant holds an image in."""
        return self.variant.dtypes.get(name, self.pipeline.image(name).dtype)

    def _allocate(self, name: str, shape: tuple[int, ...]) -> Array:
        if name in self.variant.textures:
            return self.device.texture((shape[0], shape[1]), self.dtype(name))
        return self.device.zeros(shape, self.dtype(name))

    def _check_memory(self) -> None:
        free = self.device.free_bytes()
        if free is not None and self.nbytes > free:
            raise Unavailable(
                f"{self.pipeline.name}/{self.variant.name} at {self.width}x{self.height} needs "
                f"{self.nbytes / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free on "
                f"{self.device.name}; choose a smaller image or fewer disparities"
            )

    def keeps(self, name: str) -> bool:
        """Whether this execution has an image's values.

        A fused variant may never materialise it; nobody may have wanted it; or it belongs to a
        stage that is off and is there only because another stage takes it.
        """
        written = {n for step in self.steps for n in step.images[len(step.stage.reads) :]}
        return self._names.get(name, name) in written | set(self.pipeline.inputs)

    def array(self, name: str) -> Array:
        """This execution's own array of an image, whatever it is called here."""
        return self.images[self._names.get(name, name)]

    def upload(self, **inputs: NDArray[Any]) -> None:
        """Copy the input images in: (H, W) arrays of the declared dtype, by name.

        Raises:
            ValueError: an array has another shape or dtype than this execution was prepared for.
        """
        for name, host in inputs.items():
            expected = (self.height, self.width)
            if host.shape != expected or host.dtype != self.dtype(name):
                raise ValueError(
                    f"{name} must be {expected} {self.dtype(name)} (got {host.shape} {host.dtype})"
                )
            self.device.upload(self.images[name], host)

    def run(
        self,
        out: Mapping[str, Array] | None = None,
        *,
        stages: bool = False,
        timed: bool = True,
        after: Callable[[int], None] | None = None,
    ) -> None:
        """Compute one frame from the inputs uploaded last.

        Args:
            out: arrays that take the place of this execution's own for this frame, by image name.
            stages: measure every stage, instead of the frame as a whole.
            timed: whether to measure the frame as a whole; if not, the last measurement stays.
            after: called after every step with how many of ``steps`` are done, or queued on a GPU;
                what it raises ends the frame, whose images then hold no result.
        """
        images = self.images
        if out:
            images = images | {self._names.get(name, name): array for name, array in out.items()}
        with self.device.active():
            if stages:
                self._run_stages(images, after)
            else:
                # A GPU that waits for a kernel to be compiled tells nothing of the frames to come.
                timed = timed and (self._compiled or self.device.on_host)
                frame = self._frame_calling(after, images, out or {})
                if timed:
                    self._whole.mark(0)
                frame()
                if timed:
                    self._whole.mark(1)

    def _run_stages(self, images: Mapping[str, Array], after: Callable[[int], None] | None) -> None:
        """Call the steps with a mark after each."""

        def done(index: int) -> None:
            self._stagewise.mark(index)
            if after:
                after(index)

        self._stagewise.mark(0)
        _call(self.steps, images, done)

    def _frame_calling(
        self,
        after: Callable[[int], None] | None,
        images: Mapping[str, Array],
        out: Mapping[str, Array],
    ) -> Callable[[], None]:
        """All steps as one call; recorded only if nothing is to be called between them."""
        if after:
            return partial(_call, self.steps, images, after)
        return self._frame(images, tuple(map(self.device.address, out.values())))

    def _frame(self, images: Mapping[str, Array], key: tuple[int, ...]) -> Callable[[], None]:
        """All steps as one call: recorded once for every set of arrays given, then replayed.

        Args:
            key: addresses of the arrays given.
        """
        work = partial(_call, self.steps, dict(images), lambda index: None)
        if not self._compiled or not self.variant.recorded:  # compiling cannot be recorded
            self._compiled = True
            return work
        if key not in self._frames:
            if len(self._frames) == RECORDED_FRAMES:
                self._frames.clear()
            self._frames[key] = self.device.record(work)
        return self._frames[key]

    def download(self, name: str) -> NDArray[Any]:
        """A host copy of an image, in its declared dtype.

        Raises:
            ValueError: this variant does not keep the image.
        """
        if not self.keeps(name):
            raise ValueError(f"{self.pipeline.name}/{self.variant.name} does not keep {name!r}")
        stored = self.device.download(self.array(name))
        dtype = self.pipeline.image(self._names.get(name, name)).dtype
        return stored.astype(dtype, copy=False)

    def milliseconds(self, *, wait: bool = False) -> float | None:
        """Compute time of the newest finished frame measured as a whole; None before there is one.

        One measured stage by stage is disturbed by that, and leaves this time as it is.
        """
        times = self._whole.milliseconds(wait=wait)
        return sum(times) if times else None

    def stage_milliseconds(self, *, wait: bool = True) -> dict[str, float]:
        """Compute time of every stage in the newest frame run with ``stages=True``, in order.

        Empty before there is such a frame.

        Args:
            wait: for the newest; if not, it may be the last one finished.
        """
        totals: dict[str, float] = {}
        times = self._stagewise.milliseconds(wait=wait)
        for step, took in zip(self.steps, times, strict=False):  # no times before the first frame
            totals[step.stage.name] = totals.get(step.stage.name, 0.0) + took
        return totals


def _call(steps: Sequence[Step], images: Mapping[str, Array], done: Callable[[int], None]) -> None:
    """Call steps, each followed by ``done`` with how many are.

    What an execution keeps of this must not hold the execution: its arrays would outlive it.
    """
    for index, step in enumerate(steps, 1):
        step.function(*(images[name] for name in step.images), *step.arguments)
        done(index)


def check_fit(pipeline: Pipeline, variant: str, params: Params, height: int, width: int) -> None:
    """Raise ``ValueError`` if the parameters do not fit the images or the variant refuses them."""
    for complain in (pipeline.fits, pipeline.variant(variant).refuses):
        if complaint := complain(params, height, width):
            raise ValueError(f"{pipeline.name}/{variant}: {complaint}")


def prepare(
    pipeline: Pipeline,
    variant: str,
    params: Params,
    height: int,
    width: int,
    wanted: Iterable[str] = (),
) -> Execution:
    """Make a variant ready for images of one size.

    Args:
        height, width: size of the inputs in pixels, at least 1.
        wanted: images needed besides the output; those computed on demand are left out otherwise.

    Raises:
        ValueError: no such variant, or the variant refuses the parameters.
        Unavailable: the variant's device is absent or has too little memory.
    """
    check_fit(pipeline, variant, params, height, width)
    declaration = pipeline.variant(variant)
    device = open_device(declaration.device)
    return Execution(pipeline, declaration, params, height, width, device, wanted)


def compute(
    pipeline: Pipeline, variant: str, params: Params, **inputs: NDArray[np.uint8]
) -> NDArray[Any]:
    """The output of one frame, for callers without a screen.

    Args:
        inputs: (H, W) uint8 arrays by name, as the pipeline declares them.

    Returns:
        (H, W) array of the output's declared dtype.
    """
    height, width = inputs[pipeline.inputs[0]].shape
    execution = prepare(pipeline, variant, params, height, width)
    execution.upload(**inputs)
    execution.run()
    return execution.download(pipeline.output)


def device_milliseconds(device: Device, work: Callable[[], object]) -> float:
    """How long the device is busy with what a call queues on it."""
    clock = device.clock(2)
    with device.active():
        clock.mark(0)
        work()
        clock.mark(1)
    return sum(clock.milliseconds(wait=True))


def wall_milliseconds(work: Callable[[], object]) -> float:
    """How long a call takes; one that queues work and shall count it waits for it."""
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1e3
