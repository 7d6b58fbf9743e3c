"""The variants of semi-global matching, and their fused steps.

A fused step does the work of several stages.
"""

from dataclasses import dataclass

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Stage, Variant
from wheatstone.gpu.pipelines.sgm.params import (
    HELD_BY_ALL,
    MOST_DISPARITIES,
    SgmParams,
    all_directions,
    is_full,
    is_hierarchical,
)
from wheatstone.gpu.pipelines.sgm.stages import SEARCH_RULES, STAGES
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

CPU = (
    Stage(
        "path_aggregation",
        ("left", "cost"),
        ("sums",),
        ("p1", "p2", "p2_adaptation", "directions", "sweeps"),
        each=all_directions,
        when=is_full,
        covers=("path_aggregation", "path_sum"),
        help="Aggregate costs along all paths and sum them.",
    ),
    Stage(
        "sparse_aggregation",
        ("left", "cost", "searched"),
        ("sums",),
        ("p1", "p2", "p2_adaptation", "directions", "sweeps"),
        each=all_directions,
        when=is_hierarchical,
        covers=("sparse_aggregation", "path_sum"),
        help="Aggregate the costs of the disparities searched along all paths and sum them.",
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
        help="Repeat the checks, and record which one rejected each pixel.",
    ),
    Stage(
        "winner_margin",
        ("sums",),
        ("margin",),
        covers=("winner_margin",),
        help="Compare the two smallest sums.",
    ),
)

HOLE_MASKS = Stage(
    "hole_filling",
    ("filtered",),
    ("filled", "valid_masks"),
    ("min_disparity",),
    covers=("hole_filling",),
    help="Mark valid pixels, and fill the others from their surroundings.",
)

SEARCHED_BLOCKS = Stage(
    "searched_blocks",
    ("left", "right"),
    (
        *("searched", "search_views", "search_words", "search_slopes", "search_costs"),
        *("search_path_costs", "search_sums", "search_winner", "search_blocks", "search_own"),
    ),
    SEARCH_RULES,
    when=is_hierarchical,
    each=all_directions,
    covers=("searched_blocks",),
    help="Choose the disparities to search in each tile, from matches at half size.",
)

FAST = (
    Stage(
        "packed_search",
        ("left", "right"),
        (
            *("searched", "search_views", "search_winner", "search_blocks", "search_own"),
            *("left_words", "right_words", "left_slopes", "right_slopes", "right_best"),
            *("tile_tables", "tile_links", "sparse_costs", "sparse_path_costs", "sparse_minima"),
        ),
        SEARCH_RULES,
        when=is_hierarchical,
        each=all_directions,
        covers=("searched_blocks",),
        help="Choose the disparities to search in each tile, from matches at half size.",
    ),
    Stage(
        "packed_words",
        ("left", "right"),
        ("left_words", "right_words", "left_slopes", "right_slopes", "right_best"),
        ("cost", "gradient"),
        covers=("census_transform", "horizontal_gradient", "matching_cost"),
        help="Describe the pixels of both views.",
        counts=("census_transform", "horizontal_gradient"),
    ),
    Stage(
        "packed_matching",
        ("left", "left_words", "right_words", "left_slopes", "right_slopes"),
        ("packed_matches", "left_steps"),
        ("cost", "min_disparity", "gradient", "outside"),
        when=is_full,
        covers=("matching_cost",),
        help="Compare each left pixel with its candidates in the right view.",
    ),
    Stage(
        "sparse_matching",
        ("left_words", "right_words", "left_slopes", "right_slopes", "tile_tables"),
        ("sparse_costs",),
        ("cost", "min_disparity", "gradient", "outside"),
        when=is_hierarchical,
        covers=("matching_cost",),
        help="Compare each left pixel with the candidates of its tile.",
    ),
    Stage(
        "packed_aggregation",
        ("left_steps", "packed_matches"),
        ("row_costs", "packed_costs", "swept_sums", "swept_ninths", "sweep_turns", "sweep_handed"),
        ("p1", "p2", "p2_adaptation", "directions", "sweeps"),
        each=all_directions,
        when=is_full,
        covers=("path_aggregation", "path_sum"),
        help="Aggregate costs along all paths at once.",
        counts=("path_aggregation",),
    ),
    Stage(
        "sparse_paths",
        ("left", "sparse_costs", "tile_tables", "tile_links"),
        ("sparse_path_costs", "sparse_minima"),
        ("p1", "p2", "p2_adaptation", "directions", "sweeps"),
        each=all_directions,
        when=is_hierarchical,
        covers=("sparse_aggregation", "path_sum"),
        help="Aggregate the costs of the disparities searched along all paths at once.",
        counts=("sparse_aggregation",),
    ),
    Stage(
        "packed_winner",
        (
            "left_steps",
            "packed_matches",
            "row_costs",
            "packed_costs",
            "swept_sums",
            "swept_ninths",
            "right_best",
        ),
        ("winner", "refined", "rivals"),
        ("p1", "p2", "p2_adaptation", "directions", "min_disparity", "subpixel", "lr_check"),
        each=all_directions,
        when=is_full,
        covers=("winner_takes_all", "right_winner_takes_all"),
        help="Sum the paths, choose and refine the winners of both views.",
        counts=("path_sum", "winner_takes_all", "right_winner_takes_all", "subpixel_refinement"),
    ),
    Stage(
        "sparse_winner",
        ("tile_tables", "sparse_path_costs", "right_best"),
        ("winner", "refined", "rivals"),
        ("directions", "min_disparity", "subpixel", "lr_check"),
        each=all_directions,
        when=is_hierarchical,
        covers=("winner_takes_all", "right_winner_takes_all"),
        help="Sum the paths, choose and refine the winners of both views.",
        counts=("path_sum", "winner_takes_all", "right_winner_takes_all", "subpixel_refinement"),
    ),
    Stage(
        "packed_checks",
        ("refined", "winner", "rivals", "right_best"),
        ("consistent",),
        ("min_disparity", "median", "uniqueness", "lr_check"),
        covers=("subpixel_refinement", "median_filter", "uniqueness_check", "consistency_check"),
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
        help="Record which check rejected each pixel.",
    ),
    Stage(
        "packed_confidence",
        ("rivals",),
        ("margin",),
        covers=("winner_margin",),
        help="Compare the two smallest sums.",
    ),
)

AFTER_PEER = ("decimation", "temporal_filter", "depth")
PEER_COVERS = tuple(stage.name for stage in STAGES if stage.name not in AFTER_PEER)
"""The stages whose work a program from outside does."""
PEER_READS = (
    *("disparities", "min_disparity", "decimation"),
    *("temporal_alpha", "temporal_delta", "persistence"),
)
"""The parameters that have an effect also on a program that searches no range."""
PEER_IGNORES = tuple(name for name in controls(SgmParams) if name not in PEER_READS)

PEER = (
    Stage(
        "opencv_sgbm",
        ("left", "right"),
        ("guided",),
        ("disparities", "min_disparity", "paths", "uniqueness", "lr_check"),
        covers=PEER_COVERS,
    ),
)

TEACHING = {"cost": "int32", "path_costs": "int32", "sums": "int32"}

BLOCK_THREADS = 1024  # of CUDA, at most; where each disparity has a thread
CPU_BYTES = 3  # of a candidate in the volumes of `cpu`: one of its cost, two of its sum


HELD = {
    "fast": HELD_BY_ALL,
    "global": BLOCK_THREADS,
    "shared": BLOCK_THREADS,
    "texture": BLOCK_THREADS,
    "cpu": MOST_DISPARITIES,
    "global-scanline": MOST_DISPARITIES,
}
"""The most disparities that a variant can search in full."""
HIERARCHICAL = ("cpu", "global", "shared", "fast")
"""Variants, other than the reference, that can search hierarchically."""


def held(variant: str, params: SgmParams) -> int:
    """Return the largest number of disparities that a variant can search with these parameters."""
    return MOST_DISPARITIES if variant == "fast" and is_hierarchical(params) else HELD[variant]


@dataclass(frozen=True)
class Refuses:
    """A function object that returns why a variant cannot run with given parameters."""

    variant: str

    def __call__(self, params: SgmParams, height: int, width: int) -> str:
        """Return why the variant cannot run, with alternatives; empty if it can run."""
        if is_hierarchical(params) and self.variant not in HIERARCHICAL:
            others = ", ".join(HIERARCHICAL)
            return f"supports only full search: choose search full, or one of the variants {others}"
        count, most = params.disparities, held(self.variant, params)
        if count <= most:
            return ""
        needed = CPU_BYTES * height * width * count / 1e9
        more = ", ".join(name for name in HELD if held(name, params) >= count)
        return (
            f"searches at most {most} disparities (got {count}): choose fewer, or another variant: "
            f"{more}; at {width}x{height} cpu needs {needed:.1f} GB"
        )


VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, vectorised 16-bit arithmetic.", fused=CPU),
    Variant(
        "global-scanline",
        "cuda",
        "wheatstone.gpu.kernels",
        "int32 volumes; cost: one thread per pixel; paths: one thread per scanline.",
        memory={"matching_cost": "global_scanline", "path_aggregation": "global_scanline"},
        fused=(HOLE_MASKS,),
        dtypes=TEACHING,
        refuses=Refuses("global-scanline"),
    ),
    cuda_variant(
        "global",
        help="Cost: one block per pixel; paths: one block per scanline, prior costs re-read from "
        "global memory.",
        memory={
            "matching_cost": "global",
            "path_aggregation": "global",
            "sparse_aggregation": "global",
            "searched_blocks": "global",
        },
        fused=(SEARCHED_BLOCKS, HOLE_MASKS),
        refuses=Refuses("global"),
    ),
    cuda_variant(
        "shared",
        help="As global, with the prior costs and their minimum in shared memory.",
        memory={
            "matching_cost": "global",
            "path_aggregation": "shared",
            "sparse_aggregation": "shared",
            "searched_blocks": "shared",
        },
        fused=(SEARCHED_BLOCKS, HOLE_MASKS),
        refuses=Refuses("shared"),
    ),
    cuda_variant(
        "texture",
        help="As shared, with both views read through textures.",
        memory={
            "census_transform": "texture",
            "horizontal_gradient": "texture",
            "matching_cost": "texture",
            "path_aggregation": "texture",
            "guided_median": "texture",
        },
        fused=(HOLE_MASKS,),
        textures=("left", "right"),
        refuses=Refuses("texture"),
    ),
    cuda_variant(
        "fast",
        help="All paths in one launch, two 16-bit costs per instruction, costs as bytes.",
        fused=FAST,
        refuses=Refuses("fast"),
    ),
    Variant(
        "opencv-sgbm",
        "cpu",
        "wheatstone.gpu.peers",
        "cv2.StereoSGBM with its recommended settings, for comparison.",
        fused=PEER,
        peer=True,
        ignores=(
            "search",
            "search_sides",
            "cost",
            "gradient",
            "outside",
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
            "guided_median",
        ),
    ),
)
