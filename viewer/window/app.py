"""The frame loop of the window: a good starting point for reading the program."""

import gc
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial

from wheatstone.gpu import Unavailable
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.frames.background_tasks import BackgroundTasks, retire
from wheatstone.viewer.display.frames.last_shown import LastShown
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.waiting import Waiting
from wheatstone.viewer.display.picture.shown import NoRightImage
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.file_dialog import FileDialog
from wheatstone.viewer.display.screen.overlay import Overlay
from wheatstone.viewer.io.sources.file_watch import FileWatch
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import passing
from wheatstone.viewer.panels.histogram.counting import shows_depths
from wheatstone.viewer.window.browser_server import BrowserServer
from wheatstone.viewer.window.effects import EFFECTS, run_at_once, run_effects
from wheatstone.viewer.window.own_kernels import FollowedKernels
from wheatstone.viewer.window.pace import WATCHES, Pace
from wheatstone.viewer.window.presentation import AppWindow, Presentation
from wheatstone.viewer.window.routing import Routing
from wheatstone.viewer.window.window_layout import WindowLayout

UNSEEN = 1 / 60  # seconds from frame to frame of a minimised window, which no screen holds up
PATIENCE = 0.01  # seconds to wait for the CPU before the window goes on without its frame


class App:
    """The program in one window, which shows a session controlled by keys and mouse."""

    def __init__(self, window: AppWindow, session: Session, overlay: Overlay) -> None:
        self.window, self.session, self.overlay = window, session, overlay
        self.state: ViewerState = session.state
        session.a_first = True
        self.layout, self.background = WindowLayout(session), BackgroundTasks()
        self.dialog: FileDialog | None = None
        self.browser: BrowserServer | None = None
        self.effects = EFFECTS  # that may be run; a script has others
        self.fits_depths = False  # whether the range of depths is fitted to each source
        self._fitted: Frame | None = None  # the frame to which it was fitted last
        self._last = LastShown(session)
        self.waiting = Waiting(session, self.background, self._last)
        self._routing = Routing(self.layout, overlay, self.waiting.give_up)
        self.presentation = Presentation(
            window, overlay, self.layout, self._routing, self.waiting, self._last
        )
        self._watch = FileWatch(session.source.spec).start()
        self._kernels = FollowedKernels(session)
        self.layout.kernels = self._kernels.watches
        self.pace = Pace(lambda: self.rests and not self.has_to_run, lambda: self.dues)

    def open_source(
        self, source: Source, *, keep_look: bool = False, replaces: bool | None = None
    ) -> None:
        """Show a newly opened source, and keep or close the source that was shown before.

        If it cannot be shown as chosen, the window reports why, closes it and keeps the old one.

        Args:
            keep_look: keep frame, zoom and frozen B, as it replaces the one shown; if False, show
                the whole first frame.
            replaces: the one shown is closed; None: it is if the look is kept.
        """
        sources = self.session.sources
        closes = keep_look if replaces is None else replaces
        change = sources.replace if closes else sources.add
        try:
            self.change_sources(partial(change, source), keep_look=keep_look)
        except ValueError:
            retire(source)
            raise

    def change_sources(
        self, change: Callable[[], None], *, keep_look: bool = False, keep_zoom: bool = False
    ) -> None:
        """Call a function that changes the list of open sources, then show the sources it chose."""
        closes = passing(self.state.open_panels)
        self.state.single, self.state.refused = "", None
        looks = {"keep_look": keep_look, "keep_zoom": keep_zoom}
        self._last.change_sources(change, **looks, closes=closes)
        self.waiting.begin_source()
        self.state.look = replace(self.state.look, fitted=None)
        undoing.follow(self.state)  # a run that a file of values takes the place of is no step

    def run(self) -> None:
        """Draw frames until the user closes the window."""
        frozen = False
        while not (self.window.closed or self.state.closing):
            if self._comes_due():
                self.step()
            if self.started and not frozen:
                gc.freeze()  # going through all that was imported would hold up a frame for 0.1 s
                frozen = True

    def _comes_due(self) -> bool:
        """Return whether a frame must be drawn now; if not, wait a short time first."""
        if self.window.minimised:
            self.window.wait(UNSEEN if self.has_to_run else WATCHES)
            if not self.has_to_run:
                self.session.hold()
            return True
        if not (seconds := self.pace.seconds()):
            return True
        self.session.meters.rest()
        happened = self.window.wait(min(seconds, WATCHES))
        self.follow_files()
        return happened

    @property
    def started(self) -> bool:
        """Whether the first picture of the window was shown."""
        return self._last.anything

    @property
    def settled(self) -> bool:
        """Whether the chosen view is shown, and no requested task or file is pending."""
        session = self.session
        waits = self.background.busy or session.rows.waits or session.figures.busy
        asked = self._asked or self._routing.holds
        return self.stands and not (waits or asked)

    @property
    def stands(self) -> bool:
        """Whether the chosen view is computed and shown, and no search or check delays it."""
        held = self.session.checks.holds or self.state.jump
        return self._last.anything and self.session.current and not held

    @property
    def busy(self) -> bool:
        """Whether a requested task runs in the background."""
        session = self.session
        return bool(session.worker.running or session.frames.progress or self.background.busy)

    @property
    def _asked(self) -> bool:
        """Whether requested actions can run now, without waiting for the file dialog."""
        waits = self.dialog is not None and not self.dialog.done
        return any(not waits or effect[0] != "take files" for effect in self.state.effects)

    @property
    def has_to_run(self) -> bool:
        """Whether frames are needed even while the window is hidden, such as for a recording."""
        records = self.session.recordings.needs_frames
        races = bool(self.state.racing) and self.layout.busy
        return records or self._asked or self.background.busy or races

    @property
    def dues(self) -> list[float]:
        """Return the times when the window must be redrawn even without an event; see ``Pace``."""
        leaving = self.state.leaving - time.monotonic() + time.perf_counter()
        return [leaving, self.overlay.due, *self.session.dues, *self.layout.dues]

    @property
    def rests(self) -> bool:
        """Whether the window needs no new frame until an event or a file change."""
        state, session = self.state, self.session
        moves = session.source.live or (session.source.rate and not watched(state))
        plays = state.unfolding.plays and watched(state)
        if (moves and not state.paused) or state.mixing.mode == "blink" or plays:
            return False
        stuck = session.frames.hopeless or self.waiting.gave_up
        waits = self._asked or self.busy or self.layout.busy or self.layout.outdated
        return (self.settled or stuck) and not waits

    def step(self) -> None:
        """Run one frame of the loop: events, the chosen view, picture and panels, then effects."""
        happened = self.window.poll()
        self.pace.begin(happened=bool(happened))
        self.state.stepped &= self.state.paused
        undoing.follow(self.state)
        events = [event for event in self._routing.due(happened) if self._handle(event)]
        if not self.window.set_fullscreen(self.state.fullscreen):
            self.state.fullscreen = not self.state.fullscreen
        if self.window.minimised and (0 in self.window.size or not self.has_to_run):
            return  # there is nothing to draw on, or nobody sees it
        self._compute()
        self.presentation.draw(events)
        source = self.session.source
        run_effects(self, self.effects)
        undoing.note(self.state)
        if self.session.source is not source:
            undoing.forget_source(self.state)
        self.follow_files()

    def _handle(self, event: Event) -> bool:
        """Handle an event; return whether it is also passed to the panels."""
        for_panels = self._routing.handle(event, self.presentation.scale)
        run_at_once(self, self.effects)
        undoing.note(self.state)
        return for_panels

    def follow_files(self) -> None:
        """Reload the source after its files changed, and switch to newly saved kernels."""
        self._kernels.follow()
        self.presentation.warn_in_title(self._kernels.warning)
        spec = self.session.source.spec
        if spec != self._watch.spec:
            self._watch.close()
            self._watch = FileWatch(spec).start()
        if self.background.opening or not self.state.playing.watch:
            return
        if changed := self._watch.changed():
            self.state.effects.append(("read changed", changed))

    def _compute(self) -> None:
        """Compute the chosen view unless it is shown already, and whatever depends on it."""
        session = self.session
        if session.frames.hopeless:
            pass  # the message says why; something else may be chosen
        elif self.waiting.gave_up:
            self.waiting.show_left_view()
        elif not (session.checks.holds and session.idle):
            session.advance()
            self._last.pass_by_unreadable()
            waited_for_b = session.drawing.before_b
            if session.rests():
                self._last.note_shown()
            else:
                try:
                    done = session.compute(PATIENCE, self.presentation.announce)
                except (Unavailable, ValueError, OSError) as error:
                    self._recover(error)
                else:
                    self._note_result(done, waited_for_b)
            session.rows.follow()
            session.figures.follow()
        if session.idle:
            self._compare()
            self._fit_depths()

    def _note_result(self, done: bool, waited_for_b: bool) -> None:
        """Record that the chosen view is complete, or that only A of it is, or nothing yet."""
        session = self.session
        if not done:
            self.waiting.note_unfinished()
            if session.drawing.before_b and not waited_for_b:
                self._last.note_a_alone()
            return
        self.waiting.note_computed()
        self._kernels.note_computed()
        session.sources.note_frames(session.a.frame, session.b.frame)
        if self._last.note_computed():
            self.state.effects.append(("note source",))

    def _recover(self, error: Exception) -> None:
        """Report why the chosen view cannot be computed, and restore the one shown last.

        Before the first picture, raise the error again.
        """
        state, session = self.state, self.session
        if isinstance(error, KernelFault) and self._last.same_selection:
            if self._kernels.leave(error):
                self.presentation.warn_in_title(self._kernels.warning)
                state.report_error(str(error))
                return
        text = str(error)
        if isinstance(error, NoRightImage):
            text, state.single = error.in_window, session.source.spec.left or ""
        skipped = self._last.skip_unreadable()
        if self._last.same and not (skipped or self._last.anything):
            raise error
        if not skipped:
            self._last.go_back()
        state.report_error(text)

    def _fit_depths(self) -> None:
        """Request a fitted display range for depths, if the frame has none yet."""
        frame = self.session.frame_shown
        wanted = self.fits_depths and self.state.look.fitted is None and frame is not self._fitted
        if wanted and self.stands and shows_depths(self.session):
            self._fitted = frame
            self.state.effects.append(("fit depths",))

    def choose_last_shown(self) -> bool:
        """Select the last view shown, without computing it; return whether any view was shown."""
        self._last.choose()
        return self._last.anything

    @property
    def spec(self) -> SourceSpec:
        """Return the source specification (files and options) of the last view shown."""
        return self._last.source.spec

    def choose_shown(self) -> None:
        """Cancel a view that is still being computed, and select the view on screen again."""
        if self._last.anything and not self.session.complete:
            self.session.cancel()
            self._last.go_back()

    def _compare(self) -> None:
        state, checks = self.state, self.session.checks
        if state.jump and checks.jump(state.jump):
            state.jump = 0
        if checks.holds:
            try:
                checks.compare_stages()
            except (Unavailable, ValueError) as error:
                state.report_error(str(error))
                state.stages = False

    def finish(self) -> list[str]:
        """Close the panels and end recordings; wait until all files are written.

        Returns:
            Messages about files not written, and about recordings that ended now or on their own.
        """
        self.layout.close()
        if self.dialog:
            self.dialog.close()
        if self.browser:
            self.browser.close()
        self.session.cancel()  # values to be written may wait for the worker
        recordings = self.session.recordings
        recorded = recordings.end()()
        return self.background.finish() + recordings.ended + [recorded] * bool(recorded)

    @property
    def failed(self) -> bool:
        """Whether writing a file or a recording failed."""
        return bool(self.background.unwritten) or self.session.recordings.failed

    def close(self, patience: float | None = None) -> None:
        """Close panels and sources after all files are written.

        Window, session and overlay are closed by their owners.

        Args:
            patience: seconds to wait for a source that reads or renders; None: until it has ended.
        """
        self.finish()
        self._watch.close()
        self._kernels.close()
        self.background.close()
        self._last.close_sources(patience)


def open_app(
    stack: ExitStack,
    window: AppWindow,
    state: ViewerState,
    source: Source,
    mode: str = "auto",
    patience: float | None = None,
) -> App:
    """Create the program in a window; the exit stack will close all except the window itself.

    State and source are those of ``open_view``, and not changed here. ``App.step`` computes and
    draws what the state chooses.

    Args:
        mode: how results reach OpenGL, see ``Session``.
        patience: seconds to wait at the end for computing and reading; None: until they have ended.
    """
    display = stack.enter_context(closing(Display()))
    session = Session(state, source, display, mode)
    stack.callback(session.close, patience)
    overlay = stack.enter_context(closing(Overlay(window.scale)))
    app = App(window, session, overlay)
    stack.callback(app.close, patience)
    return app
