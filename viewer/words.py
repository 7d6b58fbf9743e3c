"""Format names, parameter values and counts for people to read, and tables as CSV."""

import csv
import io
from collections.abc import Iterable
from typing import Any


def spoken(name: str) -> str:
    """Format an identifier for people to read, with spaces for underscores."""
    return name.replace("_", " ")


def in_words(value: Any) -> str:
    """Format a parameter's value for people to read: ``on``, ``1,2``, ``0.25``."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def plural(count: int, noun: str) -> str:
    """Format a count and a noun for people to read: ``1 view``, ``2 views``, ``2 passes``."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Format rows of cells as CSV text; headings are passed as the first row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
