"""``wheatstone figure``: draw a figure, and write it with its tables."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wheatstone.viewer.commands.figure.outputs import check_names
from wheatstone.viewer.commands.figure.planning import machine_here, plan_of
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.figures.drawing import drawn, require_matplotlib, settings
from wheatstone.viewer.figures.files import encoded, write_figure
from wheatstone.viewer.figures.fonts import FAMILY, missing_letters, text_width
from wheatstone.viewer.figures.layout import insets_left_out, laid_out
from wheatstone.viewer.figures.plan import FigurePlan
from wheatstone.viewer.figures.studio import DrawnRow, Studio
from wheatstone.viewer.figures.tables import write_tables
from wheatstone.viewer.measuring.progress import ProgressLine

EMPTY = 1
"""Exit code if a cell is empty, or an inset was left out."""


def figure(options: argparse.Namespace) -> int:
    """Draw the figure that a command line asks for; return the exit code."""
    check_names(options)
    require_matplotlib()
    with ProgressLine() as line:
        machine = machine_here()
        line.show("planning")
        plan = plan_of(options, machine, line.show)
        with Studio(machine, line.show) as studio:
            rows = studio.drawn(plan)
        _check_any(rows)
        line.show("writing")
        contents = _contents(options.out, plan, rows)
    for path, content in contents.items():
        write_figure(path, content)
        say(f"wrote {path}")
    if options.tables:
        for path in write_tables(options.out[0], rows):
            say(f"wrote {path}")
    left_out = list(insets_left_out(plan, rows))
    for said in left_out:
        say(f"left out: {said}")
    return _empty_said(rows) or (EMPTY if left_out else 0)


def _check_any(rows: Sequence[DrawnRow]) -> None:
    """Raise ``ValueError`` with the reason if every cell is empty."""
    panes = [pane for row in rows for pane in row.panes]
    if all(pane.pixels is None for pane in panes):
        raise ValueError(next(filter(None, (pane.why for pane in panes)), "nothing is to be shown"))


def _contents(
    paths: Sequence[Path], plan: FigurePlan, rows: Sequence[DrawnRow]
) -> dict[Path, bytes]:
    """Encode a figure in the format of every output file."""
    with settings():
        layout = laid_out(plan, rows, text_width)
        if missing := missing_letters(text.text for text in layout.texts):
            say(f"{FAMILY} has no {missing}: boxes stand for them in .pdf and .png")
        made = drawn(layout, plan.style.theme)
        return {path: encoded(made, plan, path.suffix.lower()) for path in paths}


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
