"""Options that a user gives for images: calibration, layout, ground truth, rectification."""

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
"""The recipe entries of these options, each an option of the command line, too."""


DECODING = ("gpu", "software")
"""Decoder of videos: the GPU where it can and else the CPU, or always the CPU."""


@dataclass(frozen=True)
class Said:
    """The options that the user gave for images.

    Attributes:
        calibration: of all frames; without files, ``calib.txt`` next to a left image is that
            image's. A built-in scene has its own, but can be rendered as a rig would see it.
        decoding: the decoder of videos, one of ``DECODING``; None: the first.
        layout: the layout of views in the pictures, one of ``LAYOUTS``; None: it is detected.
        rectify: how pairs are rectified: ``auto``: by their features; ``off``: not at all; None:
            by their calibration.
        truth: the file of a pair's ground truth; None: the file where data sets put it.
        truth_scale: stored values per pixel of disparity, for truth that does not contain it.
        capture: the settings that are requested from a camera.
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
        """Return the options as recipe entries; raise errors as ``GivenCalibration.recipe``."""
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
    """Read the image options from a recipe's source or from command-line options.

    Raises:
        ValueError: a second file of a calibration without the first; or no valid camera settings.
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
