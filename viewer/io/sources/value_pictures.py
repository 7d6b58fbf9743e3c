"""Reading of PNG and TIFF files as stored, without conversion to 8 bits."""

import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.checks import LARGEST, MOST_PIXELS
from wheatstone.viewer.io.reading.png_chunks import bare_png, png_header
from wheatstone.viewer.io.sources.decoding import WHOLE, Size, check_size, decoding
from wheatstone.viewer.io.sources.georeference import GDAL_NODATA
from wheatstone.viewer.io.sources.tiff_header import SEPARATE

if TYPE_CHECKING:
    from tifffile import TiffFile, TiffPage

PLAIN, DEFLATED = (1,), (8, 32946)
"""TIFF's compressions by number that tifffile reads on its own; it does not limit what the last
decode to. Pillow reads the others.
"""
FLOAT_PREDICTOR = 3
MOST_PARTS = MOST_PIXELS // 16**2
"""Maximum strips or tiles: the largest image in TIFF's smallest tiles of 16 by 16 pixels."""


def read_grey_png(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read the numbers of a grey PNG of 8 or 16 bits; fewer bits are scaled to 8.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: it is something else, damaged, or of an impossible size.
    """
    from PIL import Image

    header = png_header(encoded)
    if header is None:
        raise ValueError(f"{path}: damaged, or no PNG; {WHOLE}")
    check_size(path, header.width, header.height, expected)
    if header.colour != 0:
        raise ValueError(f"{path}: one number per pixel is needed (found colours or alpha)")
    with decoding(path, "truncated or damaged PNG", WHOLE):
        image = Image.open(io.BytesIO(bare_png(encoded)), formats=["PNG"])
        return np.asarray(image.convert("L") if image.mode == "1" else image)


def read_grey_tiff(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read the numbers of a TIFF's first page; NaN where GDAL's tag marks no value.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: it is something else, damaged, or of an impossible size.
    """
    return _read_tiff(path, encoded, expected, channels=False)


def read_tiff_channels(path: Path, encoded: bytes) -> NDArray[Any]:
    """Read a TIFF's first page with all of its channels: (H, W, channels).

    Call it after the header was checked. Raises ``ValueError`` for compressions that tifffile does
    not read on its own.
    """
    return _read_tiff(path, encoded, None, channels=True)


def _read_tiff(path: Path, encoded: bytes, expected: Size | None, channels: bool) -> NDArray[Any]:
    with io.BytesIO(encoded) as memory:  # closed, since tifffile's objects hold each other
        return _read_first_page(path, memory, encoded, expected, channels)


def _read_first_page(
    path: Path, memory: io.BytesIO, encoded: bytes, expected: Size | None, channels: bool
) -> NDArray[Any]:
    import tifffile

    kind = "not a TIFF that can be read"
    with decoding(path, kind, WHOLE):
        # A microscope's formats would have it look at every page.
        file = tifffile.TiffFile(memory, is_lsm=False, is_scanimage=False, is_ndpi=False)
        page = file.pages.first
        shape, dtype, stacked = page.shape, page.dtype, not channels and _is_stack(file)
        separate = channels and page.planarconfig == SEPARATE
    # A damaged directory makes tuples and words of sizes.
    plain = len(shape) == 2 + channels and all(isinstance(side, int) for side in shape)
    if not plain or dtype is None or stacked:
        wanted = "channels of a picture are" if channels else "one number per pixel is"
        pages = ", in several pages" if stacked else ""
        raise ValueError(f"{path}: {wanted} needed (got {dtype} of shape {shape!s:.80}{pages})")
    height, width = shape[1:] if separate else shape[:2]
    check_size(path, width, height, expected)
    with decoding(path, kind, WHOLE):
        if not channels and _is_left_to_pillow(page):
            return _with_pillow(encoded, page)
        _require_honest(page, encoded)
        pixels = np.asarray(page.asarray(maxworkers=1))
    if channels:
        return np.moveaxis(pixels, 0, -1) if separate else pixels
    return _without_absent(pixels, page)


def _without_absent(pixels: NDArray[Any], page: "TiffPage") -> NDArray[Any]:
    """Replace by NaN the number with which a TIFF page may mark pixels without a value."""
    tag = page.tags.get(GDAL_NODATA)
    try:
        absent = float(tag.value) if tag else np.nan
    except (TypeError, ValueError):
        return pixels
    if np.isnan(absent):
        return pixels
    with np.errstate(over="ignore"):
        known = pixels.astype(np.float32)
        known[pixels == absent] = np.nan
    return known


def _is_left_to_pillow(page: "TiffPage") -> bool:
    """Return whether Pillow must decode a page, because tifffile needs another package."""
    return page.compression not in (*PLAIN, *DEFLATED) or page.predictor == FLOAT_PREDICTOR


def _with_pillow(encoded: bytes, page: "TiffPage") -> NDArray[Any]:
    """Decode a page with Pillow; raise ``ValueError`` if that changes its shape or type."""
    from PIL import Image

    image = Image.open(io.BytesIO(encoded), formats=["TIFF"])
    pixels = np.asarray(image)
    if (pixels.shape, pixels.dtype) != (page.shape, page.dtype):
        raise ValueError(f"its compression {page.compression} is not read with {page.dtype}")
    return pixels


def _is_stack(file: "TiffFile") -> bool:
    """Return whether a file is a stack: its second page has the shape and type of the first."""
    try:
        first, second = file.pages[0], file.pages[1]
    except IndexError:
        return False
    return (first.shape, first.dtype) == (second.shape, second.dtype)


def _require_honest(page: "TiffPage", encoded: bytes) -> None:
    """Raise ``ValueError`` if a page's strips or tiles would decode to more than their size.

    Call it before tifffile decodes them: tifffile unpacks each without a size limit.
    """
    if page.compression not in (*PLAIN, *DEFLATED):
        raise ValueError(f"its compression {page.compression} is not read")
    assert page.dtype is not None, "refused before"
    if page.is_tiled:
        length, width, depth = page.tilelength, page.tilewidth, page.tiledepth
    else:
        length, width, depth = min(page.rowsperstrip, page.imagelength), page.imagewidth, 1
    separate = page.planarconfig == SEPARATE
    if not (0 < length <= LARGEST and 0 < width <= LARGEST and depth == 1):
        raise ValueError(f"its tiles are {width}x{length}x{depth}")
    if len(page.dataoffsets) > MOST_PARTS * (page.samplesperpixel if separate else 1):
        raise ValueError(f"it has {len(page.dataoffsets)} strips or tiles")
    if page.compression in DEFLATED:
        channels = 1 if separate else page.samplesperpixel
        most = length * width * page.dtype.itemsize * channels
        for at, size in zip(page.dataoffsets, page.databytecounts, strict=False):
            if len(zlib.decompressobj().decompress(encoded[at : at + size], most + 1)) > most:
                raise ValueError("a strip or tile holds more than its part of the picture")
