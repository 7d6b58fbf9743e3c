"""Screenshots that contain all settings: PNG files whose metadata restores the view."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.documents import LARGEST
from wheatstone.viewer.io.reading.png_chunks import SIGNATURE, png_text
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.io.sources import own_results
from wheatstone.viewer.settings import recipe as settings

KEYWORD = "wheatstone"


def write_screenshot(path: Path, pixels: NDArray[np.uint8], recipe: Mapping[str, Any]) -> None:
    """Write an RGB picture as PNG, with the settings that restore it in the metadata.

    Args:
        pixels: (H, W, 3) RGB, top row first.
        recipe: settings, and under ``made`` where and how the picture was made.

    Raises:
        ValueError: the file name does not end in ``.png``.
        OSError: the file cannot be written.
    """
    from PIL import Image, PngImagePlugin

    check_png(path)
    text = PngImagePlugin.PngInfo()
    text.add_itxt(KEYWORD, settings.dumps(recipe))
    text.add_text(own_results.KEYWORD, own_results.PROGRAM)
    with whole_file(path) as temporary:
        Image.fromarray(pixels).save(temporary, "PNG", pnginfo=text)


def check_png(path: Path) -> None:
    """Raise ``ValueError`` unless the path names a PNG file."""
    if path.suffix.lower() != ".png":
        raise ValueError(f"{path}: pictures are written as .png (got {path.suffix or 'no suffix'})")


def read_recipe(path: Path) -> settings.Recipe | None:
    """Read the settings in a screenshot's metadata; None if the file is not a screenshot.

    The picture is not decoded; the code that reads it reports damage.

    Raises:
        ValueError: the recipe is damaged.
    """
    try:
        with open_regular(path) as file:
            if file.read(len(SIGNATURE)) != SIGNATURE:
                return None
            text = png_text(file, KEYWORD, LARGEST)
    except OSError:
        return None
    except ValueError as error:
        raise ValueError(f"{path}: its settings are damaged: {error}") from error
    try:
        return settings.loads(text) if text else None
    except ValueError as error:
        raise ValueError(f"{path}: its settings are damaged: {error}") from error
