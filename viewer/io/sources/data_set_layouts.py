"""Declare how the folders of stereo data sets are laid out: views, ground truth and range."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wheatstone.viewer.io.sources.listing import SUFFIXES, folders_in, images_in
from wheatstone.viewer.io.sources.sides import ordered, partner, sided


@dataclass(frozen=True)
class FolderLayout:
    """A data set whose left and right views lie in folders of their own.

    Attributes:
        name: of the data set.
        left, right: the folders below that of the data set; ``*`` stands for any one folder,
            ``**`` for any number of them, with equal names on both sides.
        truth: what replaces the first folder of ``left`` in the paths of ground truth, and in the
            names of its files; empty: there is none, or ``truth_places`` knows its place.
        suffix: of ground truth; empty: that of the images.
        scale: stored values per pixel of ground truth in 16 bits; None: the usual ones.
        zero: the stored value of disparity 0; 0 where there is no ground truth.
        packed: whether disparities are stored in the three channels of a colour PNG.
        disparities: how many to search; None: the data set does not say.
        marks: files in the data set's folder, one of which must exist; empty: none need to.
    """

    name: str
    left: str
    right: str
    truth: str = ""
    suffix: str = ""
    scale: float | None = None
    zero: int = 0
    packed: bool = False
    disparities: int | None = None
    marks: tuple[str, ...] = ()


def _passes(*names: str) -> Iterator[FolderLayout]:
    for name in names:
        views = f"{name}/**/left", f"{name}/**/right"
        yield FolderLayout("Scene Flow", *views, "disparity", ".pfm", disparities=192)


ODOMETRY = "times.txt", "calib.txt"
FOLDER_LAYOUTS = (
    FolderLayout("KITTI odometry", "image_2", "image_3", marks=ODOMETRY),
    FolderLayout("KITTI odometry", "image_0", "image_1", marks=ODOMETRY),
    FolderLayout("KITTI 2015", "image_2", "image_3"),
    FolderLayout("KITTI 2012", "colored_0", "colored_1"),
    FolderLayout("KITTI", "image_0", "image_1"),
    FolderLayout("KITTI raw, colour", "image_02/data", "image_03/data"),
    FolderLayout("KITTI raw, grey", "image_00/data", "image_01/data"),
    FolderLayout("EuRoC or TUM-VI", "mav0/cam0/data", "mav0/cam1/data"),
    FolderLayout("EuRoC or TUM-VI", "cam0/data", "cam1/data"),
    FolderLayout("two cameras", "cam0", "cam1"),
    *(
        FolderLayout("Sintel", f"{kind}_left/*", f"{kind}_right/*", "disparities", packed=True)
        for kind in ("clean", "final")
    ),
    *_passes("frames_cleanpass", "frames_finalpass"),
    *(
        FolderLayout(
            "DrivingStereo",
            f"left-image-{size}-size{below}",
            f"right-image-{size}-size{below}",
            f"disparity-map-{size}-size",
            ".png",
            scale,
        )
        for size, scale in (("half", 256), ("full", 128))
        for below in ("", "/*")
    ),
    *(
        FolderLayout(
            "Cityscapes", f"leftImg8bit/{below}", f"rightImg8bit/{below}", "disparity", zero=1
        )
        for below in ("*/*", "*")
    ),
)
"""The layouts, of which the first that fits counts."""
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
        for layout in FOLDER_LAYOUTS:
            if found := list(_matching(folder / part, layout)):
                return f"{layout.name}: {layout.left}, {layout.right}", found
    lefts, rights = sided(folders_in(folder))
    for left in lefts:
        for right in rights:
            if images_in(left) and images_in(right):
                plain = left.name.lower() == "left"
                return "" if plain else f"{left.name}, {right.name}", [(left, right)]
    return "", []


def _matching(folder: Path, layout: FolderLayout) -> Iterator[tuple[Path, Path]]:
    """Yield the folders of both views of every sequence of a layout."""
    if layout.marks and not any((folder / name).is_file() for name in layout.marks):
        return
    for left in sorted(folder.glob(layout.left)):
        right = _counterpart(left, layout.left, layout.right)
        if right and right.is_dir() and left.is_dir() and images_in(left):
            yield left, right


def _counterpart(folder: Path, one: str, other: str) -> Path | None:
    """Return the folder of the other view of a folder; None if it does not have the name ``one``.

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
    """Find the other view of an image, in its folder or the folder for it; the left one first."""
    if other := partner(image):
        return ordered((image, other))
    return other_view(image) if image.suffix.lower() in SUFFIXES else None


def other_view(image: Path) -> tuple[Path, Path] | None:
    """Find the other view of an image in the folder for it; return both, the left one first."""
    folder = image.absolute().parent
    for layout in (*FOLDER_LAYOUTS, FolderLayout("", "left", "right")):
        sides = layout.left, layout.right
        for one, other in (sides, sides[::-1]):
            there = _counterpart(folder, one, other)
            changed = image.name.replace(Path(one).parts[0], Path(other).parts[0])
            for name in dict.fromkeys((image.name, changed)):
                if there and (found := there / name).is_file():
                    return (image, found) if one == layout.left else (found, image)
    return None


def layout_of(left: Path) -> tuple[FolderLayout, Path] | None:
    """Find the layout with ground truth that an image belongs to, and the truth's path."""
    parts = left.absolute().parts
    for layout in FOLDER_LAYOUTS:
        begin = layout.left.partition("/")[0]
        if layout.truth and begin in parts[:-1]:
            at = len(parts) - 1 - parts[::-1].index(begin)
            stem = left.stem.replace(begin, layout.truth)
            truth = Path(*parts[:at], layout.truth, *parts[at + 1 : -1], stem)
            return layout, truth.with_name(truth.name + (layout.suffix or left.suffix))
    return None
