"""The panel of the parameter grid, which shows run A's result over two parameters."""

from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.gpu.parameters import Params
from wheatstone.viewer.choices.panel_choices import SIZES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.display.picture.ranges import shown_range
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.parameter_grid.cell_drawing import (
    best_of,
    draw_grid,
    is_current,
    on_rim,
)
from wheatstone.viewer.panels.parameter_grid.computing import GridCell, GridResults, GridSubject
from wheatstone.viewer.panels.parameter_grid.places import grid_of, numeric
from wheatstone.viewer.panels.widgets import (
    AMBER,
    QUIET,
    disabled,
    draw_combo,
    draw_tip,
    draw_wrapped,
    stay_on_line,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.texture import PictureTexture

GRID = "grid"  # the value of the state's ``racing`` while the grid is computed


class ParameterGridPanel(Body):
    """The contents of the parameter grid panel; ``textures``: thumbnails by cell number."""

    def __init__(self) -> None:
        self.results: GridResults | None = None
        self.textures: dict[int, PictureTexture] = {}
        self._state: ViewerState | None = None
        self._asked = False  # for this choice of parameters
        self._refused: tuple[Run, str] | None = None  # a slot without a grid, and the reason
        self._centre: Params | None = None  # around whose values the grid is laid; None: A's
        self._source: Source | None = None

    def update(self, context: PanelContext) -> None:
        """Start to compute the grid when the panel opens or on request; store finished cells."""
        self._state = state = context.state
        frame = context.session.a.frame or context.session.b.frame
        if self._source is not context.session.source:  # another one, or another truth
            self._source, self._centre = context.session.source, None
            self._compute_again(state)
        if self._refused and self._refused[0] is not state.slot:
            self._compute_again(state)
        if not self._asked and not state.racing and frame:
            state.racing, self._asked = GRID, True
            self._begin(context, frame)
        if self.results and not self.results.done:
            if state.racing != GRID:
                self.results.cancel()
            self.results.step()
            if self.results.done and state.racing == GRID:
                state.racing = ""
        self._make_textures()

    def _begin(self, context: PanelContext, frame: Frame) -> None:
        state = context.state
        slot, self._refused = state.slot, None
        self.close_textures()
        try:
            centre = self._centre if isinstance(self._centre, type(slot.params)) else slot.params
            grid = grid_of(centre, state.parameter_grid, slot.pipeline.variant(slot.variant))
            image = slot.image(slot.pipeline.output)
            if len(image.dims) != 2:
                raise ValueError(f"{slot.pipeline.name} computes no picture")
            colors = image.colormap or state.colormap
            limits = shown_range(state, slot, image)
        except ValueError as error:
            self._refused = slot, str(error)
            state.racing, self.results = "", None
            return
        subject = GridSubject(slot, frame, limits, colors, state.truth)
        self.results = GridResults(grid, subject, context.session.worker)

    def _make_textures(self) -> None:
        from wheatstone.viewer.display.screen.texture import PictureTexture

        for number, cell in enumerate(self.results.cells if self.results else ()):
            if cell.picture is not None and number not in self.textures:
                self.textures[number] = PictureTexture(cell.picture)

    @property
    def busy(self) -> bool:
        """Return whether cells remain to be computed."""
        return bool(self.results and not self.results.done) or not self._asked

    def draw(self, context: PanelContext) -> None:
        """Draw the choices, progress and the grid; a click on a cell sets run A's parameters."""
        if self._refused:
            draw_wrapped(f"No grid for A: {self._refused[1]}.", QUIET)
            return
        self._draw_choices(context)
        if not self.results:
            return
        numbers = {number: texture.number for number, texture in self.textures.items()}
        chosen = self._draw_best(context.state, self.results)
        chosen = draw_grid(self.results, numbers, context.state.slot) or chosen
        self._draw_rim(context.state, self.results)  # below, so that no cell moves
        if chosen:
            adopt(context.state, self.results, chosen)

    def _draw_best(self, state: ViewerState, results: GridResults) -> GridCell | None:
        """Draw the button that sets the best values; return their cell if it was clicked.

        Its place is there from the start, so that no cell moves.
        """
        best = best_of(results)
        if best and is_current(results, best, state.slot):
            says = f"In use: {gain(results, best, state.slot)}"
        else:
            says = f"Use best: {gain(results, best, state.slot)}" if best else "Use best"
        usable = results.done and best and says.startswith("Use")
        with disabled(not usable):
            clicked = imgui.button(f"{says}###best")
        draw_tip("" if best or not results.done else "It needs ground truth.")
        return best if clicked else None

    def _draw_rim(self, state: ViewerState, results: GridResults) -> None:
        """Draw a warning if the best value is at the grid's edge, and a button that extends it."""
        best, names = best_of(results), on_rim(results)
        if not names or not best or not best.place.params:
            return
        values = best.place.params.values()
        where = ", ".join(f"{spoken(name)} {in_words(values[name])}" for name in names)
        draw_wrapped(f"The best value lies at the edge of the grid: {where}.", AMBER)
        if imgui.button("Extend the grid"):
            self._centre = best.place.params
            self._compute_again(state)

    def _draw_choices(self, context: PanelContext) -> None:
        state, em = context.state, imgui.get_font_size()
        names = list(
            numeric(type(state.slot.params), state.slot.pipeline.variant(state.slot.variant))
        )
        grid = self.results.grid if self.results else None
        for label, shown in (("across", grid and grid.across), ("down", grid and grid.down)):
            imgui.set_next_item_width(em * 9)
            if name := draw_combo(f"{label}##{label}", shown or "", names, spoken):
                self._choose(state, f"parameter_grid.{label}", name)
            stay_on_line(em * 14)
        imgui.set_next_item_width(em * 4)
        if size := draw_combo("values##size", state.parameter_grid.size, SIZES, in_words):
            self._choose(state, "parameter_grid.size", size)
        stay_on_line(em * 10)
        if state.racing == GRID and self.results:
            if imgui.button("Stop"):
                state.racing = ""
            imgui.same_line()
            imgui.progress_bar(self.results.progress, (-1, 0))
        elif imgui.button("Compute again"):
            self._centre, self._asked = None, False

    def _choose(self, state: ViewerState, path: str, value: object) -> None:
        choose(state, path, value)
        self._compute_again(state)

    def _compute_again(self, state: ViewerState) -> None:
        """Cancel the cells in progress, and compute the grid again."""
        if self.results:
            self.results.cancel()
        if state.racing == GRID:
            state.racing = ""
        self._asked = False

    def close_textures(self) -> None:
        """Delete the textures of the thumbnails."""
        for texture in self.textures.values():
            texture.close()
        self.textures.clear()

    def close(self) -> None:
        """Cancel the unfinished cells, and delete the textures."""
        if self.results:
            self.results.cancel()
        if self._state and self._state.racing == GRID:
            self._state.racing = ""
        self.close_textures()


def adopt(state: ViewerState, results: GridResults, cell: GridCell) -> None:
    """Set run A's two parameters to a cell's values, and report this; keep all other settings."""
    params, grid = cell.place.params, results.grid
    if params is None or state.slot.pipeline.name != results.subject.slot.pipeline.name:
        state.report_error(cell.why or "A shows another pipeline now")
        return
    values = {name: params.values()[name] for name in (grid.across, grid.down)}
    message = gain(results, cell, state.slot)
    try:
        state.slot = replace(state.slot, params=state.slot.params.changed(**values))
    except ValueError as error:
        state.report_error(str(error))
        return
    state.hint(message)


def gain(results: GridResults, cell: GridCell, slot: Run) -> str:
    """Describe a cell's values and, if known, the change of the error from that of run A.

    An example is ``p1 18, p2 100: bad-2 1.01 % -> 0.95 %``.
    """
    values = results.grid.values_at(cell.place)
    if cell.bad is None:
        return values
    now = next((each.bad for each in results.cells if is_current(results, each, slot)), None)
    before = f"{now:.2f} % -> " if now is not None and now != cell.bad else ""
    return f"{values}: {results.subject.measure} {before}{cell.bad:.2f} %"
