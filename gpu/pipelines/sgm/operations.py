"""Count the operations in the definition of each stage; see ``Stage.operations``.

Functions are named by their stage.
"""

from wheatstone.gpu.pipelines.sgm.params import SgmParams, uses_gradient


def census_transform(params: SgmParams, height: int, width: int) -> int:
    """Count a comparison per bit, in both views; with the mean, its sum and a product per bit."""
    if params.cost == "census-mean":
        return 2 * height * width * (8 + 2 * params.census_bits)
    return 2 * height * width * params.census_bits


def horizontal_gradient(params: SgmParams, height: int, width: int) -> int:
    """Count two sums, a product, a difference, two bounds and a sum per pixel, in both views."""
    return 2 * height * width * 7


def matching_cost(params: SgmParams, height: int, width: int) -> int:
    """Count two operations per candidate to compare and to measure, and four for gradients."""
    return (6 if uses_gradient(params) else 2) * height * width * params.disparities


def path_aggregation(params: SgmParams, height: int, width: int) -> int:
    """Count a message and its sum with the cost for one path; with sweeps, on average.

    A message takes six per candidate, the minimum, and once per pixel the large penalty. A sweep
    has two messages, and their mean.
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
    """Count an addition per candidate, for one path."""
    return height * width * params.disparities


def winner_takes_all(params: SgmParams, height: int, width: int) -> int:
    """Count the minimum over all candidates, for the left or the right view."""
    return height * width * (params.disparities - 1)


def subpixel_refinement(params: SgmParams, height: int, width: int) -> int:
    """Count two operations for sixteenths, nine for the curve's offset and one to add it."""
    return height * width * (2 if params.subpixel == "off" else 12)


def median_filter(params: SgmParams, height: int, width: int) -> int:
    """Count the comparisons of each pair of nine values."""
    return height * width * 36


def uniqueness_check(params: SgmParams, height: int, width: int) -> int:
    """Count a product and a comparison per candidate, and the winner's product."""
    return height * width * (2 * params.disparities + 1)


def consistency_check(params: SgmParams, height: int, width: int) -> int:
    """Count the distance of two winners and its comparison."""
    return height * width * 3


def speckle_filter(params: SgmParams, height: int, width: int) -> int:
    """Count validity, two neighbours' distances and the island's size, with comparisons.

    Following labels does not count as arithmetic.
    """
    return height * width * (1 + 2 * 3 + 2)


def guided_median(params: SgmParams, height: int, width: int) -> int:
    """Count 49 grey levels' distances and comparisons, and those of each pair of 49 values."""
    return height * width * (49 * 3 + 49 * 48 // 2)


def decimation(params: SgmParams, height: int, width: int) -> int:
    """Count per pixel the check of validity, and two comparisons or a sum; once a quotient.

    The quotient, and the sum that rounds it, belong to a block.
    """
    if params.decimation == 2:
        return height * width * 3
    return height * width * 2 + 2 * -(-height // 4) * -(-width // 4)


def temporal_filter(params: SgmParams, height: int, width: int) -> int:
    """Count validity, the change and its comparison, smoothing, and the history of eight bits.

    Smoothing takes two products, two sums and a shift, its rounding a sum and a shift, the history
    a mask, eight bits counted and compared, a shift and two bitwise operations.
    """
    return height * width * (1 + 3 + 5 + 2 + 1 + 8 + 3)


def rejection_reason(params: SgmParams, height: int, width: int) -> int:
    """Count the distance of two winners, and two comparisons with the invalid disparity."""
    return height * width * (2 + 3 * (params.lr_check >= 0))


def winner_margin(params: SgmParams, height: int, width: int) -> int:
    """Count the minimum over all rivals, a difference, product, comparison and quotient."""
    return height * width * (params.disparities - 1 + 4)


def confidence_measure(params: SgmParams, height: int, width: int) -> int:
    """Count 49 neighbours' distances and their comparisons, the sum of margins and a quotient."""
    return height * width * (49 * 3 + 48 + 1)


def depth(params: SgmParams, height: int, width: int) -> int:
    """Count the check of validity, a scaling quotient, a sum, its comparison, and the quotient."""
    return height * width * 5
