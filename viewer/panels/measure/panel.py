"""The measure panel: the distance of two pixels; plane, fill rate and noise of a rectangle."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from wheatstone.viewer.choices.regions import Rectangle, switch_rectangle
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.io.cameras.calibration import RELATIVE as RELATIVE_UNIT
from wheatstone.viewer.panels.marks import draw_marks
from wheatstone.viewer.panels.measure.distance import (
    Distance,
    Spot,
    depth_step,
    distance,
    length,
    three_digits,
    with_deviation,
)
from wheatstone.viewer.panels.measure.measured import (
    Measured,
    RectangleFigures,
    RectangleMeter,
    newest,
)
from wheatstone.viewer.panels.measure.plane import FRAMES
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import AMBER, draw_pairs, draw_wrapped

NOTHING = "\N{EN DASH}"
NO_DISPARITY = "{} computes no disparity to measure in. Ctrl+1..9 chooses a pipeline that does."
NO_PIXELS = (
    "Menu Measure and the menu of a pixel measure the distance of two pixels. Alternatively, "
    "Ctrl+click each of them, or press Shift+I and Ctrl+I at the cursor."
)
NO_RECTANGLE = "Menu Measure measures in a rectangle in the centre. Ctrl+drag draws one elsewhere."
RELATIVE = "No calibration is known: lengths are relative. Open the file of a calibration."
ONE_PICTURE = "temporal noise needs a sequence"
DEVIATION = (
    "Effect of half a disparity step of {step:g} px in each direction: dz = z² / (f b) x "
    "{half:g} px, along the rays of both pixels, added in quadrature."
)
FILL = "Pixels of the rectangle that have a depth."
PLANE = (
    "Root mean square of the distances to the plane that fits best; the 0.5 % of the points "
    "farthest on either side are omitted, and the plane is fitted again."
)
DISPARITY = (
    "Root mean square of the disparities minus those of the plane. Camera makers call it "
    "sub-pixel RMS error."
)
TILT = "Angle between the plane and the picture: 0 for a wall that the camera faces."
STEP = "Depth difference of {:g} px of disparity at the mean depth."
NOISE = (
    "Median over the pixels of the standard deviation of their depth over {} frames. It measures "
    "noise only while camera and scene are still."
)


class MeasureLine(NamedTuple):
    """A line of the measure panel: name, value and explanation."""

    name: str
    text: str
    help: str = ""


def spot_lines(spots: Mapping[str, Spot | None], step: float, unit: str) -> list[MeasureLine]:
    """List the depths of the chosen pixels, with their deviations for half a disparity ``step``."""
    help = DEVIATION.format(step=step, half=step / 2)
    texts = {
        name: with_deviation(spot.depth, spot.deviation, unit) if spot else "no disparity"
        for name, spot in spots.items()
    }
    return [MeasureLine(f"depth of {name}", text, help) for name, text in texts.items()]


def distance_text(measured: Distance, unit: str) -> str:
    """Format a distance with its deviation."""
    return with_deviation(measured.length, measured.deviation, unit)


def distance_lines(measured: Distance, step: float, unit: str) -> list[MeasureLine]:
    """List the lines with a distance and its components: right, down and ahead."""
    x, y, z = measured.along
    help = DEVIATION.format(step=step, half=step / 2)
    ways = ("right" if x >= 0 else "left", "down" if y >= 0 else "up")
    ahead = "ahead" if z >= 0 else "back"
    return [
        MeasureLine("distance", distance_text(measured, unit), help),
        *(
            MeasureLine(f"to the {way}" if way in ("right", "left") else way, length(abs(v), unit))
            for way, v in zip((*ways, ahead), (x, y, z), strict=True)
        ),
        MeasureLine("in the picture", f"{measured.pixels:.1f} px"),
    ]


def plane_lines(figures: RectangleFigures) -> list[MeasureLine]:
    """List the lines with the measurements of a rectangle, except its temporal noise."""
    plane, unit = figures.plane, figures.calibration.unit
    fill = MeasureLine("fill rate", f"{plane.fill_rate:.1f} %", FILL)
    if not plane.fits:
        return [fill, MeasureLine("plane fit RMS error", NOTHING, PLANE)]
    step = depth_step(figures.calibration, plane.depth, figures.step)
    return [
        fill,
        MeasureLine("plane fit RMS error", _of_depth(plane.rms, plane.depth, unit), PLANE),
        MeasureLine("disparity noise", f"{plane.disparity_noise:.3f} px", DISPARITY),
        MeasureLine("tilt of the plane", f"{plane.tilt:.2f}\N{DEGREE SIGN}", TILT),
        MeasureLine("mean depth", length(plane.depth, unit)),
        MeasureLine("one disparity step", length(step, unit), STEP.format(figures.step)),
    ]


def noise_line(figures: RectangleFigures, wanted: int) -> MeasureLine:
    """Format the temporal noise, or the number of frames if these are too few."""
    help = NOISE.format(min(wanted, FRAMES))
    if figures.frames < wanted or not math.isfinite(figures.noise):
        return MeasureLine("temporal noise", f"{figures.frames} of {wanted} frames", help)
    depth, unit = figures.plane.depth, figures.calibration.unit
    return MeasureLine("temporal noise", _of_depth(figures.noise, depth, unit), help)


def _of_depth(value: float, depth: float, unit: str) -> str:
    """Format a length, and its percentage of a depth."""
    share = f" ({three_digits(100 * value / depth)} %)" if math.isfinite(depth) else ""
    return f"{length(value, unit)}{share}"


class MeasurePanel(Body):
    """The contents of the measure panel, drawn while it is open.

    Attributes:
        spots: the points of the chosen pixels, by name; None if a pixel has no disparity.
        distance: of both; None unless both have one.
    """

    def __init__(self) -> None:
        self.spots: dict[str, Spot | None] = {}
        self.distance: Distance | None = None
        self.meter = RectangleMeter()
        self._measured: Measured | None = None
        self._rectangle: Rectangle | None = None

    def update(self, context: PanelContext) -> None:
        """Measure the chosen pixels now, and start to measure the rectangle in the background."""
        state = context.state
        measured = self._measured = newest(context.session)
        pixels = {"first": state.look.pin, "second": state.measuring.other}
        self.spots = {name: measured.spot(at) for name, at in pixels.items() if measured and at}
        both = [spot for spot in self.spots.values() if spot]
        self.distance = distance(*both) if len(both) == 2 else None
        self._rectangle = measured.clipped(state.measuring.rectangle) if measured else None
        if measured and self._rectangle:
            self.meter.update(context.session, measured, self._rectangle)
        else:
            self.meter.close()

    @property
    def busy(self) -> bool:
        return self.meter.busy

    def draw(self, context: PanelContext) -> None:
        """Draw the measurements as texts, and their marks over the picture."""
        if not self._measured:
            imgui.text_wrapped(for_pointer(_why_nothing(context)))
            return
        if self._measured.calibration.unit == RELATIVE_UNIT:
            draw_wrapped(RELATIVE, AMBER)
        self._draw_distance(context)
        self._draw_rectangle(context)
        unit = self._measured.calibration.unit
        draw_marks(context, distance_text(self.distance, unit) if self.distance else "")

    def close(self) -> None:
        self.meter.close()

    def _draw_distance(self, context: PanelContext) -> None:
        assert self._measured
        imgui.separator_text("two pixels")
        state, step, unit = context.state, self._measured.step, self._measured.calibration.unit
        pin, other = state.look.pin, state.measuring.other
        if not pin and not other:
            draw_wrapped(NO_PIXELS)
            return
        places = [f"x {at[1]} y {at[0]}" if at else "?" for at in (pin, other)]
        imgui.text(" to ".join(places))
        imgui.same_line()
        if imgui.small_button("clear##pixels"):
            state.look = replace(state.look, pin=None)
            state.measuring = replace(state.measuring, other=None)
        lines = spot_lines(self.spots, step, unit)
        if self.distance:
            lines = [*distance_lines(self.distance, step, unit), *lines]
        draw_pairs("pixels", lines)
        if not (pin and other):
            draw_wrapped(NO_PIXELS)

    def _draw_rectangle(self, context: PanelContext) -> None:
        imgui.separator_text("rectangle")
        source = context.session.source
        if not self._rectangle:
            draw_wrapped(NO_RECTANGLE)
            if imgui.small_button("middle"):
                switch_rectangle(context.state, (source.width, source.height))
            return
        x, y, width, height = self._rectangle
        imgui.text(f"x {x} y {y}, {width} x {height}")
        imgui.same_line()
        if imgui.small_button("clear##rectangle"):
            switch_rectangle(context.state, (source.width, source.height))
        figures = self.meter.figures
        if not figures:
            imgui.text_disabled("measuring ...")
            return
        draw_pairs("rectangle", plane_lines(figures))
        self._draw_noise(source.length)

    def _draw_noise(self, length: int) -> None:
        """Draw the temporal noise, or the number of frames collected so far."""
        figures, wanted = self.meter.figures, min(length, FRAMES)
        assert figures
        if wanted < 2:
            draw_wrapped(ONE_PICTURE)
            return
        line = noise_line(figures, wanted)
        draw_pairs("noise", [line])
        if figures.frames < wanted:
            height = imgui.get_font_size() * 0.4
            imgui.progress_bar(figures.frames / wanted, (-1, height), "")


def _why_nothing(context: PanelContext) -> str:
    """Return the reason why nothing can be measured."""
    state = context.state
    slot = state.slot if state.mixing.uses_a else state.slot_b
    image = slot.pipeline.image(slot.pipeline.output)
    return (
        "Nothing is computed yet." if image.disparity else NO_DISPARITY.format(slot.pipeline.name)
    )
