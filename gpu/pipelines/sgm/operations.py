"""Count the operations in the definition of each stage; see ``Stage.operations``.

Functions are named by their stage.
"""

from wheatstone.gpu.pipelines.sgm.params import SgmParams, uses_gradient


def census_transform(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the census transform: comparisons per bit, in both views.

    The census with the mean also takes the mean's sum, and a product per bit.
    """
    if params.cost == "census-mean":
        return 2 * height * width * (8 + 2 * params.census_bits)
    return 2 * height * width * params.census_bits


def horizontal_gradient(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the gradients of both views: seven per pixel.

    They are three sums, a product, a difference and two bounds.
    """
    return 2 * height * width * 7


def matching_cost(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the matching cost: two per candidate, four more with gradients."""
    return (6 if uses_gradient(params) else 2) * height * width * params.disparities


def path_aggregation(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of one path's aggregation; with sweeps, the mean of all directions.

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
    """Count the operations of summing one path: an addition per candidate."""
    return height * width * params.disparities


def winner_takes_all(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of choosing winners of one view: the minimum over all candidates."""
    return height * width * (params.disparities - 1)


def subpixel_refinement(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of refinement: two for sixteenths, ten for the curve's offset."""
    return height * width * (2 if params.subpixel == "off" else 12)


def median_filter(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the median filter: a comparison for each pair of nine values."""
    return height * width * 36


def uniqueness_check(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the uniqueness check: a product and a comparison per candidate."""
    return height * width * (2 * params.disparities + 1)


def consistency_check(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the left-right check: the winners' distance and its comparison."""
    return height * width * 3


def speckle_filter(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the speckle filter: validity, two distances, the island's size.

    Following labels does not count as arithmetic.
    """
    return height * width * (1 + 2 * 3 + 2)


def guided_median(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the guided median: 49 grey levels, all pairs of 49 disparities."""
    return height * width * (49 * 3 + 49 * 48 // 2)


def decimation(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of decimation: validity and two comparisons or a sum per pixel.

    The quotient, and the sum that rounds it, belong to a block.
    """
    if params.decimation == 2:
        return height * width * 3
    return height * width * 2 + 2 * -(-height // 4) * -(-width // 4)


def temporal_filter(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the temporal filter: checks, smoothing and the history.

    Smoothing takes two products, two sums and a shift, its rounding a sum and a shift, the history
    a mask, eight bits counted and compared, a shift and two bitwise operations.
    """
    return height * width * (1 + 3 + 5 + 2 + 1 + 8 + 3)


def rejection_reason(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of naming reasons: the winners' distance and two comparisons."""
    return height * width * (2 + 3 * (params.lr_check >= 0))


def winner_margin(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the margin: a minimum over all rivals, and four per pixel."""
    return height * width * (params.disparities - 1 + 4)


def confidence_measure(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of confidence: 49 neighbours compared, the sum and a quotient."""
    return height * width * (49 * 3 + 48 + 1)


def depth(params: SgmParams, height: int, width: int) -> int:
    """Count the operations of the depth: check of validity, scaling, sum, comparison, quotient."""
    return height * width * 5
