"""Errands of the picture: ranges, pixels, what is measured, the worst regions."""

from viewer.choices.picking import pick_other, switch_rectangle
from viewer.errands.program import Program
from viewer.panels.histogram.counting import fit_ranges
from viewer.panels.inspector.pixel_words import pinned, pixel_of
from viewer.picture.clusters import Cluster


def fit_range(app: Program) -> None:
    """Fit the ranges of what is on screen to its values."""
    app.state.message = fit_ranges(app.session)


def pin(app: Program) -> None:
    """Pin the pixel under the cursor, or release the one pinned."""
    app.state.look = pinned(app.state.look, app.desk.hit, app.session.source)


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
            app.session.jump_to_worst(found, int(step))

    app.beside.follow(app.session.find_worst(), go)
