"""Declare semi-global matching: two rectified views in, disparity out.

Read ``params`` (settings), ``images`` (computed arrays), ``stages`` (how one image leads to the
next) and ``variants`` (implementations); this file combines them. ``operations`` counts the
arithmetic, ``fused`` and ``packing`` describe steps that do the work of several stages, ``presets``
are named settings, and ``probe`` explains the disparity of one pixel, with the data classes of
``curves``.

Source: H. Hirschmüller, "Stereo Processing by Semiglobal Matching and Mutual Information",
PAMI 2008.
"""

from wheatstone.gpu.pipeline import Pipeline, Sweep, Terms, View, Work, megapixels
from wheatstone.gpu.pipelines.sgm.images import IMAGES, VARIANT_IMAGES
from wheatstone.gpu.pipelines.sgm.params import SgmParams, path_names
from wheatstone.gpu.pipelines.sgm.presets import FORMER, PRESETS
from wheatstone.gpu.pipelines.sgm.stages import STAGES
from wheatstone.gpu.pipelines.sgm.variants import VARIANTS

__all__ = ["SGM", "SgmParams"]


def candidates(params: SgmParams, height: int, width: int) -> float:
    """Compute the compared candidates in millions: pixels times disparities searched."""
    return megapixels(params, height, width) * params.disparities


SGM = Pipeline(
    name="sgm",
    title="Semi-global matching",
    help="Disparity of a stereo pair by semi-global matching.",
    params=SgmParams,
    inputs=("left", "right", "camera"),
    output="disparity",
    images=IMAGES + VARIANT_IMAGES,
    stages=STAGES,
    variants=VARIANTS,
    presets=PRESETS,
    views=(
        View("disparity", ("disparity",), "Disparity in the chosen colour map."),
        View("left", ("left",), "The left view."),
        View("pair", ("left", "disparity"), "Left view and disparity side by side."),
        View("views", ("left", "right"), "Left and right view side by side."),
        View(
            "edges",
            ("disparity",),
            "Disparity with the edges that canny finds in the left view.",
            overlay="canny.edges",
        ),
        View("confidence", ("confidence",), "How far each disparity may be trusted."),
        View("reasons", ("invalid_reason",), "Why pixels were rejected, a colour a reason."),
        View("depth", ("depth",), "How far away things are, near to far."),
        View("anaglyph", ("left", "right"), "Both views for red-cyan glasses.", anaglyph=True),
        View(
            "cloud",
            ("disparity",),
            "Points in space, which the mouse turns.",
            cloud=True,
            colors=("left", "confidence"),
        ),
    ),
    work=Work("Mpx·d", candidates),
    sweep=Sweep("disparities", "disparities", "px", (16, 32, 64, 128, 256)),
    terms=Terms("path", path_names, "first_path", "last_path"),
    probe="wheatstone.gpu.pipelines.sgm.probe:SgmProbe",
    former=FORMER,
)
