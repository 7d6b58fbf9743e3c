"""Correlate a template with every window of an image."""

import math
from typing import Any

from numba import float32, float64, int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Float32, Int64, Uint8
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel


@compiled
def template_statistics(left: Uint8, template_sums: Int64, template: Region) -> None:
    """Write the sum of the template's grey levels and the sum of their squares.

    Args:
        left: (H, W) grey levels.
        template_sums: (2,) both sums, written.
        template: x, y, width and height of the template, inside the image.
    """
    x, y, width, height = template
    total = squares = 0
    for row in range(y, y + height):
        for column in range(x, x + width):
            grey = int64(left[row, column])
            total += grey
            squares += grey * grey
    template_sums[0] = total
    template_sums[1] = squares


def correlation(
    left: Uint8,
    searched: Uint8,
    template_sums: Int64,
    scores: Float32,
    template: Region,
    convention: str,
) -> None:
    """Write for each pixel the correlation between the template and the window around it.

    The window has the size of the template; ``first_pixel`` gives its position. Where it leaves the
    image, the nearest edge pixel is used. Over its N pixels the sums of the window's grey levels
    (I), their squares (II), their products with the template's (IT), and of the template's (T, TT)
    are exact integers.

    ``exact``: (N IT - I T) / sqrt((N II - I I) (N TT - T T)). Numerator and both factors are exact
    64-bit integers; they are converted to double precision, multiplied, rooted and divided, each
    operation correctly rounded, and the quotient is rounded to single precision. It is never
    beyond 1 or -1. A window or a template of one grey level (a factor of 0) gives 0.

    ``book``: (N IT - I T) rsqrt((N II - I I) D), D = N TT - T T. D is computed in double precision,
    and rounded to single. The other sums and N are rounded to single precision, and so is the
    result of every operation, rsqrt being one. In bright windows that hardly vary N II - I I is a
    difference of two nearly equal numbers and comes out several times too large, 0 or negative.
    Where its product with D is not positive the published result was infinite or not a number; here
    it is 0. A result beyond 1 or -1 is not changed.

    Args:
        left: (H, W) grey levels, of which the template is a part.
        searched: (H, W) grey levels.
        template_sums: (2,) T and TT.
        scores: (H, W) coefficients, written.
        template: x, y, width and height of the template, inside the image.
        convention: ``exact`` or ``book``.

    Sources: Lewis, "Fast Normalized Cross-Correlation", Vision Interface 1995, equation 2; Wilt,
    "The CUDA Handbook", 2013, section 15.1.
    """
    x, y, columns, rows = template
    pattern = left[y : y + rows, x : x + columns]
    top, start = first_pixel(template, convention)
    _correlate(pattern, searched, template_sums, scores, top, start, convention == "book")


@compiled
def _correlate(
    pattern: Uint8,
    searched: Uint8,
    template_sums: Int64,
    scores: Float32,
    top: int,
    start: int,
    book: bool,
) -> None:
    height, width = scores.shape
    for y in range(height):
        for x in range(width):
            sums = window_sums(pattern, searched, y + top, x + start)
            scores[y, x] = coefficient(pattern.size, sums, template_sums, book)


@compiled
def window_sums(pattern: Uint8, searched: Uint8, y: int, x: int) -> tuple[int, int, int]:
    """Compute a window's sums of grey levels, of their squares and of products with the template.

    They are I, II and IT of the window whose first pixel is (y, x).
    """
    height, width = searched.shape
    total = squares = products = 0
    for j in range(pattern.shape[0]):
        row = min(max(y + j, 0), height - 1)
        for i in range(pattern.shape[1]):
            grey = int64(searched[row, min(max(x + i, 0), width - 1)])
            total += grey
            squares += grey * grey
            products += grey * int64(pattern[j, i])
    return total, squares, products


@helper
def coefficient(pixels: int, sums: tuple[int, int, int], template_sums: Int64, book: bool) -> Any:
    """Compute the correlation coefficient from the number of pixels and the sums of both images."""
    if book:
        return _book(pixels, *sums, template_sums[0], template_sums[1])
    return _exact(pixels, *sums, template_sums[0], template_sums[1])


@helper
def _exact(n: int, i: int, ii: int, it: int, t: int, tt: int) -> Any:
    window, template = n * ii - i * i, n * tt - t * t
    if window == 0 or template == 0:
        return float32(0)
    return float32(float64(n * it - i * t) / math.sqrt(float64(window) * float64(template)))


@helper
def _book(n: int, i: int, ii: int, it: int, t: int, tt: int) -> Any:
    template = float32(float64(n) * float64(tt) - float64(t) * float64(t))
    window = float32(n) * float32(ii) - float32(i) * float32(i)
    product = window * template
    if not product > 0:
        return float32(0)
    numerator = float32(n) * float32(it) - float32(i) * float32(t)
    # Through double precision: single-precision 1 / sqrt rounds twice, wrongly for one in four.
    return numerator * float32(1 / math.sqrt(float64(product)))
