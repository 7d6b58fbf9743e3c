"""Effects of the start page: recent sources, scenes, the tour, and any action by its name."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.dialogs import Recent, Tour
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.panel_choices import TIMELINE
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.effects.ending import end_tour
from wheatstone.viewer.effects.opening import open_beside
from wheatstone.viewer.effects.program import ProgramActions
from wheatstone.viewer.footage.address import is_live
from wheatstone.viewer.keys.palette.entries import entries
from wheatstone.viewer.keys.palette.finding import take
from wheatstone.viewer.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.panels.tour import STEPS
from wheatstone.viewer.settings import recent as recents
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.foreign_sources import FILES, question_about
from wheatstone.viewer.settings.seal import is_own
from wheatstone.viewer.sources.frame import Frame, Source


def note_source(app: ProgramActions) -> None:
    """Add the source to the recent sources in the background, with a picture of its frame.

    Do nothing where the session is not saved.
    """
    source, frame = app.session.source, app.session.frame_shown
    if frame is None or "left" not in source.recipe or not app.state.bounds.saves_session:
        return
    # On the worker, for a view as it was taken has to be rectified first.
    job = partial(_noted, source, frame)
    task = app.session.worker.submit(f"noting {source.name}", job)
    app.beside.follow(task, partial(_list, app))


def _noted(source: Source, frame: Frame, _: object) -> tuple[Recent, ...]:
    return recents.note_source(source, frame.left)


def _list(app: ProgramActions, listed: tuple[Recent, ...]) -> None:
    app.state.recent = openable(app.state.bounds, listed)


def openable(bounds: Bounds, recents: Iterable[Recent]) -> tuple[Recent, ...]:
    """Return the recent sources that may be opened within some bounds."""
    return tuple(recent for recent in recents if _is_within(bounds, recent))


def _is_within(bounds: Bounds, recent: Recent) -> bool:
    named = [str(recent.recipe[word]) for word in FILES if recent.recipe.get(word)]
    inside = [bounds.holds(name) and not (bounds.root and is_live(name)) for name in named]
    return not bounds.read_only and all(inside)


def open_recent(app: ProgramActions, place: str) -> None:
    """Open a source that was shown before.

    If this user's program did not write the entry itself, the user is asked first.

    Args:
        place: in the list of recent sources, from 0.

    Raises:
        ValueError: there is no such entry.
    """
    number = int(place)
    if not 0 <= number < len(app.state.recent):
        raise ValueError(f"there is no recent source {number}")
    recent = app.state.recent[number]
    recipe = {"source": dict(recent.recipe), "seal": recents.seal_kept(recent)}
    if is_own(recipe):
        open_beside(app, recent.title, recent.recipe, partial(_show, app, recent.title))
    else:
        named = tuple(str(said) for said in recent.recipe.values())
        app.state.question = question_about(recents.recent_file(), named, recipe)


def open_scene(app: ProgramActions, name: str) -> None:
    """Open a built-in scene. Raises ``ValueError`` if there is no scene of this name."""
    size = f"{SCENE_SIZE[0]}x{SCENE_SIZE[1]}"
    open_beside(app, name, {"scene": name, "size": size}, partial(_show, app, name))


def _show(app: ProgramActions, title: str, source: Source) -> None:
    """Show a source that was opened, with a message."""
    app.open_source(source)
    if source.times is not None:
        app.state.open_panels.add(TIMELINE)
    app.state.confirm(f"opened {title}")


def press(app: ProgramActions, *names: str) -> None:
    """Run the first entry of the palette among the given names that exists.

    Raises:
        ValueError: none of them exists.
    """
    known = {entry.name for entry in entries(app.state)}
    press_entry(app.state, next((name for name in names if name in known), names[-1]))


def press_entry(state: ViewerState, name: str) -> None:
    """Run an entry of the palette. Raises ``ValueError`` if there is no such entry."""
    entry = next((entry for entry in entries(state) if entry.name == name), None)
    if not entry:
        raise ValueError(f"there is no action {name!r}")
    take(state, entry)


def tour(app: ProgramActions, step: str) -> None:
    """Begin the tour, go forward or back in it, or end it.

    Args:
        step: ``begin``, ``next``, ``back`` or ``end``.

    Raises:
        ValueError: the source is not a pair, which most steps need.
    """
    state, frame = app.state, app.session.frame_shown
    if step == "begin":
        if frame and not frame.is_pair:
            raise ValueError("the tour needs a pair: open one, or a built-in scene")
        state.tour = Tour(user_settings.document(state, {}))
        _go_to(state, 0)
    elif not state.tour:
        return
    elif step == "end":
        end_tour(state)
    else:
        _go_to(state, state.tour.step + (1 if step == "next" else -1))


def _go_to(state: ViewerState, step: int) -> None:
    """Show a step of the tour, based on the settings before it; end it after the last step."""
    under_way = state.tour
    assert under_way
    if step >= len(STEPS):
        end_tour(state)
        return
    user_settings.restore(state, under_way.before)
    state.open_panels.clear()
    state.panels, state.b, state.linked, state.mixing = True, None, True, Mixing()
    for name in STEPS[max(step, 0)].does:
        press_entry(state, name)
    state.tour = replace(under_way, step=max(step, 0))
    state.messages = state.messages.dismissed()
