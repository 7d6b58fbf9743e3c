"""Declare rectification: raw camera views in, views whose rows show the same points out.

Read ``images`` first, which defines maps; ``stages`` and ``variants`` are as in any pipeline;
``ahead`` puts this pipeline's stages before those of another.

Source: the maps and the arithmetic are those of OpenCV's ``cv2.remap`` with ``CV_16SC2`` maps.
"""

from dataclasses import dataclass

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, View
from wheatstone.gpu.pipelines.rectify.images import IMAGES, INPUTS
from wheatstone.gpu.pipelines.rectify.stages import STAGES
from wheatstone.gpu.pipelines.rectify.variants import VARIANTS


@dataclass(frozen=True)
class RectifyParams(Params):
    """Declare the parameters of rectification: none, since the calibration determines it."""


RECTIFY = Pipeline(
    name="rectify",
    title="Rectification",
    help="Turn and straighten both views so that their rows show the same points.",
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
            "Both views as they were taken, with lines along rows.",
            row_lines=True,
        ),
        View(
            "both",
            ("raw_left", "rectified_left"),
            "Left view, as it was taken and rectified.",
            row_lines=True,
        ),
        View(
            "wipe",
            ("raw_left", "rectified_left"),
            "Left view: as it was taken left of the seam, rectified right of it; drag the seam.",
            wipe=True,
            row_lines=True,
        ),
        View("grey", ("left", "right"), "Both views as other pipelines read them."),
        View(
            "anaglyph",
            ("rectified_left", "rectified_right"),
            "Both views for red-cyan glasses.",
            anaglyph=True,
        ),
    ),
)
