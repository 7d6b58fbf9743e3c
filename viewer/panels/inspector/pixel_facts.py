"""The pixel that panels explain, its images and costs: shared by all panels, so that they agree."""

import math

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipelines.sgm.curves import Curves
from wheatstone.viewer.display.frames.extras import Extras
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.cell_contents import Letter
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.costs.probe import Prober, probed_pixel
from wheatstone.viewer.panels.inspector.explanation import explained
from wheatstone.viewer.panels.inspector.reading import Pixel, Reading, reading_of, runners_used


class PixelFacts:
    """The images and costs of one pixel, computed on demand while a panel explains it.

    Attributes:
        pixel: the pixel explained, or the last one; None before the first.
        prober: computes the costs of the pixel.
        extras: the images of each slot that are computed on demand.
    """

    def __init__(self) -> None:
        self.pixel: Pixel | None = None
        self.prober = Prober()
        self.extras: dict[Letter, Extras] = {"a": Extras(), "b": Extras()}

    @property
    def busy(self) -> bool:
        """Whether costs of the pixel are being computed."""
        return self.prober.busy

    @property
    def due(self) -> float:
        """Time at which waiting images will be computed; infinite if none wait."""
        return min(extras.due for extras in self.extras.values())

    def update(self, session: Session, hit: Hit | None) -> None:
        """Determine the pixel, and request the images computed on demand."""
        height, width = size = session.source.height, session.source.width
        panes = session.display.drawn.images
        self.pixel = probed_pixel(session.state, hit, panes, size) or self.pixel
        if self.pixel and not (self.pixel[0] < height and self.pixel[1] < width):
            self.pixel = None
        runners = runners_used(session)
        for letter in [letter for letter in self.extras if letter not in runners]:
            self.extras[letter].close()
        for letter, runner in runners.items():
            if runner.shown:
                assert runner.frame
                memory = runner.execution.memory if runner.execution else None
                self.extras[letter].update(session, runner.shown, runner.frame, memory)

    def extra(self, letter: Letter, runner: Runner) -> Execution | None:
        """Return the execution that holds a slot's images computed on demand, if it is current."""
        assert runner.shown and runner.frame
        return self.extras[letter].of(runner.shown, runner.frame)

    def values_key(self, session: Session, letter: Letter, runner: Runner) -> tuple[object, ...]:
        """Return a key that changes whenever a slot's values change."""
        assert runner.shown
        extra, known = self.extra(letter, runner), self.prober.answer
        copies = [session.latest.image(runner, name) for name in runner.shown.computed]
        return letter, runner.shown, runner.frame, runner.execution, extra, known, *copies

    def reading(self, session: Session, letter: Letter, runner: Runner, pixel: Pixel) -> Reading:
        """Read a slot's values at a pixel."""
        return reading_of(session, letter, runner, self.extra(letter, runner), pixel)

    def sentence(self, reading: Reading, runner: Runner, pixel: Pixel) -> str:
        """Explain a slot's result at a pixel in a sentence."""
        frame = runner.frame
        assert frame
        truth = math.nan if frame.truth is None else float(frame.truth[pixel])
        executions = [e for e in (runner.execution, self.extra(reading.letter, runner)) if e]
        curves = self._curves(reading, frame, pixel)
        return explained(reading, None if math.isnan(truth) else truth, pixel, executions, curves)

    def _curves(self, reading: Reading, frame: Frame, pixel: Pixel) -> Curves | None:
        """Return the costs by which a slot matched a pixel of a frame; None if not known."""
        known, slot = self.prober.answer, reading.slot
        if not known or slot.declaration.peer:
            return None
        asked = known.question
        if asked.frame is not frame or (asked.row, asked.column) != pixel:
            return None
        all_curves = dict(zip(asked.params, known.curves, strict=True))
        return all_curves.get(slot.params) if asked.pipeline is slot.pipeline else None

    def close(self) -> None:
        """Cancel all computations and free their memory; the pixel stays."""
        self.prober.close()
        self.prober = Prober()
        for extras in self.extras.values():
            extras.close()
