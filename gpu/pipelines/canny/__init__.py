"""The Canny edge detector as a pipeline: grey image in, one-pixel-wide edges out.

Read ``params``, ``images`` and ``stages``; this file declares the variants and combines all.

Source: J. Canny, "A Computational Approach to Edge Detection", PAMI 1986.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wheatstone.gpu.pipeline import Pipeline, Stage, Sweep, Variant, View
from wheatstone.gpu.pipelines.canny.images import IMAGES, VARIANT_IMAGES
from wheatstone.gpu.pipelines.canny.params import (
    CONVENTIONS,
    CannyParams,
    blurs,
    fits,
    given_thresholds,
    normalizes,
)
from wheatstone.gpu.pipelines.canny.stages import STAGES
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

LABELLED = Stage(
    "hysteresis",
    ("seeds",),
    ("edges", "strength", "labels"),
    covers=("hysteresis",),
    help="Label connected components by union-find; keep those with a strong pixel.",
)


def whole_weights(params: CannyParams) -> bool:
    """Return whether the image is smoothed by a Gaussian with integer weights."""
    return blurs(params) and not normalizes(params)


def one_pass(params: CannyParams) -> bool:
    """Return whether one pass writes the seeds: only if thresholds do not depend on the image."""
    return given_thresholds(params) and not normalizes(params)


def several_passes(params: CannyParams) -> bool:
    """Return whether the seeds are computed from images of other stages, in several passes."""
    return not one_pass(params)


def _as_declared(*names: str) -> tuple[Stage, ...]:
    """Return the named stages as declared, except that they run only on demand."""
    return tuple(
        replace(stage, covers=(stage.name,), on_demand=True)
        for stage in STAGES
        if stage.name in names
    )


SEEDS = ("gradient", "non_maximum_suppression", "manual_thresholds", "edge_seeds")

FAST = (
    Stage(
        "packed_gaussian",
        ("left",),
        ("blurred",),
        ("sigma",),
        when=whole_weights,
        covers=("gaussian_filter", "intensity_normalization"),
        help="Smooth the image along rows, then along columns.",
        counts=("gaussian_filter",),
    ),
    *_as_declared("gaussian_filter", "intensity_normalization"),
    Stage(
        "packed_edges",
        ("blurred",),
        ("weak_bits", "strong_bits", "side_sets", "set_parents"),
        ("low", "high", "norm", "aperture"),
        when=one_pass,
        covers=(*SEEDS, "hysteresis"),
        help="Detect strong and weak maxima of the gradient in one pass; label components in "
        "tiles.",
        counts=SEEDS,
    ),
    *_as_declared(*SEEDS),
    Stage(
        "packed_seeds",
        ("suppressed", "levels"),
        ("weak_bits", "strong_bits"),
        ("convention",),
        when=several_passes,
        covers=("edge_seeds",),
        help="Classify maxima as strong, weak or none, one bit each.",
    ),
    Stage(
        "packed_tiles",
        ("weak_bits", "strong_bits"),
        ("side_sets", "set_parents"),
        when=several_passes,
        covers=("hysteresis",),
        help="Label components that cross tile borders; those with strong pixels share one label.",
    ),
    Stage(
        "packed_seams",
        ("weak_bits", "side_sets"),
        ("set_parents",),
        covers=("hysteresis",),
        help="Merge the components that touch across borders between blocks of tiles.",
    ),
    Stage(
        "packed_hysteresis",
        ("weak_bits", "strong_bits", "side_sets", "set_parents"),
        ("edges",),
        covers=("hysteresis",),
        help="Keep the components that contain a strong pixel.",
    ),
    Stage(
        "packed_strength",
        ("edges", "weak_bits", "strong_bits"),
        ("strength",),
        covers=("hysteresis",),
        help="Classify each pixel: strong, weak and kept, weak and rejected, or no edge.",
        on_demand=True,
    ),
)


def _cuda(name: str, help: str, textures: tuple[str, ...] = (), **memory: str) -> Variant:
    stages = ("gaussian_filter", "gradient", "non_maximum_suppression", "hysteresis")
    return cuda_variant(
        name,
        help=help,
        memory={stage: memory.get(stage, name) for stage in stages},
        fused=(LABELLED,),
        textures=textures,
    )


VARIANTS = (
    REFERENCE,
    cpu_variant("All cores, vectorised."),
    _cuda("global", "Every neighbour read again from global memory."),
    _cuda(
        "texture",
        "Image read through a texture by the first stage that reads it.",
        textures=("left",),
        non_maximum_suppression="global",
        hysteresis="global",
    ),
    _cuda(
        "shared",
        "Tiles in shared memory, with a halo for the kernel; edges linked within tiles first.",
    ),
    cuda_variant(
        "fast",
        help="Seeds as bits in one pass, two pixels per instruction; flood fill of tiles in "
        "registers.",
        memory=dict.fromkeys(("gaussian_filter", "gradient", "non_maximum_suppression"), "shared"),
        fused=FAST,
    ),
)


__all__ = ["CANNY", "CannyParams"]

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "smooth": {"convention": "opencv", "sigma": 1.0, "low": 50, "high": 100, "aperture": 3},
    "opencv": {"convention": "opencv", "sigma": 0.0, "low": 50, "high": 150, "aperture": 3},
    "automatic": {"convention": "opencv", "sigma": 1.4, "thresholds": "otsu", "aperture": 3},
} | {
    convention: {
        "convention": convention,
        "sigma": 1.0,
        "thresholds": "manual",
        "low": 45,
        "high": 50,
        "norm": "l2",
        "aperture": 3,
    }
    for convention in CONVENTIONS[1:]
}

CANNY = Pipeline(
    name="canny",
    title="Canny edges",
    help="Edges of the left view by Canny's detector.",
    params=CannyParams,
    inputs=("left",),
    output="edges",
    images=IMAGES + VARIANT_IMAGES,
    stages=STAGES,
    variants=VARIANTS,
    presets=PRESETS,
    fits=fits,
    sweep=Sweep("sigma", "sigma", "px", (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)),
    views=(
        View("edges", ("edges",), "The edges."),
        View("left", ("left",), "The image."),
        View("overlay", ("left",), "The edges drawn over the image.", overlay="edges"),
        View("blurred", ("blurred",), "The smoothed image, input of the gradient."),
        View("magnitude", ("magnitude",), "Magnitude of the gradient."),
        View("direction", ("direction",), "Direction of the gradient, one colour per sector."),
        View("suppressed", ("suppressed",), "Local maxima of the magnitude."),
        View("seeds", ("seeds",), "Strong pixels white, weak ones grey."),
        View("hysteresis", ("strength",), "Strong white, weak kept green, weak rejected red."),
        View("pair", ("left", "edges"), "Image and edges side by side."),
    ),
)
