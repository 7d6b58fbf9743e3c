"""Search for the views and the ground truth of public data sets by their declared layouts."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.io.sources.data_sets import (
    FOLDER_LAYOUTS,
    KITTI_2012,
    KITTI_2015,
    PAIR_LAYOUTS,
    DataSet,
    FolderLayout,
    PairLayout,
    TruthFolder,
)
from wheatstone.viewer.io.sources.listing import SUFFIXES, folders_in, images_in
from wheatstone.viewer.io.sources.sides import ordered, partner, sided
from wheatstone.viewer.io.sources.truth import TruthFiles

TRAINING = ("", "training")
"""The folders of a data set, one of which holds those of its views."""


def view_folders(folder: Path) -> tuple[str, list[tuple[Path, Path]]]:
    """Find the folders of the left and right views in a data set's folder.

    Returns:
        The layout's name, and the folders of both views, of every sequence; no folders if no
        layout fits. Folders whose names say left and right are a layout without a name.

    Raises:
        OSError: a folder cannot be listed.
    """
    for part in TRAINING:
        for data_set, layout in FOLDER_LAYOUTS:
            if pairs := list(_matching(folder / part, layout)):
                return f"{data_set.name}: {layout.left}, {layout.right}", pairs
    lefts, rights = sided(folders_in(folder))
    for left in lefts:
        for right in rights:
            if images_in(left) and images_in(right):
                plain = left.name.lower() == "left"
                return "" if plain else f"{left.name}, {right.name}", [(left, right)]
    return "", []


def _matching(folder: Path, layout: FolderLayout) -> Iterator[tuple[Path, Path]]:
    """Yield the folders of left and right views of every sequence that fits a layout."""
    if layout.marks and not any((folder / name).is_file() for name in layout.marks):
        return
    for left in sorted(folder.glob(layout.left)):
        right = _counterpart(left, layout.left, layout.right)
        if right and right.is_dir() and left.is_dir() and images_in(left):
            yield left, right


def _counterpart(folder: Path, one: str, other: str) -> Path | None:
    """Return the folder of the other view; None unless the given folder fits the pattern ``one``.

    Args:
        one, other: the names of both folders, as ``FolderLayout`` has them.
    """
    parts, names, others = folder.parts, Path(one).parts, Path(other).parts
    if "**" in names:
        first, _, last = names
        if first not in parts[:-1] or parts[-1] != last:
            return None
        at = len(parts) - 1 - parts[::-1].index(first)
        return Path(*parts[:at], others[0], *parts[at + 1 : -1], others[-1])
    end = parts[-len(names) :]
    if len(end) < len(names) or any(n not in ("*", e) for n, e in zip(names, end, strict=True)):
        return None
    changed = (e if o == "*" else o for o, e in zip(others, end, strict=True))
    return Path(*parts[: -len(names)], *changed)


def pair_of(image: Path) -> tuple[Path, Path] | None:
    """Return an image and its other view, the left one first; None without another view."""
    if other := partner(image):
        return ordered((image, other))
    return other_view(image) if image.suffix.lower() in SUFFIXES else None


def other_view(image: Path) -> tuple[Path, Path] | None:
    """Return an image and its other view in the corresponding folder, the left one first.

    None if there is no such file.
    """
    folder = image.absolute().parent
    for layout in (*(layout for _, layout in FOLDER_LAYOUTS), FolderLayout("left", "right")):
        sides = layout.left, layout.right
        for one, other in (sides, sides[::-1]):
            there = _counterpart(folder, one, other)
            changed = image.name.replace(Path(one).parts[0], Path(other).parts[0])
            for name in dict.fromkeys((image.name, changed)):
                if there and (candidate := there / name).is_file():
                    return (image, candidate) if one == layout.left else (candidate, image)
    return None


@lru_cache(maxsize=256)  # asked for every image of a folder
def _below(folder: Path, pattern: str) -> tuple[Path, tuple[str, ...]] | None:
    """Split the path of a folder of left views into the data set's folder and names below it."""
    parts, names = folder.parts, Path(pattern).parts
    if _counterpart(folder, pattern, pattern) is None:
        return None
    at = len(parts) - len(names)
    if "**" in names:
        at = len(parts) - 1 - parts[::-1].index(names[0])
    elif names[0] == "*":  # each sequence has a layout of its own
        at += next(n for n, name in enumerate(names) if name != "*")
    return Path(*parts[:at]), parts[at:]


def folder_layout_of(left: Path) -> tuple[DataSet, FolderLayout] | None:
    """Return the data set and layout whose folders of left views may contain an image, or None."""
    for data_set, layout, marks in _possible_layouts(left.absolute().parent):
        if not marks or any(map(os.path.isfile, marks)):
            return data_set, layout
    return None


@lru_cache(maxsize=256)
def _possible_layouts(folder: Path) -> list[tuple[DataSet, FolderLayout, list[Path]]]:
    """List the layouts that fit a folder of left views, each with files of which one must exist."""
    return [
        (data_set, layout, [below[0] / mark for mark in layout.marks])
        for data_set, layout in FOLDER_LAYOUTS
        if (below := _below(folder, layout.left))
    ]


def pair_layout_of(left: Path) -> tuple[DataSet, PairLayout] | None:
    """Return the data set and layout of a left image with ground truth in its folder, or None."""
    folder = left.absolute().parent
    for data_set, layout in PAIR_LAYOUTS:
        fits = not layout.within or any(fnmatchcase(folder.parent.name, w) for w in layout.within)
        if fits and left.stem == layout.left and (truth_folder(folder) / layout.truth).is_file():
            return data_set, layout
    return None


def data_set_of(left: Path) -> DataSet | None:
    """Return the data set that a left image with ground truth belongs to; None if unknown."""
    if pair_layout := pair_layout_of(left):
        return pair_layout[0]
    kitti = next((s for s, truth in KITTI_TRUTHS if truth_files(truth, *_kitti(left), left)), None)
    if kitti:
        return kitti
    layout = folder_layout_of(left)
    return layout[0] if layout and layout[1].truth else None


def truth_folder(folder: Path) -> Path:
    """Return the folder of a pair's ground truth: a separate one for ETH3D, else the pair's own."""
    separate = folder.parent.with_name(f"{folder.parent.name}_gt") / folder.name
    return separate if folder.parent.name and separate.is_dir() else folder


KITTI_TRUTHS = tuple(
    (data_set, layout.truth)
    for data_set, layout in FOLDER_LAYOUTS
    if data_set in (KITTI_2015, KITTI_2012) and layout.truth
)


def _kitti(left: Path) -> tuple[Path, tuple[str, ...]]:
    """Return for a left image of KITTI the data set's folder, and the image folder's name."""
    folder = left.absolute().parent
    return folder.parent, (folder.name,)


def folder_truth(left: Path) -> TruthFiles | None:
    """Find the ground truth of an image in the folders of its data set; None if it is absent."""
    for _, truth in KITTI_TRUTHS:
        if files := truth_files(truth, *_kitti(left), left):
            return files
    if not (folder := folder_layout_of(left)) or not folder[1].truth:
        return None
    below = _below(left.absolute().parent, folder[1].left)
    return truth_files(folder[1].truth, *below, left) if below else None


def _file(*parts: str | Path) -> Path | None:
    """Join the parts of a path; return None if the file does not exist."""
    path = os.path.join(*parts)
    return Path(path) if os.path.isfile(path) else None


def truth_files(
    truth: TruthFolder, root: Path, below: tuple[str, ...], left: Path
) -> TruthFiles | None:
    """Return the existing files of an image's ground truth; None if there are none.

    Args:
        root: the folder of the data set.
        below: the folders of the image below it.
    """

    def named(folder: str, suffix: str = "") -> Path | None:
        name = f"{left.stem.replace(below[0], folder)}{suffix or left.suffix}"
        return _file(root, folder, *below[1:], name) if folder else None

    def beside(name: str) -> Path | None:
        return _file(root, *below[:-1], name) if name else None

    seen = named(truth.seen)
    known = beside(truth.file) or named(truth.name, truth.suffix) or seen
    if not known:
        return None
    hidden = tuple(path for each in truth.hidden if (path := named(each)))
    return TruthFiles(
        known,
        truth.scale,
        zero=truth.zero,
        packed=truth.packed,
        seen_truth=seen,
        mask=beside(truth.mask),
        hidden=hidden,
        objects=named(truth.objects),
        positive=truth.positive,
    )
