"""The status line: view, source, speed, and the newest message."""

from dataclasses import replace

from wheatstone.viewer.choices.messages import Message
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.facts import facts_of
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.status_words import (
    SEPARATOR,
    Status,
    fitted,
    known_of,
    status,
    tip_at,
)
from wheatstone.viewer.panels.widgets import (
    ICONS,
    INKS,
    QUIET,
    bar_window,
    clipped,
    draw_tip,
    text_width,
)

BAR_HEIGHT = 32  # in units of an unscaled screen
RED = Ink("red")
RECORDS = Ink("dot")
DISMISS = "Click to dismiss. The panel Messages lists all messages."
DOT = 0.28  # radius of the dot of a recording, in heights of the text


def bar_height(state: ViewerState, scale: float) -> int:
    """Compute the height of the status line in pixels; 0 while panels are hidden."""
    return round(BAR_HEIGHT * scale) if state.panels else 0


def draw_status(context: PanelContext, message: Message, last: Status | None) -> Status:
    """Draw the status line at the window's lower border; return its parts for the next call."""
    session, screen = context.session, imgui.get_io().display_size
    height = bar_height(session.state, context.scale)
    imgui.set_next_window_pos((0, screen.y - height))
    imgui.set_next_window_size((screen.x, height))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.begin("status", None, bar_window())
    imgui.pop_style_var()
    shown = _status_now(session, context.rate, last)
    _draw_line(session.state, replace(shown, recording=session.recordings.words), message)
    imgui.end()
    return shown


def _status_now(session: Session, rate: float, last: Status | None) -> Status:
    """Compose the status line for the picture on screen.

    Until another source has its first picture, the previous picture stays: the status line
    describes that one, and names the source that is being opened.
    """
    if last and last.pictured and not session.drawing.shows:
        return replace(last, coming=f"opening {one_line(session.source.name)} ...")
    state, size = session.state, (session.source.width, session.source.height)
    both = state.mixing.uses_a and state.mixing.uses_b
    second = facts_of(session, "b") if both else None
    shown = status(state, facts_of(session), size, rate, second, known_of(state, session))
    return replace(shown, pictured=session.drawing.shows)


def _draw_line(state: ViewerState, shown: Status, message: Message) -> None:
    """Draw the status line, and omit the parts that do not fit: alarm, cells, message, remark.

    A click on the message removes it from the screen.
    """
    width = text_width
    gap = imgui.get_font_size() * 2
    room = imgui.get_content_region_avail().x
    if shown.recording:
        room -= _draw_recording(state, shown.recording) + gap
        imgui.same_line(0, gap)
    if shown.alarm:
        room -= width(shown.alarm) + gap
        imgui.text_colored(RED, shown.alarm)
        imgui.same_line(0, gap)
    line = one_line(message.text)
    line = line if message.kind == "error" else for_pointer(line)
    words = f"{ICONS[message.kind]} {line}" if line else ""
    padding = 2 * imgui.get_style().frame_padding.x + imgui.get_style().item_spacing.x
    buttons = sum(width(button.label) + padding for button in message.buttons)
    needed = buttons + sum(width(text) + gap for text in (shown.coming, words) if text)
    parts = fitted(shown.parts, room - needed, width)
    fitting = SEPARATOR.join(text for _, text in parts)
    room -= width(fitting) + gap
    imgui.text(fitting)
    draw_tip(tip_at(parts, imgui.get_mouse_pos().x - imgui.get_item_rect_min().x, width))
    for text, color in (
        (shown.coming, QUIET),
        (words, INKS[message.kind]),
        (shown.remark, QUIET),
    ):
        if text:
            imgui.same_line(0, gap)
            spare = room - buttons if text is words else room
            imgui.text_colored(color, clipped(text, spare, width))
            if text is words and imgui.is_item_clicked():
                state.messages = state.messages.dismissed()
            if (width(text) > room or text is words) and imgui.is_item_hovered():
                imgui.set_tooltip(f"{text}\n{for_pointer(DISMISS)}" if text is words else text)
            if text is words and spare > 0:
                _draw_buttons(state, message)
            room -= width(text) + gap + (buttons if text is words else 0.0)


def _draw_buttons(state: ViewerState, message: Message) -> None:
    for button in message.buttons:
        imgui.same_line()
        if imgui.small_button(button.label):
            state.request(*button.effect)


def _draw_recording(state: ViewerState, words: str) -> float:
    """Draw the progress of the recording, which a click ends; return the width in pixels."""
    place, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    width = height * 4 / 3 + text_width(words)
    if imgui.invisible_button("recording", (width, height)):
        state.request("record")
    draw_tip("Click to end the recording.")
    red, drawing = imgui.get_color_u32(RECORDS), imgui.get_window_draw_list()
    drawing.add_circle_filled((place.x + height / 2, place.y + height / 2), DOT * height, red)
    drawing.add_text((place.x + height * 4 / 3, place.y), imgui.get_color_u32(RED), words)
    return width
