"""How many operations the definition of each stage asks for; ``Stage.operations`` says what counts.

Functions are named by their stage and take its pipeline's parameters, the height and the width.
"""

from typing import TYPE_CHECKING

from gpu.parameters import Params

if TYPE_CHECKING:  # the pipelines, which import this module
    from gpu.pipelines.canny import CannyParams
    from gpu.pipelines.mean import MeanParams
    from gpu.pipelines.ncc import NccParams
    from gpu.pipelines.sgm import SgmParams


def invert(params: Params, height: int, width: int) -> int:
    """A difference a pixel."""
    return height * width


def mean_filter(params: "MeanParams", height: int, width: int) -> int:
    """The sum of the window and a quotient, which `opencv` rounds by one more addition."""
    window = (2 * params.radius + 1) ** 2
    return height * width * (window + (params.convention == "opencv"))


def census_transform(params: "SgmParams", height: int, width: int) -> int:
    """A comparison a bit, in both views; with the mean, its sum and nine times each neighbour."""
    if params.cost == "census-mean":
        return 2 * height * width * (8 + 2 * params.census_bits)
    return 2 * height * width * params.census_bits


def matching_cost(params: "SgmParams", height: int, width: int) -> int:
    """What differs, and how much of it: two operations a candidate."""
    return 2 * height * width * params.disparities


def path_aggregation(params: "SgmParams", height: int, width: int) -> int:
    """Along one path: seven a candidate, the minimum, and once a pixel the large penalty."""
    minimum, penalty = params.disparities - 1, 1
    if params.p2_adaptation != "none":
        penalty += 5  # g: difference, absolute value; P2': a bound, a quotient, a maximum
    return height * width * (7 * params.disparities + minimum + penalty)


def path_sum(params: "SgmParams", height: int, width: int) -> int:
    """An addition a candidate, for one path."""
    return height * width * params.disparities


def winner_takes_all(params: "SgmParams", height: int, width: int) -> int:
    """The minimum over all candidates; right view or left."""
    return height * width * (params.disparities - 1)


def subpixel_refinement(params: "SgmParams", height: int, width: int) -> int:
    """Two for the disparity in sixteenths; nine for the parabola's offset, one to add it."""
    return height * width * (12 if params.subpixel else 2)


def median_filter(params: "SgmParams", height: int, width: int) -> int:
    """Every two of nine values are compared."""
    return height * width * 36


def uniqueness_check(params: "SgmParams", height: int, width: int) -> int:
    """A product and a comparison a candidate, and the winner's product."""
    return height * width * (2 * params.disparities + 1)


def consistency_check(params: "SgmParams", height: int, width: int) -> int:
    """The distance of two winners, compared."""
    return height * width * 3


def speckle_filter(params: "SgmParams", height: int, width: int) -> int:
    """Valid or not; two neighbours' distances, compared; the island's size, counted and compared.

    Following labels is no arithmetic.
    """
    return height * width * (1 + 2 * 3 + 2)


def rejection_reason(params: "SgmParams", height: int, width: int) -> int:
    """The distance of two winners, and two disparities compared with the invalid one."""
    return height * width * (2 + 3 * (params.lr_check >= 0))


def winner_margin(params: "SgmParams", height: int, width: int) -> int:
    """The minimum over all rivals, then a difference, a product, a comparison, a quotient."""
    return height * width * (params.disparities - 1 + 4)


def confidence_measure(params: "SgmParams", height: int, width: int) -> int:
    """49 neighbours' distances, compared; the sum of their margins and a quotient."""
    return height * width * (49 * 3 + 48 + 1)


def gaussian_filter(params: "CannyParams", height: int, width: int) -> int:
    """A product a weight and their sum; `opencv` rounds by an addition and a shift."""
    window = (2 * params.kernel_side - 1) ** 2
    return height * width * (2 * window - 1 + 2 * (params.convention == "opencv"))


def intensity_normalization(params: "CannyParams", height: int, width: int) -> int:
    """The largest value, then a product and a quotient a pixel."""
    return height * width - 1 + 2 * height * width


def gradient(params: "CannyParams", height: int, width: int) -> int:
    """Two Sobel sums of whole windows, the magnitude, and twelve for the direction.

    With aperture 7 gradients are divided by rounding shifts, and multiplied for the magnitude.
    """
    sobel = 2 * (2 * params.aperture**2 - 1)
    magnitude = 4 if params.norm == "l2" else 3
    rounding = 2 * (2 + 1) if params.aperture == 7 else 0
    sign = params.convention != "opencv"
    return height * width * (sobel + magnitude + rounding + sign + 12)


def non_maximum_suppression(params: "CannyParams", height: int, width: int) -> int:
    """Something there; more than both neighbours; in `opencv` ties, and with `l2` squares."""
    opencv = params.convention == "opencv"
    squares = 3 * 3 if opencv and params.norm == "l2" else 0
    return height * width * (1 + 2 + opencv + squares)


def no_operations(params: Params, height: int, width: int) -> int:
    """What happens once a frame does not count."""
    return 0


def automatic_thresholds(params: "CannyParams", height: int, width: int) -> int:
    """A pixel's bin and its count; with `otsu` whether it is a maximum. Bins are not counted."""
    bins = {"median": 1, "quantile": 2, "otsu": 3}
    return height * width * bins[params.thresholds]


def edge_seeds(params: "CannyParams", height: int, width: int) -> int:
    """Two comparisons a pixel."""
    return height * width * 2


def template_statistics(params: "NccParams", height: int, width: int) -> int:
    """A square a pixel of the template, and two sums."""
    _, _, columns, rows = params.template
    return 3 * columns * rows - 2


def correlation(params: "NccParams", height: int, width: int) -> int:
    """Two products a pixel of the window, three sums, and ten for the coefficient."""
    _, _, columns, rows = params.template
    return height * width * (5 * columns * rows - 3 + 10)


def find_peaks(params: "NccParams", height: int, width: int) -> int:
    """The threshold and eight neighbours, and for every peak a search of the highest score."""
    return height * width * (9 + params.peaks)
