"""Ground truth of a left view: where it lies, how its file holds it, and what the right view sees.

Where published data sets put it is known here alone; ``viewer.evaluate`` reads the same.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.metrics import Mask, not_covered, seen_by_both
from viewer.sources.images import read_bytes, read_image
from viewer.sources.value_files import KITTI_STEPS, Coding, read_values

SEEN = 255  # in a mask, of a pixel that both views see
MASK = "mask0nocc.png"
KITTI_TRUTHS = (("disp_occ_0", "disp_noc_0"), ("disp_occ", "disp_noc"))
FLOAT_TRUTHS = (("disp0.pfm", "disp1.pfm"), ("disp0GT.pfm", "disp1GT.pfm"))
OURS = "disparity.png"
OLD_TRUTHS = ("disp2", "disp6")  # of Middlebury 2001 to 2003, .png or .pgm
MANIFESTS = ("manifest.toml", "manifest.json", "pairs.json")


@dataclass(frozen=True)
class TruthFiles:
    """The files that say what is true of a pair.

    Attributes:
        scale: stored values per pixel of disparity, in a truth of integers; None: what is usual,
            256 for 16 bits and 1 for 8.
        unknown: the stored value in it that means no truth.
        truth_right: the right view's truth, of the same encoding.
        mask: a picture that is 255 where both views see the left view's pixel.
        seen_truth: a truth that is known only where both views see the pixel.
    """

    truth: Path
    scale: float | None = None
    unknown: int = 0
    truth_right: Path | None = None
    mask: Path | None = None
    seen_truth: Path | None = None


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true of a pair.

    Attributes:
        disparity: (H, W) of the left view in pixels, NaN where unknown.
        seen: (H, W) whether both views see the left view's pixel.
    """

    disparity: NDArray[np.float32]
    seen: Mask


def read_truths(files: TruthFiles, shape: tuple[int, ...]) -> Truth:
    """Read what is true of a pair.

    Without a mask, a second truth or the right view's, a pixel counts as seen unless the left
    truth sends a nearer one to the same place.

    Args:
        shape: of the left view, (H, W).

    Raises:
        OSError: a file cannot be read.
        ValueError: a file cannot be understood, or has another size.
    """
    truth = read_truth(files.truth, files.scale, files.unknown)
    require_size(files.truth, truth.shape, shape)
    return Truth(truth, _seen(files, truth))


def read_truth(path: Path, scale: float | None = None, unknown: int = 0) -> NDArray[np.float32]:
    """Read a disparity map in pixels; NaN where unknown.

    PFM, TIFF and NPY hold pixels, not finite where unknown; an NPY is divided by ``scale``. PNG
    and PGM hold integers: ``scale`` times the disparity, ``unknown`` where unknown.

    Args:
        scale: None: 256 for 16 bits (KITTI's), 1 for 8 bits.

    Returns:
        (H, W) disparities of the left view.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is none of these, or truncated.
    """
    eight, sixteen = Coding(scale or 1, unknown), Coding(scale or KITTI_STEPS, unknown)
    pixels = read_values(path, eight, sixteen).pixels
    if path.suffix.lower() == ".npy" and scale:
        pixels = pixels / np.float32(scale)
    return pixels


def _seen(files: TruthFiles, truth: NDArray[np.float32]) -> Mask:
    if files.mask:
        mask = read_image(files.mask).pixels
        require_size(files.mask, mask.shape[:2], truth.shape)
        seen: Mask = np.all(mask.reshape(*truth.shape, -1) == SEEN, axis=2)
        return seen
    other = files.seen_truth or files.truth_right
    if not other:
        return not_covered(truth)
    found = read_truth(other, files.scale, files.unknown)
    require_size(other, found.shape, truth.shape)
    return np.isfinite(found) if files.seen_truth else seen_by_both(truth, found)


def require_size(path: Path, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Raise ``ValueError`` if an image has not the left view's height and width."""
    if shape != expected:
        raise ValueError(
            f"{path}: must have the left image's size {expected[1]}x{expected[0]} "
            f"(found {shape[1]}x{shape[0]})"
        )


def find_truth(left: Path, scale: float | None = None) -> TruthFiles | None:
    """The truth that lies where data sets put it, or where a manifest says; None if there is none.

    Args:
        left: the left image.
        scale: of a truth whose layout does not say it; without it such a truth is not taken.
    """
    return in_manifest(left) or kitti_truth(left.parent.parent, left.name) or _beside(left, scale)


def _beside(left: Path, scale: float | None) -> TruthFiles | None:
    stem, folder = left.stem.lower(), left.parent
    if stem == "im2":
        return old_truth(folder, scale) if scale else None
    if stem == "im0" or stem.startswith("left"):
        return float_truth(folder) or _ours(folder)
    return None


def why_no_truth(left: Path, scale: float | None) -> str:
    """A remark on a truth that lies beside an image but cannot be taken; empty if none does."""
    if find_truth(left, scale):
        return ""
    if left.stem.lower() == "im2" and (lies := old_truth(left.parent, scale)):
        return (
            f"{lies.truth.name} does not say its scale and is left out; give --truth-scale 8 "
            "(Middlebury 2001), 4 (2003, quarter size) or 2 (2003, half size)"
        )
    if left.stem.lower().startswith("left") and (left.parent / OURS).is_file():
        return f"{OURS} is left out: only 16-bit grey, 256 times the disparity, is ground truth"
    return ""


def in_manifest(left: Path) -> TruthFiles | None:
    """What a manifest in the image's folder, or in the one above, says of a pair."""
    from viewer.evaluate.manifest import read_manifest

    image = left.resolve()
    for path in (folder / name for folder in image.parents[:2] for name in MANIFESTS):
        try:
            _, entries = read_manifest(path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # there is none, or it is another program's: these are common names
        for entry in entries:
            if entry.left.resolve() == image:
                return entry.files
    return None


def kitti_truth(folder: Path, name: str) -> TruthFiles | None:
    """KITTI's truth of the frame of this name, in the folder of its folders."""
    for known, seen in KITTI_TRUTHS:
        both = folder / known / name, folder / seen / name
        if both[0].is_file():
            return TruthFiles(both[0], seen_truth=both[1] if both[1].is_file() else None)
    noc = (folder / seen / name for _, seen in KITTI_TRUTHS)
    return next((TruthFiles(path, seen_truth=path) for path in noc if path.is_file()), None)


def float_truth(folder: Path) -> TruthFiles | None:
    """The truth of Middlebury 2014 and 2021, or of ETH3D, in the folder of a pair."""
    for name, right in FLOAT_TRUTHS:
        if (folder / name).is_file():
            found = (p if p.is_file() else None for p in (folder / right, folder / MASK))
            truth_right, mask = found
            return TruthFiles(folder / name, truth_right=truth_right, mask=mask)
    return None


def old_truth(folder: Path, scale: float | None) -> TruthFiles | None:
    """The truth of Middlebury 2001 to 2003, in the folder of a pair."""
    left, right = (
        next((p for s in (".png", ".pgm") if (p := folder / f"{name}{s}").is_file()), None)
        for name in OLD_TRUTHS
    )
    return TruthFiles(left, scale, truth_right=right) if left else None


def _ours(folder: Path) -> TruthFiles | None:
    """A PNG of 16-bit grey as our own scenes have; one of 8 bits is somebody's picture."""
    path = folder / OURS
    if not path.is_file():
        return None
    depth, colour = read_bytes(path)[24:26] or (0, 0)
    return TruthFiles(path) if (depth, colour) == (16, 0) else None
