"""Measurements on the frame shown: of two pixels immediately, of a rectangle in the background."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.regions import Rectangle
from wheatstone.viewer.display.frames.latest import Copy
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.worker import Cancelled, Task
from wheatstone.viewer.io.cameras.calibration import Calibration, assumed
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.panels.measure.distance import Spot, spot
from wheatstone.viewer.panels.measure.plane import (
    DisparityHistory,
    PlaneFigures,
    plane_figures,
    temporal_noise,
)
from wheatstone.viewer.run.run import Run

Disparities = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Measured:
    """A disparity image to measure in, with the calibration of its frame."""

    copy: Copy
    image: Image
    calibration: Calibration  # of its frame, or the one assumed

    @property
    def slot(self) -> Run:
        """Return the run that computed the image."""
        return self.copy.shown.slot

    @property
    def step(self) -> float:
        """Return the distance between neighbouring disparity values, in pixels."""
        return self.image.resolution(self.slot.params)

    def disparity(self, rectangle: Rectangle) -> Disparities:
        """Copy the disparities within a rectangle, in pixels; NaN where there are none."""
        x, y, width, height = rectangle
        part = self.copy.values[y : y + height, x : x + width]
        return in_units(part, self.image, self.slot.params)

    def spot(self, pixel: tuple[int, int] | None) -> Spot | None:
        """Compute the point in space that a pixel shows; None without a pixel or disparity."""
        if not pixel or not self.holds(pixel):
            return None
        row, column = pixel
        (disparity,) = self.disparity((column, row, 1, 1)).ravel().tolist()
        return spot(self.calibration, pixel, disparity, self.step)

    def holds(self, pixel: tuple[int, int]) -> bool:
        """Return whether a pixel lies within the image."""
        height, width = self.copy.values.shape
        return bool(pixel[0] < height and pixel[1] < width)

    def clipped(self, rectangle: Rectangle | None) -> Rectangle | None:
        """Clip a rectangle to the image; None if nothing remains."""
        if not rectangle or not self.holds((rectangle[1], rectangle[0])):
            return None
        x, y, width, height = rectangle
        whole = self.copy.values.shape
        return x, y, min(width, whole[1] - x), min(height, whole[0] - y)


def newest(session: Session) -> Measured | None:
    """Return the disparity image on screen: run A's, or run B's if only B is shown; else None."""
    runner = session.a if session.state.mixing.uses_a else session.b
    if not runner.shown:
        return None
    pipeline = runner.shown.slot.pipeline
    image = pipeline.image(pipeline.output)
    copy = session.latest.image(runner, image.name) if image.disparity else None
    if not copy or copy.shown.slot.pipeline is not pipeline:
        return None
    height, width = copy.values.shape
    return Measured(copy, image, copy.frame.calibration or assumed(width, height))


@dataclass(frozen=True)
class RectangleFigures:
    """The results of measuring a rectangle: plane and temporal noise.

    Attributes:
        noise: the temporal noise of its depth, in the calibration's unit; NaN before it is known.
    """

    rectangle: Rectangle
    calibration: Calibration
    step: float
    plane: PlaneFigures
    noise: float
    frames: int


@dataclass(frozen=True)
class MeasuredSubject:
    """The properties that frames must share so that their noise can be measured together."""

    slot: Run
    rectangle: Rectangle
    calibration: Calibration
    source: Source


class RectangleMeter:
    """A meter that measures a rectangle of the frames shown in the background, as time permits."""

    def __init__(self) -> None:
        self.figures: RectangleFigures | None = None  # the newest; None before there are any
        self._subject: MeasuredSubject | None = None
        self._history = DisparityHistory()
        self._collected: Copy | None = None
        self._measured: Copy | None = None
        self._task: Task[RectangleFigures] | None = None

    @property
    def busy(self) -> bool:
        """Return whether newer measurements of the rectangle are being computed."""
        return self._task is not None

    @property
    def frames(self) -> int:
        """Return the number of frames collected to measure the temporal noise."""
        return len(self._history.frames)

    def update(self, session: Session, measured: Measured, rectangle: Rectangle) -> None:
        """Store finished results, and start to measure the rectangle in a new frame."""
        subject = MeasuredSubject(measured.slot, rectangle, measured.calibration, session.source)
        if subject != self._subject:
            self.close()
            self._subject = subject
        self._take()
        if measured.copy is not self._collected:
            self._collected = measured.copy
            self._history.add(measured.copy.frame.index, measured.disparity(rectangle))
        if not self._task and measured.copy is not self._measured:
            self._measured = measured.copy
            disparity, frames = measured.disparity(rectangle), self._history.frames
            self._task = session.worker.submit(
                "measuring", lambda _: measure(measured, rectangle, disparity, frames)
            )

    def _take(self) -> None:
        """Store the measurements of the rectangle if they are finished."""
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        try:
            self.figures = task.result()
        except (Cancelled, MemoryError):
            self.figures = None

    def close(self) -> None:
        """Discard all measurements of the rectangle, and stop measuring."""
        if self._task:
            self._task.cancel()
        self._task = self._subject = self.figures = None
        self._collected = self._measured = None
        self._history = DisparityHistory()


def measure(
    measured: Measured,
    rectangle: Rectangle,
    disparity: Disparities,
    frames: tuple[Disparities, ...],
) -> RectangleFigures:
    """Measure a rectangle of the disparity image: its plane, and its temporal noise.

    Args:
        disparity: of the newest frame, in pixels; NaN where there is none.
        frames: disparities of the newest frames, as ``DisparityHistory`` keeps them.
    """
    plane = plane_figures(measured.calibration, disparity, rectangle)
    noise = temporal_noise(measured.calibration, frames)
    return RectangleFigures(
        rectangle, measured.calibration, measured.step, plane, noise, len(frames)
    )
