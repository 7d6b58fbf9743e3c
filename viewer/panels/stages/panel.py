"""The stage panel: the time of every stage of runs A and B, and frame rates."""

import time
from collections.abc import Callable, Sequence

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.roofline import Peaks, peaks
from wheatstone.gpu.device import Device
from wheatstone.viewer.display.frames.meters import Meters
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.stages.stage_bars import draw_bars
from wheatstone.viewer.panels.stages.stage_plots import draw_frame_times, draw_roofline
from wheatstone.viewer.panels.stages.stage_strip import (
    HEADING_HELP,
    HEADINGS,
    Strip,
    cells,
    number,
    rates_line,
    strip,
)
from wheatstone.viewer.panels.widgets import (
    begin_table,
    draw_at_right,
    draw_chip,
    draw_tip,
    next_row,
)
from wheatstone.viewer.words import spoken

WIDTHS = (4.4, 4.0, 3.6, 3.7, 3.3, 3.9)  # of the columns of numbers, in font sizes


def draw_table(strips: Sequence[Strip], scale: float) -> None:
    """Draw the table of stage costs, with a scrollbar if needed."""
    flags = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (4 * scale, scale))
    widths = (width * imgui.get_font_size() for width in WIDTHS)
    if begin_table("stages", {"stage": None, **dict(zip(HEADINGS, widths, strict=True))}, flags):
        _draw_headings()
        for strip in strips:
            _draw_rows(strip)
        imgui.end_table()
    imgui.pop_style_var()


def _draw_headings() -> None:
    imgui.table_setup_scroll_freeze(0, 1)
    next_row()
    imgui.text_disabled("stage")
    for heading, help in zip(HEADINGS, HEADING_HELP, strict=True):
        imgui.table_next_column()
        draw_at_right(heading, dim=True)
        draw_tip(help)


def _draw_rows(strip: Strip) -> None:
    next_row()
    imgui.text_disabled(f"{strip.letter}  {strip.name}")
    for line in strip.lines:
        next_row()
        draw_chip(line.color)
        imgui.text(spoken(line.stage))
        if line.help:
            draw_tip(line.help)
        for cell in cells(line):
            imgui.table_next_column()
            draw_at_right(cell)
    if strip.lines:
        _draw_sum(strip)


def _draw_sum(strip: Strip) -> None:
    """Draw the table's last row: sum of the median times, and bandwidth of a plain memory copy."""
    next_row()
    imgui.text_disabled("sum; a copy")
    imgui.table_next_column()
    draw_at_right(f"{strip.total:.3f}", dim=True)
    imgui.table_set_column_index(3)
    copied = strip.peaks.copy_gigabytes_per_second if strip.peaks else None
    draw_at_right(number(copied), dim=True)


EVERY = 0.25  # seconds for which numbers stay: time to read them
WIDE, MEDIUM = 1500, 760  # units of an unscaled screen from which there are four columns, or two
Part = tuple[str, Callable[[], None]]  # title of a part of the panel, and what draws the part


class StagesPanel(Body):
    """The contents of the stage panel; while it is open, the stages are measured."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self._updated = clock, float("-inf")
        self._meters: Meters | None = None
        self._measured: dict[str, Peaks | None] = {}  # by kind of device; None: unavailable
        self._measuring: dict[str, Task[Peaks]] = {}
        self.strips: tuple[Strip, ...] = ()
        self.rates = ""
        self.waiting = ""  # why there are no times yet

    def update(self, context: PanelContext) -> None:
        """Turn on the measurement of stages, and update the costs shown several times a second."""
        self._meters = context.session.meters
        self._meters.measuring = True
        now = self._clock()
        if now - self._updated < EVERY:
            return
        self._updated = now
        mixing, session = context.state.mixing, context.session
        slots = [slot for slot, used in (("a", mixing.uses_a), ("b", mixing.uses_b)) if used]
        live = self._meters.counters(session.source.live)
        self.rates = rates_line(self._meters.rates, session.source.rate, slots, live)
        self.waiting = (
            "paused: Space plays, and measures" if context.state.paused else "measuring ..."
        )
        strips: list[Strip | None] = []
        for slot in slots:
            meter = self._meters.slots[slot]
            ran = meter.execution if len(meter.samples) else None
            strips.append(
                strip(slot.upper(), meter, self._peaks(context, ran.device) if ran else None)
            )
        self.strips = tuple(strip for strip in strips if strip)

    def _peaks(self, context: PanelContext, device: Device) -> Peaks | None:
        """Return a device's peak bandwidth and operation rate; None until they have been measured.

        A CPU is measured in the background, because it takes long.
        """
        kind = device.kind
        if kind not in self._measured:
            if kind != "cpu":
                self._measured[kind] = _peaks_or_say(context, device)
            elif kind not in self._measuring:
                submit = context.session.worker.submit
                self._measuring[kind] = submit("copy bandwidth", lambda task: peaks(device))
            elif self._measuring[kind].done:
                self._measured[kind] = self._measuring.pop(kind).result()
        return self._measured.get(kind)

    def draw(self, context: PanelContext) -> None:
        """Draw as many parts of the panel side by side as fit, and the others as tabs."""
        scale, intervals = context.scale, context.session.meters.intervals.rows()[:, 0]
        parts: list[Part] = [
            ("Times", lambda: draw_bars(self.strips, self.rates, self.waiting, scale)),
            ("Table", lambda: draw_table(self.strips, scale)),
            ("Roofline", lambda: draw_roofline(self.strips)),
            ("Frames", lambda: draw_frame_times(intervals)),
        ]
        width = imgui.get_content_region_avail().x
        if width >= WIDE * scale:
            _draw_columns(parts, (0.28, 0.34, 0.20, 0.18))
        elif width >= MEDIUM * scale:
            _draw_columns([parts[0], ("tabs", lambda: _draw_tabs(parts[1:]))], (0.46, 0.54))
        else:
            _draw_tabs(parts)

    def close(self) -> None:
        if self._meters:
            self._meters.measuring = False


def _peaks_or_say(context: PanelContext, device: Device) -> Peaks | None:
    """Measure a device's peak bandwidth and operation rate; report failure and return None."""
    try:
        return peaks(device)
    except Unavailable as error:
        context.state.report_error(str(error))
        return None


def _draw_columns(parts: list[Part], shares: tuple[float, ...]) -> None:
    gap = imgui.get_font_size()
    width = imgui.get_content_region_avail().x - gap * (len(parts) - 1)
    for place, ((title, draw), share) in enumerate(zip(parts, shares, strict=True)):
        if place:
            imgui.same_line(0, gap)
        imgui.begin_child(title, (int(width * share), 0))
        draw()
        imgui.end_child()


def _draw_tabs(parts: list[Part]) -> None:
    if imgui.begin_tab_bar("parts"):
        for title, draw in parts:
            if imgui.begin_tab_item_simple(title):
                draw()
                imgui.end_tab_item()
        imgui.end_tab_bar()
