"""Template matching as a pipeline: finds a rectangle of the image by normalised correlation.

Read ``params`` first; this file declares the rest.

Sources: J. P. Lewis, "Fast Normalized Cross-Correlation", Vision Interface 1995; N. Wilt, "The CUDA
Handbook", Addison-Wesley 2013, chapter 15.
"""

from wheatstone.gpu.pipeline import Image, Pipeline, Stage, Sweep, View, Work, megapixels
from wheatstone.gpu.pipelines.ncc.params import (
    CONSTANT_PIXELS,
    MOST_PEAKS,
    NccParams,
    Region,
    outside,
    refuse_constant,
    remark_shared,
    searched_image,
)
from wheatstone.gpu.pipelines.ncc.parts import groups, most_candidates, remark_fast, window_words
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

__all__ = ["NCC", "NccParams"]


def products(params: NccParams, height: int, width: int) -> float:
    """Compute the amount of work in millions: pixels of the image times pixels of the template."""
    _, _, columns, rows = params.template
    return megapixels(params, height, width) * columns * rows


def squared(params: NccParams, side: int) -> Region:
    """Return a square template with the same top left corner as ``params.template``."""
    x, y, _, _ = params.template
    return x, y, side, side


def score_limits(params: NccParams) -> tuple[float, float]:
    """Return the smallest and the largest score."""
    return -1.0, 1.0


IMAGES = (
    Image("left", "uint8", "Left view, which contains the template.", unit="grey level"),
    Image("right", "uint8", "Right view.", unit="grey level"),
    Image("searched", "uint8", "The view searched.", unit="grey level", stands_for=searched_image),
    Image(
        "template_sums", "int64", "Sums of the template's grey levels and of their squares.", (2,)
    ),
    Image(
        "scores",
        "float32",
        "Correlation of the template with the window around each pixel.",
        limits=score_limits,
    ),
    Image(
        "window_sums",
        "uint32",
        "Sums of each window's grey levels and of their squares, by block, while `fast` adds up "
        "parts of the template.",
        (window_words,),
    ),
    Image(
        "listed_keys",
        "int64",
        "Keys of the candidate peaks, listed by group of 128 x 64 pixels.",
        (most_candidates,),
    ),
    Image("listed", "int32", "Number of candidate peaks in each group.", (groups,)),
    Image("peak_keys", "int64", "Score and position of each peak in one word.", (MOST_PEAKS,)),
    Image(
        "peaks",
        "float32",
        "Best matches: x, y of the window's centre, score, and 1 if the match exists.",
        (MOST_PEAKS, 4),
        columns=("centre x", "centre y", "score", "found"),
    ),
    Image("boxes", "int32", "Windows of the best matches: x0, y0, x1, y1.", (MOST_PEAKS, 4)),
)

FIND_PEAKS = ("template", "convention", "peaks", "threshold")


def template_statistics(params: NccParams, height: int, width: int) -> int:
    """Count the operations of the template's sums: a square and two sums per pixel."""
    _, _, columns, rows = params.template
    return 3 * columns * rows - 2


def correlation(params: NccParams, height: int, width: int) -> int:
    """Count the operations of correlation: five per window pixel, ten for the coefficient."""
    _, _, columns, rows = params.template
    return height * width * (5 * columns * rows - 3 + 10)


def find_peaks(params: NccParams, height: int, width: int) -> int:
    """Count the operations of peak finding: threshold, eight neighbours, a search for each peak."""
    return height * width * (9 + params.peaks)


STAGES = (
    Stage(
        "template_statistics",
        ("left",),
        ("template_sums",),
        ("template",),
        help="Sum the template's grey levels and their squares.",
        operations=template_statistics,
    ),
    Stage(
        "correlation",
        ("left", "searched", "template_sums"),
        ("scores",),
        ("template", "convention"),
        help="Correlate the template with the window around each pixel.",
        operations=correlation,
    ),
    Stage(
        "find_peaks",
        ("scores",),
        ("peaks", "boxes"),
        FIND_PEAKS,
        help="Find the highest separate scores, and refine their position, the window's centre.",
        operations=find_peaks,
    ),
)

_CUDA_PEAKS = Stage(
    "find_peaks",
    ("scores",),
    ("peak_keys", "peaks", "boxes"),
    FIND_PEAKS,
    covers=("find_peaks",),
    help="Find the highest scores, one launch each, and refine their position.",
)

_LISTS = ("listed_keys", "listed")

_FAST = (
    Stage(
        "packed_correlation",
        ("left", "searched"),
        ("template_sums", "window_sums", "scores", *_LISTS),
        ("template", "convention", "threshold"),
        covers=("template_statistics", "correlation"),
        help="Sum windows, and their products with the template on tensor cores; list candidate "
        "peaks.",
    ),
    Stage(
        "packed_peaks",
        ("scores", *_LISTS),
        ("peaks", "boxes"),
        ("template", "convention", "peaks"),
        covers=("find_peaks",),
        help="Choose the highest candidate peaks, and refine their position.",
    ),
)

VARIANTS = (
    REFERENCE,
    cpu_variant("All cores; running sums; larger templates by DFT."),
    cuda_variant(
        "texture",
        help="Image and template through textures; templates of any size.",
        memory={"correlation": "texture"},
        fused=(_CUDA_PEAKS,),
        textures=("left", "right"),
    ),
    cuda_variant(
        "constant",
        help=f"Template in constant memory, at most {CONSTANT_PIXELS} pixels; image through a "
        "texture.",
        memory={"correlation": "constant"},
        fused=(_CUDA_PEAKS,),
        textures=("left", "right"),
        refuses=refuse_constant,
    ),
    cuda_variant(
        "shared",
        help="As constant, with the block's part of the image in shared memory; if it does not "
        "fit, as texture.",
        memory={"correlation": "shared"},
        fused=(_CUDA_PEAKS,),
        textures=("left", "right"),
        remark=remark_shared,
    ),
    cuda_variant(
        "fast",
        help="Products on tensor cores, 128 windows per instruction; window sums from the same "
        "tile; peaks from lists per block.",
        fused=_FAST,
        remark=remark_fast,
    ),
)

NCC = Pipeline(
    name="ncc",
    title="Template matching",
    help="Occurrences of a rectangle of the left image, by normalised cross-correlation.",
    params=NccParams,
    inputs=("left", "right"),
    output="scores",
    images=IMAGES,
    stages=STAGES,
    variants=VARIANTS,
    presets={"exact": {"convention": "exact"}, "book": {"convention": "book"}},
    views=(
        View("scores", ("scores",), "Score of every pixel."),
        View(
            "left",
            ("left",),
            "The left view: drag a rectangle to choose the template; boxes mark the best "
            "matches, in whichever view they are.",
            boxes="boxes",
            region="template",
        ),
        View("searched", ("searched",), "The view searched, with its matches.", boxes="boxes"),
        View("pair", ("left", "scores"), "Left view and scores side by side.", region="template"),
    ),
    fits=outside,
    work=Work("Mpx·t", products),
    sweep=Sweep("template", "template side", "px", (4, 8, 16, 24, 32, 48, 64), squared),
)
