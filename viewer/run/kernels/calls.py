"""Calls of the user's kernels with the same images as the reference's functions."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.comparison import differing
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.own_kernels.arena import PATTERN
from wheatstone.gpu.own_kernels.calls import UNCHECKED, CallReport, Checking, StageCall
from wheatstone.gpu.own_kernels.contract import longest
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Stage
from wheatstone.gpu.steps import Step, passed_on
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.kernels.verdict import WrongPixel
from wheatstone.viewer.run.parity.cases import Case
from wheatstone.viewer.run.parity.checking import REFERENCE
from wheatstone.viewer.run.run import Run

KEPT = 128  # cases whose images are kept, each of a few megabytes at most


@dataclass(frozen=True)
class ReferenceCall:
    """One recorded call of a stage's function in the reference.

    Attributes:
        number: of the call in the frame, from 0.
        names: the images that the stage is called with; one may stand for another.
        images: by the names that the stage declares: inputs, and outputs as they were before.
        values: parameters and the values of the stage's item.
        expected: what the reference wrote, by the names that the stage declares.
    """

    number: int
    names: Mapping[str, str]
    images: Mapping[str, NDArray[Any]]
    values: Mapping[str, Any]
    expected: Mapping[str, NDArray[Any]]


class _Complete(Exception):
    """The exception that ends a frame's computation once all wanted calls are recorded."""


@lru_cache(maxsize=KEPT)
def reference_calls(case: Case, stages: tuple[str, ...]) -> Mapping[str, list[ReferenceCall]]:
    """Compute a test case with the reference; return the recorded calls of some stages, by name.

    If a stage depends on what the frame before left, it is the second frame. The newest cases are
    kept, for a kernel that is judged again after a change.
    """
    pipeline = case.pipeline
    wanted = [n for s in pipeline.stages if s.name in stages and s.on_demand for n in s.writes]
    run = Run(pipeline, REFERENCE, case.params, keep=wanted, bands=1)
    execution = prepare_run(run, case.height, case.width)
    frames = 2 if _depends_on_memory(execution, stages) else 1
    recorder = _Recorder(execution, stages)
    for frame in range(frames):
        execution.upload(**case.inputs(1 - frame))
        execution.follow(("judged", frame) if frames > 1 else None)
        recorder.begin(last=frame == frames - 1)
        with suppress(_Complete):
            execution.run(after=recorder.done)
    return recorder.calls


def _depends_on_memory(execution: Execution, stages: Sequence[str]) -> bool:
    """Return whether the results of the named stages depend on the previous frame."""
    changing = {image.name for image in execution.pipeline.images if image.remembers}
    for step in execution.steps:
        reads, writes = step.images[: len(step.stage.reads)], step.images[len(step.stage.reads) :]
        if changing.intersection(reads):
            if step.stage.name in stages:
                return True
            changing |= set(writes)
    return False


class _Recorder:
    """A recorder of stages' calls in the reference's computation of a frame, with image copies."""

    def __init__(self, execution: Execution, stages: Sequence[str]) -> None:
        self._execution, self._stages = execution, stages
        self.calls: dict[str, list[ReferenceCall]] = {}
        self._before: dict[str, NDArray[Any]] = {}
        self._last = False

    def begin(self, *, last: bool) -> None:
        """Begin to record a frame's calls; in the last frame, unneeded steps are skipped."""
        self.calls = {name: [] for name in self._stages}
        self._last = last
        self._remember(0)

    def done(self, index: int) -> None:
        """Record the call of the step that has just run, if its stage is wanted.

        Raises ``_Complete`` after the last wanted step of the last frame.
        """
        step = self._execution.steps[index - 1]
        if step.stage.name in self.calls:
            self._record(step)
        further = [each.stage.name for each in self._execution.steps[index:]]
        if self._last and not self.calls.keys() & set(further):
            raise _Complete
        self._remember(index)

    def _remember(self, index: int) -> None:
        """Copy the images of the next step before it runs, if its stage is wanted."""
        steps = self._execution.steps
        if index < len(steps) and steps[index].stage.name in self._stages:
            images = self._execution.images
            self._before = {name: images[name].copy() for name in steps[index].images}

    def _record(self, step: Step) -> None:
        stage, images = step.stage, self._execution.images
        calls = self.calls[stage.name]
        names = dict(zip(stage.reads + stage.writes, step.images, strict=True))
        values = {**self._execution.params.values()}
        values |= dict(zip(stage.params, step.arguments, strict=True))
        written = {name: images[names[name]].copy() for name in stage.writes}
        before = {name: self._before[actual] for name, actual in names.items()}
        calls.append(ReferenceCall(len(calls), names, before, values, written))


def called(
    function: OwnFunction, call: ReferenceCall, checking: Checking = UNCHECKED
) -> tuple[dict[str, NDArray[Any]], CallReport]:
    """Call a user's kernel with the images and values of a recorded call of the reference.

    Returns:
        What it wrote, by the names that the stage declares.

    Raises:
        KernelFault: the kernel has a fault.
    """
    step: Stage = function.contract.step
    device = open_device("cpu" if emulated() else "cuda")
    names = (*step.reads, *step.writes)
    actual = tuple(call.names.get(name, name) for name in names)
    with device.active():
        images = [_placed(function, device, call, name) for name in names]
        arguments = tuple(call.values[name] for name in step.params)
        report = function.call(actual, images, arguments, checking, first=call.number == 0)
        by_name = dict(zip(names, images, strict=True))
        written = {name: device.download(by_name[name]) for name in call.expected}
    return {n: a.astype(call.expected[n].dtype, copy=False) for n, a in written.items()}, report


def stage_call(function: OwnFunction, call: ReferenceCall) -> tuple[StageCall, list[NDArray[Any]]]:
    """Build the call of a user's kernel that corresponds to a recorded call of the reference.

    Returns:
        The call, and its images in the types in which the base variant stores them.

    Raises:
        KernelFault: the kernel cannot be launched.
    """
    images, prepared = _prepared(function, call)
    pairs = zip(images, prepared.forms, strict=True)
    return prepared, [image.astype(form.dtype, copy=False) for image, form in pairs]


def launches_of(function: OwnFunction, call: ReferenceCall) -> Sequence[Launch]:
    """List the launches of a user's kernel for a recorded call of the reference."""
    return _prepared(function, call)[1].launches


def _prepared(function: OwnFunction, call: ReferenceCall) -> tuple[list[NDArray[Any]], StageCall]:
    step = function.contract.step
    names = (*step.reads, *step.writes)
    images = [_host(function, call, name) for name in names]
    actual = [call.names.get(name, name) for name in names]
    arguments = tuple(call.values[name] for name in step.params)
    return images, function.prepared(actual, images, arguments, first=call.number == 0)


def _placed(function: OwnFunction, device: Any, call: ReferenceCall, name: str) -> Any:
    """Copy an image of a recorded call to the device, in the base variant's data type."""
    host = _host(function, call, name)
    form = function.form(call.names.get(name, name), name, host)
    array = device.zeros(host.shape, form.dtype)
    device.upload(array, host.astype(form.dtype))
    return array


def _host(function: OwnFunction, call: ReferenceCall, name: str) -> NDArray[Any]:
    """Return an image of a recorded call; zeros if the reference's function has no such image."""
    contract = function.contract
    if (host := call.images.get(name)) is not None:
        return host
    declared = controls(contract.pipeline.params)
    params = contract.pipeline.params(**{name: call.values[name] for name in declared})
    height, width = longest(image.shape for image in call.images.values())[:2]
    image = contract.pipeline.image(name)
    return np.zeros(image.shape(height, width, params), image.dtype)


def first_wrong(image: str, actual: NDArray[Any], expected: NDArray[Any]) -> WrongPixel | None:
    """Return the first element, row by row, that differs from the expected one, or None."""
    differs = differing(actual, expected)
    wrong = int(np.count_nonzero(differs))
    if not wrong:
        return None
    index = tuple(int(axis) for axis in np.unravel_index(int(differs.argmax()), differs.shape))
    values = actual[index].item(), expected[index].item()
    poison = np.frombuffer(bytes([PATTERN]) * actual.itemsize, actual.dtype)[0]
    unwritten = bool((actual[differs] == poison).all())
    return WrongPixel(image, index, *values, wrong, differs.size, unwritten)


def default_launches(function: OwnFunction, size: tuple[int, int] = (48, 64)) -> list[Launch]:
    """List the launches of a user's kernel with the default parameters and an image size."""
    contract = function.contract
    params, arguments = contract.example()
    meant = passed_on(contract.pipeline, contract.base, params)
    names = [meant.get(n, n) for n in (*contract.step.reads, *contract.step.writes)]
    shapes = [contract.pipeline.image(name).shape(*size, params) for name in names]
    forms = function.forms(names, [np.broadcast_to(np.uint8(0), shape) for shape in shapes])
    return function.launches(forms, arguments)
