"""What was shown last, to go back to when what is chosen next cannot be computed."""

from collections.abc import Collection
from dataclasses import replace

from wheatstone.gpu.device import give_back_memory
from wheatstone.viewer.choices.zooming import zoom_to_fit
from wheatstone.viewer.frames.beside import retire
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.picture.selection import Selection
from wheatstone.viewer.sources.frame import Source


class LastShown:
    """Remembers the selection, the frame and the source that were shown last.

    Attributes:
        anything: whether a picture was shown at all.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self._selection, self._frame = Selection.of(self._state), self._state.frame
        self._source: Source | None = None  # the one before, until the one opened is shown
        self._closed: set[str] = set()  # panels that the one opened closed, as long
        self.anything = False

    @property
    def same(self) -> bool:
        """Tell whether what is chosen now is what was shown, of the same source."""
        return self.same_selection and not self._source

    @property
    def same_selection(self) -> bool:
        """Tell whether the slots and views chosen now are those shown."""
        return Selection.of(self._state) == self._selection

    def open_source(
        self, source: Source, *, keep_look: bool = False, closes: Collection[str] = ()
    ) -> None:
        """Show another source; keep the one before until the new one is shown.

        Args:
            closes: panels that close, and open again if the new one cannot be shown.
            keep_look: frame, zoom and frozen B stay; if not, it begins with the first frame, whole.
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
        """Remember what is chosen as what is shown."""
        self._selection, self._frame = Selection.of(self._state), self._state.frame

    def note_computed(self) -> bool:
        """Remember what is chosen as what is shown, and close the source before.

        Tell whether it is the first that is shown of its source.
        """
        first = not self.anything or self._source is not None
        self.anything = True
        self.note_shown()
        if self._source:
            retire(self._source)
            self._source, self._closed = None, set()
            give_back_memory()
        return first

    def note_a_alone(self) -> None:
        """Remember A of what is chosen as what is shown: B is still to come."""
        self.note_computed()
        self._selection = replace(self._selection, mode="off", check=False)

    def skip_unreadable(self) -> bool:
        """Choose a frame after one that cannot be read, if no picture of the source is shown yet.

        Tell whether that was done. A window without another source stays even if no frame is left.
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
        """Choose what was shown last, and return to its source."""
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
        """Choose what was shown last, and no more: nothing is opened, given up or drawn."""
        self._selection.restore(self._state)
        self._state.frame = self._frame

    @property
    def source(self) -> Source:
        """The source of what was shown last."""
        return self._source or self._session.source

    def pass_by_unreadable(self) -> None:
        """Choose a frame that the source has, beyond those found unreadable, and say which."""
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
