"""Small windows over the picture: progress, advice, hints, questions, and equality of A and B."""

import time

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.stage_check import StageCheck
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer, keys_shown
from wheatstone.viewer.display.screen.style import Ink, byte_color
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.panels.panel import Area
from wheatstone.viewer.panels.widgets import (
    AMBER,
    KEY_BLUE,
    QUIET,
    bare_window,
    draw_wrapped,
    next_row,
    opaque,
    stay_on_line,
    text_width,
)

WINDOW = "###stage equality"  # the panel of stages is ###stages: one name would be one window


def draw_equality(check: StageCheck | None, area: Area) -> None:
    """Draw the window that lists, for every image, whether runs A and B computed equal values."""
    imgui.set_next_window_pos((area.x, area.y))
    imgui.set_next_window_size((area.width, area.height))
    flags = bare_window() & ~int(imgui.WindowFlags_.no_scrollbar)
    imgui.begin(WINDOW, None, flags)
    frame = f", frame {check.asked.frame}" if check else ""
    pending = "" if check and check.done else ", comparing ..."
    imgui.text_wrapped(f"A and B, image by image{frame}{pending}")
    imgui.separator()
    for name, badge in check.badges.items() if check else ():
        imgui.text_wrapped(name)
        imgui.indent()
        draw_wrapped(badge.text, opaque(byte_color(badge.tone)))
        imgui.unindent()
    imgui.end()


TITLE = "First steps"
HINTS = (
    ("H", "show all keys and mouse actions"),
    ("Ctrl+Shift+P", "search commands"),
    ("drop or paste files", "open a left and a right image, or a folder of pairs"),
)
"""Keys or gestures, and their effect; the help lists them as well."""


HINTS_WIDTH = 420  # in units of an unscaled screen


def draw_hints(area: Area, scale: float) -> None:
    """Draw hints about keys at the lower end of a wide picture; nothing without a keyboard."""
    if area.width < HINTS_WIDTH * scale or not keys_shown(HINTS[0][0]):
        return
    flags = imgui.WindowFlags_
    passive = bare_window() | int(flags.no_inputs | flags.no_focus_on_appearing)
    place = (area.x + area.width / 2, area.y + area.height - 12 * scale)
    imgui.set_next_window_pos(place, imgui.Cond_.always, (0.5, 1.0))
    imgui.set_next_window_bg_alpha(0.97)
    imgui.begin("hints", None, passive | int(flags.always_auto_resize))
    if imgui.begin_table("hints", 2, imgui.TableFlags_.sizing_fixed_fit):
        for keys, words in HINTS:
            next_row()
            imgui.text_colored(KEY_BLUE, keys)
            imgui.table_next_column()
            imgui.text(words)
        imgui.end_table()
    imgui.end()


QUESTION_WIDTH = 40.0  # in heights of a letter
MOST = 8  # lines that are named


def draw_question(state: ViewerState) -> None:
    """Draw the current question to the user, with a button for each answer."""
    question = state.question
    if not question:
        return
    screen, letter = imgui.get_io().display_size, imgui.get_font_size()
    width = min(QUESTION_WIDTH * letter, screen.x * 0.94)
    imgui.set_next_window_pos((screen.x / 2, screen.y / 2), imgui.Cond_.always, (0.5, 0.5))
    imgui.set_next_window_size((width, 0))
    imgui.set_next_window_focus()
    imgui.begin("question", None, bare_window())
    imgui.push_text_wrap_pos(0)
    imgui.text(one_line(question.asks))
    imgui.spacing()
    for line in _named(question.about):
        imgui.text_colored(AMBER, one_line(line))
    imgui.spacing()
    _draw_code(question.code, 0.5 * letter)
    imgui.text_colored(QUIET, question.note)
    imgui.pop_text_wrap_pos()
    imgui.spacing()
    imgui.separator()
    imgui.spacing()
    if imgui.button(for_pointer(f"{question.yes} (Enter)")):
        state.answer(True)
    padding = 2 * imgui.get_style().frame_padding.x
    for other in question.others:
        stay_on_line(text_width(other.label) + padding)
        if imgui.button(other.label):
            state.answer(True, other.effect)
    leave = for_pointer(f"{question.no} (Esc)")
    stay_on_line(text_width(leave) + padding)
    if imgui.button(leave):
        state.answer(False)
    imgui.end()


def _draw_code(rows: tuple[str, ...], module: float) -> None:
    """Draw a QR code, dark on white in every theme; ``module`` is a square's size in pixels."""
    if not rows:
        return
    side, corner = round(module), imgui.get_cursor_screen_pos()
    width, draw = side * len(rows), imgui.get_window_draw_list()
    dark, white = (imgui.get_color_u32((shade, shade, shade, 1.0)) for shade in (0.0, 1.0))
    x, y = round(corner.x), round(corner.y)
    draw.add_rect_filled((x, y), (x + width, y + width), white)
    for down, row in enumerate(rows):
        for across, mark in enumerate(row):
            if mark == "#":
                begin = x + across * side, y + down * side
                draw.add_rect_filled(begin, (begin[0] + side, begin[1] + side), dark)
    imgui.dummy((width, width))
    imgui.spacing()


def _named(lines: tuple[str, ...]) -> list[str]:
    """Return the first lines of a list of names; a last line counts the names that do not fit."""
    if len(lines) <= MOST:
        return list(lines)
    return [*lines[: MOST - 1], f"and {len(lines) - MOST + 1} more"]


WIDTH = 460  # in units of an unscaled screen
BAR = 3
LOW = 0.82  # where advice stands, in heights of the picture's area
AGAIN = "Press Esc again to quit"
BLUE = Ink("accent")


def notice(progress: FrameProgress) -> tuple[str, str]:
    """Return the two texts of a computation's notice: current step, and progress or Esc hint."""
    esc = for_pointer("Esc cancels" if progress.ends_by_esc else "") or f"{progress.seconds:.0f} s"
    return progress.step, esc if progress.share is None else f"{progress.share:.0%}   {esc}"


def draw_notice(progress: FrameProgress, area: Area, scale: float, above: int) -> bool:
    """Draw the notice of a running computation; return whether its cancel button was tapped.

    Returns:
        Whether its button was tapped, which a window without keys has.
    """
    width = min(round(WIDTH * scale), area.width)
    margin = round(10 * scale)
    imgui.set_next_window_pos((area.x + (area.width - width) // 2, area.y + above + margin))
    imgui.set_next_window_size((width, 0))
    taps = progress.ends_by_esc and not keys_shown("Esc")
    imgui.begin("notice", None, bare_window() if taps else _passive())
    text, how_far = notice(progress)
    end = imgui.get_window_width() - imgui.get_style().window_padding.x
    room = end - text_width(how_far)
    imgui.text_wrapped(one_line(text))
    if imgui.get_item_rect_size().x <= room - 2 * imgui.get_font_size():
        imgui.same_line()
    imgui.set_cursor_pos_x(room)
    imgui.text_disabled(how_far)
    imgui.push_style_color(imgui.Col_.plot_histogram, BLUE)
    # Of a share below zero Dear ImGui draws a bar that runs to and fro.
    share = -progress.seconds if progress.share is None else progress.share
    imgui.progress_bar(share, (-1, BAR * scale), "")
    imgui.pop_style_color()
    cancels = taps and bool(imgui.button("Cancel", (-1, 0)))
    imgui.end()
    return cancels


def draw_leaving(state: ViewerState, area: Area) -> None:
    """Draw the warning that the next press of Esc ends the program, while that is the case."""
    if time.monotonic() >= state.leaving:
        return
    _draw_words("leaving", AGAIN, area, 0.5)


def draw_advice(words: str, area: Area) -> None:
    """Draw advice in the lower part of the picture; nothing if the text is empty."""
    if not words:
        return
    _draw_words("advice", words, area, LOW)


def _draw_words(name: str, words: str, area: Area, height: float) -> None:
    """Draw a text in a passive window, centred, at a fraction of the picture's height."""
    place = area.x + area.width / 2, area.y + area.height * height
    imgui.set_next_window_pos(place, imgui.Cond_.always, (0.5, 0.5))
    imgui.begin(name, None, _passive() | int(imgui.WindowFlags_.always_auto_resize))
    imgui.text(words)
    imgui.end()


def _passive() -> int:
    """Return the Dear ImGui flags of a passive window, which accepts no input."""
    flags = imgui.WindowFlags_
    passive = flags.no_decoration | flags.no_inputs | flags.no_saved_settings | flags.no_nav
    return int(passive | flags.no_focus_on_appearing)
