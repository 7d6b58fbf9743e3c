"""Declare the variants of rectification."""

from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant


def _cuda(name: str, help: str, textures: tuple[str, ...] = ()) -> Variant:
    memory = {"rectify": name, "rectify_colours": name}
    return cuda_variant(name, help=help, memory=memory, textures=textures)


VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, a share of the rows each."),
    _cuda("global", "A thread a pixel, four taps from global memory; a launch a view."),
    _cuda(
        "texture",
        "As global, the raw views read through textures, tap by tap: interpolation of the texture "
        "unit rounds to 1/256 and gives other bits.",
        textures=("raw_left", "raw_right"),
    ),
    _cuda("fast", "Both views in one launch, four pixels a thread, which are moved as one."),
    Variant(
        "opencv-remap",
        "cpu",
        "wheatstone.gpu.peers",
        "cv2.remap and cv2.cvtColor: what one would otherwise run.",
        peer=True,
    ),
)
