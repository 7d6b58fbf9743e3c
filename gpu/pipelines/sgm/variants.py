"""Declare the variants of semi-global matching, each with its device, kernels and data types."""

from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.sgm.fused import CPU, FAST, HOLE_MASKS, PEER
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

TEACHING = {"cost": "int32", "path_costs": "int32", "sums": "int32"}

VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, vectorised 16-bit arithmetic.", fused=CPU),
    Variant(
        "global-scanline",
        "cuda",
        "wheatstone.gpu.kernels",
        "int32 volumes; cost: a thread a pixel; paths: a thread a scanline.",
        memory={"matching_cost": "global_scanline", "path_aggregation": "global_scanline"},
        fused=(HOLE_MASKS,),
        dtypes=TEACHING,
    ),
    cuda_variant(
        "global",
        help="Cost: a block a pixel; paths: a block a scanline, prior costs re-read from global "
        "memory.",
        memory={"matching_cost": "global", "path_aggregation": "global"},
        fused=(HOLE_MASKS,),
    ),
    cuda_variant(
        "shared",
        help="As global, with the prior costs and their minimum in shared memory.",
        memory={"matching_cost": "global", "path_aggregation": "shared"},
        fused=(HOLE_MASKS,),
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
    ),
    cuda_variant(
        "fast",
        help="All paths in one launch, two 16-bit costs an instruction, costs as bytes.",
        fused=FAST,
    ),
    Variant(
        "opencv-sgbm",
        "cpu",
        "wheatstone.gpu.peers",
        "cv2.StereoSGBM with its recommended settings: what one would otherwise run.",
        fused=PEER,
        peer=True,
        ignores=(
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
