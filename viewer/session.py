"""One screen: a source, what the user chose, the prepared execution and the display it writes to.

The window, the offscreen renderer and the tests all show frames through this one class.
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.device import open_device
from gpu.environment import describe, versions
from gpu.execution import Execution, prepare
from gpu.pipeline import Image
from viewer.display import Display, Pane, Picture
from viewer.pixels import PixelBuffer, display_mode, open_pixels
from viewer.settings import Recipe, to_recipe
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
        self._slot: Slot | None = None
        self._pixels: dict[tuple[str, str, str], PixelBuffer] = {}  # by image, device, dtype
        self._buffers: dict[str, PixelBuffer] = {}  # of these, the ones written last
        shape = (source.height, source.width)
        self._grey = {name: np.empty(shape, np.uint8) for name in ("left", "right")}
        self._shown: Frame | None = None
        self._turned = time.perf_counter()  # when the frame shown came up

    @property
    def prepared(self) -> bool:
        """Whether the slot chosen is the slot prepared; if not, ``compute`` prepares first."""
        return self._slot == self.state.slot

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
        """Make the slot chosen ready to compute.

        Raises:
            ValueError: the source does not have the inputs, or the variant refuses the parameters.
            Unavailable: the device is absent or has too little memory.
        """
        if self.prepared:
            return
        slot, source = self.state.slot, self.source
        # The arrays of the old execution are given back before the new ones are asked for.
        self._execution = self._slot = self._shown = None
        self._execution = prepare(
            slot.pipeline, slot.variant, slot.params, source.height, source.width
        )
        self._slot = slot

    def compute(self) -> None:
        """Compute the frame chosen and bring what the view shows into its textures."""
        self.prepare()
        assert self._execution
        frame = self.source.frame(self.state.frame)
        if frame is not self._shown:
            self._upload(frame)
        panes = self.state.view.panes
        computed = [name for name in panes if name not in self.state.slot.pipeline.inputs]
        with ExitStack() as mapped:
            out = {name: mapped.enter_context(self._buffer(name).map()) for name in computed}
            self._execution.run(out)
        for name in computed:
            self.display.upload_pixels(name, self._buffers[name])

    def _upload(self, frame: Frame) -> None:
        assert self._execution
        views = {"left": frame.left, "right": frame.right}
        inputs = {}
        for name in self.state.slot.pipeline.inputs:
            pixels = views[name]
            if pixels is None:
                raise ValueError(
                    f"{self.state.slot.pipeline.name} needs a stereo pair; {self.source.name} "
                    "is a single image: give a right image too"
                )
            inputs[name] = self._to_grey(name, pixels)
            self.display.upload_image(name, pixels)
        self._execution.upload(**inputs)
        self._shown = frame

    def _to_grey(self, name: str, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if pixels.ndim == 2:
            return pixels
        import cv2

        cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY, dst=self._grey[name])
        return self._grey[name]

    def _buffer(self, name: str) -> PixelBuffer:
        """The buffer of an image; made once for its size, dtype and device."""
        assert self._execution
        device, dtype = self._execution.device, self._execution.dtype(name)
        key = (name, device.kind, str(dtype))
        if key not in self._pixels:
            shape = (self.source.height, self.source.width)
            self._pixels[key], why = open_pixels(self._asked, shape, dtype, device)
            self._modes[device.kind] = (self._pixels[key].mode, why)
        self._buffers[name] = self._pixels[key]
        return self._pixels[key]

    def draw(self, width: int, height: int) -> None:
        """Draw the view into the display's framebuffer, in pixels of that size."""
        view, state = self.state.view, self.state
        panes = tuple(self._pane(name) for name in view.panes)
        picture = Picture(panes, view.anaglyph, state.zoom, state.center)
        self.display.draw(picture, width, height)

    def _pane(self, name: str) -> Pane:
        slot = self.state.slot
        image = slot.pipeline.image(name)
        if name in slot.pipeline.inputs:
            return Pane(name)
        low, high = limits(image, slot)
        invalid = image.invalid(slot.params) if image.invalid else None
        return Pane(name, image.scale, low, high, invalid, self.state.colormap)

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
        self._execution = self._slot = self._shown = None


def limits(image: Image, slot: Slot) -> tuple[float, float]:
    """Smallest and largest value of an image to show, in its unit."""
    if image.limits:
        return image.limits(slot.params)
    info = np.iinfo(image.dtype)
    return info.min * image.scale, info.max * image.scale
