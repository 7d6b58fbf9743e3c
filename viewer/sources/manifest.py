"""Manifests: a file of TOML or JSON that lists the pairs of a data set, wherever they lie.

    convention = "middlebury"       # how it is judged unless --convention says; may be absent

    [[pairs]]
    left = "bull/left.png"          # paths are relative to the manifest's folder
    right = "bull/right.png"
    truth = "bull/truth.png"        # of the left view: PFM, NPY, TIFF, or PNG or PGM of integers
    # the rest may be absent:
    name = "bull"                   # the left image's folder, or its name in the manifest's own
    scale = 8                       # truth of integers: stored values per pixel; else 256 or 1
    unknown = 0                     # truth of integers: the value that means no truth
    truth_right = "bull/right.pfm"  # the right view's truth, encoded alike: tells what is occluded
    mask = "bull/mask.png"          # or a picture that tells: 255 where both views see the pixel
    disparities = 32                # how many to search
    min_disparity = 0               # the first of them

A ``pairs.json`` that is a list is of an older kind: every pair has a folder of its name, and
``gt``, ``gt_scale``, ``gt_right`` and ``disparity_range`` are what is called ``truth``, ``scale``,
``truth_right`` and ``disparities`` above.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from gpu.analysis.conventions import CONVENTIONS
from viewer.sources.images import read_bytes
from viewer.sources.pairs import PairFiles

NEEDED = ("left", "right", "truth")
FILES = (*NEEDED, "truth_right", "mask")
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*FILES, "name"), (str,)),
    "scale": (int, float),
    **dict.fromkeys(("unknown", "disparities", "min_disparity"), (int,)),
}


def read_manifest(path: Path) -> tuple[str, tuple[PairFiles, ...]]:
    """Read a manifest.

    Returns:
        The convention that it names, empty if it names none, and its pairs with ground truth.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is no manifest; the message names the pair and the field.
    """
    encoded = read_bytes(path)
    try:
        text = encoded.decode()
        document = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path}: neither a folder nor a manifest ({error})") from None
    if isinstance(document, list):
        return "", tuple(_older(path, pair) for pair in document if pair.get("gt"))
    if not isinstance(document, dict) or not isinstance(document.get("pairs"), list):
        raise ValueError(f"{path}: a manifest has a list of pairs")
    convention = document.get("convention", "")
    if convention and convention not in CONVENTIONS:
        known = ", ".join(CONVENTIONS)
        raise ValueError(f"{path}: convention must be one of {known} (got {convention!r})")
    return convention, tuple(_entry(path, pair) for pair in document["pairs"])


def _entry(path: Path, pair: Any) -> PairFiles:
    """List the files of a pair; raise ``ValueError`` for a field that is missing or impossible.

    Args:
        path: the manifest's.
        pair: what it says of the pair.
    """
    what = f"{path}: pair {pair.get('name') or pair.get('left')!r}" if pair else str(path)
    if missing := [name for name in NEEDED if name not in pair]:
        raise ValueError(f"{what} lacks {', '.join(missing)}")
    for name, value in pair.items():
        if name not in KINDS:
            raise ValueError(f"{what} has a field {name!r}; there is {', '.join(KINDS)}")
        if not isinstance(value, KINDS[name]) or isinstance(value, bool):
            kind = " or ".join(kind.__name__ for kind in KINDS[name])
            raise ValueError(f"{what}: {name} must be {kind} (got {value!r})")
    if pair.get("disparities", 1) < 1 or pair.get("scale", 1) <= 0:
        raise ValueError(f"{what}: disparities and scale must exceed 0")
    files = {name: path.parent / pair[name] for name in FILES if name in pair}
    rest = {name: value for name, value in pair.items() if name not in FILES}
    left = Path(pair["left"])
    return PairFiles(**{"name": left.parent.name or left.stem, **rest, **files})


def _older(path: Path, pair: dict[str, Any]) -> PairFiles:
    """List the files of a pair in an older ``pairs.json``; raise ``ValueError`` if one lacks."""
    try:
        folder = path.parent / pair["name"]
        right = pair.get("gt_right")
        return PairFiles(
            pair["name"],
            folder / pair["left"],
            folder / pair["right"],
            folder / pair["gt"],
            scale=pair["gt_scale"],
            unknown=pair["unknown"] if isinstance(pair["unknown"], int) else 0,
            truth_right=folder / right if right else None,
            disparities=pair["disparity_range"],
        )
    except KeyError as error:
        raise ValueError(f"{path}: a pair of {pair.get('name', 'no name')} lacks {error}") from None
