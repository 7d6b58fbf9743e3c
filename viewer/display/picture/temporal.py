"""Temporal measures (changes from frame to frame) in the picture: view, range and colours."""

from dataclasses import replace

from wheatstone.gpu.pipeline import Pipeline, View
from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.temporal import TEMPORAL, TemporalChoice
from wheatstone.viewer.colormaps import SIGNED
from wheatstone.viewer.display.picture.panes import Pane

TEXTURE = "over time"  # name of the texture that holds what is measured
DIFFERENCE, NOISE, FLICKER = 4.0, 2.0, 100.0  # ends of the ranges shown: px, px, percent


def view_of(pipeline: Pipeline, view: View, choice: TemporalChoice) -> tuple[View, bool]:
    """Replace a view by the chosen temporal view, if any; also return whether that was done."""
    output = pipeline.image(pipeline.output)
    if choice.show == "off" or not is_disparity(output) or "left" not in pipeline.inputs:
        return view, False
    return View(choice.show, (pipeline.output,), TEMPORAL[choice.show]), True


def temporal_pane(pane: Pane, texture: str, choice: TemporalChoice) -> Pane:
    """Copy display settings so that they show a temporal measure in pixels or percent."""
    measured = replace(pane, image=texture, scale=1.0, invalid=None)
    if choice.show == "difference":
        return replace(measured, low=-DIFFERENCE, high=DIFFERENCE, colormap=SIGNED)
    if choice.show == "mean":
        return measured
    return replace(measured, low=0.0, high=NOISE if choice.show == "noise" else FLICKER)


def title_of(choice: TemporalChoice) -> str:
    """Return the title of a temporal measure, such as noise, for a colour bar."""
    if choice.show == "difference":
        return "change since the previous frame"
    return f"{choice.show} over {choice.frames} frames"


def unit_of(choice: TemporalChoice) -> str:
    """Return the unit of a temporal measure, such as noise."""
    return "%" if choice.show == "flicker" else "px"


def beyond(choice: TemporalChoice) -> tuple[bool, bool]:
    """Return whether a temporal measure may lie below, and above, the range of its colours."""
    return choice.show == "difference", choice.show != "flicker"
