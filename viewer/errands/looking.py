"""Errands of the picture: ranges, pixels, what is measured, the worst regions."""

from viewer.choices.picking import pick_other, switch_rectangle
from viewer.errands.program import Program
from viewer.panels.histogram.counting import fit_ranges
from viewer.panels.inspector.panel import InspectorPanel
from viewer.panels.inspector.pinned_pixels import pinned_rows, table_text
from viewer.panels.inspector.pixel_words import pinned, pixel_of, with_pin
from viewer.picture.clusters import Cluster


def fit_range(app: Program) -> None:
    """Fit the ranges of what is on screen to its values."""
    app.state.message = fit_ranges(app.session)


def pin(app: Program) -> None:
    """Pin the pixel under the cursor, or release the one pinned."""
    app.state.look = pinned(app.state.look, app.desk.hit, app.session.source)


def pin_another(app: Program) -> None:
    """Add the pixel under the cursor to the inspector's table, or leave it out again."""
    source, state = app.session.source, app.state
    pixel = pixel_of(app.desk.hit, source.height, source.width)
    if not pixel:
        raise ValueError("no pixel lies under the cursor")
    state.look = with_pin(state.look, pixel)
    state.show_panel("inspector")
    verb = "pinned" if pixel in state.look.pins else "released"
    state.message = f"{verb} x {pixel[1]}, y {pixel[0]}; {len(state.look.pins)} in the table"


def copy_pins(app: Program) -> None:
    """Copy the table of the pixels pinned to the clipboard, as CSV."""
    panel = app.desk.body("inspector")
    known = panel.pinned if isinstance(panel, InspectorPanel) else pinned_rows(app.session)
    app.window.set_clipboard(table_text(known))
    app.state.message = f"{len(app.state.look.pins)} pinned pixels copied as CSV"


def measure_to(app: Program) -> None:
    """Measure to the pixel under the cursor; to none if no pixel is there."""
    source = app.session.source
    pick_other(app.state, pixel_of(app.desk.hit, source.height, source.width))


def measure_in(app: Program) -> None:
    """Measure in a rectangle in the middle, or in none."""
    source = app.session.source
    switch_rectangle(app.state, (source.width, source.height))


def worst_region(app: Program, step: str) -> None:
    """Go to the next or the previous of the regions with the largest errors."""
    source = app.session.source

    def go(found: list[Cluster]) -> None:
        """Go there, unless another source is shown meanwhile."""
        if app.session.source is source:
            app.session.worst.jump(found, int(step))

    app.beside.follow(app.session.worst.find(), go)
