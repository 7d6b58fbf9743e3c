"""A session: a source of frames, the user's choices, two compared runs, and their display.

The window, the offscreen renderer and the tests all show frames through this one class.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.frames.changes import Changes
from wheatstone.viewer.display.frames.checks import Checks
from wheatstone.viewer.display.frames.computing import Computing
from wheatstone.viewer.display.frames.drawing import FrameDrawing
from wheatstone.viewer.display.frames.figures import JudgedSlots
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.frames import SessionFrames
from wheatstone.viewer.display.frames.latest import Latest
from wheatstone.viewer.display.frames.meters import Meters
from wheatstone.viewer.display.frames.playback import Playback
from wheatstone.viewer.display.frames.recording import Recordings
from wheatstone.viewer.display.frames.regions import WorstRegions
from wheatstone.viewer.display.frames.row_meter import RowMeter
from wheatstone.viewer.display.frames.runner import Modes, Runner
from wheatstone.viewer.display.frames.slow_motion import SlowMotion
from wheatstone.viewer.display.frames.source_list import SourceList, ahead_of
from wheatstone.viewer.display.frames.worker import Task, Worker
from wheatstone.viewer.display.picture.mixable import check_mixable
from wheatstone.viewer.display.picture.shown import Shown, WantedImages, chosen, overlaid
from wheatstone.viewer.display.picture.truth import hide_truth
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.findings import in_window
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.layouts import exchange_of
from wheatstone.viewer.memo import Memo
from wheatstone.viewer.run.inputs import SharedInputs, reads_both_views

AGES = 1.0  # seconds for which the words about a paused live source stay: they tell ages


class Session:
    """A session: computes a source's frames as the user's choices require, and displays them.

    A session owns everything that must be closed.

    Args:
        mode: how results of GPU variants reach OpenGL; ``auto``: interop where it works, else copy.

    Attributes:
        sources: the open sources, among them those of A and B.
        a, b: the runners of A and B; replaced when another source is opened.
        drawing: draws what ``compute`` computed last.
        a_first: whether A of a source's first frame is shown as soon as it is computed, and B, if
            it was also chosen, is computed after it.
    """

    def __init__(
        self, state: ViewerState, source: Source, display: Display, mode: str = "auto"
    ) -> None:
        self.state, self.display, self._wanted = state, display, WantedImages(state)
        self.modes, self.meters, self.worker = Modes(mode), Meters(), Worker()
        self._of_pair = Memo[Frame]()
        self._playback, self.drawing = Playback(state), FrameDrawing(self, display)
        self.a_first, self.figures = False, JudgedSlots(self)
        self.sources = SourceList(state, source)
        self._take()
        self.recordings = Recordings(self, state.report_error)

    def _take(self) -> None:
        self.sources.rest_hidden()
        source, other = self.sources.shown, self.sources.compared
        self.source, self.frames = source, self.sources.frames(source)
        self._frames_b = self.sources.frames(other) if other else self.frames
        self.state.fit_slots(ahead_of(source))
        self._inputs = SharedInputs(source.height, source.width)
        self.a, self.b = self.new_runner(), self.new_runner()
        if other:
            self.b = Runner(other, SharedInputs(other.height, other.width), self.modes)
        self.drawing.begin_source()
        self._held = False
        self.checks = Checks(self, self._values)
        self._computing = Computing(self)
        self.latest = Latest(self.display)
        self.slow_motion = SlowMotion(self.state, self.display, self.worker)
        self.worst = WorstRegions(
            self, lambda: self.latest.image(self.a, self.state.slot.pipeline.output)
        )
        self.rows = RowMeter(
            self.worker,
            self._warn_of_pair,
            self._frame_of_rows,
            lambda: self.state.slot.searched,
            exchange=exchange_of(source.layouts),
        )

    def _warn_of_pair(self, warning: str) -> None:
        """Show a warning about the pair as a message, unless a bar or caption shows it already."""
        if not self.state.shows_bars and warning != self.rows.warning:
            self.state.warn(in_window(warning))

    def open_source(self, source: Source) -> None:
        """Replace the source shown by another one; the caller closes the old one."""
        self.sources.replace(source)
        self.take_sources()

    def take_sources(self) -> None:
        """Apply the user's choice of sources for runs A and B from the list of open sources."""
        self._computing.close()
        self.slow_motion.close()
        self.rows.close()
        self.figures.close()
        self._take()

    def frames_of(self, shown: Shown) -> SessionFrames:
        """Return the object that fetches the frames of a view's source."""
        return self._frames_b if shown.elsewhere else self.frames

    def frame_of(self, shown: Shown) -> Frame:
        """Return the frame of a view, after waiting for it; raise an error if it is unreadable.

        Values beside a pair are judged by its truth.
        """
        frame = self.frames_of(shown).frame(shown.frame)
        pair = self.frames.there(self.state.frame) if shown.elsewhere else None
        if frame.values is None or pair is None:
            return frame
        return self._of_pair.of((frame, pair), lambda: frame.of_pair(pair))

    def _fetch(self, patience: float | None) -> bool:
        """Fetch the frames of all views to be shown; return whether they are available."""
        for frames in dict.fromkeys((self.frames, self._frames_b)):
            indices = [shown.frame for shown in self.wanted if self.frames_of(shown) is frames]
            if indices and not frames.fetch(indices, patience):
                return False
        return True

    def new_runner(self) -> Runner:
        """Make a runner, which computes on the source: run A or B, or an image drawn over them."""
        return Runner(self.source, self._inputs, self.modes)

    @property
    def _needed(self) -> str:
        """The letters of the compared runs that must be computed: ``a``, ``b`` or ``ab``."""
        mixing, both = self.state.mixing, bool(self.state.jump) or self.checks.holds
        return ("a" if mixing.uses_a or both else "") + ("b" if mixing.uses_b or both else "")

    @property
    def _wanted_by_slot(self) -> list[tuple[str, Runner, Shown]]:
        """The letter, runner and view of each compared run that must be computed."""
        needed = self._needed
        wanted = [("a", self.a, self._wanted.a)] if "a" in needed else []
        return wanted + ([("b", self.b, self._wanted.b)] if "b" in needed else [])

    @property
    def wanted(self) -> list[Shown]:
        """The chosen views of the compared runs that must be computed, that of run A first."""
        return [shown for _, _, shown in self._wanted_by_slot]

    @property
    def prepared(self) -> bool:
        """Whether a run is prepared for every view to be shown; ``compute`` prepares the others."""
        return all(runner.prepared(shown) for _, runner, shown in self._wanted_by_slot)

    @property
    def unprepared(self) -> str:
        """The names of the GPU variants that ``compute`` has to prepare first, as text."""
        due = self._wanted_by_slot[: 1 if self._begins_with_a else 2]
        lacking = (s.slot for _, runner, s in due if not runner.prepared(s))
        held_up = (slot.variant for slot in lacking if slot.declaration.on_gpu)
        return " and ".join(dict.fromkeys(held_up))

    @property
    def complete(self) -> bool:
        """Whether the frame and view computed last are the chosen ones."""
        same = self.drawing.mode == self.state.mixing.mode and self.slow_motion.ready
        return same and all(
            runner.shown == shown and not runner.outdated
            for _, runner, shown in self._wanted_by_slot
        )

    @property
    def current(self) -> bool:
        """Whether the chosen view is computed and, if A and B must be compared, also compared."""
        wanted = self.wanted
        return self.complete and (not self.checks.needed(wanted) or self.checks.of == wanted)

    def advance(self) -> None:
        """Advance playback, blinking between results A and B, and slow motion to the current time.

        The frame stays while another picture is in progress, and as ``Playback.advance`` says.
        """
        if not self.slow_motion.wanted:
            self.slow_motion.close()
        self._rest(False)
        self._playback.blink()
        self._playback.unfold()
        if not (self.progress and self.progress.is_new):
            if moved := self._playback.advance(self.source):
                self.meters.advanced(moved)

    def hold(self) -> None:
        """Stay at the frame shown, and pause reading ahead, while the window is hidden."""
        self._playback.hold()
        self._rest(True)

    def _rest(self, rests: bool) -> None:
        """Pause or continue the preparation of frames by the source."""
        if rests != self._held:
            self._held = rests
            self.source.rest(rests)

    @property
    def stretch(self) -> int:
        """The number of the current sequence of frames without a jump, for temporal filters."""
        return self._playback.stretch

    def begin_stretch(self) -> None:
        """Restart the temporal filters at the next frame that is computed."""
        self._playback.stretch += 1

    @property
    def dues(self) -> tuple[float, ...]:
        """The next times at which texts on screen, such as rates, change without a new picture.

        In seconds of ``time.perf_counter``.
        """
        ages = self.meters.shown_at + AGES if self.source.live else math.inf
        return ages, self.rows.due, self.meters.due

    def compute(
        self, patience: float | None = None, announce: Callable[[str], None] | None = None
    ) -> bool:
        """Compute the chosen frame, upload the images of its views to the textures, and show them.

        The views are those that the state chooses: of A, of B, or both. ``drawing`` draws them from
        then on, in every pass; before, it draws what was computed last.

        CPU computation and reading a frame that is not ready run in the background. While they
        run, and the choice stays the same, call again; if the choice changes meanwhile, computing
        starts again.

        Args:
            patience: seconds to wait for it; None: until it is done.
            announce: called with the names of the variants to prepare on this thread, before that
                starts, as it may take seconds.

        Returns:
            Whether the frame is complete; False if only A is, and B follows.

        Raises:
            ValueError: the parameters do not fit the images, or the variant refuses them; or the
                source lacks an image that is read or shown, or the variant does not keep one; or A
                and B cannot be mixed as chosen.
            OSError: the frame cannot be read.
            Unavailable: the device is absent or has too little memory.
        """
        self._playback.note_choice()
        if not self._fetch(patience):
            self._computing.cancel()
            return False
        self._hide_missing_truth()
        self._fit_scale()
        wanted = self._wanted_by_slot
        if not self.state.mixing.alone:
            both = [shown for _, _, shown in wanted]
            check_mixable(self.state, both[0], both[1], self.source.height, self.source.width)
        if not self.slow_motion.prepare(self.frame_of(wanted[0][2]), patience):
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
            self.drawing.show("off" if alone else self.state.mixing.mode, before_b=alone)
            if self.source.live:
                self.source.live.note_shown(max(shown.frame for _, _, shown in wanted))
        return done and not alone

    @property
    def _begins_with_a(self) -> bool:
        """Whether the result of run A is shown before that of run B is computed."""
        if not self.a_first or self.drawing.shows:
            return False
        return self.state.mixing.mode != "b" and len(self._needed) == 2

    def _fit_scale(self) -> None:
        for shown in self.wanted:
            scale = self.frame_of(shown).calibration_or_assumed.scale
            if shown.elsewhere:
                self.sources.note_scale(scale)
            elif self.state.scale != scale:
                self.state.fit_slots(self.state.ahead, scale)

    def renew(self, variant: str) -> None:
        """Mark the views of a variant that was declared again as outdated, but still visible."""
        self.cancel()
        for runner in (self.a, self.b):
            if runner.shown and runner.shown.slot.variant == variant:
                runner.renew()

    def cancel(self) -> None:
        """Cancel the work in progress in the background: on a frame or a slow motion."""
        self.frames.cancel()
        self._frames_b.cancel()
        self.slow_motion.cancel()
        self._computing.cancel()

    @property
    def progress(self) -> FrameProgress | None:
        """The progress of the frame fetched or computed in the background; None without one."""
        fetching = self.frames.progress or self._frames_b.progress
        return fetching or self.slow_motion.progress or self._computing.progress

    @property
    def idle(self) -> bool:
        """Whether the chosen view is shown and no frame is in progress in the background."""
        return self.complete and not self.progress

    def rests(self) -> bool:
        """Return whether the picture will not change; cancel a frame for an outdated choice.

        That holds while paused, and until a live source has a newer frame.
        """
        stands = self.state.paused or watched(self.state) or self.source.live
        if not (stands and self.current):
            return False
        if self.progress and self.progress.is_new:
            self.cancel()
        return not self.progress

    def _frame_of_rows(self) -> Frame | None:
        for letter in self._needed:
            runner = self.a if letter == "a" else self.b
            if runner.shown and reads_both_views(runner.shown.slot.pipeline):
                return runner.frame
        return None

    @property
    def changes(self) -> Mapping[str, Changes]:
        """The temporal measures of the results, such as noise, by run: ``a`` or ``b``."""
        return self._computing.changes

    @property
    def frame_shown(self) -> Frame | None:
        """The frame on screen, that of run A if both are computed; None before the first one."""
        if not self.drawing.shows:
            return None
        return self.a.frame if "a" in self._needed else self.b.frame

    def _hide_missing_truth(self) -> None:
        """Show the result in place of errors or truth if the source has no ground truth.

        A frame without truth among others with truth is blank.
        """
        shows = any(runner.shown and runner.shown.judged for runner in (self.a, self.b))
        if self.state.truth.show != "off" and not shows:
            hide_truth(self.state, self.frames.frame(self.state.frame))

    def values(self, name: str) -> NDArray[Any]:
        """Copy an image of run A to the host, in stored units: (H, W); compute it if needed."""
        return self.values_task(name).result()

    def values_task(self, name: str) -> Task[NDArray[Any]]:
        """Start to copy an image like ``values``; return the task, done at once on a GPU."""
        return self._values(self.a, chosen(self.state).wanting(name), name)

    def _values(self, runner: Runner, shown: Shown, name: str) -> Task[NDArray[Any]]:
        frame = self.frame_of(shown)

        def job(_: Task[NDArray[Any]]) -> NDArray[Any]:
            return runner.values(frame, shown, name)

        if not shown.slot.declaration.on_gpu:
            self.cancel()  # it may be writing to the arrays that are read
            return self.worker.submit(name, job)
        task = Task(name, job)
        task.run()
        return task

    def finish(self) -> None:
        """Wait until the devices have finished all their work."""
        for runner in (self.a, self.b):
            runner.finish()

    def close(self, patience: float | None = None) -> None:
        """Release buffers and arrays; the display and the source are closed by their owners.

        Args:
            patience: seconds to wait for the running computation, which is abandoned then; or None.
        """
        self.worker.close(patience)
        self._computing.close()
        self.slow_motion.close()
        self.drawing.close()
