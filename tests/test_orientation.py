"""EXIF orientation: each of the eight ways to hold a camera shows the same picture."""

import io
from pathlib import Path

import cv2
import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray
from PIL import Image

from tests.fuzz.pictures import chunks, joined
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.pillow_images import turned
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import StillSource

UPRIGHT = np.repeat(np.repeat(np.array([[0, 50, 100], [150, 200, 250]], np.uint8), 8, 0), 8, 1)
"""3 by 2 squares of different grey levels, 8 pixels a side: JPEG keeps them."""
STORED = {
    1: [[0, 50, 100], [150, 200, 250]],
    2: [[100, 50, 0], [250, 200, 150]],
    3: [[250, 200, 150], [100, 50, 0]],
    4: [[150, 200, 250], [0, 50, 100]],
    5: [[0, 150], [50, 200], [100, 250]],
    6: [[100, 250], [50, 200], [0, 150]],
    7: [[250, 100], [200, 50], [150, 0]],
    8: [[150, 0], [200, 50], [250, 100]],
}
"""How a camera stores the squares, as EXIF 2.32 defines: the place of the top row, left column."""


def stored(orientation: int) -> NDArray[np.uint8]:
    squares = np.array(STORED[orientation], np.uint8)
    return np.repeat(np.repeat(squares, 8, 0), 8, 1)


def write(path: Path, orientation: int, *, deep: bool = False, colour: bool = False) -> Path:
    pixels: NDArray[np.generic] = stored(orientation)
    pixels = np.stack([pixels] * 3, -1) if colour else pixels
    if path.suffix == ".tif":
        pixels = pixels.astype(np.uint16) * 257 if deep else pixels
        tags = [(274, "H", 1, orientation, True)]
        kind = "rgb" if colour else "minisblack"
        tifffile.imwrite(path, pixels, extratags=tags, photometric=kind)
        return path
    exif = Image.Exif()
    exif[274] = orientation
    Image.fromarray(pixels).save(path, quality=95, exif=exif)
    if deep:  # with Pillow's EXIF, but OpenCV's 16 bits
        (body,) = [part for part in chunks(path.read_bytes()) if part[0] == b"eXIf"]
        encoded = cv2.imencode(".png", pixels.astype(np.uint16) * 257)[1].tobytes()
        head, *rest = chunks(encoded)
        path.write_bytes(joined([head, body, *rest]))
    return path


@pytest.mark.parametrize("orientation", range(1, 9))
def test_arrays_are_turned(orientation: int) -> None:
    assert np.array_equal(turned(stored(orientation), orientation), UPRIGHT)


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.tif", "deep.png", "deep.tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_files_are_turned_and_noted(
    tmp_path: Path, name: str, orientation: int, colour: bool
) -> None:
    path = write(tmp_path / name, orientation, deep=name.startswith("deep"), colour=colour)
    image = read_image(path, UPRIGHT.shape)
    grey = image.pixels if image.pixels.ndim == 2 else image.pixels[..., 0]
    assert image.pixels.ndim == 2 + colour
    assert np.abs(grey.astype(int) - UPRIGHT).max() <= 3
    texts = [note for note in image.notes if f"EXIF orientation {orientation} says" in note]
    assert len(texts) == (orientation > 1)


def test_a_pair_is_turned_alike(tmp_path: Path) -> None:
    left, right = (str(write(tmp_path / f"{side}.jpg", 6)) for side in ("left", "right"))
    source = StillSource(SourceSpec(left, right))
    assert (source.height, source.width) == UPRIGHT.shape
    assert source.notes == tuple(
        f"{side}.jpg: turned by 90 degrees to the right, as its EXIF orientation 6 says"
        for side in ("left", "right")
    )


def test_views_held_differently_are_reported(tmp_path: Path) -> None:
    left, right = write(tmp_path / "l.jpg", 1), write(tmp_path / "r.jpg", 3)
    source = StillSource(SourceSpec(str(left), str(right)))
    assert any("l.jpg and r.jpg have different EXIF orientations" in n for n in source.notes)


def test_impossible_orientations_are_ignored(tmp_path: Path) -> None:
    memory = io.BytesIO()
    exif = Image.Exif()
    exif[274] = 77
    Image.fromarray(UPRIGHT).save(memory, "JPEG", exif=exif)
    (tmp_path / "a.jpg").write_bytes(memory.getvalue())
    assert read_image(tmp_path / "a.jpg").notes == ()
