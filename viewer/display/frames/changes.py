"""Textures shown in place of a result: temporal measures such as noise, and ground truth."""

import numpy as np

from wheatstone.gpu.analysis.temporal import FrameWindow
from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.texture import as_array
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.display.picture import truth
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.display.picture.temporal import TEXTURE
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.pixels import PixelBuffer, open_pixels
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.run import Run


class Changes:
    """The temporal measures of one run's result: newest frames, and the texture that shows them.

    Attributes:
        followed: whether frames are added although no view shows their changes.
    """

    def __init__(self, display: Display, asked: str) -> None:
        self._display, self._asked = display, asked
        self.followed = False
        self._subject: tuple[Run, int, int] | None = None  # slot, frames, still
        self._window: FrameWindow | None = None
        self._frame = -1
        self._pixels: PixelBuffer | None = None
        self._device: Device | None = None  # that computes what is in them
        self._texture = ""

    @property
    def frames(self) -> int:
        """Return the number of frames that the temporal measures cover."""
        return self._window.count if self._window else 0

    @property
    def flicker_rate(self) -> float:
        """Return the fraction of static pixels' steps between frames that jump; NaN if none."""
        return self._window.flicker_rate if self._window else float("nan")

    def measure(
        self, shown: Shown, choice: TemporalChoice, execution: Execution, stored: Array
    ) -> None:
        """Add a frame, unless it was added last, and compute the temporal measure that is shown.

        Args:
            execution: computed the frame, and holds its left view.
            stored: (H, W) disparities as computed, on the execution's device.
        """
        window = self._window_of(shown, choice)
        with execution.device.active():
            if shown.frame != self._frame:
                window.add(stored, as_array(execution.array("left")))
                self._frame = shown.frame
            if not shown.temporal:
                return
            measured = window.measure(choice.show)
            with self._buffer(measured.shape, execution.device).map() as pixels:
                pixels[...] = measured

    def upload(self, shown: Shown) -> None:
        """Upload the temporal measure to the texture of a view, if the view shows it."""
        if shown.temporal and self._pixels:
            self._texture = shown.texture(TEXTURE)
            self._display.upload_pixels(self._texture, self._pixels)

    def _window_of(self, shown: Shown, choice: TemporalChoice) -> FrameWindow:
        """Return the window of newest frames; begin a new one if the run or a setting changed."""
        subject = shown.slot, choice.frames, choice.still
        if subject != self._subject or not self._window:
            image = shown.slot.pipeline.image(shown.slot.pipeline.output)
            invalid = int(image.invalid(shown.slot.params)) if image.invalid else -(2**15)
            self._window = FrameWindow(choice.frames, choice.still, image.scale, invalid)
            self._subject, self._frame = subject, -1
        return self._window

    def _buffer(self, shape: tuple[int, ...], device: Device) -> PixelBuffer:
        if self._pixels and (self._pixels.shape != shape or self._device is not device):
            self._pixels.close()
            self._pixels = None
        if not self._pixels:
            self._pixels = open_pixels(self._asked, shape, np.float32, device)
            self._device = device
        return self._pixels

    def close(self) -> None:
        """Discard all frames; release the buffer and the texture."""
        if self._pixels:
            self._pixels.close()
        if self._texture:
            self._display.remove(self._texture)
        self._texture = ""
        self._pixels = self._window = self._subject = None


class TruthTextures:
    """The textures that show ground truth, filled once for each frame and display choice."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._filled: dict[str, tuple[Frame, TruthChoice, float]] = {}

    def show(self, shown: Shown, frame: Frame) -> None:
        """Upload the ground truth to the texture of a view, if the view shows it."""
        if not shown.judged:
            return
        pipeline, texture = shown.slot.pipeline, shown.texture(truth.TEXTURE)
        scale = pipeline.image(pipeline.output).scale
        known = self._filled.get(texture)
        if not known or known[0] is not frame or known[1:] != (shown.judged, scale):
            self._display.upload_image(texture, truth.truth_texels(frame, shown.judged, scale))
            self._filled[texture] = (frame, shown.judged, scale)

    def close(self) -> None:
        for texture in self._filled:
            self._display.remove(texture)
        self._filled.clear()
