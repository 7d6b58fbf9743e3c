"""The last view shown, restored when the next choice cannot be computed."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

from wheatstone.gpu.device import give_back_memory
from wheatstone.gpu.pipeline import View
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.zooming import zoom_to_fit
from wheatstone.viewer.display.frames.background_tasks import retire
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.run.run import Run


@dataclass(frozen=True)
class Selection:
    """The choices that decide which images are computed; ``watched``: a stage and its path."""

    slot: Run
    view: View
    b: Run | None
    linked: bool
    mode: str
    frozen: int | None
    check: bool
    watched: tuple[str, int]

    @classmethod
    def of(cls, state: ViewerState) -> Self:
        """Save the choices of a state."""
        mixing = state.mixing
        mixed = mixing.mode, mixing.frozen, mixing.check
        watched = state.unfolding.stage, state.unfolding.path
        return cls(state.slot, state.view, state.b, state.linked, *mixed, watched)

    def restore(self, state: ViewerState) -> None:
        """Restore the saved choices in a state."""
        state.slot, state.b, state.linked = self.slot, self.b, self.linked
        state.set_view(self.slot.pipeline, self.view.name)
        state.mix(mode=self.mode, frozen=self.frozen, check=self.check)
        stage, path = self.watched
        state.unfolding = replace(state.unfolding, stage=stage, path=path)


class LastShown:
    """Remembers the selection, the frame and the source that were shown last.

    Attributes:
        anything: whether any picture was shown.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self._selection, self._frame = Selection.of(self._state), self._state.frame
        self._source: Source | None = None  # the one before, until the one opened is shown
        self._closed: set[str] = set()  # panels that the one opened closed, as long
        self.anything = False

    @property
    def same(self) -> bool:
        """Return whether the current choice equals the last view shown, of the same source."""
        return self.same_selection and not self._source

    @property
    def same_selection(self) -> bool:
        """Return whether the chosen slots and views are those shown last."""
        return Selection.of(self._state) == self._selection

    def open_source(
        self, source: Source, *, keep_look: bool = False, closes: Collection[str] = ()
    ) -> None:
        """Show another source; keep the previous one open until the new one is shown.

        Args:
            closes: panels to close; they open again if the new source cannot be shown.
            keep_look: keep frame, zoom and frozen B; if False, show the whole first frame.
        """
        if self._source:
            retire(self._session.source)
        else:
            self._source = self._session.source
        self._session.open_source(source)
        self._closed.update(closes)
        self._state.open_panels.difference_update(closes)
        if not keep_look:
            self._state.frame = 0
            zoom_to_fit(self._state)
            self._state.cloud = replace(self._state.cloud, pivot=None)
            self._state.mix(frozen=None)

    def note_shown(self) -> None:
        """Record the current choice as shown."""
        self._selection, self._frame = Selection.of(self._state), self._state.frame

    def note_computed(self) -> bool:
        """Record the current choice as shown; return whether its source was not shown before."""
        first = not self.anything or self._source is not None
        self.anything = True
        self.note_shown()
        if self._source:
            retire(self._source)
            self._source, self._closed = None, set()
            give_back_memory()
        return first

    def note_a_alone(self) -> None:
        """Record A of the current choice as shown; B is not computed yet."""
        self.note_computed()
        self._selection = replace(self._selection, mode="off", check=False)

    def skip_unreadable(self) -> bool:
        """Skip unreadable frames before the first picture; return False if nothing was skipped.

        True also if a first source has no readable frame.
        """
        state, frames = self._state, self._session.frames
        frozen, length = state.mixing.frozen, frames.source.length
        asked = [index % length for index in (state.frame, frozen) if index is not None]
        if (self.anything and not self._source) or not frames.unreadable.keys() & asked:
            return False
        if frames.hopeless:
            return not (self.anything or self._source)
        if frozen is not None and frozen % length in frames.unreadable:
            state.mix(frozen=None)
        while state.frame % length in frames.unreadable:
            state.frame = (state.frame + 1) % length
        return True

    def go_back(self) -> None:
        """Restore the last view shown, and return to its source."""
        state = self._state
        if self.same_selection and state.frame not in self._session.frames.unreadable:
            state.stages = False  # A alone can be computed: it is B that cannot
        if self._source:
            retire(self._session.source)
            self._session.open_source(self._source)
            state.open_panels.update(self._closed)
            self._source, self._closed = None, set()
        state.jump = 0
        self.choose()

    def choose(self) -> None:
        """Restore the last selection and frame, without opening, cancelling or drawing."""
        self._selection.restore(self._state)
        self._state.frame = self._frame

    @property
    def source(self) -> Source:
        """The source of the last view shown."""
        return self._source or self._session.source

    def pass_by_unreadable(self) -> None:
        """Move the frame index past frames known to be unreadable, and report which are."""
        state, length = self._state, self._session.source.length
        unreadable = self._session.frames.unreadable
        asked, step = state.frame, -1 if state.frame < self._frame else 1
        state.frame %= length
        while state.frame in unreadable and state.frame != self._frame:
            state.frame = (state.frame + step) % length
        if state.frame == asked or not state.paused:
            return
        if length == 1:
            state.hint(f"{self._session.source.name} has one frame")
        elif asked % length in unreadable:
            state.warn(f"frame {state.frame}; frame {asked % length} cannot be read")
        else:
            state.hint(f"frame {state.frame}")
