"""Semi-global matching as a pipeline: two rectified views in, disparity out.

Read ``params`` (settings), ``images`` (computed arrays), ``stages`` (how one image leads to the
next) and ``variants`` (implementations, with the steps that do the work of several stages); this
file defines the presets and combines all. ``operations`` counts the arithmetic, ``packing`` lays
out the images of variant ``fast``, and ``probe`` explains the disparity of one pixel, with the data
classes of ``curves``.

Source: H. Hirschmüller, "Stereo Processing by Semiglobal Matching and Mutual Information",
PAMI 2008.
"""

from typing import Any

from wheatstone.gpu.pipeline import Pipeline, Sweep, Terms, View, Work, megapixels
from wheatstone.gpu.pipelines.sgm.images import IMAGES, VARIANT_IMAGES
from wheatstone.gpu.pipelines.sgm.params import SgmParams, path_names, storable
from wheatstone.gpu.pipelines.sgm.stages import STAGES
from wheatstone.gpu.pipelines.sgm.variants import VARIANTS

__all__ = ["SGM", "SgmParams"]

_PLAIN = {"gradient": False, "outside": -1, "guided_median": 0}
_CHECKED = {"uniqueness": 5, "lr_check": 1, "subpixel": "parabola", "median": True}
_UNFILTERED = {"decimation": 1, "temporal_alpha": 1.0, "temporal_delta": 1.0, "persistence": "off"}
_UNFILLED = {"speckle_size": 0, "speckle_range": 1, "fill_holes": False}
_FILLED = {"speckle_size": 100, "speckle_range": 1, "fill_holes": True}


def _preset(
    cost: str, paths: int | str, p1: int, p2: int, adaptation: str, **after: Any
) -> dict[str, Any]:
    weights = {"cost": cost, "paths": paths, "p1": p1, "p2": p2, "p2_adaptation": adaptation}
    return weights | _PLAIN | _CHECKED | _FILLED | _UNFILTERED | after


def _guided(cost: str, paths: int | str, p1: int, p2: int) -> dict[str, Any]:
    after = {"gradient": True, "outside": 12, "guided_median": 20, "subpixel": "equiangular"}
    return _preset(cost, paths, p1, p2, "divide", **after)


PRESETS = {
    "balanced": _guided("census-ring-symmetric", 4, 35, 200),
    "indoor": _guided("census-ring-symmetric", "sweeps", 25, 150),
    "driving": _guided("census-symmetric", 4, 50, 300),
    "fast": _guided("census-ring-symmetric", 4, 25, 150),
    "libsgm": _preset("census-symmetric", 8, 10, 120, "none", **_UNFILLED),
    "aveiro-2016": _preset(
        "absolute",
        4,
        15,
        100,
        "divide",
        uniqueness=0,
        lr_check=-1,
        subpixel="off",
        median=False,
        **_UNFILLED,
    ),
}

_OF_0_1_0 = {
    "balanced": _preset("census-mean", 8, 20, 100, "soft"),
    "indoor": _preset("census-mean", 8, 15, 80, "soft"),
    "driving": _preset("census-symmetric", 4, 20, 150, "soft"),
    "fast": _preset("census-mean", 4, 15, 80, "soft"),
}
FORMER = {f"{name} of 0.1.0": values for name, values in _OF_0_1_0.items()}
"""Settings of presets before they were changed, for users of an earlier version."""


def candidates(params: SgmParams, height: int, width: int) -> float:
    """Compute the amount of work in millions of candidates: pixels times disparities searched."""
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
            "Disparity with the Canny edges of the left view.",
            overlay="canny.edges",
        ),
        View("confidence", ("confidence",), "Confidence of each disparity."),
        View(
            "searched",
            ("searched_count",),
            "Number of disparities searched: fewer where the search is hierarchical.",
        ),
        View("reasons", ("invalid_reason",), "Why pixels were rejected, one colour per reason."),
        View("depth", ("depth",), "Depth, from near to far."),
        View("anaglyph", ("left", "right"), "Both views for red-cyan glasses.", anaglyph=True),
        View(
            "cloud",
            ("disparity",),
            "Point cloud; drag to turn it.",
            cloud=True,
            colors=("left", "confidence"),
        ),
    ),
    fits=storable,
    work=Work("Mpx·d", candidates),
    sweep=Sweep("disparities", "disparities", "px", (16, 32, 64, 128, 256)),
    terms=Terms("path", path_names, "first_path", "last_path"),
    probe="wheatstone.gpu.pipelines.sgm.probe:SgmProbe",
    former=FORMER,
    in_bands=True,
)
