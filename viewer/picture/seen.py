"""What lies in a cell of the picture: which images of which slots, and their values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gpu.pipeline import Image
from viewer.choices.mixing import DIFFERENCES
from viewer.picture.shown import Shown
from viewer.sources.grey import SOURCE_IMAGES

if TYPE_CHECKING:
    from viewer.choices.state import ViewerState

Letter = Literal["a", "b"]


@dataclass(frozen=True)
class SeenImage:
    """An image of a slot that is on screen.

    Attributes:
        slot: ``a`` or ``b``.
        name: the image, as the view calls it.
    """

    slot: Letter
    shown: Shown
    name: str

    @property
    def image(self) -> Image:
        """The image's declaration."""
        return self.shown.slot.pipeline.image(self.name)

    @property
    def invalid(self) -> float | None:
        """The stored value without meaning, if there is one."""
        image = self.image
        return image.invalid(self.shown.slot.params) if image.invalid else None

    @property
    def of_source(self) -> bool:
        """Whether it is the source's image, shown as it is."""
        return self.shown.arrays[self.name] in SOURCE_IMAGES


@dataclass(frozen=True)
class Seen:
    """What a cell of the picture shows.

    Attributes:
        cell: its number, from the left.
        parts: one image, or two that are mixed.
        difference: whether their difference is shown: that mode, or empty.
    """

    cell: int
    parts: tuple[SeenImage, ...]
    difference: str = ""


def seen(state: "ViewerState", a: Shown | None, b: Shown | None, cell: int) -> Seen | None:
    """What a cell shows, after ``combined``; None where there is no such cell or nothing yet.

    Args:
        a, b: what was computed last.
    """
    cells = _cells(state, a, b)
    if not 0 <= cell < len(cells):
        return None
    parts, mode = cells[cell], state.mixing.mode
    differ = mode in DIFFERENCES and len(parts) == 2
    return Seen(cell, parts, mode if differ else "")


def _cells(state: "ViewerState", a: Shown | None, b: Shown | None) -> list[tuple[SeenImage, ...]]:
    """The parts of every cell, from the left."""
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
    panes = shown.view.panes[:1] if shown.view.anaglyph else shown.view.panes
    return [SeenImage(slot, shown, name) for name in panes]
