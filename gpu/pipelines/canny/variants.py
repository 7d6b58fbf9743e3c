"""Declare the variants of the Canny edge detector."""

from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.canny.fused import FAST, LABELLED
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant


def _cuda(name: str, help: str, textures: tuple[str, ...] = (), **memory: str) -> Variant:
    stages = ("gaussian_filter", "gradient", "non_maximum_suppression", "hysteresis")
    return cuda_variant(
        name,
        help=help,
        memory={stage: memory.get(stage, name) for stage in stages},
        fused=(LABELLED,),
        textures=textures,
    )


VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, vectorised."),
    _cuda("global", "Every neighbour re-read from global memory."),
    _cuda(
        "texture",
        "The image read through a texture by the first stage that reads it.",
        textures=("left",),
        non_maximum_suppression="global",
        hysteresis="global",
    ),
    _cuda(
        "shared",
        "Tiles in shared memory, with a halo as wide as the kernel; edges joined in tiles first.",
    ),
    cuda_variant(
        "fast",
        help="Seeds as bits from one pass, two pixels an instruction; tiles flooded in registers.",
        memory=dict.fromkeys(("gaussian_filter", "gradient", "non_maximum_suppression"), "shared"),
        fused=FAST,
    ),
)
