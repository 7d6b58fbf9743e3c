"""Pictures of slow motion: the images of a stage, with the work of the current step marked."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, Sheet, Unfolded
from wheatstone.gpu.image import Image
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import INVALID
from wheatstone.viewer.display.picture.caption import Caption
from wheatstone.viewer.display.picture.colorbar import NO_VALUE, Colorbar
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.panes import MOST_BOXES, Mix, Pane, Picture
from wheatstone.viewer.display.picture.pixel_values import ValueForm, digits_of
from wheatstone.viewer.display.picture.ranges import is_photo, label_entries, limits, value_pane
from wheatstone.viewer.io.sources.grey import from_source
from wheatstone.viewer.run.run import Run

LEAST_SHARE = 0.4  # of the tallest sheet's height that a low one is drawn with


@dataclass(frozen=True)
class SheetTextures:
    """The names of the textures of a slow motion's image: values, and marks and boxes if any."""

    values: str
    marks: str = ""
    boxes: str = ""


def textures(number: int, sheet: Sheet, moment: int) -> SheetTextures:
    """Name the textures of an image of the slow motion, given its index, at a step."""
    name = f"slow motion {number}"
    return SheetTextures(
        name, f"{name} marks" if sheet.marks else "", f"{name} boxes" if sheet.boxes(moment) else ""
    )


def stretch(unfolded: Unfolded, sheet: Sheet) -> int:
    """Compute how many texture rows show each image row, so that images of few rows are visible."""
    if not unfolded.stacked:
        return 1
    tallest = max(each.shape[0] for each in unfolded.sheets)
    return max(round(LEAST_SHARE * tallest / sheet.shape[0]), 1)


def is_plain(sheet: Sheet, slot: Run) -> bool:
    """Return whether an image is shown as unchanged grey levels, without range and colour map."""
    photo = is_photo(sheet.image) or from_source(slot.pipeline, sheet.image.name)
    return photo and sheet.at(0).dtype == np.uint8


def texels(sheet: Sheet, moment: int, rows: int, *, plain: bool) -> NDArray[np.uint8 | np.float32]:
    """Return an image's values at a step: (rows * H, W); NaN or black where not computed yet.

    Args:
        rows: of the texture for each row of the sheet.
        plain: whether they are grey levels.
    """
    kind, missing = (np.uint8, 0) if plain else (np.float32, np.nan)
    shown = np.where(sheet.there(moment), sheet.at(moment), missing).astype(kind)
    return np.repeat(shown, rows, axis=0)


def box_texels(boxes: Boxes, rows: int) -> NDArray[np.int32]:
    """Convert the rectangles over an image to texture coordinates: (N, 4) with x0, y0, x1, y1.

    ``rows``: of the texture for each row of the sheet.
    """
    corners = np.array(boxes[:MOST_BOXES], np.int32).reshape(-1, 4)
    corners[:, 1] *= rows
    corners[:, 3] = corners[:, 3] * rows + rows - 1
    return corners


def unfolded_picture(
    state: ViewerState, slot: Run, unfolded: Unfolded, moment: int, warning: str = ""
) -> Picture:
    """Make the picture that shows a step in the slow motion of a stage."""
    parts = [
        _part(state, slot, sheet, textures(number, sheet, moment), stretch(unfolded, sheet))
        for number, sheet in enumerate(unfolded.sheets)
    ]
    picture = replace(
        parts[0],
        legend=tuple(dict.fromkeys(entry for part in parts for entry in part.legend)),
        bars=tuple(dict.fromkeys(bar for part in parts for bar in part.bars)),
        caption=Caption(title=unfolded.title(moment), warning=warning),
    )
    if len(parts) == 1:
        return picture
    sizes = tuple((s.shape[0] * stretch(unfolded, s), s.shape[1]) for s in unfolded.sheets)
    stacked = sizes if unfolded.stacked else ()
    return replace(picture, second=parts[1], mix=Mix("side-by-side"), stacked=stacked)


def _part(state: ViewerState, slot: Run, sheet: Sheet, names: SheetTextures, rows: int) -> Picture:
    """Make the picture of one image; each image row takes ``rows`` rows of the texture."""
    image = sheet.image.scaled(slot.scale)
    plain = is_plain(sheet, slot)
    pane = Pane(names.values) if plain else value_pane(state, slot, image, names.values)
    has_bar = state.look.colorbar and not (plain or image.labels)
    writes = state.look.pixel_values and rows == 1
    return Picture(
        (pane,),
        zoom=state.zoom,
        center=state.center,
        overlay=names.marks,
        boxes=names.boxes,
        region=_rectangle(sheet),
        legend=_legend(sheet, pane),
        bars=(_bar(slot, sheet, image, pane),) if has_bar else (),
        values=_forms(sheet, image, pane, plain=plain) if writes else (),
    )


def _rectangle(sheet: Sheet) -> tuple[int, int, int, int] | None:
    if not sheet.region:
        return None
    x0, y0, x1, y1 = sheet.region
    return x0, y0, x1 - x0 + 1, y1 - y0 + 1


def _forms(sheet: Sheet, image: Image, pane: Pane, *, plain: bool) -> tuple[ValueForm, ...]:
    """Return the text formats of an image's values; none for a gradually computed photo."""
    if plain:
        return () if sheet.order is not None else (ValueForm(unit="grey"),)
    digits, ends = digits_of(image, pane.low, pane.high), (pane.low, pane.high)
    return (ValueForm(digits, image.scale, pane.invalid, image.unit, image.labels, ends),)


def _legend(sheet: Sheet, pane: Pane) -> tuple[Entry, ...]:
    listed = label_entries(sheet.image, pane)
    waits = listed and sheet.order is not None and pane.colormap
    return (*listed, (sheet.waits, INVALID[waits])) if waits else listed


def _bar(slot: Run, sheet: Sheet, image: Image, pane: Pane) -> Colorbar:
    low, high = limits(image, slot)
    missing = [NO_VALUE] if pane.invalid is not None else []
    missing += [sheet.waits] if sheet.order is not None else []
    return Colorbar(
        sheet.title,
        image.unit,
        pane.low,
        pane.high,
        pane.scale,
        pane.colormap or "grey",
        (pane.low > low, pane.high < high or image.depths is not None),
        bool(missing),
        " or ".join(missing),
    )
