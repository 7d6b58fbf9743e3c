"""The notice of what the user waits for: a quiet line over the picture, with a bar."""

from viewer.frames.frame_job import FrameProgress
from viewer.panels.panel import Area
from viewer.panels.status import clipped, text_width
from viewer.reading.plain_text import one_line
from viewer.screen.style import Ink

WIDTH = 460  # in units of an unscaled screen
BAR = 3
BLUE = Ink("accent")


def notice(progress: FrameProgress, *, can_cancel: bool) -> tuple[str, str]:
    """Put the notice into words: at the left what is done, at the right how far, and what Esc does.

    Args:
        can_cancel: whether there is a picture to go back to.
    """
    esc = "Esc cancels" if can_cancel else "Esc quits"
    return progress.said, esc if progress.share is None else f"{progress.share:.0%}   {esc}"


def draw_notice(
    progress: FrameProgress, area: Area, scale: float, above: int, *, can_cancel: bool
) -> None:
    """Draw the notice of what the user waits for, over the picture.

    Args:
        area: the picture's, in the window.
        scale: pixels a unit of the unscaled screen.
        above: pixels at the picture's top that stay free.
    """
    from imgui_bundle import imgui

    flags = imgui.WindowFlags_
    passive = flags.no_decoration | flags.no_inputs | flags.no_saved_settings | flags.no_nav
    width = min(round(WIDTH * scale), area.width)
    margin = round(10 * scale)
    imgui.set_next_window_pos((area.x + (area.width - width) // 2, area.y + above + margin))
    imgui.set_next_window_size((width, 0))
    imgui.begin("notice", None, int(passive | flags.no_focus_on_appearing))
    said, how_far = notice(progress, can_cancel=can_cancel)
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
