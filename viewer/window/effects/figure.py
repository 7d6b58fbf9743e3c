"""The action (effect) that writes the window's picture as a figure for a report."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wheatstone.viewer.choices.judging import TruthChoice, is_disparity
from wheatstone.viewer.choices.mixing import DIFFERENCES, Mixing
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.cells import cell_as_shown, without_source
from wheatstone.viewer.figures.drawing import figure_files
from wheatstone.viewer.figures.files import ENDINGS, write_figure
from wheatstone.viewer.figures.panes import FigurePane, judged, panes_shown
from wheatstone.viewer.figures.plan import FigureCell, FigurePlan, FigureRow, FigureStyle, Rectangle
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
    """Write the window's picture as a figure, with the views of a live source.

    A comparison is written as both settings next to each other, with their error maps where there
    is ground truth, and with the difference if it is shown. If only a part of the picture is
    visible, the whole is shown, and that part below it.

    Raises:
        ValueError: A and B show two sources.
    """
    if app.state.sources.other:
        raise ValueError("a figure needs one source, but A and B show different ones")
    session, folder = app.session, app.state.bounds.folder
    height, width = picture_drawn(app).shape[:2]
    views, insets = live_views(session), _part_seen(session)
    cells, panes = _cells(session)
    session.drawing.draw(width, height)  # the window's own picture again

    def job() -> Written:
        stem = unused_stem(folder, (*ENDINGS, *VIEWS[: len(views)]), "figure")
        restored = [with_views(dict(cell.recipe), views, stem) for cell in cells]
        written = zip(cells, map(without_source, restored), strict=True)
        own = tuple(replace(cell, recipe=recipe) for cell, recipe in written)
        row = FigureRow("", restored[0]["source"], own, restored[0].get("seal", ""))
        for path in _written(_plan(row, cells[0].places, insets), judged(panes), stem):
            app.window.offer(path)
        kinds = ", ".join(ENDINGS[1:])
        message = f"saved {stem.name}{ENDINGS[0]}, {kinds} in {named(stem.parent)}"
        return stem.with_suffix(ENDINGS[0]), message

    write_in_background(app, "the figure", job)


def _cells(session: Session) -> tuple[list[FigureCell], tuple[FigurePane, ...]]:
    """Compute the cells (titled views) of a figure; return them and their images."""
    state, cells, panes = session.state, list[FigureCell](), list[FigurePane]()
    before = state.mixing, state.truth
    try:
        for state.mixing, state.truth in _shown_in_turn(session):
            session.compute()
            cell = replace(cell_as_shown(state, recipe := recipe_of(session)), recipe=recipe)
            cell = replace(cell, tells=state.truth.show != "errors" or not cells)
            panes += panes_shown(session, cell)
            cells.append(cell)
    finally:
        state.mixing, state.truth = before
        session.compute()
    return cells, tuple(panes)


def _shown_in_turn(session: Session) -> Iterator[tuple[Mixing, TruthChoice]]:
    """Yield the display choices for each picture of a figure: A and B, errors, difference."""
    state, frame = session.state, session.frame_shown
    mixing, truth = state.mixing, state.truth
    if mixing.mode in ("off", "a", "b"):
        yield mixing, truth
        return
    both = replace(mixing, mode="side-by-side")
    slots = state.slot, state.slot_b
    outputs = [slot.pipeline.image(slot.pipeline.output) for slot in slots]
    judges = frame and frame.truth is not None and all(map(is_disparity, outputs))
    errors = judges and truth.show != "truth" and state.temporal.show == "off"
    yield both, replace(truth, show="off") if errors else truth
    if errors:
        yield both, replace(truth, show="errors")
    if mixing.mode in DIFFERENCES:
        yield mixing, truth


def _part_seen(session: Session) -> tuple[Rectangle, ...]:
    """Return the rectangle of the images that is visible; empty if shown whole or in 3D."""
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
    """Write a figure to files in every figure format; return the paths."""
    contents, _ = figure_files(plan, (DrawnRow("", panes),), ENDINGS)
    for ending, content in contents.items():
        write_figure(stem.with_suffix(ending), content)
    return [stem.with_suffix(ending) for ending in contents]
