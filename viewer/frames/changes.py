"""What changes from frame to frame: measured beside a slot's results, on the device they are on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wheatstone.gpu.analysis.temporal import FrameWindow
from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.texture import as_array
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.picture.over_time import TEXTURE
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.screen.pixels import PixelBuffer, open_pixels

if TYPE_CHECKING:  # they know of changes themselves
    from wheatstone.viewer.picture.shown import Shown
    from wheatstone.viewer.screen.display import Display


@dataclass(frozen=True)
class _Subject:
    """What a window is of: another slot, or another length of it, begins anew."""

    slot: Run
    frames: int
    still: int


class Changes:
    """The window of a slot's newest frames, and the texture that shows what is measured over it.

    Attributes:
        frames: how many frames the measures are of; 0 before there is one.
    """

    def __init__(self, display: "Display", asked: str) -> None:
        self._display, self._asked = display, asked
        self._subject: _Subject | None = None
        self._window: FrameWindow | None = None
        self._frame = -1
        self._pixels: PixelBuffer | None = None
        self._device: Device | None = None  # that computes what is in them
        self._texture = ""

    @property
    def frames(self) -> int:
        """Count the frames that the measures are of."""
        return self._window.count if self._window else 0

    @property
    def flicker_rate(self) -> float:
        """Look up the share of steps of resting pixels that are jumps; NaN without any."""
        return self._window.flicker_rate if self._window else float("nan")

    def measure(self, shown: "Shown", execution: Execution, stored: Array) -> None:
        """Take a frame in, unless it is the one taken in last, and measure what is shown.

        Args:
            execution: computed the frame, and holds its left view.
            stored: (H, W) disparities as computed, on the execution's device.
        """
        choice = shown.temporal
        if not choice:
            self.close()
            return
        window = self._window_of(shown, choice)
        with execution.device.active():
            if shown.frame != self._frame:
                window.add(stored, as_array(execution.array("left")))
                self._frame = shown.frame
            measured = window.measure(choice.show)
            with self._buffer(measured.shape, execution.device).map() as pixels:
                pixels[...] = measured

    def upload(self, shown: "Shown") -> None:
        """Fill the texture that a view takes, if it takes one, with what was measured."""
        if shown.temporal and self._pixels:
            self._texture = shown.texture(TEXTURE)
            self._display.upload_pixels(self._texture, self._pixels)

    def _window_of(self, shown: "Shown", choice: TemporalChoice) -> FrameWindow:
        """Look up the window; begin anew for another slot or another length."""
        subject = _Subject(shown.slot, choice.frames, choice.still)
        if subject != self._subject or not self._window:
            image = shown.slot.pipeline.image(shown.slot.pipeline.output)
            invalid = int(image.invalid(shown.slot.params)) if image.invalid else -(2**15)
            self._window = FrameWindow(choice.frames, choice.still, image.scale, invalid)
            self._subject, self._frame = subject, -1
        return self._window

    def _buffer(self, shape: tuple[int, ...], device: Device) -> PixelBuffer:
        """Look up the buffer that the display reads; another one for another device or size."""
        if self._pixels and (self._pixels.shape != shape or self._device is not device):
            self._pixels.close()
            self._pixels = None
        if not self._pixels:
            self._pixels, _ = open_pixels(self._asked, shape, np.float32, device)
            self._device = device
        return self._pixels

    def close(self) -> None:
        """Forget all frames; give back buffer and texture."""
        if self._pixels:
            self._pixels.close()
        if self._texture:
            self._display.remove(self._texture)
        self._texture = ""
        self._pixels = self._window = self._subject = None
