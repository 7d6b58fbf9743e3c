"""End a tour or a lesson, and restore the user's settings."""

from dataclasses import replace
from typing import Any

from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.settings.recipe import restore


def end_tour(state: ViewerState) -> None:
    """End a running tour, and restore the settings from before the tour."""
    if state.tour:
        before, state.tour = state.tour.before, None
        restore(state, before)
        state.hint("tour ended; all settings are restored")


def end_lesson(state: ViewerState) -> None:
    """End a running lesson, and restore the settings from before the lesson."""
    if not state.lesson:
        return
    under_way, learning, state.lesson = state.lesson, state.learning, None
    stays: dict[str, Any] = {"theme": state.look.theme, "scale": state.look.scale}
    restore(state, under_way.before)
    state.learning, state.look = learning, replace(state.look, **stays)
    state.open_panels.discard(LESSON)
    state.hint("lesson ended; all settings are restored")
