"""What the user chose in the probe and in the path scrub, as plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Probing:
    """What is looked at of the pixel probed.

    Attributes:
        disparity: of the line that is dragged, in pixels; None: it stays at the winner.
    """

    disparity: int | None = None
