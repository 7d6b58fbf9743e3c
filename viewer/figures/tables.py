"""Texts on the results of a figure: below every image, and in LaTeX and Markdown tables."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES
from wheatstone.viewer.display.frames.figures import CONSISTENT, DIGITS, FILLED, OWN, Figures
from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.panes import FigurePane
from wheatstone.viewer.io.files.markdown import cell, escaped, markdown
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.run.measuring.tables import RESULT, number

UNITS = {**MEASURES, **OWN}
"""The unit of every metric."""
TEX_MARK, MARKDOWN_MARK = "% Written by wheatstone figure", "<!-- Written by wheatstone figure"
NEEDS = "needs \\usepackage{booktabs}"
ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "[": "{[}",  # would be an option of the line before
    "*": "{*}",  # likewise
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}
"""The characters that have a special meaning in LaTeX, escaped."""
PLAIN_LATEX = "\u017f"
"""The last of the letters that pdfLaTeX sets without further packages: Latin ones of Europe."""

Rows = list[tuple[str, ...]]


def lines_below(pane: FigurePane) -> list[list[str]]:
    """Return the lines of text below an image: its metrics, then its measured time."""
    metrics = []
    if pane.figures:
        metrics = [_metric(pane.figures, name) for name in main_measures(pane)]
    lines = [[fact for fact in metrics if fact], _measurement(pane)]
    return [line for line in lines if line]


def main_measures(pane: FigurePane) -> tuple[str, ...]:
    """Return the names of an image's main metrics: those against ground truth, if available."""
    judged = pane.figures is not None and pane.figures.judged
    return CONVENTIONS[pane.convention].first if judged else (FILLED, CONSISTENT)


def _metric(figures: Figures, name: str) -> str:
    """Format a metric with its name and unit; empty if it is not a finite number."""
    value = figures.values.get(name, math.nan)
    unit = UNITS[name]
    return f"{name} {value:.{DIGITS[unit]}f} {unit}" if math.isfinite(value) else ""


def _measurement(pane: FigurePane) -> list[str]:
    """Describe a variant's time and whether its result is right; empty if not measured."""
    if not pane.measured or pane.why:
        return []
    time = pane.measured.milliseconds
    timing = f"{number(time)} ms" if time is not None else "not timed"
    return [timing, RESULT[pane.measured.identity]]


def timed_on(panes: Iterable[FigurePane]) -> str:
    """State how the times of variants were measured, and on which device; empty without times."""
    devices = [pane.measured.device for pane in panes if pane.measured and pane.measured.device]
    names = " and ".join(dict.fromkeys(devices))
    return f"times: median of a frame, on {names}" if names else ""


def table_of(rows: Sequence[DrawnRow]) -> tuple[tuple[str, ...], Rows]:
    """Lay out the table of a figure's metrics: a header, and a row for each result.

    Of several pairs the means stand last.
    """
    known = [
        DrawnRow(row.name, shown)
        for row in rows
        if (shown := tuple(pane for pane in row.panes if pane.figures or pane.measured))
    ]
    panes = [pane for row in known for pane in row.panes]
    if not panes:
        return (), []
    names = list(dict.fromkeys(name for pane in panes for name in _measures(pane)))
    several, timed = len(known) > 1, any(pane.measured for pane in panes)
    header = ["pair"] * several + ["", *(f"{name}, {UNITS[name]}" for name in names)]
    header += ["time, ms", "result"] * timed
    known += [DrawnRow("mean", tuple(_means(panes)))] * several
    body = []
    for row in known:
        for pane in row.panes:
            cells = [row.name] * several + [pane.title or "result"]
            cells += [_value(pane, name) for name in names]
            if timed and (variant := pane.measured):
                cells += [number(variant.milliseconds), RESULT[variant.identity]]
            body.append((*cells, *[""] * (len(header) - len(cells))))
    return tuple(header), body


def _means(panes: Sequence[FigurePane]) -> Iterator[FigurePane]:
    """Yield an image with mean metrics for each title that several results have in common."""
    by_title: dict[str, list[Figures]] = {}
    for pane in panes:
        if pane.figures:
            by_title.setdefault(pane.title, []).append(pane.figures)
    for title, results in by_title.items():
        if len(results) > 1:
            names = set.intersection(*(set(one.values) for one in results))
            means = {name: fmean(one.values[name] for one in results) for name in names}
            yield FigurePane(title, figures=Figures(min(one.judged for one in results), means))


def _measures(pane: FigurePane) -> Iterator[str]:
    """Yield the names of the metrics in a table's columns for an image; none without metrics."""
    if pane.figures:
        yield from main_measures(pane)
        if pane.figures.judged:
            known = {"bad-1", "bad-2", *CONVENTIONS[pane.convention].first}
            yield from (name for name in pane.figures.values if name in known)
        yield from (FILLED, CONSISTENT)


def _value(pane: FigurePane, name: str) -> str:
    value = pane.figures.values.get(name) if pane.figures else None
    return "" if value is None or value != value else f"{value:.{DIGITS[UNITS[name]]}f}"


def latex(header: Sequence[str], rows: Rows, note: str = "") -> str:
    """Format a table in LaTeX for the package booktabs; ``note`` becomes a comment."""
    words = sum(1 for name in header if name in ("pair", ""))
    aligned = "l" * words + "".join("l" if n == "result" else "r" for n in header[words:])
    letters = {letter for line in rows for text in line for letter in visible(text)}
    foreign = "".join(sorted(letter for letter in letters if letter > PLAIN_LATEX))
    lines = [
        f"{TEX_MARK}; {NEEDS}",
        *(
            [f"% needs a font with these letters, by XeLaTeX or LuaLaTeX: {foreign}"]
            * bool(foreign)
        ),
        *([f"% {visible(note)}"] if note else []),
        rf"\begin{{tabular}}{{{aligned}}}",
        r"\toprule",
        tex_line(header),
        r"\midrule",
        *map(tex_line, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def tex_line(cells: Sequence[str]) -> str:
    """Format a line of a LaTeX table: escape its cells, and join them."""
    marks = ("".join(ESCAPES.get(letter, letter) for letter in visible(text)) for text in cells)
    joined = " & ".join(re.sub("-(?=-)", "-{}", text) for text in marks)  # no long dash
    return joined + r" \\"


def write_tables(stem: Path, rows: Sequence[DrawnRow]) -> list[Path]:
    """Write a figure's metrics as LaTeX and Markdown tables next to it; return their paths.

    Args:
        stem: the figure's file; its ending is replaced.

    Raises:
        OSError: a file cannot be written.
    """
    header, body = table_of(rows)
    if not body:
        return []
    escaped_cells = [[cell(text) for text in line] for line in body]
    plain = f"{MARKDOWN_MARK}. -->\n\n{markdown([cell(n) for n in header], escaped_cells)}\n"
    note = timed_on(pane for row in rows for pane in row.panes)
    plain += f"\n{escaped(note)}.\n" if note else ""
    paths = table_files(stem)
    for path, text in zip(paths, (latex(header, body, note), plain), strict=True):
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return list(paths)


def table_files(figure: Path) -> tuple[Path, Path]:
    """Return the paths of the LaTeX and the Markdown table next to a figure's file."""
    return figure.with_suffix(".tex"), figure.with_suffix(".md")


def check_tables(figure: Path) -> None:
    """Raise ``FileExistsError`` if a table would replace a file that is no table of a figure."""
    for path, mark in zip(table_files(figure), (TEX_MARK, MARKDOWN_MARK), strict=True):
        if not path.exists():
            continue
        with path.open("rb") as file:
            if file.read(len(mark)) != mark.encode():
                raise FileExistsError(
                    f"{path} is no table of a figure and would be replaced; "
                    "choose another name for the figure"
                )
