"""Template matching by normalised correlation: where else does a piece of the image occur?

Sources: J. P. Lewis, "Fast Normalized Cross-Correlation", Vision Interface 1995; N. Wilt, "The CUDA
Handbook", Addison-Wesley 2013, chapter 15.
"""

from dataclasses import dataclass

from gpu.parameters import Params, choice, region, slider
from gpu.pipeline import Image, Pipeline, Stage, Sweep, Variant, View, Work, megapixels
from gpu.pipelines import operations

Region = tuple[int, int, int, int]  # x, y, width, height

MOST_PEAKS = 16
LARGEST_TEMPLATE = 1 << 23  # pixels; up to here N * N * 255 * 255 fits 63 bits
CONSTANT_PIXELS = 3072  # of a template in constant memory, as in the handbook
TILE = (32, 8)  # width and height of the outputs that a block of `shared` computes
SHARED_BYTES = 48 * 1024  # what every GPU lets a block have


@dataclass(frozen=True)
class NccParams(Params):
    """Parameters of template matching."""

    template: tuple[int, int, int, int] = region(
        (16, 8, 24, 24), 3, "Rectangle of the left image to look for."
    )
    search: str = choice("left", ("left", "right"), "Image to search.")
    convention: str = choice(
        "exact",
        ("exact", "book"),
        "How the score is computed: exact: integer sums, their quotient in double precision; "
        "book: the CUDA Handbook's single-precision formula, which fails where a bright window "
        "hardly varies.",
    )
    peaks: int = slider(5, 1, MOST_PEAKS, "Peaks to find.", symbol="peaks")
    threshold: float = slider(0.5, -1.0, 1.0, "Smallest score of a peak.", step=0.05)


def searched_image(params: NccParams) -> str:
    """The image in which the template is looked for."""
    return params.search


def first_pixel(template: Region, convention: str) -> tuple[int, int]:
    """Row and column of a window's first pixel, seen from the pixel whose score it gives.

    Half the template back, rounded towards zero: 27 columns give -13. The book takes half the
    width for the rows too, so that its scores of a tall template lie too low by the difference.
    """
    _, _, width, height = template
    return -(width // 2 if convention == "book" else height // 2), -(width // 2)


def outside(params: NccParams, height: int, width: int) -> str:
    """Why a template is not one of an image of this size; empty if it is."""
    x, y, columns, rows = params.template
    if x + columns > width or y + rows > height:
        return (
            f"the template of {columns}x{rows} pixels at ({x}, {y}) leaves the image of "
            f"{width}x{height} pixels"
        )
    if columns * rows > LARGEST_TEMPLATE:
        return (
            f"the template has {columns * rows} pixels; "
            f"64-bit sums hold those of {LARGEST_TEMPLATE} at most"
        )
    return ""


def too_large_for_constant(template: Region) -> str:
    """Why constant memory does not hold a template; empty if it does."""
    _, _, width, height = template
    if width * height <= CONSTANT_PIXELS:
        return ""
    return (
        f"the template of {width}x{height} has {width * height} pixels, "
        f"constant memory is for {CONSTANT_PIXELS}"
    )


def tile_pitch(template: Region) -> int:
    """Bytes from row to row of the tile in shared memory: a multiple of 64."""
    return -(-(TILE[0] + template[2]) // 64) * 64


def tile_bytes(template: Region) -> int:
    """Shared memory that a block needs for its outputs' windows."""
    return tile_pitch(template) * (TILE[1] + template[3])


def too_large_for_shared(template: Region) -> str:
    """Why the variant ``shared`` cannot run its own kernel; empty if it can."""
    if tile_bytes(template) > SHARED_BYTES:
        return (
            f"a tile for the template of {template[2]}x{template[3]} takes {tile_bytes(template)} "
            f"bytes, shared memory has {SHARED_BYTES}"
        )
    return too_large_for_constant(template)


def refuse_constant(params: NccParams, height: int, width: int) -> str:
    """Why the variant ``constant`` refuses; empty if it does not."""
    complaint = too_large_for_constant(params.template)
    return complaint and f"{complaint}; the variant texture takes any"


def remark_shared(params: NccParams, height: int, width: int) -> str:
    """Says when the variant ``shared`` runs another variant's kernel."""
    complaint = too_large_for_shared(params.template)
    return complaint and f"runs the kernel of texture: {complaint}"


def products(params: NccParams, height: int, width: int) -> float:
    """Millions of products of two pixels: pixels of the image times those of the template."""
    _, _, columns, rows = params.template
    return megapixels(params, height, width) * columns * rows


def squared(params: NccParams, side: int) -> Region:
    """A square template with the same corner at its top left."""
    x, y, _, _ = params.template
    return x, y, side, side


def score_limits(params: NccParams) -> tuple[float, float]:
    """Smallest and largest score."""
    return -1.0, 1.0


IMAGES = (
    Image("left", "uint8", "Left view, of which the template is a part.", unit="grey level"),
    Image("right", "uint8", "Right view.", unit="grey level"),
    Image("searched", "uint8", "The view searched.", unit="grey level", stands_for=searched_image),
    Image("template_sums", "int64", "Sum of the template's grey levels, of their squares.", (2,)),
    Image("scores", "float32", "Correlation of the window about a pixel.", limits=score_limits),
    Image("peak_keys", "int64", "Score and place of each peak in one word.", (MOST_PEAKS,)),
    Image(
        "peaks",
        "float32",
        "Best matches: x, y, score, 1 if there is one.",
        (MOST_PEAKS, 4),
        columns=("x", "y", "score", "found"),
    ),
    Image("boxes", "int32", "Windows of the best matches: x0, y0, x1, y1.", (MOST_PEAKS, 4)),
)

FIND_PEAKS = ("template", "convention", "peaks", "threshold")

STAGES = (
    Stage(
        "template_statistics",
        ("left",),
        ("template_sums",),
        ("template",),
        help="Sum the template's grey levels and their squares.",
        operations=operations.template_statistics,
    ),
    Stage(
        "correlation",
        ("left", "searched", "template_sums"),
        ("scores",),
        ("template", "convention"),
        help="Correlate the template with the window about each pixel.",
        operations=operations.correlation,
    ),
    Stage(
        "find_peaks",
        ("scores",),
        ("peaks", "boxes"),
        FIND_PEAKS,
        help="Find the highest scores that lie apart, and refine their place.",
        operations=operations.find_peaks,
    ),
)

_CUDA_PEAKS = Stage(
    "find_peaks",
    ("scores",),
    ("peak_keys", "peaks", "boxes"),
    FIND_PEAKS,
    covers=("find_peaks",),
    help="Find the highest scores, one launch each, and refine their place.",
)

VARIANTS = (
    Variant("reference", "cpu", "gpu.reference", "The specification, one thread."),
    Variant("cpu", "cpu", "gpu.cpu", "All cores; running sums, products of whole rows."),
    Variant(
        "texture",
        "cuda",
        "gpu.kernels",
        "Image and template through textures; takes any template.",
        memory={"correlation": "texture"},
        fused=(_CUDA_PEAKS,),
        textures=("left", "right"),
    ),
    Variant(
        "constant",
        "cuda",
        "gpu.kernels",
        f"Template in constant memory, {CONSTANT_PIXELS} pixels at most; image through a texture.",
        memory={"correlation": "constant"},
        fused=(_CUDA_PEAKS,),
        textures=("left", "right"),
        refuses=refuse_constant,
    ),
    Variant(
        "shared",
        "cuda",
        "gpu.kernels",
        "As constant, with the block's part of the image in shared memory; if it does not fit, "
        "as texture.",
        memory={"correlation": "shared"},
        fused=(_CUDA_PEAKS,),
        textures=("left", "right"),
        remark=remark_shared,
    ),
)

NCC = Pipeline(
    name="ncc",
    title="Template matching",
    help="Where a rectangle of the left image occurs, by normalised correlation.",
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
            "The left view: drag a rectangle to choose the template; boxes show the best matches, "
            "wherever searched.",
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
