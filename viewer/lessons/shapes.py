"""Define the shapes that a lesson draws over the picture, in pixels of the image."""

from dataclasses import dataclass

WORK, READ, DONE = "work", "read", "done"
"""The role of a shape: working now, being read now, or already done."""


@dataclass(frozen=True)
class BoxShape:
    """A rectangle of the image, in pixels; ``filled`` ones cover the image with a thin colour."""

    x: float
    y: float
    width: float
    height: float
    ink: str
    filled: bool = False


@dataclass(frozen=True)
class LineShape:
    """A line between two positions in the image, (column, row) each."""

    begin: tuple[float, float]
    end: tuple[float, float]
    ink: str


@dataclass(frozen=True)
class ShapeDrawing:
    """The shapes over the picture, with a description in one line."""

    shapes: tuple[BoxShape | LineShape, ...]
    said: str
