"""One screen: a source, what the user chose, two slots on their way, the display they write to.

The window, the offscreen renderer and the tests all show frames through this one class.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from gpu.analysis.environment import describe, versions
from gpu.device import open_device
from viewer.cameras.rows import RowError
from viewer.choices.slot import Ahead
from viewer.choices.state import ViewerState
from viewer.files.cloud import EVERYWHERE, PointCloud, cloud_of
from viewer.files.values import in_units
from viewer.frames.checks import Checks
from viewer.frames.computing import Computing, FrameContext
from viewer.frames.frame_job import FrameProgress
from viewer.frames.frames import Frames
from viewer.frames.inputs import SharedInputs
from viewer.frames.latest import Latest
from viewer.frames.meters import Meters
from viewer.frames.playback import Playback
from viewer.frames.preview import Preview
from viewer.frames.recording import Recordings
from viewer.frames.row_meter import RowMeter, reads_both_views
from viewer.frames.runner import Modes, Runner
from viewer.frames.worker import Task, Worker
from viewer.frames.worst import WorstRegions
from viewer.picture.caption import caption_height
from viewer.picture.clusters import Cluster
from viewer.picture.combined import before_b, combined
from viewer.picture.mixable import check_mixable
from viewer.picture.names import pending
from viewer.picture.panes import Picture
from viewer.picture.shown import Shown, chosen, chosen_b, overlaid
from viewer.picture.space import median_depth
from viewer.picture.truth import leave_out
from viewer.screen.display import Display
from viewer.sources.frame import Frame, Source

SAID_AFTER = 0.3  # seconds until a picture says that another one is computed


@dataclass(frozen=True)
class Facts:
    """What the status line and a screenshot say about the frame shown.

    Attributes:
        milliseconds: compute time of the newest finished frame; None before there is one.
        mode: how results reach OpenGL: ``interop``, ``copy`` or ``cpu``.
        why_not_interop: empty with ``interop``.
        median: of the compute times of the newest frames, as many as a race measures; None while
            fewer than three were measured undisturbed.
    """

    device: str
    milliseconds: float | None
    mode: str
    why_not_interop: str
    median: float | None = None

    @property
    def usual(self) -> float | None:
        """Look up the median, or where there is none the newest time."""
        return self.milliseconds if self.median is None else self.median


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
        recordings: what is recorded of the picture or of the source.
        a_first: whether A of a source's first frame is shown as soon as it is there, and B, where
            that was chosen too, computed after it.
        b_to_come: whether A is shown so.
    """

    def __init__(
        self, state: ViewerState, source: Source, display: Display, mode: str = "auto"
    ) -> None:
        self.state, self.display = state, display
        self._modes, self.meters, self.worker = Modes(mode), Meters(), Worker()
        self._playback, self._preview = Playback(state), Preview(display)
        self.a_first = False
        self._take(source)
        self.recordings = Recordings(self, self._tell)

    def _take(self, source: Source) -> None:
        self.source, self.frames = source, Frames(source)
        self.state.fit_slots(Ahead(source.planar, source.rectification is not None))
        self._inputs = SharedInputs(source.height, source.width)
        self.a, self.b = self._runner(), self._runner()
        self._shows = self.b_to_come = False  # a frame of this source
        self._begun = False  # to prepare for it
        self._drawn_early: tuple[Picture, int, int] | None = None
        self._mode = self.state.mixing.mode  # of what was computed last
        runners = self.a, self.b
        self.checks = Checks(self.state, source, runners, self._values, self.worker)
        sides = {"a": self.a, "b": self.b}
        beside = self.checks, self.meters, self.worker
        context = FrameContext(sides, self._runner, *beside, self._modes.asked)
        self._computing = Computing(self.state, self.frames, self.display, context)
        self.latest = Latest(self.display)
        self._worst = WorstRegions()
        self._rows = RowMeter(self.worker, self._tell)

    def _tell(self, said: str) -> None:
        self.state.message = said

    def open_source(self, source: Source) -> None:
        """Show another source from now on; the one before is left to whoever opened it."""
        self._computing.close()
        self._rows.close()
        self._take(source)

    def _runner(self) -> Runner:
        return Runner(self.source, self._inputs, self._modes)

    @property
    def _wanted(self) -> list[tuple[str, Runner, Shown]]:
        """The slots that the state needs, by letter, each with what it shall show."""
        mixing, both = self.state.mixing, bool(self.state.jump) or self.checks.holds
        wanted = [("a", self.a, chosen(self.state))] if mixing.uses_a or both else []
        return wanted + ([("b", self.b, chosen_b(self.state))] if mixing.uses_b or both else [])

    @property
    def prepared(self) -> bool:
        """Whether what is chosen is what is prepared; if not, ``compute`` prepares first.

        A view of images that are computed on demand is prepared for, any other is there at once.
        """
        return all(runner.prepared(shown) for _, runner, shown in self._wanted)

    @property
    def unprepared(self) -> str:
        """What ``compute`` prepares first on the display's thread, by name."""
        lacking = (s.slot for _, runner, s in self._wanted if not runner.prepared(s))
        held_up = (slot.variant for slot in lacking if slot.declaration.on_gpu)
        return " and ".join(dict.fromkeys(held_up))

    @property
    def complete(self) -> bool:
        """Whether the frame computed last is the one chosen, in the view chosen."""
        same = self._mode == self.state.mixing.mode
        return same and all(runner.shown == shown for _, runner, shown in self._wanted)

    @property
    def current(self) -> bool:
        """Whether the frame computed last is the one chosen, in the view chosen, and checked."""
        check = self.state.mixing.check
        return self.complete and (not check or self.checks.of == [s for _, _, s in self._wanted])

    def advance(self) -> None:
        """Move to the frame and to the turn of a blink that are due now.

        The frame stays while paused, while one is on its way to the screen, and while the next one
        is not ready.
        """
        self._playback.blink()
        if not (self.progress and self.progress.anew):
            if moved := self._playback.advance(self.source):
                self.meters.advanced(moved)

    def compute(self, patience: float | None = None) -> bool:
        """Compute the frame chosen and bring what the views show into its textures.

        What the CPU computes runs beside the display, and so does reading a frame that is not
        ready. As long as that goes on, and what is chosen stays the same, call again; if something
        else is chosen meanwhile, that begins anew.

        Args:
            patience: seconds to wait for it; None: until it is done.

        Returns:
            Whether the frame is there; not if it is A alone, see ``b_to_come``.

        Raises:
            ValueError: the parameters do not fit the images, or the variant refuses them; or the
                source lacks an image that is read or shown, or the variant does not keep one; or A
                and B cannot be mixed as chosen.
            OSError: the frame cannot be read.
            Unavailable: the device is absent or has too little memory.
        """
        if not self.frames.fetch([shown.frame for _, _, shown in self._wanted], patience):
            self._computing.cancel()
            return False
        if self.a_first and self.unprepared and not self._begun:
            self._begun = True
            return False  # the left view is drawn before this thread is kept busy
        self._leave_truth_out()
        self._fit_scale()
        wanted = self._wanted
        if not self.state.mixing.alone:
            both = [shown for _, _, shown in wanted]
            check_mixable(self.state, both[0], both[1], self.source.height, self.source.width)
        alone = self._begins_with_a
        asked = {letter: shown for letter, _, shown in wanted[: 1 if alone else 2]}
        for shown in list(asked.values()):
            asked |= overlaid(self.state, shown)
        done = self._computing.compute(asked, patience)
        if done:
            self._mode, self._shows = "off" if alone else self.state.mixing.mode, True
            self.b_to_come = alone
            if self.source.live:
                self.source.live.note_shown(max(shown.frame for _, _, shown in wanted))
        return done and not alone

    @property
    def _begins_with_a(self) -> bool:
        """Whether A is shown before B is computed."""
        mixed = self.state.mixing.mode != "b" and len(self._wanted) == 2
        return self.a_first and mixed and not self._shows

    def _fit_scale(self) -> None:
        """Tell depths as the calibration of the frame that is to be shown has them."""
        frame = self.frames.frame(self._wanted[0][2].frame)
        scale = frame.calibration_or_assumed.scale
        if self.state.scale != scale:
            self.state.fit_slots(self.state.ahead, scale)

    def cancel(self) -> None:
        """Give up the frame that is on its way."""
        self.frames.cancel()
        self._computing.cancel()

    @property
    def progress(self) -> FrameProgress | None:
        """How far the frame is that is fetched or computed beside the display; None without one."""
        return self.frames.progress or self._computing.progress

    @property
    def idle(self) -> bool:
        """Whether what is chosen is shown and no frame is on its way beside the display."""
        return self.complete and not self.progress

    def rests(self) -> bool:
        """Tell whether the picture stands and nothing is to be computed for it.

        It does while paused, and until a live source has a newer frame. A frame of something else
        that is on its way is given up.
        """
        if not ((self.state.paused or self.source.live) and self.current):
            return False
        if self.progress and self.progress.anew:
            self.cancel()
        return not self.progress

    @property
    def rows(self) -> RowError | None:
        """By how many rows the views shown are apart, as measured last.

        None before that, and while no pipeline shown reads a right view.
        """
        return self._rows.newest if self._frame_of_rows else None

    @property
    def _frame_of_rows(self) -> Frame | None:
        """The frame shown, if a pipeline shown reads both its views."""
        runners = [runner for _, runner, _ in self._wanted]
        reading = [r for r in runners if r.shown and reads_both_views(r.shown.slot.pipeline)]
        return reading[0].frame if reading else None

    @property
    def over_time(self) -> str:
        """Say over how many frames changes of A are measured, and how it flickers; or nothing."""
        changes = self._computing.changes["a" if self.state.mixing.uses_a else "b"]
        if not changes.frames:
            return ""
        rate = changes.flicker_rate
        flicker = "" if math.isnan(rate) else f", flicker {rate:.2%}"
        return f"{changes.frames} frames{flicker}"

    @property
    def frame_shown(self) -> Frame | None:
        """Look up the frame shown, A's where both are computed; None before there is one."""
        return self._wanted[0][1].frame if self._shows else None

    def follow_rows(self) -> None:
        """Have the rows of the frame shown measured beside the display, if it is time for that."""
        if frame := self._frame_of_rows:
            self._rows.follow(frame)

    def measure_rows(self) -> None:
        """Measure the rows of the frame shown, however long that takes."""
        if frame := self._frame_of_rows:
            self._rows.measure(frame)

    @property
    def waits_for_rows(self) -> bool:
        """Whether nothing is known yet of the rows of the source shown, and will be."""
        return self._rows.waits(self._frame_of_rows)

    def _leave_truth_out(self) -> None:
        """Show no truth of a source that has none; a frame without it among others is blank."""
        shows = any(runner.shown and runner.shown.judged for runner in (self.a, self.b))
        if self.state.truth.show != "off" and not shows:
            leave_out(self.state, self.frames.frame(self.state.frame))

    @property
    def picture(self) -> Picture:
        """What is drawn of the frame computed last."""
        badge = self.checks.badge(self.a.shown)
        # Until another mode is computed, and found possible, the last one is drawn.
        state = replace(self.state, mixing=replace(self.state.mixing, mode=self._mode))
        warning = self.rows.warning if self.rows else ""
        calibrations = self.a.calibration, self.b.calibration
        if self.b_to_come and self.a.shown:
            of_a = self.a.shown.picture(self.state, self.a.calibration)
            return before_b(self.state, self.a.shown, of_a, self._left_view, warning)
        shown = self.a.shown, self.b.shown
        return combined(state, *shown, badge, calibrations, warning, self._pending)

    @property
    def _pending(self) -> str:
        """Say what lets the user wait for another picture; empty if nothing does for long."""
        progress = self.progress
        if not progress or not progress.anew or progress.seconds < SAID_AFTER:
            return ""
        return pending([self.a.shown, self.b.shown], [shown for _, _, shown in self._wanted])

    @property
    def _left_view(self) -> Picture | None:
        """The picture of the left view of the frame chosen; None before that is fetched."""
        frame = self.frames.there(self.state.frame)
        return self._preview.picture(frame, self.state) if frame else None

    def draw_left_view(self, width: int, height: int) -> bool:
        """Draw the left view of the frame chosen, as taken; tell whether it is there."""
        picture = self._left_view
        if picture and self._drawn_early != (picture, width, height):
            self.display.draw(picture, width, height)
            # Drawn again, it would only slow down what computes.
            self._drawn_early = picture, width, height
        return picture is not None

    def draw(self, width: int, height: int) -> None:
        """Draw the frame computed last into the display's framebuffer, in pixels of that size.

        Before there is a frame of the source, what was drawn last stays.
        """
        if self._shows:
            self._choose_pivot()
            self.display.draw(self.picture, width, height)

    def _choose_pivot(self) -> None:
        """Let a view in space turn about the median depth of the frame that it shows first."""
        for runner in (self.a, self.b):
            shown = runner.shown
            if self.state.cloud.pivot is None and shown and shown.view.cloud and runner.calibration:
                pane = shown.picture(self.state).panes[0]
                values = self.display.values(pane.image)
                pivot = median_depth(values, pane.scale, pane.invalid, runner.calibration)
                self.state.cloud = replace(self.state.cloud, pivot=pivot)

    def caption_height(self, width: int, height: int) -> int:
        """Count the pixels that the caption takes at the top of a picture of this size."""
        caption = self.picture.caption if self._shows else None
        return caption_height(caption, width, height, self.display.manner)

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

    def cloud_task(self) -> Task[PointCloud]:
        """Begin to make a cloud of the pixels of A that are seen, of the whole image if none is.

        Raises:
            ValueError: A's pipeline has no disparity.
        """
        slot, frame = self.state.slot, self.frames.frame(self.state.frame)
        image = slot.image(slot.pipeline.output)
        if not image.disparity:
            raise ValueError(f"{slot.pipeline.name} has no disparity to make points of")
        stored, axes = self.values_task(image.name), self.state.look.axes
        region = self.display.drawn.visible(0) or EVERYWHERE

        def job(_: Task[PointCloud]) -> PointCloud:
            disparity = in_units(stored.result(), image, slot.params)
            left = frame.left
            return cloud_of(disparity, frame.calibration_or_assumed, left, axes, region)

        return self.worker.submit("cloud", job)

    def find_worst(self) -> Task[list[Cluster]]:
        """Begin to find A's worst regions. Raises ``ValueError`` without a disparity or truth."""
        copy = self.latest.image(self.a, self.state.slot.pipeline.output)
        return self._worst.find(self.state, copy, self.worker)

    def jump_to_worst(self, found: list[Cluster], step: int) -> None:
        """Bring the next or the previous of the worst regions to the middle, and say what it is.

        Raises:
            ValueError: nothing is wrong.
        """
        self._worst.jump(self.state, self.source, found, step)

    def finish(self) -> None:
        """Wait until the devices have done all they were given."""
        for runner in (self.a, self.b):
            runner.finish()

    def facts(self, slot: str = "") -> Facts:
        """Say what there is to say about the newest frame of slot ``a`` or ``b``.

        Without a slot: of A, or of B where only B is computed.
        """
        first = (slot or ("a" if self.state.mixing.uses_a else "b")) == "a"
        runner, shown = (self.a, self.state.slot) if first else (self.b, self.state.slot_b)
        device, newest = open_device(shown.declaration.device), runner.milliseconds(shown)
        meter = self.meters.slots["a" if first else "b"]
        median = None if newest is None else meter.median
        return Facts(device.name, newest, *self._modes.of(device.kind), median)

    def made(self) -> dict[str, Any]:
        """Say what the frame shown was computed with, and how long that took."""
        facts, slot = self.facts(), self.state.slot
        made: dict[str, Any] = describe(open_device(slot.declaration.device))
        made |= {"display": facts.mode, "packages": versions()}
        if facts.milliseconds is not None:
            made["compute_ms"] = round(facts.milliseconds, 4)
        if badge := self.checks.badge(self.a.shown):
            made["identity"] = badge.text
        return made

    def close(self, patience: float | None = None) -> None:
        """Give back buffers and arrays; the display and the source are closed by their owners.

        Args:
            patience: seconds to wait for what computes, which is left behind after that; None:
                until it has ended.
        """
        self.worker.close(patience)
        self._computing.close()
        self._preview.close()
