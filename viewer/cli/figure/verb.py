"""``wheatstone figure``: draw a figure, and write it with its tables."""

from collections.abc import Sequence

from wheatstone.viewer.cli.figure.planning import machine_here, plan_of
from wheatstone.viewer.cli.figure.request import FigureRequest
from wheatstone.viewer.figures.canvas import DrawnRow, FigureCanvas
from wheatstone.viewer.figures.drawing import figure_files, insets_left_out
from wheatstone.viewer.figures.files import check_ending, write_figure
from wheatstone.viewer.figures.sheet import FAMILY
from wheatstone.viewer.figures.tables import check_tables, write_tables
from wheatstone.viewer.io.files.output import check_file
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.run.measuring.progress import ProgressLine

EMPTY = 1
"""Exit code if a cell is empty, or an inset was left out."""


def figure(request: FigureRequest) -> int:
    """Draw the figure that a command line asks for; return the exit code."""
    _check_names(request)
    with ProgressLine() as line:
        machine = machine_here()
        line.show("planning")
        plan = plan_of(request, machine, line.show)
        with FigureCanvas(machine, line.show) as canvas:
            rows = canvas.drawn(plan)
        _check_any(rows)
        line.show("writing")
        endings = {path.suffix.lower() for path in request.out}
        contents, missing = figure_files(plan, rows, endings)
    if missing:
        say(f"{FAMILY} has no {missing}: boxes stand for them in .pdf and .png")
    for path in request.out:
        write_figure(path, contents[path.suffix.lower()])
        say(f"wrote {path}")
    if request.tables:
        for path in write_tables(request.out[0], rows):
            say(f"wrote {path}")
    left_out = list(insets_left_out(plan, rows))
    for said in left_out:
        say(f"left out: {said}")
    return _empty_said(rows) or (EMPTY if left_out else 0)


def _check_names(request: FigureRequest) -> None:
    """Raise an error for output files that cannot be written.

    Raises:
        OSError: a folder is missing, or something else has the name of a file.
        ValueError: figures cannot be written to files with this suffix.
    """
    for path in request.out:
        check_ending(path)
        check_file(path)
    if request.tables:
        check_tables(request.out[0])


def _check_any(rows: Sequence[DrawnRow]) -> None:
    """Raise ``ValueError`` with the reason if every cell is empty."""
    panes = [pane for row in rows for pane in row.panes]
    if all(pane.pixels is None for pane in panes):
        raise ValueError(next(filter(None, (pane.why for pane in panes)), "nothing is to be shown"))


def _empty_said(rows: Sequence[DrawnRow]) -> int:
    """Print which cells are empty, each reason once; return the exit code."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        for pane in row.panes:
            if pane.why:
                reasons.setdefault(pane.why, []).append(pane.title or row.name)
    for why, titles in reasons.items():
        say(f"empty: {', '.join(dict.fromkeys(titles))}: {why}")
    return EMPTY if reasons else 0
