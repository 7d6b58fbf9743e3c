"""Count the operations in the definition of each stage; see ``Stage.operations``.

Functions are named by their stage.
"""

from wheatstone.gpu.pipelines.canny.params import CannyParams


def gaussian_filter(params: CannyParams, height: int, width: int) -> int:
    """Count one product per weight and their sum; `opencv` rounds by an addition and a shift."""
    window = (2 * params.kernel_side - 1) ** 2
    return height * width * (2 * window - 1 + 2 * (params.convention == "opencv"))


def intensity_normalization(params: CannyParams, height: int, width: int) -> int:
    """Count the search for the largest value, then a product and a quotient per pixel."""
    return height * width - 1 + 2 * height * width


def gradient(params: CannyParams, height: int, width: int) -> int:
    """Count two Sobel sums of entire windows, the magnitude, and twelve for the direction.

    With aperture 7 gradients are divided by rounding shifts, and multiplied for the magnitude.
    """
    sobel = 2 * (2 * params.aperture**2 - 1)
    magnitude = 4 if params.norm == "l2" else 3
    rounding = 2 * (2 + 1) if params.aperture == 7 else 0
    sign = params.convention != "opencv"
    return height * width * (sobel + magnitude + rounding + sign + 12)


def non_maximum_suppression(params: CannyParams, height: int, width: int) -> int:
    """Count three comparisons per pixel; in `opencv` also ties, and with `l2` squares."""
    opencv = params.convention == "opencv"
    squares = 3 * 3 if opencv and params.norm == "l2" else 0
    return height * width * (1 + 2 + opencv + squares)


def no_operations(params: CannyParams, height: int, width: int) -> int:
    """Return 0, because computations done once per frame do not count."""
    return 0


def automatic_thresholds(params: CannyParams, height: int, width: int) -> int:
    """Count a pixel's bin and its sum; with `otsu` a check for maxima; no work on bins."""
    bins = {"median": 1, "quantile": 2, "otsu": 3}
    return height * width * bins[params.thresholds]


def edge_seeds(params: CannyParams, height: int, width: int) -> int:
    """Count two comparisons per pixel."""
    return height * width * 2
