"""Names of left and right views: the side that a file name indicates, and the other view."""

import re
from collections.abc import Sequence
from pathlib import Path

from wheatstone.viewer.io.sources.listing import SUFFIXES

NUMBERED = (("im0", "im1"), ("im2", "im6"), ("view1", "view5"))
"""The names of left and right views at Middlebury and ETH3D."""
RIGHT = re.compile(
    r"right|(?:^|[^a-z])r(?:$|[^a-z])|(?:im|image|view)_?[15]$|(?-i:[a-z]R(?=\d|_|$))",
    re.IGNORECASE,
)
LEFT = re.compile(
    r"left|(?:^|[^a-z])l(?:$|[^a-z])|(?:im|image|view)_?0$|(?-i:[a-z]L(?=\d|_|$))", re.IGNORECASE
)
"""Patterns of the file names of a pair's right and left views."""
SIDES = (
    (re.compile("left"), "right"),
    (re.compile("Left"), "Right"),
    (re.compile("LEFT"), "RIGHT"),
    (re.compile(r"(?<![A-Za-z])l(?![A-Za-z])"), "r"),
    (re.compile(r"(?<![A-Za-z])L(?![A-Za-z])"), "R"),
    (re.compile(r"(?<=[a-z])L(?=\d|_|$)"), "R"),
    (re.compile(r"(?<![A-Za-z])(cam(?:era)?|infra|ir)0(?!\d)", re.IGNORECASE), r"\g<1>1"),
    (re.compile(r"(?<![A-Za-z])(cam(?:era)?|infra|ir)1(?!\d)", re.IGNORECASE), r"\g<1>2"),
    (re.compile("^im0$"), "im1"),
    (re.compile("^im2$"), "im6"),
    (re.compile("^view1$"), "view5"),
)
"""Patterns that name the left view in a file's name, and the name of the right view there."""
BACK = (
    (re.compile("right"), "left"),
    (re.compile("Right"), "Left"),
    (re.compile("RIGHT"), "LEFT"),
    (re.compile(r"(?<![A-Za-z])r(?![A-Za-z])"), "l"),
    (re.compile(r"(?<![A-Za-z])R(?![A-Za-z])"), "L"),
    (re.compile(r"(?<=[a-z])R(?=\d|_|$)"), "L"),
    (re.compile(r"(?<![A-Za-z])(cam(?:era)?|infra|ir)1(?!\d)", re.IGNORECASE), r"\g<1>0"),
    (re.compile(r"(?<![A-Za-z])(cam(?:era)?|infra|ir)2(?!\d)", re.IGNORECASE), r"\g<1>1"),
    (re.compile("^im1$"), "im0"),
    (re.compile("^im6$"), "im2"),
    (re.compile("^view5$"), "view1"),
)
"""The same from the right view to the left one."""
OTHERS = re.compile(r"(?:^|[^a-z])(?:disp|gt|depth|mask|truth|occ|conf|noc)", re.IGNORECASE)
"""Pattern of the names of pictures that are no views, such as ground truth."""


def partner(path: Path) -> Path | None:
    """Return the other view of a picture named left or right, in the same folder; else None."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES and (suffix != ".pfm" or OTHERS.search(path.stem)):
        return None
    for one, other in (*SIDES, *BACK):
        swapped = f"{one.sub(other, path.stem)}{path.suffix}"
        if swapped != path.name and (there := path.with_name(swapped)).is_file():
            return there
    return None


def ordered(pair: Sequence[Path]) -> tuple[Path, Path]:
    """Order two paths with the left view's first, as their names indicate; else sort them."""
    first, second = sorted(pair, key=lambda path: str(path))
    swapped = RIGHT.search(first.stem) and not RIGHT.search(second.stem)
    swapped = swapped or (LEFT.search(second.stem) and not LEFT.search(first.stem))
    return (second, first) if swapped else (first, second)


def sided(images: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Divide the pictures or subfolders of a folder into left and right ones, by their names.

    At least one left name must have its right one. Both lists are empty if none has.
    """
    views = [path for path in images if not OTHERS.search(path.stem)]
    stems = {path.stem for path in views}
    for (one, other), (back, _) in zip(SIDES, BACK, strict=True):
        lefts = [path for path in views if one.search(path.stem)]
        if any(one.sub(other, path.stem) in stems for path in lefts):
            rights = [p for p in views if back.search(p.stem) and p not in lefts]
            return lefts, rights
    return [], []


def without_side(stem: str) -> str:
    """Return a file name without the words for left or right."""
    for pattern, _ in (*SIDES, *BACK):
        stem = pattern.sub("", stem)
    return stem
