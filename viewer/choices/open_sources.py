"""The list of open sources of frames as plain data, and which of them runs A and B read."""

from dataclasses import dataclass, replace
from itertools import count
from typing import Self

from wheatstone.gpu.image import DepthScale
from wheatstone.viewer.choices.slot import NOTHING_AHEAD, Ahead
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec

SOURCES = "sources"
"""The name of the panel that lists them."""
MOST_OPEN = 64
_numbers = count(1)


def size_words(size: tuple[int, int] | None) -> str:
    """Format a size (height, width) as width x height; None as ``not open``."""
    return "{1}x{0}".format(*size) if size else "not open"


@dataclass(frozen=True)
class OpenSource:
    """A source of frames in the list of open sources, such as a folder, video or camera.

    Attributes:
        number: tells it from every other one of this process; its place in the list may change.
        spec: opens it again; empty for one that cannot be opened again.
        kind: what it is, in a few words with its size; empty before it is opened.
        size: height and width; None before it is opened.
        length: number of frames.
        ahead: the stages that pipelines run first for it.
        scale: of its depths; None before its first frame.
        frame: the frame shown last.
        live: whether it is a camera or a stream.
    """

    title: str
    spec: SourceSpec = NO_SOURCE
    kind: str = ""
    size: tuple[int, int] | None = None
    length: int = 1
    ahead: Ahead = NOTHING_AHEAD
    scale: DepthScale | None = None
    frame: int = 0
    live: bool = False
    number: int = -1

    def __post_init__(self) -> None:
        if self.number < 0:
            object.__setattr__(self, "number", next(_numbers))


@dataclass(frozen=True)
class OpenSources:
    """The list of open sources of frames, and which of them runs A and B read.

    Attributes:
        shown: number of the source that A shows; 0 before there is one.
        compared: number of the source that B shows; None: that of A.
    """

    listed: tuple[OpenSource, ...] = ()
    shown: int = 0
    compared: int | None = None

    @property
    def current(self) -> OpenSource | None:
        """Return the source of frames that run A reads; None before there is one."""
        return self.numbered(self.shown)

    @property
    def other(self) -> OpenSource | None:
        """Return the source of frames that run B reads, if it is not that of A; else None."""
        return None if self.compared is None else self.numbered(self.compared)

    def numbered(self, number: int) -> OpenSource | None:
        """Return the source with a given number; None if it is not in the list."""
        return next((each for each in self.listed if each.number == number), None)

    def at(self, place: int) -> OpenSource:
        """Return the source at a list position, from 1; raise ``ValueError`` if out of range."""
        if not 1 <= place <= len(self.listed):
            raise ValueError(f"there is no source {place}: {len(self.listed)} are open")
        return self.listed[place - 1]

    def place(self, number: int) -> int:
        """Return the position of a source in the list of open sources, from 1."""
        return [each.number for each in self.listed].index(number) + 1

    def beside(self, step: int) -> OpenSource:
        """Return the source some steps after the source of run A in the list, cyclically."""
        return self.listed[(self.place(self.shown) - 1 + step) % len(self.listed)]

    def why_not_b(self, source: OpenSource) -> str:
        """Return why B cannot show a source while A shows its present one; empty if it can."""
        shown = self.current
        if shown is None or source.number == self.shown:
            return ""
        if source.size is None:
            return f"{source.title} is not open yet: show it once, then compare with it"
        if source.size != shown.size:
            sizes = (f"{each.title} is {size_words(each.size)}" for each in (shown, source))
            return f"A and B must have the same size: {', '.join(sizes)}"
        return f"{source.title} is live: show it as A, and another as B" if source.live else ""

    def with_source(self, source: OpenSource) -> Self:
        """Copy the list with a source added, or replaced if its number is in the list.

        Raises:
            ValueError: too many are open.
        """
        if self.numbered(source.number):
            each = (source if one.number == source.number else one for one in self.listed)
            return replace(self, listed=tuple(each))
        if len(self.listed) >= MOST_OPEN:
            raise ValueError(f"{MOST_OPEN} sources are open: close one first")
        return replace(self, listed=(*self.listed, source))

    def showing(self, number: int) -> Self:
        """Copy the list with another source for A; B keeps its source if the two are comparable."""
        other, changed = self.other, replace(self, shown=number)
        fits = other and other.number != number and not changed.why_not_b(other)
        return changed if fits else replace(changed, compared=None)

    def without(self, number: int) -> Self:
        """Copy the list without one source, which must not be that of run A."""
        listed = tuple(each for each in self.listed if each.number != number)
        compared = None if self.compared == number else self.compared
        return replace(self, listed=listed, compared=compared)
