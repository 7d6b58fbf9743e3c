"""Determine by content the purpose of files dropped onto the window or typed in the palette.

They are a source, settings, or the calibration or ground truth of the open pair.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wheatstone.viewer.findings import Button
from wheatstone.viewer.io.cameras.calibration_files import read_calibration
from wheatstone.viewer.io.cameras.formats.detection import CALIBRATIONS
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.documents import parsed, read_text
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.reading.png_chunks import png_header
from wheatstone.viewer.io.reading.regular_files import read_regular
from wheatstone.viewer.io.sources.data_set_layouts import pair_of
from wheatstone.viewer.io.sources.data_sets import SINTEL_TRUTH
from wheatstone.viewer.io.sources.decoding import Size
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.sides import ordered
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.io.sources.truth_places import is_packed
from wheatstone.viewer.io.sources.value_files import LARGEST_FILE, READERS, SUFFIXES
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recipe import Recipe, source_of
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.settings.trust import foreign_files

NETWORK = ".onnx"


@dataclass(frozen=True)
class Dropped:
    """The meaning of dropped files: a source, settings, both, or actions on the open pair.

    Attributes:
        spec: the new source; empty: none is opened.
        recipe: settings to restore; None: the settings stay.
        foreign: the files of the source that the user is asked about before they are opened.
        message: a message of one line for the user.
        meanings: what the files may mean for the open pair, each with its effect; the user chooses
            if there are several.
    """

    spec: SourceSpec
    recipe: Recipe | None
    message: str
    foreign: tuple[str, ...] = ()
    meanings: tuple[Button, ...] = ()


def understood(
    paths: Sequence[str], pair: Size | None = None, shown: Size | None = None
) -> Dropped:
    """Determine the purpose of one or two files, folders or addresses of live sources.

    Args:
        pair: height and width of the views of the open pair; None: no pair is open.
        shown: those of what A shows, to be compared with; None: nothing.

    Raises:
        ValueError: the files have no meaning, with the reason; or settings are damaged.
        OSError: a file cannot be read.
    """
    if any(map(is_live, paths)) and len(paths) <= 2:
        left, right = (*paths, None)[:2]
        return Dropped(SourceSpec(left, right), None, " and ".join(paths))
    files = [expanded(path) for path in paths]
    for path in files:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder")
    if all(map(_is_calibration, files)):
        return _calibration(files)
    if len(files) == 1 and files[0].suffix.lower() == NETWORK:
        button = Button("Network", ("use network", str(files[0])))
        return Dropped(NO_SOURCE, None, files[0].name, meanings=(button,))
    if len(files) == 1:
        return _one(files[0], pair, shown)
    if len(files) == 2 and files[0].is_dir() == files[1].is_dir():
        return _pair(*files)
    if len(files) == 2:
        raise ValueError("a folder and a file make no pair: drop two images or two folders")
    raise ValueError(f"{len(files)} files: drop one image or folder, or a left and a right one")


def try_to_open(spec: SourceSpec) -> None:
    """Open and close a source as a test; raise ``OSError`` or ``ValueError`` if it fails."""
    open_source(spec).close()


def _is_calibration(path: Path) -> bool:
    """Return whether a file is a calibration, by its suffix and, for TOML, by its sections."""
    suffix = path.suffix.lower()
    if not path.is_file() or suffix not in CALIBRATIONS:
        return False
    if suffix != ".toml":
        return True
    with suppress(OSError, ValueError):  # told where settings are read
        return "rig" in parsed(read_text(path), "TOML")
    return False


def _calibration(files: Sequence[Path]) -> Dropped:
    """Read one or two dropped calibration files; return them with the button that applies them."""
    calibration, names = read_calibration(*files), tuple(map(str, files))
    button = Button("Calibration", ("calibrate by", *names))
    return Dropped(NO_SOURCE, None, calibration.name, meanings=(button,))


def _values(path: Path, pair: Size | None, shown: Size | None) -> tuple[Button, ...]:
    """Return a button for each possible use of a file with one number per pixel.

    It is shown as it is: alone, or as B where A has its size; and a pair of its size may have it
    as ground truth. A TIFF, a PNG of 16 bits, and a colour PNG in Sintel's folder of disparities
    may be a picture as well.
    """
    suffix = path.suffix.lower()
    size = _size_of_values(path) if path.is_file() and suffix in SUFFIXES else ()
    if not size:
        return ()
    values = SourceSpec(str(path), values_in="px").to_toml()
    picture = Button("Picture", ("open source", SourceSpec(str(path)).to_toml()))
    meanings = [Button("Ground truth", ("use truth", str(path)))] * (size == pair)
    meanings += [Button("Compare with A", ("open as B", values))] * (size == shown)
    meanings += [Button("Values", ("open source", values))]
    if suffix in (".pfm", ".npy"):
        return tuple(meanings)
    return (*meanings, picture) if meanings[1:] else (picture, *meanings)


def _size_of_values(path: Path) -> tuple[int, ...]:
    """Return (height, width) of a file with one number per pixel; empty for an image file."""
    suffix, encoded = path.suffix.lower(), read_regular(path, LARGEST_FILE)
    if is_packed(path):
        header = png_header(encoded)
        return (header.height, header.width) if header and SINTEL_TRUTH.name in path.parts else ()
    try:
        stored = READERS[suffix](path, encoded, None)
    except ValueError:  # told where it is opened as a picture
        return ()
    return () if stored.dtype == np.uint8 and suffix != ".npy" else stored.shape


def _one(path: Path, pair: Size | None, shown: Size | None) -> Dropped:
    recipe = user_settings.read(path) if path.suffix.lower() == ".toml" else None
    recipe = recipe or (read_recipe(path) if path.is_file() else None)
    if recipe:
        return _restored(path, recipe)
    if pair_paths := pair_of(path):
        dropped = _pair(*pair_paths)
        return replace(dropped, message=f"opened as a pair: {dropped.message}")
    if meanings := _values(path, pair, shown):
        return Dropped(NO_SOURCE, None, path.name, meanings=meanings)
    return Dropped(SourceSpec(str(path)), None, path.name)


def _pair(one: Path, other: Path) -> Dropped:
    left, right = ordered((one, other))
    message = f"left {left.name}, right {right.name}"
    return Dropped(SourceSpec(str(left), str(right)), None, message)


def _restored(path: Path, recipe: Recipe) -> Dropped:
    try:
        spec = source_of(recipe)
    except ValueError as error:
        raise user_settings.named_error(path, error) from error
    foreign = foreign_files(path, spec, recipe.get("seal"))
    return Dropped(spec, recipe, f"{path.name} restored", foreign)
