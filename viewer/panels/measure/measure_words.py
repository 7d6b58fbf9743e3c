"""Format measurements as lines of text."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from wheatstone.viewer.panels.measure.distance import (
    Distance,
    Spot,
    depth_step,
    length,
    three_digits,
    with_deviation,
)
from wheatstone.viewer.panels.measure.measured import RectangleFigures
from wheatstone.viewer.panels.measure.temporal import FRAMES

NOTHING = "\N{EN DASH}"
NO_DISPARITY = "{} computes no disparity to measure in. Ctrl+1..9 chooses a pipeline that does."
NO_PIXELS = (
    "Ctrl and a click on one pixel, then on another, measure their distance; so do Shift+I and "
    "Ctrl+I at the cursor."
)
NO_RECTANGLE = "Ctrl and a drag draw a rectangle to measure in; Shift+F8 takes the middle."
RELATIVE = "No calibration is known: lengths are relative. Give --calibration FILE."
ONE_PICTURE = "temporal noise needs a sequence"
DEVIATION = (
    "What half a step of disparity, {step:g} px, each way makes of it: dz = z\N{SUPERSCRIPT TWO} "
    "/ (f b) x {half:g} px. Both depths count along their pixels' rays, in quadrature."
)
FILL = "Pixels of the rectangle that have a depth."
PLANE = (
    "Root mean square of the distances to the plane that fits best; the 0.5 % of the points "
    "farthest on either side are left out, and the plane is fitted again."
)
DISPARITY = (
    "Root mean square of the disparities less those of the plane. Makers of cameras call it "
    "sub-pixel RMS error."
)
TILT = "Angle between the plane and the picture: 0 for a wall that the camera faces."
STEP = "What {:g} px of disparity make at the mean depth."
NOISE = (
    "Median over the pixels of the standard deviation of their depth over {} frames. It tells of "
    "noise only while camera and scene rest."
)


@dataclass(frozen=True)
class MeasureLine:
    """A line of the panel: name, value and explanation."""

    name: str
    text: str
    help: str = ""


def spot_lines(spots: Mapping[str, Spot | None], step: float, unit: str) -> list[MeasureLine]:
    """List the depths of the chosen pixels; a text in place of a missing one.

    Args:
        step: of disparity, in pixels.
        unit: of lengths.
    """
    help = DEVIATION.format(step=step, half=step / 2)
    return [
        MeasureLine(f"depth of {name}", _depth(each, unit), help) for name, each in spots.items()
    ]


def _depth(spot: Spot | None, unit: str) -> str:
    return with_deviation(spot.depth, spot.deviation, unit) if spot else "no disparity"


def distance_text(found: Distance, unit: str) -> str:
    """Format a distance and its deviation."""
    return with_deviation(found.length, found.deviation, unit)


def distance_lines(found: Distance, step: float, unit: str) -> list[MeasureLine]:
    """List a distance and its direction."""
    x, y, z = found.along
    help = DEVIATION.format(step=step, half=step / 2)
    ways = ("right" if x >= 0 else "left", "down" if y >= 0 else "up")
    ahead = "ahead" if z >= 0 else "back"
    return [
        MeasureLine("distance", distance_text(found, unit), help),
        *(
            MeasureLine(f"to the {way}" if way in ("right", "left") else way, length(abs(v), unit))
            for way, v in zip((*ways, ahead), (x, y, z), strict=True)
        ),
        MeasureLine("in the picture", f"{found.pixels:.1f} px"),
    ]


def plane_lines(found: RectangleFigures) -> list[MeasureLine]:
    """List the figures of a rectangle except its temporal noise."""
    plane, unit = found.plane, found.calibration.unit
    fill = MeasureLine("fill rate", f"{plane.fill_rate:.1f} %", FILL)
    if not plane.fits:
        return [fill, MeasureLine("plane fit RMS error", NOTHING, PLANE)]
    step = depth_step(found.calibration, plane.depth, found.step)
    return [
        fill,
        MeasureLine("plane fit RMS error", _of_depth(plane.rms, plane.depth, unit), PLANE),
        MeasureLine("disparity noise", f"{plane.disparity_noise:.3f} px", DISPARITY),
        MeasureLine("tilt of the plane", f"{plane.tilt:.2f}\N{DEGREE SIGN}", TILT),
        MeasureLine("mean depth", length(plane.depth, unit)),
        MeasureLine("one disparity step", length(step, unit), STEP.format(found.step)),
    ]


def noise_line(found: RectangleFigures, wanted: int) -> MeasureLine:
    """Format the temporal noise, or the number of frames if there are too few.

    Args:
        wanted: frames that it needs.
    """
    help = NOISE.format(min(wanted, FRAMES))
    if found.frames < wanted or not math.isfinite(found.noise):
        return MeasureLine("temporal noise", f"{found.frames} of {wanted} frames", help)
    depth, unit = found.plane.depth, found.calibration.unit
    return MeasureLine("temporal noise", _of_depth(found.noise, depth, unit), help)


def _of_depth(value: float, depth: float, unit: str) -> str:
    """Format a length, and its share of a depth in percent."""
    share = f" ({three_digits(100 * value / depth)} %)" if math.isfinite(depth) else ""
    return f"{length(value, unit)}{share}"
