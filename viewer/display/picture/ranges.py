"""Display ranges of images: declared, fitted once, or chosen; equal for all frames."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from wheatstone.gpu.pipeline import Image
from wheatstone.gpu.pipelines.values import VALUES
from wheatstone.viewer.choices.look import Look, Range, checked_range
from wheatstone.viewer.colormaps import colormap
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.panes import Pane
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:  # the state keeps ranges
    from wheatstone.viewer.choices.state import ViewerState


def range_name(slot: Run, image: str) -> str:
    """Return an image's key in ``Look.ranges``, such as ``sgm.disparity``."""
    return f"{slot.pipeline.name}.{image}"


def is_photo(image: Image) -> bool:
    """Return whether an image is a photo: grey levels shown as they are, averaged if minified."""
    ranged = image.limits or image.invalid
    return image.colormap == "grey" and image.dtype == "uint8" and not ranged


def limits(image: Image, slot: Run) -> Range:
    """Return the declared display range of an image: smallest and largest value, in its unit.

    Raises:
        ValueError: the image does not hold integers, and its declaration gives no range.
    """
    if image.limits:
        return image.limits(slot.params)
    if image.labels:
        return 0, len(image.labels) - 1
    if not np.issubdtype(image.dtype, np.integer):
        raise ValueError(f"{image.name} is {image.dtype}: its declaration must give its limits")
    info = np.iinfo(image.dtype)
    return info.min * image.scale, info.max * image.scale


def shown_range(state: "ViewerState", slot: Run, image: Image) -> Range:
    """Return the display range of an image: the chosen one, or the declared ``limits``."""
    if image.depths:
        return _depth_range(state.look, *limits(image, slot))
    chosen = state.look.ranges.get(range_name(slot, image.name))
    if chosen and not image.labels:
        return chosen
    beside = _beside(state, slot) if slot.pipeline.name == VALUES else slot
    return limits(image, slot) if beside is slot else shown_range(state, beside, beside.output)


def _beside(state: "ViewerState", slot: Run) -> Run:
    """Return the run (A or B) whose display range is used for a result: its own, or the other one.

    That is the one that computes values of the same unit; of two files A's.
    """
    if not state.sources.other:
        return slot
    computed = [each for each in (state.slot, state.slot_b) if each.pipeline.name != VALUES]
    beside = computed[0] if computed else state.slot
    return beside if beside != slot and beside.output.unit == slot.output.unit else slot


def _depth_range(look: Look, low: float, high: float) -> Range:
    """Return the display range of depths: the chosen one, else the fitted or declared one.

    An end that is not chosen keeps the declared ratio to the other end. If no end is chosen, it is
    the range that the window fitted to the source, if there is one.
    """
    if look.near is None and look.far is None and look.fitted:
        return look.fitted
    span = high / low
    near, far = look.near, look.far
    if near is None:
        near = low if far is None or far > low else far / span
    if far is None:
        far = max(near, low) * span
    return near, far


def value_pane(state: "ViewerState", slot: Run, image: Image, texture: str) -> Pane:
    """Make the display settings (range, colours) of a computed image that is not a photo."""
    low, high = shown_range(state, slot, image)
    invalid = image.invalid(slot.params) if image.invalid else None
    return Pane(texture, image.scale, low, high, invalid, image.colormap or state.colormap)


def label_entries(image: Image, pane: Pane) -> tuple[Entry, ...]:
    """List a legend's entries: the labels of an image, or its two values, with their colours."""
    named = dict(zip(image.binary, (0, 255), strict=True)) if image.binary else {}
    named |= {label: n for n, label in enumerate(image.labels)}
    colors = colormap(pane.colormap).tolist() if pane.colormap else []
    return tuple((label, (*colors[pane.entry(n)],)) for label, n in named.items() if colors)


def with_range(look: Look, slot: Run, image: Image, chosen: Range | None) -> Look:
    """Copy the choices of how values are shown, with another range for one image.

    None: the declared range, or for depths the fitted one. A and B share the depth range.

    Raises:
        ValueError: the range is not finite or is not increasing.
    """
    if not image.depths:
        return look.with_range(range_name(slot, image.name), chosen)
    near, far = checked_range(*chosen) if chosen else (None, None)
    return replace(look, near=near, far=far)
