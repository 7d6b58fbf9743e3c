"""Correlate image windows with a template, on all CPU cores.

The results equal those of ``gpu.reference.correlation``.

Sums of grey levels and of squares are running sums: down the columns from row to row, then along
the row. The products, as many as template pixels, are summed for a row of windows at once, four
template pixels per pass, in 32 bits as long as these are enough; those of larger templates by
Fourier transforms.
"""

from functools import partial
from typing import Any

import numpy as np
from numba import int32, int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import core_count, fill, on_all_cores, on_rows
from wheatstone.gpu.image import Float32, Float64, Int32, Int64, Uint8
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel
from wheatstone.gpu.reference.correlation import coefficient


def template_statistics(left: Uint8, template_sums: Int64, template: Region) -> None:
    """Write the sums of the template's grey levels and of their squares."""
    x, y, width, height = template
    pattern = left[y : y + height, x : x + width]
    counts = np.bincount(pattern.ravel(), minlength=256)
    greys = np.arange(256)
    template_sums[:] = counts @ greys, counts @ greys**2


FEWEST = 900  # pixels of a template from which transforms are faster than products one by one
MOST = 1 << 25  # numbers of a transform: more take too much memory


class DftProducts:
    """The sums of products of a template and each window, computed by Fourier transforms.

    Each band of rows has transforms of its own.
    Sums are integers. In double precision each of three transforms of N numbers changes their root
    of squares by some 3 log2(N) 2^-53 of it, so that a sum is wrong by less than 0.06 even where N
    is ``MOST``, template and image as large and all white: rounding to integers removes that error.

    Source: J. P. Lewis, "Fast Normalized Cross-Correlation", Vision Interface 1995, section 3.

    Args:
        pattern: (rows, columns) uint8, the template.
        searched: (H, W) uint8; beyond its edge the edge pixels are repeated.
        top, start: row and column at which the first window begins.
    """

    def __init__(self, pattern: Uint8, searched: Uint8, top: int, start: int) -> None:
        (self._height, self._width), (rows, columns) = searched.shape, pattern.shape
        self._band = max(-(-self._height // core_count()), min(rows // 2, self._height))
        self._needed = self._band + rows - 1, self._width + columns - 1
        self._pattern, self._searched, self._first = pattern, searched, (top, start)

    @property
    def worth_it(self) -> bool:
        """Return whether transforms are faster at these sizes, and fit into memory."""
        least = self._needed[0] * self._needed[1]
        return self._pattern.size >= FEWEST and least * 5 // 4 <= MOST

    def compute(self) -> Float64:
        """Compute the sums of products: (H, W), less than 0.5 away from the exact integers."""
        import cv2

        size = tuple(cv2.getOptimalDFTSize(length) for length in self._needed)
        pattern = np.zeros(size)
        pattern[: self._pattern.shape[0], : self._pattern.shape[1]] = self._pattern
        spectrum = cv2.dft(pattern, nonzeroRows=self._pattern.shape[0])
        sums = np.empty((self._height, self._width))
        bands = range(0, self._height, self._band)
        on_all_cores([partial(self._compute_band, spectrum, sums, first) for first in bands])
        return sums

    def _compute_band(self, spectrum: Float64, sums: Float64, first: int) -> None:
        import cv2

        rows = min(self._band, self._height - first)
        more = self._pattern.shape[0] - 1
        windows = np.zeros(spectrum.shape)
        (top, start), (_, needed) = self._first, self._needed
        down = np.clip(np.arange(rows + more) + first + top, 0, self._height - 1)
        across = np.clip(np.arange(needed) + start, 0, self._width - 1)
        windows[: rows + more, :needed] = self._searched[down[:, None], across]
        spectra: Any = cv2.dft(windows, dst=windows, nonzeroRows=rows + more)
        spectra = cv2.mulSpectrums(spectra, spectrum, 0, spectra, True)  # conjugate: a correlation
        back = cv2.DFT_INVERSE | cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT
        spectra = cv2.dft(spectra, dst=spectra, flags=back, nonzeroRows=rows)
        sums[first : first + rows] = spectra[:rows, : self._width]


NOT_KNOWN = np.empty((0, 0))  # sums of products that are yet to be computed
TAPS = 4  # template pixels a pass: the partial sums are loaded and stored once for all of them
ENOUGH = (2**31 - 1) // 255**2  # products that 32 bits hold


def correlation(
    left: Uint8,
    searched: Uint8,
    template_sums: Int64,
    scores: Float32,
    template: Region,
    convention: str,
) -> None:
    """Write the correlation scores of all pixels."""
    x, y, columns, rows = template
    pattern = left[y : y + rows, x : x + columns]
    top, start = first_pixel(template, convention)
    products = DftProducts(pattern, searched, top, start)
    known = products.compute() if products.worth_it else NOT_KNOWN
    images = pattern, searched, template_sums, known, scores
    on_rows(scores.shape[0], _correlate, *images, top, start, convention == "book")


@compiled
def _correlate(
    pattern: Uint8,
    searched: Uint8,
    template_sums: Int64,
    known: Float64,
    scores: Float32,
    top: int,
    start: int,
    book: bool,
    first: int,
    last: int,
) -> None:
    height, width = pattern.shape
    windows = _padded(searched, first + top, start, last - first + height - 1, width - 1)
    totals, squares = np.zeros(windows.shape[1], np.int64), np.zeros(windows.shape[1], np.int64)
    products = np.empty(scores.shape[1], np.int64)
    partial_sums = np.empty(scores.shape[1], np.int32)
    for row in range(height - 1):
        _add(totals, squares, windows[row], int64(1))
    for y in range(last - first):
        _add(totals, squares, windows[y + height - 1], int64(1))
        if known.size:
            _round(known[first + y], products)
        else:
            _multiply(windows[y : y + height], pattern, products, partial_sums)
        total, total_squares = _sum(totals[: width - 1]), _sum(squares[: width - 1])
        for x in range(scores.shape[1]):
            total += totals[x + width - 1]
            total_squares += squares[x + width - 1]
            sums = total, total_squares, products[x]
            scores[first + y, x] = coefficient(pattern.size, sums, template_sums, book)
            total -= totals[x]
            total_squares -= squares[x]
        _add(totals, squares, windows[y], int64(-1))


@helper
def _padded(image: Uint8, top: int, start: int, rows: int, more: int) -> Uint8:
    """Copy rows from (top, start) on, ``more`` pixels wider, with edge pixels repeated."""
    height, width = image.shape
    padded = np.empty((rows, width + more), np.uint8)
    for y in range(rows):
        row = image[min(max(top + y, 0), height - 1)]
        for x in range(width + more):
            padded[y, x] = row[min(max(start + x, 0), width - 1)]
    return padded


@helper
def _add(totals: Int64, squares: Int64, row: Uint8, sign: int) -> None:
    for x in range(row.size):
        grey = int64(row[x])
        totals[x] += sign * grey
        squares[x] += sign * grey * grey


@helper
def _sum(values: Int64) -> Any:
    total = int64(0)
    for x in range(values.size):
        total += values[x]
    return total


@helper
def _round(known: Float64, products: Int64) -> None:
    for x in range(products.size):
        products[x] = int64(known[x] + 0.5)


@helper
def _multiply(windows: Uint8, pattern: Uint8, products: Int64, partial_sums: Int32) -> None:
    """Write the sum of products of the template and each window in a row."""
    fill(partial_sums, 0)
    fill(products, 0)
    summed = 0
    for j in range(pattern.shape[0]):
        for i in range(0, pattern.shape[1], TAPS):
            if summed + TAPS > ENOUGH:
                _add_up(partial_sums, products)
                fill(partial_sums, 0)
                summed = 0
            _multiply_taps(windows[j, i:], pattern[j, i : i + TAPS], partial_sums)
            summed += TAPS
    _add_up(partial_sums, products)


@helper
def _add_up(partial_sums: Int32, products: Int64) -> None:
    for x in range(products.size):
        products[x] += partial_sums[x]


@helper
def _multiply_taps(row: Uint8, taps: Uint8, partial_sums: Int32) -> None:
    if taps.size == TAPS:
        a, b, c, d = int32(taps[0]), int32(taps[1]), int32(taps[2]), int32(taps[3])
        for x in range(partial_sums.size):
            partial_sums[x] += row[x] * a + row[x + 1] * b + row[x + 2] * c + row[x + 3] * d
    else:
        for i in range(taps.size):
            tap = int32(taps[i])
            for x in range(partial_sums.size):
                partial_sums[x] += row[x + i] * tap
