"""One screen: a source, what the user chose, the prepared execution and the display it writes to.

The window, the offscreen renderer and the tests all show frames through this one class.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.device import open_device
from gpu.environment import describe, versions
from gpu.execution import Execution, check_fit, prepare
from gpu.pipeline import Pipeline
from viewer.display import Display
from viewer.legend import Entry
from viewer.pixels import PixelBuffer, display_mode, open_pixels
from viewer.settings import Recipe, to_recipe
from viewer.shown import SOURCE_IMAGES, Shown, chosen
from viewer.sources import Frame, Source
from viewer.state import Slot, ViewerState


@dataclass(frozen=True)
class Facts:
    """What the status line and a screenshot say about the frame shown.

    Attributes:
        milliseconds: compute time of the newest finished frame; None before there is one.
        mode: how results reach OpenGL: ``interop``, ``copy`` or ``cpu``.
        why_not_interop: empty with ``interop``.
    """

    device: str
    milliseconds: float | None
    mode: str
    why_not_interop: str


class Session:
    """Shows frames of a source as the state says; owns everything that must be closed.

    Args:
        mode: how results of GPU variants reach OpenGL; ``auto``: interop where it works, else copy.
    """

    def __init__(
        self, state: ViewerState, source: Source, display: Display, mode: str = "auto"
    ) -> None:
        self.state, self.source, self.display = state, source, display
        self._asked = mode
        self._modes: dict[str, tuple[str, str]] = {}  # by kind of device: the mode, why no interop
        self._execution: Execution | None = None
        self._prepared: tuple[Slot, frozenset[str]] | None = None  # with images on demand
        self._pixels: dict[tuple[str, str, str, tuple[int, int]], PixelBuffer] = {}
        shape = (source.height, source.width)
        self._grey = {name: np.empty(shape, np.uint8) for name in ("left", "right")}
        # Other pipelines, for overlays, each with what it was prepared for.
        self._guests: dict[str, tuple[tuple[Slot, frozenset[str]], Execution]] = {}
        self._uploaded: Frame | None = None
        self._on_display: set[str] = set()  # images of that frame whose textures are filled
        self._shown: Shown | None = None
        self._turned = time.perf_counter()  # when the frame shown came up

    @property
    def prepared(self) -> bool:
        """Whether what is chosen is what is prepared; if not, ``compute`` prepares first.

        A view of images that are computed on demand is prepared for, any other is there at once.
        """
        return self._prepared == self._chosen

    @property
    def _chosen(self) -> tuple[Slot, frozenset[str]]:
        slot = self.state.slot
        return slot, demanded(slot.pipeline, chosen(self.state).computed)

    @property
    def current(self) -> bool:
        """Whether the frame computed last is the one chosen, in the view chosen."""
        return self._shown is not None and self._shown.is_chosen(self.state)

    def advance(self) -> None:
        """Move to the frame that is due now, unless paused or it is not ready yet."""
        state, source = self.state, self.source
        now = time.perf_counter()
        if state.paused or not source.rate:
            self._turned = now
            return
        due = int((now - self._turned) * source.rate)
        for frames in {due, min(due, 1)} - {0}:  # a slow source has the next frame at least
            if source.ready(state.frame + frames):
                state.frame = (state.frame + frames) % source.length
                self._turned = now
                return

    def prepare(self) -> None:
        """Make the slot chosen ready to compute what its view shows.

        Raises:
            ValueError: the parameters do not fit the images, or the variant refuses them.
            Unavailable: the device is absent or has too little memory.
        """
        if self.prepared:
            return
        (slot, wanted), source = self._chosen, self.source
        asked = (slot.pipeline, slot.variant, slot.params, source.height, source.width)
        check_fit(*asked)
        # The arrays of the old execution are given back before the new ones are asked for.
        self._execution = self._prepared = self._uploaded = None
        self._execution = prepare(*asked, wanted)
        self._prepared = (slot, wanted)

    def compute(self) -> None:
        """Compute the frame chosen and bring what the view shows into its textures.

        Raises:
            ValueError: as ``prepare``; or the source lacks an image that is read or shown, or the
                variant does not keep one.
            Unavailable: as ``prepare``.
        """
        shown = chosen(self.state)
        frame = self.source.frame(shown.frame)
        if frame.right is None:
            shown.check_single_image(self.source.name)
        self.prepare()
        self._check_kept(shown)
        if frame is not self._uploaded:
            self._upload(frame)
        self._show_sources(frame, shown)
        assert self._execution
        self._run(self._execution, {array: array for array in shown.computed})
        for guest in shown.guests:
            self._run_guest(guest, frame)
        self._shown = shown

    def _check_kept(self, shown: Shown) -> None:
        assert self._execution
        for array in shown.computed:
            if not self._execution.keeps(array):
                raise ValueError(
                    f"{shown.slot.pipeline.name}/{shown.slot.variant} does not keep {array}, "
                    f"which view {shown.view.name} shows; choose another variant or view"
                )

    def _upload(self, frame: Frame) -> None:
        assert self._execution
        self._execution.upload(**self._inputs(self._execution, frame))
        self._uploaded, self._on_display = frame, set()

    def _inputs(self, execution: Execution, frame: Frame) -> dict[str, NDArray[np.uint8]]:
        wanted = execution.pipeline.inputs
        found = views(frame).items()
        return {name: self._to_grey(name, pixels) for name, pixels in found if name in wanted}

    def _show_sources(self, frame: Frame, shown: Shown) -> None:
        """Fill the textures of the source's images in the view, once a frame."""
        for name, pixels in views(frame).items():
            if name in shown.arrays.values() and name not in self._on_display:
                self.display.upload_image(name, pixels)
                self._on_display.add(name)

    def _run(self, execution: Execution, textures: Mapping[str, str]) -> None:
        """Compute images into pixel buffers, and fill the textures of these names from them."""
        buffers = {array: self._buffer(execution, array) for array in textures}
        with ExitStack() as mapped:
            execution.run({a: mapped.enter_context(b.map()) for a, b in buffers.items()})
        for array, pixels in buffers.items():
            self.display.upload_pixels(textures[array], pixels)

    def _run_guest(self, guest: str, frame: Frame) -> None:
        """Compute an image of another pipeline, with the settings it was left with."""
        name, array = guest.split(".")
        slot = self.state.slot_of(name)
        asked = (slot, demanded(slot.pipeline, (array,)))
        kept = self._guests.get(name)
        if not kept or kept[0] != asked:
            size = (self.source.height, self.source.width)
            execution = prepare(slot.pipeline, slot.variant, slot.params, *size, asked[1])
            self._guests[name] = (asked, execution)
        execution = self._guests[name][1]
        if not execution.keeps(array):
            raise ValueError(
                f"{name}/{slot.variant} does not keep {array}, which lies over the view"
            )
        execution.upload(**self._inputs(execution, frame))
        self._run(execution, {array: guest})

    def _to_grey(self, name: str, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if pixels.ndim == 2:
            return pixels
        import cv2

        cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY, dst=self._grey[name])
        return self._grey[name]

    def _buffer(self, execution: Execution, name: str) -> PixelBuffer:
        """The buffer of an image; made once for its size, dtype and device."""
        device, dtype = execution.device, execution.dtype(name)
        image, params = execution.pipeline.image(name), execution.params
        height, width = image.shape(self.source.height, self.source.width, params)
        key = (name, device.kind, dtype, (height, width))
        if key not in self._pixels:
            self._pixels[key], why = open_pixels(self._asked, (height, width), dtype, device)
            self._modes[device.kind] = (self._pixels[key].mode, why)
        return self._pixels[key]

    @property
    def legend(self) -> tuple[Entry, ...]:
        """The legend of the frame computed last."""
        assert self._shown
        return self._shown.picture(self.state).legend

    def draw(self, width: int, height: int) -> None:
        """Draw the frame computed last into the display's framebuffer, in pixels of that size."""
        assert self._shown
        self.display.draw(self._shown.picture(self.state), width, height)

    def values(self, name: str) -> NDArray[Any]:
        """Compute the frame once more and return an image of it, as stored: (H, W)."""
        assert self._execution
        self._execution.run()
        return self._execution.download(name)

    def finish(self) -> None:
        """Wait until the device has done all it was given."""
        if self._execution:
            self._execution.device.synchronize()

    def facts(self) -> Facts:
        """What there is to say about the newest frame."""
        assert self._execution
        device = self._execution.device
        if device.kind not in self._modes:
            self._modes[device.kind] = display_mode(self._asked, device.kind)
        return Facts(device.name, self._execution.milliseconds(), *self._modes[device.kind])

    def recipe(self) -> Recipe:
        """All settings, and under ``made`` what they were run with and how long it took."""
        facts, slot = self.facts(), self.state.slot
        made: dict[str, Any] = describe(open_device(slot.declaration.device))
        made |= {"display": facts.mode, "packages": versions()}
        if facts.milliseconds is not None:
            made["compute_ms"] = round(facts.milliseconds, 4)
        return to_recipe(self.state, self.source.recipe) | {"made": made}

    def close(self) -> None:
        """Give back buffers and arrays; the display and the source are closed by their owners."""
        self.finish()
        for pixels in self._pixels.values():
            pixels.close()
        self._guests.clear()
        self._execution = self._prepared = self._uploaded = self._shown = None


def demanded(pipeline: Pipeline, images: Iterable[str]) -> frozenset[str]:
    """Those of the images that the pipeline computes on demand only."""
    return frozenset(images) & frozenset(pipeline.on_demand)


def views(frame: Frame) -> dict[str, NDArray[np.uint8]]:
    """The images of a frame that there are, by name."""
    found = zip(SOURCE_IMAGES, (frame.left, frame.right), strict=True)
    return {name: pixels for name, pixels in found if pixels is not None}
