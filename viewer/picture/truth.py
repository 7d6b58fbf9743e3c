"""Ground truth in the picture: which pixels are judged, and how errors are shown."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpu.analysis.conventions import CONVENTIONS
from gpu.analysis.metrics import Mask, not_covered
from gpu.parameters import Params
from gpu.pipeline import Image, Pipeline, View
from viewer.choices.judging import SHOWS, TruthChoice, is_disparity
from viewer.colormaps import ERROR_STEPS, ERRORS, INVALID
from viewer.colormaps import colormap as map_colors
from viewer.picture.legend import Entry
from viewer.picture.panes import NO_RESULT, UNJUDGED, Pane
from viewer.sources.frame import Frame

if TYPE_CHECKING:  # they know of truth themselves
    from viewer.choices.state import ViewerState

ABSENT = "this source has no ground truth"
TEXTURE = "truth"
ENTRIES = 16  # of the map of errors, for a pixel
HAIR = 2.0**-17  # px; an error of exactly a threshold is not beyond it


def view_of(pipeline: Pipeline, view: View, choice: TruthChoice) -> tuple[View, TruthChoice | None]:
    """The view that shows errors or truth in place of another, and the choice that it shows.

    That other view if nothing is to judge.
    """
    if choice.show == "off" or not is_disparity(pipeline.image(pipeline.output)):
        return view, None
    return View(choice.show, (pipeline.output,), SHOWS[choice.show]), choice


def seen_of(frame: Frame) -> Mask:
    """The pixels of a frame that both views see; from the left truth where nothing else tells."""
    assert frame.truth is not None
    return not_covered(frame.truth) if frame.occluded is None else ~frame.occluded


def judged_of(frame: Frame, choice: TruthChoice) -> Mask:
    """The pixels of a frame that are judged."""
    assert frame.truth is not None
    convention = CONVENTIONS[choice.convention]
    return convention.judged(frame.truth, seen_of(frame), choice.region)


def truth_texels(frame: Frame, choice: TruthChoice, scale: float) -> NDArray[np.float32]:
    """What the display compares a result with: (H, W), in the result's stored unit.

    NaN where the truth is unknown. While errors are shown, infinite where it is known but not
    judged.

    Args:
        scale: of the result: pixels of disparity a stored unit.
    """
    height, width = frame.left.shape[:2]
    if frame.truth is None:
        return np.full((height, width), np.nan, np.float32)
    stored = frame.truth / np.float32(scale)
    if choice.show == "errors":
        stored[np.isfinite(stored) & ~judged_of(frame, choice)] = np.inf
    return stored


def judged_pane(pane: Pane, truth: str, choice: TruthChoice) -> Pane:
    """How a result's distance from the truth is shown, or the truth in its place.

    Args:
        pane: how the result is shown.
        truth: the texture of ``truth_texels``.
    """
    if choice.show == "truth":
        return replace(pane, image=truth, invalid=None)
    low = 0.5 / ENTRIES + HAIR
    return replace(pane, low=low, high=low + 255 / ENTRIES, colormap=ERRORS, truth=truth)


def error_legend(choice: TruthChoice) -> tuple[Entry, ...]:
    """What the colours of errors mean."""
    colors = map_colors(ERRORS).tolist()
    names = [f"{step:g}" for step in ERROR_STEPS] + ["more"]
    names[0] = f"error to {names[0]} px"
    entries = [int(step * ENTRIES) - 1 for step in ERROR_STEPS] + [255]
    legend = [(name, (*colors[entry],)) for name, entry in zip(names, entries, strict=True)]
    places = [("no result", NO_RESULT), ("truth unknown", INVALID[ERRORS])]
    if choice.region == "seen" or CONVENTIONS[choice.convention].border:
        left_out = "occluded" if choice.region == "seen" else "not judged"
        places.append((left_out, UNJUDGED))
    return tuple(legend + places)


def leave_out(state: "ViewerState", frame: Frame) -> None:
    """Show the result and say so, if what was to be shown of the truth is not there."""
    if state.truth.show != "off" and frame.truth is None:
        state.truth = replace(state.truth, show="off")
        state.message = ABSENT


def largest_searched(image: Image, params: Params) -> float:
    """The largest disparity that a slot searches, in pixels; infinite if that is not declared."""
    return image.limits(params)[1] if image.limits else math.inf
