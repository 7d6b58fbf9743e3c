"""Semi-global matching: a stereo pair in, disparity out.

The variants that compute it, and the images that only they hold, are in ``sgm_variants``.

Source: H. Hirschmüller, "Stereo Processing by Semiglobal Matching and Mutual Information",
PAMI 2008.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from gpu.parameters import Params, choice, slider, switch
from gpu.pipeline import Image, Pipeline, Stage, Sweep, Terms, View, Work, megapixels
from gpu.pipelines import operations
from gpu.pipelines.sgm.variants import VARIANT_IMAGES, VARIANTS, opencv_sgbm

# Walking directions (dx, dy) of the paths; with 4 paths the first four.
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))
ARROWS = ("←", "→", "↑", "↓", "↖", "↗", "↙", "↘")  # the same, drawn
SUBPIXEL_STEPS = 16  # disparities are stored in 1/16 pixel
MARGIN_STEPS = 100  # margins are stored in 1/100 per cent
CONFIDENCE_RADIUS = 3  # of the window whose margins make a confidence
ADAPTATIONS = ("none", "divide", "soft")  # of the large penalty; compiled code counts in them
OCCLUSION_SLACK = 2  # pixels by which an occlusion may be wider than its step in disparity

# Every matching cost and its largest value, taken where the right pixel lies outside the image.
OUTSIDE = {
    "absolute": 255,
    "census-checkerboard": 32,
    "census-symmetric": 31,
    "census-ring": 32,
    "census-mean": 32,
}


@dataclass(frozen=True)
class SgmParams(Params):
    """Parameters of semi-global matching; the defaults are the preset ``balanced``."""

    disparities: int = slider(
        64,
        16,
        512,
        "Disparities searched.",
        step=16,
        stride=16,
        unit="px",
        keys=("[", "]"),
        symbol="D",
    )
    min_disparity: int = slider(
        0, -1024, 1024, "First disparity searched.", unit="px", keys=("Shift+[", "Shift+]")
    )
    cost: str = choice(
        "census-mean",
        tuple(OUTSIDE),
        "How two pixels are compared: grey difference, or Hamming distance of census words.",
    )
    paths: int = choice(8, (4, 8), "Directions from which costs are aggregated.")
    first_path: int = slider(
        1, 1, 8, "First path summed: left right up down, then the diagonals; at most the last one."
    )
    last_path: int = slider(
        8, 1, 8, "Last path summed; fewer paths make smaller sums, which every check judges alike."
    )
    p1: int = slider(20, 0, 1023, "Penalty for a disparity change of one pixel.")
    p2: int = slider(100, 0, 4095, "Penalty for a larger disparity change.")
    p2_adaptation: str = choice(
        "soft",
        ADAPTATIONS,
        "How the large penalty shrinks where the grey level changes by g along the path: "
        "none: p2; divide: max(p1, p2 / g); soft: max(1.5 p1, 16 p2 / (16 + g)).",
    )
    uniqueness: int = slider(
        5, 0, 100, "Reject a winner unless it beats every other disparity by this margin.", unit="%"
    )
    lr_check: int = slider(
        1, -1, 255, "Largest difference to the right view's disparity; -1: no check.", unit="px"
    )
    subpixel: bool = switch(True, "Refine the winner by a parabola, in 1/16 pixel.")
    median: bool = switch(True, "Smooth the disparity by a 3x3 median.")
    speckle_size: int = slider(
        100, 0, 1000, "Reject islands of at most so many pixels.", step=10, unit="px"
    )
    speckle_range: int = slider(
        1, 0, 16, "Largest disparity step between neighbours of an island.", unit="px"
    )
    fill_holes: bool = switch(True, "Fill rejected pixels from what surrounds them.")

    ordered: ClassVar[tuple[tuple[str, str], ...]] = (("p1", "p2"), ("first_path", "last_path"))

    @property
    def directions(self) -> tuple[tuple[int, int], ...]:
        """Walking directions (dx, dy) of the paths summed, in their order."""
        last = min(self.last_path, self.paths)
        return DIRECTIONS[min(self.first_path, last) - 1 : last]

    @property
    def paths_summed(self) -> int:
        """How many paths are summed."""
        return len(self.directions)

    @property
    def census_bits(self) -> int:
        """Bits of a census word, which is its largest Hamming distance."""
        return OUTSIDE[self.cost]

    @property
    def path_cost_bytes(self) -> int:
        """Bytes that hold any aggregated cost: one, if the largest fits."""
        return 1 if largest_path_cost(self.cost, self.p1, self.p2) <= 255 else 2


def largest_path_cost(cost: str, p1: int, p2: int) -> int:
    """A bound of every aggregated cost: the largest matching cost, and the largest penalty."""
    return OUTSIDE[cost] + max(p2, 3 * p1 // 2)


def uses_census(params: SgmParams) -> bool:
    """Whether the matching cost compares census words."""
    return params.cost != "absolute"


def uses_median(params: SgmParams) -> bool:
    """Whether the disparity is smoothed."""
    return params.median


def checks_uniqueness(params: SgmParams) -> bool:
    """Whether winners without a margin are rejected."""
    return params.uniqueness > 0


def checks_consistency(params: SgmParams) -> bool:
    """Whether the right view's winners are compared."""
    return params.lr_check >= 0


def filters_speckles(params: SgmParams) -> bool:
    """Whether small islands are rejected."""
    return params.speckle_size > 0


def fills_holes(params: SgmParams) -> bool:
    """Whether rejected pixels get a disparity."""
    return params.fill_holes


def directions(params: SgmParams) -> tuple[Mapping[str, Any], ...]:
    """The paths in the order in which they are summed."""
    return tuple(
        {"dx": dx, "dy": dy, "first": i == 0} for i, (dx, dy) in enumerate(params.directions)
    )


def path_count(params: SgmParams) -> int:
    """How many paths there are to sum."""
    return params.paths


def invalid_disparity(params: SgmParams) -> int:
    """The stored value of a pixel without disparity: one pixel below the range, as in OpenCV."""
    return (params.min_disparity - 1) * SUBPIXEL_STEPS


def disparity_limits(params: SgmParams) -> tuple[float, float]:
    """Smallest and largest disparity searched, in pixels."""
    return params.min_disparity, params.min_disparity + params.disparities - 1


def winner_limits(params: SgmParams) -> tuple[float, float]:
    """Smallest and largest index of a disparity."""
    return 0, params.disparities - 1


def candidates(params: SgmParams, height: int, width: int) -> float:
    """Millions of disparities compared: pixels times disparities searched."""
    return megapixels(params, height, width) * params.disparities


def margin_limits(params: SgmParams) -> tuple[float, float]:
    """No margin, and a winner that costs nothing."""
    return 0, 100


def _margin(name: str, help: str) -> Image:
    return Image(name, "uint16", help, scale=1 / MARGIN_STEPS, unit="%", limits=margin_limits)


def _disparity(name: str, help: str) -> Image:
    return Image(
        name,
        "int16",
        help,
        scale=1 / SUBPIXEL_STEPS,
        unit="px",
        limits=disparity_limits,
        invalid=invalid_disparity,
        disparity=True,
        explained_by="invalid_reason",
    )


VOLUME = ("height", "width", "disparities")
WINNERS = ("winner", "refined", "disparity")


def _volume(name: str, dtype: str, help: str) -> Image:
    return Image(name, dtype, help, VOLUME, chosen_by=WINNERS)


IMAGES = (
    Image("left", "uint8", "Left view, rectified.", unit="grey level"),
    Image("right", "uint8", "Right view, rectified.", unit="grey level"),
    Image("left_descriptor", "uint32", "What is compared: the census word, or the grey level."),
    Image("right_descriptor", "uint32", "The same for the right view."),
    _volume("cost", "uint8", "Matching cost C(p, d)."),
    _volume("path_costs", "uint16", "Aggregated cost L(p, d) of the path walked last."),
    _volume("sums", "uint16", "Sum S(p, d) of the aggregated costs of all paths."),
    Image("winner", "int16", "Index of the disparity with the smallest sum.", limits=winner_limits),
    _disparity("refined", "Winner in 1/16 pixel, refined by a parabola."),
    _disparity("smoothed", "Refined disparity after the median."),
    _disparity("unique", "Smoothed disparity, ambiguous winners marked invalid."),
    Image(
        "right_winner",
        "int16",
        "Winner of the right view, from the same sums.",
        limits=winner_limits,
    ),
    _disparity("consistent", "Unique disparity, pixels marked invalid that the views disagree on."),
    Image("islands", "int32", "Place of the first pixel of the island a pixel belongs to, or -1."),
    Image("island_sizes", "int32", "Pixels of the island a pixel belongs to.", unit="px"),
    _disparity("filtered", "Consistent disparity, small islands marked invalid."),
    _disparity("disparity", "Disparity of the left view in 1/16 pixel."),
    _margin("margin", "How far the winner's sum lies below that of the next best disparity."),
    _margin("confidence", "How far the disparity may be trusted: margins of agreeing neighbours."),
    Image(
        "invalid_reason",
        "uint8",
        "Why a pixel was rejected, whether or not it was filled later.",
        labels=(
            "valid",
            "outside the image",
            "left-right check",
            "uniqueness",
            "speckle",
        ),
        colormap="reasons",
    ),
)

STAGES = (
    Stage(
        "census_transform",
        ("left", "right"),
        ("left_descriptor", "right_descriptor"),
        ("cost",),
        when=uses_census,
        help="Describe each pixel by how its neighbours compare with it.",
        operations=operations.census_transform,
    ),
    Stage(
        "matching_cost",
        ("left_descriptor", "right_descriptor"),
        ("cost",),
        ("cost", "min_disparity"),
        help="Compare each left pixel with its candidates in the right view.",
        operations=operations.matching_cost,
    ),
    Stage(
        "path_aggregation",
        ("left", "cost"),
        ("path_costs",),
        ("p1", "p2", "p2_adaptation", "dx", "dy"),
        each=directions,
        help="Carry costs along a path, penalising changes of disparity.",
        operations=operations.path_aggregation,
    ),
    Stage(
        "path_sum",
        ("path_costs",),
        ("sums",),
        ("first",),
        each=directions,
        help="Add the path's costs to the sum over all paths.",
        operations=operations.path_sum,
    ),
    Stage(
        "winner_takes_all",
        ("sums",),
        ("winner",),
        help="Choose the disparity with the smallest sum.",
        operations=operations.winner_takes_all,
    ),
    Stage(
        "subpixel_refinement",
        ("sums", "winner"),
        ("refined",),
        ("min_disparity", "subpixel"),
        help="Fit a parabola through the winner and its neighbours.",
        operations=operations.subpixel_refinement,
    ),
    Stage(
        "median_filter",
        ("refined",),
        ("smoothed",),
        when=uses_median,
        help="Replace each disparity by the median of its 3x3 neighbourhood.",
        operations=operations.median_filter,
    ),
    Stage(
        "uniqueness_check",
        ("smoothed", "sums", "winner"),
        ("unique",),
        ("min_disparity", "uniqueness"),
        when=checks_uniqueness,
        help="Reject winners that another disparity comes close to.",
        operations=operations.uniqueness_check,
    ),
    Stage(
        "right_winner_takes_all",
        ("sums",),
        ("right_winner",),
        ("min_disparity",),
        when=checks_consistency,
        help="Choose the right view's disparities from the same sums.",
        operations=operations.winner_takes_all,
    ),
    Stage(
        "consistency_check",
        ("unique", "winner", "right_winner"),
        ("consistent",),
        ("min_disparity", "lr_check"),
        when=checks_consistency,
        help="Reject pixels whose partner in the right view disagrees.",
        operations=operations.consistency_check,
    ),
    Stage(
        "speckle_filter",
        ("consistent",),
        ("filtered", "islands", "island_sizes"),
        ("min_disparity", "speckle_size", "speckle_range"),
        when=filters_speckles,
        help="Reject small islands of disparity.",
        operations=operations.speckle_filter,
    ),
    Stage(
        "hole_filling",
        ("filtered",),
        ("disparity",),
        ("min_disparity",),
        when=fills_holes,
        help="Give rejected pixels a disparity from around them.",
    ),
    Stage(
        "rejection_reason",
        ("winner", "right_winner", "unique", "filtered"),
        ("invalid_reason",),
        ("min_disparity", "lr_check"),
        help="Tell which check rejected each pixel.",
        operations=operations.rejection_reason,
        on_demand=True,
    ),
    Stage(
        "winner_margin",
        ("sums", "winner"),
        ("margin",),
        help="Compare the winner's sum with that of the next best disparity.",
        operations=operations.winner_margin,
        on_demand=True,
    ),
    Stage(
        "confidence_measure",
        ("margin", "refined"),
        ("confidence",),
        help="Average the margins around each pixel, of neighbours that agree with it.",
        operations=operations.confidence_measure,
        on_demand=True,
    ),
)

_CHECKED = {"uniqueness": 5, "lr_check": 1, "subpixel": True, "median": True}
_UNFILLED = {"speckle_size": 0, "speckle_range": 1, "fill_holes": False}
_FILLED = {"speckle_size": 100, "speckle_range": 1, "fill_holes": True}


def _preset(
    cost: str, paths: int, p1: int, p2: int, adaptation: str, **after: Any
) -> dict[str, Any]:
    weights = {"cost": cost, "paths": paths, "p1": p1, "p2": p2, "p2_adaptation": adaptation}
    return weights | _CHECKED | _FILLED | after


PRESETS = {
    "balanced": _preset("census-mean", 8, 20, 100, "soft"),
    "indoor": _preset("census-mean", 8, 15, 80, "soft"),
    "driving": _preset("census-symmetric", 4, 20, 150, "soft"),
    "fast": _preset("census-mean", 4, 15, 80, "soft"),
    "libsgm": _preset("census-symmetric", 8, 10, 120, "none", **_UNFILLED),
    "aveiro-2016": _preset(
        "absolute",
        4,
        15,
        100,
        "divide",
        uniqueness=0,
        lr_check=-1,
        subpixel=False,
        median=False,
        **_UNFILLED,
    ),
}

SGM = Pipeline(
    name="sgm",
    title="Semi-global matching",
    help="Disparity of a stereo pair by semi-global matching.",
    params=SgmParams,
    inputs=("left", "right"),
    output="disparity",
    images=IMAGES + VARIANT_IMAGES,
    stages=STAGES,
    variants=(*VARIANTS, opencv_sgbm(STAGES)),
    presets=PRESETS,
    views=(
        View("disparity", ("disparity",), "Disparity in the chosen colour map."),
        View("left", ("left",), "The left view."),
        View("pair", ("left", "disparity"), "Left view and disparity side by side."),
        View("views", ("left", "right"), "Left and right view side by side."),
        View(
            "edges",
            ("disparity",),
            "Disparity with the edges that canny finds in the left view.",
            overlay="canny.edges",
        ),
        View("confidence", ("confidence",), "How far each disparity may be trusted."),
        View("reasons", ("invalid_reason",), "Why pixels were rejected, a colour a reason."),
        View("anaglyph", ("left", "right"), "Both views for red-cyan glasses.", anaglyph=True),
    ),
    work=Work("Mpx·d", candidates),
    sweep=Sweep("disparities", "disparities", "px", (16, 32, 64, 128, 256)),
    terms=Terms("path", ARROWS, path_count, "first_path", "last_path"),
    probe="gpu.pipelines.sgm.probe:SgmProbe",
)
