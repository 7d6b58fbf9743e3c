"""Undo the filters of PNG rows in compiled code, because each byte depends on the previous.

Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", section 9.
"""

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Uint8

NONE, SUB, UP, AVERAGE, PAETH = range(5)
SIGN = 31  # the bit of a number of 32 bits
PAETH_ROWS = 4  # that are undone side by side: each waits for its own last byte only


@compiled
def undo_filters(rows: Uint8, step: int, pixels: Uint8) -> bool:
    """Undo the filter of each row of a PNG image that is not interlaced.

    Args:
        rows: (H, 1 + N) the filter of each row, and its N bytes.
        step: bytes of a pixel.
        pixels: (H, N) bytes, written.

    Returns:
        Whether all filters exist.
    """
    above = np.zeros(pixels.shape[1], np.uint8)
    row = 0
    while row < len(rows):
        kind, line, out = rows[row, 0], rows[row, 1:], pixels[row]
        if kind == NONE:
            out[:] = line
        elif kind == SUB:
            _undo_sub(line, step, out)
        elif kind == UP:
            for byte in range(len(out)):
                out[byte] = line[byte] + above[byte]
        elif kind == AVERAGE:
            for byte in range(len(out)):
                left = np.int32(out[byte - step]) if byte >= step else np.int32(0)
                out[byte] = np.int32(line[byte]) + (left + np.int32(above[byte])) // 2
        elif kind > PAETH:
            return False
        else:
            last = row + 1
            while last < len(rows) and last < row + PAETH_ROWS and rows[last, 0] == PAETH:
                last += 1
            _undo_paeth(rows[row:last, 1:], step, above, pixels[row:last])
            row = last - 1
        above = pixels[row]
        row += 1
    return True


@helper
def _undo_sub(line: Uint8, step: int, out: Uint8) -> None:
    if step == 1:  # a register instead of memory that was just written
        left = np.uint8(0)
        for byte in range(len(out)):
            left = np.uint8(left + line[byte])
            out[byte] = left
        return
    out[:step] = line[:step]
    for byte in range(step, len(out)):
        out[byte] = line[byte] + out[byte - step]


@helper
def _undo_paeth(lines: Uint8, step: int, above: Uint8, out: Uint8) -> None:
    """Undo the Paeth filter of consecutive rows, with each row one pixel behind the row above."""
    count, size = out.shape
    for place in range(size + (count - 1) * step):
        for row in range(count):
            byte = place - row * step
            if 0 <= byte < size:
                up = out[row - 1] if row else above
                left = np.int32(out[row, byte - step]) if byte >= step else np.int32(0)
                corner = np.int32(up[byte - step]) if byte >= step else np.int32(0)
                guess = _predicted(left, np.int32(up[byte]), corner)
                out[row, byte] = np.int32(lines[row, byte]) + guess


@helper
def _predicted(left: int, up: int, corner: int) -> int:
    """Return the neighbour that is nearest to left + up - corner; left comes first, then up.

    Without branches: pictures choose the neighbour too irregularly for a processor to guess it.
    """
    distance, to_up = abs(up - corner), abs(left - corner)
    nearer = (to_up - distance) >> SIGN  # -1: up is, 0: left is
    nearest = left ^ ((left ^ up) & nearer)
    distance ^= (distance ^ to_up) & nearer
    nearer = (abs(left + up - 2 * corner) - distance) >> SIGN
    return nearest ^ ((nearest ^ corner) & nearer)
