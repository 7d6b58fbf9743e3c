"""Actions (effects) on the list of open sources: show, compare and close."""

from collections.abc import Callable
from functools import partial

from wheatstone.gpu.pipelines.values import VALUES
from wheatstone.viewer.choices.comparison import compare
from wheatstone.viewer.choices.open_sources import OpenSource
from wheatstone.viewer.display.frames.background_tasks import retire
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.window.effects.opening import open_in_background
from wheatstone.viewer.window.effects.program import ProgramActions


def show_source(app: ProgramActions, place: str) -> None:
    """Show the open source at a list position, from 1; raise ``ValueError`` if out of range."""
    _show(app, app.state.sources.at(int(place)))


def step_source(app: ProgramActions, step: str) -> None:
    """Show the next or the previous open source in the list."""
    _show(app, app.state.sources.beside(int(step)))


def _show(app: ProgramActions, entry: OpenSource, also: Callable[[], None] = lambda: None) -> None:
    """Show a listed source with the present zoom; open it first if it is not open yet.

    Args:
        also: another change of the list, made with this one.
    """
    sources = app.session.sources

    def change(shows: Callable[[], None]) -> None:
        shows()
        also()

    def say() -> None:
        now = app.state.sources
        app.state.hint(f"source {now.place(now.shown)} of {len(now.listed)}: {entry.title}")

    def fill(source: Source) -> None:
        app.change_sources(partial(change, partial(sources.fill, entry.number, source)))
        say()

    if entry.number == app.state.sources.shown:
        say()
    elif sources.of(entry.number):
        shows = partial(sources.show, entry.number)
        app.change_sources(partial(change, shows), keep_zoom=True)
        say()
    else:
        app.state.bounds.refuse_if_read_only()
        open_in_background(app, entry.title, entry.spec, fill)


def close_source(app: ProgramActions, place: str = "") -> None:
    """Close an open source with its files and frames.

    Args:
        place: in the list, from 1; empty: the one shown, whose neighbour is shown then.

    Raises:
        ValueError: there is none at this place, or no other one.
    """
    listed, sources = app.state.sources, app.session.sources
    entry = listed.at(int(place)) if place else listed.numbered(listed.shown)
    assert entry
    if len(listed.listed) == 1:
        raise ValueError(f"{entry.title} is the only open source; open another one first")
    if not app.stands:
        raise ValueError(
            f"{entry.title} cannot be closed until the picture is complete; try again then"
        )
    remove = partial(sources.remove, entry.number)
    if entry.number == listed.shown:
        last = listed.place(entry.number) == len(listed.listed)
        _show(app, listed.beside(-1 if last else 1), remove)
    elif entry.number == listed.compared:
        app.change_sources(remove, keep_look=True)
    else:
        before = sources.snapshot()
        remove()
        sources.drop(before)
    app.state.hint(f"closed {entry.title}")


def compare_source(app: ProgramActions, place: str = "") -> None:
    """Show the open source at a place in the list as B; by default, A's own source.

    Raises:
        ValueError: there is none at this place, or it has another size than A's.
    """
    listed, sources = app.state.sources, app.session.sources
    entry = listed.at(int(place)) if place else listed.current
    assert entry
    if entry.number == listed.shown:
        app.change_sources(partial(sources.compare, None), keep_look=True)
        app.state.hint("B shows the source of A")
    else:
        _compare(app, entry.title, partial(sources.compare, entry.number))


def _compare(app: ProgramActions, title: str, change: Callable[[], None]) -> None:
    """Show another source as B, side by side with A if B is not visible."""
    app.change_sources(change, keep_look=True)
    if not app.state.mixing.shows_b:
        compare(app.state, "side-by-side")
    app.state.confirm(f"B shows {title}")


def open_as_b(app: ProgramActions, section: str) -> None:
    """Open a source in the background, and show it as B.

    Args:
        section: the source in TOML.
    """

    def show(source: Source) -> None:
        try:
            _compare(app, source.name, partial(app.session.sources.add_as_b, source))
        except ValueError:
            retire(source)
            raise

    spec = SourceSpec.from_toml(section)
    open_in_background(app, spec.left or "", spec, show)


def exchange_sources(app: ProgramActions) -> None:
    """Exchange the sources of A and B, and also their runs if B has its own."""
    state, b = app.state, app.state.b
    own = [] if state.linked or not b else [state.slot, b]
    if own and all(slot.pipeline.name != VALUES for slot in own):
        state.slot, state.b = reversed(own)
    app.change_sources(app.session.sources.exchange, keep_look=True)
    state.hint(f"A shows {app.session.source.name}")
