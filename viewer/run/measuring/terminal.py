"""Print tables to standard output, at least 100 columns wide, with errors in red."""

import sys
from collections.abc import Sequence
from functools import partial

from rich.box import Box
from rich.console import Console
from rich.table import Table as TerminalTable
from rich.text import Text

from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.run.measuring.tables import Table

WIDTH = 100  # a narrower terminal wraps lines, but loses nothing
LONGEST_VARIANT = 36  # characters of a name in a line; the command of a program is longer
LEFT_ALIGNED = (
    *("", "variant", "result", "device", "configuration", "verdict", "stage, ms"),
    *("image", "pair", "view", "why"),
)
UNDER_THE_HEADER = Box("    \n    \n -- \n" + "    \n" * 5, ascii=True)


def print_tables(listed: Sequence[Table]) -> None:
    """Print tables with their titles and notes."""
    console = Console(highlight=False)
    console.width = max(console.width if sys.stdout.isatty() else 0, WIDTH)
    text = partial(_text, console.encoding)
    for table in listed:
        notes = map(text, table.notes)
        console.print(text(table.title, "bold"), _drawn(table, console.encoding), *notes, sep="\n")
        console.print()


def _text(encoding: str, words: str, style: str = "") -> Text:
    """Escape control characters in a text, and apply a style; the text may come from a file."""
    plain = "\n".join(map(visible, words.splitlines()))
    return Text(plain.encode(encoding, "replace").decode(encoding), style)


def _drawn(table: Table, encoding: str) -> TerminalTable:
    drawn = TerminalTable(box=UNDER_THE_HEADER, padding=0, show_edge=False)
    for place, name in enumerate(table.header):
        longest = max((len(row[place]) for row in table.rows), default=0)
        least = 10 if name == "result" else 0 if name in LEFT_ALIGNED else longest
        heading = name.replace("-", "- ") if name.startswith("vs ") else name  # breaks the line
        drawn.add_column(
            _text(encoding, heading),
            justify="left" if name in LEFT_ALIGNED else "right",
            overflow="fold",
            no_wrap=name == "variant" and longest <= LONGEST_VARIANT,
            min_width=least or None,
            max_width=LONGEST_VARIANT if name == "variant" else None,
        )
    for index, cells in enumerate(table.rows):
        style = "bold red" if index in table.alarming else None
        drawn.add_row(*(_text(encoding, cell) for cell in cells), style=style)
    return drawn
