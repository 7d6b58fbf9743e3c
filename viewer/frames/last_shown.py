"""What was shown last, to go back to when what is chosen next cannot be computed."""

from gpu.device import give_back_memory
from viewer.choices.zooming import zoom_to_fit
from viewer.frames.session import Session
from viewer.picture.selection import Selection
from viewer.sources.frame import Source


class LastShown:
    """Remembers the selection, the frame and the source that were shown last.

    Attributes:
        anything: whether a picture was shown at all.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self._selection, self._frame = Selection.of(self._state), self._state.frame
        self._source: Source | None = None  # the one before, until the one opened is shown
        self._unreadable = set[int]()  # frames of the source found so
        self.anything = False

    @property
    def same(self) -> bool:
        """Tell whether what is chosen now is what was shown, of the same source."""
        return self.same_selection and not self._source

    @property
    def same_selection(self) -> bool:
        """Tell whether the slots and views chosen now are those shown."""
        return Selection.of(self._state) == self._selection

    def open_source(self, source: Source, *, keep_look: bool = False) -> None:
        """Show another source; keep the one before until the new one is shown.

        Args:
            keep_look: frame, zoom and frozen B stay; if not, it begins with the first frame, whole.
        """
        if self._source:
            self._session.source.close()
        else:
            self._source = self._session.source
        self._session.open_source(source)
        self._unreadable.clear()
        if not keep_look:
            self._state.frame = 0
            zoom_to_fit(self._state)
            self._state.mix(frozen=None)

    def note_shown(self) -> None:
        """Remember what is chosen as what is shown."""
        self._selection, self._frame = Selection.of(self._state), self._state.frame

    def note_computed(self) -> None:
        """Remember what is chosen as what is shown, and close the source before."""
        self.anything = True
        self.note_shown()
        if self._source:
            self._source.close()
            self._source = None
            give_back_memory()

    def note_unreadable(self) -> None:
        """Remember the frame chosen if it cannot be read."""
        try:
            self._session.source.frame(self._state.frame)
        except (ValueError, OSError):
            self._unreadable.add(self._state.frame)

    def go_back(self) -> None:
        """Choose what was shown last, and return to its source."""
        state = self._state
        if self.same_selection and state.frame not in self._unreadable:
            state.stages = False  # A alone can be computed: it is B that cannot
        if self._source:
            self._session.source.close()
            self._session.open_source(self._source)
            self._unreadable.clear()
            self._source = None
        self._selection.restore(state)
        state.jump = 0
        state.frame = self._frame

    def pass_by_unreadable(self) -> None:
        """Choose a frame that the source has, beyond those found unreadable, and say which."""
        state, length = self._state, self._session.source.length
        asked, step = state.frame, -1 if state.frame < self._frame else 1
        state.frame %= length
        while state.frame in self._unreadable and state.frame != self._frame:
            state.frame = (state.frame + step) % length
        if state.frame == asked or not state.paused:
            return
        if length == 1:
            state.message = f"{self._session.source.name} has one frame"
        elif asked % length in self._unreadable:
            state.message = f"frame {state.frame}; frame {asked % length} cannot be read"
        else:
            state.message = f"frame {state.frame}"

    def close(self) -> None:
        """Close the source kept to go back to."""
        if self._source:
            self._source.close()
