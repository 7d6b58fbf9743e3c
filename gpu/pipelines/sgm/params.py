"""The parameters of semi-global matching, their constants, and the conditions of stages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from wheatstone.gpu.parameters import Params, choice, controls, slider, switch

# Walking directions (dx, dy) of the paths; with 4 paths the first four.
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))
SWEEPS = "sweeps"  # of the first four directions, those down and up are no paths but sweeps
PATHS: tuple[int | str, ...] = (4, 8, SWEEPS)
ARROWS = ("←", "→", "↑", "↓", "↖", "↗", "↙", "↘")  # the same, drawn
SWEEP_ARROWS = ("↖↗", "↙↘")  # up and down
SUBPIXEL_STEPS = 16  # disparities are stored in 1/16 pixel
LARGEST_DISPARITY = 32767 // SUBPIXEL_STEPS  # pixels that 16 bits with a sign can store
MOST_DISPARITIES = 2048
HELD_BY_ALL = 512  # disparities that every variant can search
LARGEST_SUM = 0xFFFE  # of path costs that 16 bits hold
ABSENT = 0xFFFF  # path cost, or sum, of a disparity that is not searched

SEARCHES = ("full", "hierarchical")
SEARCH_TILE = 16  # pixels of a side of a tile, whose pixels search the same disparities
BLOCK_DISPARITIES = 8  # that are searched together
FEWEST_SEARCHED = 32  # disparities, or pixels of a side, from which on less is searched
MARGIN_STEPS = 100  # margins are stored in 1/100 per cent
CONFIDENCE_RADIUS = 3  # of the window whose margins make a confidence
GUIDED_RADIUS = 3  # of the window of the guided median
SUBPIXEL_FITS = ("off", "parabola", "equiangular")  # compiled code counts in them
ADAPTATIONS = ("none", "divide", "soft")  # of the large penalty; compiled code counts in them
FILTER_STEPS = 256  # of a stored disparity, in what the temporal filter remembers
HISTORY = 8  # frames of which it is remembered whether a pixel had a disparity
# Ways of persistence, in the order of librealsense: of the newest frames, how many must have had a
# disparity, and how many frames are looked at.
PERSISTENCE = {
    "off": (HISTORY + 1, HISTORY),
    "8 of 8": (8, 8),
    "2 of 3": (2, 3),
    "2 of 4": (2, 4),
    "2 of 8": (2, 8),
    "1 of 2": (1, 2),
    "1 of 5": (1, 5),
    "1 of 8": (1, 8),
    "always": (0, 8),
}
OCCLUSION_SLACK = 2  # pixels by which an occlusion may be wider than its step in disparity

GRADIENT_REACH = 31  # of horizontal gradients; larger ones count as that
LARGEST_GRADIENT_COST = 16  # that a difference of gradients adds to a matching cost

# Every matching cost and its largest value, without the gradient.
LARGEST_COSTS = {
    "absolute": 255,
    "census-checkerboard": 32,
    "census-symmetric": 31,
    "census-ring": 32,
    "census-mean": 32,
    "census-ring-symmetric": 32,
}


@dataclass(frozen=True)
class SgmParams(Params):
    """The parameters of semi-global matching; the defaults are the preset ``balanced``."""

    disparities: int = slider(
        64,
        16,
        MOST_DISPARITIES,
        "Number of disparities searched.",
        step=16,
        stride=16,
        usual=HELD_BY_ALL,
        unit="px",
        keys=("[", "]"),
        symbol="D",
    )
    min_disparity: int = slider(
        0, -1024, 1024, "Smallest disparity searched.", unit="px", keys=("Shift+[", "Shift+]")
    )
    search: str = choice(
        "full",
        SEARCHES,
        "Compare all disparities (full), or only those near the matches at half size "
        "(hierarchical). With large images and ranges, hierarchical search is faster on a GPU "
        "and slower on a CPU. It is weaker in flat regions: wrong values have fewer rivals, so "
        "fewer are rejected and filled. It misses objects that are invisible at half size.",
        before="full",
    )
    search_sides: bool = switch(
        False,
        "Hierarchical search: also search the disparities that two opposite neighbouring tiles "
        "search, for thin objects.",
        before=False,
    )
    cost: str = choice(
        "census-ring-symmetric",
        tuple(LARGEST_COSTS),
        "Matching cost of two pixels: grey difference, or Hamming distance of census words.",
    )
    gradient: bool = switch(
        True, "Add the difference of horizontal gradients to costs of census words.", before=False
    )
    outside: int = slider(
        12,
        -1,
        255,
        "Cost of a right pixel outside the image; -1: the largest possible cost.",
        before=-1,
    )
    paths: int | str = choice(
        4,
        PATHS,
        "Aggregation of costs: along paths from 4 or 8 directions; sweeps: along rows, and down "
        "and up, where each pixel has two predecessors, one column to the left and right.",
    )
    first_path: int = slider(
        1,
        1,
        8,
        "First path summed, in the order left, right, up, down, diagonals; at most the last path.",
    )
    last_path: int = slider(
        8, 1, 8, "Last path summed; fewer paths give smaller sums, which the checks treat alike."
    )
    p1: int = slider(35, 0, 1023, "Penalty for a disparity change of one pixel.")
    p2: int = slider(200, 0, 4095, "Penalty for a larger disparity change.")
    p2_adaptation: str = choice(
        "divide",
        ADAPTATIONS,
        "Large penalty where the grey level changes by g along the path: none: p2; divide: "
        "max(p1, p2 / g); soft: max(1.5 p1, 16 p2 / (16 + g)).",
    )
    uniqueness: int = slider(
        5,
        0,
        100,
        "Reject a winner unless it beats every other disparity by this margin.",
        unit="%",
    )
    lr_check: int = slider(
        1, -1, 255, "Maximum difference from the right view's disparity; -1: no check.", unit="px"
    )
    subpixel: str = choice(
        "equiangular",
        SUBPIXEL_FITS,
        "Curve through the sums of the winner and its neighbours, whose minimum is the disparity "
        "in 1/16 pixel: a parabola, or two lines of equal slope (equiangular).",
        earlier=((False, "off"), (True, "parabola")),
    )
    median: bool = switch(True, "Smooth the disparity with a 3x3 median filter.")
    speckle_size: int = slider(
        100, 0, 1000, "Maximum size of an island that is rejected.", step=10, unit="px"
    )
    speckle_range: int = slider(
        1, 0, 16, "Maximum disparity step between neighbours of an island.", unit="px"
    )
    fill_holes: bool = switch(True, "Fill rejected pixels from their surroundings.")
    guided_median: int = slider(
        20,
        0,
        255,
        "Final smoothing: median of the pixels in a 7x7 window whose grey level differs by at "
        "most this; 0: off.",
        before=0,
    )
    decimation: int = choice(
        1,
        (1, 2, 4),
        "One disparity for all pixels of a block: 2: median of 2x2; 4: mean of 4x4, both of "
        "valid disparities; 1: off.",
        before=1,
    )
    temporal_alpha: float = slider(
        1.0,
        0.0,
        1.0,
        "Smoothing over the frames of a video or camera: weight of the newest frame; 1: off.",
        step=0.05,
        before=1.0,
    )
    temporal_delta: float = slider(
        1.0,
        0.0,
        64.0,
        "Threshold of smoothing: where the disparity changes by more between frames, the new one "
        "is not smoothed.",
        step=0.25,
        unit="px",
        before=1.0,
    )
    persistence: str = choice(
        "off",
        tuple(PERSISTENCE),
        "Let a pixel without a disparity keep its last one if it had one in so many of the "
        "newest frames of a video or camera. Filled holes have one.",
        before="off",
    )

    ordered: ClassVar[tuple[tuple[str, str], ...]] = (("p1", "p2"), ("first_path", "last_path"))
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Cost": (
            *("disparities", "min_disparity", "search", "search_sides"),
            *("cost", "gradient", "outside"),
        ),
        "Aggregation": ("paths", "first_path", "last_path", "p1", "p2", "p2_adaptation"),
        "Checks": ("uniqueness", "lr_check", "speckle_size", "speckle_range"),
        "Smoothing and filling": ("subpixel", "median", "fill_holes", "guided_median"),
        "Live depth": ("decimation", "temporal_alpha", "temporal_delta", "persistence"),
    }

    @property
    def directions(self) -> tuple[tuple[int, int], ...]:
        """Return the walking directions (dx, dy) of the paths summed, in their order."""
        last = min(self.last_path, path_count(self))
        return DIRECTIONS[min(self.first_path, last) - 1 : last]

    @property
    def sweeps(self) -> bool:
        """Return whether sweeps (two previous pixels for each) replace the paths down and up."""
        return self.paths == SWEEPS

    @property
    def paths_summed(self) -> int:
        """Return the number of paths, or of rows and sweeps, whose costs are summed."""
        return len(self.directions)

    @property
    def census_bits(self) -> int:
        """Return the bits of a census word, which is its largest Hamming distance."""
        return LARGEST_COSTS[self.cost]

    @property
    def largest_path_cost(self) -> int:
        """Return an upper bound of the aggregated cost."""
        highest = max(largest_cost(self.cost, self.gradient), self.outside)
        return highest + max(self.p2, 3 * self.p1 // 2)

    @property
    def largest_sum(self) -> int:
        """Return an upper bound of the sum of the aggregated costs of all paths."""
        return self.paths_summed * self.largest_path_cost

    @property
    def path_cost_bytes(self) -> int:
        """Return the bytes per aggregated cost: 1 if the largest cost fits, else 2."""
        return 1 if self.largest_path_cost <= 255 else 2


def storable(params: SgmParams, height: int, width: int) -> str:
    """Return why 16 bits cannot store the disparities or sums; empty if they can."""
    last = params.min_disparity + params.disparities - 1
    if last > LARGEST_DISPARITY:
        return (
            f"disparities are stored up to {LARGEST_DISPARITY} px (got a range up to {last} px): "
            "choose fewer disparities or a smaller first one"
        )
    if params.largest_sum > LARGEST_SUM:
        return f"sums of path costs are stored up to {LARGEST_SUM} (got up to {params.largest_sum})"
    return ""


def largest_cost(cost: str, gradient: bool) -> int:
    """Return the largest matching cost of two pixels."""
    added = LARGEST_GRADIENT_COST if gradient and cost != "absolute" else 0
    return LARGEST_COSTS[cost] + added


def outside_cost(cost: str, gradient: bool, outside: int) -> int:
    """Return the cost of a right pixel outside the image."""
    return largest_cost(cost, gradient) if outside < 0 else outside


def is_hierarchical(params: SgmParams) -> bool:
    """Return whether pixels search only near their matches in an image of half the size."""
    return params.search == "hierarchical"


def is_full(params: SgmParams) -> bool:
    """Return whether every pixel searches all disparities."""
    return params.search == "full"


def searched_in_full(height: int, width: int, disparities: int) -> bool:
    """Return whether a level of a hierarchical search is so small that it is searched in full."""
    return disparities <= FEWEST_SEARCHED or min(height, width) < FEWEST_SEARCHED


def lower_range(min_disparity: int, disparities: int) -> tuple[int, int]:
    """Return the first disparity and the number of disparities of the next lower level."""
    first, last = min_disparity >> 1, (min_disparity + disparities - 1) >> 1
    return first, 16 * -(-(last - first + 1) // 16)


def uses_gradient(params: SgmParams) -> bool:
    """Return whether the matching cost compares gradients in addition to census words."""
    return params.gradient and uses_census(params)


def uses_census(params: SgmParams) -> bool:
    """Return whether the matching cost compares census words."""
    return params.cost != "absolute"


def uses_median(params: SgmParams) -> bool:
    """Return whether the disparity is smoothed by the 3x3 median."""
    return params.median


def checks_uniqueness(params: SgmParams) -> bool:
    """Return whether winners without a sufficient margin are rejected."""
    return params.uniqueness > 0


def checks_consistency(params: SgmParams) -> bool:
    """Return whether the winners of both views are compared."""
    return params.lr_check >= 0


def filters_speckles(params: SgmParams) -> bool:
    """Return whether small islands of disparity are rejected."""
    return params.speckle_size > 0


def fills_holes(params: SgmParams) -> bool:
    """Return whether rejected pixels are filled with a disparity."""
    return params.fill_holes


def smooths_by_guide(params: SgmParams) -> bool:
    """Return whether the disparity is smoothed by the guided median."""
    return params.guided_median > 0


def decimates(params: SgmParams) -> bool:
    """Return whether the pixels of a block share one disparity."""
    return params.decimation > 1


def filters_over_time(params: SgmParams) -> bool:
    """Return whether a disparity depends on earlier frames."""
    return params.temporal_alpha < 1 or params.persistence != "off"


def filter_numbers(params: SgmParams) -> tuple[Mapping[str, Any], ...]:
    """Return the temporal filter's settings as integers, the arguments of its only call."""
    least, newest = PERSISTENCE[params.persistence]
    return (
        {
            "weight": round(params.temporal_alpha * FILTER_STEPS),
            "largest_change": round(params.temporal_delta * SUBPIXEL_STEPS * FILTER_STEPS),
            "least": least,
            "newest": newest,
        },
    )


def fit_place(subpixel: str) -> int:
    """Return the index of a fit in ``SUBPIXEL_FITS``; earlier names of fits are allowed."""
    return int(controls(SgmParams)["subpixel"].place(subpixel))


def directions(params: SgmParams) -> tuple[Mapping[str, Any], ...]:
    """Return the directions of all paths, or of rows and sweeps, in the order of summation."""
    return tuple(
        {"dx": dx, "dy": dy, "sweep": params.sweeps and dy != 0, "first": i == 0}
        for i, (dx, dy) in enumerate(params.directions)
    )


def all_directions(params: SgmParams) -> tuple[Mapping[str, Any], ...]:
    """Return all summed directions as the arguments of a single call that aggregates them."""
    return ({"directions": params.directions, "sweeps": params.sweeps},)


def path_names(params: SgmParams) -> tuple[str, ...]:
    """Return arrows as names of all paths, or of rows and sweeps, by direction."""
    return ARROWS[:2] + SWEEP_ARROWS if params.sweeps else ARROWS[: path_count(params)]


def path_count(params: SgmParams) -> int:
    """Return the number of paths, or rows and sweeps, that can be summed."""
    return 4 if params.sweeps else int(params.paths)
