"""Numbered file names: ``shot-%03d.png`` stands for shot-000.png, shot-001.png and so on."""

import re
from pathlib import Path

_PLACE = re.compile(r"%(?:0([1-9]))?d")
_LIKE_A_PLACE = re.compile(r"%[-+ #\d.*]*[diu]")


def is_numbered(path: Path) -> bool:
    """Return whether a file's name has a placeholder for a number.

    Raises:
        ValueError: it has several placeholders, or one in another format.
    """
    places = _LIKE_A_PLACE.findall(path.name)
    if len(places) > 1 or any(not _PLACE.fullmatch(place) for place in places):
        raise ValueError(f"{path}: a number's place is one %d, or %03d for three digits")
    return bool(places)


def numbered(path: Path, number: int) -> Path:
    """Return the path of the picture with a number."""
    return path.with_name(
        _PLACE.sub(lambda place: f"{number:0{place[1] or 1}d}", path.name),
    )
