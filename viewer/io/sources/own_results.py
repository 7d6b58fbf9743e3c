"""Marks in files of values, by which the program recognises its own results.

A result next to a pair is no ground truth. PNG and TIFF files name the program that wrote them. PFM
and NPY files have no place for a name: their headers are written in a form that all readers accept,
and that other programs do not write.
"""

import struct
from contextlib import suppress
from pathlib import Path

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.reading.archives import MAGIC
from wheatstone.viewer.io.reading.png_chunks import SIGNATURE, png_text
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.io.sources.tiff_header import TiffLayout, first_entries, is_tiff

KEYWORD, PROGRAM = "Software", f"wheatstone {VERSION}"
"""The keyword of a PNG's text, and the text."""
TIFF_SOFTWARE = 305  # the tag of the same text
HEAD, LONGEST_TEXT = 2**16, 256  # bytes
PFM, SCALE = b"Pf", b"-1.0e0"
"""The first line of a PFM with one channel, and its scale: others write no exponent."""
NPY_BLOCK = 64  # bytes; a header takes whole ones
NPY_BEGINNING = b"{'shape': "
"""The beginning of an NPY's header: NumPy sorts the keys, and readers must not depend on it."""
NPY_VERSION = b"\1\0"


def pfm_header(height: int, width: int) -> bytes:
    """Return the header of a PFM with one channel of this program."""
    return b"%b\n%d %d\n%b\n" % (PFM, width, height, SCALE)


def npy_header(height: int, width: int) -> bytes:
    """Return the header of an NPY file with (H, W) float32 of this program."""
    text = b"(%d, %d), 'fortran_order': False, 'descr': '<f4', }" % (height, width)
    text = NPY_BEGINNING + text
    before = len(MAGIC + NPY_VERSION) + 2  # bytes of the length
    text += b" " * (-(before + len(text) + 1) % NPY_BLOCK) + b"\n"
    return MAGIC + NPY_VERSION + struct.pack("<H", len(text)) + text


def is_own_result(path: Path) -> bool:
    """Return whether this program wrote a file of values or a picture; False if unreadable."""
    with suppress(OSError, ValueError), open_regular(path) as file:
        head = file.read(HEAD)
        if head.startswith(SIGNATURE):
            return _is_program(png_text(file, KEYWORD, LONGEST_TEXT) or "")
        if is_tiff(head):
            return _is_program(_software(head))
        if head.startswith(MAGIC):
            return head[len(MAGIC + NPY_VERSION) + 2 :].startswith(NPY_BEGINNING)
        lines = head.split(b"\n", 3)
        return len(lines) > 3 and (lines[0], lines[2]) == (PFM, SCALE)
    return False


def _is_program(text: str) -> bool:
    return text.split()[:1] == PROGRAM.split()[:1]


def _software(encoded: bytes) -> str:
    """Return the name of the program that wrote a TIFF; empty if the file does not have it."""
    layout = TiffLayout.of(encoded)
    for tag, entry in first_entries(encoded, layout):
        if tag == TIFF_SOFTWARE:
            length = min(layout.count_of(encoded, entry), LONGEST_TEXT)
            at = layout.place_of(encoded, entry, length)
            return encoded[at : at + length].rstrip(b"\0").decode("latin-1")
    return ""
