"""Rectification as a pipeline: raw camera views in, views whose rows show the same points out.

``IMAGES`` defines maps; ``ahead`` puts this pipeline's stages before those of another.

Source: the maps and the arithmetic are those of OpenCV's ``cv2.remap`` with ``CV_16SC2`` maps.
"""

from dataclasses import dataclass

from wheatstone.gpu.image import Image
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant, View
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

CHANNELS = 4  # red, green, blue, and whether the pixel is there: a word a pixel
FRACTION = 32  # steps of a pixel that displacements are counted in
OUTSIDE = -(2**15)  # a displacement that leads out of the image

INPUTS = ("raw_left", "raw_right", "left_map", "right_map")


def _view(name: str, help: str) -> Image:
    return Image(name, "uint8", help, ("height", "width", CHANNELS), colormap="grey")


def _map(name: str, help: str) -> Image:
    return Image(name, "int16", help, ("height", "width", 2), scale=1 / FRACTION, unit="px")


IMAGES = (
    _view("raw_left", "Left view before rectification: red, green, blue, 255."),
    _view("raw_right", "Right view before rectification."),
    _map(
        "left_map",
        "Position of each rectified left pixel in the raw view: columns, then rows, relative to "
        "its own position, in 1/32 pixel; the smallest number: outside.",
    ),
    _map("right_map", "The same for the right view."),
    _view(
        "rectified_left",
        "Left view, rectified; the fourth channel is 255 where all pixels read are inside.",
    ),
    _view("rectified_right", "Right view, rectified."),
    Image("left", "uint8", "Left view, rectified.", unit="grey level", colormap="grey"),
    Image("right", "uint8", "Right view, rectified.", unit="grey level", colormap="grey"),
)

VIEWS = 2
COLOURS = 3
BILINEAR = 4 + 3 + 2  # of a channel: taps by their weights, summed, then rounded by a shift
WEIGHTS = 2 + 4  # of a pixel: two complements, four products
GREY = COLOURS + COLOURS + 1  # of a pixel: channels by weights, summed with a half, then a shift


def rectify(params: Params, height: int, width: int) -> int:
    """Count the operations of rectification to grey levels: weights, means and grey level."""
    return VIEWS * height * width * (WEIGHTS + COLOURS * BILINEAR + GREY)


def rectify_colours(params: Params, height: int, width: int) -> int:
    """Count the operations of rectification in colours: weights and a mean per channel."""
    return VIEWS * height * width * (WEIGHTS + CHANNELS * BILINEAR)


STAGES = (
    Stage(
        "rectify",
        INPUTS,
        ("left", "right"),
        help="Resample every pixel at the position given by the calibration, as a grey level.",
        operations=rectify,
    ),
    Stage(
        "rectify_colours",
        INPUTS,
        ("rectified_left", "rectified_right"),
        help="Resample every pixel in colour, for display.",
        operations=rectify_colours,
        on_demand=True,
    ),
)


def _cuda(name: str, help: str, textures: tuple[str, ...] = ()) -> Variant:
    memory = {"rectify": name, "rectify_colours": name}
    return cuda_variant(name, help=help, memory=memory, textures=textures)


VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, each with a share of the rows."),
    _cuda("global", "One thread per pixel, four taps from global memory; one launch per view."),
    _cuda(
        "texture",
        "As global, with the raw views read through textures, tap by tap: interpolation of the "
        "texture unit rounds to 1/256 and gives other bits.",
        textures=("raw_left", "raw_right"),
    ),
    _cuda("fast", "Both views in one launch, four pixels per thread, moved as one word."),
    Variant(
        "opencv-remap",
        "cpu",
        "wheatstone.gpu.peers",
        "cv2.remap and cv2.cvtColor, for comparison.",
        peer=True,
    ),
)


@dataclass(frozen=True)
class RectifyParams(Params):
    """The parameters of rectification: none, because the calibration determines it."""


RECTIFY = Pipeline(
    name="rectify",
    title="Rectification",
    help="Rectify both views so that their rows show the same points.",
    params=RectifyParams,
    inputs=INPUTS,
    output="left",
    images=IMAGES,
    stages=STAGES,
    variants=VARIANTS,
    presets={},
    views=(
        View(
            "rectified",
            ("rectified_left", "rectified_right"),
            "Both views, rectified, with lines along rows.",
            row_lines=True,
        ),
        View(
            "raw",
            ("raw_left", "raw_right"),
            "Both views before rectification, with lines along rows.",
            row_lines=True,
        ),
        View(
            "both",
            ("raw_left", "rectified_left"),
            "Left view before and after rectification.",
            row_lines=True,
        ),
        View(
            "wipe",
            ("raw_left", "rectified_left"),
            "Left view: unrectified left of the seam, rectified right of it; drag the seam.",
            wipe=True,
            row_lines=True,
        ),
        View("grey", ("left", "right"), "Both views in grey, as other pipelines read them."),
        View(
            "anaglyph",
            ("rectified_left", "rectified_right"),
            "Both views for red-cyan glasses.",
            anaglyph=True,
        ),
    ),
)
