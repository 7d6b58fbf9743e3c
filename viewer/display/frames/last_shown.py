"""The last view shown, restored when the next choice cannot be computed."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Self

from wheatstone.gpu.device import give_back_memory
from wheatstone.gpu.pipeline import View
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.zooming import zoom_to_fit
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.source_list import Snapshot
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.run.run import Run


@dataclass(frozen=True)
class Selection:
    """The user's choices that decide which images are computed, such as runs and views.

    ``watched`` is the stage in slow motion and the path that it follows.
    """

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
        """Return the choices in a viewer state that decide which images are computed."""
        mixing = state.mixing
        mixed = mixing.mode, mixing.frozen, mixing.check
        watched = state.unfolding.stage, state.unfolding.path
        return cls(state.slot, state.view, state.b, state.linked, *mixed, watched)

    def restore(self, state: ViewerState) -> None:
        """Restore these choices in a viewer state."""
        state.slot, state.b, state.linked = self.slot, self.b, self.linked
        state.set_view(self.slot.pipeline, self.view.name)
        state.mix(mode=self.mode, frozen=self.frozen, check=self.check)
        stage, path = self.watched
        state.unfolding = replace(state.unfolding, stage=stage, path=path)


class LastShown:
    """The choices, the frame and the source of frames that were shown last.

    Attributes:
        anything: whether any picture was shown.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self._selection, self._frame = Selection.of(self._state), self._state.frame
        self._before: Snapshot | None = None  # the sources, until the changed ones are shown
        self._closed: set[str] = set()  # panels that the one opened closed, as long
        self.anything = False

    @property
    def same(self) -> bool:
        """Return whether the current choices and source are those shown last."""
        return self.same_selection and not self._before

    @property
    def same_selection(self) -> bool:
        """Return whether the chosen runs and views are those shown last."""
        return Selection.of(self._state) == self._selection

    def change_sources(
        self,
        change: Callable[[], None],
        *,
        keep_look: bool = False,
        keep_zoom: bool = False,
        closes: Collection[str] = (),
    ) -> None:
        """Change the list of sources; the previous ones stay open until new ones are shown.

        Args:
            change: changes the session's ``sources``.
            keep_look: keep frame, zoom and frozen B; if False, show the frame that the source had.
            keep_zoom: keep the zoom if the size is the same.
            closes: panels to close; they open again if the new source cannot be shown.

        Raises:
            ValueError: the list cannot be changed so.
        """
        state, sources = self._state, self._session.sources
        before, size = sources.snapshot(), self._size
        change()
        self._before = self._before or before
        sources.drop(before, self._before)
        if not keep_look:
            assert state.sources.current
            state.frame = state.sources.current.frame
            state.cloud = replace(state.cloud, pivot=None)
            state.mix(frozen=None)
        if not (keep_look or (keep_zoom and self._size == size)):
            zoom_to_fit(state)
        self._session.take_sources()
        self._closed.update(closes)
        state.open_panels.difference_update(closes)

    @property
    def _size(self) -> tuple[int, int] | None:
        current = self._state.sources.current
        return current.size if current else None

    def note_shown(self) -> None:
        """Record the current choices and the frame as those shown last."""
        self._selection, self._frame = Selection.of(self._state), self._state.frame

    def note_computed(self) -> bool:
        """Record the current choices as those shown last; return whether the source is new."""
        first = not self.anything or self._before is not None
        self.anything = True
        self.note_shown()
        if self._before:
            self._session.sources.drop(self._before)
            self._before, self._closed = None, set()
            give_back_memory()
        return first

    def note_a_alone(self) -> None:
        """Record the choices for run A as shown, while run B is not computed yet."""
        self.note_computed()
        self._selection = replace(self._selection, mode="off", check=False)

    def skip_unreadable(self) -> bool:
        """Skip unreadable frames before a source's first picture; return whether one was skipped.

        True also if a first source has no readable frame.
        """
        state, frames = self._state, self._session.frames
        frozen, length = state.mixing.frozen, frames.source.length
        asked = [index % length for index in (state.frame, frozen) if index is not None]
        if (self.anything and not self._before) or not frames.unreadable.keys() & asked:
            return False
        if frames.hopeless:
            return not (self.anything or self._before)
        if frozen is not None and frozen % length in frames.unreadable:
            state.mix(frozen=None)
        while state.frame % length in frames.unreadable:
            state.frame = (state.frame + 1) % length
        return True

    def go_back(self) -> None:
        """Restore the choices and the source that were shown last."""
        state = self._state
        if self.same_selection and state.frame not in self._session.frames.unreadable:
            state.stages = False  # A alone can be computed: it is B that cannot
        if self._before:
            self._session.sources.restore(self._before)
            self._session.take_sources()
            state.open_panels.update(self._closed)
            self._before, self._closed = None, set()
        state.jump = 0
        self.choose()

    def choose(self) -> None:
        """Restore the choices and frame shown last, without opening, cancelling or drawing."""
        self._selection.restore(self._state)
        self._state.frame = self._frame

    @property
    def source(self) -> Source:
        """Return the source of the last view shown."""
        return self._before[1][self._before[0].shown] if self._before else self._session.source

    def close_sources(self, patience: float | None) -> None:
        """Close all sources; wait for each at most ``patience`` seconds (None: no limit)."""
        sources = self._session.sources
        if self._before:
            sources.drop(self._before)
        sources.close_all(patience)

    def pass_by_unreadable(self) -> None:
        """Move the frame index past unreadable frames, and report them."""
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
