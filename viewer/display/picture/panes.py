"""Plain data that describes a picture: its images, a picture mixed in, legend and caption."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from wheatstone.viewer.choices.cloud import FROM_CAMERA, Orbit
from wheatstone.viewer.display.picture.caption import Caption, caption_strip
from wheatstone.viewer.display.picture.colorbar import Colorbar, with_footer
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.pixel_values import ValueForm
from wheatstone.viewer.display.picture.space import CloudScene
from wheatstone.viewer.io.cameras.calibration import Calibration, assumed
from wheatstone.viewer.theme import USUAL, PictureStyle

Way = Literal["side-by-side", "wipe", "wipe-down", "onion", "difference", "signed-difference"]

MOST_BOXES = 64  # rectangles outlined in a picture
MARK = (255, 0, 255)  # colour of overlays and boxes: in no colour map, and rare in photos
CHOSEN = (255, 255, 255)  # colour of the region that the user chose
ROW_LINE = (0, 210, 255)  # colour of lines along rows
CASING = (0, 0, 0)  # colour around outlines and seams, so that they show on light and dark alike
LONE = ((178, 120, 160), (120, 80, 140))
"""Colours of a difference where only the first, or only the second, has a value: in no colour map,
and quiet, for such places are large where one fills holes and the other does not."""
NO_RESULT, UNJUDGED = (0, 0, 24), (132, 138, 142)
"""Colours of an error map where a value is missing, and where the error is not judged."""
SEAMS = ("wipe", "wipe-down")  # the ways to mix two pictures that have a seam between them
HATCHING = 7  # pixels of an unscaled screen, along rows, from one line of hatching to the next
FULL_SHARE = 256  # an onion's share of the second picture at which it is seen alone


@dataclass(frozen=True)
class Pane:
    """The settings by which one image is displayed, such as its range and colour map.

    Attributes:
        image: its name, as uploaded.
        scale: multiplies a stored value into the unit of ``low`` and ``high``.
        low, high: values shown in the first and in the last colour, as are those beyond them.
        invalid: the stored value without meaning; in float images all non-finite values as well.
        colormap: one of ``colormaps.ROWS``. None shows uint8 images as they are, averaged when
            minified, and others in grey.
        colored: whether it has several channels, and so no difference with another.
        hatched: whether a disparity that leads out of the other view is hatched.
        truth: another image, float32 of the same size, scale and unit: the pane shows how far they
            are apart, ``UNJUDGED`` where it is infinite, ``NO_RESULT`` where only it has a value.
    """

    image: str
    scale: float = 1.0
    low: float = 0.0
    high: float = 255.0
    invalid: float | None = None
    colormap: str | None = None
    colored: bool = False
    hatched: bool = False
    truth: str = ""

    def entry(self, stored: float) -> int:
        """Return the index of the colour in the colour map with which a stored value is drawn."""
        low, entries = self.ramp
        return min(max(math.floor((stored - low) * entries), 0), 255)

    @property
    def steps(self) -> float:
        """Return the step of the hatching: the stored value of one pixel of disparity; 0: none."""
        return 1 / self.scale if self.hatched else 0.0

    @cached_property
    def ramp(self) -> tuple[float, float]:
        """Compute how the shader converts stored values to colours: an offset and a factor.

        A stored value has colour map entry floor((stored - offset) * factor). An
        entry stands for the values nearest to it, so the first and the last take half a share.
        """
        span = max(self.high - self.low, abs(self.scale))
        entries = 255 * self.scale / span
        return float(np.float32(self.low / self.scale - 0.5 / entries)), float(np.float32(entries))


@dataclass(frozen=True)
class Cloud:
    """The settings of a 3D view, which shows the disparity of a picture's only image as points.

    Fields without a description are those of ``CloudChoice``.

    Attributes:
        color: the source of the points' colours: a photo, or values in a colour map.
        pivot: depth of the point turned about; None: that of the middle of the pane's range.
        calibration: None: the one assumed for the image's size.
        pin: row and column of a pixel to mark; None for none.
    """

    color: Pane
    orbit: Orbit = FROM_CAMERA
    surface: str = "points"
    jump: float = 1.0
    guides: bool = False
    pivot: float | None = None
    calibration: Calibration | None = None
    pin: tuple[int, int] | None = None

    def scene(self, pane: Pane, height: int, width: int) -> CloudScene:
        """Create the scene (viewpoint and geometry) in which an image is drawn as a point cloud."""
        known = self.calibration or assumed(width, height)
        pivot = self.pivot or known.depth(max((pane.low + pane.high) / 2, 1.0))
        return CloudScene(known, (height, width), self.orbit, pivot or 1.0)


@dataclass(frozen=True)
class Mix:
    """The way in which two pictures are combined: side by side, wipe, onion skin or difference.

    Attributes:
        way: ``side-by-side``: the first's panes, then the second's. All others mix pane with pane:
            ``wipe`` and ``wipe-down``: the first left of or above a seam, the second beyond it;
            ``onion``: the second shines through; ``difference``: the absolute difference of stored
            values, in colours; ``signed-difference``: the first minus the second.
        amount: where a seam lies, in fractions of the pane; an onion's share of the second.
        differences: of a difference: for every pane its range and colour map; None where both
            pictures show the same image, which is then shown as it is.
    """

    way: Way
    amount: float = 0.5
    differences: "tuple[Pane | None, ...]" = ()

    def seam(self, width: int, height: int) -> int:
        """Return the seam of a wipe: the first column, or row, that shows the second picture."""
        return round(self.amount * (width if self.way == "wipe" else height))

    @property
    def share(self) -> int:
        """Return the second picture's share in an onion-skin mix, from 0 to ``FULL_SHARE``."""
        return round(self.amount * FULL_SHARE)


@dataclass(frozen=True)
class Picture:
    """The description of a picture: images side by side, or two views as a red and cyan anaglyph.

    Attributes:
        zoom: 1 fits every image into its pane.
        center: the point in the middle of every pane, in fractions of the image (x, y).
        overlay: a uint8 image of the panes' size, drawn over each in ``MARK`` where it is not 0; in
            a minified picture where any texel under the pixel is not.
        boxes: an (N, 4) int32 image of rectangles (x0, y0, x1, y1), both ends included, at most
            ``MOST_BOXES``, whose outlines are drawn over every pane in ``MARK``, around them
            outlines in ``CASING``, each one texel wide and never less than a pixel; one with
            x1 < x0 or y1 < y0 is omitted.
        region: a rectangle (x, y, width, height), outlined alike in ``CHOSEN``.
        row_lines: number of rows from one line drawn over every pane to the next; 0: no lines.
        legend: names and colours in a strip below the panes; omitted where it would take more than
            half of the picture.
        bars: the colour bars, above the legend; omitted before it.
        second: another picture, mixed in as ``mix`` says; its zoom, center, legend, bars and
            caption are those of the first.
        caption: a strip above the panes that describes them; omitted like the legend.
        cloud: how the only pane is shown in space; None: as an image.
        values: for every pane how the values of its pixels are written into them, where they are
            large enough; empty: they are not.
        stacked: height and width of each cell's image, where cells lie one above the other; empty:
            they lie side by side.
    """

    panes: tuple[Pane, ...]
    anaglyph: bool = False
    zoom: float = 1.0
    center: tuple[float, float] = (0.5, 0.5)
    overlay: str = ""
    boxes: str = ""
    region: tuple[int, int, int, int] | None = None
    row_lines: int = 0
    legend: tuple[Entry, ...] = ()
    bars: tuple[Colorbar, ...] = ()
    second: "Picture | None" = None
    mix: Mix | None = None
    caption: Caption | None = None
    cloud: Cloud | None = None
    values: tuple[ValueForm, ...] = ()
    stacked: tuple[tuple[int, int], ...] = ()

    @property
    def marks(self) -> tuple[str, ...]:
        """Return the names of the detections (marks and boxes) that are drawn over the picture."""
        return tuple(name for name in (self.overlay, self.boxes) if name)

    @cached_property
    def in_space(self) -> bool:
        """Return whether any image is shown as a 3D view."""
        return any(part.cloud for part, _ in self.cells)

    @property
    def cells(self) -> "tuple[tuple[Picture, tuple[Pane, ...]], ...]":
        """List the rectangles from the left, each as a picture and the images that are drawn in it.

        Where panes are mixed, the second of two is the second picture's.
        """
        if self.second and self.mix and self.mix.way == "side-by-side":
            return self._own_cells + self.second._own_cells
        if self.second:
            both = zip(self.panes, self.second.panes, strict=True)
            return tuple((self, panes) for panes in both)
        return self._own_cells

    @property
    def _own_cells(self) -> "tuple[tuple[Picture, tuple[Pane, ...]], ...]":
        shown = [self.panes] if self.anaglyph else [(pane,) for pane in self.panes]
        return tuple((self, panes) for panes in shown)


def with_strips(
    picture: Picture, width: int, height: int, style: PictureStyle = USUAL
) -> tuple[int, int]:
    """Compute the size (width, height) of a picture's images with its caption and footer added."""
    above = len(caption_strip(picture.caption, width, style)) if picture.caption else 0
    width, height = with_footer(picture.bars, picture.legend, width, height, style)
    return width, height + (above if 3 * above <= height + above else 0)
