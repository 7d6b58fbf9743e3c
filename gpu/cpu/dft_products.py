"""Compute exact sums of products of a template and every window by Fourier transforms.

Sums are integers. In double precision each of three transforms of N numbers changes their root of
squares by some 3 log2(N) 2^-53 of it, so that a sum is wrong by less than 0.06 even where N is
``MOST``, template and image as large and all white: rounding to integers removes that error.

Source: J. P. Lewis, "Fast Normalized Cross-Correlation", Vision Interface 1995, section 3.
"""

from functools import partial
from typing import Any

import numpy as np

from wheatstone.gpu.cpu.cores import core_count, on_all_cores
from wheatstone.gpu.image import Float64, Uint8

FEWEST = 900  # pixels of a template from which transforms are faster than products one by one
MOST = 1 << 25  # numbers of a transform: more take too much memory


class DftProducts:
    """Compute the sums of a frame in bands of rows, each by separate transforms.

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
        """Return whether transforms are faster here, and fit the memory."""
        least = self._needed[0] * self._needed[1]
        return self._pattern.size >= FEWEST and least * 5 // 4 <= MOST

    def compute(self) -> Float64:
        """Compute the sums: (H, W), less than half away from their exact integers."""
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
        found: Any = cv2.dft(windows, dst=windows, nonzeroRows=rows + more)
        found = cv2.mulSpectrums(found, spectrum, 0, found, True)  # conjugate: a correlation
        back = cv2.DFT_INVERSE | cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT
        found = cv2.dft(found, dst=found, flags=back, nonzeroRows=rows)
        sums[first : first + rows] = found[:rows, : self._width]
