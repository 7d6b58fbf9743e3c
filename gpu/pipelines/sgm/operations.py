"""Count the operations that the definition of each stage asks for; see ``Stage.operations``.

Functions are named by their stage.
"""

from wheatstone.gpu.pipelines.sgm.params import SgmParams, uses_gradient


def census_transform(params: SgmParams, height: int, width: int) -> int:
    """Count a comparison a bit, in both views; with the mean, its sum and a product a bit."""
    if params.cost == "census-mean":
        return 2 * height * width * (8 + 2 * params.census_bits)
    return 2 * height * width * params.census_bits


def horizontal_gradient(params: SgmParams, height: int, width: int) -> int:
    """Count, in both views, two sums, a product, a difference, two bounds and a sum a pixel."""
    return 2 * height * width * 7


def matching_cost(params: SgmParams, height: int, width: int) -> int:
    """Count two operations a candidate: what differs, and how much of it; four of gradients."""
    return (6 if uses_gradient(params) else 2) * height * width * params.disparities


def path_aggregation(params: SgmParams, height: int, width: int) -> int:
    """Count along one path: a message and its sum with the cost; with sweeps, on average.

    A message takes six a candidate, the minimum, and once a pixel the large penalty. A sweep has
    two, and their mean.
    """
    penalty = 1
    if params.p2_adaptation != "none":
        penalty += 5  # g: difference, absolute value; P2': a bound, a quotient, a maximum
    message = 7 * params.disparities - 1 + penalty
    path, sweep = message + params.disparities, 2 * message + 4 * params.disparities
    sweeps = sum(dy != 0 for _, dy in params.directions) if params.sweeps else 0
    total = path * (params.paths_summed - sweeps) + sweep * sweeps
    return height * width * total // params.paths_summed


def path_sum(params: SgmParams, height: int, width: int) -> int:
    """Count an addition a candidate, for one path."""
    return height * width * params.disparities


def winner_takes_all(params: SgmParams, height: int, width: int) -> int:
    """Count the minimum over all candidates; right view or left."""
    return height * width * (params.disparities - 1)


def subpixel_refinement(params: SgmParams, height: int, width: int) -> int:
    """Count two for the disparity in sixteenths; nine for the curve's offset, one to add it."""
    return height * width * (2 if params.subpixel == "off" else 12)


def median_filter(params: SgmParams, height: int, width: int) -> int:
    """Count comparisons of every two of nine values."""
    return height * width * 36


def uniqueness_check(params: SgmParams, height: int, width: int) -> int:
    """Count a product and a comparison a candidate, and the winner's product."""
    return height * width * (2 * params.disparities + 1)


def consistency_check(params: SgmParams, height: int, width: int) -> int:
    """Count the distance of two winners, compared."""
    return height * width * 3


def speckle_filter(params: SgmParams, height: int, width: int) -> int:
    """Count validity, two neighbours' distances, compared, and the island's size, compared.

    Following labels is no arithmetic.
    """
    return height * width * (1 + 2 * 3 + 2)


def guided_median(params: SgmParams, height: int, width: int) -> int:
    """Count 49 grey levels' distances, compared; comparisons of every two of as many values."""
    return height * width * (49 * 3 + 49 * 48 // 2)


def rejection_reason(params: SgmParams, height: int, width: int) -> int:
    """Count the distance of two winners, and two disparities compared with the invalid one."""
    return height * width * (2 + 3 * (params.lr_check >= 0))


def winner_margin(params: SgmParams, height: int, width: int) -> int:
    """Count the minimum over all rivals, a difference, a product, a comparison, a quotient."""
    return height * width * (params.disparities - 1 + 4)


def confidence_measure(params: SgmParams, height: int, width: int) -> int:
    """Count 49 neighbours' distances, compared; the sum of their margins and a quotient."""
    return height * width * (49 * 3 + 48 + 1)


def depth(params: SgmParams, height: int, width: int) -> int:
    """Count validity, a quotient that scales, a sum, compared, and the quotient."""
    return height * width * 5
