"""The window's frame loop; read this to see the program run."""

import gc
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from gpu import Unavailable
from viewer.choices import undoing
from viewer.choices.state import ViewerState
from viewer.desk import Desk
from viewer.errands import ERRANDS, run_errands
from viewer.frames.beside import Beside, retire
from viewer.frames.frame_job import FrameProgress
from viewer.frames.last_shown import LastShown
from viewer.frames.session import Session
from viewer.keys.actions import press
from viewer.keys.menu.bars import LEAVES
from viewer.keys.mouse import MOUSE, Mouse
from viewer.keys.palette import finding as palette
from viewer.panels import passing
from viewer.panels.equality import draw_equality
from viewer.panels.hints import draw_hints
from viewer.panels.notice import draw_leaving, draw_notice
from viewer.panels.question import draw_question
from viewer.panels.title import title
from viewer.panels.tour.card import KEYS as TOUR_KEYS
from viewer.picture.layout import Hit
from viewer.picture.selection import Selection
from viewer.screen.events import Event
from viewer.screen.file_dialog import FileDialog
from viewer.screen.overlay import Overlay
from viewer.sources.frame import Source
from viewer.sources.watched import FileWatch
from viewer.theme import Manner


class Screen(Protocol):
    """A window, seen or not; see ``viewer.screen.window.Window``."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def scale(self) -> float: ...
    @property
    def closed(self) -> bool: ...
    @property
    def framebuffer(self) -> int: ...
    def poll(self) -> list[Event]: ...
    def set_fullscreen(self, fullscreen: bool) -> bool: ...
    def set_clipboard(self, text: str) -> None: ...
    def set_title(self, title: str) -> None: ...
    def swap(self) -> None: ...


PATIENCE = 0.01  # seconds to wait for the CPU before the window goes on without its frame
ANSWERS = {"Enter": True, "Y": True, "Esc": False, "N": False}  # keys, while there is a question
WORK_PANELS = (
    *("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"),
    *("Enter", "Space", "Tab", "Shift+Tab"),
)
"""Keys that a panel takes while it has the focus; all others keep their meaning."""
NOTICE_AFTER = 0.3  # seconds of waiting until the user is told what for


class App:
    """A window that shows a session, and what keys and mouse do to it."""

    def __init__(self, window: Screen, session: Session, overlay: Overlay) -> None:
        self.window, self.session, self.overlay = window, session, overlay
        self.state: ViewerState = session.state
        session.a_first = True
        self.desk, self.beside = Desk(session), Beside()
        self.dialog: FileDialog | None = None
        self.errands = ERRANDS  # that may be run; a script has others
        self._cursor: tuple[float, float] | None = None  # in the window
        self._last = LastShown(session)
        self._mouse = Mouse(session)
        self._title = ""  # of the window
        self._waited: FrameProgress | None = None  # for the frame on its way
        self._slow: FrameProgress | None = None  # of the frame before, if it let the user wait
        self._given_up: Selection | None = None  # before the first picture
        self._watch = FileWatch(session.source.recipe)

    def open_source(self, source: Source, *, keep_look: bool = False) -> None:
        """Show another source; the one before is closed.

        If it cannot be shown as chosen, the window says why, closes it and stays at the one before.

        Args:
            keep_look: frame, zoom and frozen B stay; if not, it begins with the first frame, whole.
        """
        self._given_up = None
        self.state.open_panels.difference_update(passing(self.state.open_panels))
        self._last.open_source(source, keep_look=keep_look)

    def run(self) -> None:
        """Show frames until the user closes the window."""
        frozen = False
        while not (self.window.closed or self.state.closing):
            self.step()
            if self.started and not frozen:
                gc.freeze()  # going through all that was imported would hold up a frame for 0.1 s
                frozen = True

    @property
    def scale(self) -> float:
        """Compute the pixels of a unit of text and spacing: the screen's, times what is chosen."""
        return self.window.scale * self.state.look.scale

    @property
    def started(self) -> bool:
        """Tell whether the first picture is shown."""
        return self._last.anything

    @property
    def settled(self) -> bool:
        """Tell whether what is chosen is shown, and all that was asked for opened and written."""
        waits = self.beside.busy or self.session.waits_for_rows
        return self.stands and not waits and not self.state.errands

    @property
    def stands(self) -> bool:
        """Tell whether what is chosen is computed and shown."""
        held = self.session.checks.holds or self.state.jump
        return self._last.anything and self.session.current and not held

    @property
    def busy(self) -> bool:
        """Tell whether something that was asked for runs beside the display."""
        session = self.session
        return bool(session.worker.running or session.frames.progress or self.beside.busy)

    def step(self) -> None:
        """Do one pass: events, the frame that is due, the picture, the panels."""
        events = self.window.poll()
        undoing.follow(self.state)
        for event in events:
            self._handle(event)
            undoing.note(self.state)
        if not self.window.set_fullscreen(self.state.fullscreen):
            self.state.fullscreen = not self.state.fullscreen
        width, height = self.window.size
        if width == 0 or height == 0:
            time.sleep(0.02)  # minimised: nothing to draw on
            return
        self._show(events, width, height)
        source = self.session.source
        run_errands(self, self.errands)
        undoing.note(self.state)
        if self.session.source is not source:
            undoing.forget_source(self.state)
        self._follow_files()

    def _follow_files(self) -> None:
        """Ask for the source to be read again once its files have changed."""
        recipe = self.session.source.recipe
        if recipe != self._watch.recipe:
            self._watch.close()
            self._watch = FileWatch(recipe)
        if self.beside.opening or not self.state.playing.watch:
            return
        if changed := self._watch.changed():
            self.state.errands.append(("read changed", changed))

    def _show(self, events: list[Event], width: int, height: int) -> None:
        if self.session.unprepared and not self._mouse.draws:
            # Preparing may compile for seconds: say so on screen before, not after.
            said = self.state.message
            self.state.message = f"preparing {self.session.unprepared} ..."
            self._present(events, width, height)
            self.state.message, events = said, []
        session = self.session
        if session.frames.hopeless or self._gave_up:
            pass  # the message says why; something else may be chosen
        elif not (session.checks.holds and session.idle):
            session.advance()
            self._last.pass_by_unreadable()
            if session.rests():
                self._last.note_shown()
            else:
                self._compute()
            session.follow_rows()
        if session.idle:
            self._compare()
        self._present(events, width, height)

    @property
    def _gave_up(self) -> bool:
        """Whether the user gave up what is chosen before there was a first picture."""
        chosen = Selection.of(self.state)
        return not self._last.anything and self._given_up == chosen

    def _compute(self) -> None:
        """Compute what is chosen, or go on with it; what cannot be computed is not chosen."""
        state, session = self.state, self.session
        waited_for_b = session.b_to_come
        try:
            done = session.compute(PATIENCE)
        except (Unavailable, ValueError, OSError) as error:
            skipped = self._last.skip_unreadable()
            if self._last.same and not (skipped or self._last.anything):
                raise
            if not skipped:
                self._last.go_back()
            state.message = str(error)
            return
        if not done:
            self._waited = session.progress
            if session.b_to_come and not waited_for_b:
                self._last.note_a_alone()
            return
        self._slow, self._waited = _is_slow(self._waited), None
        if self._last.note_computed():
            state.errands.append(("note source",))

    def choose_last_shown(self) -> bool:
        """Choose what was shown last, without computing or drawing; tell whether anything was."""
        self._last.choose()
        return self._last.anything

    @property
    def recipe(self) -> Mapping[str, str | int]:
        """What reopens the source of what was shown last."""
        return self._last.source.recipe

    def choose_shown(self) -> None:
        """Choose what is shown, if something else is on its way."""
        if self._last.anything and not self.session.complete:
            self.session.cancel()
            self._last.go_back()

    @property
    def notice(self) -> FrameProgress | None:
        """Tell how far what lets the user wait is: a source or a frame; None while nothing does."""
        if opening := _is_slow(self.beside.opening):
            return opening
        progress = self.session.progress
        if progress and not (self._last.anything or self.session.frames.progress):
            progress = replace(progress, said=f"the left view; {progress.said}")
        if self._slow and not self.state.paused and self._last.same_selection:
            return progress or self._slow  # from frame to frame it stays
        return _is_slow(progress)

    def _give_up(self) -> bool:
        """Cancel the source or the frame that lets the user wait; tell whether one did."""
        if given_up := self.beside.cancel():
            self.state.message = f"cancelled: {given_up}"
            return True
        state, notice = self.state, self.notice
        if not notice:
            return False
        self.session.cancel()
        if not self._last.anything:
            self._given_up = Selection.of(state)
            state.message = f"cancelled; choose another variant than {state.slot.name}, or F5"
            return True
        same = self._last.same
        self._last.go_back()
        if same:
            state.paused, state.message = True, "cancelled and paused; Space plays on"
        else:
            state.message = f"cancelled; back to {state.slot.name}"
        return True

    def _compare(self) -> None:
        """Answer what is asked about the differences of A and B."""
        state, checks = self.state, self.session.checks
        if state.jump and checks.jump(state.jump):
            state.jump = 0
        if checks.holds:
            try:
                checks.compare_stages()
            except (Unavailable, ValueError) as error:
                state.message, state.stages = str(error), False

    def _present(self, events: list[Event], width: int, height: int) -> None:
        desk, look = self.desk, self.state.look
        desk.scale, desk.rate = self.scale, self.session.meters.rates.presented
        places = desk.arrange(width, height)
        area = places.picture
        if self._last.anything:
            display = self.session.display
            display.hurries = self._mouse.moves_cloud
            display.manner = Manner(look.theme, desk.scale)
            self.session.draw(area.width, area.height)
            self.session.recordings.follow()
            desk.hit = self._under_cursor()
            desk.update()
        else:
            self.session.draw_left_view(area.width, area.height)
            desk.update(first=False)
        self.session.display.blit(height, self.window.framebuffer, area.x, area.y)
        undoing.follow(self.state)
        navigates = bool(self.state.focus) or self._in_menus
        manner = (desk.scale, events, look.theme)
        with self.overlay.frame(width, height, *manner, navigates=navigates):
            desk.draw(places)
            if self.state.hints and self._last.anything:
                draw_hints(area, desk.scale)
            undoing.note(self.state)
            draw_question(self.state)
            if self.state.stages and (stages := self.session.checks.stages):
                draw_equality(stages)
            if notice := self.notice:
                above = self.session.caption_height(area.width, area.height)
                draw_notice(notice, area, desk.scale, above)
            draw_leaving(self.state, area)
        self._name_window()
        self.window.swap()
        self.session.meters.presented()

    def _name_window(self) -> None:
        """Write into the window's title what is shown, where that changed."""
        named = title(self.state, self.session.source.name)
        if named != self._title:
            self._title = named
            self.window.set_title(named)

    def _handle(self, event: Event) -> None:
        if event.kind == "key":
            self.state.hints = False
        if event.kind in ("key", "press", "drop") and not event.repeat:
            self.state.history.begin_gesture()
        if event.kind in ("key", "text") and self.state.question:
            if event.key in ANSWERS:
                self.state.answer(ANSWERS[event.key])
        elif event.kind in ("key", "text") and self.state.palette:
            palette.feed(self.state, event)
        elif event.kind == "key" and self.state.tour and event.key in TOUR_KEYS:
            self.state.errands.append(("tour", TOUR_KEYS[event.key]))
        elif event.kind in ("key", "text") and self._in_menus:
            if event.key in LEAVES:
                self.overlay.close_popups()
        elif event.kind == "key":
            in_panel = self.state.focus and event.key in WORK_PANELS
            if not (in_panel or self.overlay.wants_keyboard):
                self._press(event)
        elif event.kind == "drop" and event.paths:
            self.state.errands.append(("open", *event.paths))
        elif event.kind == "close":
            self.state.closing = True
        elif event.kind == "error":
            self.state.message = event.text
        elif event.kind in MOUSE:
            self._cursor = (event.x, event.y)
            if not self.overlay.wants_mouse:
                x, y = event.x - self.desk.area.x, event.y - self.desk.area.y
                self._mouse.handle(replace(event, x=x, y=y), self.scale)

    @property
    def _in_menus(self) -> bool:
        """Whether keys go to the menus: one is open, or about to be."""
        return self.desk.bars.open or self.state.asks_for_menus

    def _under_cursor(self) -> Hit | None:
        """Find what of the picture lies under the cursor, which may rest while panels move."""
        if not self._cursor or self.overlay.wants_mouse:
            return None
        (x, y), area = self._cursor, self.desk.area
        return self.session.display.hit(x - area.x, y - area.y)

    def _press(self, event: Event) -> None:
        """Do what a key does; Esc ends what lets the user wait before it ends the program."""
        self.state.marked = None
        if event.key != "Esc":
            self.state.leaving = 0.0
        ends = event.key == "Esc" and (self.overlay.close_popups() or self._give_up())
        if ends:
            undoing.follow(self.state)
        else:
            press(self.state, event.key, held=event.repeat)

    def finish(self) -> list[str]:
        """Close the panels; wait until all files are written.

        Returns:
            Which could not be written, and what was recorded until now.
        """
        self.desk.close()
        if self.dialog:
            self.dialog.close()
        self.session.cancel()  # values to be written may wait for the worker
        recorded = self.session.recordings.end()()
        return self.beside.finish() + [recorded] * bool(recorded)

    def close(self, patience: float | None = None) -> None:
        """Close panels and source, once all files are written.

        Window, session and overlay are closed by their owners.

        Args:
            patience: seconds to wait for a source that reads or renders; None: until it has ended.
        """
        self.finish()
        self._watch.close()
        self.beside.close()
        for source in {self.session.source, self._last.source}:
            retire(source, patience)


def _is_slow(progress: FrameProgress | None) -> FrameProgress | None:
    """Pass on a frame's progress if the frame lets the user wait for another picture."""
    slow = progress and progress.anew and progress.seconds > NOTICE_AFTER
    return progress if slow else None
