"""A pipeline of simple stages that uses every way to show an image; for tests of the display."""

from dataclasses import dataclass

from wheatstone.gpu.parameters import Params, choice, region, slider, switch
from wheatstone.gpu.pipeline import Image, Pipeline, Stage, Variant, View

BOXES = 6


@dataclass(frozen=True)
class ToyParams(Params):
    """Parameters of the toy."""

    threshold: int = slider(128, 0, 255, "Smallest grey level of an edge.", keys=("-", "="))
    negative: bool = switch(False, "Invert the image first.")
    search: str = choice("left", ("left", "right"), "The image searched.")
    template: tuple[int, int, int, int] = region(
        (2, 3, 8, 7), 3, "Rectangle whose mean is subtracted."
    )


def wide(params: ToyParams, height: int, width: int) -> str:
    """Why the variant ``narrow`` refuses."""
    columns = params.template[2]
    return f"the template is {columns} pixels wide, 20 are the most" if columns > 20 else ""


def tall(params: ToyParams, height: int, width: int) -> str:
    """What ``narrow`` remarks."""
    return "tall template" if params.template[3] > params.template[2] else ""


def too_large(params: ToyParams, height: int, width: int) -> str:
    """Why the parameters do not fit an image."""
    x, y, columns, rows = params.template
    outside = x + columns > width or y + rows > height
    return f"the template leaves the image of {width}x{height}" if outside else ""


IMAGES = (
    Image("left", "uint8", "Left view."),
    Image("right", "uint8", "Right view."),
    Image("searched", "uint8", "The view searched.", stands_for=lambda params: params.search),
    Image("negated", "uint8", "Negative.", colormap="grey"),
    Image("edges", "uint8", "Bright pixels."),
    Image(
        "labels",
        "uint8",
        "Quarters.",
        colormap="hysteresis",
        labels=("dark", "dim", "light", "bright"),
    ),
    Image("scores", "float32", "Difference from the mean.", limits=lambda _: (-1, 1)),
    Image("found", "int32", "Boxes.", (BOXES, 4)),
)

STAGES = (
    Stage("negated", ("left",), ("negated",), when=lambda params: params.negative),
    Stage("edges", ("negated",), ("edges",), ("threshold",)),
    Stage("labels", ("negated",), ("labels",)),
    Stage("scores", ("left", "searched"), ("scores",), ("template",)),
    Stage("found", ("left",), ("found",), ("template",)),
)

MARKS = {"overlay": "edges", "boxes": "found", "region": "template"}

TOY = Pipeline(
    name="toy",
    title="Toy",
    help="Everything the display can show.",
    params=ToyParams,
    inputs=("left", "right"),
    output="scores",
    images=IMAGES,
    stages=STAGES,
    variants=(
        Variant("cpu", "cpu", "tests.toy", "Plain."),
        Variant("narrow", "cpu", "tests.toy", "Refuses wide templates.", refuses=wide, remark=tall),
        Variant(
            "fused",
            "cpu",
            "tests.toy",
            "Keeps no labels.",
            fused=(Stage("edges", ("negated",), ("edges",), ("threshold",), covers=("labels",)),),
        ),
        Variant("cuda", "cuda", "tests.toy", "The same functions on the GPU.", recorded=False),
    ),
    presets={"plain": {"negative": False}},
    views=(
        View("marked", ("left", "scores"), "Everything at once.", **MARKS),  # type: ignore[arg-type]
        View("negated", ("negated",), "The negative."),
        View("labels", ("labels", "edges"), "Labels and edges.", overlay="edges"),
        View("searched", ("searched",), "The view searched."),
        View("anaglyph", ("left", "right"), "Both views.", anaglyph=True, overlay="edges"),
    ),
    fits=too_large,
)
