"""The status line: what is shown, of what, how fast, and the newest message."""

from dataclasses import replace

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.facts import facts_of
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.panels.clipping import clipped, text_width
from wheatstone.viewer.panels.status_words import SEPARATOR, Status, fitted, known_of, status
from wheatstone.viewer.panels.widgets import AMBER, QUIET, bare_window
from wheatstone.viewer.reading.plain_text import one_line
from wheatstone.viewer.screen.style import Ink

BAR_HEIGHT = 32  # in units of an unscaled screen
RED = Ink("red")
RECORDS = Ink("dot")
DOT = 0.28  # radius of the dot of a recording, in heights of the text


def bar_height(state: ViewerState, scale: float) -> int:
    """Compute the height in pixels that the status line takes; 0 while panels are hidden."""
    return round(BAR_HEIGHT * scale) if state.panels else 0


def draw_status(state: ViewerState, session: Session, rate: float, scale: float) -> None:
    """Draw the status line at the window's lower border.

    Args:
        rate: frames presented per second.
        scale: pixels a unit of the unscaled screen.
    """
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    height = bar_height(state, scale)
    imgui.set_next_window_pos((0, screen.y - height))
    imgui.set_next_window_size((screen.x, height))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.begin("status", None, bare_window())
    imgui.pop_style_var()
    size = (session.source.width, session.source.height)
    both = state.mixing.uses_a and state.mixing.uses_b
    second = facts_of(session, "b") if both else None
    known = known_of(state, session)
    shown = status(state, facts_of(session), size, rate, second, known)
    shown = replace(shown, recording=session.recordings.words)
    _draw_line(shown, one_line(state.message))
    imgui.end()


def _draw_line(shown: Status, message: str) -> None:
    """Draw cells, alarm, message and remark beside each other; leave out what does not fit."""
    from imgui_bundle import imgui

    width = text_width
    gap = imgui.get_font_size() * 2
    room = imgui.get_content_region_avail().x
    if shown.recording:
        room -= _draw_recording(shown.recording) + gap
        imgui.same_line(0, gap)
    if shown.alarm:
        room -= width(shown.alarm) + gap
        imgui.text_colored(RED, shown.alarm)
        imgui.same_line(0, gap)
    fitting = SEPARATOR.join(fitted(shown.parts, room - width(message) - gap, width))
    room -= width(fitting) + gap
    imgui.text(fitting)
    for text, color in ((message, AMBER), (shown.remark, QUIET)):
        if text:
            imgui.same_line(0, gap)
            imgui.text_colored(color, clipped(text, room, width))
            if width(text) > room and imgui.is_item_hovered():
                imgui.set_tooltip(text)
            room -= width(text) + gap


def _draw_recording(words: str) -> float:
    """Draw a red dot and how far the recording is; return the width in pixels."""
    from imgui_bundle import imgui

    place, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    center = (place.x + height / 2, place.y + height / 2)
    red = imgui.get_color_u32(RECORDS)
    imgui.get_window_draw_list().add_circle_filled(center, DOT * height, red)
    imgui.dummy((height, height))
    imgui.same_line(0, height / 3)
    imgui.text_colored(RED, words)
    return height * 4 / 3 + text_width(words)
