"""Semi-global matching: a stereo pair in, disparity out.

Source: H. Hirschmüller, "Stereo Processing by Semiglobal Matching and Mutual Information",
PAMI 2008.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from gpu.parameters import Params, choice, slider, switch
from gpu.pipeline import Image, Pipeline, Stage, Variant, View, Work, megapixels

# Walking directions (dx, dy) of the paths; with 4 paths the first four.
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))
SUBPIXEL_STEPS = 16  # disparities are stored in 1/16 pixel
MARGIN_STEPS = 100  # margins are stored in 1/100 per cent
CONFIDENCE_RADIUS = 3  # of the window whose margins make a confidence
MASK_BITS = 32  # pixels of a word that tells which are valid
OCCLUSION_SLACK = 2  # pixels by which an occlusion may be wider than its step in disparity

# Every matching cost and its largest value, taken where the right pixel lies outside the image.
OUTSIDE = {
    "absolute": 255,
    "census-checkerboard": 32,
    "census-symmetric": 31,
    "census-ring": 32,
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
        "census-checkerboard",
        tuple(OUTSIDE),
        "How two pixels are compared: grey difference, or Hamming distance of census words.",
    )
    paths: int = choice(8, (4, 8), "Directions from which costs are aggregated.")
    p1: int = slider(15, 0, 1023, "Penalty for a disparity change of one pixel.")
    p2: int = slider(120, 0, 4095, "Penalty for a larger disparity change.")
    p2_adaptation: str = choice(
        "soft",
        ("none", "divide", "soft"),
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

    ordered: ClassVar[tuple[tuple[str, str], ...]] = (("p1", "p2"),)

    @property
    def path_cost_bytes(self) -> int:
        """Bytes that hold any aggregated cost: one, if the largest fits."""
        return 1 if OUTSIDE[self.cost] + max(self.p2, 3 * self.p1 // 2) <= 255 else 2


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
        {"dx": dx, "dy": dy, "first": i == 0}
        for i, (dx, dy) in enumerate(DIRECTIONS[: params.paths])
    )


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


def mask_words(height: int, width: int, params: SgmParams) -> int:
    """Words of a bit a pixel: along rows, and along columns and diagonals in bands of rows.

    Diagonals begin up to 31 columns outside the image.
    """
    bands = -(-height // MASK_BITS)
    return height * -(-width // MASK_BITS) + 3 * bands * (width + 2 * (MASK_BITS - 1))


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
    )


VOLUME = ("height", "width", "disparities")

IMAGES = (
    Image("left", "uint8", "Left view, rectified.", unit="grey level"),
    Image("right", "uint8", "Right view, rectified.", unit="grey level"),
    Image("left_descriptor", "uint32", "What is compared: the census word, or the grey level."),
    Image("right_descriptor", "uint32", "The same for the right view."),
    Image("cost", "uint8", "Matching cost C(p, d).", VOLUME),
    Image("path_costs", "uint16", "Aggregated cost L(p, d) of the path walked last.", VOLUME),
    Image("sums", "uint16", "Sum S(p, d) of the aggregated costs of all paths.", VOLUME),
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
    Image("left_words", "uint32", "Left descriptors, or grey levels, as `fast` compares them."),
    Image("right_words", "uint32", "The same for the right view."),
    Image("left_grey", "uint32", "Left grey levels as `fast` loads them."),
    Image("packed_matches", "uint8", "Matching costs as `fast` packs them.", VOLUME),
    Image(
        "packed_costs",
        "uint8",
        "Aggregated costs of all paths as `fast` packs them.",
        ("paths", "height", "width", "disparities", "path_cost_bytes"),
    ),
    Image("right_best", "uint32", "Smallest sum of a right pixel, then its disparity's index."),
    Image("rivalled", "uint8", "1 where another disparity comes close to the winner."),
    Image("valid_masks", "uint32", "Which pixels are valid, a bit each.", (mask_words,)),
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
    ),
    Stage(
        "matching_cost",
        ("left_descriptor", "right_descriptor"),
        ("cost",),
        ("cost", "min_disparity"),
        help="Compare each left pixel with its candidates in the right view.",
    ),
    Stage(
        "path_aggregation",
        ("left", "cost"),
        ("path_costs",),
        ("p1", "p2", "p2_adaptation", "dx", "dy"),
        each=directions,
        help="Carry costs along a path, penalising changes of disparity.",
    ),
    Stage(
        "path_sum",
        ("path_costs",),
        ("sums",),
        ("first",),
        each=directions,
        help="Add the path's costs to the sum over all paths.",
    ),
    Stage(
        "winner_takes_all",
        ("sums",),
        ("winner",),
        help="Choose the disparity with the smallest sum.",
    ),
    Stage(
        "subpixel_refinement",
        ("sums", "winner"),
        ("refined",),
        ("min_disparity", "subpixel"),
        help="Fit a parabola through the winner and its neighbours.",
    ),
    Stage(
        "median_filter",
        ("refined",),
        ("smoothed",),
        when=uses_median,
        help="Replace each disparity by the median of its 3x3 neighbourhood.",
    ),
    Stage(
        "uniqueness_check",
        ("smoothed", "sums", "winner"),
        ("unique",),
        ("min_disparity", "uniqueness"),
        when=checks_uniqueness,
        help="Reject winners that another disparity comes close to.",
    ),
    Stage(
        "right_winner_takes_all",
        ("sums",),
        ("right_winner",),
        ("min_disparity",),
        when=checks_consistency,
        help="Choose the right view's disparities from the same sums.",
    ),
    Stage(
        "consistency_check",
        ("unique", "winner", "right_winner"),
        ("consistent",),
        ("min_disparity", "lr_check"),
        when=checks_consistency,
        help="Reject pixels whose partner in the right view disagrees.",
    ),
    Stage(
        "speckle_filter",
        ("consistent",),
        ("filtered", "islands", "island_sizes"),
        ("min_disparity", "speckle_size", "speckle_range"),
        when=filters_speckles,
        help="Reject small islands of disparity.",
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
        on_demand=True,
    ),
    Stage(
        "winner_margin",
        ("sums", "winner"),
        ("margin",),
        help="Compare the winner's sum with that of the next best disparity.",
        on_demand=True,
    ),
    Stage(
        "confidence_measure",
        ("margin", "refined"),
        ("confidence",),
        help="Average the margins around each pixel, of neighbours that agree with it.",
        on_demand=True,
    ),
)

TEACHING = {"cost": "int32", "path_costs": "int32", "sums": "int32"}

HOLE_MASKS = Stage(
    "hole_filling",
    ("filtered",),
    ("disparity", "valid_masks"),
    ("min_disparity",),
    covers=("hole_filling",),
    help="Note which pixels are valid, and give the others a disparity from around them.",
)

VARIANTS = (
    Variant("reference", "cpu", "gpu.reference", "The specification, one thread."),
    Variant(
        "cpu",
        "cpu",
        "gpu.cpu",
        "All cores, vectorised 16-bit arithmetic.",
        fused=(
            Stage(
                "path_aggregation",
                ("left", "cost"),
                ("sums",),
                ("p1", "p2", "p2_adaptation", "paths"),
                covers=("path_aggregation", "path_sum"),
                help="Carry costs along all paths and sum them.",
            ),
            Stage(
                "winner_takes_all",
                ("sums",),
                ("refined", "consistent"),
                ("min_disparity", "subpixel", "uniqueness", "lr_check"),
                covers=(
                    "winner_takes_all",
                    "subpixel_refinement",
                    "uniqueness_check",
                    "right_winner_takes_all",
                    "consistency_check",
                ),
                help="Choose, refine and check each pixel's disparity.",
            ),
            Stage(
                "median_filter",
                ("refined",),
                ("consistent",),
                ("min_disparity",),
                when=uses_median,
                covers=("median_filter",),
                help="Smooth the disparities that passed the checks.",
            ),
            Stage(
                "rejection_reason",
                ("sums", "filtered"),
                ("invalid_reason",),
                ("min_disparity", "uniqueness", "lr_check"),
                covers=("rejection_reason",),
                help="Make the checks once more, and tell which rejected each pixel.",
            ),
            Stage(
                "winner_margin",
                ("sums",),
                ("margin",),
                covers=("winner_margin",),
                help="Compare the two smallest sums.",
            ),
        ),
    ),
    Variant(
        "global-scanline",
        "cuda",
        "gpu.kernels",
        "int32 volumes; cost: a thread a pixel; paths: a thread a scanline.",
        memory={"matching_cost": "global_scanline", "path_aggregation": "global_scanline"},
        fused=(HOLE_MASKS,),
        dtypes=TEACHING,
    ),
    Variant(
        "global",
        "cuda",
        "gpu.kernels",
        "Cost: a block a pixel; paths: a block a scanline, prior costs re-read from global memory.",
        memory={"matching_cost": "global", "path_aggregation": "global"},
        fused=(HOLE_MASKS,),
    ),
    Variant(
        "shared",
        "cuda",
        "gpu.kernels",
        "As global, with the prior costs and their minimum in shared memory.",
        memory={"matching_cost": "global", "path_aggregation": "shared"},
        fused=(HOLE_MASKS,),
    ),
    Variant(
        "texture",
        "cuda",
        "gpu.kernels",
        "As shared, with both views read through textures.",
        memory={
            "census_transform": "texture",
            "matching_cost": "texture",
            "path_aggregation": "texture",
        },
        fused=(HOLE_MASKS,),
        textures=("left", "right"),
    ),
    Variant(
        "fast",
        "cuda",
        "gpu.kernels",
        "All paths in one launch, two 16-bit costs an instruction, costs as bytes.",
        fused=(
            Stage(
                "packed_words",
                ("left", "right"),
                ("left_words", "right_words", "left_grey", "right_best"),
                ("cost",),
                covers=("census_transform", "matching_cost"),
                help="Describe the pixels of both views.",
            ),
            Stage(
                "packed_matching",
                ("left_words", "right_words"),
                ("packed_matches",),
                ("cost", "min_disparity"),
                covers=("matching_cost",),
                help="Compare each left pixel with its candidates in the right view.",
            ),
            Stage(
                "packed_aggregation",
                ("left_grey", "packed_matches"),
                ("packed_costs",),
                ("p1", "p2", "p2_adaptation"),
                covers=("path_aggregation", "path_sum"),
                help="Carry costs along all paths at once.",
            ),
            Stage(
                "packed_winner",
                ("packed_costs", "right_best"),
                ("winner", "refined", "rivalled"),
                ("min_disparity", "subpixel", "uniqueness", "lr_check"),
                covers=("winner_takes_all", "right_winner_takes_all"),
                help="Sum the paths, choose and refine the winners of both views.",
            ),
            Stage(
                "packed_checks",
                ("refined", "winner", "rivalled", "right_best"),
                ("consistent",),
                ("min_disparity", "median", "lr_check"),
                covers=(
                    "subpixel_refinement",
                    "median_filter",
                    "uniqueness_check",
                    "consistency_check",
                ),
                help="Smooth the disparities and mark those that fail a check.",
            ),
            HOLE_MASKS,
            Stage(
                "packed_reason",
                ("winner", "rivalled", "right_best", "filtered"),
                ("invalid_reason",),
                ("min_disparity", "lr_check"),
                covers=("rejection_reason",),
                help="Tell which check rejected each pixel.",
            ),
            Stage(
                "packed_confidence",
                ("packed_costs", "winner"),
                ("margin",),
                covers=("winner_margin",),
                help="Sum the paths again, and compare the two smallest sums.",
            ),
        ),
    ),
    Variant(
        "opencv-sgbm",
        "cpu",
        "gpu.peers",
        "cv2.StereoSGBM with its recommended settings: what one would otherwise run.",
        fused=(
            Stage(
                "opencv_sgbm",
                ("left", "right"),
                ("disparity",),
                ("disparities", "min_disparity", "paths", "uniqueness", "lr_check"),
                covers=tuple(stage.name for stage in STAGES),
            ),
        ),
        peer=True,
        ignores=(
            "cost",
            "p1",
            "p2",
            "p2_adaptation",
            "subpixel",
            "median",
            "speckle_size",
            "speckle_range",
            "fill_holes",
        ),
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
    "balanced": _preset("census-checkerboard", 8, 15, 120, "soft"),
    "indoor": _preset("census-checkerboard", 8, 15, 100, "soft"),
    "driving": _preset("census-symmetric", 4, 20, 150, "soft"),
    "fast": _preset("census-checkerboard", 4, 20, 120, "soft"),
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
    images=IMAGES,
    stages=STAGES,
    variants=VARIANTS,
    presets=PRESETS,
    views=(
        View("disparity", ("disparity",), "Disparity in the chosen colour map."),
        View("left", ("left",), "The left view."),
        View("pair", ("left", "disparity"), "Left view and disparity side by side."),
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
)
