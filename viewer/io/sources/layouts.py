"""Layouts: the positions of the two views of a pair in pictures, such as side by side."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.matching import match_views
from wheatstone.viewer.io.footage.planes import AnyView, Planes, pixels_of
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.io.sources.disparity_survey import survey_disparities
from wheatstone.viewer.io.sources.frame import Pixels
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.source_spec import LAYOUTS

SUFFIX = ".jps"
MARKER = b"_JPSJPS_"
READ = 65536 * 2  # bytes of a file that are searched for the tag: it comes before the pixels
APP3, SCAN, STANDALONE = 0xE3, 0xDA, (0x01, *range(0xD0, 0xD9))
STEREO, SIDE_BY_SIDE, OVER_UNDER = 1, 2, 3
HALF_WIDTH, LEFT_FIRST = 2, 4


def stereo_tag(path: Path) -> tuple[str, str] | None:
    """Return the layout of a ``.jps`` or tagged JPEG, and how it is known; None for others.

    Its tag counts; without a tag the right view comes first, as usual in this format.

    Raises:
        OSError: the file cannot be read.
    """
    if path.suffix.lower() not in (SUFFIX, ".jpg", ".jpeg") or not os.path.isfile(path):
        return None
    with open_regular(path) as file:
        tag = _tag(file.read(READ))
    if tag:
        flags, layout = tag
        says = "as its _JPSJPS_ tag says"
        if layout == OVER_UNDER and flags & LEFT_FIRST:
            return "top-bottom", says
        if layout == SIDE_BY_SIDE and flags & HALF_WIDTH and flags & LEFT_FIRST:
            return "half-side-by-side", says
        if layout == SIDE_BY_SIDE and not flags & HALF_WIDTH:
            return "side-by-side" if flags & LEFT_FIRST else "swapped", says
    if path.suffix.lower() == SUFFIX:
        return "swapped", "as usual in a .jps"
    return None


def _tag(encoded: bytes) -> tuple[int, int] | None:
    """Return flags and layout of the stereo tag in a JPEG file; None without a tag."""
    at = 2 if encoded.startswith(b"\xff\xd8") else len(encoded)
    while at + 4 <= len(encoded) and encoded[at] == 0xFF:
        kind = encoded[at + 1]
        if kind == 0xFF or kind in STANDALONE:
            at += 1 if kind == 0xFF else 2
            continue
        size = int.from_bytes(encoded[at + 2 : at + 4])
        content = encoded[at + 4 : at + 2 + size]
        if kind == APP3 and content.startswith(MARKER) and len(content) >= 14:
            _, flags, layout, media = content[10:14]
            return (flags, layout) if media == STEREO else None
        if kind == SCAN or size < 2:
            return None
        at += 2 + size
    return None


TWO = "pair", "swapped"
"""The layouts of two pictures."""

HALVED = LAYOUTS[1:]
"""The layouts in which one picture holds both views."""

WIDE = 2.2  # times its height that a picture is wide before its halves are compared
WIDE_VIEWS = 1.9  # below which views side by side are squeezed to half their width
LEAST = 40  # features that halves must have in common to be two views
CERTAIN = 0.6  # of the features that match, which must fit, where the size does not suggest halves
FEATURES = 600
SAME_ROWS = 0.02  # of the height that their rows may differ by
NAMES = (
    (
        re.compile(r"(?:^|[^a-z])(?:left[-_ ]?right|lr|parallel)(?:$|[^a-z])", re.IGNORECASE),
        "side-by-side",
    ),
    (
        re.compile(
            r"(?:^|[^a-z])(?:right[-_ ]?left|rl|cross(?:ed|eyed?|[-_ ]eyed?)?|xeye)(?:$|[^a-z])",
            re.IGNORECASE,
        ),
        "swapped",
    ),
)
"""Patterns of a picture's name that say which of two views side by side is the left one."""


@dataclass(frozen=True)
class LayoutViews:
    """The layout of the views in a source's pictures.

    Attributes:
        layout: one of ``LAYOUTS``.
        detected: whether it was detected in a picture, not given by the user.
        reason: how the order of the views is known; empty if it is not.
    """

    layout: str
    detected: bool = False
    reason: str = ""

    @property
    def note(self) -> str:
        """Describe the detected layout and how to undo it; empty if the user chose the layout."""
        if not self.detected or self.layout == "pair":
            return ""
        how = WORDS[self.layout]
        if self.reason:
            return Finding("layout", layout=how, reason=self.reason)
        return Finding("order", layout=how, opposite=OPPOSITE[self.layout])

    def choices(self, right: AnyView | None) -> tuple[str, ...]:
        """List the layouts that the pictures may have, the current layout first.

        A detected layout is followed by ``pair``, which undoes it; if the order of its views is
        not known, by the opposite order first.

        Args:
            right: the second picture; None if there is only one.
        """
        known = LAYOUTS if right is None else TWO
        at = known.index(self.layout)
        ordered = known[at:] + known[:at]
        if not self.detected:
            return ordered
        unsure = () if self.reason else (OPPOSITE[self.layout],)
        return tuple(dict.fromkeys((self.layout, *unsure, "pair", *ordered)))

    def split(
        self, name: str, left: AnyView, right: AnyView | None
    ) -> tuple[AnyView, AnyView | None]:
        """Cut the left and the right view out of one or two pictures.

        Args:
            name: of the picture, for messages.
            left, right: the pictures, as views; ``right`` is None if there is only one.

        Returns:
            Left and right view; pixels are contiguous, and decoded planes remain planes if they
            can be halved. The right view of a single image is None.

        Raises:
            ValueError: the picture cannot be halved, or there are two of them.
        """
        if self.layout == "pair":
            return left, right
        if right is not None:
            if self.layout == "swapped":
                return right, left
            message = f"{name}: {self.layout} is a layout of one picture that holds both views"
            raise ValueError(f"{message}; two files are a pair, or swapped")
        return self._halves(name, left)

    def _halves(self, name: str, picture: AnyView) -> tuple[AnyView, AnyView]:
        down = self.layout == "top-bottom"
        length = picture.shape[0 if down else 1]
        if length % 2:
            size, side = ("high", "height") if down else ("wide", "width")
            raise ValueError(f"{name} is {length} {size}; {self.layout} needs an even {side}")
        first, second = _cut(picture, down=down)
        if self.layout == "swapped":
            first, second = second, first
        if self.layout == "half-side-by-side":
            return _stretched(pixels_of(first)), _stretched(pixels_of(second))
        return first, second


WORDS = {
    "side-by-side": "side by side, the left view first",
    "swapped": "side by side, the right view first",
    "top-bottom": "one above the other",
    "half-side-by-side": "side by side, squeezed to half their width",
}
OPPOSITE = {"side-by-side": "swapped", "swapped": "side-by-side"}
AS_GIVEN = LayoutViews("pair")
CERTAIN_ORDER = "for the halves match, and lower things are nearer"


def exchange_of(layouts: Sequence[str]) -> str:
    """Return the layout that exchanges a source's left and right view; empty if no layout does.

    Args:
        layouts: that the source's pictures may have, the one in use first.
    """
    if set(layouts) == set(TWO):
        return layouts[1]
    return OPPOSITE.get(layouts[0], "") if layouts else ""


def views_of(
    layout: str | None, left: AnyView, right: AnyView | None, path: Path | None = None
) -> LayoutViews:
    """Return the layout chosen by the user, or detect the layout in a source's first picture.

    A file may say it, as a ``.jps`` does. A picture that is much wider than high holds two views if
    its halves show the same in the same rows. The left view comes first, unless the file's name
    says otherwise, or what is lower in the picture would be farther away.

    Args:
        layout: the user's choice, one of ``LAYOUTS``; None: no choice.
        left, right: the pictures, as views; ``right`` is None if there is only one.
        path: the file of the first picture; None if it has none.
    """
    if layout is not None:
        return LayoutViews(layout)
    if right is None and path and (tagged := stereo_tag(path)):
        return LayoutViews(tagged[0], detected=True, reason=tagged[1])
    height, width = left.shape[:2]
    if right is not None:
        return AS_GIVEN
    if width >= WIDE * height:
        halves = _matching_halves(left, axis=1)
        return _order(*halves, path) if halves else AS_GIVEN
    if _matching_halves(left, axis=0, certain=CERTAIN):
        return LayoutViews("top-bottom", detected=True, reason="for the halves match")
    if not (halves := _matching_halves(left, axis=1, certain=CERTAIN)):
        return AS_GIVEN
    if width < WIDE_VIEWS * height:
        return LayoutViews("half-side-by-side", detected=True, reason="for the halves match")
    return _order(*halves, path)


def _matching_halves(
    picture: AnyView, axis: int, certain: float = 0.0
) -> tuple[Pixels, Pixels] | None:
    """Return a picture's halves in grey levels, if they show the same scene; else None.

    Args:
        axis: 0 for the upper and the lower half, 1 for the left and the right half.
        certain: the share of the matches that must fit one geometry.
    """
    if picture.shape[axis] % 2:
        return None
    first, second = (grey_levels(half) for half in np.split(pixels_of(picture), 2, axis=axis))
    matches = match_views(first, second, FEATURES)
    if matches.count < LEAST or matches.count < certain * matches.tried:
        return None
    lower = np.abs(matches.left[:, 1] - matches.right[:, 1])
    if np.quantile(lower, max(certain, 0.5)) > SAME_ROWS * first.shape[0]:
        return None
    return first, second


def _order(first: Pixels, second: Pixels, path: Path | None) -> LayoutViews:
    """Determine which half of a picture is the left view, by the file's name or by disparities."""
    name, widths = path.stem if path else "", _bar(first, second)
    named = next((layout for pattern, layout in NAMES if pattern.search(name)), None)
    right_first = None if named else survey_disparities(first, second).right_first
    layout = named or ("swapped" if right_first else "side-by-side")
    reason = "as its name says" if named else CERTAIN_ORDER if right_first is not None else ""
    if widths:
        size = "large" if layout == "swapped" else "small"
        bar = f"a bar of {sum(widths)} columns between them makes disparities {widths[1]} px too"
        reason = f"{reason or 'for the halves match'}; {bar} {size}, if they were joined with it"
    return LayoutViews(layout, detected=True, reason=reason)


def _bar(first: Pixels, second: Pixels) -> tuple[int, int] | None:
    """Return the columns that a bar of one colour covers in either half; None without a bar."""
    color = first[0, -1]
    one, two = (
        int(np.argmin([*(half == color).all(axis=0), False])) for half in (first[:, ::-1], second)
    )
    return (one, two) if one and two and max(one, two) < first.shape[1] else None


def _cut(picture: AnyView, *, down: bool) -> tuple[AnyView, AnyView]:
    """Cut a picture into its upper and lower half, or into its left and right half."""
    if isinstance(picture, Planes) and picture.can_be_halved(down=down):
        return picture.half(0, down=down), picture.half(1, down=down)
    first, second = np.split(pixels_of(picture), 2, axis=0 if down else 1)
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def _stretched(view: Pixels) -> Pixels:
    """Stretch a squeezed view to twice its width."""
    import cv2

    size = 2 * view.shape[1], view.shape[0]
    return np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_LINEAR), np.uint8)
