"""The variants of semi-global matching, and the images that only they hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpu.parameters import Params
from gpu.pipeline import Image, Stage, Variant
from gpu.pipelines.sgm.packing import rows_apart, stretches, volumes

MASK_BITS = 32  # pixels of a word that tells which are valid


def mask_words(height: int, width: int, params: Params) -> int:
    """Words of a bit a pixel: along rows, and along columns and diagonals in bands of rows.

    Diagonals begin up to 31 columns outside the image.
    """
    bands = -(-height // MASK_BITS)
    return height * -(-width // MASK_BITS) + 3 * bands * (width + 2 * (MASK_BITS - 1))


def all_directions(params: Any) -> tuple[Mapping[str, Any], ...]:
    """The directions summed as one item, for what walks them at once."""
    return ({"directions": params.directions},)


VARIANT_IMAGES = (
    Image("left_words", "uint32", "Left descriptors, or grey levels, as `fast` compares them."),
    Image("right_words", "uint32", "The same for the right view."),
    Image(
        "left_steps",
        "uint32",
        "What a path takes of a pixel in `fast`: grey level, above it the smallest matching cost.",
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
    Image("right_best", "uint32", "Smallest sum of a right pixel, then its disparity's index."),
    Image("rivals", "uint32", "Smallest sum of a pixel; above it, the smallest not beside it."),
    Image("valid_masks", "uint32", "Which pixels are valid, a bit each.", (mask_words,)),
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
                ("p1", "p2", "p2_adaptation", "directions"),
                each=all_directions,
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
                ("left_words", "right_words", "right_best"),
                ("cost",),
                covers=("census_transform", "matching_cost"),
                help="Describe the pixels of both views.",
                counts=("census_transform",),
            ),
            Stage(
                "packed_matching",
                ("left", "left_words", "right_words"),
                ("packed_matches", "left_steps"),
                ("cost", "min_disparity"),
                covers=("matching_cost",),
                help="Compare each left pixel with its candidates in the right view.",
            ),
            Stage(
                "packed_aggregation",
                ("left_steps", "packed_matches"),
                ("row_costs", "packed_costs"),
                ("p1", "p2", "p2_adaptation", "directions"),
                each=all_directions,
                covers=("path_aggregation", "path_sum"),
                help="Carry costs along all paths at once.",
                counts=("path_aggregation",),
            ),
            Stage(
                "packed_winner",
                ("left_steps", "packed_matches", "row_costs", "packed_costs", "right_best"),
                ("winner", "refined", "rivals"),
                (
                    "p1",
                    "p2",
                    "p2_adaptation",
                    "directions",
                    "min_disparity",
                    "subpixel",
                    "lr_check",
                ),
                each=all_directions,
                covers=("winner_takes_all", "right_winner_takes_all"),
                help="Sum the paths, choose and refine the winners of both views.",
                counts=(
                    "path_sum",
                    "winner_takes_all",
                    "right_winner_takes_all",
                    "subpixel_refinement",
                ),
            ),
            Stage(
                "packed_checks",
                ("refined", "winner", "rivals", "right_best"),
                ("consistent",),
                ("min_disparity", "median", "uniqueness", "lr_check"),
                covers=(
                    "subpixel_refinement",
                    "median_filter",
                    "uniqueness_check",
                    "consistency_check",
                ),
                help="Smooth the disparities and mark those that fail a check.",
                counts=("median_filter", "uniqueness_check", "consistency_check"),
            ),
            HOLE_MASKS,
            Stage(
                "packed_reason",
                ("winner", "rivals", "right_best", "filtered"),
                ("invalid_reason",),
                ("min_disparity", "uniqueness", "lr_check"),
                covers=("rejection_reason",),
                help="Tell which check rejected each pixel.",
            ),
            Stage(
                "packed_confidence",
                ("rivals",),
                ("margin",),
                covers=("winner_margin",),
                help="Compare the two smallest sums.",
            ),
        ),
    ),
)


def opencv_sgbm(stages: Sequence[Stage]) -> Variant:
    """OpenCV's own matcher, which does the work of all stages of the pipeline."""
    return Variant(
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
                covers=tuple(stage.name for stage in stages),
            ),
        ),
        peer=True,
        ignores=(
            "cost",
            "first_path",
            "last_path",
            "p1",
            "p2",
            "p2_adaptation",
            "subpixel",
            "median",
            "speckle_size",
            "speckle_range",
            "fill_holes",
        ),
    )
