"""Search for the ground truth of a video's frames: a folder with files named by frame number."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from wheatstone.viewer.sources.listing import files_in
from wheatstone.viewer.sources.truth import TruthFiles
from wheatstone.viewer.sources.value_files import SUFFIXES

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
    found = {int(number[1]): TruthFiles(path, scale) for number, path in numbered if number}
    if folder and not found:
        said = f"no ground truth; names end in the frame's number, such as 000012{SUFFIXES[0]}"
        raise ValueError(f"{folder}: {said}")
    return found
