"""The parameters of template matching, and checks of the size and position of a template."""

from dataclasses import dataclass

from wheatstone.gpu.parameters import Params, choice, region, slider

Region = tuple[int, int, int, int]  # x, y, width, height

MOST_PEAKS = 16
LARGEST_TEMPLATE = 1 << 23  # pixels; up to here N * N * 255 * 255 fits 63 bits
CONSTANT_PIXELS = 3072  # of a template in constant memory, as in the handbook
TILE = (32, 8)  # width and height of the outputs that a block of `shared` computes
SHARED_BYTES = 48 * 1024  # what every GPU lets a block have


@dataclass(frozen=True)
class NccParams(Params):
    """The parameters of template matching."""

    template: tuple[int, int, int, int] = region(
        (16, 8, 24, 24), 3, "Template: rectangle of the left image to search for."
    )
    search: str = choice("left", ("left", "right"), "Image to search.")
    convention: str = choice(
        "exact",
        ("exact", "book"),
        "Formula of the score: exact: quotient of integer sums, in double precision; book: the "
        "CUDA Handbook's single-precision formula, which fails where a bright window hardly "
        "varies.",
    )
    peaks: int = slider(
        5,
        1,
        MOST_PEAKS,
        "Number of best matches to find; x, y are those of their centres.",
        symbol="peaks",
    )
    threshold: float = slider(0.5, -1.0, 1.0, "Minimum score of a peak.", step=0.05)


def searched_image(params: NccParams) -> str:
    """Return the name of the image in which the template is searched."""
    return params.search


def first_pixel(template: Region, convention: str) -> tuple[int, int]:
    """Return row and column of a window's first pixel, relative to the pixel that gets its score.

    Minus half the template, rounded towards zero: 27 columns give -13. The book uses half the width
    for rows too, so that its scores of a tall template are placed too low by the difference.
    """
    _, _, width, height = template
    return -(width // 2 if convention == "book" else height // 2), -(width // 2)


def outside(params: NccParams, height: int, width: int) -> str:
    """Return why a template does not fit an image of this size; empty if it does."""
    x, y, columns, rows = params.template
    if x + columns > width or y + rows > height:
        return (
            f"the template of {columns}x{rows} pixels at ({x}, {y}) leaves the image of "
            f"{width}x{height} pixels"
        )
    if columns * rows > LARGEST_TEMPLATE:
        return (
            f"the template has {columns * rows} pixels; 64-bit sums allow at most "
            f"{LARGEST_TEMPLATE}"
        )
    return ""


def too_large_for_constant(template: Region) -> str:
    """Return why constant memory cannot hold a template; empty if it can."""
    _, _, width, height = template
    if width * height <= CONSTANT_PIXELS:
        return ""
    return (
        f"the template of {width}x{height} has {width * height} pixels, constant memory holds at "
        f"most {CONSTANT_PIXELS}"
    )


def tile_pitch(template: Region) -> int:
    """Compute the row pitch in bytes of the tile in shared memory: a multiple of 64."""
    return -(-(TILE[0] + template[2]) // 64) * 64


def tile_bytes(template: Region) -> int:
    """Compute the bytes of shared memory that a block needs for the windows of its outputs."""
    return tile_pitch(template) * (TILE[1] + template[3])


def too_large_for_shared(template: Region) -> str:
    """Return why the template is too large for the kernel of ``shared``; empty if it fits."""
    if tile_bytes(template) > SHARED_BYTES:
        return (
            f"a tile for the template of {template[2]}x{template[3]} needs "
            f"{tile_bytes(template)} bytes, shared memory has {SHARED_BYTES}"
        )
    return too_large_for_constant(template)


def refuse_constant(params: NccParams, height: int, width: int) -> str:
    """Return why the variant ``constant`` cannot run; empty if it can."""
    complaint = too_large_for_constant(params.template)
    return complaint and f"{complaint}; variant texture supports templates of any size"


def remark_shared(params: NccParams, height: int, width: int) -> str:
    """Return a note if the variant ``shared`` runs the kernel of ``texture``; else empty."""
    complaint = too_large_for_shared(params.template)
    return complaint and f"uses the kernel of texture: {complaint}"
