"""The last line of races and benchmarks, from plain values."""

from collections.abc import Sequence

import pytest

from wheatstone.viewer.run.measuring.row_types import Identity
from wheatstone.viewer.run.measuring.rows import TimedResult, fastest_line

Given = tuple[str, float | None, Identity]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            [("reference", 900, "reference"), ("cpu", 24, "identical"), ("fast", 2, "identical")],
            "fastest identical: fast, 12 times as fast as cpu",
        ),
        (
            [("reference", 90, "reference"), ("cpu", 20, "identical")],
            "fastest identical: cpu, 4.5 times as fast as reference",
        ),
        ([("reference", 90, "reference")], "fastest identical: reference"),
        (
            [("reference", 90, "reference"), ("cpu", 9, "identical"), ("fast", 1, "different")],
            "fastest identical: cpu, 10 times as fast as reference; NOT identical: fast",
        ),
        (
            [("reference", 90, "reference"), ("cpu", 9, "identical"), ("fast", None, "unknown")],
            "fastest identical: cpu, 10 times as fast as reference; not timed: fast",
        ),
        (
            [("cpu", 6, "unknown"), ("fast", 2, "unknown")],
            "fastest, not compared with the reference: fast, 3.0 times as fast as cpu",
        ),
        (
            [("cpu", 6, "different")],
            "no variant is identical to the reference; NOT identical: cpu",
        ),
        ([("cpu", None, "unknown"), ("fast", None, "unknown")], "not timed: cpu, fast"),
        ([], ""),
    ],
)
def test_the_last_line_says_who_is_fastest_and_right(given: Sequence[Given], text: str) -> None:
    assert fastest_line([TimedResult(*one) for one in given]) == text


def test_programs_from_outside_never_win() -> None:
    peer = TimedResult("opencv", 0.1, "peer", True)
    cpu = TimedResult("cpu", 4, "identical")
    assert fastest_line([peer, cpu]) == "fastest identical: cpu"
