"""The message panel: time, kind and text of each message, the newest first."""

from collections.abc import Sequence
from datetime import datetime

from wheatstone.viewer.choices.messages import LoggedMessage
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    ICONS,
    INKS,
    begin_table,
    draw_wrapped,
    next_row,
    stay_on_line,
    text_width,
)
from wheatstone.viewer.words import csv_of

EMPTY = "No message so far."
CLEAR = "Clear"
WIDE = 20.0  # sizes of the font, in which a message has a column of its own


class MessagesPanel(Body):
    """The contents of the message panel, drawn while it is open."""

    def csv(self, context: PanelContext) -> str:
        """Format the log of messages as CSV."""
        return log_as_csv(context.state.messages.log)

    def draw(self, context: PanelContext) -> None:
        """Draw the buttons that copy and clear the log of messages, and its table."""
        state = context.state
        log = state.messages.log
        if not log:
            draw_wrapped(EMPTY)
            return
        if imgui.button("Copy as text"):
            state.effects.append(("copy messages",))
        stay_on_line(text_width(CLEAR) + 2 * imgui.get_style().frame_padding.x)
        if imgui.button(CLEAR):
            state.messages = state.messages.cleared()
        flags, letter = imgui.TableFlags_, imgui.get_font_size()
        wide = imgui.get_content_region_avail().x >= WIDE * letter
        columns = {"time": 4.5 * letter, "kind": 5.5 * letter, "text": None}
        if not wide:
            columns = {"messages": None}
        if begin_table("messages", columns, flags.scroll_y | flags.row_bg):
            imgui.table_setup_scroll_freeze(0, 1)
            imgui.table_headers_row()
            for number, logged in enumerate(reversed(log)):
                imgui.push_id(number)
                _draw_row(state, logged, wide=wide)
                imgui.pop_id()
            imgui.end_table()


def log_as_csv(log: Sequence[LoggedMessage]) -> str:
    """Format a log of messages as CSV, the oldest first: date and time, kind, text."""
    times = (datetime.fromtimestamp(each.at).isoformat(timespec="milliseconds") for each in log)
    rows = ((at, each.message.kind, each.message.text) for at, each in zip(times, log, strict=True))
    return csv_of([("time", "kind", "text"), *rows])


def _draw_row(state: ViewerState, logged: LoggedMessage, *, wide: bool) -> None:
    """Draw the row of one message: in three columns if ``wide``, else with its text below."""
    message = logged.message
    next_row()
    imgui.text_disabled(logged.clock)
    if wide:
        imgui.table_next_column()
    else:
        imgui.same_line()
    imgui.text_colored(INKS[message.kind], f"{ICONS[message.kind]} {message.kind}")
    if wide:
        imgui.table_next_column()
    draw_wrapped(one_line(message.text), INKS[message.kind])
    for number, button in enumerate(message.buttons):
        if number:
            imgui.same_line()
        if imgui.small_button(button.label):
            state.request(*button.effect)
