"""Count the scans of a JPEG: each makes a decoder run over the whole picture."""

import re
import struct

SCAN, END = 0xDA, 0xD9
NEXT = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""A marker after a scan, in whose body 0 follows every 255, or a mark where to restart."""


def scans(encoded: bytes) -> int:
    """Count the scans of a JPEG up to its end, or to where it is damaged."""
    found, at = 0, 2
    while marker := NEXT.search(encoded, at):
        kind, at = marker[0][1], marker.end()
        if kind == END or at + 2 > len(encoded):
            break
        found += kind == SCAN
        at += struct.unpack_from(">H", encoded, at)[0]
    return found
