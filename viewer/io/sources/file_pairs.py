"""Pairing of the files of left and right views: by name, by number, or by time."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import numpy as np

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.footage.pairing import paired_times
from wheatstone.viewer.io.sources.sides import without_side

STAMP = re.compile(r"\d{10,19}|\d{9,10}\.\d{1,9}")
"""The format of a file name that is a time: in ms, us or ns, or in seconds with a fraction."""
DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)-?(\d\d)-?(\d\d)[-_T ]?(\d\d)[-:]?(\d\d)[-:]?(\d\d)"
    r"(?:[-_.](\d{1,9}))?(?!\d)"
)
"""The format of a date and time in a file name."""
SECOND = 10**9  # nanoseconds
UNITS = {13: 10**6, 16: 10**3, 19: 1}
"""Nanoseconds per unit of a time since 1970, by its digits."""
NAMED = 3  # files that a note names
Key = Callable[[Path], Hashable | None]


def _numbers(path: Path) -> Hashable | None:
    return tuple(map(int, re.findall(r"\d+", path.stem))) or None


def _last_number(path: Path) -> Hashable | None:
    return next(iter(reversed(re.findall(r"\d+", path.stem))), "").lstrip("0") or (
        "0" if re.search(r"\d", path.stem) else None
    )


RULES: Sequence[tuple[str, Key]] = (
    ("name", lambda path: path.name),
    ("name", lambda path: path.stem),
    ("name", lambda path: without_side(path.stem)),
    ("number", _numbers),
    ("number", _last_number),
)
"""What two files of a pair have in common, the first that fits most of them."""


@dataclass(frozen=True)
class FilePairs:
    """The pairs of files from two lists, and the files without a partner.

    Attributes:
        pairs: left and right files, in the order of the left ones.
        alone: the files without a partner.
        by: what the files of a pair have in common: name, number or time.
    """

    pairs: tuple[tuple[Path, Path], ...]
    alone: tuple[Path, ...]
    by: str

    @property
    def note(self) -> str:
        """Describe how files were paired, if it is by time or some have no partner; else empty."""
        if not self.alone:
            return "" if self.by != "time" else f"{len(self.pairs)} pairs by the nearest time"
        count = f"{len(self.pairs)} pair{'s' * (len(self.pairs) != 1)} by {self.by}"
        return Finding("unpaired", count=count, files=_named(self.alone))


def pair_files(lefts: Sequence[Path], rights: Sequence[Path], place: str) -> FilePairs:
    """Pair left and right files by equal names, else by numbers, else by times in their names.

    Times pair if they are mutually nearest, within half a frame interval.

    Args:
        place: of the files, for the message.

    Raises:
        ValueError: nothing fits; the message names files without a partner.
    """
    least, fitting = max(1, min(len(lefts), len(rights)) / 2), list[FilePairs]()
    for by, key in RULES:
        pairs = _by_key(lefts, rights, by, key)
        if pairs and len(pairs.pairs) >= least:
            return pairs
        fitting += [pairs] if pairs and pairs.pairs else []
    if (timed := _by_time(lefts, rights)) and timed.pairs:
        return timed
    if fitting:
        return fitting[0]
    if len(lefts) == len(rights) == 1 and not any(map(_numbers, (*lefts, *rights))):
        return FilePairs(((lefts[0], rights[0]),), (), "being alone")
    _refuse(lefts, rights, place)


def _by_key(lefts: Sequence[Path], rights: Sequence[Path], by: str, key: Key) -> FilePairs | None:
    """Pair the files of two lists with equal keys; None if a key occurs twice in a list."""
    keys = [[key(path) for path in paths] for paths in (lefts, rights)]
    for side in keys:
        if any(count > 1 and one is not None for one, count in Counter(side).items()):
            return None
    other = {k: path for k, path in zip(keys[1], rights, strict=True) if k is not None}
    pairs = tuple((p, other[k]) for k, p in zip(keys[0], lefts, strict=True) if k in other)
    return FilePairs(pairs, _alone(pairs, lefts, rights), by)


def _by_time(lefts: Sequence[Path], rights: Sequence[Path]) -> FilePairs | None:
    """Pair the files of two lists by the times in their names; None if a name is not a time."""
    times = _times_of([*lefts, *rights])
    if max(len(lefts), len(rights)) < 2 or not times:
        return None
    begin = min(times)  # 64-bit floats have no room for nanoseconds since 1970
    since = np.array([time - begin for time in times], np.float64)
    sides = since[: len(lefts)], since[len(lefts) :]
    order = [np.argsort(side, kind="stable") for side in sides]
    left, right = paired_times(*(side[at] for side, at in zip(sides, order, strict=True)))
    pairs = tuple(
        (lefts[int(order[0][a])], rights[int(order[1][b])])
        for a, b in zip(left, right, strict=True)
    )
    return FilePairs(pairs, _alone(pairs, lefts, rights), "time")


def _times_of(paths: Sequence[Path]) -> list[int]:
    """Return the times that file names state, in one unit; empty if a name is not a time."""
    stems = [without_side(path.stem).strip("_-") for path in paths]
    dates = [DATE.search(stem) for stem in stems]
    if all(dates):
        return _since_1970([date for date in dates if date])
    if not all(map(STAMP.fullmatch, stems)):
        return []
    digits = {len(stem.partition(".")[0]) for stem in stems}
    if len(digits) == 1 and all(stem.isdecimal() for stem in stems):
        return list(map(int, stems))
    times = [_nanoseconds(stem) for stem in stems]
    return [time for time in times if time is not None] if None not in times else []


def _nanoseconds(stem: str) -> int | None:
    """Convert a time since 1970 to nanoseconds; None if its number of digits fits no unit."""
    whole, point, fraction = stem.partition(".")
    if point:
        return int(whole) * SECOND + int(fraction.ljust(9, "0"))
    unit = UNITS.get(len(stem))
    return int(stem) * unit if unit else None


def _date(year: int, month: int, day: int, hour: int, minute: int, second: int) -> datetime:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _since_1970(dates: Sequence[re.Match[str]]) -> list[int]:
    """Convert dates to nanoseconds since 1970; empty if a date does not exist."""
    try:
        times = [_date(*map(int, date.groups()[:6])) for date in dates]
    except ValueError:  # such as a 13th month
        return []
    fractions = (int((date[7] or "").ljust(9, "0")) for date in dates)
    return [round(t.timestamp()) * SECOND + f for t, f in zip(times, fractions, strict=True)]


def _alone(
    pairs: Sequence[tuple[Path, Path]], lefts: Sequence[Path], rights: Sequence[Path]
) -> tuple[Path, ...]:
    paired = {path for pair in pairs for path in pair}
    return tuple(path for path in (*lefts, *rights) if path not in paired)


def _refuse(lefts: Sequence[Path], rights: Sequence[Path], place: str) -> NoReturn:
    one = f"without a partner: {_named([*lefts[:2], *rights[:1]], len(lefts) + len(rights))}"
    raise ValueError(
        f"{place}: no left and right image belong together by name, number or time; {one}; "
        "name both views of a pair alike"
    )


def _named(paths: Sequence[Path], count: int | None = None) -> str:
    """Format the names of the first files, with their folders, and the number of the others."""
    names = [f"{path.parent.name}/{path.name}" for path in paths[:NAMED]]
    more = (len(paths) if count is None else count) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
