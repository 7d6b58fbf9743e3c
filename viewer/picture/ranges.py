"""Ranges of values shown: those declared, or those the user chose; never changed by a frame."""

from typing import TYPE_CHECKING

import numpy as np

from gpu.pipeline import Image
from viewer.choices.look import Range

if TYPE_CHECKING:  # the state keeps ranges
    from viewer.choices.slot import Slot
    from viewer.choices.state import ViewerState


def range_name(slot: "Slot", image: str) -> str:
    """Under which name the range of an image is kept."""
    return f"{slot.pipeline.name}.{image}"


def is_photo(image: Image) -> bool:
    """Whether an image holds grey levels to be shown as they are, averaged when minified."""
    ranged = image.limits or image.invalid
    return image.colormap == "grey" and image.dtype == "uint8" and not ranged


def limits(image: Image, slot: "Slot") -> Range:
    """Smallest and largest value of an image to show unless the user chose, in its unit.

    Raises:
        ValueError: it is not of whole numbers and its declaration gives none.
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
    """The range in which an image is shown; raises as ``limits``."""
    chosen = state.look.ranges.get(range_name(slot, image.name))
    return chosen if chosen and not image.labels else limits(image, slot)
