"""The images of semi-global matching: those of stages, and those of single variants."""

import math

from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image
from wheatstone.gpu.pipelines.sgm.levels import (
    lower_blocks,
    lower_candidates,
    lower_pixels,
    lower_views,
    two_views,
)
from wheatstone.gpu.pipelines.sgm.packing import (
    leaned_sweeps,
    ninth_groups,
    ninth_sweeps,
    rows_apart,
    stretches,
    sum_bytes,
    sweep_words,
    volumes,
)
from wheatstone.gpu.pipelines.sgm.params import (
    BLOCK_DISPARITIES,
    MARGIN_STEPS,
    SEARCH_TILE,
    SUBPIXEL_STEPS,
    SgmParams,
    is_hierarchical,
)

DEPTH_SPAN = 8  # times the nearest depth is the farthest shown, unless one is chosen
MASK_BITS = 32  # pixels of a word that tells which are valid


def mask_words(height: int, width: int, params: Params) -> int:
    """Compute the number of words of the masks of valid pixels: rows, columns and diagonals.

    Diagonals begin up to 31 columns outside the image.
    """
    bands = -(-height // MASK_BITS)
    return height * -(-width // MASK_BITS) + 3 * bands * (width + 2 * (MASK_BITS - 1))


def invalid_disparity(params: SgmParams) -> int:
    """Return the stored value for "no disparity": one pixel below the range, as in OpenCV."""
    return (params.min_disparity - 1) * SUBPIXEL_STEPS


def disparity_limits(params: SgmParams) -> tuple[float, float]:
    """Return the smallest and the largest disparity searched, in pixels."""
    return params.min_disparity, params.min_disparity + params.disparities - 1


def disparity_step(params: SgmParams) -> float:
    """Return the distance between neighbouring disparities, in pixels."""
    averaged = params.decimation > 2 or params.temporal_alpha < 1
    return 1.0 if params.subpixel == "off" and not averaged else 1 / SUBPIXEL_STEPS


def depth_limits(params: SgmParams, scale: DepthScale) -> tuple[float, float]:
    """Return the depth of the largest disparity searched, and ``DEPTH_SPAN`` times that.

    That disparity counts as one pixel if all searched belong to points at infinity or beyond.
    """
    largest = disparity_limits(params)[1] + scale.offset
    near = scale.product / (largest if largest > 0 else 1.0)
    return near, DEPTH_SPAN * near


def relative_limits(params: SgmParams) -> tuple[float, float]:
    """Return the limits of depths without a scale, for images of unknown size."""
    return depth_limits(params, DepthScale(1.0, 0.0, "relative"))


def no_depth(params: SgmParams) -> float:
    """Return the stored value for "no depth"."""
    return math.nan


def winner_limits(params: SgmParams) -> tuple[float, float]:
    """Return the smallest and the largest index of a disparity that can win."""
    return 0, params.disparities - 1


def margin_limits(params: SgmParams) -> tuple[float, float]:
    """Return the smallest and the largest possible margin of a winner, in per cent."""
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
        step=disparity_step,
        explained_by="invalid_reason",
    )


def tile_rows(height: int, width: int, params: SgmParams) -> int:
    """Return the number of rows of tiles in a hierarchical search; 1 in a full search."""
    return -(-height // SEARCH_TILE) if is_hierarchical(params) else 1


def tile_columns(height: int, width: int, params: SgmParams) -> int:
    """Return the number of tiles in a row in a hierarchical search; 1 in a full search."""
    return -(-width // SEARCH_TILE) if is_hierarchical(params) else 1


def block_count(height: int, width: int, params: SgmParams) -> int:
    """Return the number of blocks of disparities from which tiles choose; 1 in a full search."""
    return params.disparities // BLOCK_DISPARITIES if is_hierarchical(params) else 1


def all_blocks(height: int, width: int, params: SgmParams) -> int:
    """Return the number of blocks of disparities of all tiles together."""
    shape = (tile_rows, tile_columns, block_count)
    return math.prod(length(height, width, params) for length in shape)


def sparse_candidates(height: int, width: int, params: SgmParams) -> int:
    """Return the number of costs in a volume with space for all blocks of all tiles."""
    return SEARCH_TILE**2 * BLOCK_DISPARITIES * all_blocks(height, width, params)


def table_entries(height: int, width: int, params: SgmParams) -> int:
    """Return the number of entries in a tile's table: a count, the blocks, and where each lies."""
    return 1 + 2 * block_count(height, width, params)


def sparse_rows(height: int, width: int, params: SgmParams) -> int:
    """Return the number of stored minima of path costs: four image rows with sweeps, 1 without."""
    return 4 * width if params.sweeps else 1


def count_limits(params: SgmParams) -> tuple[float, float]:
    """Return the smallest and the largest number of disparities that a pixel searches."""
    return 0, params.disparities


VOLUME = ("height", "width", "disparities")
WINNERS = ("winner", "refined", "disparity")


def _volume(name: str, dtype: str, help: str) -> Image:
    return Image(name, dtype, help, VOLUME, chosen_by=WINNERS)


IMAGES = (
    Image("left", "uint8", "Left view, rectified.", unit="grey level"),
    Image("right", "uint8", "Right view, rectified.", unit="grey level"),
    *(
        Image(
            name,
            "uint8",
            f"The {view} view in colours, for variants that read them: red, green, blue, 255.",
            ("height", "width", 4),
            colormap="grey",
        )
        for name, view in (("colour_left", "left"), ("colour_right", "right"))
    ),
    Image(
        "camera",
        "float32",
        "Conversion of disparity to depth: focal length times baseline; offset of disparities.",
        (2,),
    ),
    Image("left_descriptor", "uint32", "Values compared: census words, or grey levels."),
    Image("right_descriptor", "uint32", "The same for the right view."),
    Image("left_gradient", "uint8", "Horizontal gradient of the left view, stored from -31 on."),
    Image("right_gradient", "uint8", "The same for the right view."),
    Image(
        "searched",
        "uint8",
        "1 where a tile of 16x16 pixels searches a block of eight disparities.",
        (tile_rows, tile_columns, block_count),
    ),
    Image(
        "searched_count",
        "uint16",
        "Number of disparities searched per pixel.",
        unit="disparities",
        limits=count_limits,
    ),
    _volume("cost", "uint8", "Matching cost C(p, d)."),
    _volume("path_costs", "uint16", "Aggregated cost L(p, d) of the last path."),
    _volume("sums", "uint16", "Sum S(p, d) of the aggregated costs of all paths."),
    Image("winner", "int16", "Index of the disparity with the smallest sum.", limits=winner_limits),
    _disparity("refined", "Winner in 1/16 pixel, refined by a curve through three sums."),
    _disparity("smoothed", "Refined disparity after the median."),
    _disparity("unique", "Smoothed disparity, ambiguous winners marked invalid."),
    Image(
        "right_winner",
        "int16",
        "Winner of the right view, from the same sums.",
        limits=winner_limits,
    ),
    _disparity(
        "consistent", "Unique disparity, pixels on which the views disagree marked invalid."
    ),
    Image("islands", "int32", "Index of the first pixel of each pixel's island, or -1."),
    Image("island_sizes", "int32", "Size of each pixel's island.", unit="px"),
    _disparity("filtered", "Consistent disparity, small islands marked invalid."),
    _disparity("filled", "Filtered disparity, holes filled."),
    _disparity("guided", "Filled disparity after the guided median."),
    _disparity("decimated", "Guided disparity, one value per block."),
    Image(
        "filter_past",
        "uint32",
        "State of the temporal filter after the previous frame.",
        remembers="filter_state",
    ),
    Image(
        "filter_state",
        "uint32",
        "Smoothed disparity in 1/4096 pixel above invalid; then one bit per frame: whether it "
        "had one.",
    ),
    _disparity("disparity", "Disparity of the left view in 1/16 pixel."),
    _margin("margin", "Margin of the winner's sum below that of the next best disparity."),
    _margin("confidence", "Confidence of the disparity: mean margin of agreeing neighbours."),
    Image(
        "invalid_reason",
        "uint8",
        "Why a pixel was rejected, even if it was filled later.",
        labels=("valid", "outside the image", "left-right check", "uniqueness", "speckle"),
        colormap="reasons",
    ),
    Image(
        "depth",
        "float32",
        "Depth: distance ahead of the left camera, in the calibration's unit.",
        unit="relative",
        limits=relative_limits,
        invalid=no_depth,
        depths=depth_limits,
    ),
)

VARIANT_IMAGES = (
    Image("left_words", "uint32", "Left descriptors, or grey levels, as `fast` compares them."),
    Image("right_words", "uint32", "The same for the right view."),
    Image("left_slopes", "uint8", "Left gradients, as `fast` compares them."),
    Image("right_slopes", "uint8", "The same for the right view."),
    Image(
        "left_steps",
        "uint32",
        "Input of a path from a pixel in `fast`: grey level, above it the smallest matching cost.",
    ),
    Image(
        "packed_matches",
        "uint8",
        "Matching costs as `fast` packs them.",
        ("height", "width", "disparities"),
    ),
    Image(
        "row_costs",
        "uint8",
        "Aggregated costs of rows at the ends of stretches, as `fast` packs them.",
        (rows_apart, "height", stretches, "disparities", "path_cost_bytes"),
    ),
    Image(
        "packed_costs",
        "uint8",
        "Aggregated costs of the other paths as `fast` packs them.",
        (volumes, "height", "width", "disparities", "path_cost_bytes"),
    ),
    Image(
        "swept_sums",
        "uint8",
        "Sums of three aggregated costs of each sweep, or their lower bytes, as `fast` packs them.",
        (leaned_sweeps, "height", "width", "disparities", sum_bytes),
    ),
    Image(
        "swept_ninths",
        "uint16",
        "The ninth bits of these sums, 16 disparities in each word.",
        (ninth_sweeps, "height", "width", ninth_groups),
    ),
    Image(
        "sweep_turns",
        "uint32",
        "Number of blocks that began to sweep, and of frames; columns and rows taken.",
        (4,),
    ),
    Image(
        "sweep_handed",
        "uint32",
        "Aggregated costs passed from one block of threads to the next in a sweep.",
        (sweep_words,),
    ),
    Image("right_best", "uint32", "Smallest sum of a right pixel, then its disparity's index."),
    Image(
        "rivals",
        "uint32",
        "Smallest sum of a pixel; above it, the smallest of a disparity not adjacent.",
    ),
    Image(
        "search_views",
        "uint8",
        "Both views at half size, and at half of each size.",
        (lower_views,),
    ),
    Image("search_words", "uint32", "Descriptors at half size.", (two_views,)),
    Image("search_slopes", "uint8", "Gradients at half size.", (two_views,)),
    Image("search_costs", "uint8", "Matching costs at half size.", (lower_candidates,)),
    Image("search_path_costs", "uint16", "Aggregated costs at half size.", (lower_candidates,)),
    Image("search_sums", "uint16", "Sums at half size.", (lower_candidates,)),
    Image("search_winner", "int16", "Winners at half size.", (lower_pixels,)),
    Image("search_blocks", "uint8", "Blocks that tiles search at half size.", (lower_blocks,)),
    Image(
        "search_own",
        "uint8",
        "Blocks that tiles search, without those of opposite neighbours.",
        (all_blocks,),
    ),
    Image(
        "tile_tables",
        "uint16",
        "Number of blocks that each tile searches in `fast`, their indices, and the position of "
        "every block.",
        (tile_rows, tile_columns, table_entries),
    ),
    Image(
        "tile_links",
        "uint16",
        "Positions where each block of a tile meets blocks of neighbouring tiles.",
        (tile_rows, tile_columns, block_count, 4),
    ),
    Image(
        "sparse_costs",
        "uint8",
        "Matching costs of the blocks that tiles search, with space for all.",
        (sparse_candidates,),
    ),
    Image(
        "sparse_path_costs",
        "uint8",
        "Aggregated costs of the same blocks.",
        ("paths_summed", sparse_candidates, "path_cost_bytes"),
    ),
    Image(
        "sparse_minima",
        "uint16",
        "Smallest aggregated costs of the pixels of two rows of each sweep.",
        (sparse_rows,),
    ),
    Image("valid_masks", "uint32", "Valid pixels, one bit each.", (mask_words,)),
)
