"""The race panel: which variant computes run A's result fastest, for one value or a sweep."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Sweep
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.race.drawing import WRONG, draw_row, draw_sweep
from wheatstone.viewer.panels.race.race_board import BoardRow, board, last_line
from wheatstone.viewer.panels.race.standings import Race, Standing
from wheatstone.viewer.panels.race.sweeping import Curve, SweepRace, axis_label
from wheatstone.viewer.panels.race.timed_run import Contest
from wheatstone.viewer.panels.widgets import AMBER, QUIET, draw_progress, draw_wrapped
from wheatstone.viewer.run.run import Run

SERIES = ("race", "sweep")  # what of all that runs beside the display runs here
BITE = 8.0  # milliseconds of the display's thread for every frame presented
SCALE = "Bars show times on a logarithmic scale: the shorter, the faster."
PLOT_HEIGHT = 280.0  # at scale 1

Views = dict[str, NDArray[np.uint8]]


@dataclass
class RaceOutcome:
    """The results of the newest race and the newest sweep, and descriptions of their inputs."""

    standings_of: str = ""
    standings: tuple[Standing, ...] = ()
    curves_of: str = ""
    curves: tuple[Curve, ...] = ()
    sweep: Sweep | None = None


class RacePanel(Body):
    """The contents of the race panel; ``outcome`` has the results so far."""

    def __init__(self) -> None:
        self.outcome = RaceOutcome()
        self._views: tuple[Frame, Task[Views]] | None = None  # made of the frame raced on
        self._series: Race | SweepRace | None = None
        self._rows: tuple[BoardRow, ...] = ()
        self._last_line = ""
        self._state: ViewerState | None = None
        self._rows_of: object = None  # the standings that the rows are made from

    def update(self, context: PanelContext) -> None:
        """Start, continue or stop a race or sweep as the viewer state requests; store results."""
        self._state = state = context.state
        frame = context.session.a.frame or context.session.b.frame
        if state.racing in SERIES and self._series is None and frame:
            self._begin(context.session, frame)
        elif state.racing not in SERIES and self._series:
            self._series.cancel()
        elif state.racing not in SERIES:
            self._views = None
        if self._series:
            self._series.step(BITE)
            _publish(self._series, self.outcome)
            if self._series.done:
                self._series = None
                state.racing = "" if state.racing in SERIES else state.racing
        if self.outcome.standings is not self._rows_of:
            standings = self.outcome.standings
            self._rows, self._last_line, self._rows_of = (
                board(standings),
                last_line(standings),
                standings,
            )

    def _begin(self, session: Session, frame: Frame) -> None:
        if self._views is None:
            task = session.worker.submit(
                "views to race on",
                lambda _: {name: view.copy() for name, view in grey_views(frame).items()},
            )
            self._views = frame, task
        elif self._views[1].done:
            (frame, task), self._views = self._views, None
            self._series = start(session, frame, task.result(), self.outcome)

    @property
    def busy(self) -> bool:
        """Return whether a race of variants or a sweep over a parameter is in progress."""
        return self._series is not None or self._views is not None

    def draw(self, context: PanelContext) -> None:
        """Draw the buttons, the progress, the leader board of a race and the plot of a sweep."""
        outcome = self.outcome
        _draw_buttons(context)
        if self._series:
            series = self._series  # whose variants take times of different orders
            draw_progress(series.progress, series.step_words, series.seconds, even=False)
        if self._last_line:
            draw_wrapped(self._last_line, WRONG if "NOT" in self._last_line else AMBER)
        if self._rows:
            draw_wrapped(outcome.standings_of, QUIET)
            draw_wrapped(SCALE, QUIET)
        for row in self._rows:
            draw_row(row)
        sweep = outcome.sweep
        if outcome.curves and sweep:
            draw_wrapped(outcome.curves_of, QUIET)
            draw_sweep(outcome.curves, sweep, axis_label(sweep), PLOT_HEIGHT * context.scale)
        if not (self._rows or outcome.curves or self._series):
            _draw_nothing_yet(context)

    def close(self) -> None:
        """Stop the race or sweep in progress, and keep its results."""
        if self._views and self._state:
            self._views[1].cancel()
            self._views, self._state.racing = None, ""
        if self._series and self._state:
            self._series.cancel()
            _publish(self._series, self.outcome)
            self._series, self._state.racing = None, ""


def start(
    session: Session, frame: Frame, views: Views, outcome: RaceOutcome
) -> Race | SweepRace | None:
    """Start the race or the sweep that the viewer state requests, on a frame's grey views.

    None if the pipeline declares no sweep, which a message reports.
    """
    state = session.state
    slot, source = state.slot, session.source
    contest = Contest(slot.pipeline, slot.params, views)
    where = f"{source.width} x {source.height}, frame {frame.index} of {source.name}"
    if state.racing == "race":
        outcome.standings_of, outcome.standings = f"{in_short(slot)}, {where}", ()
        return Race(contest, session.worker, state.absent)
    if slot.pipeline.sweep is None:
        state.hint(f"{slot.pipeline.name} declares nothing to sweep over")
        state.racing = ""
        return None
    outcome.curves_of, outcome.curves = f"{slot.pipeline.title}, {where}", ()
    outcome.sweep = slot.pipeline.sweep
    return SweepRace(contest, session.worker, state.absent)


def in_short(slot: Run) -> str:
    """Describe a run briefly: its pipeline and the main parameters, which have a short symbol."""
    values = slot.params.values()
    shown = [f"{c.symbol} {values[n]}" for n, c in controls(type(slot.params)).items() if c.symbol]
    return ", ".join([slot.pipeline.title, *shown])


def _publish(series: Race | SweepRace, outcome: RaceOutcome) -> None:
    if isinstance(series, SweepRace):
        outcome.curves = series.curves
    elif series.standings != outcome.standings:
        outcome.standings = series.standings


def _draw_buttons(context: PanelContext) -> None:
    state = context.state
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


def _draw_nothing_yet(context: PanelContext) -> None:
    slot = context.state.slot
    sentences = ["A race runs every variant on the frame shown, with A's parameters."]
    if slot.pipeline.sweep:
        places = ", ".join(f"{place:g}" for place in slot.pipeline.sweep.places)
        sentences.append(f"A sweep times them at {axis_label(slot.pipeline.sweep)} {places}.")
    draw_wrapped(" ".join(sentences), QUIET)
