"""Reading of PNG and TIFF files with one number per pixel, as stored."""

import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.png_chunks import bare_png, png_header
from wheatstone.viewer.io.sources.decoding import Size, check_size, decoding
from wheatstone.viewer.io.sources.frame import LARGEST

if TYPE_CHECKING:
    from tifffile import TiffFile, TiffPage

WHOLE = "replace it by a whole file"
PLAIN, LZW, DEFLATED = (1,), (5,), (8, 32946)
"""TIFF's compressions by number; tifffile limits the decoded size of all except the last."""
MOST_PARTS = (LARGEST // 16) ** 2
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
        raise ValueError(f"{path}: one number a pixel is needed (found colours or alpha)")
    with decoding(path, "truncated or damaged PNG", WHOLE):
        image = Image.open(io.BytesIO(bare_png(encoded)), formats=["PNG"])
        return np.asarray(image.convert("L") if image.mode == "1" else image)


def read_grey_tiff(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read the numbers of a TIFF's first page.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: it is something else, damaged, or of an impossible size.
    """
    with io.BytesIO(encoded) as memory:  # closed, since tifffile's objects hold each other
        return _read_grey_tiff(path, memory, encoded, expected)


def _read_grey_tiff(
    path: Path, memory: io.BytesIO, encoded: bytes, expected: Size | None
) -> NDArray[Any]:
    import tifffile

    kind = "not a TIFF that can be read"
    with decoding(path, kind, WHOLE):
        # A microscope's formats would have it look at every page.
        file = tifffile.TiffFile(memory, is_lsm=False, is_scanimage=False, is_ndpi=False)
        page = file.pages.first
        shape, dtype, stacked = page.shape, page.dtype, _is_stack(file)
    # A damaged directory makes tuples and words of sizes.
    plain = len(shape) == 2 and all(isinstance(side, int) for side in shape)
    if not plain or dtype is None or stacked:
        pages = ", in several pages" if stacked else ""
        raise ValueError(
            f"{path}: one number a pixel is needed (got {dtype} of shape {shape!s:.80}{pages})"
        )
    check_size(path, shape[1], shape[0], expected)
    with decoding(path, kind, WHOLE):
        _require_honest(page, encoded)
        return np.asarray(page.asarray(maxworkers=1))


def _is_stack(file: "TiffFile") -> bool:
    """Return whether the second page has the first one's shape and type, as slices of a stack."""
    try:
        first, second = file.pages[0], file.pages[1]
    except IndexError:
        return False
    return (first.shape, first.dtype) == (second.shape, second.dtype)


def _require_honest(page: "TiffPage", encoded: bytes) -> None:
    """Raise ``ValueError`` if strips or tiles would decode to more than their part of the picture.

    Call it before tifffile decodes them: tifffile unpacks each without a size limit.
    """
    if page.compression not in (*PLAIN, *LZW, *DEFLATED):
        raise ValueError(f"its compression {page.compression} is not read")
    assert page.dtype is not None, "refused before"
    if page.is_tiled:
        length, width, depth = page.tilelength, page.tilewidth, page.tiledepth
    else:
        length, width, depth = min(page.rowsperstrip, page.imagelength), page.imagewidth, 1
    if not (0 < length <= LARGEST and 0 < width <= LARGEST and depth == 1):
        raise ValueError(f"its tiles are {width}x{length}x{depth}")
    if len(page.dataoffsets) > MOST_PARTS:
        raise ValueError(f"it has {len(page.dataoffsets)} strips or tiles")
    if page.compression in DEFLATED:
        most = length * width * page.dtype.itemsize
        for at, size in zip(page.dataoffsets, page.databytecounts, strict=False):
            if len(zlib.decompressobj().decompress(encoded[at : at + size], most + 1)) > most:
                raise ValueError("a strip or tile holds more than its part of the picture")
