"""Shots: decoded frames of live sources, and the shots of one or two devices at one time."""

from dataclasses import dataclass

from wheatstone.viewer.footage.planes import AnyView


@dataclass(frozen=True, eq=False)
class Shot:
    """One frame of a live source.

    Attributes:
        view: pixels or decoded planes.
        time: seconds of ``time.monotonic`` at which it was taken, estimated from time stamps.
        period: seconds from one frame to the next; 0 while it is not known.
    """

    view: AnyView
    time: float
    period: float = 0.0


@dataclass(frozen=True, eq=False)
class ShotPictures:
    """The shots of one or two devices at one time.

    Attributes:
        shots: a single one, or the left and the right one.
        skew: milliseconds from the left one to the right one; None for a single one.
    """

    shots: tuple[Shot, ...]
    skew: float | None = None

    @property
    def left(self) -> AnyView:
        """Return the picture of the left device, or of the single one."""
        return self.shots[0].view

    @property
    def right(self) -> AnyView | None:
        """Return the picture of the right device; None for a single device."""
        return self.shots[1].view if len(self.shots) > 1 else None
