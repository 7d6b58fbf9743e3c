"""Values, on the host, of the image in a cell of the picture."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.picture.seen import SeenImage
from wheatstone.viewer.sources.grey import grey_levels, view_of

if TYPE_CHECKING:
    from wheatstone.viewer.frames.session import Session


def stored_values(session: "Session", part: SeenImage) -> NDArray[Any] | None:
    """Copy the stored values of an image on screen to the host; colours become grey levels.

    Slightly older values while frames pass quickly; None before the first ones.
    """
    runner = session.a if part.slot == "a" else session.b
    if part.of_source:
        array = part.shown.arrays[part.name]
        pixels = view_of(runner.frame, array) if runner.frame else None
        return None if pixels is None else grey_levels(pixels)
    copy = session.latest.image(runner, part.name)
    if not copy:
        return None
    values = copy.values
    return grey_levels(np.ascontiguousarray(values[..., :3])) if values.ndim == 3 else values
