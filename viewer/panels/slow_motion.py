"""The slow-motion panel: plays and explains how a stage computes its result step by step."""

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.unfolding import OFF, stages_in, watched
from wheatstone.viewer.display.frames.slow_motion import SlowMotion
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    QUIET,
    draw_slider,
    draw_tip,
    draw_wrapped,
    stay_on_line,
    text_width,
)

CHOOSE = "Choose a stage to watch its computation, from its first pixel to its last."
PINS = "Shift+I pins the pixel through which slices go."
COMPARED = "A and B are compared: show A alone to watch a stage."


class SlowMotionPanel(Body):
    """The contents of the slow-motion panel, drawn while it is open."""

    def __init__(self) -> None:
        self._explanation = CHOOSE

    def update(self, context: PanelContext) -> None:
        """Update the explanation of the stage that is shown in slow motion."""
        self._explanation = words(context.state, context.session.slow_motion)

    def draw(self, context: PanelContext) -> None:
        """Draw the widgets that choose a stage and play it in slow motion, and the explanation."""
        state, slow = context.state, context.session.slow_motion
        _draw_stage(state)
        if watched(state):
            _draw_playing(state, slow)
            _draw_slider(state, slow)
        draw_wrapped(self._explanation, QUIET)


def words(state: ViewerState, slow: SlowMotion) -> str:
    """Return the explanation of the stage on screen, or of how to choose a stage."""
    unfolding = watched(state)
    if not unfolding:
        chosen = state.unfolding.stage
        return COMPARED if chosen != OFF and chosen in stages_in(state) else CHOOSE
    return unfolding.help if slow.unfolded else "computing ..."


def _draw_stage(state: ViewerState) -> None:
    known, now = stages_in(state), state.unfolding.stage
    imgui.align_text_to_frame_padding()
    imgui.text("slow motion")
    imgui.same_line()
    imgui.set_next_item_width(imgui.get_font_size() * 14)
    if imgui.begin_combo("##stage", now if now in known else OFF):
        for name, help in known.items():
            if imgui.selectable(name, name == now)[0]:
                choose(state, "unfolding.stage", name)
            draw_tip(help)
        imgui.end_combo()
    draw_tip("stage to watch (Shift+K, Alt+K)")


def _draw_playing(state: ViewerState, slow: SlowMotion) -> None:
    """Draw the buttons that play and step, the speed, and the choice of an aggregation path."""
    gap = imgui.get_font_size()
    imgui.same_line(0, gap)
    if imgui.button("pause###plays" if state.unfolding.plays else "play###plays"):
        choose(state, "unfolding.plays", not state.unfolding.plays)
    draw_tip("play or pause (Ctrl+F3)")
    for name, steps, says in (("<", -1, "previous moment"), (">", 1, "next moment")):
        imgui.same_line()
        if imgui.button(name):
            _go(state, slow, slow.moment + steps)
        draw_tip(says)
    stay_on_line(7 * gap, gap)
    imgui.set_next_item_width(7 * gap)
    tip = "seconds from the beginning to the end"
    draw_slider(state, "unfolding.seconds", "%.0f s", tip, logarithmic=True)
    unfolding = watched(state)
    if unfolding and unfolding.along_path:
        stay_on_line(7 * gap, gap)
        _draw_path(state)
    if unfolding and unfolding.at_pixel:
        stay_on_line(text_width(PINS), gap)
        imgui.align_text_to_frame_padding()
        draw_wrapped(PINS)


def _draw_path(state: ViewerState) -> None:
    most = int(getattr(state.slot.params, "paths_summed", 1))
    imgui.set_next_item_width(imgui.get_font_size() * 7)
    now = min(state.unfolding.path, most)
    changed, value = imgui.slider_int("##path", now, 1, most, "path %d")
    if changed:
        choose(state, "unfolding.path", min(max(value, 1), most))
    draw_tip("path shown")


def _draw_slider(state: ViewerState, slow: SlowMotion) -> None:
    if not (unfolded := slow.unfolded):
        return
    moments = unfolded.moments
    form = f"moment %d of {moments}: a {unfolded.counts}"
    imgui.set_next_item_width(-1)
    changed, number = imgui.slider_int("##moment", slow.moment + 1, 1, moments, form)
    if changed:
        _go(state, slow, number - 1)


def _go(state: ViewerState, slow: SlowMotion, moment: int) -> None:
    if slow.unfolded:
        choose(state, "unfolding.plays", False)
        choose(state, "unfolding.moment", slow.unfolded.share(moment))
