"""The window that asks for confirmation before an action."""

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.widgets import AMBER, QUIET, bare_window
from wheatstone.viewer.reading.plain_text import one_line
from wheatstone.viewer.screen.dear_imgui import imgui

WIDTH = 40.0  # in heights of a letter
MOST = 8  # lines that are named


def draw_question(state: ViewerState) -> None:
    """Draw the question that waits for an answer, with a button for each answer."""
    question = state.question
    if not question:
        return
    screen, letter = imgui.get_io().display_size, imgui.get_font_size()
    width = min(WIDTH * letter, screen.x * 0.94)
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
    imgui.text_colored(QUIET, question.note)
    imgui.pop_text_wrap_pos()
    imgui.spacing()
    imgui.separator()
    imgui.spacing()
    if imgui.button("Open (Enter)"):
        state.answer(True)
    imgui.same_line()
    if imgui.button("Leave it (Esc)"):
        state.answer(False)
    imgui.end()


def _named(lines: tuple[str, ...]) -> list[str]:
    """List as many lines as fit, then the number of the others."""
    if len(lines) <= MOST:
        return list(lines)
    return [*lines[: MOST - 1], f"and {len(lines) - MOST + 1} more"]
