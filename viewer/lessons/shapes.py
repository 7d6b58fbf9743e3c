"""Shapes that a lesson draws over the picture, in pixels of the image."""

from dataclasses import dataclass

WORK, READ, DONE = "work", "read", "done"
"""What a shape is about: what works now, what is read now, what was before."""


@dataclass(frozen=True)
class BoxShape:
    """A rectangle of the image, in pixels; ``filled`` ones cover what lies below thinly."""

    x: float
    y: float
    width: float
    height: float
    ink: str
    filled: bool = False


@dataclass(frozen=True)
class LineShape:
    """A line between two places of the image, (column, row) each."""

    begin: tuple[float, float]
    end: tuple[float, float]
    ink: str


@dataclass(frozen=True)
class ShapeDrawing:
    """Shapes over the picture, and what they show, in a line."""

    shapes: tuple[BoxShape | LineShape, ...]
    said: str
