"""Where frames come from: image files, folders and the built-in scenes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # reads files, which needs more than a frame does
    from viewer.sources.calibration import Calibration

LARGEST = 8192
"""The largest height or width a source serves, in pixels."""

SCENES = ("orbit", "corridor", "garden")
"""The built-in scenes; the first is the default."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One stereo frame. The arrays may be shared between calls: read them, never write.

    Attributes:
        left: (H, W) gray levels or (H, W, 3) RGB.
        right: like ``left`` and of the same height and width; None for a single image.
        index: position in the source, from 0.
        truth: (H, W) exact disparity of the left view in pixels, NaN where unknown; None without
            ground truth.
        occluded: (H, W), True where the right view cannot see the left pixel; None when that is
            not known.
        calibration: what makes depths of disparities; None when that is not known.
    """

    left: NDArray[np.uint8]
    right: NDArray[np.uint8] | None
    index: int
    truth: NDArray[np.float32] | None = None
    occluded: NDArray[np.bool_] | None = None
    calibration: "Calibration | None" = None


class Source(Protocol):
    """A still, a sequence or a scene, opened.

    Attributes:
        name: short, for the window's title and the status line.
        height, width: of every frame, in pixels.
        length: number of frames; 1 for a still.
        rate: frames per second it wants to be played at; 0 for a still.
        notes: one-line remarks for the user, such as "left.png: 16-bit scaled to 8 bits (value //
            257)".
        recipe: what reopens it; strings and whole numbers only, so that TOML can hold it.
    """

    name: str
    height: int
    width: int
    length: int
    rate: float
    notes: tuple[str, ...]
    recipe: Mapping[str, str | int]

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` modulo ``length``, computing or reading it when it is not ready.

        Raises:
            OSError, ValueError: a file of a sequence cannot be read or does not fit the others.
        """

    def ready(self, index: int) -> bool:
        """Return whether ``frame(index)`` would return at once."""

    def close(self) -> None:
        """Stop reading ahead; the source serves no frame after this."""


def open_source(
    left: str | None,
    right: str | None = None,
    *,
    size: tuple[int, int] | None = None,
    scene: str = SCENES[0],
    seed: int = 0,
    calibration: str | None = None,
    truth: str | None = None,
    truth_scale: float | None = None,
) -> Source:
    """Open image files, folders or, without ``left``, a built-in scene.

    Args:
        left: an image, or a folder; None for the built-in scene.
        right: the right image or folder; None for a single image or a folder that holds both views.
        size: (width, height) of the built-in scene in pixels, 640x480 unless told; files keep
            their own.
        scene: one of ``SCENES``.
        seed: changes layout, colours and textures of the scene; 0 or more.
        calibration: the file of all frames' calibration; without it, ``calib.txt`` beside a left
            image is that image's. The scene knows its own.
        truth: the file of a pair's ground truth; without it, what lies where data sets put it.
        truth_scale: stored values per pixel of disparity in it, where it does not say.

    Raises:
        FileNotFoundError, OSError: a path is missing or cannot be read.
        ValueError: what was found cannot be used. Every message is one line for the user.
    """
    if left is None and right is not None:
        raise ValueError(f"a right image needs a left one (got only {right}); give LEFT RIGHT")
    if left is None and calibration is not None:
        raise ValueError(f"the built-in scene knows its calibration (got {calibration})")
    if truth is not None and (right is None or Path(str(left)).is_dir()):
        raise ValueError(f"ground truth in a file goes with two images: give LEFT RIGHT ({truth})")
    if left is None:
        from viewer.sources.scene import SceneSource

        return SceneSource(scene, seed, size or (640, 480))
    _require_same_kind(left, right)
    if Path(left).is_dir():
        from viewer.sources.folder import FolderSource

        return FolderSource(left, right, calibration, truth_scale)
    from viewer.sources.files import StillSource

    return StillSource(left, right, calibration, truth, truth_scale)


def said_beside(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a recipe or a command line says of files besides the images, for ``open_source``."""
    found = {name: said.get(name) for name in ("calibration", "truth")}
    scale = said.get("truth_scale")
    return {**found, "truth_scale": None if scale is None else float(scale)}


def _require_same_kind(left: str, right: str | None) -> None:
    for path in (left, right):
        if path is not None and not Path(path).exists():
            raise FileNotFoundError(f"{path}: no such file or folder; check the path")
    if right is not None and Path(left).is_dir() != Path(right).is_dir():
        folder, file = (left, right) if Path(left).is_dir() else (right, left)
        raise ValueError(
            f"{folder} is a folder but {file} is a file; give two images or two folders"
        )
