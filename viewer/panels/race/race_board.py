"""The contents of a race's leader board, and the axes of a parameter sweep's plot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wheatstone.gpu.analysis.measurement import FEWEST, Times
from wheatstone.viewer.panels.race.standings import Standing, in_words, ranked
from wheatstone.viewer.panels.race.sweeping import Curve
from wheatstone.viewer.panels.status_words import PEER_TIP
from wheatstone.viewer.run.measuring.rows import TimedResult, fastest_line

ROOM = 2.0  # by which the bars' axis begins below the fastest time


@dataclass(frozen=True)
class BoardRow:
    """One row of the leader board: a variant with its rank and time.

    Attributes:
        name: of the variant, or of all variants that have no time for the same reason.
        place: number of the place; empty for a variant without one.
        time: median in milliseconds, without the unit; empty before there is one.
        speed: relative to the reference; empty if it is not comparable.
        share: length of the bar, from 0 to 1, on a logarithmic scale.
        leads: whether this is the fastest variant whose result is right, once all have finished.
        wrong: whether the result differs from the reference's.
        meaning: what the variant does, or each of several, in a sentence.
    """

    name: str
    place: str
    time: str
    speed: str
    details: str
    share: float
    leads: bool
    wrong: bool
    meaning: str = ""


def board(standings: Sequence[Standing]) -> tuple[BoardRow, ...]:
    """Build the rows of the leader board of variants, the fastest first.

    Variants that have no time for the same reason share a row.
    """
    medians = [one.times.median for one in standings if one.times]
    rows: dict[str, BoardRow] = {}
    finished = _finished(standings)
    for place, one in ranked(standings):
        row = _row(place, one, medians, leads=finished and place == 1)
        key = row.name if row.time else row.details
        before = rows.get(key)
        if before:
            name, meaning = f"{before.name}, {row.name}", f"{before.meaning}\n{row.meaning}"
            row = replace(before, name=name, meaning=meaning)
        rows[key] = row
    return tuple(rows.values())


def last_line(standings: Sequence[Standing]) -> str:
    """Return a line that names the fastest correct variant; empty until all variants finished."""
    if not _finished(standings):
        return ""
    return fastest_line(
        [
            TimedResult(
                one.variant.name,
                one.times.median if one.times else None,
                one.identity,
                one.variant.peer,
            )
            for one in standings
        ]
    )


def _finished(standings: Sequence[Standing]) -> bool:
    return all(one.phase not in ("waiting", "running") for one in standings)


def _row(place: int | None, one: Standing, medians: Sequence[float], *, leads: bool) -> BoardRow:
    """Build one variant's row; ``medians`` are the median times of all variants, in ms."""
    return BoardRow(
        name=one.variant.name,
        place=str(place) if place else "",
        time=milliseconds(one.times.median) if one.times else "",
        speed=f"{ratio(one.speed_up)} x" if one.speed_up else "",
        details=_details(one),
        share=_share(one.times.median, medians) if one.times else 0.0,
        leads=leads,
        wrong=one.identity == "different",
        meaning=f"{one.variant.name}: {one.variant.help}{f' {PEER_TIP}' * one.variant.peer}",
    )


def _share(median: float, medians: Sequence[float]) -> float:
    """Return the length of a time's bar, as a fraction from 0 to 1, on a logarithmic scale.

    The scale begins at a fraction of the fastest time and ends at the slowest time.
    """
    low, high = min(medians) / ROOM, max(medians)
    return math.log(median / low) / math.log(high / low) if low > 0 else 1.0


def _details(one: Standing) -> str:
    if one.times is None:
        waits = {"waiting": "waiting", "running": "running ..."}
        return waits.get(one.phase, one.why)
    words = [one.variant.device.upper(), _frames(one.times)]
    if one.times.frames >= FEWEST:
        words.append(f"p95 {milliseconds(one.times.p95)} ms")
    words.append(in_words(one))
    if one.phase == "running":
        words.append("running ...")
    return ", ".join([*words, one.why] if one.why else words)


def _frames(times: Times) -> str:
    return f"{times.frames} frame{'s' if times.frames != 1 else ''}"


def milliseconds(value: float) -> str:
    """Format a time in milliseconds with three decimals, or with one decimal from 100 ms."""
    return f"{value:.3f}" if value < 100 else f"{value:.1f}"


def ratio(value: float) -> str:
    """Format a ratio with three digits, or as an integer from 100."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


@dataclass(frozen=True)
class Extent:
    """The limits of the axes of a sweep's plot, and whether the x axis is logarithmic."""

    left: float
    right: float
    bottom: float
    top: float
    logarithmic: bool


def extent(curves: Sequence[Curve], places: Sequence[float]) -> Extent:
    """Choose axes that show all parameter values, ascending, and whole decades of times."""
    times = [time for curve in curves for time in curve.milliseconds if time > 0] or [1.0]
    bottom = 10.0 ** math.floor(math.log10(min(times)))
    top = 10.0 ** math.ceil(math.log10(max(times) * 1.05))
    first, last = places[0], places[-1]
    logarithmic = first > 0 and last / first >= 10
    if logarithmic:
        room = (last / first) ** 0.05
        return Extent(first / room, last * room, bottom, top, True)
    room = (last - first) * 0.05
    return Extent(first - room, last + room, bottom, top, False)


def endings(curves: Sequence[Curve]) -> tuple[str, ...]:
    """Explain why curves of variants are missing in a sweep's plot or end early, by reason."""
    names: dict[str, list[str]] = {}
    for curve in curves:
        if curve.why:
            names.setdefault(_ending(curve), []).append(curve.variant.name)
    return tuple(f"{', '.join(variants)} {ending}" for ending, variants in names.items())


def _ending(curve: Curve) -> str:
    last = f"up to {curve.places[-1]:g}" if curve.places else "not timed"
    return f"{last}: {curve.why}"
