"""Reading of manifests: TOML or JSON files that list the pairs of a data set and their paths.

``docs/sources.md`` describes the fields, which ``ManifestEntry`` declares. A ``pairs.json`` that
is a list has an older format: every pair has a folder of its name, and
``gt``, ``gt_scale``, ``gt_right`` and ``disparity_range`` stand for ``truth``, ``scale``,
``truth_right`` and ``disparities``.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.viewer.io.reading.documents import form_of, located, parsed, read_text
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.reading.typed_values import WrongValue, one_of, place_of, typed
from wheatstone.viewer.io.sources.truth import TruthFiles

SCALES = (0.001, 65536.0)
"""Smallest scale: a stored step is 1000 pixels. Largest scale: 16 bits span one pixel."""


@dataclass(frozen=True)
class ManifestEntry:
    """The fields of a pair in a manifest, as they are written there."""

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
            problem = f"disparities must exceed 0 (got {self.disparities})"
            raise WrongValue(problem, ("disparities",))


class Manifest(TypedDict):
    """The content of a manifest, a file that lists the pairs of a data set."""

    convention: NotRequired[str]
    pairs: list[ManifestEntry]


class OlderEntry(TypedDict, total=False):
    """A pair listed in the older format, ``pairs.json``; the ground truth may be missing."""

    name: str
    left: str
    right: str
    gt: str | None
    gt_scale: float | None
    unknown: Any  # -1, 0, or words such as "inf" where the truth holds floats
    gt_right: str | None
    disparity_range: int | None


OLDER_NEEDS = ("name", "left", "right", "gt_scale", "unknown", "disparity_range")


def require_path(path: str | None, name: str) -> None:
    """Raise ``ValueError`` if a text cannot be the path of a file."""
    if path is not None and (not path or "\0" in path):
        raise WrongValue(f"{name} must be the path of a file (got {path[:100]!r})", place_of(name))


def require_scale(scale: float | None, name: str) -> None:
    """Raise ``ValueError`` if the scale of a ground truth is not within ``SCALES``."""
    least, most = SCALES
    if scale is not None and not least <= scale <= most:
        raise WrongValue(f"{name} must be in [{least:g}, {most:g}] (got {scale:g})", place_of(name))


@dataclass(frozen=True)
class ListedPair:
    """A pair of images that a manifest lists, with or without ground truth.

    Attributes:
        truth: None without ground truth.
        disparities: number of disparities to search; None: not given.
        min_disparity: the first disparity to search.
    """

    name: str
    left: Path
    right: Path
    truth: TruthFiles | None = None
    disparities: int | None = None
    min_disparity: int = 0


def read_manifest(path: Path, *, judged: bool = True) -> tuple[str, tuple[ListedPair, ...]]:
    """Read a manifest: the name of its convention for measuring errors, and its pairs.

    Args:
        judged: whether every pair needs ground truth; those of the older format that have none are
            skipped.

    Returns:
        The convention that it names, empty if it names none, and its pairs.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not a manifest; the message names the pair, the field and the line.
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
            pairs = [_older_pair(path.parent, pair, f"[{n}]", judged=judged) for n, pair in kept]
            return "", tuple(pairs)
        manifest: Manifest = typed(Manifest, document, "")
        if convention := manifest.get("convention", ""):
            one_of(convention, CONVENTIONS, "convention")
        numbered = enumerate(manifest["pairs"])
        pairs = [_pair(path.parent, pair, f"pairs[{n}]", judged=judged) for n, pair in numbered]
    except ValueError as error:
        raise ValueError(f"{path}: {located(error, text, form)}") from None
    return convention, tuple(pairs)


def pairs_by_left(path: Path) -> Mapping[Path, ListedPair]:
    """Return a manifest's pairs by the paths of their left images; empty for other files.

    Names such as ``manifest.json`` are common: another program's file is no error here. A manifest
    is read again only after it was changed, because this is called for every image.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return {}
    return _by_left(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=8)
def _by_left(path: Path, *version: int) -> Mapping[Path, ListedPair]:
    try:
        _, entries = read_manifest(path)
    except (OSError, ValueError):
        return {}
    # Not by resolve(), which raises where links go in a loop. Of an image's pairs the first counts.
    return {Path(os.path.realpath(entry.left)): entry for entry in reversed(entries)}


def _name(pair: ManifestEntry) -> str:
    """Return the name of a pair: as given, else from the left image's folder or file name."""
    left = Path(pair.left)
    return label(pair.name or left.parent.name or left.stem)


def _pair(folder: Path, pair: ManifestEntry, where: str, *, judged: bool) -> ListedPair:
    """Convert a manifest's entry to a pair; raise ``ValueError`` without needed ground truth."""
    files = None
    if pair.truth:
        right = folder / pair.truth_right if pair.truth_right else None
        mask = folder / pair.mask if pair.mask else None
        files = TruthFiles(folder / pair.truth, pair.scale, pair.unknown, right, mask)
    elif judged:
        raise WrongValue(f"{where} lacks truth", place_of(where))
    if files and not judged:
        add_inputs(files.paths)
    views = folder / pair.left, folder / pair.right
    return ListedPair(_name(pair), *views, files, pair.disparities, pair.min_disparity)


def _older_pair(parent: Path, pair: OlderEntry, where: str, *, judged: bool) -> ListedPair:
    """Convert an entry in the older format to a pair; raise ``ValueError`` for missing fields."""
    _require(pair, OLDER_NEEDS if judged else OLDER_NEEDS[:3], where)
    folder, files = parent / pair["name"], None
    if (truth := pair.get("gt")) and all(name in pair for name in OLDER_NEEDS):
        require_scale(pair["gt_scale"], f"{where}.gt_scale")
        right, unknown = pair.get("gt_right"), pair["unknown"]
        files = TruthFiles(
            folder / truth,
            pair["gt_scale"],
            unknown if type(unknown) is int else 0,
            folder / right if right else None,
        )
    if not judged:
        add_inputs(folder / str(pair.get(key)) for key in ("gt", "gt_right") if pair.get(key))
    views = folder / pair["left"], folder / pair["right"]
    return ListedPair(label(pair["name"]), *views, files, pair.get("disparity_range"))


def _require(pair: OlderEntry, needed: Sequence[str], where: str) -> None:
    """Raise ``ValueError`` if a manifest's entry lacks a needed field, or has a wrong file name."""
    if lacking := [name for name in needed if name not in pair]:
        raise WrongValue(f"{where} lacks {', '.join(lacking)}", place_of(where))
    for name in ("name", "left", "right", "gt", "gt_right"):
        require_path(pair.get(name), f"{where}.{name}")  # type: ignore[arg-type]
