"""The images of results A and B that each cell (rectangle) of the picture shows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.sources.grey import from_source

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState

Letter = Literal["a", "b"]


@dataclass(frozen=True)
class SeenImage:
    """An image of result ``a`` or ``b`` on screen, with its name in the chosen view."""

    slot: Letter
    shown: Shown
    name: str

    @property
    def image(self) -> Image:
        """Return the declaration of the image: its type, unit and range."""
        return self.shown.slot.image(self.name)

    @property
    def invalid(self) -> float | None:
        """Return the number stored for "no value" in the image; None if it has no such number."""
        image = self.image
        return image.invalid(self.shown.slot.params) if image.invalid else None

    @property
    def of_source(self) -> bool:
        """Return whether the image is an input image of the source, and is shown unchanged."""
        return from_source(self.shown.slot.pipeline, self.shown.arrays[self.name])


@dataclass(frozen=True)
class Seen:
    """The contents of one rectangle of the picture: an image, or two that are mixed.

    Attributes:
        difference: the mode that shows the difference of two images; empty in any other mode.
    """

    cell: int
    parts: tuple[SeenImage, ...]
    difference: str = ""


def seen(state: "ViewerState", a: Shown | None, b: Shown | None, cell: int) -> Seen | None:
    """Return the images in a rectangle of the picture; None if it does not exist or is empty."""
    cells = _cells(state, a, b)
    if not 0 <= cell < len(cells):
        return None
    parts, mode = cells[cell], state.mixing.mode
    differ = mode in DIFFERENCES and len(parts) == 2
    return Seen(cell, parts, mode if differ else "")


def _cells(state: "ViewerState", a: Shown | None, b: Shown | None) -> list[tuple[SeenImage, ...]]:
    alone, mode = state.mixing.alone, state.mixing.mode
    of_a, of_b = _own("a", a), _own("b", b)
    if alone:
        return [(part,) for part in (of_a if alone == "a" else of_b)]
    if not (a and b):
        return []
    if mode == "side-by-side":
        return [(part,) for part in of_a + of_b]
    both = list(zip(of_a, of_b, strict=False))
    same = [x.shown.texture(x.shown.arrays[x.name]) for x, _ in both]
    other = [y.shown.texture(y.shown.arrays[y.name]) for _, y in both]
    return [
        pair if first != second else pair[:1]
        for pair, first, second in zip(both, same, other, strict=True)
    ]


def _own(slot: Letter, shown: Shown | None) -> list[SeenImage]:
    if not shown:
        return []
    panes = shown.view.panes[:1] if shown.view.one_cell else shown.view.panes
    return [SeenImage(slot, shown, name) for name in panes]
