"""Declare which stages can be shown in slow motion, and the function that prepares each display.

Some stages have an unfolding of their own; of any other stage that writes an image, the image
appears in the order of its kernel's blocks and warps.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from wheatstone.gpu.analysis.unfolding.unfolded import Unfolded
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES

HERE = "wheatstone.gpu.analysis.unfolding"


@dataclass(frozen=True)
class Unfolding:
    """The declaration of a slow motion: a stage, and the function that shows it step by step.

    Attributes:
        name: the name by which it is chosen.
        pipeline, stage: the names of the pipeline and the stage.
        help: description of the display, in a sentence.
        built: the function that computes it, as ``module:function``; takes an ``Asked``.
        along_path: whether it follows one path, which can be chosen.
        at_pixel: whether it goes through a pixel, which can be chosen.
        by_blocks: whether it follows a kernel's blocks, so that it needs the launch of a kernel.
    """

    name: str
    pipeline: str
    stage: str
    help: str
    built: str
    along_path: bool = False
    at_pixel: bool = False
    by_blocks: bool = False

    @property
    def build(self) -> Callable[..., Unfolded]:
        """Import and return the function that prepares the images of the slow motion's steps."""
        module, _, name = self.built.partition(":")
        builder: Callable[..., Unfolded] = getattr(importlib.import_module(module), name)
        return builder


OWN = (
    Unfolding(
        "cost-slice",
        "sgm",
        "matching_cost",
        "Matching costs of a row, one column of disparities per pixel, with the disparity that "
        "all paths together choose.",
        f"{HERE}.slices:cost_slice",
        at_pixel=True,
    ),
    Unfolding(
        "aggregation",
        "sgm",
        "path_aggregation",
        "Costs aggregated along one path through the image, pixel by pixel.",
        f"{HERE}.slices:aggregation",
        along_path=True,
        at_pixel=True,
    ),
    Unfolding(
        "winner",
        "sgm",
        "winner_takes_all",
        "Sums of all paths, a row at a time, and the disparity with the smallest sum.",
        f"{HERE}.slices:winner",
    ),
    Unfolding(
        "hysteresis",
        "canny",
        "hysteresis",
        "Edges growing from strong pixels over the weak ones that touch them, round by round.",
        f"{HERE}.orders:hysteresis",
    ),
    Unfolding(
        "template",
        "ncc",
        "correlation",
        "The template's window sliding over the image, and its score at each pixel.",
        f"{HERE}.orders:template",
    ),
    Unfolding(
        "window",
        "mean",
        "mean_filter",
        "The window sliding over the image, and its mean at each pixel.",
        f"{HERE}.orders:window",
    ),
)


@cache
def unfoldings(pipeline: Pipeline) -> tuple[Unfolding, ...]:
    """List the declared slow motions (step-by-step displays) of a pipeline, in stage order."""
    own = {each.stage: each for each in OWN if each.pipeline == pipeline.name}
    listed = []
    for stage in pipeline.stages:
        if stage.name in own:
            listed.append(own[stage.name])
        elif any(pipeline.image(name).dims == ("height", "width") for name in stage.writes):
            name, help = (
                stage.name.replace("_", "-"),
                (f"{stage.help} Block by block, as on a GPU."),
            )
            built = f"{HERE}.orders:blocks"
            listed.append(Unfolding(name, pipeline.name, stage.name, help, built, by_blocks=True))
    return tuple(listed)


def unfolding(pipeline: Pipeline, name: str) -> Unfolding | None:
    """Return a pipeline's slow motion (step-by-step display) by name; None if it is unknown."""
    return next((each for each in unfoldings(pipeline) if each.name == name), None)


def every_name() -> dict[str, str]:
    """Return the help text of every pipeline's slow motions (step-by-step displays), by name."""
    return {each.name: each.help for p in PIPELINES.values() for each in unfoldings(p)}
