"""The panel of small multiples: A's result over two parameters; a click adopts the values."""

from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.viewer.choices.panel_choices import SIZES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.display.picture.ranges import shown_range
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.multiples.cell_drawing import draw_grid
from wheatstone.viewer.panels.multiples.computing import GridCell, GridSubject, Multiples
from wheatstone.viewer.panels.multiples.places import grid_of, numeric
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import QUIET, draw_combo, draw_wrapped, stay_on_line
from wheatstone.viewer.words import in_words, spoken

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.texture import PictureTexture

GRID = "grid"  # the value of the state's ``racing`` while small multiples are computed


class MultiplesPanel(Body):
    """The body of the panel of small multiples; ``textures``: by the number of the cell."""

    def __init__(self) -> None:
        self.multiples: Multiples | None = None
        self.textures: dict[int, PictureTexture] = {}
        self._state: ViewerState | None = None
        self._asked = False  # for this choice of parameters

    def update(self, context: PanelContext) -> None:
        """Start when the panel opens or on request, and take finished cells."""
        self._state = state = context.state
        frame = context.session.a.frame or context.session.b.frame
        if not self._asked and not state.racing and frame:
            state.racing, self._asked = GRID, True
            self._begin(context, frame)
        if self.multiples and not self.multiples.done:
            if state.racing != GRID:
                self.multiples.cancel()
            self.multiples.step()
            if self.multiples.done and state.racing == GRID:
                state.racing = ""
        self._make_textures()

    def _begin(self, context: PanelContext, frame: Frame) -> None:
        state = context.state
        slot = state.slot
        self.close_textures()
        try:
            grid = grid_of(slot.params, state.multiples)
            image = slot.image(slot.pipeline.output)
            if len(image.dims) != 2:
                raise ValueError(f"{slot.pipeline.name} computes no picture")
            colors = image.colormap or state.colormap
            limits = shown_range(state, slot, image)
        except ValueError as error:
            state.report_error(str(error))
            state.racing, self.multiples = "", None
            return
        subject = GridSubject(slot, frame, limits, colors, state.truth)
        self.multiples = Multiples(grid, subject, context.session.worker)

    def _make_textures(self) -> None:
        from wheatstone.viewer.display.screen.texture import PictureTexture

        for number, cell in enumerate(self.multiples.cells if self.multiples else ()):
            if cell.picture is not None and number not in self.textures:
                self.textures[number] = PictureTexture(cell.picture)

    @property
    def busy(self) -> bool:
        """Return whether cells are still to be computed."""
        return bool(self.multiples and not self.multiples.done) or not self._asked

    def draw(self, context: PanelContext) -> None:
        """Draw the choices, the progress and the grid; a click adopts a cell's values."""
        self._draw_choices(context)
        if not self.multiples:
            draw_wrapped("A's pipeline has fewer than two parameters that are numbers.", QUIET)
            return
        numbers = {number: texture.number for number, texture in self.textures.items()}
        chosen = draw_grid(self.multiples, numbers, context.state.slot)
        if chosen:
            adopt(context.state, self.multiples, chosen)

    def _draw_choices(self, context: PanelContext) -> None:
        state, em = context.state, imgui.get_font_size()
        names = list(numeric(type(state.slot.params)))
        grid = self.multiples.grid if self.multiples else None
        for label, shown in (("across", grid and grid.across), ("down", grid and grid.down)):
            imgui.set_next_item_width(em * 9)
            if name := draw_combo(f"{label}##{label}", shown or "", names, spoken):
                self._choose(state, f"multiples.{label}", name)
            stay_on_line(em * 14)
        imgui.set_next_item_width(em * 4)
        if size := draw_combo("values##size", state.multiples.size, SIZES, in_words):
            self._choose(state, "multiples.size", size)
        stay_on_line(em * 10)
        if state.racing == GRID and self.multiples:
            if imgui.button("Stop"):
                state.racing = ""
            imgui.same_line()
            imgui.progress_bar(self.multiples.progress, (-1, 0))
        elif imgui.button("Compute again"):
            self._asked = False

    def _choose(self, state: ViewerState, path: str, value: object) -> None:
        choose(state, path, value)
        if self.multiples:
            self.multiples.cancel()
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
        if self.multiples:
            self.multiples.cancel()
        if self._state and self._state.racing == GRID:
            self._state.racing = ""
        self.close_textures()


def adopt(state: ViewerState, multiples: Multiples, cell: GridCell) -> None:
    """Set A's two parameters to a cell's values and report them; keep all its other settings."""
    params, grid = cell.place.params, multiples.grid
    if params is None or state.slot.pipeline.name != multiples.subject.slot.pipeline.name:
        state.report_error(cell.why or "A shows another pipeline now")
        return
    values = {name: params.values()[name] for name in (grid.across, grid.down)}
    try:
        state.slot = replace(state.slot, params=state.slot.params.changed(**values))
    except ValueError as error:
        state.report_error(str(error))
        return
    state.hint(", ".join(f"{spoken(name)} {in_words(v)}" for name, v in values.items()))
