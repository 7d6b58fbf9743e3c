"""Ranges in which images are shown: declared, or chosen by the user; no frame changes them."""

from typing import TYPE_CHECKING

import numpy as np

from gpu.pipeline import Image
from viewer.choices.look import Range

if TYPE_CHECKING:  # the state keeps ranges
    from viewer.choices.slot import Slot
    from viewer.choices.state import ViewerState


def range_name(slot: "Slot", image: str) -> str:
    """Name an image as ``Look.ranges`` does, such as ``sgm.disparity``."""
    return f"{slot.pipeline.name}.{image}"


def is_photo(image: Image) -> bool:
    """Tell whether an image holds grey levels, shown as they are and averaged when minified."""
    ranged = image.limits or image.invalid
    return image.colormap == "grey" and image.dtype == "uint8" and not ranged


def limits(image: Image, slot: "Slot") -> Range:
    """Find the declared range of an image: smallest and largest value shown, in its unit.

    Raises:
        ValueError: the image is not of whole numbers, and its declaration gives no range.
    """
    if image.limits:
        return image.limits(slot.params)
    if image.labels:
        return 0, len(image.labels) - 1
    if not np.issubdtype(image.dtype, np.integer):
        raise ValueError(f"{image.name} is {image.dtype}: its declaration must give its limits")
    info = np.iinfo(image.dtype)
    return info.min * image.scale, info.max * image.scale


def shown_range(state: "ViewerState", slot: "Slot", image: Image) -> Range:
    """Find the range in which an image is shown: the one chosen, else the declared one.

    Raises:
        ValueError: as ``limits``.
    """
    chosen = state.look.ranges.get(range_name(slot, image.name))
    return chosen if chosen and not image.labels else limits(image, slot)
