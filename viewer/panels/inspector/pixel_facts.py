"""The pixel that panels explain: its images, its costs, and its result in one sentence.

All panels share them, so that they agree.
"""

import math
from collections.abc import Sequence

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Image
from wheatstone.gpu.pipelines.sgm.curves import Curves
from wheatstone.gpu.steps import remembering
from wheatstone.gpu.texture import as_array
from wheatstone.viewer.display.frames.extras import Extras
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.cell_contents import Letter
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.costs.cost_words import checked, compared_sums, short
from wheatstone.viewer.panels.costs.probe import Prober, probed_pixel
from wheatstone.viewer.panels.inspector.pixel_rows import value_of, value_words
from wheatstone.viewer.panels.inspector.pixel_words import disparity, disparity_image, reason
from wheatstone.viewer.panels.inspector.reading import Pixel, Reading, reading_of, runners_used
from wheatstone.viewer.words import spoken


class PixelFacts:
    """The pixel that panels explain, with its images and costs, which are computed on demand.

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
        """Whether the costs of the pixel are being computed."""
        return self.prober.busy

    @property
    def due(self) -> float:
        """Return the time at which requested images are computed; infinite without a request."""
        return min(extras.due for extras in self.extras.values())

    def update(self, session: Session, hit: Hit | None) -> None:
        """Determine the pixel to explain, and request the images computed on demand."""
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
        """Return the execution that holds the on-demand images of run A or B; None if outdated."""
        assert runner.shown and runner.frame
        return self.extras[letter].of(runner.shown, runner.frame)

    def values_key(self, session: Session, letter: Letter, runner: Runner) -> tuple[object, ...]:
        """Return a key that changes whenever the values of the images of run A or B change."""
        assert runner.shown
        extra, known = self.extra(letter, runner), self.prober.answer
        copies = [session.latest.image(runner, name) for name in runner.shown.computed]
        return letter, runner.shown, runner.frame, runner.execution, extra, known, *copies

    def reading(self, session: Session, letter: Letter, runner: Runner, pixel: Pixel) -> Reading:
        """Read the values of the images of run A or B at a pixel."""
        return reading_of(session, letter, runner, self.extra(letter, runner), pixel)

    def sentence(self, reading: Reading, runner: Runner, pixel: Pixel) -> str:
        """Explain in a sentence how the result of run A or B at a pixel came about."""
        frame = runner.frame
        assert frame
        truth = math.nan if frame.truth is None else float(frame.truth[pixel])
        executions = [e for e in (runner.execution, self.extra(reading.letter, runner)) if e]
        curves = self._curves(reading, frame, pixel)
        return explained(reading, None if math.isnan(truth) else truth, pixel, executions, curves)

    def _curves(self, reading: Reading, frame: Frame, pixel: Pixel) -> Curves | None:
        """Return the cost curves with which run A or B matched a pixel; None if unknown."""
        known, slot = self.prober.answer, reading.slot
        if not known or slot.declaration.peer:
            return None
        asked = known.question
        if asked.frame is not frame or (asked.row, asked.column) != pixel:
            return None
        all_curves = dict(zip(asked.params, known.curves, strict=True))
        return all_curves.get(slot.params) if asked.pipeline is slot.pipeline else None

    def close(self) -> None:
        """Cancel all computations and free their memory, but keep the pixel."""
        self.prober.close()
        self.prober = Prober()
        for extras in self.extras.values():
            extras.close()


def explained(
    reading: Reading,
    truth: float | None,
    pixel: Pixel,
    executions: Sequence[Execution] = (),
    curves: Curves | None = None,
) -> str:
    """Explain a result in a sentence: "Matched 15.1 px (truth 15.25), no check rejects it.".

    Args:
        truth: the true disparity in pixels; None if unknown.
        executions: hold the frame, to find out from where a rejected pixel was filled.
        curves: the pixel's costs, which explain the match; None if they are not known.
    """
    if not disparity_image(reading):
        return _of_values(reading)
    final, matched, why = disparity(reading), _matched(reading), reason(reading)
    known = f" (truth {short(truth)})" if truth is not None else ""
    if curves and matched is not None:
        known += f": {compared_sums(curves, matched, truth)};"
    if not why:
        return _not_rejected(final, matched, known, why)
    begin = f"No match{known}" if matched is None else f"Matched {short(matched)} px{known}"
    begin += f" {checked(why)}" if begin.endswith(";") else f", {checked(why)}"
    if final is None:
        return f"{begin}."
    filled = _filled(reading, final)
    origin = _origin(reading, pixel, executions, filled)
    then = f", then smoothed to {short(final)}" if filled != final else ""
    return f"{begin}, filled with {short(filled)}{origin}{then}."


def _not_rejected(final: float | None, matched: float | None, known: str, why: str | None) -> str:
    """Explain the result of a pixel that no check is known to have rejected."""
    if final is None:
        return f"No disparity{known}."
    if matched is None:
        return f"Disparity {short(final)} px{known}."
    begin = f"Matched {short(matched)} px{known}"
    if matched == final and why is None:
        return f"{begin.removesuffix(';')}."
    if matched == final:
        return f"{begin} {checked('')}." if known.endswith(";") else f"{begin}, {checked('')}."
    return f"{begin.removesuffix(';')}, then smoothed to {short(final)}."


def _checked(reading: Reading) -> list[Image]:
    """List the disparity images before the output that a run stored, in order of computation."""
    pipeline = reading.slot.pipeline
    return [
        image
        for image in pipeline.images
        if image.disparity and image.name in reading.stored and image.name != pipeline.output
    ]


def _matched(reading: Reading) -> float | None:
    """Return the disparity that a pixel had before a check rejected it; None if unknown."""
    last = None
    for image in _checked(reading):
        value = value_of(reading, image)
        if value is None:
            break
        last = value
    return last


def _filled(reading: Reading, final: float) -> float:
    """Return the first disparity with which a rejected pixel was filled; ``final`` if unknown."""
    first, holed = final, False
    for image in reversed(_checked(reading)):
        value = value_of(reading, image)
        if holed := value is None:
            break
        first = value if value is not None else first
    return first if holed else final


def _origin(reading: Reading, pixel: Pixel, executions: Sequence[Execution], filled: float) -> str:
    """Describe the origin of the value that filled a rejected pixel; empty if unknown.

    The origin is a side of the row, or earlier frames.
    """
    row, column = pixel
    before = [image for image in _checked(reading) if value_of(reading, image) is None]
    if not before:
        return ""
    last = before[-1]  # the disparities that were left when holes were filled
    if any(last.name in stage.reads for stage in remembering(reading.slot.pipeline)):
        return " from earlier frames"
    holder = next((e for e in executions if e.keeps(last.name)), None)
    if not holder or not last.invalid:
        return ""
    with holder.device.active():
        stored = holder.device.download(as_array(holder.array(last.name))[row])
    invalid = last.invalid(reading.slot.params)
    sides = [
        name
        for name, part in (("left", stored[:column][::-1]), ("right", stored[column + 1 :]))
        if (valid := part[part != invalid]).size
        and math.isclose(float(valid[0]) * last.scale, filled, abs_tol=last.scale / 2)
    ]
    words = {1: f" from the {sides[0]}" if sides else "", 2: " from both sides"}
    return words.get(len(sides), " from around it")


def _of_values(reading: Reading) -> str:
    """Format the result's value of a pixel, and the names of the labels that explain it."""
    pipeline = reading.slot.pipeline
    names = [image.name for image in pipeline.images]
    after = pipeline.images[names.index(pipeline.output) + 1 :]
    explaining = [image.name for image in after if image.labels]
    texts = [
        f"{spoken(name)} {value_words(reading, name)}"
        for name in (pipeline.output, *explaining)
        if name in reading.stored
    ]
    text = "; ".join(texts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""
