"""One screen: a source, what the user chose, two slots that compute it, the display they write to.

The window, the offscreen renderer and the tests all show frames through this one class.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from wheatstone.viewer.choices.slot import Ahead
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.frames.changes import Changes
from wheatstone.viewer.frames.checks import Checks
from wheatstone.viewer.frames.computing import Computing, FrameContext
from wheatstone.viewer.frames.drawing import FrameDrawing
from wheatstone.viewer.frames.frame_job import FrameProgress
from wheatstone.viewer.frames.frames import SessionFrames
from wheatstone.viewer.frames.inputs import SharedInputs
from wheatstone.viewer.frames.latest import Copy, Latest
from wheatstone.viewer.frames.meters import Meters
from wheatstone.viewer.frames.playback import Playback
from wheatstone.viewer.frames.recording import Recordings
from wheatstone.viewer.frames.row_meter import RowMeter, reads_both_views
from wheatstone.viewer.frames.runner import Modes, Runner
from wheatstone.viewer.frames.slot_figures import JudgedSlots
from wheatstone.viewer.frames.slow_motion import SlowMotion
from wheatstone.viewer.frames.worker import Task, Worker
from wheatstone.viewer.frames.worst import WorstRegions
from wheatstone.viewer.picture.mixable import check_mixable
from wheatstone.viewer.picture.shown import Shown, chosen, overlaid
from wheatstone.viewer.picture.truth import leave_out
from wheatstone.viewer.picture.wanted import WantedImages
from wheatstone.viewer.screen.display import Display
from wheatstone.viewer.sources.frame import Frame, Source

AGES = 1.0  # seconds for which the words about a paused live source stay: they tell ages


class Session:
    """Shows frames of a source as the state says; owns everything that must be closed.

    Args:
        mode: how results of GPU variants reach OpenGL; ``auto``: interop where it works, else copy.

    Attributes:
        a, b: the slots; others once another source is opened.
        frames: those of the source that are shown or on their way.
        checks: whether they show the same.
        latest: whole images of what they show, on the host, for panels.
        meters: told of every frame that comes up, is computed, is presented.
        worker: does what takes long, beside the display.
        drawing: draws what was computed.
        recordings: what is recorded of the picture or of the source.
        modes: how results reach OpenGL.
        rows: by how many rows the views shown are apart.
        figures: how good A and B are by ground truth.
        worst: the regions where A's result is worst.
        slow_motion: the stage of A that is watched in slow motion.
        mixed: how A and B were mixed in the frame computed last.
        shows: whether a frame of the source was computed.
        a_first: whether A of a source's first frame is shown as soon as it is there, and B, where
            that was chosen too, computed after it.
        b_to_come: whether A is shown so.
    """

    def __init__(
        self, state: ViewerState, source: Source, display: Display, mode: str = "auto"
    ) -> None:
        self.state, self.display, self._wanted = state, display, WantedImages(state)
        self.modes, self.meters, self.worker = Modes(mode), Meters(), Worker()
        self._playback, self.drawing = Playback(state), FrameDrawing(self, display)
        self.a_first, self.figures = False, JudgedSlots(self)
        self._take(source)
        self.recordings = Recordings(self, state.report_error)

    def _take(self, source: Source) -> None:
        self.source, self.frames = source, SessionFrames(source)
        self.state.fit_slots(Ahead(source.planar, source.rectification is not None))
        self._inputs = SharedInputs(source.height, source.width)
        self.a, self.b = self._runner(), self._runner()
        self.shows = self.b_to_come = self._held = False
        self.mixed = self.state.mixing.mode
        runners = self.a, self.b
        self.checks = Checks(self.state, source, runners, self._values, self.worker)
        sides = {"a": self.a, "b": self.b}
        beside = self.checks, self.meters, self.worker
        context = FrameContext(sides, self._runner, *beside, self.modes.asked)
        self._computing = Computing(self.state, self.frames, self.display, context)
        self.latest = Latest(self.display)
        self.slow_motion = SlowMotion(self.state, self.display, self.worker)
        self.worst = WorstRegions(self.state, source, self.worker, self._result)
        self.rows = RowMeter(self.worker, self.state.warn, self._frame_of_rows)

    def _result(self) -> Copy | None:
        return self.latest.image(self.a, self.state.slot.pipeline.output)

    def open_source(self, source: Source) -> None:
        """Show another source from now on; the one before is left to whoever opened it."""
        self._computing.close()
        self.slow_motion.close()
        self.rows.close()
        self.figures.close()
        self._take(source)

    def _runner(self) -> Runner:
        return Runner(self.source, self._inputs, self.modes)

    @property
    def _needed(self) -> str:
        """The letters of the slots that the state needs."""
        mixing, both = self.state.mixing, bool(self.state.jump) or self.checks.holds
        return ("a" if mixing.uses_a or both else "") + ("b" if mixing.uses_b or both else "")

    @property
    def _wanted_by_slot(self) -> list[tuple[str, Runner, Shown]]:
        """The slots that the state needs, by letter, each with what it shall show."""
        needed = self._needed
        wanted = [("a", self.a, self._wanted.a)] if "a" in needed else []
        return wanted + ([("b", self.b, self._wanted.b)] if "b" in needed else [])

    @property
    def wanted(self) -> list[Shown]:
        """What the slots that the state needs shall show, A before B."""
        return [shown for _, _, shown in self._wanted_by_slot]

    @property
    def prepared(self) -> bool:
        """Whether what is chosen is what is prepared; if not, ``compute`` prepares first.

        A view of images that are computed on demand is prepared for, any other is there at once.
        """
        return all(runner.prepared(shown) for _, runner, shown in self._wanted_by_slot)

    @property
    def unprepared(self) -> str:
        """What ``compute`` prepares first on the display's thread, by name."""
        due = self._wanted_by_slot[: 1 if self._begins_with_a else 2]
        lacking = (s.slot for _, runner, s in due if not runner.prepared(s))
        held_up = (slot.variant for slot in lacking if slot.declaration.on_gpu)
        return " and ".join(dict.fromkeys(held_up))

    @property
    def complete(self) -> bool:
        """Whether the frame computed last is the one chosen, in the view chosen."""
        same = self.mixed == self.state.mixing.mode and self.slow_motion.ready
        return same and all(runner.shown == shown for _, runner, shown in self._wanted_by_slot)

    @property
    def current(self) -> bool:
        """Whether the frame computed last is the one chosen, in the view chosen, and checked."""
        check = self.state.mixing.check
        return self.complete and (not check or self.checks.of == self.wanted)

    def advance(self) -> None:
        """Move to the frame and to the turn of a blink that are due now.

        The frame stays while paused, while one is on its way to the screen, and while the next one
        is not ready.
        """
        if not self.slow_motion.wanted:
            self.slow_motion.close()
        self._rest(False)
        self._playback.blink()
        self._playback.unfold()
        if not (self.progress and self.progress.anew):
            if moved := self._playback.advance(self.source):
                self.meters.advanced(moved)

    def hold(self) -> None:
        """Stay at what is shown while nobody sees it; the source prepares no frames."""
        self._playback.hold()
        self._rest(True)

    def _rest(self, rests: bool) -> None:
        """Let the source prepare no frames, or let it go on."""
        if rests != self._held:
            self._held = rests
            self.source.rest(rests)

    @property
    def dues(self) -> tuple[float, ...]:
        """List when words change while the picture rests, in seconds of ``time.perf_counter``."""
        ages = self.meters.shown_at + AGES if self.source.live else math.inf
        return ages, self.rows.due, self.meters.due

    def compute(
        self, patience: float | None = None, announce: Callable[[str], None] | None = None
    ) -> bool:
        """Compute the frame chosen and bring what the views show into its textures.

        What the CPU computes runs beside the display, and so does reading a frame that is not
        ready. As long as that goes on, and what is chosen stays the same, call again; if something
        else is chosen meanwhile, that begins anew.

        Args:
            patience: seconds to wait for it; None: until it is done.
            announce: called with the names of what is prepared on this thread, which may take
                seconds, before it is.

        Returns:
            Whether the frame is there; not if it is A alone, see ``b_to_come``.

        Raises:
            ValueError: the parameters do not fit the images, or the variant refuses them; or the
                source lacks an image that is read or shown, or the variant does not keep one; or A
                and B cannot be mixed as chosen.
            OSError: the frame cannot be read.
            Unavailable: the device is absent or has too little memory.
        """
        if not self.frames.fetch([shown.frame for shown in self.wanted], patience):
            self._computing.cancel()
            return False
        self._leave_truth_out()
        self._fit_scale()
        wanted = self._wanted_by_slot
        if not self.state.mixing.alone:
            both = [shown for _, _, shown in wanted]
            check_mixable(self.state, both[0], both[1], self.source.height, self.source.width)
        if not self.slow_motion.prepare(self.frames.frame(wanted[0][2].frame), patience):
            self._computing.cancel()
            return False
        alone = self._begins_with_a
        asked = {letter: shown for letter, _, shown in wanted[: 1 if alone else 2]}
        for shown in list(asked.values()):
            asked |= overlaid(self.state, shown)
        if announce and not all(runner.prepared(shown) for _, runner, shown in wanted):
            if unprepared := self.unprepared:
                announce(unprepared)
        done = self._computing.compute(asked, patience)
        if done:
            self.mixed, self.shows = "off" if alone else self.state.mixing.mode, True
            self.b_to_come = alone
            if self.source.live:
                self.source.live.note_shown(max(shown.frame for _, _, shown in wanted))
        return done and not alone

    @property
    def _begins_with_a(self) -> bool:
        """Whether A is shown before B is computed."""
        if not self.a_first or self.shows:
            return False
        return self.state.mixing.mode != "b" and len(self._needed) == 2

    def _fit_scale(self) -> None:
        """Tell depths as the calibration of the frame that is to be shown has them."""
        frame = self.frames.frame(self.wanted[0].frame)
        scale = frame.calibration_or_assumed.scale
        if self.state.scale != scale:
            self.state.fit_slots(self.state.ahead, scale)

    def cancel(self) -> None:
        """Give up the frame that is on its way."""
        self.frames.cancel()
        self.slow_motion.cancel()
        self._computing.cancel()

    @property
    def progress(self) -> FrameProgress | None:
        """How far the frame is that is fetched or computed beside the display; None without one."""
        return self.frames.progress or self.slow_motion.progress or self._computing.progress

    @property
    def idle(self) -> bool:
        """Whether what is chosen is shown and no frame is on its way beside the display."""
        return self.complete and not self.progress

    def rests(self) -> bool:
        """Tell whether the picture stands and nothing is to be computed for it.

        It does while paused, and until a live source has a newer frame. A frame of something else
        that is on its way is given up.
        """
        stands = self.state.paused or watched(self.state) or self.source.live
        if not (stands and self.current):
            return False
        if self.progress and self.progress.anew:
            self.cancel()
        return not self.progress

    def _frame_of_rows(self) -> Frame | None:
        """Look up the frame shown, if a pipeline shown reads both its views."""
        for letter in self._needed:
            runner = self.a if letter == "a" else self.b
            if runner.shown and reads_both_views(runner.shown.slot.pipeline):
                return runner.frame
        return None

    @property
    def changes(self) -> Mapping[str, Changes]:
        """What changes from frame to frame, by slot."""
        return self._computing.changes

    @property
    def frame_shown(self) -> Frame | None:
        """Look up the frame shown, A's where both are computed; None before there is one."""
        if not self.shows:
            return None
        return self.a.frame if "a" in self._needed else self.b.frame

    def _leave_truth_out(self) -> None:
        """Show no truth of a source that has none; a frame without it among others is blank."""
        shows = any(runner.shown and runner.shown.judged for runner in (self.a, self.b))
        if self.state.truth.show != "off" and not shows:
            leave_out(self.state, self.frames.frame(self.state.frame))

    def values(self, name: str) -> NDArray[Any]:
        """Copy an image of A's frame, as stored: (H, W); compute it first, if need be."""
        return self.values_task(name).result()

    def values_task(self, name: str) -> Task[NDArray[Any]]:
        """Begin to copy an image as ``values`` does; what the GPU holds is there at once."""
        return self._values(self.a, chosen(self.state).wanting(name), name)

    def _values(self, runner: Runner, shown: Shown, name: str) -> Task[NDArray[Any]]:
        frame = self.frames.frame(shown.frame)

        def job(_: Task[NDArray[Any]]) -> NDArray[Any]:
            return runner.values(frame, shown, name)

        if not shown.slot.declaration.on_gpu:
            self.cancel()  # it may be writing to the arrays that are read
            return self.worker.submit(name, job)
        task = Task(name, job)
        task.run()
        return task

    def finish(self) -> None:
        """Wait until the devices have done all they were given."""
        for runner in (self.a, self.b):
            runner.finish()

    def close(self, patience: float | None = None) -> None:
        """Give back buffers and arrays; the display and the source are closed by their owners.

        Args:
            patience: seconds to wait for what computes, which is left behind after that; None:
                until it has ended.
        """
        self.worker.close(patience)
        self._computing.close()
        self.slow_motion.close()
        self.drawing.close()
