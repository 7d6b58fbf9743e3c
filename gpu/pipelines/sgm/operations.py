"""How many operations the definition of each stage asks for; ``Stage.operations`` says what counts.

Functions are named by their stage.
"""

from gpu.pipelines.sgm.params import SgmParams


def census_transform(params: SgmParams, height: int, width: int) -> int:
    """A comparison a bit, in both views; with the mean, its sum and nine times each neighbour."""
    if params.cost == "census-mean":
        return 2 * height * width * (8 + 2 * params.census_bits)
    return 2 * height * width * params.census_bits


def matching_cost(params: SgmParams, height: int, width: int) -> int:
    """What differs, and how much of it: two operations a candidate."""
    return 2 * height * width * params.disparities


def path_aggregation(params: SgmParams, height: int, width: int) -> int:
    """Along one path: seven a candidate, the minimum, and once a pixel the large penalty."""
    minimum, penalty = params.disparities - 1, 1
    if params.p2_adaptation != "none":
        penalty += 5  # g: difference, absolute value; P2': a bound, a quotient, a maximum
    return height * width * (7 * params.disparities + minimum + penalty)


def path_sum(params: SgmParams, height: int, width: int) -> int:
    """An addition a candidate, for one path."""
    return height * width * params.disparities


def winner_takes_all(params: SgmParams, height: int, width: int) -> int:
    """The minimum over all candidates; right view or left."""
    return height * width * (params.disparities - 1)


def subpixel_refinement(params: SgmParams, height: int, width: int) -> int:
    """Two for the disparity in sixteenths; nine for the parabola's offset, one to add it."""
    return height * width * (12 if params.subpixel else 2)


def median_filter(params: SgmParams, height: int, width: int) -> int:
    """Every two of nine values are compared."""
    return height * width * 36


def uniqueness_check(params: SgmParams, height: int, width: int) -> int:
    """A product and a comparison a candidate, and the winner's product."""
    return height * width * (2 * params.disparities + 1)


def consistency_check(params: SgmParams, height: int, width: int) -> int:
    """The distance of two winners, compared."""
    return height * width * 3


def speckle_filter(params: SgmParams, height: int, width: int) -> int:
    """Valid or not; two neighbours' distances, compared; the island's size, counted and compared.

    Following labels is no arithmetic.
    """
    return height * width * (1 + 2 * 3 + 2)


def rejection_reason(params: SgmParams, height: int, width: int) -> int:
    """The distance of two winners, and two disparities compared with the invalid one."""
    return height * width * (2 + 3 * (params.lr_check >= 0))


def winner_margin(params: SgmParams, height: int, width: int) -> int:
    """The minimum over all rivals, then a difference, a product, a comparison, a quotient."""
    return height * width * (params.disparities - 1 + 4)


def confidence_measure(params: SgmParams, height: int, width: int) -> int:
    """49 neighbours' distances, compared; the sum of their margins and a quotient."""
    return height * width * (49 * 3 + 48 + 1)
