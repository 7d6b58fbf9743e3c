"""Prepare a variant for one image size and set of parameters, then run it frame by frame.

Everything a frame needs is allocated by ``prepare``; ``Execution.run`` allocates nothing.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import Device, needs, open_device
from wheatstone.gpu.kernels.kernel import noted_launches
from wheatstone.gpu.kernels.programs import Program, load, target_of_gpu, uncompiled
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Array, Pipeline, Variant
from wheatstone.gpu.recording import Memory, Moment, StepRecorder, call_steps
from wheatstone.gpu.steps import Setup, passed_on, without_meaning


class Execution:
    """A variant prepared for one image size and set of parameters, which computes frames.

    Attributes:
        images: the arrays by name; an image that the variant does not keep is absent.
        nbytes: memory that the arrays take.
        memory: what stages remember of earlier frames; another execution with the same parameters
            and image size can go on with it.
    """

    def __init__(self, setup: Setup, device: Device, wanted: Iterable[str] = ()) -> None:
        self._describe(setup, device)
        self.steps = setup.plan(wanted)
        written = {n for step in self.steps for n in step.images[len(step.stage.reads) :]}
        self._held = written | set(self.inputs)
        used = sorted(setup.used(self.steps))
        self.nbytes = setup.nbytes(used)
        self._check_memory()
        with device.active():
            self.images = {name: self._allocate(name) for name in used}
        self._whole = device.clock(2)
        self._stagewise = device.clock(len(self.steps) + 1)
        self._recorder = StepRecorder(self.steps, device, self.variant.recorded)
        self._loaded = device.on_host
        declared = ((name, self.pipeline.image(name).remembers) for name in used)
        self.memory = Memory([pair for pair in declared if pair[1]], self.images)
        self._exchanges: WeakKeyDictionary[Any, Callable[[], None]] = WeakKeyDictionary()

    def _describe(self, setup: Setup, device: Device) -> None:
        self.setup, self.device = setup, device
        self.pipeline, self.variant, self.params, self.height, self.width = setup
        self._names = passed_on(*setup[:3])
        self._without_meaning = without_meaning(self.pipeline, self.params)
        self._moment: Moment | None = None  # of the frame uploaded last

    def dtype(self, name: str) -> str:
        """Return the name of the dtype in which this variant stores an image."""
        return self.setup.dtype(name)

    def _allocate(self, name: str) -> Array:
        shape, dtype = self.setup.shape(name), self.dtype(name)
        if name in self.variant.textures:
            return self.device.texture(shape, dtype, written=name not in self.pipeline.inputs)
        return self.device.zeros(shape, dtype)

    def _check_memory(self) -> None:
        name = f"{self.pipeline.name}/{self.variant.name} at {self.width}x{self.height}"
        check_memory(name, self.nbytes, self.device)

    @property
    def bands(self) -> int:
        """The number of bands of rows in which the image is computed; 1 if it is not divided."""
        return 1

    @property
    def separate_bands(self) -> int:
        """The number of bands whose results may differ from the whole image's; 1 if none may."""
        return self.bands

    @property
    def division(self) -> str:
        """Describe the bands and their memory as text; empty if the image is not divided."""
        if self.bands == 1:
            return ""
        unit, of_unit = ("GB", 1e9) if self.nbytes >= 1e9 else ("MB", 1e6)
        size = f"{self.nbytes / of_unit:.1f} {unit}"
        return f"in {self.bands} bands of {self.computed_rows} rows, {size}"

    @property
    def computed_rows(self) -> int:
        """The number of image rows that a step computes at a time: all, or those of a band."""
        return self.height

    @property
    def textures(self) -> tuple[str, ...]:
        """The names of the images that are stored as textures instead of arrays."""
        return self.variant.textures

    def go_on_with(self, memory: Memory) -> None:
        """Take over the states of temporal filters from another execution, if its images fit."""
        if memory.fits(self.memory):
            self.memory = memory

    def keeps(self, name: str) -> bool:
        """Return whether the values of an image are stored, and can be downloaded.

        A fused variant may never materialise it; it may not have been requested; or it belongs to a
        stage that is off and exists only as the argument of another stage.
        """
        if name in self._without_meaning:
            return False
        return self._names.get(name, name) in self._held

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the pipeline's inputs, then of the variant's own inputs."""
        return self.pipeline.inputs + self.variant.inputs

    @property
    def inputs_read(self) -> set[str]:
        """The names of the inputs to upload: those that steps read with these parameters."""
        read = {n for step in self.steps for n in step.images[: len(step.stage.reads)]}
        return read & set(self.inputs)

    def array(self, name: str) -> Array:
        """Return the array that stores an image, or the one that replaces it if a stage is off."""
        return self.images[self._names.get(name, name)]

    def upload(self, **inputs: NDArray[Any]) -> None:
        """Copy input images to the device: arrays of the declared shape and dtype, by name.

        Raises:
            ValueError: an array has another shape or dtype than this execution was prepared for.
        """
        for name, host in inputs.items():
            expected = self.setup.shape(name)
            if host.shape != expected or host.dtype != self.dtype(name):
                raise ValueError(
                    f"{name} must be {expected} {self.dtype(name)} (got {host.shape} {host.dtype})"
                )
            self.device.upload(self.images[name], host)

    def follow(self, moment: Moment | None) -> None:
        """Record where in a sequence of frames the uploaded inputs are; None without a sequence.

        Stages that remember earlier frames need it; see ``Memory.begin``.
        """
        self._moment = moment

    @property
    def uncompiled(self) -> list[Program]:
        """The CUDA programs that must be compiled before the first frame; empty afterwards."""
        return [] if self._loaded else uncompiled(self._programs(), target_of_gpu())

    def _programs(self) -> list[Program]:
        """List the CUDA programs of built-in kernels, by recording launches, not executing them."""
        with noted_launches() as launches:
            call_steps(self.steps, self.images, lambda index: None)
        return [each.kernel.program for each in launches if not each.kernel.text]

    def _load(self) -> None:
        """Load the kernels before the first frame, and compile missing ones on all cores."""
        if not self._loaded:
            load(self._programs())
            self._loaded = True

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
            out: arrays that replace this execution's own for this frame, by image name.
            stages: measure every stage, instead of the frame as a whole.
            timed: whether to measure the frame as a whole; if not, the last measurement stays.
            after: called after every step with the number of ``steps`` done, or queued on a GPU; an
                exception that it raises ends the frame, whose images then hold no result.
        """
        given = {self._names.get(name, name): array for name, array in (out or {}).items()}
        with self.device.active():
            self._load()
            self.memory.begin(self._moment)
            self.images |= self.memory.arrays
            given |= self.memory.arrays
            if stages:
                self._run_stages(self.images | given, after)
            else:
                # A GPU that waits for a kernel to be compiled tells nothing of the frames to come.
                timed = timed and (self._recorder.compiled or self.device.on_host)
                clock = self._whole if timed else None
                self._recorder.frame(self.images, given, after, clock)()
        self.memory.done = self._moment

    def _run_stages(self, images: Mapping[str, Array], after: Callable[[int], None] | None) -> None:
        """Call all steps of the frame, and record the time after each."""

        def done(index: int) -> None:
            self._stagewise.mark(index)
            if after:
                after(index)

        self._stagewise.mark(0)
        try:
            call_steps(self.steps, images, done)
        except ValueError:  # of a user's kernel; the marks are of two frames now
            self._stagewise = self.device.clock(len(self.steps) + 1)
            raise

    def download(self, name: str, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Copy an image to the host, in its declared dtype; into ``out`` if it is given.

        Raises:
            ValueError: this variant does not keep the image.
        """
        if not self.keeps(name):
            raise ValueError(f"{self.pipeline.name}/{self.variant.name} does not keep {name!r}")
        array = self.array(name)
        dtype = self.pipeline.image(self._names.get(name, name)).dtype
        if out is not None and array.dtype == out.dtype == dtype:
            return self.device.download(array, out)
        stored = self.device.download(array).astype(dtype, copy=False)
        if out is None:
            return stored
        np.copyto(out, stored, casting="no")
        return out

    def exchange(
        self,
        inputs: Mapping[str, NDArray[Any]],
        images: Mapping[str, NDArray[Any]],
        place: Hashable = None,
    ) -> float:
        """Upload inputs, compute a frame and download images in one go; return the frame's time.

        Args:
            inputs: as for ``upload``, which has accepted their like before.
            images: (H, W) arrays by name, written; ``download`` has accepted their like before.
            place: an object that exists as long as these very arrays, in memory that the device
                has locked: then all of it is recorded once, and takes a single launch. None: the
                arrays may be others each time.

        Returns:
            The time of the frame in milliseconds.
        """
        self.start_exchange(inputs, images, place)
        self.device.wait()
        return self.milliseconds(wait=True) or 0.0

    def start_exchange(
        self,
        inputs: Mapping[str, NDArray[Any]],
        images: Mapping[str, NDArray[Any]],
        place: Hashable = None,
    ) -> None:
        """Queue upload, frame and download; the images are written once the device is ``idle``."""
        if place is None or not (launch := self._exchange_at(place, inputs, images)):
            self._send(inputs)
            self.run()
            self._receive(images)
        else:
            with self.device.active():
                launch()

    def _exchange_at(
        self,
        place: Hashable,
        inputs: Mapping[str, NDArray[Any]],
        images: Mapping[str, NDArray[Any]],
    ) -> Callable[[], None] | None:
        """Return a recorded upload, frame and download of given host arrays; None if impossible."""
        if self.bands > 1 or self.memory.arrays:
            return None
        if any(self.array(name).dtype != image.dtype for name, image in images.items()):
            return None
        if place not in self._exchanges:
            send, receive = partial(self._send, inputs), partial(self._receive, images)
            with self.device.active():
                recorded = self._recorder.exchange(self.images, self._whole, send, receive)
            if not recorded:
                return None
            self._exchanges[place] = recorded
        return self._exchanges[place]

    def _send(self, inputs: Mapping[str, NDArray[Any]]) -> None:
        for name, host in inputs.items():
            self.device.send(self.images[name], host)

    def _receive(self, images: Mapping[str, NDArray[Any]]) -> None:
        for name, out in images.items():
            if (array := self.array(name)).dtype == out.dtype:
                self.device.receive(array, out)
            else:
                self.download(name, out)

    def milliseconds(self, *, wait: bool = False) -> float | None:
        """Return the time of the newest finished frame measured as a whole; None before the first.

        Measuring stage by stage disturbs a frame; such a frame does not change this time.
        """
        times = self._whole.milliseconds(wait=wait)
        return sum(times) if times else None

    def stage_milliseconds(self, *, wait: bool = True) -> dict[str, float]:
        """Return the time of every stage in the newest frame run with ``stages=True``, in order.

        Empty before there is such a frame.

        Args:
            wait: whether to wait for the newest; if not, it may be the last one finished.
        """
        totals: dict[str, float] = {}
        times = self._stagewise.milliseconds(wait=wait)
        for step, took in zip(self.steps, times, strict=False):  # no times before the first frame
            totals[step.stage.name] = totals.get(step.stage.name, 0.0) + took
        return totals


def check_memory(name: str, nbytes: int, device: Device, share: float = 1.0) -> None:
    """Raise ``Unavailable`` if a device has less free memory than needed.

    Args:
        share: of the free memory that may be taken.
    """
    free = device.free_bytes()
    if free is not None and nbytes > share * free:
        rest = f", of which {1 - share:.1%} must stay free" if share < 1 else ""
        raise Unavailable(
            f"{name} needs {nbytes / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free on "
            f"{device.name}{rest}; choose a smaller image or fewer disparities"
        )


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
    device: Device | None = None,
) -> Execution:
    """Prepare a variant for images of one size.

    Args:
        height, width: size of the inputs in pixels, at least 1.
        wanted: images needed besides the output; those computed on demand are skipped otherwise.
        device: of the variant's kind; that of this process by default.

    Raises:
        ValueError: no such variant, or the variant refuses the parameters.
        Unavailable: the variant's device is absent or has too little memory.
    """
    check_fit(pipeline, variant, params, height, width)
    declaration = pipeline.variant(variant)
    device = device or device_of(declaration)
    return Execution(Setup(pipeline, declaration, params, height, width), device, wanted)


def device_of(variant: Variant) -> Device:
    """Open the device that a variant needs.

    Raises:
        Unavailable: the device is absent; the message names the variant and the device.
    """
    try:
        return open_device(variant.device)
    except Unavailable as reason:
        raise Unavailable(needs(variant.name, variant.device, str(reason))) from reason


def compute(
    pipeline: Pipeline, variant: str, params: Params, **inputs: NDArray[Any]
) -> NDArray[Any]:
    """Compute the output of one frame, without a window.

    Args:
        inputs: arrays by name, of the shape and dtype that the pipeline declares; (H, W) uint8
            except those of rectification.

    Returns:
        (H, W) array of the output's declared dtype.
    """
    height, width = inputs[pipeline.inputs[0]].shape[:2]
    execution = prepare(pipeline, variant, params, height, width)
    execution.upload(**inputs)
    execution.run()
    return execution.download(pipeline.output)
