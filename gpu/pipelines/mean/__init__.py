"""The mean filter as a pipeline: image in, mean of the window around each pixel out."""

from dataclasses import dataclass

from wheatstone.gpu.parameters import Params, choice, slider
from wheatstone.gpu.pipeline import Image, Pipeline, Stage, Sweep, Variant, View
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

BLOG_RADIUS = 1


@dataclass(frozen=True)
class MeanParams(Params):
    """The parameters of the mean filter."""

    radius: int = slider(
        1,
        1,
        7,
        "Radius of the window, which has 2 radius + 1 rows and columns.",
        unit="px",
        keys=("[", "]"),
        symbol="r",
    )
    convention: str = choice(
        "opencv",
        ("opencv", "blog"),
        "Border and rounding: opencv: as cv2.blur, with a mirrored border and rounded means; "
        "blog: 3x3 only, with a border of 0 and truncated means.",
    )


def fits(params: MeanParams, height: int, width: int) -> str:
    """Return why a convention does not allow a radius; empty if it does."""
    if params.convention == "blog" and params.radius != BLOG_RADIUS:
        return f"radius must be {BLOG_RADIUS} with convention blog (got {params.radius})"
    return ""


def operations(params: MeanParams, height: int, width: int) -> int:
    """Count the operations of the mean filter: sum and quotient; in `opencv` also the rounding."""
    window = (2 * params.radius + 1) ** 2
    return height * width * (window + (params.convention == "opencv"))


STAGES = (
    Stage(
        "mean_filter",
        ("left",),
        ("mean",),
        ("radius", "convention"),
        help="Replace each pixel by the mean of the window around it.",
        operations=operations,
    ),
)

PACKED = Stage(
    "packed_mean",
    ("left",),
    ("mean",),
    ("radius", "convention"),
    covers=("mean_filter",),
    help="Replace each pixel by the mean of the window around it, with sliding sums.",
)


def _cuda(memory: str, help: str, textures: tuple[str, ...] = ()) -> Variant:
    return cuda_variant(memory, help=help, memory={"mean_filter": memory}, textures=textures)


VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, column sums that slide down the image."),
    _cuda("global", "One thread per pixel, a loop over the window in global memory."),
    _cuda("unrolled", "As global, with the loop unrolled for each radius."),
    _cuda("texture", "As global, with the image read through a texture.", textures=("left",)),
    _cuda("shared", "As unrolled, from tiles in shared memory with overlapping halos."),
    cuda_variant(
        "fast",
        help="Eight pixels per thread, two sums per instruction, windows that slide in both "
        "directions.",
        fused=(PACKED,),
    ),
)

MEAN = Pipeline(
    name="mean",
    title="Mean filter",
    help="Smooth an image by the mean of a square window.",
    params=MeanParams,
    inputs=("left",),
    output="mean",
    images=(
        Image("left", "uint8", "Left view.", unit="grey level"),
        Image("mean", "uint8", "Mean of each window.", unit="grey level", colormap="grey"),
    ),
    stages=STAGES,
    variants=VARIANTS,
    presets={
        "opencv": {"radius": 1, "convention": "opencv"},
        "wide": {"radius": 7, "convention": "opencv"},
        "blog": {"radius": BLOG_RADIUS, "convention": "blog"},
    },
    views=(
        View("mean", ("mean",), "The smoothed image."),
        View("left", ("left",), "The left view."),
        View("pair", ("left", "mean"), "Left view and smoothed image side by side."),
    ),
    fits=fits,
    sweep=Sweep("radius", "radius", "px", tuple(range(1, 8))),
)
