"""Actions (effects) on the view: display ranges, pinned pixels, measurements, worst regions."""

from collections.abc import Callable
from dataclasses import replace

from wheatstone.viewer.choices.look import Range
from wheatstone.viewer.choices.regions import (
    draw_region,
    pick_first,
    pick_other,
    switch_rectangle,
    wait_for_click,
)
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.regions import Cluster
from wheatstone.viewer.display.picture.ranges import shown_range, with_range
from wheatstone.viewer.panels.histogram import counting
from wheatstone.viewer.panels.histogram.counting import value_text
from wheatstone.viewer.panels.inspector.panel import InspectorPanel
from wheatstone.viewer.panels.inspector.picture_labels import at_cursor
from wheatstone.viewer.panels.inspector.pinned_pixels import pinned_rows, table_text
from wheatstone.viewer.panels.inspector.pixel_label import value_at
from wheatstone.viewer.panels.inspector.pixel_words import pinned, pixel_of, with_pin
from wheatstone.viewer.panels.inspector.reading import Pixel
from wheatstone.viewer.window.effects.program import ProgramActions
from wheatstone.viewer.words import plural


def fit_range(app: ProgramActions) -> None:
    """Fit the display ranges of the images on screen to their values."""
    app.state.hint(counting.fit_ranges(app.session))


def fit_depths(app: ProgramActions) -> None:
    """Fit the displayed depth range to the source's depths, unless the user chose a range."""
    counting.fit_depths(app.session)


def pin(app: ProgramActions) -> None:
    """Pin the pixel under the cursor for inspection, or release it if it is pinned.

    Without a pixel there, release the pinned one; if none is pinned, pin the one clicked next.
    """
    state, source = app.state, app.session.source
    if not state.look.pin and not pixel_of(app.layout.hit, source.height, source.width):
        wait_for_click(state, "pin")
    else:
        state.look = pinned(state.look, app.layout.hit, source)
        here = state.look.pin
        state.hint(f"pinned x {here[1]}, y {here[0]}" if here else "no pixel is pinned")


def pin_another(app: ProgramActions) -> None:
    """Pin or unpin the pixel under the cursor, to show its values, or the pixel clicked next."""
    if pixel := _pixel(app, "pin another"):
        _change_pin(app.state, pixel)


def click_pixel(app: ProgramActions) -> None:
    """Pin the values of the clicked pixel, or remove the pin whose dot or label was clicked."""
    source, layout = app.session.source, app.layout
    pixel = pixel_of(layout.hit, source.height, source.width)
    if pixel := layout.labels.pin_under(layout) or pixel:
        _change_pin(app.state, pixel)


def _change_pin(state: ViewerState, pixel: Pixel) -> None:
    """Pin a pixel to show its values, or unpin it if it is pinned; show a message."""
    state.look = with_pin(state.look, pixel)
    pinned = pixel in state.look.pins
    next_step = "right-click it to explain it" if pinned else f"{len(state.look.pins)} pinned"
    state.hint(f"{'pinned' if pinned else 'released'} x {pixel[1]}, y {pixel[0]}; {next_step}")


def _pixel(app: ProgramActions, effect: str) -> Pixel | None:
    """Return the pixel under the cursor; without one, repeat the action at the next click."""
    source = app.session.source
    pixel = pixel_of(app.layout.hit, source.height, source.width)
    if not pixel:
        wait_for_click(app.state, effect)
    return pixel


def explain(app: ProgramActions) -> None:
    """Inspect the pixel under the cursor: pin it, and open the inspector panel."""
    _inspect(app, "explain", "inspector")


def show_costs(app: ProgramActions) -> None:
    """Inspect the pixel under the cursor: pin it, and open the panel of matching costs."""
    _inspect(app, "show costs", "costs")


def _inspect(app: ProgramActions, effect: str, panel: str) -> None:
    if pixel := _pixel(app, effect):
        app.state.look = replace(app.state.look, pin=pixel)
        app.state.show_panel(panel)
        if app.session.source.length > 1:
            app.state.paused = True  # the question is about this frame


def copy_panel(app: ProgramActions, panel: str, contents: str) -> None:
    """Copy the contents of a panel to the clipboard."""
    app.window.set_clipboard(contents)
    app.state.confirm(f"copied {len(contents.splitlines())} lines")


def copy_values(app: ProgramActions) -> None:
    """Copy the values of the pixel under the cursor, or else of all pinned pixels, as text."""
    if text := app.layout.labels.text(app.layout):
        app.window.set_clipboard(text)
        app.state.confirm("copied: " + ", ".join(text.split("\n")[:3]).replace("\t", " "))
    else:
        wait_for_click(app.state, "copy values")


def template_here(app: ProgramActions) -> None:
    """Centre the correlation template (a pipeline parameter) on the pixel under the cursor.

    Raises:
        ValueError: the view has no template.
    """
    state, source = app.state, app.session.source
    if not state.view.region:
        raise ValueError(f"view {state.view.name} has no template to choose")
    if not (pixel := _pixel(app, "template here")):
        return
    _, _, width, height = state.slot.params.values()[state.view.region]
    x, y = (
        min(max(place - length // 2, 0), max(whole - length, 0))
        for place, length, whole in (
            (pixel[1], width, source.width),
            (pixel[0], height, source.height),
        )
    )
    end = x + width - 1, y + height - 1
    draw_region(state, (x, y), end, (source.width, source.height))


def range_from_here(app: ProgramActions) -> None:
    """Set the low end of the display range to the value under the cursor."""
    _set_range(app, "range from here", lambda value, shown: (value, shown[1]))


def range_to_here(app: ProgramActions) -> None:
    """Set the high end of the display range to the value under the cursor."""
    _set_range(app, "range to here", lambda value, shown: (shown[0], value))


def _set_range(app: ProgramActions, effect: str, chosen: Callable[[float, Range], Range]) -> None:
    """Set one end of the display range of the image under the cursor to the value there.

    Raises:
        ValueError: that is not a range, or the picture shows no value there.
    """
    if not _pixel(app, effect):
        return
    state, place = app.state, at_cursor(app.layout)
    reading = value_at(app.session, place.place) if place else None
    if not reading:
        raise ValueError("no range is set: the picture has no value with a range there")
    part, value = reading
    slot = part.shown.slot
    wanted = chosen(value, shown_range(state, slot, part.image))
    state.look = with_range(state.look, slot, part.image, wanted)
    low, high = (value_text(end, part.image) for end in wanted)
    state.hint(f"shown: {part.name} {low} to {high} {part.image.unit}".rstrip())


def copy_pins(app: ProgramActions) -> None:
    """Copy the table of the pinned pixels to the clipboard, as CSV."""
    panel = app.layout.body("inspector")
    known = panel.pinned if isinstance(panel, InspectorPanel) else pinned_rows(app.session)
    app.window.set_clipboard(table_text(known))
    app.state.confirm(f"{len(app.state.look.pins)} pinned pixels copied as CSV")


def copy_messages(app: ProgramActions) -> None:
    """Copy the log of messages to the clipboard, one per line, the oldest first."""
    log = app.state.messages.log
    app.window.set_clipboard("\n".join(map(str, log)))
    app.state.confirm(f"{plural(len(log), 'log message')} copied as text")


def measure_to(app: ProgramActions) -> None:
    """Measure the distance to the pixel under the cursor or clicked next, or end measuring.

    Without a pixel to measure from, the click chooses that one first.
    """
    state, source = app.state, app.session.source
    pixel = pixel_of(app.layout.hit, source.height, source.width)
    if pixel or state.measuring.other:
        pick_other(state, pixel)
    else:
        wait_for_click(state, "measure to" if state.look.pin else "measure from")


def measure_from(app: ProgramActions) -> None:
    """Start a measurement at the pixel under the cursor; the next click chooses its end."""
    if pixel := _pixel(app, "measure from"):
        pick_first(app.state, pixel)
        wait_for_click(app.state, "measure to")


def measure_in(app: ProgramActions) -> None:
    """Add a rectangle for measuring a plane in the middle of the image, or remove the rectangle."""
    source = app.session.source
    switch_rectangle(app.state, (source.width, source.height))


def worst_region(app: ProgramActions, step: str) -> None:
    """Go to the next or the previous of the image regions with the most wrong pixels."""
    source = app.session.source

    def go(listed: list[Cluster]) -> None:
        if app.session.source is source:
            app.session.worst.jump(listed, int(step))

    app.background.follow(app.session.worst.find(), go)
