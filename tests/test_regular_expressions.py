"""No regular expression takes more than linear time, whatever text comes from outside."""

import re
import time
from functools import cache
from typing import Any

import pytest

from tests.regular_expressions import Expression, expressions, hostile_texts

OWN = {
    "viewer/cli/documentation.py": "the documentation of the repository",
    "viewer/panels/kernels/listing.py": "the program's kernels",
    "viewer/figures/fonts.py": "pictures that the program drew",
    "gpu/kernels/programs.py": "the program's kernels",
}
"""Files whose expressions read texts of the program only."""
KNOWN_USES = {"viewer/parser.py": {"match"}}  # argparse calls it
TINY = 32  # characters on which an exponential expression is slow, yet ends
SHORT, LONG, LONGER = 1_000, 8_000, 120_000
FASTEST, SLOWEST = 0.005, 3e-6  # seconds that any text may take, and those of a character


@cache
def _all() -> tuple[Expression, ...]:
    return tuple(expressions("viewer", "gpu"))


def _seconds(pattern: re.Pattern[Any], use: str, text: str) -> float:
    """Measure how long an expression takes, again if it seems slow: the machine may be busy."""
    subject = text.encode() if isinstance(pattern.pattern, bytes) else text
    for wait in (0, 0, 0.1, 0.5):
        if wait:
            time.sleep(wait)
        if (took := _once(pattern, use, subject)) <= _bound(len(text)):
            break
    return took


def _bound(length: int) -> float:
    return FASTEST + SLOWEST * length


def _once(pattern: re.Pattern[Any], use: str, subject: str | bytes) -> float:
    begun = time.thread_time()
    if use in ("match", "fullmatch"):
        getattr(pattern, use)(subject)
    else:
        for _ in pattern.finditer(subject):
            pass
    return time.thread_time() - begun


def _slow(pattern: re.Pattern[Any], use: str) -> str:
    """Find a text on which an expression takes more than linear time; empty if there is none.

    Every hostile text is tried short; the slowest are tried longer.
    """
    hostile = hostile_texts(pattern)
    for length, kept in ((TINY, len(hostile)), (SHORT, 12), (LONG, 3), (LONGER, 0)):
        tried: list[tuple[float, int]] = []
        for one in hostile:
            took = _seconds(pattern, use, one.text(length))
            if took > _bound(length):
                return f"{took:.2f} s for {length} characters as {one}"
            tried.append((took, len(tried)))
        hostile = [hostile[number] for _, number in sorted(tried, reverse=True)[:kept]]
    return ""


def test_every_regular_expression_is_seen() -> None:
    unseen = [one.place for one in _all() if one.pattern is None]
    assert [place for place in unseen if place.rpartition(":")[0] not in OWN] == []
    assert len(_all()) > 60


@pytest.mark.parametrize("expression", [e for e in _all() if e.pattern], ids=lambda e: e.place)
def test_an_expression_takes_linear_time_on_its_worst_text(expression: Expression) -> None:
    file = expression.place.rpartition(":")[0]
    if file in OWN:
        pytest.skip(f"reads {OWN[file]}")
    for use in KNOWN_USES.get(file, expression.uses):
        assert expression.pattern and _slow(expression.pattern, use) == ""


@pytest.mark.parametrize(
    ("source", "use"),
    [
        (r"(\d+)$", "search"),
        (r"(?:a|aa)+=", "match"),
        (r"\s*(\[\[?)\s*([^]#\n]+?)\s*\]", "match"),
        (r"<text[^>]*>", "finditer"),
        (r'"(?:\\.|[^"\\])*"', "finditer"),
    ],
)
def test_expressions_that_take_more_than_linear_time_are_found(source: str, use: str) -> None:
    assert _slow(re.compile(source), use)
