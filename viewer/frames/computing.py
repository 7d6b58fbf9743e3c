"""From what was asked for to textures: which slots compute a frame, where, and in which order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from gpu import Unavailable
from gpu.pipeline import Array
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.frames.checks import Checks
from viewer.frames.frame_job import Asked, FrameJob, FrameProgress, Part
from viewer.frames.lane import Lane, check_kept
from viewer.frames.meters import Meters
from viewer.frames.truth_textures import TruthTextures
from viewer.frames.worker import Worker
from viewer.picture.shown import Shown
from viewer.screen.display import Display
from viewer.sources.frame import Frame, Source
from viewer.sources.grey import views

MOST_TEXTURES = 16  # kept, of images shown before


@dataclass(frozen=True)
class Bench:
    """What computing works with.

    Attributes:
        lanes: by letter: ``a``, ``b``.
        new_lane: makes one for another pipeline, whose image lies over a view.
    """

    lanes: Mapping[str, Lane]
    new_lane: Callable[[], Lane]
    checks: Checks
    meters: Meters
    worker: Worker


class Computing:
    """Computes the frames of one source, and brings them to the display."""

    def __init__(self, state: ViewerState, source: Source, display: Display, bench: Bench) -> None:
        self._state, self._source, self._display = state, source, display
        self._lanes, self._new_lane = bench.lanes, bench.new_lane
        self._checks, self._meters, self._worker = bench.checks, bench.meters, bench.worker
        self._guests: dict[str, Lane] = {}  # by pipeline
        self._on_display: dict[str, Frame] = {}  # frames whose images are in these textures
        self._textures: dict[str, None] = {}  # those filled, the newest last
        self._truth = TruthTextures(display)
        self._job: FrameJob | None = None

    def compute(self, asked: Asked, patience: float | None) -> bool:
        """Go on with a frame, or begin it; whether its textures are filled.

        Args:
            patience: seconds to wait for what runs beside the display; None: until it is done.

        Raises:
            ValueError, Unavailable: as ``Session.compute``.
        """
        if self._job and self._job.asked != asked:
            self.cancel()
        self._job = self._job or self._begin(asked)
        if not self._job.done(patience):
            return False
        job, self._job = self._job, None
        return self._finish(job) or self.compute(asked, patience)

    def cancel(self) -> None:
        """Give up the frame that is on its way."""
        if self._job:
            self._job.cancel()
            self._job = None

    @property
    def progress(self) -> FrameProgress | None:
        """How far the frame is that computes beside the display; None while there is none."""
        return self._job.progress(self._anew(self._job.asked)) if self._job else None

    def _anew(self, asked: Asked) -> bool:
        """Whether it is not what is shown."""
        return any(self._lanes[letter].shown != shown for letter, shown in asked.shown)

    def _begin(self, asked: Asked) -> FrameJob:
        """Check and prepare what is asked for, and start what runs beside the display."""
        frames = {shown.frame: self._source.frame(shown.frame) for _, shown in asked.shown}
        for _, shown in asked.shown:
            if frames[shown.frame].right is None:
                shown.check_single_image(self._source.name)
        checks = self._checks.due([shown for _, shown in asked.shown])
        parts = self._parts(asked, frames, checks)
        for part in parts.values():
            part.lane.check_fit(part.slot)
        for part in parts.values():
            _make_ready(part)
        return FrameJob(asked, frames, parts, self._worker, checks=checks)

    def _parts(self, asked: Asked, frames: Mapping[int, Frame], checks: bool) -> dict[str, Part]:
        """What is to be computed; B before A, so that the inputs are at last those of A."""
        parts, anew = {}, self._anew(asked)
        for letter, shown in reversed(asked.shown):
            if self._stands(letter, shown, checks=checks, anew=anew):
                continue
            why = f"which view {shown.view.name} shows; choose another variant or view"
            stages = not checks and self._meters.wants_stages(letter)
            lane, frame = self._lanes[letter], frames[shown.frame]
            part = _part(lane, shown.slot, shown.computed, frame, why)
            parts[letter] = replace(part, timed=not checks, stages=stages)
        for texture, slot, image, index in asked.guests:
            lane = self._guests.setdefault(slot.pipeline.name, self._new_lane())
            parts[texture] = _part(lane, slot, [image], frames[index], "which lies over the view")
        return parts

    def _stands(self, letter: str, shown: Shown, *, checks: bool, anew: bool) -> bool:
        """Whether what a slot shows need not be computed again.

        So it is with a frozen B, and, if the picture stands, with the one of the two that stays
        while the other changes; but to be compared the arrays must hold it.
        """
        lane, state = self._lanes[letter], self._state
        held = lane.execution and lane.execution.device.kind == "cpu"
        if lane.shown != shown or (checks and not held):
            return False
        frozen = letter == "b" and state.mixing.frozen is not None
        return frozen or (anew and state.paused)

    def _finish(self, job: FrameJob) -> bool:
        """Compute the rest of a frame and fill the textures; False to begin it anew."""
        try:
            computed = job.computed()
        except Unavailable:
            # It may fit when the arrays of the slots shown before are given back.
            if any([part.lane.release() for part in job.parts.values() if part.beside]):
                return False
            raise
        for each in computed:
            each.part.lane.adopt(each.execution, each.part.slot, each.part.images)
            if each.part.timed:
                each.part.lane.time_counts = each.timed
        self._compute_rest(job)
        self._fill(job)
        self._tidy(job)
        compiling = [each.part for each in computed if each.part.timed and not each.timed]
        for letter in job.parts.keys() & self._lanes.keys():
            part = job.parts[letter]
            ran = part.lane.prepared(part.slot, part.images)
            assert ran
            counts = part.timed and part not in compiling
            self._meters.computed(letter, ran, timed=counts, stages=part.stages and counts)
        return True

    def _compute_rest(self, job: FrameJob) -> None:
        """Compute what the display's thread computes, and compare."""
        shown = dict(job.asked.shown)
        with ExitStack() as running:
            arrays = {name: running.enter_context(_results(p)) for name, p in job.parts.items()}
            for letter in job.parts.keys() & self._lanes.keys():
                each = shown[letter]
                self._lanes[letter].finish_frame(each, job.frames[each.frame])
            if job.checks:
                both = [arrays.get(n) or _held(self._lanes[n], shown[n]) for n in "ab"]
                self._checks.check(shown["a"], shown["b"], both)

    def _fill(self, job: FrameJob) -> None:
        """Fill the textures with a frame."""
        shown = dict(job.asked.shown)
        for name, part in job.parts.items():
            for image in part.images:
                texture = shown[name].texture(image) if name in shown else name
                self._display.upload_pixels(texture, part.lane.buffer(image))
                self._note(texture)
        for each in shown.values():
            self._show_sources(each, job.frames[each.frame])
            self._truth.show(each, job.frames[each.frame])

    def _show_sources(self, shown: Shown, frame: Frame) -> None:
        """Fill the textures of the source's images in the view, once a frame."""
        for name, pixels in views(frame).items():
            texture = shown.texture(name)
            if name in shown.arrays.values() and self._on_display.get(texture) is not frame:
                self._display.upload_image(texture, pixels)
                self._on_display[texture] = frame
                self._note(texture)

    def _note(self, texture: str) -> None:
        """This texture is the newest."""
        self._textures.pop(texture, None)
        self._textures[texture] = None

    def _tidy(self, job: FrameJob) -> None:
        """Give back what belongs to pictures no longer shown, but for the newest of it."""
        shown = [lane.shown for lane in self._lanes.values() if lane.shown]
        used = {each.texture(array) for each in shown for array in each.arrays.values()}
        spare = [texture for texture in self._textures if texture not in used]
        for texture in spare[: max(len(self._textures) - MOST_TEXTURES, 0)]:
            del self._textures[texture]
            self._on_display.pop(texture, None)
            self._display.remove(texture)
        for part in job.parts.values():
            part.lane.tidy(part.images)
        seen = {slot.pipeline.name for _, slot, _, _ in job.asked.guests}
        for name in [name for name in self._guests if name not in seen]:
            self._guests.pop(name).close()

    def close(self) -> None:
        """Give up what is on its way; give back buffers and arrays."""
        self.cancel()
        for lane in (*self._lanes.values(), *self._guests.values()):
            lane.close()
        self._guests.clear()


def _part(lane: Lane, slot: Slot, images: Iterable[str], frame: Frame, why: str) -> Part:
    return Part(lane, slot, tuple(images), frame, why, lane.prepared(slot, images))


def _make_ready(part: Part) -> None:
    """Prepare what the display's thread computes; guard what the worker's thread writes to."""
    if not part.beside:
        check_kept(part.lane.prepare(part.slot, part.images), part.images, part.what_shows)
    elif part.there:
        part.lane.spoil()


@contextmanager
def _results(part: Part) -> Iterator[Mapping[str, Array]]:
    """The arrays of a part: computed now, or already; afterwards its buffers hold them."""
    if part.beside:
        with part.lane.computed(part.images) as arrays:
            yield arrays
    else:
        part.lane.prepare(part.slot, part.images)
        found = part.lane.run(part.frame, part.images, timed=part.timed, stages=part.stages)
        with found as arrays:
            yield arrays


def _held(lane: Lane, shown: Shown) -> Mapping[str, Array]:
    """The arrays of a frame that was computed on the CPU before."""
    assert lane.execution
    return {image: lane.execution.array(image) for image in shown.computed}
