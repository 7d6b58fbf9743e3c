"""The purposes for which a user chooses a file, and the files that fit each of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from wheatstone.viewer.findings import Effect
from wheatstone.viewer.io.cameras.formats.detection import CALIBRATIONS
from wheatstone.viewer.io.footage.media import SUFFIXES as VIDEOS
from wheatstone.viewer.io.sources.listing import SUFFIXES as IMAGES
from wheatstone.viewer.io.sources.value_files import SUFFIXES as VALUES


@dataclass(frozen=True)
class FileChoice:
    """A purpose for which the user chooses a file, such as opening a video.

    Attributes:
        asks: the name of the entry of the palette that asks for it.
        effect: runs with the chosen files.
        help: a sentence about what fits.
        suffixes: of the files that fit, which are listed first; empty: all fit.
        folders: whether a folder may be chosen.
    """

    asks: str
    effect: Effect
    help: str
    suffixes: tuple[str, ...] = ()
    folders: bool = True

    def fits(self, name: str) -> bool:
        """Return whether the suffix of a file's name suits the purpose."""
        return not self.suffixes or name.lower().endswith(self.suffixes)


OPEN_PATH = "open path ..."
LOAD_TRUTH = "load ground truth ..."
LOAD_CALIBRATION = "load calibration ..."
FILE_CHOICES: Mapping[str, FileChoice] = {
    "path": FileChoice(
        OPEN_PATH,
        ("open",),
        "Images, a folder, a video, settings; a calibration or ground truth of the open pair.",
    ),
    "pair": FileChoice(
        "open pair ...",
        ("open",),
        "The left image, whose right image is found by its name; an image of both views; or a "
        "folder.",
        IMAGES,
    ),
    "right view": FileChoice(
        "choose right view ...",
        ("open",),
        "The right camera's image.",
        IMAGES,
        folders=False,
    ),
    "video": FileChoice(
        "open video ...",
        ("open",),
        "A video with both views in each frame.",
        VIDEOS,
        folders=False,
    ),
    "truth": FileChoice(
        LOAD_TRUTH,
        ("use truth",),
        "A file with the true disparity of every pixel of the open pair.",
        VALUES,
        folders=False,
    ),
    "calibration": FileChoice(
        LOAD_CALIBRATION,
        ("calibrate by",),
        "A calibration of the cameras of the open source.",
        CALIBRATIONS,
        folders=False,
    ),
}
"""All purposes by name."""


def choice_asking(name: str) -> FileChoice | None:
    """Return the file choice that a palette entry asks for; None for any other entry."""
    return next((each for each in FILE_CHOICES.values() if each.asks == name), None)
