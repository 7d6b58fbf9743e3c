"""Reading of the positions of the views from the tag of a JPEG stereo picture (.jps).

Source: J. Siragusa, D. C. Swift, "General Purpose Stereoscopic Data Descriptor", VRex, 1997.
"""

import os
from pathlib import Path

from wheatstone.viewer.io.reading.regular_files import open_regular

SUFFIX = ".jps"
MARKER = b"_JPSJPS_"
READ = 65536 * 2  # bytes of a file that are searched for the tag: it comes before the pixels
APP3, SCAN, STANDALONE = 0xE3, 0xDA, (0x01, *range(0xD0, 0xD9))
STEREO, SIDE_BY_SIDE, OVER_UNDER = 1, 2, 3
HALF_WIDTH, LEFT_FIRST = 2, 4


def stereo_tag(path: Path) -> tuple[str, str] | None:
    """Return the layout that a ``.jps`` has, and how it is known; None for other files.

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
