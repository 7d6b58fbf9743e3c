"""Declare the variants of rectification."""

from wheatstone.gpu.pipeline import Variant


def _cuda(name: str, help: str, textures: tuple[str, ...] = ()) -> Variant:
    memory = {"rectify": name, "rectify_colours": name}
    return Variant(name, "cuda", "wheatstone.gpu.kernels", help, memory=memory, textures=textures)


VARIANTS = (
    Variant("reference", "cpu", "wheatstone.gpu.reference", "The specification, one thread."),
    Variant("cpu", "cpu", "wheatstone.gpu.cpu", "All cores, a share of the rows each."),
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
