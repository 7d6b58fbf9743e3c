"""The computation of one frame by runs A and B and for overlaid images, up to their textures."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from wheatstone.gpu import Unavailable
from wheatstone.gpu.pipeline import Array
from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.display.frames.changes import Changes, TruthTextures
from wheatstone.viewer.display.frames.frame_job import FrameJob, FrameProgress
from wheatstone.viewer.display.frames.runner import Runner, check_kept
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import from_source, view_of

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

MOST_TEXTURES = 16  # kept, of images shown before


class Computing:
    """The computation of a session's frames, and the upload of the results to textures."""

    def __init__(self, session: "Session") -> None:
        self._session, self._state = session, session.state
        self._display = session.display
        self._sides = {"a": session.a, "b": session.b}
        self._overlays: dict[str, Runner] = {}  # by texture: a frozen B has its own
        self._on_display: dict[str, Frame] = {}  # frames whose images are in these textures
        self._textures: dict[str, None] = {}  # those filled, the newest last
        self._truth = TruthTextures(self._display)
        self.changes = {n: Changes(self._display, session.modes.asked) for n in self._sides}
        self._job: FrameJob | None = None

    def compute(self, shown: Mapping[str, Shown], patience: float | None) -> bool:
        """Start or continue to compute a frame; return whether the display's textures are filled.

        CPU variants, and compilation for the GPU, run in the background. When they are done, GPU
        variants run on this thread, and all images of the views are uploaded.

        Args:
            shown: the views to compute: ``a``, ``b``, and overlays by their texture; their frames
                must be fetched.
            patience: seconds to wait for the background work; None: until it is done.

        Raises:
            ValueError, Unavailable: as ``Session.compute``.
        """
        if self._job and self._job.shown != shown:
            self.cancel()
        self._job = self._job or self._begin(shown)
        if not self._job.done(patience):
            return False
        job, self._job = self._job, None
        return self._finish(job) or self.compute(shown, patience)

    def cancel(self) -> None:
        """Cancel the computation of the frame in progress."""
        if self._job:
            self._job.cancel()
            self._job = None

    @property
    def progress(self) -> FrameProgress | None:
        """Return the progress of the frame computed in the background; None without one."""
        return self._job.progress(self._changed(self._job.shown)) if self._job else None

    def _changed(self, shown: Mapping[str, Shown]) -> bool:
        """Return whether the images that runs A and B must show differ from those on screen."""
        return any(side.shown != shown[n] for n, side in self._sides.items() if n in shown)

    def _begin(self, shown: Mapping[str, Shown]) -> FrameJob:
        frames = {name: self._session.frame_of(each) for name, each in shown.items()}
        sides = {name: each for name, each in shown.items() if name in self._sides}
        for name, each in sides.items():
            if not frames[name].is_pair:
                each.check_single_image(self._session.frames_of(each).source.name)
        checks = len(sides) == 2 and self._session.checks.due(list(sides.values()))
        if not (in_step := self._in_step(sides)):
            self._session.begin_stretch()
        runners = self._runners(shown, checks, in_step)
        meters = self._session.meters
        stages = [name for name in runners if name in sides and meters.wants_stages(name)]
        stretch = self._session.stretch
        job = FrameJob(shown, frames, runners, checks, frozenset(() if checks else stages), stretch)
        for name, runner in runners.items():
            runner.check_fit(shown[name].slot)
        for name in runners:
            _make_ready(job, name)
        job.start(self._session.worker)
        return job

    def _in_step(self, sides: Mapping[str, Shown]) -> bool:
        """Return whether the temporal filters of runs A and B have received the same frames.

        If not, both begin again, so that variants agree from this frame on.
        """
        if self._state.mixing.frozen is not None or not any(
            s.slot.remembers for s in sides.values()
        ):
            return True
        return len({self._sides[name].done(each) for name, each in sides.items()}) <= 1

    def _runners(
        self, shown: Mapping[str, Shown], checks: bool, in_step: bool
    ) -> dict[str, Runner]:
        """Return the runners (which compute runs A and B) that must work, by view; that of B first.

        Thus the shared inputs finally hold A's frame.
        """
        runners, changed = {}, self._changed(shown)
        for name in reversed([name for name in shown if name in self._sides]):
            stands = in_step and self._stands(name, shown[name], checks=checks, changed=changed)
            if not stands:
                runners[name] = self._sides[name]
        for name in [name for name in shown if name not in self._sides]:
            if name not in self._overlays:
                self._overlays[name] = self._session.new_runner()
            runners[name] = self._overlays[name]
        return runners

    def _stands(self, name: str, shown: Shown, *, checks: bool, changed: bool) -> bool:
        """Return whether a run's result is still valid, so that it need not be computed again.

        A side to be compared must still have its arrays.
        """
        runner, state = self._sides[name], self._state
        held = runner.execution and runner.execution.device.on_host
        if runner.shown != shown or runner.outdated or (checks and not held):
            return False
        separate = name == "b" and (state.mixing.frozen is not None or shown.elsewhere)
        return separate or (changed and state.paused)

    def _finish(self, job: FrameJob) -> bool:
        """Compute the rest of a frame and fill the textures; return False to begin it again."""
        try:
            computed = job.results()
        except Unavailable:
            # It may fit when the arrays of the slots shown before are given back.
            if any(
                [
                    runner.release()
                    for name, runner in job.runners.items()
                    if job.in_background(name)
                ]
            ):
                return False
            raise
        standing = (self._sides.keys() & job.shown.keys()) - job.runners.keys()
        if job.checks and any(not self._sides[name].execution for name in standing):
            return False  # its arrays were wanted for something else since
        for name, each in computed.items():
            job.runners[name].adopt(each.execution, job.shown[name])
            if job.timed(name):
                job.runners[name].time_counts = each.timed
        self._compute_rest(job)
        self._fill(job)
        self._tidy(job)
        compiling = {name for name, each in computed.items() if not each.timed}
        for name in job.runners.keys() & self._sides.keys():
            ran = job.runners[name].prepared(job.shown[name])
            assert ran
            counts = job.timed(name) and name not in compiling
            stages = name in job.stages and counts
            self._session.meters.computed(name, ran, timed=counts, stages=stages)
        return True

    def _compute_rest(self, job: FrameJob) -> None:
        """Compute the views that need OpenGL's thread, and compare the results of runs A and B."""
        with ExitStack() as running:
            arrays = {name: running.enter_context(_results(job, name)) for name in job.runners}
            for name in job.runners.keys() & self._sides.keys():
                self._sides[name].finish_frame(job.shown[name], job.frame(name))
                self._measure_changes(name, job.shown[name], arrays[name])
            if job.checks:
                held = [arrays.get(n) or _held(self._sides[n], job.shown[n]) for n in "ab"]
                self._session.checks.check(job.shown["a"], job.shown["b"], held)

    def _measure_changes(self, name: str, shown: Shown, arrays: Mapping[str, Array]) -> None:
        execution = self._sides[name].prepared(shown)
        assert execution
        changes, output = self.changes[name], shown.slot.pipeline.output
        follows = changes.followed and is_disparity(shown.slot.pipeline.image(output))
        if shown.temporal or (follows and output in shown.arrays):
            stored = arrays[shown.arrays[output]]
        elif follows and execution.keeps(output):
            stored = execution.array(output)
        else:
            changes.close()
            return
        changes.measure(shown, shown.temporal or self._state.temporal, execution, stored)

    def _fill(self, job: FrameJob) -> None:
        for name, runner in job.runners.items():
            for image in job.shown[name].computed:
                texture = job.shown[name].texture(image)
                self._display.upload_pixels(texture, runner.buffer(image))
                self._note(texture)
        for name in job.shown.keys() & self._sides.keys():
            self._show_sources(job.shown[name], job.frame(name))
            self._truth.show(job.shown[name], job.frame(name))
            self.changes[name].upload(job.shown[name])

    def _show_sources(self, shown: Shown, frame: Frame) -> None:
        source = [a for a in shown.arrays.values() if from_source(shown.slot.pipeline, a)]
        for name in source:
            texture, pixels = shown.texture(name), view_of(frame, name)
            if pixels is not None and self._on_display.get(texture) is not frame:
                self._display.upload_image(texture, pixels)
                self._on_display[texture] = frame
                self._note(texture)

    def _note(self, texture: str) -> None:
        self._textures.pop(texture, None)
        self._textures[texture] = None

    def _tidy(self, job: FrameJob) -> None:
        shown = [side.shown for side in self._sides.values() if side.shown]
        used = {each.texture(array) for each in shown for array in each.arrays.values()}
        spare = [texture for texture in self._textures if texture not in used]
        for texture in spare[: max(len(self._textures) - MOST_TEXTURES, 0)]:
            del self._textures[texture]
            self._on_display.pop(texture, None)
            self._display.remove(texture)
        for name, runner in job.runners.items():
            runner.tidy(job.shown[name].computed)
        for texture in self._overlays.keys() - job.shown.keys():
            self._overlays.pop(texture).close()

    def close(self) -> None:
        """Cancel the frame in progress; release buffers, arrays and textures."""
        self.cancel()
        for runner in (*self._sides.values(), *self._overlays.values()):
            runner.close()
        self._overlays.clear()
        for texture in self._textures:
            self._display.remove(texture)
        self._textures.clear()
        self._on_display.clear()
        self._truth.close()
        for changes in self.changes.values():
            changes.close()


def _make_ready(job: FrameJob, name: str) -> None:
    """Prepare a view's computation on OpenGL's thread, or mark its arrays as outdated."""
    runner, shown = job.runners[name], job.shown[name]
    if not job.in_background(name):
        check_kept(runner.prepare(shown), shown)
    elif runner.prepared(shown):
        if name in job.stages or not runner.holds(shown, job.frame(name)):
            runner.spoil()


@contextmanager
def _results(job: FrameJob, name: str) -> Iterator[Mapping[str, Array]]:
    """Yield a view's result arrays, computed if necessary; then copy them to pixel buffers."""
    runner, shown = job.runners[name], job.shown[name]
    if job.in_background(name):
        computing = runner.computed(shown)
    else:
        timed, stages = job.timed(name), name in job.stages
        computing = runner.run(shown, job.frame(name), job.moment(name), timed=timed, stages=stages)
    with computing as arrays:
        yield arrays


def _held(runner: Runner, shown: Shown) -> Mapping[str, Array]:
    assert runner.execution
    return {image: runner.execution.array(image) for image in shown.computed}
