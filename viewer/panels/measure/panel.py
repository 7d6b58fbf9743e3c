"""The panel of measures: the distance of two pixels; plane, fill rate and noise of a rectangle."""

from dataclasses import replace

from wheatstone.viewer.cameras.calibration import RELATIVE as RELATIVE_UNIT
from wheatstone.viewer.choices.regions import Rectangle, switch_rectangle
from wheatstone.viewer.panels.measure.distance import Distance, Spot, distance
from wheatstone.viewer.panels.measure.marks import draw_marks
from wheatstone.viewer.panels.measure.measure_words import (
    NO_DISPARITY,
    NO_PIXELS,
    NO_RECTANGLE,
    ONE_PICTURE,
    RELATIVE,
    MeasureLine,
    distance_lines,
    distance_text,
    noise_line,
    plane_lines,
    spot_lines,
)
from wheatstone.viewer.panels.measure.measured import Measured, RectangleMeter, newest
from wheatstone.viewer.panels.measure.temporal import FRAMES
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.widgets import AMBER, draw_pairs, draw_wrapped
from wheatstone.viewer.screen.dear_imgui import imgui


class MeasurePanel:
    """The body of the panel of measures.

    Attributes:
        spots: the points of the chosen pixels, by name; None if a pixel has no disparity.
        distance: of both; None unless both have one.
        meter: measures the rectangle.
    """

    def __init__(self) -> None:
        self.spots: dict[str, Spot | None] = {}
        self.distance: Distance | None = None
        self.meter = RectangleMeter()
        self._measured: Measured | None = None
        self._rectangle: Rectangle | None = None

    def update(self, context: PanelContext) -> None:
        """Measure the chosen pixels now, and the rectangle in the background."""
        state = context.state
        found = self._measured = newest(context.session)
        pixels = {"first": state.look.pin, "second": state.measuring.other}
        self.spots = {name: found.spot(at) for name, at in pixels.items() if found and at}
        both = [spot for spot in self.spots.values() if spot]
        self.distance = distance(*both) if len(both) == 2 else None
        self._rectangle = found.clipped(state.measuring.rectangle) if found else None
        if found and self._rectangle:
            self.meter.update(context.session, found, self._rectangle)
        else:
            self.meter.close()

    @property
    def busy(self) -> bool:
        """Return whether the rectangle is being measured."""
        return self.meter.busy

    def draw(self, context: PanelContext) -> None:
        """Draw the measurements, as texts and over the picture."""
        if not self._measured:
            imgui.text_wrapped(_why_nothing(context))
            return
        if self._measured.calibration.unit == RELATIVE_UNIT:
            draw_wrapped(RELATIVE, AMBER)
        self._draw_distance(context)
        self._draw_rectangle(context)
        unit = self._measured.calibration.unit
        draw_marks(context, distance_text(self.distance, unit) if self.distance else "")

    def close(self) -> None:
        """Stop measuring the rectangle."""
        self.meter.close()

    def _draw_distance(self, context: PanelContext) -> None:
        """Draw depths and distance of the chosen pixels."""
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
        _draw_lines("pixels", lines)
        if not (pin and other):
            draw_wrapped(NO_PIXELS)

    def _draw_rectangle(self, context: PanelContext) -> None:
        """Draw the figures of the rectangle."""
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
        found = self.meter.figures
        if not found:
            imgui.text_disabled("measuring ...")
            return
        _draw_lines("rectangle", plane_lines(found))
        self._draw_noise(source.length)

    def _draw_noise(self, length: int) -> None:
        """Draw the temporal noise, or the number of frames collected so far.

        Args:
            length: of the source, in frames.
        """
        found, wanted = self.meter.figures, min(length, FRAMES)
        assert found
        if wanted < 2:
            draw_wrapped(ONE_PICTURE)
            return
        line = noise_line(found, wanted)
        _draw_lines("noise", [line])
        if found.frames < wanted:
            height = imgui.get_font_size() * 0.4
            imgui.progress_bar(found.frames / wanted, (-1, height), "")


def _why_nothing(context: PanelContext) -> str:
    """Return why nothing can be measured."""
    state = context.state
    slot = state.slot if state.mixing.uses_a else state.slot_b
    image = slot.pipeline.image(slot.pipeline.output)
    return (
        "Nothing is computed yet." if image.disparity else NO_DISPARITY.format(slot.pipeline.name)
    )


def _draw_lines(name: str, lines: list[MeasureLine]) -> None:
    """Draw names on the left and values on the right."""
    draw_pairs(name, [(line.name, line.text, line.help) for line in lines])
