"""The user's choices for showing values: ranges, colour bar, inspector, histogram."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from wheatstone.gpu.parameters import FARTHEST
from wheatstone.viewer.choices.declared import (
    LAST_PIXEL,
    ChoiceGroup,
    Presses,
    amount,
    by_name,
    numbers,
    on_off,
    one_of,
)
from wheatstone.viewer.io.files.cloud import AXES
from wheatstone.viewer.theme import THEMES

MOST_PINS = 16  # pixels whose values stay over the picture
Range = tuple[float, float]
SMALLEST_SCALE, LARGEST_SCALE = 0.5, 3.0
NEAREST_DEPTH, FARTHEST_DEPTH = 1e-6, 1e9  # in any unit of a calibration


@dataclass(frozen=True)
class Look(ChoiceGroup):
    """The user's choices for showing values: ranges, colour bar, inspector, histogram, text size.

    Attributes:
        ranges: smallest and largest value shown, in the image's unit, by pipeline and image, such
            as ``sgm.disparity``; those without an entry are shown as declared.
        pin: row and column of the pixel that the inspector stays at; None: it follows the cursor.

    Raises:
        ValueError: a range, or near to far, is not finite or not increasing, or the pin has a
            negative coordinate, or there are too many pins.
    """

    heading = "values and colours"

    ranges: Mapping[str, Range] = by_name(
        -FARTHEST, FARTHEST, "Values of the first and last colour, by image."
    )
    near: float | None = numbers(
        None,
        -FARTHEST_DEPTH,
        FARTHEST_DEPTH,
        "depth of the first colour, in the calibration's unit; default: that of the largest "
        "disparity searched",
        option="near",
        metavar="DEPTH",
    )
    far: float | None = numbers(
        None,
        -FARTHEST_DEPTH,
        FARTHEST_DEPTH,
        "depth of the last colour; default: eight times the nearest",
        option="far",
        metavar="DEPTH",
    )
    fitted: tuple[float, float] | None = numbers(
        None,
        -FARTHEST_DEPTH,
        FARTHEST_DEPTH,
        "Depths of the first and last colour that the window fitted to the source; used without "
        "near and far.",
        of_source=True,
        undone=False,
    )
    axes: str = one_of(
        "camera",
        tuple(AXES),
        "Directions of the axes in saved point clouds.",
        title="axes of written clouds",
        option="axes",
        meanings=AXES,
    )
    colorbar: bool = on_off(
        True,
        "colour bars below the picture",
        title="colour bar",
        option="colorbar",
        keys=("Shift+R",),
        says=("no colour bar", "colour bar"),
    )
    row_lines: bool = on_off(
        False,
        "lines along rows over every image, to check whether a pair is rectified",
        title="lines along rows",
        option="row-lines",
        keys=("Shift+L",),
        says=("no lines along rows", "lines along rows"),
    )
    pixel_values: bool = on_off(
        False,
        "values and outlines of pixels, where pixels are large enough",
        title="values in pixels",
        option="pixel-values",
        keys=("Shift+N",),
        key_help="show or hide values in large pixels",
        says=("no values in pixels", "values in pixels: zoom in until they fit"),
        in_window=True,
    )
    cursor_values: bool = on_off(
        True,
        "values of the pixel under the cursor, in a label next to it",
        title="values at the cursor",
        keys=("Shift+T",),
        says=("no values at the cursor", "values at the cursor; a click pins them"),
    )
    outside: bool = on_off(
        False,
        "hatch disparities whose match lies outside the right view, which cannot be measured",
        title="hatching of occluded pixels",
        option="hatch-outside",
        keys=("Shift+H",),
        says=tuple(
            f"disparities with a match outside the right view are {seen}"
            for seen in ("shown like all others", "hatched")
        ),
        in_window=True,
    )
    pin: tuple[int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL,
        "row and column of the inspected pixel, which also determine the slices in slow motion",
        option="pin",
        metavar="Y,X",
        of_source=True,
    )
    pins: tuple[tuple[int, int], ...] = numbers(
        (),
        0,
        LAST_PIXEL,
        "Row and column of each pixel whose values are pinned, in order.",
        of_source=True,
    )
    logarithmic: bool = on_off(
        False,
        "Histogram with a logarithmic axis of counts.",
        title="logarithmic histogram",
        keys=("Shift+G",),
        says=("linear histogram", "logarithmic histogram"),
    )
    whole: bool = on_off(
        False,
        "Histogram of the whole image, not only of its visible part.",
        title="histogram of the whole image",
        keys=("Ctrl+G",),
        says=("histogram of the visible part", "histogram of the whole image"),
    )
    scale: float = amount(
        1.0,
        SMALLEST_SCALE,
        LARGEST_SCALE,
        "scale of all text and spacing; 1: the screen's usual size",
        step=0.25,
        title="text size",
        option="scale",
        metavar="X",
        keys=("Ctrl+Plus", "Ctrl+Minus"),
        key_help="enlarge or reduce text",
        each=("enlarge text", "reduce text"),
        presses=(Presses(("Ctrl+0",), (1.0,), "reset text size"),),
        says=lambda look: f"text size {look.scale:.0%}",
        undone=False,
    )
    theme: str = one_of(
        THEMES[0],
        THEMES,
        "Colours of panels, captions and plots.",
        option="theme",
        meanings={
            "dark": "Light text on a dark background.",
            "light": "Dark text on a light background.",
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for low, high in self.ranges.values():
            checked_range(low, high)
        if self.fitted:
            checked_range(*self.fitted)
        chosen = [depth for depth in (self.near, self.far) if depth is not None]
        if chosen != sorted(set(chosen)):
            got = " to ".join(f"{depth:g}" for depth in chosen)
            raise ValueError(f"near must be less than far (got {got})")
        for pixel in (*self.pins, *filter(None, (self.pin,))):
            check_pixel(pixel)
        if len(self.pins) > MOST_PINS:
            raise ValueError(f"at most {MOST_PINS} pixels can be pinned (got {len(self.pins)})")

    def with_range(self, name: str, chosen: Range | None) -> Self:
        """Copy the choices with an image's range set; None restores the declared range.

        Args:
            name: pipeline and image, such as ``sgm.disparity``.
        """
        others = {key: value for key, value in self.ranges.items() if key != name}
        return replace(self, ranges=others | ({name: checked_range(*chosen)} if chosen else {}))


def check_pixel(pixel: tuple[int, int]) -> None:
    """Raise ``ValueError`` if a pixel's row or column is negative."""
    row, column = pixel
    if min(row, column) < 0:
        raise ValueError(f"a pixel's row and column must be at least 0 (got {row}, {column})")


def checked_range(low: float, high: float) -> Range:
    """Return a range as floats; raise ``ValueError`` unless it is bounded and increasing."""
    if not -FARTHEST <= low < high <= FARTHEST:
        raise ValueError(
            f"a range's first value must be less than its last one (got {low:g} to {high:g})"
        )
    return float(low), float(high)


def parse_range(text: str) -> Range:
    """Parse a range written as LOW,HIGH; raise ``ValueError`` if the text is not a range."""
    low, _, high = text.partition(",")
    try:
        return checked_range(float(low), float(high))
    except ValueError:
        raise ValueError(f"a range has the form LOW,HIGH, such as 3,40 (got {text!r})") from None
