"""What a user says of images beside where they are: calibration, layout, truth, rectifying."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheatstone.viewer.footage.capture import AS_IT_COMES, Capture, capture_of
from wheatstone.viewer.footage.capture import WORDS as OF_CAPTURE
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.sources.calibrated import NOTHING_GIVEN, WORDS, GivenCalibration

BESIDE = (
    *(*WORDS[:2], "decoding", "layout", "rectify", "truth", "truth_scale"),
    *OF_CAPTURE,
)
"""The words of that, each an option, too."""


DECODING = ("gpu", "software")
"""Who decodes videos: a GPU what it can, and the CPU the rest; or the CPU everything."""


@dataclass(frozen=True)
class Said:
    """What is known of images because the user said it.

    Attributes:
        calibration: of all frames; without files, ``calib.txt`` beside a left image is that
            image's. A built-in scene knows its own, but may be seen as a rig would see it.
        decoding: who decodes videos, one of ``DECODING``; None: the first.
        layout: where the views lie in the pictures, one of ``LAYOUTS``; None: it is found out.
        rectify: how pairs are rectified: ``auto``, by their features; ``off`` or None: not at all,
            or as their calibration says.
        truth: the file of a pair's ground truth; None: what lies where data sets put it.
        truth_scale: stored values per pixel of disparity, for truth that does not say.
        capture: what a camera is asked for.
    """

    calibration: GivenCalibration = NOTHING_GIVEN
    layout: str | None = None
    rectify: str | None = None
    truth: str | None = None
    truth_scale: float | None = None
    decoding: str | None = None
    capture: Capture = AS_IT_COMES

    @property
    def recipe(self) -> Mapping[str, str]:
        """Write down what says the same again; raises errors as ``GivenCalibration.recipe``."""
        words = {
            "decoding": self.decoding,
            "layout": self.layout,
            "rectify": self.rectify,
            "truth": str(resolved(self.truth)) if self.truth else None,
            "truth_scale": f"{self.truth_scale:g}" if self.truth_scale is not None else None,
        }
        given = {name: said for name, said in words.items() if said}
        return {**self.calibration.recipe, **given, **self.capture.recipe}


NOTHING_SAID = Said()


def said_beside(said: Mapping[str, Any]) -> Said:
    """Pick what is said beside where images are from a recipe's source, or from options.

    Raises:
        ValueError: a second file of a calibration without the first; or what no camera delivers.
    """
    first, second, digest = (said.get(name) for name in WORDS)
    if second and not first:
        raise ValueError(f"the right camera's calibration goes with the left one's ({second})")
    files = tuple(str(file) for file in (first, second) if file)
    scale = said.get("truth_scale")
    return Said(
        GivenCalibration(files, str(digest or "")),
        said.get("layout"),
        said.get("rectify"),
        said.get("truth"),
        None if scale is None else float(scale),
        said.get("decoding"),
        capture_of(said),
    )
