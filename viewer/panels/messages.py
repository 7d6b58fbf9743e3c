"""The panel of messages: time, kind and text of each, the newest first."""

from wheatstone.viewer.choices.messages import LoggedMessage
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.widgets import ICONS, INKS, draw_wrapped
from wheatstone.viewer.reading.plain_text import one_line
from wheatstone.viewer.screen.dear_imgui import imgui

EMPTY = "No message so far."


class MessagesPanel:
    """The body of the panel of messages."""

    def update(self, context: PanelContext) -> None:
        """Do nothing, because ``draw`` reads the log directly."""

    def draw(self, context: PanelContext) -> None:
        """Draw the buttons that copy and clear the log, and its table."""
        state = context.state
        log = state.messages.log
        if not log:
            draw_wrapped(EMPTY)
            return
        if imgui.button("Copy as text"):
            state.effects.append(("copy messages",))
        imgui.same_line()
        if imgui.button("Clear"):
            state.messages = state.messages.cleared()
        flags = imgui.TableFlags_
        if imgui.begin_table("messages", 3, int(flags.scroll_y | flags.row_bg)):
            _set_up_columns()
            for logged in reversed(log):
                _draw_row(logged)
            imgui.end_table()

    def close(self) -> None:
        """Do nothing: the state holds the log."""


def _set_up_columns() -> None:
    """Set up the columns and keep their headings visible."""
    columns, letter = imgui.TableColumnFlags_, imgui.get_font_size()
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_setup_column("time", int(columns.width_fixed), 4.5 * letter)
    imgui.table_setup_column("kind", int(columns.width_fixed), 5.5 * letter)
    imgui.table_setup_column("text", int(columns.width_stretch))
    imgui.table_headers_row()


def _draw_row(logged: LoggedMessage) -> None:
    """Draw the row of one message."""
    message = logged.message
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled(logged.clock)
    imgui.table_next_column()
    imgui.text_colored(INKS[message.kind], f"{ICONS[message.kind]} {message.kind}")
    imgui.table_next_column()
    draw_wrapped(one_line(message.text), INKS[message.kind])
