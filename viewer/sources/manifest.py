"""Reading of manifests: TOML or JSON files that list the pairs of a data set and their paths.

    convention = "middlebury"       # how it is scored without --convention; may be absent

    [[pairs]]
    left = "bull/left.png"          # paths are relative to the manifest's folder
    right = "bull/right.png"
    truth = "bull/truth.png"        # of the left view: PFM, NPY, TIFF, or PNG or PGM of integers;
                                    # not needed by pairs that are computed, not scored
    # the rest may be absent:
    name = "bull"                   # the left image's folder, or its name in the manifest's own
    scale = 8                       # truth of integers: stored values per pixel; else 256 or 1
    unknown = 0                     # truth of integers: the value that means no truth
    truth_right = "bull/right.pfm"  # the right view's truth, encoded alike: gives the occlusion
    mask = "bull/mask.png"          # or a picture of it: 255 where both views see the pixel
    disparities = 32                # how many to search
    min_disparity = 0               # the first of them

A ``pairs.json`` that is a list has an older format: every pair has a folder of its name, and
``gt``, ``gt_scale``, ``gt_right`` and ``disparity_range`` stand for ``truth``, ``scale``,
``truth_right`` and ``disparities`` above.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NotRequired, TypedDict, TypeVar

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.viewer.reading.documents import form_of, located, parsed, read_text
from wheatstone.viewer.reading.inputs import add_inputs
from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.reading.typed_values import WrongValue, one_of, place_of, typed
from wheatstone.viewer.sources.pairs import PairFiles
from wheatstone.viewer.sources.truth import TruthFiles

Pair = TypeVar("Pair")
SCALES = (0.001, 65536.0)
"""Smallest scale: a stored step is 1000 pixels. Largest scale: 16 bits span one pixel."""


@dataclass(frozen=True)
class ManifestEntry:
    """A pair as listed in a manifest."""

    left: str
    right: str
    truth: str | None = None
    truth_right: str | None = None
    mask: str | None = None
    name: str = ""
    scale: float | None = None
    unknown: int = 0
    disparities: int | None = None
    min_disparity: int = 0

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for an invalid path, scale or number of disparities."""
        for field in ("left", "right", "truth", "truth_right", "mask"):
            require_path(getattr(self, field), field)
        require_scale(self.scale, "scale")
        if self.disparities is not None and self.disparities < 1:
            said = f"disparities must exceed 0 (got {self.disparities})"
            raise WrongValue(said, ("disparities",))


class Manifest(TypedDict):
    """The content of a manifest file."""

    convention: NotRequired[str]
    pairs: list[ManifestEntry]


class OlderEntry(TypedDict, total=False):
    """A pair as listed in an older ``pairs.json``; one without truth may lack every field."""

    name: str
    left: str
    right: str
    gt: str | None
    gt_scale: float | None
    unknown: Any  # -1, 0, or words such as "inf" where the truth holds floats
    gt_right: str | None
    disparity_range: int | None


OLDER_NEEDS = ("name", "left", "right", "gt_scale", "unknown", "disparity_range")


def require_path(said: str | None, name: str) -> None:
    """Raise ``ValueError`` if a text cannot be the path of a file."""
    if said is not None and (not said or "\0" in said):
        raise WrongValue(f"{name} must be the path of a file (got {said[:100]!r})", place_of(name))


def require_scale(scale: float | None, name: str) -> None:
    """Raise ``ValueError`` if the scale of a truth is not within ``SCALES``."""
    least, most = SCALES
    if scale is not None and not least <= scale <= most:
        raise WrongValue(f"{name} must be in [{least:g}, {most:g}] (got {scale:g})", place_of(name))


@dataclass(frozen=True)
class ListedPair:
    """The views of a pair that a manifest lists, with or without ground truth.

    Attributes:
        truth: None without ground truth.
        disparities, min_disparity: as in ``PairFiles``.
    """

    name: str
    left: Path
    right: Path
    truth: TruthFiles | None = None
    disparities: int | None = None
    min_disparity: int = 0


def read_listed(path: Path) -> tuple[str, tuple[ListedPair, ...]]:
    """Read the convention and the pairs of a manifest, those without ground truth included.

    Raises:
        OSError, ValueError: as ``read_manifest``.
    """
    return _read(path, _listed, _older_listed)


def _listed(folder: Path, pair: ManifestEntry, where: str) -> ListedPair:
    add_inputs(folder / file for file in (pair.truth, pair.truth_right, pair.mask) if file)
    truth = _files(folder, pair, where).files if pair.truth else None
    views = folder / pair.left, folder / pair.right
    return ListedPair(_name(pair), *views, truth, pair.disparities, pair.min_disparity)


def _older_listed(parent: Path, pair: OlderEntry, where: str) -> ListedPair:
    _require(pair, OLDER_NEEDS[:3], where)
    folder = parent / pair["name"]
    views = folder / pair["left"], folder / pair["right"]
    add_inputs(folder / str(pair.get(key)) for key in ("gt", "gt_right") if pair.get(key))
    complete = pair.get("gt") and all(name in pair for name in OLDER_NEEDS)
    truth = _older_files(parent, pair, where).files if complete else None
    return ListedPair(label(pair["name"]), *views, truth, pair.get("disparity_range"))


def read_manifest(path: Path) -> tuple[str, tuple[PairFiles, ...]]:
    """Read the convention and the pairs with ground truth of a manifest.

    Returns:
        The convention that it names, empty if it names none, and its pairs with ground truth.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not a manifest; the message names the pair, the field and the line.
    """
    return _read(path, _files, _older_files, judged=True)


def _read(
    path: Path,
    made: Callable[[Path, ManifestEntry, str], Pair],
    older: Callable[[Path, OlderEntry, str], Pair],
    *,
    judged: bool = False,
) -> tuple[str, tuple[Pair, ...]]:
    """Read a manifest; return its convention, and its pairs converted by ``made`` or ``older``.

    Args:
        judged: whether pairs of the older format that have no truth are left out.
    """
    text, form = read_text(path), form_of(path)
    try:
        document = parsed(text, form)
    except ValueError as error:
        raise ValueError(f"{path}: neither a folder nor a manifest ({error})") from None
    try:
        if isinstance(document, list):
            entries = enumerate(typed(list[OlderEntry], document, ""))
            kept = [(n, pair) for n, pair in entries if pair.get("gt") or not judged]
            return "", tuple(older(path.parent, pair, f"[{n}]") for n, pair in kept)
        found: Manifest = typed(Manifest, document, "")
        if convention := found.get("convention", ""):
            one_of(convention, CONVENTIONS, "convention")
        numbered = enumerate(found["pairs"])
        pairs = tuple(made(path.parent, entry, f"pairs[{n}]") for n, entry in numbered)
    except ValueError as error:
        raise ValueError(f"{path}: {located(error, text, form)}") from None
    return convention, pairs


def pairs_by_left(path: Path) -> Mapping[Path, PairFiles]:
    """Map the resolved left images of a manifest to its pairs; empty if it is not a manifest.

    Names such as ``manifest.json`` are common: another program's file is no error here. A manifest
    is read again only after it was changed, because this is called for every image.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return {}
    return _by_left(path, found.st_mtime_ns, found.st_size, found.st_ino)


@lru_cache(maxsize=8)
def _by_left(path: Path, *version: int) -> Mapping[Path, PairFiles]:
    try:
        _, entries = read_manifest(path)
    except (OSError, ValueError):
        return {}
    # Not by resolve(), which raises where links go in a loop. Of an image's pairs the first counts.
    return {Path(os.path.realpath(entry.left)): entry for entry in reversed(entries)}


def _name(pair: ManifestEntry) -> str:
    """Return the name of a pair: its own, else that of the left image's folder or of the image."""
    left = Path(pair.left)
    return label(pair.name or left.parent.name or left.stem)


def _files(folder: Path, pair: ManifestEntry, where: str) -> PairFiles:
    """Return the files of a pair; ``folder`` is the manifest's."""
    if pair.truth is None:
        raise WrongValue(f"{where} lacks truth", place_of(where))
    return PairFiles(
        _name(pair),
        folder / pair.left,
        folder / pair.right,
        folder / pair.truth,
        scale=pair.scale,
        unknown=pair.unknown,
        truth_right=folder / pair.truth_right if pair.truth_right else None,
        mask=folder / pair.mask if pair.mask else None,
        disparities=pair.disparities,
        min_disparity=pair.min_disparity,
    )


def _older_files(parent: Path, pair: OlderEntry, where: str) -> PairFiles:
    """Return the files of an older manifest's pair; raise ``ValueError`` for a missing field."""
    _require(pair, OLDER_NEEDS, where)
    require_scale(pair["gt_scale"], f"{where}.gt_scale")
    folder, right, unknown = parent / pair["name"], pair.get("gt_right"), pair["unknown"]
    return PairFiles(
        label(pair["name"]),
        folder / pair["left"],
        folder / pair["right"],
        folder / str(pair["gt"]),
        scale=pair["gt_scale"],
        unknown=unknown if type(unknown) is int else 0,
        truth_right=folder / right if right else None,
        disparities=pair["disparity_range"],
    )


def _require(pair: OlderEntry, needed: Sequence[str], where: str) -> None:
    """Raise ``ValueError`` if a pair lacks a needed field, or has an invalid file name."""
    if lacking := [name for name in needed if name not in pair]:
        raise WrongValue(f"{where} lacks {', '.join(lacking)}", place_of(where))
    for name in ("name", "left", "right", "gt", "gt_right"):
        require_path(pair.get(name), f"{where}.{name}")  # type: ignore[arg-type]
