"""Engines: the only code that prepares runs for an image size and computes frames."""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.bands import prepare_in_bands
from wheatstone.gpu.compilations import loadings
from wheatstone.gpu.device import Device, open_device
from wheatstone.gpu.exchange import Exchange, on_gpu
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.pipelines.ahead import with_conversion
from wheatstone.gpu.pipelines.inputs import COLOURS, with_presence
from wheatstone.gpu.recording import Moment
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.arrays import ArrayConverter
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.run.inputs import host_inputs, upload_planes, upload_views
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run

AHEAD = 2  # frames that are read while one is computed


def prepare_run(run: Run, height: int, width: int, device: Device | None = None) -> Execution:
    """Prepare a run (variant and parameters) for images of one size; return the prepared run.

    Args:
        device: of the variant's kind; that of this process by default.

    Raises:
        ValueError: the parameters do not fit the size, or the variant refuses them.
        Unavailable: the variant's device is absent or has too little memory.
    """
    size = height, width
    return prepare_in_bands(
        run.pipeline, run.variant, run.params, *size, run.images, device, run.bands
    )


def converting(run: Run) -> Run:
    """Return a copy of a run that converts planes of decoded video instead of reading views."""
    pipeline = with_conversion(run.pipeline)
    return Run(pipeline, run.variant, run.params, keep=run.keep, bands=run.bands)


def first_frame(
    run: Run,
    views: Mapping[str, NDArray[np.uint8]],
    tell: Callable[[str, float], None] | None = None,
) -> Execution:
    """Prepare a run for the size of some views, and compute one frame with it.

    Args:
        views: (H, W) grey levels by name: ``left``, and ``right`` if the pipeline reads it.
        tell: called before every step with the name of its stage and the share that is done.

    Raises:
        ValueError, Unavailable: as ``prepare_run``, or a view that is read is missing.
    """
    execution = prepare_run(run, *views["left"].shape)
    upload_views(execution, views)
    if tell is None:
        execution.run()
        return execution
    stages = [step.stage.name for step in execution.steps]

    def begin(number: int) -> None:
        if number < len(stages):
            tell(stages[number], number / len(stages))

    begin(0)
    execution.run(after=begin)
    return execution


class Engine:
    """An engine that computes runs on frames, and caches runs that are prepared for an image size.

    Several threads may call it. They take turns, because a device computes one frame at a time.

    Args:
        kept: how many prepared executions are kept for further frames.
        device: the device that computes; that of the process by default.

    Attributes:
        tell: called with words and the share done while an image is computed in bands; or None.
        stopped: whether images that are computed in bands are given up after the current step.
    """

    def __init__(self, kept: int = 2, device: Device | None = None) -> None:
        self._kept, self._device = kept, device
        self.tell: Callable[[str, float], None] | None = None
        self.stopped = False
        self._turn = threading.RLock()
        self._executions: OrderedDict[tuple[Run, int, int], Execution] = OrderedDict()

    def compute(self, run: Run, frame: Frame, moment: Moment | None = None) -> Result:
        """Compute a run on a frame, after preparing the run for the frame's size if necessary.

        The result has the images of ``run.images``, in new arrays as the pipeline stores them; the
        frame; the time of the steps in milliseconds, without preparing, compiling and copying; and
        the division into bands, if the memory does not suffice for the whole image.

        Args:
            moment: the sequence to which the frame belongs, and its number there, for a run that
                remembers earlier frames; None: the frame is alone.

        Raises:
            ValueError: the frame lacks a view, the parameters do not fit the image size, or the
                variant does not keep an image of ``run.keep``.
            Unavailable: the variant's device is absent or has too little memory.
        """
        inputs = host_inputs(run.inputs, frame)
        declared = ((name, run.pipeline.image(name)) for name in run.images)
        images = {
            n: np.empty(image.shape(*frame.shape, run.params), image.dtype) for n, image in declared
        }
        with self._turn:
            milliseconds = self.compute_into(run, frame.shape, inputs, images, moment)
            division = self.prepared(run, *frame.shape).division
        return finished(run, frame, images, milliseconds, division)

    def compute_into(
        self,
        run: Run,
        shape: tuple[int, int],
        inputs: Mapping[str, NDArray[Any]],
        images: Mapping[str, NDArray[Any]],
        moment: Moment | None = None,
    ) -> float:
        """Compute a run on pipeline inputs, store its images in given arrays, and return the time.

        A first frame, for which kernels are compiled or loaded, is computed twice: the time is that
        of the second.

        Args:
            shape: (H, W) of the views.
            inputs: of the pipeline, by name.
            images: arrays by the names of ``run.images``, written.
            moment: as for ``compute``.

        Raises:
            ValueError, Unavailable: as ``compute``.
        """
        with self._turn:
            execution, loaded = self._loaded(run, shape, inputs), loadings()
            execution.follow(moment)
            return self._finish(execution, loaded, images)

    def compute_planes(
        self, run: Run, frame: Frame, images: Mapping[str, NDArray[Any]]
    ) -> tuple[Execution, float]:
        """Compute a run made by ``converting`` on the planes of decoded video; store its images.

        Returns:
            The execution, and the time in milliseconds.
        """
        with self._turn:
            execution, loaded = self.prepared(run, *frame.shape), loadings()
            upload_planes(execution, frame, {})
            return execution, self._finish(execution, loaded, images)

    def _finish(
        self, execution: Execution, loaded: int, images: Mapping[str, NDArray[Any]]
    ) -> float:
        """Compute the frame already uploaded, and download its images; return the time in ms.

        Args:
            loaded: the number of ``loadings`` before.
        """
        execution.run(after=self._after_steps(execution))
        untimed = execution.milliseconds(wait=True) is None  # the first frame on a GPU
        if (untimed or loadings() > loaded) and execution.bands == 1:
            execution.run()
        milliseconds = execution.milliseconds(wait=True) or 0.0
        for name, array in images.items():
            execution.download(name, array)
        return milliseconds

    def _after_steps(self, execution: Execution) -> Callable[[int], None] | None:
        """Return the progress callback for images computed in several bands; None for one band."""
        count, steps = execution.bands, len(execution.steps)

        def after(done: int) -> None:
            if self.stopped:
                raise CancelledError
            if self.tell:
                band = min(done * count // steps + 1, count)
                self.tell(f"computing band {band} of {count}", done / steps)

        return after if count > 1 else None

    def keeps(self, execution: Execution) -> bool:
        """Return whether a prepared run is still cached for further frames."""
        return any(each is execution for each in self._executions.values())

    def device_name(self, run: Run) -> str:
        """Return the name of the device that computes a run."""
        return (self._device or open_device(run.declaration.device)).name

    def compute_in_order(
        self, run: Run, frame: Frame, moment: Moment, read: Callable[[int], Frame]
    ) -> Result:
        """Compute a frame of a sequence with a run that remembers earlier frames.

        Earlier frames are computed before it unless the run computed them last; frames that cannot
        be read are omitted.

        Args:
            read: reads the frame of a number, from 0.

        Raises:
            OSError, ValueError, Unavailable: as ``compute``.
        """
        sequence, number = moment
        with self._turn:
            done = self.prepared(run, *frame.shape).memory.done
            goes_on = done is not None and done[0] == sequence and done[1] <= number
            for earlier in range(done[1] + 1 if done and goes_on else 0, number):
                with suppress(OSError, ValueError):
                    self.compute(run, read(earlier), (sequence, earlier))
            return self.compute(run, frame, moment)

    def compute_all(self, run: Run, source: Source) -> Iterator[Result]:
        """Compute a run on every frame of a source, in order; frames are read in the background.

        A run that remembers earlier frames needs an engine of its own.

        Raises:
            OSError, ValueError, Unavailable: as ``compute``, or a frame cannot be read.
        """
        sequence = object()
        with ThreadPoolExecutor(1, "wheatstone-read") as reader:
            numbers = iter(range(source.length))
            reading = deque(reader.submit(source.frame, n) for n in islice(numbers, AHEAD))
            while reading:
                frame = reading.popleft().result()
                reading.extend(reader.submit(source.frame, n) for n in islice(numbers, 1))
                yield self.compute(run, frame, (sequence, frame.index))

    def loaded(self, run: Run, frame: Frame) -> Execution:
        """Return a prepared run after uploading a frame's views to its input arrays."""
        return self._loaded(run, frame.shape, host_inputs(run.inputs, frame))

    def _loaded(
        self, run: Run, shape: tuple[int, int], inputs: Mapping[str, NDArray[Any]]
    ) -> Execution:
        execution = self.prepared(run, *shape)
        if missing := sorted(execution.inputs_read - inputs.keys()):
            remedy = "name it with --right, or give --layout if one image holds both views"
            name = run.pipeline.name
            raise ValueError(f"{name} needs a {missing[0]} view, and there is none: {remedy}")
        execution.upload(**inputs)
        return execution

    def prepared(self, run: Run, height: int, width: int) -> Execution:
        """Return a run prepared for an image size in pixels; prepare it if necessary."""
        key = run, height, width
        with self._turn:
            if key in self._executions:
                self._executions.move_to_end(key)
                return self._executions[key]
            while len(self._executions) >= self._kept:  # gives its memory back first
                self._executions.popitem(last=False)
            prepared = prepare_run(run, height, width, self._device)
            if prepared.bands > 1 and run.bands is None and self._executions:
                del prepared  # fewer bands, or none, may fit without the other executions
                self._executions.clear()
                prepared = prepare_run(run, height, width, self._device)
            self._executions[key] = prepared
            return prepared


def finished(
    run: Run,
    frame: Frame,
    images: Mapping[str, NDArray[Any]],
    milliseconds: float,
    division: str = "",
) -> Result:
    """Build the result of a frame from its images; depths get the unit of its calibration."""
    scaled = _scaled(run, frame.calibration_or_assumed.scale)
    return Result(scaled, frame, images, milliseconds, division)


@lru_cache(maxsize=16)
def _scaled(run: Run, scale: DepthScale) -> Run:
    return replace(run, scale=scale)


_shared: list[Engine] = []


def shared_engine() -> Engine:
    """Return the engine that all runs in this process share."""
    if not _shared:
        _shared.append(Engine())
    return _shared[0]


@contextmanager
def telling_bands(tell: Callable[[str, float], None]) -> Iterator[None]:
    """Report to ``tell`` which band of rows the shared engine computes, in the ``with`` block.

    Args:
        tell: takes words and the share done.
    """
    engine = shared_engine()
    engine.tell = tell
    try:
        yield
    finally:
        engine.tell = None


def share_engine(engine: Engine) -> None:
    """Set the engine that all runs in this process share."""
    _shared[:] = [engine]


class PreparedRun:
    """A run that is prepared for views of one size.

    Each call is the next frame of one sequence, as the temporal filter of ``sgm`` sees it.

    Arrays that it returns are valid until the next call. Views on a GPU are taken by DLPack or
    ``__cuda_array_interface__`` and ordered on the caller's stream; results are CuPy arrays, which
    other libraries take the same way, for example by ``torch.from_dlpack``.

        >>> import numpy as np
        >>> prepared = Run("sgm", variant="cpu", disparities=32).prepared((48, 96))
        >>> view = np.random.default_rng(1).integers(0, 256, (48, 96), np.uint8)
        >>> prepared(view, np.roll(view, -5, 1)).dtype
        dtype('float32')

    Attributes:
        run: the computation.
        shape: (H, W) of the views.
    """

    def __init__(self, run: Run, shape: tuple[int, int], tone: str | None = None) -> None:
        if len(shape) != 2 or min(shape) < 1:
            raise ValueError(f"shape must be (height, width) of at least 1 pixel (got {shape})")
        self.run, self.shape = run, shape
        self._converter = ArrayConverter(tone)
        self._execution = prepare_run(run, *shape)
        self._exchange: Exchange | None = None
        self._last: Exchange | None = None
        self._calls = 0

    def __call__(self, left: Any, right: Any = None, *, stream: int | None = None) -> Any:
        """Compute one frame of the sequence from its views.

        Args:
            left: (H, W) grey levels or (H, W, 3) RGB, uint8, on the host or on the GPU; on the
                host also uint16 or float, converted as ``wheatstone.open`` does.
            right: like ``left``, in the same memory; None for pipelines of one view.
            stream: address of the caller's CUDA stream; PyTorch's or CuPy's current one by default.

        Returns:
            The pipeline's output as ``Result.output`` returns it, in the memory of the views.

        Raises:
            TypeError, ValueError: a view has another shape or type, or is in other memory.
        """
        views = {"left": left} if right is None else {"left": left, "right": right}
        known = {name: view for name, view in views.items() if name in self.run.pipeline.inputs}
        read = {COLOURS.get(name, name) for name in self._execution.inputs_read}
        if missing := sorted(read - known.keys()):
            raise ValueError(f"{self.run.pipeline.name} needs a {missing[0]} view")
        gpu = {name: on_gpu(view) for name, view in known.items()}
        if len(set(gpu.values())) > 1:
            raise ValueError("both views must be in the same memory: host or GPU")
        self._calls += 1
        self._execution.follow((self, self._calls))
        if all(gpu.values()):
            self._last = self._exchange = self._exchange or Exchange(self._execution)
            self._exchange.run(known, stream)
        else:
            self._last = None
            pixels, _ = self._converter.converted(known)
            more = self.run.declaration.inputs
            colours = {n: with_presence(pixels[COLOURS[n]]) for n in more if COLOURS[n] in pixels}
            grey = {name: grey_levels(view) for name, view in pixels.items()}
            self._execution.upload(**grey, **colours)
            self._execution.run(timed=False)
        return self[self.run.pipeline.output]

    def __getitem__(self, name: str) -> Any:
        """Return an image of the last frame in its unit, in the same memory as the views.

        Raises:
            ValueError: the variant does not keep the image.
        """
        image = self.run.pipeline.image(name)
        invalid = image.invalid(self.run.params) if image.invalid else None
        measured = (invalid is not None and not np.isnan(invalid)) or image.scale != 1
        if self._last and not measured:
            return self._last.output(name)
        if self._last:
            return self._last.in_units(name, image.scale, None if invalid is None else int(invalid))
        stored: NDArray[Any] = self._execution.download(name)
        return in_units(stored, image, self.run.params) if measured else stored
