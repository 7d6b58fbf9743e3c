"""The label of a pixel in few lines: value of the view shown, disparity, depth, truth and error."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.picture.cell_contents import SeenImage, seen
from wheatstone.viewer.display.picture.panes import SEAMS
from wheatstone.viewer.display.picture.pixel_values import (
    ValueForm,
    difference_lines,
    pixel_lines,
)
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.inspector.pixel_rows import DASH
from wheatstone.viewer.panels.inspector.pixel_words import (
    LEFT,
    RIGHT,
    disparity_image,
    levels,
    space_rows,
)
from wheatstone.viewer.panels.inspector.reading import Pixel, Reading, reading_of

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.runner import Runner
    from wheatstone.viewer.display.frames.session import Session

SIDES = {"left": LEFT, "right": RIGHT}
Row = tuple[str, ...]
"""A name, then a value for every slot described; for two slots, their difference follows."""
HEADING: Row = ("", "A", "B", "A - B")


@dataclass(frozen=True)
class PixelPlace:
    """A position on screen: a pixel, and the image of the picture that shows it.

    Attributes:
        beyond: whether it lies beyond the seam of a wipe.
        of_left: whether the pane has the left view's geometry, in which disparities are stored.
    """

    pixel: Pixel
    pane: int
    beyond: bool = False
    of_left: bool = True


@dataclass(frozen=True)
class PixelLabel:
    """The label of a pixel: its position and values, as texts."""

    pixel: Pixel
    rows: tuple[Row, ...] = ()

    @property
    def text(self) -> str:
        """Return a line for each name with its values, separated by tabs."""
        (y, x), rows = self.pixel, self.rows
        return "\n".join("\t".join(row) for row in (("x", f"{x}"), ("y", f"{y}"), *rows))


def parts_of(session: "Session", place: PixelPlace) -> tuple[SeenImage, ...]:
    """Return the images shown at a position of the picture: one, or two that are mixed."""
    what = seen(session.state, session.a.shown, session.b.shown, place.pane)
    if not what or watched(session.state):
        return ()
    first, *others = what.parts
    mix = session.display.drawn.picture.mix
    if first.shown.view.wipe and place.beyond:
        return (SeenImage(first.slot, first.shown, first.shown.view.panes[1]),)
    if others and mix and mix.way in SEAMS:
        return (others[0] if place.beyond else first,)
    return what.parts


def label_of(session: "Session", place: PixelPlace) -> PixelLabel:
    """Read the values for the label of a position in the picture.

    In slow motion it has none: the picture shows neither the result nor a view of it.
    """
    parts = [part for part in parts_of(session, place) if _runner(session, part).frame]
    if not parts:
        return PixelLabel(place.pixel)
    readings = [_reading(session, part, place.pixel) for part in parts]
    in_space: list[Row] = []
    if place.of_left and any(map(disparity_image, readings)):
        in_space += _rows_in_space(readings, _frames(session, parts), place.pixel)
    has_result = in_space and all(
        part.name == part.shown.slot.pipeline.output and not part.shown.temporal for part in parts
    )  # or its errors or the truth, in the result's place
    if not has_result:  # disparities that this view does not compute are no news
        in_space = [row for row in in_space if any(value != DASH for value in row[1:])]
    of_view = [] if has_result else [_row_of_view(session, parts, place.pixel)]
    rows = [row for row in of_view if row[0] not in [other[0] for other in in_space]] + in_space
    return PixelLabel(place.pixel, tuple([HEADING, *rows] if len(parts) > 1 else rows))


def value_at(session: "Session", place: PixelPlace) -> tuple[SeenImage, float] | None:
    """Return the image with a value range at a position, and its value there; None without one."""
    for part in parts_of(session, place):
        pane = part.shown.pane(part.name, session.state)
        stored = session.display.value(pane.image, *place.pixel)
        ranged = part.name in part.shown.ranged and not part.shown.temporal
        if ranged and stored is not None and stored != pane.invalid:
            value = float(stored) * pane.scale
            return (part, value) if math.isfinite(value) else None
    return None


def _runner(session: "Session", part: SeenImage) -> "Runner":
    return session.a if part.slot == "a" else session.b


def _frames(session: "Session", parts: Sequence[SeenImage]) -> list[Frame]:
    frames = [_runner(session, part).frame for part in parts]
    return [frame for frame in frames if frame]


def _reading(session: "Session", part: SeenImage, pixel: Pixel) -> Reading:
    """Read the value of the output image of run A or B at a pixel."""
    names = (part.shown.slot.pipeline.output,)
    return reading_of(session, part.slot, _runner(session, part), None, pixel, names)


def _row_of_view(session: "Session", parts: Sequence[SeenImage], pixel: Pixel) -> Row:
    """Build the label's row with the values of the images that are shown."""
    state, frames = session.state, _frames(session, parts)
    title = " / ".join(dict.fromkeys(part.shown.title(part.name) for part in parts))
    forms = [part.shown.form(part.name, state) for part in parts]
    textures = [part.shown.pane(part.name, state).image for part in parts]
    stored = [session.display.value(texture, *pixel) for texture in textures]
    values = tuple(
        _of_source(part, frame, pixel) or _text(form, value)
        for part, frame, form, value in zip(parts, frames, forms, stored, strict=True)
    )
    first, *others = stored
    if not others:
        return (title, *values)
    plain = all(value is not None and value.ndim == 0 for value in stored)
    if not plain or any(form.labels for form in forms):
        return (title, *values, "")
    both = [np.reshape(value, (1, 1)) for value in (first, others[0]) if value is not None]
    return (title, *values, " ".join(difference_lines(forms, both, signed=True)[0][0]))


def _of_source(part: SeenImage, frame: Frame, pixel: Pixel) -> str:
    """Format the colour of a source view at a pixel; empty for other images."""
    side = SIDES.get(part.shown.arrays[part.name]) if part.of_source else None
    return "" if side is None else levels("", frame, side, pixel).text


def _text(form: ValueForm, stored: NDArray[np.generic] | None) -> str:
    """Format a stored value with its unit, or the three values of a colour."""
    if stored is None:
        return DASH
    words = " ".join(pixel_lines(form, stored.reshape(1, 1, *stored.shape))[0][0])
    return words if words == DASH or stored.ndim else f"{words} {form.unit}".rstrip()


def _rows_in_space(
    readings: Sequence[Reading], frames: Sequence[Frame], pixel: Pixel
) -> Iterator[Row]:
    """Yield the label's rows of disparity, depth, truth and error, if they are known."""
    for row in space_rows(readings, frames, pixel):
        known = any(value != DASH for value in row.values)
        if row.label and (known or row.label == "disparity"):
            _, _, unit = row.name.partition(", ")
            values = [v if v == DASH else f"{v} {unit}" for v in row.values]
            yield (row.label, *values, *([row.difference] if len(readings) > 1 else []))
