"""Counting of the scans of a JPEG: a decoder goes over the whole picture for each."""

import re
import struct

SCAN, END = 0xDA, 0xD9
NEXT = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""The marker after a scan; within a scan, 0 or a restart marker follows every 255."""


def scans(encoded: bytes) -> int:
    """Count the scans of a JPEG up to its end or to the first damage."""
    found, at = 0, 2
    while marker := NEXT.search(encoded, at):
        kind, at = marker[0][1], marker.end()
        if kind == END or at + 2 > len(encoded):
            break
        found += kind == SCAN
        at += struct.unpack_from(">H", encoded, at)[0]
    return found
