"""Find stereo pairs with ground truth: in folders like Middlebury, ETH3D, KITTI, or a manifest."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wheatstone.gpu.analysis.conventions import ETH3D, KITTI, MIDDLEBURY
from wheatstone.viewer.cameras.calibration_files import MIDDLEBURY as CALIBRATION
from wheatstone.viewer.cameras.calibration_files import searched_disparities
from wheatstone.viewer.commands.evaluate.videos import VideoPair, video_pairs
from wheatstone.viewer.footage.media import is_video
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.sources.listing import folders_in, images_in
from wheatstone.viewer.sources.manifest import read_manifest, require_scale
from wheatstone.viewer.sources.pairs import PairFiles
from wheatstone.viewer.sources.truth_places import (
    KITTI_TRUTHS,
    MANIFESTS,
    float_truth,
    kitti_truth,
    old_truth,
)

KITTI_VIEWS = (("image_2", "image_3"), ("colored_0", "colored_1"), ("image_0", "image_1"))
KITTI_DISPARITIES = 128  # the data set does not say how many; few pixels exceed these
LAYOUTS = f"""\
expected {", ".join(MANIFESTS)}; folders with im0, im1 and disp0.pfm (Middlebury 2014, 2021) or
disp0GT.pfm (ETH3D); folders with im2, im6 and disp2 (Middlebury 2001 to 2003); or image_2, image_3
and disp_occ_0 (KITTI)""".replace("\n", " ")


@dataclass(frozen=True)
class ScenePair:
    """A built-in scene as a pair of a data set: its first frame.

    Attributes:
        disparities: number of disparities that the scene's truth needs.
        content: a digest of the pixels.
        min_disparity: the first of the disparities.
        occlusions: the method that determines which pixels both views see.
    """

    name: str
    seed: int
    width: int
    height: int
    disparities: int
    content: str
    min_disparity: int = 0
    occlusions: str = "scene"


@dataclass(frozen=True)
class DataSet:
    """Stereo pairs with ground truth.

    Attributes:
        convention: the name of the default convention for judging the data set.
    """

    name: str
    convention: str
    entries: tuple[PairFiles | ScenePair | VideoPair, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """List the files of all pairs: their views, and their ground truth."""
        found = (() if isinstance(entry, ScenePair) else entry.paths for entry in self.entries)
        return tuple(dict.fromkeys(path for paths in found for path in paths))


def open_data_set(path: Path, scale: float | None = None) -> DataSet:
    """Find the pairs with truth of a folder or a video, or those that a manifest names.

    Args:
        scale: stored values per pixel of disparity, where the layout does not define it.

    Raises:
        OSError: there is no such folder or file.
        ValueError: it contains no pair with truth, or no truth has such a scale.
    """
    require_scale(scale, "scale")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such folder or manifest; check the path")
    if path.is_file() and is_video(str(path)):
        return DataSet(label(path.stem), MIDDLEBURY.name, video_pairs(path, scale))
    manifest = next((path / name for name in MANIFESTS if (path / name).is_file()), None)
    if path.is_file() or manifest:
        file = manifest or path
        convention, entries = read_manifest(file)
        name = resolved(file.parent).name if file.name in MANIFESTS else file.stem
        found = DataSet(label(name), convention or MIDDLEBURY.name, entries)
    else:
        found = _folder(path, scale)
    if not found.entries:
        raise ValueError(f"{path}: no stereo pair with truth; {LAYOUTS}")
    _require_different_names(path, found)
    return found


def _require_different_names(path: Path, found: DataSet) -> None:
    names = Counter(entry.name for entry in found.entries)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"{path}: pairs must have different names (got twice: {min(twice)})")


def _folder(path: Path, scale: float | None) -> DataSet:
    name = label(resolved(path).name)
    for place in (path, path / "training"):
        if kitti := tuple(_kitti(place)):
            return DataSet(name, KITTI.name, kitti)
    places = [path, *folders_in(path)]
    new = tuple(entry for place in places if (entry := _im0_im1(place)))
    if new:
        middlebury = all(entry.truth.name == "disp0.pfm" for entry in new)
        return DataSet(name, (MIDDLEBURY if middlebury else ETH3D).name, new)
    old = tuple(entry for place in places if (entry := _im2_im6(place, scale)))
    return DataSet(name, MIDDLEBURY.name, old)


def _kitti(folder: Path) -> Iterator[PairFiles]:
    views = next((v for v in KITTI_VIEWS if all((folder / name).is_dir() for name in v)), None)
    truths = next((t for t in KITTI_TRUTHS if (folder / t[0]).is_dir()), None)
    if not views or not truths:
        return
    for truth in images_in(folder / truths[0]):
        left, right = (folder / view / truth.name for view in views)
        if files := kitti_truth(folder, truth.name):
            name = label(truth.stem)
            yield PairFiles(name, left, right, **vars(files), disparities=KITTI_DISPARITIES)


def _im0_im1(folder: Path) -> PairFiles | None:
    images = {path.stem: path for path in images_in(folder)}
    files = float_truth(folder)
    if not files or not {"im0", "im1"} <= images.keys():
        return None
    name, disparities = label(resolved(folder).name), calibrated_disparities(folder / CALIBRATION)
    return PairFiles(name, images["im0"], images["im1"], **vars(files), disparities=disparities)


def _im2_im6(folder: Path, scale: float | None) -> PairFiles | None:
    images = {path.stem: path for path in images_in(folder)}
    files = old_truth(folder, scale)
    if not files or not {"im2", "im6"} <= images.keys():
        return None
    if scale is None:
        raise ValueError(
            f"{folder}: disp2 does not say its scale; give --scale 8 (Middlebury 2001), 4 (2003, "
            "quarter size) or 2 (2003, half size), or write a manifest"
        )
    return PairFiles(
        label(resolved(folder).name),
        images["im2"],
        images["im6"],
        **vars(files),
        disparities=256 // int(scale) if scale >= 1 else None,
    )


def calibrated_disparities(path: Path) -> int | None:
    """Read the number of disparities to search from a ``calib.txt``; None if it is not given.

    Raises:
        OSError, ValueError: the file cannot be read, or is damaged.
    """
    return searched_disparities(path) if os.path.isfile(path) else None
