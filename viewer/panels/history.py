"""The undo history panel: a list of states; buttons copy the run of a state to run A or B."""

from dataclasses import dataclass

from wheatstone.viewer.choices.history import HistoryStep
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.undoing import go_to, in_short, put_in_slot, slot_at
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    QUIET,
    begin_table,
    draw_slot_button,
    draw_wrapped,
    next_row,
)
from wheatstone.viewer.run.run import Run


@dataclass(frozen=True)
class HistoryRow:
    """One row of the undo history panel: a state of the history.

    Attributes:
        number: of the state; 0 is the one before the first step.
        undone: whether it was undone; it is lost with the next step.
        slots: which of A and B now has the run that A had then: ``a``, ``b``, both or neither.
    """

    number: int
    text: str
    current: bool
    undone: bool
    slots: str


def rows(state: ViewerState) -> tuple[HistoryRow, ...]:
    """List the states of the undo history as rows of the panel, the oldest first."""
    history = state.history
    return tuple(
        HistoryRow(
            number,
            in_short(state, number),
            number == history.done,
            number > history.done,
            _slots(state, number),
        )
        for number in range(len(history.steps) + 1)
    )


def _slots(state: ViewerState, number: int) -> str:
    """Return the letters of the runs (A, B) that now equal run A in a state of the undo history."""
    slot = slot_at(state, number)
    same_b = state.b is not None and not state.linked and slot == state.slot_b
    return "a" * (slot == state.slot) + "b" * same_b


TEXT = Ink("text")
Listed = tuple[tuple[HistoryStep, ...], int, Run, Run | None, bool]
"""The source of the rows: steps, number of the current one, A, B, whether B is linked."""


class HistoryPanel(Body):
    """The contents of the undo history panel: a row for every state."""

    def __init__(self) -> None:
        self._rows: tuple[HistoryRow, ...] = ()
        self._rows_of: Listed | None = None
        self._scrolled_to = -1

    def update(self, context: PanelContext) -> None:
        """Build the rows again when a step was made, undone or redone, or run A or B changed."""
        state, history = context.state, context.state.history
        now = (tuple(history.steps), history.done, state.slot, state.b, state.linked)
        if self._rows_of is None or now != self._rows_of:
            self._rows, self._rows_of = rows(state), now

    def draw(self, context: PanelContext) -> None:
        """Draw a row for every state of the undo history, with buttons that copy its run to A or B.

        A click on a row returns to its state.
        """
        flags, slots = imgui.TableFlags_, imgui.get_font_size() * 4.2
        if begin_table("history", {"step": None, "slots": slots}, flags.scroll_y | flags.row_bg):
            for row in self._rows:
                imgui.push_id(row.number)
                self._draw_row(context, row)
                imgui.pop_id()
            imgui.end_table()

    def _draw_row(self, context: PanelContext, row: HistoryRow) -> None:
        next_row()
        begin, room = imgui.get_cursor_pos(), imgui.get_content_region_avail().x
        height = imgui.calc_text_size(row.text, False, room).y
        if imgui.selectable("##step", row.current, 0, (0, height))[0] and not row.current:
            go_to(context.state, row.number)
        imgui.set_cursor_pos(begin)
        draw_wrapped(row.text, QUIET if row.undone else TEXT)
        if row.current and self._scrolled_to != row.number:
            imgui.set_scroll_here_y(0.5)
            self._scrolled_to = row.number
        imgui.table_next_column()
        for letter in "ab":
            if draw_slot_button(letter, "A's state after this step", there=letter in row.slots):
                put_in_slot(context.state, row.number, letter)
