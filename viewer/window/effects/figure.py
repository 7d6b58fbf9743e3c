"""The effect that writes the picture as a figure for a report."""

from dataclasses import replace
from pathlib import Path

from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.cells import cell_as_shown, without_source
from wheatstone.viewer.figures.drawing import figure_files
from wheatstone.viewer.figures.files import ENDINGS, write_figure
from wheatstone.viewer.figures.panes import FigurePane, judged, panes_shown
from wheatstone.viewer.figures.plan import FigurePlan, FigureRow, FigureStyle, Rectangle
from wheatstone.viewer.io.files.output import unused_stem
from wheatstone.viewer.settings.live_views import ENDINGS as VIEWS
from wheatstone.viewer.settings.live_views import live_views, with_views
from wheatstone.viewer.settings.recipe import recipe_of
from wheatstone.viewer.window.effects.program import ProgramActions
from wheatstone.viewer.window.effects.writing import (
    Written,
    named,
    picture_drawn,
    write_in_background,
)

COLUMN, PAGE = 84.0, 174.0
"""Millimetres of the width of a figure with one image, and of one with several."""


def save_figure(app: ProgramActions) -> None:
    """Write the picture as a figure, together with the views of a live source.

    If only a part of the picture is visible, the whole is shown, and that part below it.

    Raises:
        ValueError: A and B show two sources.
    """
    if app.state.sources.other:
        raise ValueError("a figure is made of one source, and B shows another one than A")
    session, folder = app.session, app.state.bounds.folder
    height, width = picture_drawn(app).shape[:2]
    recipe, views, insets = recipe_of(session), live_views(session), _part_seen(session)
    cell = cell_as_shown(app.state, recipe)
    panes = panes_shown(session, cell)
    session.drawing.draw(width, height)  # the window's own picture again

    def job() -> Written:
        stem = unused_stem(folder, (*ENDINGS, *VIEWS[: len(views)]), "figure")
        restored = with_views(recipe, views, stem)
        row = FigureRow("", restored["source"], (replace(cell, recipe=without_source(restored)),))
        plan = _plan(replace(row, seal=restored.get("seal", "")), len(panes), insets)
        for path in _written(plan, judged(panes), stem):
            app.window.offer(path)
        kinds = ", ".join(ENDINGS[1:])
        message = f"saved {stem.name}{ENDINGS[0]}, {kinds} in {named(stem.parent)}"
        return stem.with_suffix(ENDINGS[0]), message

    write_in_background(app, "the figure", job)


def _part_seen(session: Session) -> tuple[Rectangle, ...]:
    """Return the visible part of the images; nothing if they are seen whole, or in space."""
    seen = session.display.drawn
    if session.state.zoom <= 1 or not seen.picture.panes or seen.picture.in_space:
        return ()
    rows, columns = seen.arrangement.visible(0)
    size = columns.stop - columns.start, rows.stop - rows.start
    whole = seen.arrangement.sizes[0][::-1]
    return ((columns.start, rows.start, *size),) if min(size) > 0 and size != whole else ()


def _plan(row: FigureRow, panes: int, insets: tuple[Rectangle, ...]) -> FigurePlan:
    style = FigureStyle(PAGE if panes > 1 else COLUMN)
    return FigurePlan((row,), panes, style, insets)


def _written(plan: FigurePlan, panes: tuple[FigurePane, ...], stem: Path) -> list[Path]:
    """Write a figure in every format; return the files."""
    contents, _ = figure_files(plan, (DrawnRow("", panes),), ENDINGS)
    for ending, content in contents.items():
        write_figure(stem.with_suffix(ending), content)
    return [stem.with_suffix(ending) for ending in contents]
