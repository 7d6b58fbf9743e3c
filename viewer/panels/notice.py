"""The notice of a running computation: a quiet line over the picture, with a bar."""

import time

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.frame_job import FrameProgress
from wheatstone.viewer.panels.clipping import clipped, text_width
from wheatstone.viewer.panels.panel import Area
from wheatstone.viewer.reading.plain_text import one_line
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import Ink

WIDTH = 460  # in units of an unscaled screen
BAR = 3
LOW = 0.82  # where advice stands, in heights of the picture's area
AGAIN = "Press Esc again to quit"
BLUE = Ink("accent")


def notice(progress: FrameProgress) -> tuple[str, str]:
    """Return the notice's texts: the work in progress (left), its progress and Esc (right)."""
    esc = "Esc cancels"
    return progress.said, esc if progress.share is None else f"{progress.share:.0%}   {esc}"


def draw_notice(progress: FrameProgress, area: Area, scale: float, above: int) -> None:
    """Draw the notice of a running computation over the picture.

    Args:
        area: the picture's, in the window.
        scale: screen pixels per unscaled unit.
        above: pixels at the picture's top that stay free.
    """
    width = min(round(WIDTH * scale), area.width)
    margin = round(10 * scale)
    imgui.set_next_window_pos((area.x + (area.width - width) // 2, area.y + above + margin))
    imgui.set_next_window_size((width, 0))
    imgui.begin("notice", None, _passive())
    said, how_far = notice(progress)
    end = imgui.get_window_width() - imgui.get_style().window_padding.x
    room = end - imgui.calc_text_size(how_far).x
    imgui.text(clipped(one_line(said), room - 2 * imgui.get_font_size(), text_width))
    imgui.same_line(room)
    imgui.text_disabled(how_far)
    imgui.push_style_color(imgui.Col_.plot_histogram, BLUE)
    # Of a share below zero Dear ImGui draws a bar that runs to and fro.
    share = -progress.seconds if progress.share is None else progress.share
    imgui.progress_bar(share, (-1, BAR * scale), "")
    imgui.pop_style_color()
    imgui.end()


def draw_leaving(state: ViewerState, area: Area) -> None:
    """Draw the warning that the next Esc ends the program, in the middle of the picture."""
    if time.monotonic() >= state.leaving:
        return
    middle = area.x + area.width / 2, area.y + area.height / 2
    imgui.set_next_window_pos(middle, imgui.Cond_.always, (0.5, 0.5))
    imgui.begin("leaving", None, _passive() | int(imgui.WindowFlags_.always_auto_resize))
    imgui.text(AGAIN)
    imgui.end()


def draw_advice(words: str, area: Area) -> None:
    """Draw advice in the lower part of the picture, for when there is no result.

    Args:
        words: the advice; nothing is drawn if it is empty.
    """
    if not words:
        return
    low = area.x + area.width / 2, area.y + area.height * LOW
    imgui.set_next_window_pos(low, imgui.Cond_.always, (0.5, 0.5))
    imgui.begin("advice", None, _passive() | int(imgui.WindowFlags_.always_auto_resize))
    imgui.text(words)
    imgui.end()


def _passive() -> int:
    """Combine the flags of a window that takes no input."""
    flags = imgui.WindowFlags_
    passive = flags.no_decoration | flags.no_inputs | flags.no_saved_settings | flags.no_nav
    return int(passive | flags.no_focus_on_appearing)
