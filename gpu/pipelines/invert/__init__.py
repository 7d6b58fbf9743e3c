"""A pipeline that inverts an image, the smallest complete example of a pipeline."""

from dataclasses import dataclass

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image, Pipeline, Stage, View
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant


@dataclass(frozen=True)
class InvertParams(Params):
    """The parameters of inversion: there are none."""


def operations(params: InvertParams, height: int, width: int) -> int:
    """Count the operations of inversion: one subtraction per pixel."""
    return height * width


INVERT = Pipeline(
    name="invert",
    title="Invert",
    help="Negative of an image.",
    params=InvertParams,
    inputs=("left",),
    output="inverted",
    images=(
        Image("left", "uint8", "Left view.", unit="grey level"),
        Image("inverted", "uint8", "The negative.", unit="grey level", colormap="grey"),
    ),
    stages=(
        Stage(
            "invert",
            ("left",),
            ("inverted",),
            help="Subtract each pixel from 255.",
            operations=operations,
        ),
    ),
    variants=(
        REFERENCE,
        cpu_variant("All cores, each with a share of the rows."),
        cuda_variant("global", help="One thread per pixel."),
    ),
    presets={},
    views=(
        View("inverted", ("inverted",), "The negative."),
        View("left", ("left",), "The left view."),
        View("pair", ("left", "inverted"), "Left view and negative side by side."),
    ),
)
