"""The findings bar: a line for each warning or hint about the source, with remedy buttons."""

from collections.abc import Sequence

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.source_findings import source_findings
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.findings import DISMISS, Button, Finding
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.panels.panel import Area
from wheatstone.viewer.panels.widgets import (
    AMBER,
    CLEAR,
    ICONS,
    QUIET,
    bar_window,
    clipped,
    draw_tip,
    stay_on_line,
    text_width,
)

MOST = 3  # lines; the other findings are in a list that opens
LINE_HEIGHT = 27  # in units of an unscaled screen
DISMISSES = "\uf00d"  # a cross, in the font of icons
NARROW = 600  # units of an unscaled screen, below which the text of one finding wraps
SHORTEST = 8  # sizes of the font that are left for a text beside its buttons


class FindingsBar:
    """The bar that lists the findings (warnings, hints) about the source, with remedy buttons.

    Attributes:
        shown: the findings that it lists.
    """

    def __init__(self) -> None:
        self.shown: tuple[Finding, ...] = ()
        self._of: Source | None = None
        self._wrapped: tuple[tuple[object, ...], int] = (), 0  # what was drawn, and its height

    def update(self, session: Session, *, busy: bool) -> None:
        """Collect the findings about the source; none while the bars are hidden.

        Args:
            busy: whether the mouse is on a panel, which another number of lines would move; only
                an image that was just opened alone is reported in spite of that.
        """
        findings = source_findings(session) if session.state.shows_bars else ()
        busy &= not session.state.single or findings[:1] == self.shown[:1]
        if not (busy and session.source is self._of and len(findings) != len(self.shown)):
            self.shown, self._of = findings, session.source

    def height(self, scale: float, width: int) -> int:
        """Return the height of the findings bar in pixels for a window width; 0 without findings.

        In a narrow window the text of a finding wraps, above its buttons: its height is known once
        it was drawn.
        """
        line = round(LINE_HEIGHT * scale)
        if width >= NARROW * scale:
            return line * min(len(self.shown), MOST)
        drawn, height = self._wrapped
        known = drawn == (self.shown, width, scale)
        return height if known and self.shown else 2 * line * bool(self.shown)

    def draw(self, state: ViewerState, area: Area, scale: float) -> None:
        """Draw the bar in an area of the window, within a frame of Dear ImGui."""
        if not self.shown:
            return
        narrow = area.width < NARROW * scale
        most = 1 if narrow else MOST
        line = LINE_HEIGHT * scale
        gap = max(line - imgui.get_frame_height(), 0.0)
        style = imgui.StyleVar_
        imgui.set_next_window_pos((area.x, area.y))
        imgui.set_next_window_size((area.width, area.height))
        imgui.push_style_var(style.window_rounding, 0.0)
        imgui.push_style_var(style.window_border_size, 0.0)
        imgui.push_style_var(style.window_min_size, (1.0, 1.0))  # a line is lower than a window
        imgui.push_style_var(style.window_padding, (imgui.get_style().window_padding.x, gap / 2))
        imgui.begin("findings", None, bar_window())
        imgui.pop_style_var(4)
        imgui.push_style_var(style.item_spacing, (imgui.get_style().item_spacing.x, gap))
        hidden = self.shown[most:]
        for number, finding in enumerate(self.shown[:most]):
            more = f"{len(hidden)} more" if hidden and number == most - 1 else ""
            if narrow:
                _draw_wrapped(state, finding, more)
            else:
                _draw_line(state, finding, imgui.get_content_region_avail().x, more)
        if narrow:
            height = round(imgui.get_item_rect_max().y - area.y + gap / 2)
            self._wrapped = (self.shown, area.width, scale), height
        imgui.pop_style_var()
        _draw_others(state, hidden, narrow=narrow)
        imgui.end()


def capitalised(sentence: str) -> str:
    """Capitalise a sentence, unless its first word is a name such as that of a file."""
    first = sentence.split(maxsplit=1)[0]
    return sentence[:1].upper() + sentence[1:] if first.isalpha() else sentence


def _draw_line(state: ViewerState, finding: Finding, room: float, more: str = "") -> None:
    """Draw a finding in one line, with as many of its buttons as fit, at least the first.

    Args:
        room: the width for the line, in pixels.
        more: the text of a button that opens the list of the others; empty for none.
    """
    imgui.push_id(finding.name)
    gap, padding = imgui.get_style().item_spacing.x, 2 * imgui.get_style().frame_padding.x
    icon = ICONS["warning" if finding.warns else "hint"]
    room -= text_width(icon) + 2 * gap
    room -= sum(text_width(label) + padding + gap for label in (DISMISSES, more) if label)
    buttons: list[Button] = []
    least = SHORTEST * imgui.get_font_size()
    for button in finding.buttons:
        if (rest := room - text_width(button.label) - padding - gap) >= least or not buttons:
            buttons, room = [*buttons, button], rest
    text = capitalised(one_line(finding.says))
    imgui.align_text_to_frame_padding()
    imgui.text_colored(AMBER if finding.warns else QUIET, icon)
    imgui.same_line(0, gap)
    imgui.text(shown := clipped(text, max(room, 0), text_width))
    draw_tip(text if shown != text else "")
    for button in buttons:
        imgui.same_line()
        _draw_button(state, finding, button)
    imgui.same_line()
    imgui.push_style_color(imgui.Col_.button, CLEAR)
    imgui.push_style_var(imgui.StyleVar_.frame_border_size, 0.0)
    if imgui.button(DISMISSES):
        _dismiss(state, finding)
    imgui.pop_style_var()
    imgui.pop_style_color()
    draw_tip("Do not show this again for this source.")
    imgui.pop_id()
    if more:
        end = imgui.get_window_width() - imgui.get_style().window_padding.x
        imgui.same_line(end - text_width(more) - padding)
        if imgui.button(more):
            imgui.open_popup("others")


def _draw_wrapped(state: ViewerState, finding: Finding, more: str) -> None:
    """Draw a finding in a narrow window: its text wraps, and its buttons are below."""
    imgui.push_id(finding.name)
    icon = ICONS["warning" if finding.warns else "hint"]
    imgui.text_colored(AMBER if finding.warns else QUIET, icon)
    imgui.same_line()
    imgui.text_wrapped(capitalised(one_line(finding.says)))
    padding = 2 * imgui.get_style().frame_padding.x
    for number, button in enumerate(finding.buttons):
        if number:
            stay_on_line(text_width(button.label) + padding)
        _draw_button(state, finding, button)
    if finding.buttons:
        stay_on_line(text_width(DISMISSES) + padding)
    if imgui.button(DISMISSES):
        _dismiss(state, finding)
    imgui.pop_id()
    if more:
        stay_on_line(text_width(more) + padding)
        if imgui.button(more):
            imgui.open_popup("others")


def _draw_button(state: ViewerState, finding: Finding, button: Button) -> None:
    if not imgui.button(button.label):
        return
    if button.effect == DISMISS:
        _dismiss(state, finding)
    else:
        state.request(*button.effect)


def _dismiss(state: ViewerState, finding: Finding) -> None:
    state.request(*DISMISS, finding.name)


def _draw_others(state: ViewerState, hidden: Sequence[Finding], *, narrow: bool) -> None:
    """Draw the popup that lists the findings for which the bar has no line, if it is open."""
    right, low = imgui.get_item_rect_max()
    right = imgui.get_io().display_size.x if narrow else right
    imgui.set_next_window_pos((right, low), imgui.Cond_.appearing, (1.0, 0.0))
    if imgui.begin_popup("others"):
        room = imgui.get_io().display_size.x - 4 * imgui.get_style().window_padding.x
        for finding in hidden:
            if narrow:
                imgui.push_text_wrap_pos(room)
                _draw_wrapped(state, finding, "")
                imgui.pop_text_wrap_pos()
            else:
                _draw_line(state, finding, room)
        imgui.end_popup()
