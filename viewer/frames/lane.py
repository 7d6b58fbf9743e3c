"""A slot on its way to the screen: what is prepared for it, and the buffers it writes to."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.execution import Execution, check_fit, prepare
from gpu.pipeline import Array, Pipeline
from viewer.choices.slot import Slot
from viewer.frames.inputs import SharedInputs
from viewer.picture.shown import Shown
from viewer.screen.pixels import PixelBuffer, display_mode, open_pixels
from viewer.sources.frame import Frame, Source

Chosen = tuple[Slot, frozenset[str]]  # with the images wanted that are computed on demand only
BufferKey = tuple[str, str, str, tuple[int, int]]  # image, device, dtype, shape

MOST_BUFFERS = 8  # kept by a slot for images it showed before


class Modes:
    """How results of each kind of device reach OpenGL here, and why not by interop."""

    def __init__(self, asked: str) -> None:
        self.asked = asked
        self._found: dict[str, tuple[str, str]] = {}

    def note(self, kind: str, mode: str, why: str) -> None:
        """What a buffer turned out to be."""
        self._found[kind] = (mode, why)

    def of(self, kind: str) -> tuple[str, str]:
        """Mode and reason, known or found out now."""
        if kind not in self._found:
            self._found[kind] = display_mode(self.asked, kind)
        return self._found[kind]


class Lane:
    """Computes one slot at a time; keeps its buffers when the slot changes.

    All of it happens on the display's thread but ``make`` and what an execution does then.

    Attributes:
        shown: what was computed last.
        frame: the source's frame of that: asking the source for it again might read a file.
        time_counts: whether the newest time is that of computing alone.
    """

    def __init__(self, source: Source, inputs: SharedInputs, modes: Modes) -> None:
        self._source, self.inputs, self._modes = source, inputs, modes
        self.shown: Shown | None = None
        self.frame: Frame | None = None
        self._execution: Execution | None = None
        self._prepared: Chosen | None = None
        self.time_counts = True
        self._whole = False
        self._buffers: dict[BufferKey, PixelBuffer] = {}

    @property
    def execution(self) -> Execution | None:
        """The execution whose arrays hold the frame shown.

        None before there is a frame, while another one is computed into these arrays beside the
        display, and after that was cancelled.
        """
        return self._execution if self._whole else None

    def milliseconds(self, slot: Slot) -> float | None:
        """Compute time of the newest frame of a slot; None before there is one."""
        known = self._prepared and self._prepared[0] == slot and self.time_counts
        return self._execution.milliseconds() if self._execution and known else None

    def is_prepared(self, slot: Slot, images: Iterable[str]) -> bool:
        """Whether a slot is ready to compute these images."""
        return self._prepared == (slot, demanded(slot.pipeline, images))

    def prepared(self, slot: Slot, images: Iterable[str]) -> Execution | None:
        """The execution that is ready to compute these images; None if there is none."""
        return self._execution if self.is_prepared(slot, images) else None

    def prepare(self, slot: Slot, images: Iterable[str]) -> Execution:
        """Make a slot ready to compute its output and these images.

        Raises:
            ValueError: the parameters do not fit the source, or the variant refuses them or does
                not keep an image.
            Unavailable: the device is absent or has too little memory.
        """
        if not self.is_prepared(slot, images):
            self.check_fit(slot)
            # The arrays of the old execution are given back before the new ones are asked for.
            self.release()
            self.adopt(self.make(slot, images), slot, images)
        assert self._execution
        return self._execution

    def check_fit(self, slot: Slot) -> None:
        """Raise ``ValueError`` if a slot's parameters do not fit the source."""
        size = self._source.height, self._source.width
        check_fit(slot.pipeline, slot.variant, slot.params, *size)

    def make(self, slot: Slot, images: Iterable[str]) -> Execution:
        """A new execution, as for ``prepare``, on any thread; the lane stays as it is."""
        size = self._source.height, self._source.width
        wanted = demanded(slot.pipeline, images)
        execution = prepare(slot.pipeline, slot.variant, slot.params, *size, wanted)
        self.inputs.share(execution)
        return execution

    def adopt(self, execution: Execution, slot: Slot, images: Iterable[str]) -> None:
        """Compute with this execution from now on."""
        if execution is not self._execution:
            self._execution, self._whole, self.time_counts = execution, False, True
            self._prepared = (slot, demanded(slot.pipeline, images))

    def release(self) -> bool:
        """Give back the execution; whether there was one."""
        had = self._execution is not None
        self._execution = self._prepared = None
        self._whole = False
        return had

    def spoil(self) -> None:
        """The arrays of the execution will be written, or hold another frame than the one shown."""
        self._whole = False

    def finish_frame(self, shown: Shown, frame: Frame) -> None:
        """The arrays of the execution hold a frame."""
        self.shown, self.frame, self._whole = shown, frame, True

    @contextmanager
    def run(
        self, frame: Frame, images: Iterable[str], *, timed: bool = True, stages: bool = False
    ) -> Iterator[Mapping[str, Array]]:
        """Compute images of a frame; while entered they may be read, then their buffers hold them.

        Args:
            timed: whether this frame counts for the time shown.
            stages: measure it stage by stage.
        """
        assert self._execution
        execution = self._execution
        self.inputs.upload(execution, frame)
        with ExitStack() as mapped:
            buffers = {image: self.buffer(image) for image in images}
            arrays = {i: mapped.enter_context(b.map()) for i, b in buffers.items()}
            execution.run(arrays, timed=timed, stages=stages)
            yield arrays

    @contextmanager
    def computed(self, images: Iterable[str]) -> Iterator[Mapping[str, Array]]:
        """As ``run``, of images that were computed on the CPU already."""
        assert self._execution
        arrays = {image: self._execution.array(image) for image in images}
        yield arrays
        for image, array in arrays.items():
            with self.buffer(image).map() as mapped:
                np.copyto(mapped, array)

    def values(self, frame: Frame, shown: Shown, name: str) -> NDArray[Any]:
        """An image of a frame, as stored: (H, W); computed untimed, if it is not there already."""
        there = self.execution if self.shown == shown else None
        if there and there.device.kind == "cpu" and there.keeps(name):
            return there.download(name)
        execution = self.prepare(shown.slot, shown.computed)
        self._whole = there is execution
        self.inputs.upload(execution, frame)
        execution.run(timed=False)
        return execution.download(name)

    def buffer(self, name: str) -> PixelBuffer:
        """The buffer of an image; made once for its size, dtype and device."""
        assert self._execution
        execution, device = self._execution, self._execution.device
        dtype, image = execution.dtype(name), execution.pipeline.image(name)
        height, width = image.shape(execution.height, execution.width, execution.params)
        key = (name, device.kind, dtype, (height, width))
        if key not in self._buffers:
            asked = self._modes.asked
            self._buffers[key], why = open_pixels(asked, (height, width), dtype, device)
            self._modes.note(device.kind, self._buffers[key].mode, why)
        return self._buffers[key]

    def tidy(self, images: Iterable[str]) -> None:
        """Close the oldest buffers beyond ``MOST_BUFFERS`` that none of these images uses."""
        used = [self.buffer(image) for image in images]
        spare = [key for key, pixels in self._buffers.items() if pixels not in used]
        for key in spare[: max(len(self._buffers) - MOST_BUFFERS, 0)]:
            self._buffers.pop(key).close()

    def finish(self) -> None:
        """Wait until the device has done all it was given."""
        if self._execution:
            self._execution.device.synchronize()

    def close(self) -> None:
        """Give back buffers and arrays."""
        self.finish()
        for pixels in self._buffers.values():
            pixels.close()
        self._buffers.clear()
        self.release()
        self.shown = self.frame = None


def demanded(pipeline: Pipeline, images: Iterable[str]) -> frozenset[str]:
    """Those of the images that the pipeline computes on demand only."""
    return frozenset(images) & frozenset(pipeline.on_demand)


def check_kept(execution: Execution, images: Iterable[str], what_shows: str) -> None:
    """Raise ``ValueError`` if an execution does not keep an image.

    Args:
        what_shows: for the message, what needs the image.
    """
    for image in images:
        if not execution.keeps(image):
            name = f"{execution.pipeline.name}/{execution.variant.name}"
            raise ValueError(f"{name} does not keep {image}, {what_shows}")
