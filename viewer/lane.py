"""A slot on its way to the screen: what is prepared for it, and the buffers it writes to."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from numpy.typing import NDArray

from gpu.execution import Execution, check_fit, prepare
from gpu.pipeline import Array, Pipeline
from viewer.inputs import Inputs
from viewer.pixels import PixelBuffer, display_mode, open_pixels
from viewer.shown import Shown
from viewer.sources import Frame, Source
from viewer.state import Slot

Chosen = tuple[Slot, frozenset[str]]  # with the images wanted that are computed on demand only
BufferKey = tuple[str, str, str, tuple[int, int]]  # image, device, dtype, shape


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

    Attributes:
        execution: of the slot prepared last; None before, and after one that failed.
        shown: what was computed last.
    """

    def __init__(self, source: Source, inputs: Inputs, modes: Modes) -> None:
        self._source, self._inputs, self._modes = source, inputs, modes
        self.execution: Execution | None = None
        self.shown: Shown | None = None
        self._prepared: Chosen | None = None
        self._buffers: dict[BufferKey, PixelBuffer] = {}

    def is_prepared(self, slot: Slot, images: Iterable[str]) -> bool:
        """Whether a slot is ready to compute these images."""
        return self._prepared == (slot, demanded(slot.pipeline, images))

    def prepare(self, slot: Slot, images: Iterable[str]) -> None:
        """Make a slot ready to compute its output and these images.

        Raises:
            ValueError: the parameters do not fit the source, or the variant refuses them.
            Unavailable: the device is absent or has too little memory.
        """
        chosen = (slot, demanded(slot.pipeline, images))
        if chosen == self._prepared:
            return
        asked = (slot.pipeline, slot.variant, slot.params, self._source.height, self._source.width)
        check_fit(*asked)
        # The arrays of the old execution are given back before the new ones are asked for.
        self.execution = self._prepared = None
        self.execution = prepare(*asked, chosen[1])
        self._inputs.share(self.execution)
        self._prepared = chosen

    def check_kept(self, images: Iterable[str], what_shows: str) -> None:
        """Raise ``ValueError`` if the slot prepared does not keep an image."""
        assert self.execution and self._prepared
        slot = self._prepared[0]
        for image in images:
            if not self.execution.keeps(image):
                raise ValueError(
                    f"{slot.pipeline.name}/{slot.variant} does not keep {image}, {what_shows}"
                )

    @contextmanager
    def run(
        self, frame: Frame, images: Iterable[str], *, timed: bool = True
    ) -> Iterator[Mapping[str, Array]]:
        """Compute images of a frame; while entered they may be read, then their buffers hold them.

        Args:
            timed: whether this frame counts for the time shown.
        """
        assert self.execution
        execution = self.execution
        self._inputs.upload(execution, frame)
        with ExitStack() as mapped:
            buffers = {image: self.buffer(image) for image in images}
            arrays = {i: mapped.enter_context(b.map()) for i, b in buffers.items()}
            execution.run(arrays, timed=timed)
            yield arrays

    def values(self, frame: Frame, shown: Shown, name: str) -> NDArray[Any]:
        """Compute a frame for no screen, untimed, and return an image of it, as stored: (H, W)."""
        self.prepare(shown.slot, shown.computed)
        assert self.execution
        self._inputs.upload(self.execution, frame)
        self.execution.run(timed=False)
        return self.execution.download(name)

    def buffer(self, name: str) -> PixelBuffer:
        """The buffer of an image; made once for its size, dtype and device."""
        assert self.execution
        execution, device = self.execution, self.execution.device
        dtype, image = execution.dtype(name), execution.pipeline.image(name)
        height, width = image.shape(execution.height, execution.width, execution.params)
        key = (name, device.kind, dtype, (height, width))
        if key not in self._buffers:
            asked = self._modes.asked
            self._buffers[key], why = open_pixels(asked, (height, width), dtype, device)
            self._modes.note(device.kind, self._buffers[key].mode, why)
        return self._buffers[key]

    def finish(self) -> None:
        """Wait until the device has done all it was given."""
        if self.execution:
            self.execution.device.synchronize()

    def close(self) -> None:
        """Give back buffers and arrays."""
        self.finish()
        for pixels in self._buffers.values():
            pixels.close()
        self._buffers.clear()
        self.execution = self._prepared = self.shown = None


def demanded(pipeline: Pipeline, images: Iterable[str]) -> frozenset[str]:
    """Those of the images that the pipeline computes on demand only."""
    return frozenset(images) & frozenset(pipeline.on_demand)
