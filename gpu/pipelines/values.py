"""A pipeline that shows values read from a file, and computes nothing."""

from dataclasses import dataclass, replace
from functools import lru_cache

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image, Pipeline, View
from wheatstone.gpu.stage import Variant

VALUES = "values"
"""The name of the pipeline, and of its image unless that holds disparities."""
DISPARITY = "disparity"
INPUTS = (VALUES, DISPARITY)
"""The names of the image, which is the pipeline's input and its output."""
STEPS = 16  # stored values per unit, as of a disparity of ``sgm``, with which it is compared
MOST = 64  # declarations that are kept


@dataclass(frozen=True)
class ValuesParams(Params):
    """The parameters of a file of values: there are none."""


@lru_cache(MOST)
def values_pipeline(unit: str, low: float, high: float) -> Pipeline:
    """Declare the pipeline that shows a file's values, (H, W) floats, NaN where unknown.

    Args:
        unit: of the values, such as ``px``.
        low, high: the range to show.
    """
    name = DISPARITY if unit == "px" else VALUES
    image = Image(
        name,
        "float32",
        "Values of the file.",
        scale=1 / STEPS,
        unit=unit,
        limits=lambda params: (low, high),
        invalid=lambda params: float("nan"),
        disparity=name == DISPARITY,
    )
    return Pipeline(
        name=VALUES,
        title="Values of a file",
        help="Values written by another program.",
        params=ValuesParams,
        inputs=(name,),
        output=name,
        images=(image,),
        stages=(),
        variants=(Variant("file", "cpu", "", "Read from the file, not computed."),),
        presets={},
        views=(View(name, (name,), "The values of the file."),),
    )


@lru_cache(MOST)
def in_floats(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline whose output is changed to floats in its unit, NaN where unknown."""
    output = pipeline.image(pipeline.output)
    floats = replace(output, dtype="float32", scale=1.0, invalid=lambda params: float("nan"))
    images = tuple(floats if each is output else each for each in pipeline.images)
    return replace(pipeline, images=images)
