"""A runner, which computes one of the compared runs (A or B) into buffers that OpenGL reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.compilations import compilations, loadings, telling
from wheatstone.gpu.compile_ahead import compiling_ahead
from wheatstone.gpu.execution import Execution, check_fit
from wheatstone.gpu.kernels.programs import Program
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.recording import Memory, Moment
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.display.screen.pixels import PixelBuffer, display_mode, open_pixels
from wheatstone.viewer.io.cameras.calibration import Calibration, assumed
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.memo import Memo
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.inputs import SharedInputs
from wheatstone.viewer.run.run import Run

Key = tuple[Run, frozenset[str]]  # with the images wanted that are computed on demand only
BufferKey = tuple[str, str, str, tuple[int, ...]]  # image, device, dtype, shape

MOST_BUFFERS = 8  # kept by a side for images it showed before
QUICK = 500.0  # milliseconds of a frame that loaded code, and is computed again to be timed


class Modes:
    """The ways (display modes) in which results of each kind of device reach OpenGL."""

    def __init__(self, asked: str) -> None:
        self.asked = asked
        self._modes: dict[str, str] = {}

    def note(self, kind: str, mode: str) -> None:
        """Record the way (display mode) in which a device's buffer passes results to OpenGL."""
        self._modes[kind] = mode

    def of(self, kind: str) -> str:
        """Return the way (display mode) in which results of a kind of device reach OpenGL."""
        if kind not in self._modes:
            self._modes[kind], _ = display_mode(self.asked, kind)
        return self._modes[kind]


@dataclass(frozen=True)
class RunnerResult:
    """The result of ``Runner.compute``: the prepared run, and whether its compute time counts."""

    execution: Execution
    timed: bool


class Runner:
    """The computation of one of the compared runs (A or B), view after view, for display by OpenGL.

    The buffers are kept when another run is chosen. Everything runs on the display thread except
    ``make`` and ``compute``.

    Attributes:
        shown: the view computed last.
        frame: the source's frame of that view: asking the source again might read a file.
        time_counts: whether the newest time is pure compute time.
        outdated: whether the variant of the view changed since: it has to be computed again.
    """

    def __init__(self, source: Source, inputs: SharedInputs, modes: Modes) -> None:
        self._source, self.inputs, self._modes = source, inputs, modes
        self.shown: Shown | None = None
        self.frame: Frame | None = None
        self._execution: Execution | None = None
        self._prepared: Key | None = None
        self._memory: tuple[Run, Memory] | None = None  # that other views of a run go on with
        self.time_counts = True
        self._whole = self.outdated = False
        self._buffers: dict[BufferKey, PixelBuffer] = {}
        self._in_use: dict[str, PixelBuffer] = {}  # by image, of the execution
        self._fits = Memo[None]()

    @property
    def execution(self) -> Execution | None:
        """The prepared run whose arrays hold the frame shown; None unless they hold it whole."""
        return self._execution if self._whole else None

    @property
    def calibration(self) -> Calibration | None:
        """The calibration of the frame shown, or the assumed one; None before the first frame."""
        if not self.frame:
            return None
        height, width = self.frame.shape
        return self.frame.calibration or assumed(width, height)

    def milliseconds(self, slot: Run) -> float | None:
        """Return the compute time of a run's newest frame; None before the first one."""
        known = self._prepared and self._prepared[0] == slot and self.time_counts
        return self._execution.milliseconds() if self._execution and known else None

    def prepared(self, shown: Shown) -> Execution | None:
        """Return the run prepared to compute a view; None if the view is not prepared.

        One that computes in bands holds only the images of the view it was prepared for.
        """
        known = self._execution if self._prepared == _key(shown) else None
        lacks = known and known.bands > 1 and not all(map(known.keeps, shown.computed))
        return None if lacks else known

    def holds(self, shown: Shown, frame: Frame) -> bool:
        """Return whether arrays still hold a view of the frame that would be slow to compute again.

        That is so if another view of the frame was shown before. A quick one is computed again, and
        so is one that depends on earlier frames.
        """
        there = self.prepared(shown) if self._whole and self.frame is frame else None
        if not there or self.outdated or not self.shown or self.shown.slot != shown.slot:
            return False
        keeps = all(map(there.keeps, shown.computed)) and not shown.slot.remembers
        return keeps and there.device.on_host and (there.milliseconds() or 0.0) > QUICK

    def done(self, shown: Shown) -> Moment | None:
        """Return the sequence position of the last frame that a view's run computed, or None."""
        return self._memory[1].done if self._memory and self._memory[0] == shown.slot else None

    def prepare(self, shown: Shown) -> Execution:
        """Prepare the run that computes a view, and return it.

        Raises:
            ValueError: the parameters do not fit the source, or the variant refuses them or does
                not keep an image.
            Unavailable: the device is absent or has too little memory.
        """
        if not self.prepared(shown):
            self.check_fit(shown.slot)
            # The arrays of the old execution are given back before the new ones are asked for.
            self.release()
            self.adopt(self.make(shown), shown)
        assert self._execution
        return self._execution

    def uncompiled(self, shown: Shown) -> list[Program]:
        """List the CUDA programs of a prepared view that are not compiled yet."""
        execution = self.prepared(shown)
        return execution.uncompiled if execution else []

    def check_fit(self, slot: Run) -> None:
        """Raise ``ValueError`` if a run's parameters do not fit the source."""
        size = self._source.height, self._source.width
        fits = partial(check_fit, slot.pipeline, slot.variant, slot.params, *size)
        self._fits.of((slot,), fits)

    def make(self, shown: Shown, more: Iterable[str] = ()) -> Execution:
        """Prepare a run that computes a view, on any thread, without replacing the current one.

        Args:
            more: images that it keeps besides those of the view.
        """
        run = shown.slot.replace(keep=(*sorted(shown.on_demand), *shown.computed, *more))
        execution = self._prepare(run)
        self.inputs.share(execution)
        if self._memory and self._memory[0] == shown.slot:
            execution.go_on_with(self._memory[1])
        return execution

    def _prepare(self, run: Run) -> Execution:
        """Prepare a run for the source's size; release cached inputs if memory is short."""
        size = self._source.height, self._source.width
        try:
            execution = prepare_run(run, *size)
            if execution.bands == 1 or run.bands or not self.inputs.forget():
                return execution
            del execution  # without the inputs fewer bands may do, or none
        except Unavailable:
            if not self.inputs.forget():
                raise
        return prepare_run(run, *size)

    def adopt(self, execution: Execution, shown: Shown) -> None:
        """Replace the current prepared run by one that was made for a view."""
        if execution is not self._execution:
            self._execution, self._whole, self.time_counts = execution, False, True
            self._in_use.clear()
            self._prepared = _key(shown)
            self._memory = shown.slot, execution.memory

    def release(self) -> bool:
        """Release the prepared run and its arrays; return whether there was one."""
        had = self._execution is not None
        self._execution = self._prepared = None
        self._whole = False
        self._in_use.clear()
        return had

    def renew(self) -> None:
        """Mark the view computed last as outdated, because its variant was declared again."""
        self._prepared = self._memory = None
        self.outdated = True

    def spoil(self) -> None:
        """Mark the arrays of the prepared run as no longer holding the frame shown."""
        self._whole = False

    def finish_frame(self, shown: Shown, frame: Frame) -> None:
        """Record that the arrays of the prepared run hold a frame.

        After ``renew`` it is a copy, so that no panel keeps results of the former variant for it.
        """
        if self.outdated:
            frame = copy(frame)
        self.shown, self.frame, self._whole, self.outdated = shown, frame, True, False

    def compute(
        self,
        shown: Shown,
        frame: Frame,
        moment: Moment,
        tell: Callable[[float, str], None],
        *,
        timed: bool = True,
        stages: bool = False,
    ) -> RunnerResult:
        """Compute a view on the CPU, on the calling thread.

        Args:
            moment: the frame's place in a sequence, for temporal filters.
            tell: called with the share done and with the next step.
            timed: whether the frame counts for the times shown.
            stages: measure it stage by stage.
        """
        variant = shown.slot.variant
        tell(0.0, f"{variant}: preparing")
        execution = self.prepared(shown) or self.make(shown)
        if not stages and self.holds(shown, frame):
            return RunnerResult(execution, timed=self.time_counts)
        if execution is not self._execution and self._execution and execution.bands > 1:
            raise Unavailable(f"{execution.division}; without the present view, fewer may suffice")
        check_kept(execution, shown)
        words, now = [f"{variant}: {step}" for step in step_words(execution)], 0

        def after(done: int) -> None:
            nonlocal now
            if words:  # a file of values has none
                now = min(done, len(words) - 1)
                tell(done / len(words), words[now])

        def compiling(function: str) -> None:
            place = f"stage {now + 1} of {len(words)}"
            tell(now / len(words), f"{variant}: compiling {function} for its first use, {place}")

        self.inputs.upload(execution, frame)
        execution.follow(moment)
        after(0)
        before, loaded = compilations(), loadings()
        with telling(compiling), compiling_ahead(execution):
            execution.run(timed=timed, stages=stages, after=after)
            quick = (execution.milliseconds() or 0.0) < QUICK
            if timed and not stages and loadings() > loaded and quick:
                before = compilations()
                execution.run(after=after)  # a still has no other frame whose time tells anything
        clean = compilations() == before and (quick or loadings() == loaded)
        return RunnerResult(execution, timed=timed and clean)

    @contextmanager
    def run(
        self,
        shown: Shown,
        frame: Frame,
        moment: Moment,
        *,
        timed: bool = True,
        stages: bool = False,
    ) -> Iterator[Mapping[str, Array]]:
        """Compute a view on its device into mapped pixel buffers; yield these as arrays by image.

        Arguments as for ``compute``.
        """
        execution = self.prepare(shown)
        self.inputs.upload(execution, frame)
        execution.follow(moment)
        with ExitStack() as mapped:
            buffers = {image: self.buffer(image) for image in shown.computed}
            arrays = {i: mapped.enter_context(b.map()) for i, b in buffers.items()}
            execution.run(arrays, timed=timed, stages=stages)
            yield arrays

    @contextmanager
    def computed(self, shown: Shown) -> Iterator[Mapping[str, Array]]:
        """Yield the arrays that ``compute`` filled, then copy them to the pixel buffers."""
        assert self._execution
        arrays = {image: self._execution.array(image) for image in shown.computed}
        yield arrays
        for image, array in arrays.items():
            with self.buffer(image).map() as mapped:
                np.copyto(mapped, array)

    def values(self, frame: Frame, shown: Shown, name: str) -> NDArray[Any]:
        """Copy an image of a frame to the host, in stored units; compute it, untimed, if needed."""
        there = self.execution if self.shown == shown else None
        if there and there.device.on_host and there.keeps(name):
            return there.download(name)
        execution = self.prepare(shown)
        if execution.bands > 1 and not execution.keeps(name):
            execution = self.make(shown, (name,))
        self._whole = there is execution
        self.inputs.upload(execution, frame)
        execution.follow(execution.memory.done if self.frame is frame else None)
        execution.run(timed=False)
        return execution.download(name)

    def buffer(self, name: str) -> PixelBuffer:
        """Return the pixel buffer of an image, opened once for each size, dtype and device."""
        if name not in self._in_use:
            self._in_use[name] = self._buffer(name)
        return self._in_use[name]

    def _buffer(self, name: str) -> PixelBuffer:
        assert self._execution
        execution, device = self._execution, self._execution.device
        dtype, image = execution.dtype(name), execution.pipeline.image(name)
        shape = image.shape(execution.height, execution.width, execution.params)
        key = (name, device.kind, dtype, shape)
        if key not in self._buffers:
            self._buffers[key] = open_pixels(self._modes.asked, shape, dtype, device)
            self._modes.note(device.kind, self._buffers[key].mode)
        return self._buffers[key]

    def tidy(self, images: Iterable[str]) -> None:
        """Close the oldest pixel buffers beyond ``MOST_BUFFERS``, but not those of ``images``."""
        if len(self._buffers) <= MOST_BUFFERS:
            return
        used = [self.buffer(image) for image in images]
        spare = [key for key, pixels in self._buffers.items() if pixels not in used]
        for key in spare[: max(len(self._buffers) - MOST_BUFFERS, 0)]:
            self._buffers.pop(key).close()
            self._in_use.pop(key[0], None)

    def finish(self) -> None:
        """Wait until the device has finished all its work."""
        if self._execution:
            self._execution.device.synchronize()

    def close(self) -> None:
        self.finish()
        for pixels in self._buffers.values():
            pixels.close()
        self._buffers.clear()
        self._in_use.clear()
        self.release()
        self.shown = self.frame = self._memory = None


def _key(shown: Shown) -> Key:
    return shown.slot, shown.on_demand


def check_kept(execution: Execution, shown: Shown) -> None:
    """Raise ``ValueError`` if a prepared run does not store an image that a view needs."""
    for image in shown.computed:
        if not execution.keeps(image):
            name = f"{execution.pipeline.name}/{execution.variant.name}"
            raise ValueError(f"{name} does not keep {image}, {shown.what_shows}")


def step_words(execution: Execution) -> list[str]:
    """List a name for each step of a prepared run: its stage, numbered if it has several steps."""
    names = [step.stage.name for step in execution.steps]
    words, seen = [], dict.fromkeys(names, 0)
    for name in names:
        seen[name] += 1
        total = names.count(name)
        words.append(name.replace("_", " ") + (f" {seen[name]} of {total}" if total > 1 else ""))
    return words
