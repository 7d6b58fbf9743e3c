"""Effects of the picture: ranges, pixels, measurements, the worst regions."""

from wheatstone.viewer.choices.regions import pick, pick_other, switch_rectangle, wait_for_click
from wheatstone.viewer.display.frames.regions import Cluster
from wheatstone.viewer.panels.histogram import counting
from wheatstone.viewer.panels.inspector.panel import InspectorPanel
from wheatstone.viewer.panels.inspector.pinned_pixels import pinned_rows, table_text
from wheatstone.viewer.panels.inspector.pixel_words import pinned, pixel_of, with_pin
from wheatstone.viewer.window.effects.program import ProgramActions


def fit_range(app: ProgramActions) -> None:
    """Fit the display ranges of the images on screen to their values."""
    app.state.hint(counting.fit_ranges(app.session))


def fit_depths(app: ProgramActions) -> None:
    """Fit the range of depths on screen to the source, unless the user chose a range."""
    counting.fit_depths(app.session)


def pin(app: ProgramActions) -> None:
    """Pin the pixel under the cursor, or the one clicked next; if one is pinned, release it."""
    state, source = app.state, app.session.source
    if not state.look.pin and not pixel_of(app.layout.hit, source.height, source.width):
        wait_for_click(state, "pin")
    else:
        state.look = pinned(state.look, app.layout.hit, source)
        here = state.look.pin
        state.hint(f"pinned x {here[1]}, y {here[0]}" if here else "no pixel is pinned")


def pin_another(app: ProgramActions) -> None:
    """Add the pixel under the cursor, or the one clicked next, to the table, or remove it."""
    source, state = app.session.source, app.state
    pixel = pixel_of(app.layout.hit, source.height, source.width)
    if not pixel:
        wait_for_click(state, "pin another")
        return
    state.look = with_pin(state.look, pixel)
    state.show_panel("inspector")
    verb = "pinned" if pixel in state.look.pins else "released"
    state.hint(f"{verb} x {pixel[1]}, y {pixel[0]}; {len(state.look.pins)} in the table")


def copy_pins(app: ProgramActions) -> None:
    """Copy the table of the pinned pixels to the clipboard, as CSV."""
    panel = app.layout.body("inspector")
    known = panel.pinned if isinstance(panel, InspectorPanel) else pinned_rows(app.session)
    app.window.set_clipboard(table_text(known))
    app.state.confirm(f"{len(app.state.look.pins)} pinned pixels copied as CSV")


def copy_messages(app: ProgramActions) -> None:
    """Copy the log of messages to the clipboard, a line each, the oldest first."""
    log = app.state.messages.log
    app.window.set_clipboard("\n".join(map(str, log)))
    app.state.confirm(f"{len(log)} message{'s' * (len(log) != 1)} copied as text")


def measure_to(app: ProgramActions) -> None:
    """Measure to the pixel under the cursor; without one, end measuring or wait for a click.

    Without a pixel to measure from, the click chooses that one first.
    """
    state, source = app.state, app.session.source
    pixel = pixel_of(app.layout.hit, source.height, source.width)
    if pixel or state.measuring.other:
        pick_other(state, pixel)
    else:
        wait_for_click(state, "measure to" if state.look.pin else "measure from")


def measure_from(app: ProgramActions) -> None:
    """Measure from the pixel under the cursor to the one that is clicked next."""
    state, source = app.state, app.session.source
    if pixel := pixel_of(app.layout.hit, source.height, source.width):
        pick(state, pixel)
        wait_for_click(state, "measure to")


def measure_in(app: ProgramActions) -> None:
    """Measure in a rectangle in the middle; if there is one already, remove it."""
    source = app.session.source
    switch_rectangle(app.state, (source.width, source.height))


def worst_region(app: ProgramActions, step: str) -> None:
    """Go to the next or the previous of the regions with the largest errors."""
    source = app.session.source

    def go(found: list[Cluster]) -> None:
        if app.session.source is source:
            app.session.worst.jump(found, int(step))

    app.beside.follow(app.session.worst.find(), go)
