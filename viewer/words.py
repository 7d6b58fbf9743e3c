"""Format names, parameter values and counts for people to read, and tables as CSV."""

import csv
import io
from collections.abc import Iterable
from typing import Any

LEAST_SHARE = 0.1  # done before the remaining time is estimated


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


def duration(seconds: float) -> str:
    """Format a duration for people to read: ``24 s``, ``15 min``, ``2 h 5 min``."""
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def progress_words(share: float | None, seconds: float, *, even: bool = True) -> str:
    """Describe a progress: the finished share, the time so far, and the estimated rest.

    Args:
        share: the finished share, from 0 to 1; None if it is not known.
        even: whether equal shares take about equal times, so that the rest can be estimated.
    """
    if share is None:
        return f"{duration(seconds)} so far"
    words = f"{share:.0%} after {duration(seconds)}"
    if not even or not LEAST_SHARE <= share < 1 or seconds < 1:
        return words
    return f"{words}, about {duration(max(seconds * (1 - share) / share, 1))} more"


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Format rows of cells as CSV text; headings are passed as the first row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
