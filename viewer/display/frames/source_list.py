"""The open sources of a session, which correspond to the list of sources in ``ViewerState``."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import DepthScale
from wheatstone.viewer.choices.open_sources import OpenSource, OpenSources, size_words
from wheatstone.viewer.choices.slot import Ahead
from wheatstone.viewer.display.frames.background_tasks import retire
from wheatstone.viewer.display.frames.frames import SessionFrames
from wheatstone.viewer.io.footage.planes import Planes
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.words import plural

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState

SMALL = 96  # pixels of the longer side of a small picture
NEW = -1  # the number of a source before it has one

Snapshot = tuple[OpenSources, dict[int, Source]]


class SourceList:
    """The sources that are open in a session, by the numbers of ``ViewerState.sources``.

    A source that is listed and not held was open in an earlier session; it is opened when it is
    shown. Sources that are not shown keep their frames, and read nothing ahead.

    Attributes:
        pictures: (H, W, 3) RGB, a small picture of each source that was shown.
    """

    def __init__(self, state: "ViewerState", source: Source) -> None:
        self._state, self._held = state, dict[int, Source]()
        self._frames: dict[Source, SessionFrames] = {}
        self.pictures: dict[int, NDArray[np.uint8]] = {}
        state.sources = replace(state.sources, compared=None)
        if state.sources.current:
            self.replace(source)
        else:
            self.add(source)

    @property
    def shown(self) -> Source:
        """The source of frames that run A reads."""
        return self._held[self._state.sources.shown]

    @property
    def compared(self) -> Source | None:
        """The source of frames that run B reads; None if it is that of run A."""
        number = self._state.sources.compared
        return None if number is None else self._held[number]

    def frames(self, source: Source) -> SessionFrames:
        """Return the object that fetches a source's frames, the same while the source is open."""
        return self._frames.setdefault(source, SessionFrames(source))

    def of(self, number: int) -> Source | None:
        """Return the open source with a number in the list; None if it is not open yet."""
        return self._held.get(number)

    def add(self, source: Source) -> None:
        """Add a source, and show it as A; replace a source opened from the same files.

        Raises:
            ValueError: too many are open.
        """
        listed = self._state.sources.listed
        same = (each.number for each in listed if each.spec and each.spec == source.spec)
        self.show(self._put(source, next(same, NEW)))

    def add_as_b(self, source: Source) -> None:
        """Add a source, and show it as B. Raises ``ValueError`` as ``add`` and ``compare``."""
        before = self.snapshot()
        number = self._put(source, NEW)
        try:
            self.compare(number)
        except ValueError:
            self._state.sources, self._held = before
            raise

    def replace(self, source: Source) -> None:
        """Replace the source of frames that run A reads."""
        self.show(self._put(source, self._state.sources.shown))

    def fill(self, number: int, source: Source) -> None:
        """Show a listed source, which is now open, as A, at the frame recorded for it."""
        known = self._state.sources.numbered(number)
        self.show(self._put(source, number, known.frame if known else 0))

    def _put(self, source: Source, number: int, frame: int = 0) -> int:
        """Add a source to the open ones and to the list; return its number."""
        entry = OpenSource(
            source.name,
            source.spec,
            kind_of(source),
            (source.height, source.width),
            source.length,
            ahead_of(source),
            frame=frame,
            live=source.live is not None,
            number=number,
        )
        self._state.sources = self._state.sources.with_source(entry)
        self._held[entry.number] = source
        self.pictures.pop(entry.number, None)
        return entry.number

    def show(self, number: int) -> None:
        """Show another open source as A; record the frame of the source shown before."""
        sources = self._state.sources
        if (before := sources.current) and before.number != number:
            sources = sources.with_source(replace(before, frame=self._state.frame))
        self._state.sources = sources.showing(number)

    def compare(self, number: int | None) -> None:
        """Show another open source as B; None: the source that A shows.

        Raises:
            ValueError: they differ in size, or the other one is live.
        """
        sources = self._state.sources
        other = None if number is None else sources.numbered(number)
        if other and (reason := sources.why_not_b(other)):
            raise ValueError(reason)
        self._state.sources = replace(sources, compared=number if other else None)

    def exchange(self) -> None:
        """Exchange the sources of frames of runs A and B."""
        sources = self._state.sources
        if sources.compared is not None:
            changed = replace(sources, shown=sources.compared, compared=sources.shown)
            self._state.sources = changed

    def remove(self, number: int) -> None:
        """Remove a source, which must not be that of run A, from the list; ``drop`` closes it."""
        self._state.sources = self._state.sources.without(number)
        self.pictures.pop(number, None)
        self._held.pop(number, None)

    def rest_hidden(self) -> None:
        """Stop preparing frames of sources that neither A nor B shows; resume it for the others."""
        sources = self._state.sources
        for number, source in self._held.items():
            source.rest(number not in (sources.shown, sources.compared))

    def note_scale(self, scale: DepthScale) -> None:
        """Record the depth scale of run B's source; do nothing while B reads the source of A."""
        if (other := self._state.sources.other) and other.scale != scale:
            self._state.sources = self._state.sources.with_source(replace(other, scale=scale))

    def note_frames(self, a: Frame | None, b: Frame | None) -> None:
        """Make the missing thumbnails of the sources that runs A and B read."""
        sources = self._state.sources
        for number, frame in ((sources.shown, a), (sources.compared, b)):
            if frame and number is not None and number not in self.pictures:
                self.pictures[number] = small_picture(frame)

    def snapshot(self) -> Snapshot:
        """Return the list and the open sources, for a later ``restore``."""
        return self._state.sources, dict(self._held)

    def restore(self, before: Snapshot) -> None:
        """Restore an earlier list of sources, and close the sources opened since."""
        now = self.snapshot()
        self._state.sources, self._held = before[0], dict(before[1])
        self.drop(now)

    def drop(self, before: Snapshot, kept: Snapshot | None = None) -> None:
        """Close the sources of an earlier list that neither this list nor ``kept`` contains."""
        held = {*self._held.values(), *(kept[1].values() if kept else ())}
        for source in set(before[1].values()) - held:
            self._frames.pop(source, None)
            retire(source)

    def close_all(self, patience: float | None) -> None:
        """Close all sources; wait for each at most ``patience`` seconds (None: no limit)."""
        for source in self._held.values():
            retire(source, patience)


def ahead_of(source: Source) -> Ahead:
    """Return the stages, such as rectification, that a source needs before each pipeline."""
    return Ahead(source.planar, source.rectification is not None, source.values)


def kind_of(source: Source) -> str:
    """Describe the kind and the size of a source in a few words."""
    if source.live:
        kind = "live"
    elif source.length > 1:
        kind = plural(source.length, "frame")
    elif source.values:
        kind = "values"
    else:
        halves = source.layouts and source.layouts[0] != "pair"
        kind = "pair" if source.spec.right or halves else "image"
    return f"{kind}, {size_words((source.height, source.width))}"


def small_picture(frame: Frame) -> NDArray[np.uint8]:
    """Make a small RGB picture of a frame's left view as it was taken, (H, W, 3)."""
    import cv2

    view = frame.taken[0]
    pixels = view.host[0] if isinstance(view, Planes) else view
    height, width = pixels.shape[:2]
    factor = SMALL / max(height, width)
    size = max(round(width * factor), 1), max(round(height * factor), 1)
    small = cv2.resize(np.ascontiguousarray(pixels), size, interpolation=cv2.INTER_AREA)
    colored = small if small.ndim == 3 else cv2.cvtColor(small, cv2.COLOR_GRAY2RGB)
    return np.asarray(colored, np.uint8)
