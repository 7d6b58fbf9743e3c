"""Declare who computes rectification."""

from gpu.pipeline import Stage, Variant

INTO_GREY = Stage(
    "rectify_grey",
    ("raw_left", "raw_right", "left_map", "right_map"),
    ("rectified_left", "rectified_right", "left", "right"),
    covers=("rectify", "grey_levels"),
    counts=("rectify", "grey_levels"),
    help="Rectify both views in one launch, and convert them to grey levels on the way.",
)

VARIANTS = (
    Variant("reference", "cpu", "gpu.reference", "The specification, one thread."),
    Variant("cpu", "cpu", "gpu.cpu", "All cores, a share of the rows each."),
    Variant(
        "global",
        "cuda",
        "gpu.kernels",
        "A thread a pixel, four taps from global memory.",
        memory={"rectify": "global"},
    ),
    Variant(
        "texture",
        "cuda",
        "gpu.kernels",
        "As global, the raw views read through textures, tap by tap: interpolation of the texture "
        "unit rounds to 1/256 and gives other bits.",
        memory={"rectify": "texture"},
        textures=("raw_left", "raw_right"),
    ),
    Variant(
        "fast",
        "cuda",
        "gpu.kernels",
        "Both views in one launch, colours as words, grey levels on the way.",
        fused=(INTO_GREY,),
    ),
    Variant(
        "opencv-remap",
        "cpu",
        "gpu.peers",
        "cv2.remap and cv2.cvtColor: what one would otherwise run.",
        peer=True,
    ),
)
