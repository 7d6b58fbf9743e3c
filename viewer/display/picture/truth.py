"""Ground truth in the picture: which pixels are compared with it, and how errors are shown."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.gpu.analysis.metrics import Mask, not_covered
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image, Pipeline, View
from wheatstone.viewer.choices.judging import SHOWS, TruthChoice, is_disparity
from wheatstone.viewer.colormaps import ERROR_STEPS, ERRORS, INVALID
from wheatstone.viewer.colormaps import colormap as map_colors
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.panes import NO_RESULT, UNJUDGED, Pane
from wheatstone.viewer.io.sources.frame import Frame

if TYPE_CHECKING:  # they know of truth themselves
    from wheatstone.viewer.choices.state import ViewerState

ABSENT = "this source has no ground truth"
TEXTURE = "truth"  # name of the texture that holds the truth
ENTRIES = 16  # entries of the map of errors for a pixel of error
HAIR = 2.0**-17  # px; an error of exactly a threshold is not beyond it


def view_of(pipeline: Pipeline, view: View, choice: TruthChoice) -> tuple[View, TruthChoice | None]:
    """Replace a view by the chosen view of errors or truth; also return the choice, or None.

    The view stays, and the choice is None, if the user did not choose truth or the pipeline has no
    disparity.
    """
    if choice.show == "off" or not is_disparity(pipeline.image(pipeline.output)):
        return view, None
    return View(choice.show, (pipeline.output,), SHOWS[choice.show]), choice


def seen_of(frame: Frame) -> Mask:
    """Return the mask of pixels visible in both views, as given or derived from the truth."""
    assert frame.truth is not None
    return not_covered(frame.truth) if frame.occluded is None else ~frame.occluded


def judged_of(frame: Frame, choice: TruthChoice) -> Mask:
    """Return the mask of the pixels that are compared with the ground truth."""
    assert frame.truth is not None
    convention = CONVENTIONS[choice.convention]
    return convention.judged(frame.truth, seen_of(frame), choice.region)


def truth_texels(frame: Frame, choice: TruthChoice, scale: float) -> NDArray[np.float32]:
    """Convert a frame's ground truth to the stored unit of a result, for the display: (H, W).

    NaN where the truth is unknown. While errors are shown, infinite where the truth is known but
    not judged.

    Args:
        scale: the result's pixels of disparity per stored unit.
    """
    height, width = frame.shape
    if frame.truth is None:
        return np.full((height, width), np.nan, np.float32)
    stored = frame.truth / np.float32(scale)
    if choice.show == "errors":
        stored[np.isfinite(stored) & ~judged_of(frame, choice)] = np.inf
    return stored


def judged_pane(pane: Pane, truth: str, choice: TruthChoice) -> Pane:
    """Copy display settings so that they show a result's errors, or the truth in its place.

    Args:
        truth: name of the texture that holds ``truth_texels``.
    """
    if choice.show == "truth":
        return replace(pane, image=truth, invalid=None)
    low = 0.5 / ENTRIES + HAIR
    return replace(pane, low=low, high=low + 255 / ENTRIES, colormap=ERRORS, truth=truth)


def error_legend(choice: TruthChoice) -> tuple[Entry, ...]:
    """List the legend entries that explain the colours of the error map."""
    colors = map_colors(ERRORS).tolist()
    names = [f"{step:g}" for step in ERROR_STEPS] + ["more"]
    names[0] = f"error to {names[0]} px"
    entries = [int(step * ENTRIES) - 1 for step in ERROR_STEPS] + [255]
    legend = [(name, (*colors[entry],)) for name, entry in zip(names, entries, strict=True)]
    places = [("no result", NO_RESULT), ("truth unknown", INVALID[ERRORS])]
    if choice.region == "seen" or CONVENTIONS[choice.convention].border:
        name = "occluded" if choice.region == "seen" else "not judged"
        places.append((name, UNJUDGED))
    return tuple(legend + places)


def hide_truth(state: "ViewerState", frame: Frame) -> None:
    """Switch back to the result, with a warning, if a frame lacks the ground truth to show."""
    if state.truth.show != "off" and frame.truth is None:
        state.truth = replace(state.truth, show="off")
        state.warn(ABSENT)


def largest_searched(image: Image, params: Params) -> float:
    """Return the largest disparity that an image declares, in pixels; infinite without limits."""
    return image.limits(params)[1] if image.limits else math.inf
