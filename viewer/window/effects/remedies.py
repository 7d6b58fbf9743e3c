"""Effects of the buttons of findings: open the source in another way, search more, dismiss."""

from dataclasses import replace

from wheatstone.viewer.display.frames.source_findings import key_of
from wheatstone.viewer.findings import Effect
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.dismissed_findings import write_dismissed
from wheatstone.viewer.window.effects.opening import open_in_background
from wheatstone.viewer.window.effects.program import ProgramActions
from wheatstone.viewer.window.effects.starting import ask_for_file
from wheatstone.viewer.words import spoken

LOADED: dict[str, Effect] = {
    "calibration": ("calibrate by",),
    "truth": ("change source", "truth"),
}
"""The effect on a chosen file, by what it is loaded as."""


def change_source(app: ProgramActions, name: str, value: str) -> None:
    """Open the source again with another value of a field of its spec.

    Raises:
        ValueError: the source cannot be opened again, or the value is impossible.
    """
    source = app.session.source
    if not source.spec:
        raise ValueError(f"{source.name} cannot be opened again")
    spec = SourceSpec.from_dict({**source.spec.to_dict(), name: value})

    def show(opened: Source) -> None:
        app.open_source(opened, keep_look=name != "layout")  # which may change the size
        app.state.confirm(f"opened {opened.name} with {spoken(name)} {value}")

    open_in_background(app, source.name, spec, show)


def load(app: ProgramActions, what: str) -> None:
    """Let the user choose a file that is loaded as ``calibration`` or as ``truth``."""
    ask_for_file(app, *LOADED[what])


def search(app: ProgramActions, count: str, first: str) -> None:
    """Search a number of disparities from a first one on, in A."""
    slot = app.state.slot
    changed = slot.params.changed(disparities=int(count), min_disparity=int(first))
    app.state.slot = replace(slot, params=changed)
    app.state.hint(f"{count} disparities are searched, from {first} on")


def dismiss(app: ProgramActions, name: str) -> None:
    """Stop showing a finding for this source, in later sessions, too."""
    state, key = app.state, key_of(app.session.source.spec)
    others = {each: names for each, names in state.dismissed.items() if each != key}
    state.dismissed = others | {key: (*state.dismissed.get(key, ()), name)}
    if state.bounds.saves_session:
        write_dismissed(state.dismissed)
