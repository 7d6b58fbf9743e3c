"""Align two listings side by side, and mark the differences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from wheatstone.viewer.panels.kernels.listing import Listing, ListingLine

ALIKE = 0.5  # share of common names from which two lines are one that was changed
_NAME = re.compile(r"\w+")


@dataclass(frozen=True)
class LinePair:
    """Two lines side by side; a line without counterpart stands alone.

    Attributes:
        mark: blank: the same, or an empty line; ``~``: changed; ``-``: on the left only; ``+``: on
            the right only.
    """

    left: ListingLine | None
    right: ListingLine | None
    mark: Literal[" ", "~", "-", "+"] = " "


def side_by_side(left: Listing, right: Listing) -> tuple[LinePair, ...]:
    """Align two listings side by side, with equal lines in one row.

    Listings in different languages are not compared: their functions begin in the same row.
    """
    if left.language != right.language:
        entry = max(left.entry, right.entry)
        shifted = ((*[None] * (entry - one.entry), *one.lines) for one in (left, right))
        return tuple(LinePair(a, b) for a, b in zip_longest(*shifted))
    ours, theirs = ([line.text for line in listing.lines] for listing in (left, right))
    rows: list[LinePair] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        mine, others = left.lines[a:b], right.lines[c:d]
        if kind == "equal":
            rows += [LinePair(one, other) for one, other in zip(mine, others, strict=True)]
        else:
            rows += _paired(mine, others)
    return tuple(rows)


def _paired(left: Sequence[ListingLine], right: Sequence[ListingLine]) -> Iterator[LinePair]:
    """Pair similar lines in order, so that the total similarity of the pairs is largest."""
    mine, others = ([set(_NAME.findall(line.text)) for line in one] for one in (left, right))
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]  # of the lines from i and j on
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            pair = _likeness(mine[i], others[j]) + best[i + 1][j + 1]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], pair)
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and best[i][j] == best[i + 1][j]:
            yield LinePair(left[i], None, "-" if left[i].text.strip() else " ")
            i += 1
        elif j < len(right) and best[i][j] == best[i][j + 1]:
            yield LinePair(None, right[j], "+" if right[j].text.strip() else " ")
            j += 1
        else:
            yield LinePair(left[i], right[j], "~")
            i, j = i + 1, j + 1


def _likeness(one: set[str], other: set[str]) -> float:
    """Compute the share of names that two lines have in common; 0 unless it is large."""
    share = len(one & other) / max(len(one | other), 1)
    return share if share >= ALIKE else 0.0
