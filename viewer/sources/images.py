"""Image files: every pixel exactly as stored, as 8-bit gray or RGB, or one clear line why not.

Pillow reads the header and most files, for it raises on a truncated one. OpenCV reads what Pillow
would narrow without a word or cannot read: colour of 16 bits and colour of floats. EXIF
orientation is ignored on purpose, since turning one view of a pair would break its alignment.
"""

# Not through imageio, which wraps both: its Pillow plugin reads EXIF with the pixels, so it refuses
# a whole PNG whose EXIF is damaged, and cannot say which format it found; its OpenCV plugin reads
# files on a disk only and decodes a file to tell its size.

import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from viewer.sources.decoding import decode_with_opencv
from viewer.sources.depth import narrow_integers, to_eight_bits
from viewer.sources.frame import LARGEST

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

FORMATS = ("PNG", "PPM", "JPEG", "TIFF")  # Pillow calls PGM and PBM "PPM" too
WANTED = "give a PNG, PGM, PPM, JPEG or TIFF"
UNREADABLE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    IndexError,
    EOFError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True, eq=False)
class DecodedImage:
    """A decoded image file.

    Attributes:
        pixels: (H, W) gray levels or (H, W, 3) RGB.
        notes: what was changed to get there, one line each, beginning with the file's name.
    """

    pixels: NDArray[np.uint8]
    notes: tuple[str, ...]


def read_image(path: Path) -> DecodedImage:
    """Read an image file as 8-bit gray or RGB.

    16 bits become value // 257, whatever the picture holds; floats are taken as 0..1 when none
    exceeds 1 and as 0..255 otherwise, then rounded to even; alpha is dropped; palettes are looked
    up; of many pages the first is read.

    Raises:
        OSError: the file is missing or may not be read.
        ValueError: it is empty, truncated, no image of a known format, larger than ``LARGEST``, or
            holds NaN.
    """
    encoded = read_bytes(path)
    stored, notes = _decode(path, encoded)
    _check_size(path, stored.shape[1], stored.shape[0])
    if stored.ndim == 3 and stored.shape[2] in (2, 4):
        notes.append("alpha dropped")
        stored = stored[..., : stored.shape[2] - 1]
    if stored.ndim == 3 and stored.shape[2] == 1:
        stored = stored[..., 0]
    pixels, scaled = to_eight_bits(path, stored)
    return DecodedImage(
        np.ascontiguousarray(pixels), tuple(f"{path.name}: {note}" for note in notes + scaled)
    )


def read_bytes(path: Path) -> bytes:
    """Return the whole file.

    Raises:
        OSError: it is missing, a folder, or may not be read.
        ValueError: it is empty.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path}: expected an image, found a folder; {WANTED}")
    try:
        encoded = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file; check the path") from None
    except PermissionError:
        raise PermissionError(
            f"{path}: not allowed to read it; change its permissions (chmod +r)"
        ) from None
    except OSError as error:
        raise OSError(
            f"{path}: cannot be read ({error.strerror}); check the path and the disk"
        ) from None
    if not encoded:
        raise ValueError(f"{path}: the file is empty (0 bytes); {WANTED}")
    return encoded


def _decode(path: Path, encoded: bytes) -> tuple[NDArray[Any], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = _open(path, encoded)
        if image is None:
            return _decode_unidentified(path, encoded), []
        with image:
            return _load(path, image, encoded)


def _open(path: Path, encoded: bytes) -> "ImageFile | None":
    """Read the header; None when Pillow does not know the format."""
    import io

    from PIL import Image, UnidentifiedImageError

    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        return Image.open(io.BytesIO(encoded))
    except UnidentifiedImageError:
        return None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ValueError(f"{path}: larger than {LARGEST}x{LARGEST}; scale it down") from None
    except UNREADABLE as error:
        raise ValueError(
            f"{path}: truncated or damaged ({error}); {WANTED} that is whole"
        ) from None


def _load(path: Path, image: "ImageFile", encoded: bytes) -> tuple[NDArray[Any], list[str]]:
    if image.format not in FORMATS:
        raise ValueError(f"{path}: expected an image, found {image.format}; {WANTED}")
    _check_size(path, image.width, image.height)
    pages = getattr(image, "n_frames", 1)
    notes = [f"first of {pages} pages"] if pages > 1 else []
    try:
        image.load()
    except UNREADABLE as error:
        raise ValueError(
            f"{path}: truncated or damaged {image.format} ({error}); {WANTED} that is whole"
        ) from None
    if _is_deep_colour(image, encoded):
        return _decode_with_opencv(path, encoded), notes
    return _pixels_of(path, image, notes), notes


def _pixels_of(path: Path, image: "ImageFile", notes: list[str]) -> NDArray[Any]:
    mode = image.mode
    if mode in ("L", "RGB", "I;16", "I;16B", "F", "LA", "RGBA"):
        return np.asarray(image)
    if mode == "I":
        return narrow_integers(path, np.asarray(image))
    if mode == "1":
        return np.asarray(image.convert("L"))
    if "transparency" in image.info:
        notes.append("transparency dropped")
    return np.asarray(image.convert("RGB"))


def _is_deep_colour(image: "ImageFile", encoded: bytes) -> bool:
    if image.format == "PNG":
        depth, colour = encoded[24:26]
        return depth == 16 and colour != 0
    if image.format == "PPM":
        return encoded[:2] == b"P6" and b"65535" in encoded[:256].split()
    samples = getattr(image, "tag_v2", {}).get(258, ())
    return len(samples) > 1 and max(samples) > 8


def _decode_unidentified(path: Path, encoded: bytes) -> NDArray[Any]:
    if encoded[:4] in (b"II*\0", b"MM\0*"):
        return _decode_with_opencv(path, encoded)
    kind = "text" if encoded[:512].isascii() else "an unknown format"
    raise ValueError(f"{path}: expected an image, found {kind}; {WANTED}")


def _decode_with_opencv(path: Path, encoded: bytes) -> NDArray[Any]:
    stored = decode_with_opencv(encoded)
    if stored is None:
        raise ValueError(
            f"{path}: truncated, damaged or of an unusual kind; "
            f"{WANTED} of 8 or 16 bits that is whole"
        )
    if stored.ndim == 2:
        return stored
    return stored[..., [2, 1, 0, 3][: stored.shape[2]]]


def _check_size(path: Path, width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise ValueError(
            f"{path}: the image has no pixels ({width}x{height}); {WANTED} of at least 1x1"
        )
    if width > LARGEST or height > LARGEST:
        raise ValueError(
            f"{path}: at most {LARGEST}x{LARGEST} is possible "
            f"(found {width}x{height}); scale it down"
        )
