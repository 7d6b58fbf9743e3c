"""Search for a pair's ground truth: in manifests, data sets, and files of this program."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.reading.paths import resolved_file
from wheatstone.viewer.io.reading.png_chunks import HEADER, PngHeader, png_header
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.io.sources.data_set_layouts import folder_truth, pair_layout_of, truth_folder
from wheatstone.viewer.io.sources.data_sets import PAIR_LAYOUTS
from wheatstone.viewer.io.sources.listing import files_in
from wheatstone.viewer.io.sources.own_results import is_own_result
from wheatstone.viewer.io.sources.truth import TruthFiles
from wheatstone.viewer.io.sources.value_files import SUFFIXES

OURS = "disparity.png"  # of the built-in scenes' samples
OLD_TRUTHS = ("disp2", "disp6")  # of Middlebury 2001 to 2003, .png or .pgm
WIDTHS_2006 = (400, 480, 3.0), (610, 720, 2.0), (1220, 1440, 1.0)
"""The first and the last width, and the scale, of Middlebury 2005 and 2006."""
MANIFESTS = ("manifest.toml", "manifest.json", "pairs.json")


RGB = 2  # colour type of a PNG


def truth_of(left: Path, given: str | None, scale: float | None) -> TruthFiles | None:
    """Return the user's ground truth for a pair, else the one that ``find_truth`` returns."""
    if not given:
        return find_truth(left, scale)
    return TruthFiles(Path(given), scale, packed=is_packed(Path(given)))


def is_packed(path: Path) -> bool:
    """Return whether a file is a colour PNG, which as ground truth has Sintel's encoding."""
    header = _png_header(path) if path.suffix.lower() == ".png" else None
    return bool(header and header.colour == RGB)


def _png_header(path: Path) -> PngHeader | None:
    """Read the header of a PNG; None if the file does not exist or is not a PNG."""
    if not path.is_file():
        return None
    with open_regular(path) as file:
        return png_header(file.read(HEADER.size))


def find_truth(left: Path, scale: float | None = None) -> TruthFiles | None:
    """Find a pair's ground truth in a manifest or where data sets store it; None if absent.

    A result of this program next to the pair is no ground truth.

    Args:
        left: the left image.
        scale: of a truth whose layout does not define its scale; without it that truth is ignored.
    """
    return in_manifest(left) or _beside(left, scale) or folder_truth(left)


def _beside(left: Path, scale: float | None) -> TruthFiles | None:
    """Find a pair's ground truth in the left image's folder; None if it is absent."""
    stem, folder = left.stem.lower(), left.parent
    if stem == "im2":
        return old_truth(folder, scale) if scale else None
    if stem == "view1":
        return _middlebury_2006(folder, scale)
    if stem == "im0" or stem.startswith("left"):
        return float_truth(left) or _ours(folder)
    return None


def _is_truth(path: Path) -> bool:
    """Return whether a file exists, and is not a result of this program."""
    return path.is_file() and not is_own_result(path)


_NAMED = re.compile(r"(gt|truth|ground_?truth|disp|disparity)_?(left|l|0|2)?")
"""The names of files, without their suffix, that may be ground truth of the left view."""


def possible_truth(left: Path) -> str:
    """Return a message if a file next to a left image may be its ground truth; else empty."""
    with suppress(OSError):  # a folder that cannot be listed
        for path in files_in(left.parent, SUFFIXES):
            named = _NAMED.fullmatch(path.stem.lower().replace("-", "_"))
            if named and _is_truth(path):
                return Finding("possible truth", name=path.name, path=str(path))
    return ""


def why_no_truth(left: Path, scale: float | None) -> str:
    """Explain why ground truth in an image's folder is ignored; empty if none is ignored."""
    if find_truth(left, scale):
        return ""
    if left.stem.lower() == "im2" and (lies := old_truth(left.parent, scale)):
        return Finding("truth scale", name=lies.truth.name)
    if left.stem.lower() == "view1" and (lies := _middlebury_2006(left.parent, 1.0)):
        return Finding("truth scale 2006", name=lies.truth.name)
    if left.stem.lower().startswith("left") and _is_truth(left.parent / OURS):
        return f"{OURS} is ignored: only 16-bit grey, 256 times the disparity, is ground truth"
    return ""


def absent_truth(left: Path, scale: float | None) -> str:
    """Explain why a pair's ground truth is ignored, or name a file that may be it; else empty."""
    return why_no_truth(left, scale) or possible_truth(left)


def in_manifest(left: Path) -> TruthFiles | None:
    """Find a pair's ground truth in a manifest in the left image's folder or its parent.

    None if there is no manifest, or none that lists the pair.
    """
    from wheatstone.viewer.io.sources.manifest import pairs_by_left

    image = resolved_file(left)
    for path in _manifests(image.parent):
        if entry := pairs_by_left(path).get(image):
            return entry.truth
    return None


@lru_cache(maxsize=64)  # asked for each image of a folder
def _manifests(folder: Path) -> list[Path]:
    """List the paths where a manifest of a folder's images may be."""
    return [place / name for place in (folder, *folder.parents[:1]) for name in MANIFESTS]


def float_truth(left: Path) -> TruthFiles | None:
    """Find in a pair's folder ground truth stored as in Middlebury 2014 and later, or ETH3D."""
    folder, known = truth_folder(left.absolute().parent), pair_layout_of(left)
    layouts = [known[1]] if known else [layout for _, layout in PAIR_LAYOUTS]
    layout = next((each for each in layouts if _is_truth(folder / each.truth)), None)
    if not layout:
        return None
    truth_right, mask = (
        path if _is_truth(path := folder / name) else None
        for name in (layout.truth_right, layout.mask)
    )
    return TruthFiles(folder / layout.truth, truth_right=truth_right, mask=mask)


def old_truth(folder: Path, scale: float | None) -> TruthFiles | None:
    """Find in a pair's folder ground truth stored as in Middlebury 2001 to 2003."""
    left, right = (
        next((p for s in (".png", ".pgm") if _is_truth(p := folder / f"{name}{s}")), None)
        for name in OLD_TRUTHS
    )
    return TruthFiles(left, scale, truth_right=right) if left else None


def _middlebury_2006(folder: Path, scale: float | None) -> TruthFiles | None:
    """Find ground truth stored as in Middlebury 2005 and 2006; its scale depends on the width."""
    for place in (folder, folder.parent.parent):  # pictures of several exposures share one truth
        path, right = place / "disp1.png", place / "disp5.png"
        if _is_truth(path):
            header = _png_header(path)
            width = header.width if header else 0
            fitting = (s for least, most, s in WIDTHS_2006 if least <= width <= most)
            steps = scale or next(fitting, None)
            known = right if _is_truth(right) else None
            return TruthFiles(path, steps, truth_right=known) if steps else None
    return None


def _ours(folder: Path) -> TruthFiles | None:
    """Find ground truth saved with a built-in scene, a 16-bit grey PNG; ignore other PNGs."""
    path = folder / OURS
    header = _png_header(path)
    grey = header and (header.depth, header.colour) == (16, 0)
    return TruthFiles(path) if grey and _is_truth(path) else None


ENDING = ".truth"
"""The suffix of the folder: ``drive.truth`` for ``drive.mp4``."""
_NUMBER = re.compile(r"(?<!\d)(\d+)$")


def find_frame_truths(
    video: Path, folder: str | None = None, scale: float | None = None
) -> Mapping[int, TruthFiles]:
    """Find the ground truth files of a video's frames, by frame number.

    Files are of the left view, and their names end in the frame's number, from 0: ``000012.png``,
    ``disparity_12.pfm``.

    Args:
        video: the file; of two, that of the left view.
        folder: given by the user; None: ``NAME.truth`` next to the video, if it exists.
        scale: stored values per pixel of disparity; None: the usual ones.

    Raises:
        OSError: the folder given is not a folder, or cannot be listed.
        ValueError: the folder given has no such file.
    """
    place = Path(folder) if folder else video.with_suffix(ENDING)
    if not os.path.isdir(place):
        if folder:
            raise NotADirectoryError(f"{folder}: the ground truth of a video is a folder of files")
        return {}
    numbered = ((_NUMBER.search(path.stem), path) for path in files_in(place, SUFFIXES))
    truths = {int(number[1]): TruthFiles(path, scale) for number, path in numbered if number}
    if folder and not truths:
        message = f"no ground truth; names end in the frame's number, such as 000012{SUFFIXES[0]}"
        raise ValueError(f"{folder}: {message}")
    return truths
