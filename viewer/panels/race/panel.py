"""The race: who computes A's result fastest, and how that changes with a parameter."""

import math
from dataclasses import dataclass
from typing import Any

from gpu.parameters import controls
from gpu.pipeline import Sweep
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.frames.session import Session
from viewer.panels.panel import PanelContext
from viewer.panels.race.race_board import BoardRow, board
from viewer.panels.race.standings import Race, Standing
from viewer.panels.race.sweep_plot import draw_sweep
from viewer.panels.race.sweeping import Curve, SweepRace, called
from viewer.panels.race.timed_run import Contest
from viewer.sources.grey import grey_views

BITE = 8.0  # milliseconds of the display's thread for every frame presented
BAR, LEADER, QUIET = (0.30, 0.55, 0.85, 0.28), (0.95, 0.72, 0.25, 0.34), (0.62, 0.62, 0.64, 1.0)
STAR, WRONG = (1.0, 0.80, 0.35, 1.0), (1.0, 0.62, 0.30, 1.0)
TIMES = 9.0  # heights of a line that time and speed take at a row's right
PLOT_HEIGHT = 280.0  # at scale 1


@dataclass
class RaceOutcome:
    """What came of the last race and of the last sweep.

    Attributes:
        standings: of the variants; ``standings_of`` says in a few words what was computed.
        curves: of the sweep, with what was computed, and over what it went.
    """

    standings_of: str = ""
    standings: tuple[Standing, ...] = ()
    curves_of: str = ""
    curves: tuple[Curve, ...] = ()
    sweep: Sweep | None = None


class RacePanel:
    """The body of the panel.

    Attributes:
        outcome: what was found out so far.
    """

    def __init__(self) -> None:
        self.outcome = RaceOutcome()
        self._series: Race | SweepRace | None = None
        self._rows: tuple[BoardRow, ...] = ()
        self._state: ViewerState | None = None
        self._of: object = None  # the standings that the rows are of

    def update(self, desk: PanelContext) -> None:
        """Start, go on or stop as asked, and take over what was found out."""
        self._state = state = desk.state
        if state.racing and self._series is None:
            self._series = started(desk.session, self.outcome)
        elif not state.racing and self._series:
            self._series.cancel()
        if self._series:
            self._series.step(BITE)
            _publish(self._series, self.outcome)
            if self._series.done:
                self._series, state.racing = None, ""
        if self.outcome.standings is not self._of:
            self._rows, self._of = board(self.outcome.standings), self.outcome.standings

    @property
    def busy(self) -> bool:
        """Tell whether a race or a sweep is on."""
        return self._series is not None

    def draw(self, desk: PanelContext) -> None:
        """Draw buttons, progress, the leader board and the plot."""
        outcome = self.outcome
        _draw_buttons(desk)
        if self._series:
            _draw_progress(self._series)
        if self._rows:
            _say(outcome.standings_of)
        for row in self._rows:
            _draw_row(row)
        sweep = outcome.sweep
        if outcome.curves and sweep:
            _say(outcome.curves_of)
            draw_sweep(outcome.curves, sweep, called(sweep), PLOT_HEIGHT * desk.scale)
        if not (self._rows or outcome.curves or self._series):
            _draw_nothing_yet(desk)

    def close(self) -> None:
        """Stop what runs; what was found out stays."""
        if self._series and self._state:
            self._series.cancel()
            _publish(self._series, self.outcome)
            self._series, self._state.racing = None, ""


def started(session: Session, outcome: RaceOutcome) -> Race | SweepRace | None:
    """Start what was asked for, on the frame that A shows; say why not, if that is impossible."""
    state = session.state
    slot, source = state.slot, session.source
    frame = session.a.frame or source.frame(state.frame)
    views = {name: view.copy() for name, view in grey_views(frame).items()}
    contest = Contest(slot.pipeline, slot.params, source.height, source.width, views)
    where = f"{source.width} x {source.height}, frame {state.frame} of {source.name}"
    if state.racing == "race":
        outcome.standings_of, outcome.standings = f"{in_short(slot)}, {where}", ()
        return Race(contest, session.worker, state.absent)
    if slot.pipeline.sweep is None:
        state.message = f"{slot.pipeline.name} declares nothing to sweep over"
        state.racing = ""
        return None
    outcome.curves_of, outcome.curves = f"{slot.pipeline.title}, {where}", ()
    outcome.sweep = slot.pipeline.sweep
    return SweepRace(contest, session.worker, state.absent)


def in_short(slot: Slot) -> str:
    """A pipeline with those of its parameters that have a symbol."""
    values = slot.params.values()
    shown = [f"{c.symbol} {values[n]}" for n, c in controls(type(slot.params)).items() if c.symbol]
    return ", ".join([slot.pipeline.title, *shown])


def _publish(series: Race | SweepRace, outcome: RaceOutcome) -> None:
    """Take over what a race or a sweep has found out so far."""
    if isinstance(series, SweepRace):
        outcome.curves = series.curves
    elif series.standings != outcome.standings:
        outcome.standings = series.standings


def _draw_buttons(desk: PanelContext) -> None:
    """Draw what starts and stops."""
    from imgui_bundle import imgui

    state = desk.state
    sweep = state.slot.pipeline.sweep
    if state.racing:
        if imgui.button("Stop"):
            state.racing = ""
        return
    if imgui.button("Race the variants"):
        state.racing = "race"
    if sweep:
        imgui.same_line()
        if imgui.button(f"Sweep {sweep.label}"):
            state.racing = "sweep"


def _draw_progress(series: Race | SweepRace) -> None:
    from imgui_bundle import imgui

    heat = series.heat
    what = f"{heat.variant.name}, frame {heat.frames + 1}" if heat else ""
    imgui.same_line()
    pad, corner = imgui.get_style().frame_padding, imgui.get_cursor_screen_pos()
    imgui.push_style_color(imgui.Col_.plot_histogram, (*BAR[:3], 0.7))
    imgui.progress_bar(series.progress, (-1, 0), "")
    imgui.pop_style_color()
    ink = imgui.get_color_u32(imgui.Col_.text)
    imgui.get_window_draw_list().add_text((corner.x + pad.x, corner.y + pad.y), ink, what)


def _draw_row(row: BoardRow) -> None:
    """Draw a line of the board, its bar behind it, and the details below."""
    from imgui_bundle import imgui

    em, font = imgui.get_font_size(), imgui.get_font()
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    room = max(width - (TIMES if row.time else 0.3) * em - 1.6 * em, em)
    height = imgui.calc_text_size(row.name, wrap_width=room).y
    drawn, end = imgui.get_window_draw_list(), corner.y + height + em / 3
    if row.time:
        color = imgui.get_color_u32(LEADER if row.leads else BAR)
        drawn.add_rect_filled(corner, (corner.x + width * row.share, end), color, em / 5)
    y, ink = corner.y + em / 6, imgui.get_color_u32(imgui.Col_.text)
    if row.leads:
        _draw_star(corner.x + em * 0.7, y + em / 2, em * 0.45)
    elif row.time:
        drawn.add_text((corner.x + em * 0.5, y), ink, row.place)
    drawn.add_text(font, em, (corner.x + em * 1.6, y), ink, row.name, wrap_width=room)
    for text, right in ((f"{row.time} ms" if row.time else "", 4.2), (row.speed, 0.3)):
        x = corner.x + width - right * em - imgui.calc_text_size(text).x
        drawn.add_text((x, y), ink, text)
    imgui.dummy((width, end - corner.y - em / 4))
    imgui.indent(em * 1.6)
    imgui.push_style_color(imgui.Col_.text, WRONG if row.wrong else QUIET)
    imgui.text_wrapped(row.details)
    imgui.pop_style_color()
    imgui.unindent(em * 1.6)


def _draw_star(x: float, y: float, radius: float) -> None:
    """Draw a star of five points about a place."""
    from imgui_bundle import imgui

    turns = [(i * math.pi / 5, radius if i % 2 == 0 else radius * 0.42) for i in range(10)]
    points: Any = [(x + r * math.sin(a), y - r * math.cos(a)) for a, r in turns]
    imgui.get_window_draw_list().add_concave_poly_filled(points, imgui.get_color_u32(STAR))


def _draw_nothing_yet(desk: PanelContext) -> None:

    slot = desk.state.slot
    words = ["A race runs every variant on the frame shown, with A's parameters."]
    if slot.pipeline.sweep:
        places = ", ".join(f"{place:g}" for place in slot.pipeline.sweep.places)
        words.append(f"A sweep times them at {called(slot.pipeline.sweep)} {places}.")
    _say(" ".join(words))


def _say(words: str) -> None:
    """Draw words that stand back."""
    from imgui_bundle import imgui

    imgui.push_style_color(imgui.Col_.text, QUIET)
    imgui.text_wrapped(words)
    imgui.pop_style_color()
