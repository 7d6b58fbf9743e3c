"""Summarise a race or a benchmark in one line: the fastest variant, and whether it is right."""

from collections.abc import Sequence
from dataclasses import dataclass

from wheatstone.viewer.measuring.rows import Identity
from wheatstone.viewer.measuring.sweep import REFERENCE

BASES = ("cpu", REFERENCE)
"""The variants with which the fastest one is compared: the first of them that was timed."""
RIGHT = ("identical", "reference")


@dataclass(frozen=True)
class TimedResult:
    """The time and the correctness of one variant.

    Attributes:
        milliseconds: median of a frame; None if the variant was not timed.
        identity: how its result compares with the reference's.
        peer: whether it is an external program, whose result is not compared.
    """

    name: str
    milliseconds: float | None
    identity: Identity
    peer: bool = False


def fastest_line(results: Sequence[TimedResult]) -> str:
    """Name the fastest identical variant, the variants that differ, and those not timed."""
    own = [one for one in results if not one.peer]
    timed = [one for one in own if one.milliseconds]
    lines = [_fastest(timed)] if timed else []
    for said, found in (
        ("NOT identical", [one for one in timed if one.identity == "different"]),
        ("not timed", [one for one in own if not one.milliseconds]),
    ):
        lines += [f"{said}: {', '.join(one.name for one in found)}"] if found else []
    return "; ".join(lines)


def _fastest(timed: Sequence[TimedResult]) -> str:
    """Name the fastest variant whose result is not known to be wrong."""
    right = [one for one in timed if one.identity in RIGHT]
    unknown = [one for one in timed if one.identity == "unknown"]
    if not (right or unknown):
        return "no variant is identical to the reference"
    first = min(right or unknown, key=lambda one: one.milliseconds or 0.0)
    kind = "fastest identical" if right else "fastest, not compared with the reference"
    return f"{kind}: {first.name}{_in_times(first, timed)}"


def _in_times(first: TimedResult, timed: Sequence[TimedResult]) -> str:
    """Describe how many times as fast as another variant one is; empty without another."""
    by_name = {one.name: one.milliseconds for one in timed if one.name != first.name}
    base = next((name for name in BASES if by_name.get(name)), "")
    if not base or not first.milliseconds:
        return ""
    return f", {_rounded((by_name[base] or 0.0) / first.milliseconds)} times {base}"


def _rounded(ratio: float) -> str:
    """Write a ratio with two significant digits, but all digits before the decimal point."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
