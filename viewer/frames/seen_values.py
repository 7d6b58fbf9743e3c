"""Values of what lies in a cell of the picture, on the host."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.picture.seen import SeenImage
from wheatstone.viewer.sources.grey import grey_levels, view_of

if TYPE_CHECKING:
    from wheatstone.viewer.frames.session import Session


def stored_values(session: "Session", part: SeenImage) -> NDArray[Any] | None:
    """Copy what an image on screen holds to the host, as stored; of colours their grey levels.

    A little older while frames pass quickly; None before there is anything.
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
