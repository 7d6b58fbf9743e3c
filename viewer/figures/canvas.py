"""A renderer of a planned figure's images, without a window, one stereo pair at a time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import gpu_number
from wheatstone.viewer.choices.state import FITTED, ViewerState
from wheatstone.viewer.display.picture.truth import ABSENT
from wheatstone.viewer.figures.panes import FigurePane, judged, panes_shown
from wheatstone.viewer.figures.plan import FigureCell, FigurePlan, FigureRow
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.layers import Machine

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

PATIENCE = 0.1  # seconds from telling how far a frame is to telling again
Tell = Callable[[str, float | None], None]
"""Receives the name of the current task, and the share done, from 0 to 1; None if unknown."""


@dataclass(frozen=True)
class DrawnRow:
    """The drawn images of one stereo pair in a figure."""

    name: str
    panes: tuple[FigurePane, ...]


class FigureCanvas:
    """A renderer that draws figures by the window's drawing code, but without a window.

    Args:
        machine: the devices and presets of this machine.
        tell: receives the progress of a plan.

    Raises:
        Unavailable: there is no OpenGL.
    """

    def __init__(self, machine: Machine, tell: Tell) -> None:
        from wheatstone.viewer.display.screen.offscreen import OffscreenContext

        self._machine, self._tell = machine, tell
        self._context = OffscreenContext(None if machine.absent.get("cuda") else gpu_number())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._context.close()

    def drawn(self, plan: FigurePlan) -> tuple[DrawnRow, ...]:
        """Draw all images of a figure; an image that cannot be drawn is replaced by the reason."""
        total, done = sum(len(row.cells) for row in plan.rows), 0
        drawn = []
        for row in plan.rows:
            panes: list[FigurePane] = []
            with closing(_Pair(row, self._machine, self._tell)) as pair:
                for cell in row.cells:
                    self._tell(" ".join(filter(None, (row.name, cell.title))), done / total)
                    panes += pair.panes(cell)
                    done += 1
            drawn.append(DrawnRow(row.name, tuple(panes)))
        return tuple(drawn)


class _Pair:
    """A stereo pair to draw in a figure; its source is opened when its first cell is drawn."""

    def __init__(self, row: FigureRow, machine: Machine, tell: Tell) -> None:
        self._row, self._machine, self._tell = row, machine, tell
        self._source: Source | None = None
        self._stack = ExitStack()
        self._session: Session | None = None
        self._why = ""

    def panes(self, cell: FigureCell) -> Iterator[FigurePane]:
        """Draw the images of a figure's cell; if that fails, yield the reason instead."""
        why = cell.why or (self._why if cell.recipe else "")
        if why or not cell.recipe:
            yield from _empty(cell, why)
            return
        try:
            yield from self._drawn(cell)
        except (OSError, ValueError, Unavailable, MemoryError) as error:
            reason = one_line(str(error) or "out of memory")
            self._why = "" if self._source else reason
            self._end()  # what failed may have left it in any state
            yield from _empty(cell, reason)

    def _drawn(self, cell: FigureCell) -> tuple[FigurePane, ...]:
        self._source = self._source or open_source(SourceSpec.from_dict(self._row.source))
        state = self._machine.state(dict(cell.recipe))
        wanted = cell.recipe["view"].get("variant")
        if cell.measured and state.slot.variant != wanted:
            raise Unavailable(state.message)
        state.zoom, state.center = FITTED
        errors, session = state.truth.show, self._showing(state)
        while not session.compute(PATIENCE):
            if progress := session.progress:
                self._tell(progress.step, progress.share)
        session.drawing.draw(self._source.width, self._source.height)  # as a window does at first
        session.finish()
        if errors != session.state.truth.show:
            raise ValueError(ABSENT)
        return judged(panes_shown(session, cell))

    def _showing(self, state: ViewerState) -> "Session":
        """Apply a viewer state to the pair's session, which the first call starts; return it."""
        from wheatstone.viewer.display.frames.session import Session
        from wheatstone.viewer.display.screen.display import Display

        assert self._source
        if self._session:
            now = self._session.state
            state.sources = now.sources
            state.fit_slots(now.ahead, now.scale)
            vars(now).update(vars(state))
            return self._session
        display = self._stack.enter_context(closing(Display()))
        session = self._stack.enter_context(closing(Session(state, self._source, display)))
        for spec in self._row.sources[1:]:
            values = open_source(spec)
            self._stack.callback(values.close)
            session.sources.add_as_b(values)
            session.take_sources()
        self._session = session
        return session

    def _end(self) -> None:
        """End the pair's session; the next cell starts another one."""
        self._session = None
        self._stack.close()

    def close(self) -> None:
        """End the pair's session, and close the pair's source."""
        self._end()
        if self._source:
            with suppress(OSError):
                self._source.close()


def _empty(cell: FigureCell, why: str) -> Iterator[FigurePane]:
    """Yield the images of an empty cell; the first one contains the reason why it is empty."""
    yield FigurePane(cell.title, why=why, measured=cell.measured)
    for _ in range(cell.places - 1):
        yield FigurePane(cell.title)
