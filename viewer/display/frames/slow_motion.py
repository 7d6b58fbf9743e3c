"""Slow motion of a stage of run A: recorded in the background, and shown step by step."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.unfolding.asked import Asked, Kept, Tiling
from wheatstone.gpu.analysis.unfolding.declared import Unfolding
from wheatstone.gpu.analysis.unfolding.unfolded import Sheet, Unfolded
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.worker import Task, Worker
from wheatstone.viewer.display.picture.panes import Picture
from wheatstone.viewer.display.picture.slow_motion import (
    box_texels,
    is_plain,
    stretch,
    texels,
    textures,
    unfolded_picture,
)
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.inputs import host_inputs
from wheatstone.viewer.run.run import Run

NOTHING_KEPT: tuple[Run | None, int] = (None, 0)


@dataclass(frozen=True)
class Watched:
    """The choices that determine a slow motion: stage, run, frame, pixel and path.

    A change of any of them starts it again. Slices go through the pixel.
    """

    unfolding: Unfolding
    slot: Run
    frame: int
    pixel: tuple[int, int] | None
    path: int

    @property
    def computed(self) -> tuple[Run | None, int]:
        """The reference's run and the frame to compute first, the same for all pixels and paths."""
        return replace(self.slot, variant="reference"), self.frame


class SlowMotion:
    """The slow motion of a stage of run A, for the frames of one source."""

    def __init__(self, state: ViewerState, display: Display, worker: Worker) -> None:
        self._state, self._display, self._worker = state, display, worker
        self._kept, self._kept_of = Kept(), NOTHING_KEPT
        self._task: Task[Unfolded] | None = None
        self._asked: Watched | None = None  # what the task unfolds
        self._began = 0.0
        self._there: tuple[Watched, Unfolded] | None = None
        self._drawn: tuple[Unfolded, int] | None = None  # what the textures hold
        self._names: set[str] = set()

    @property
    def wanted(self) -> Watched | None:
        """The slow motion that the user's choices request; None without a request."""
        state, unfolding = self._state, watched(self._state)
        if not unfolding:
            return None
        pixel = state.look.pin if unfolding.at_pixel else None
        path = state.unfolding.path if unfolding.along_path else 1
        return Watched(unfolding, state.slot, state.frame, pixel, path)

    @property
    def ready(self) -> bool:
        """Whether the requested slow motion is available; also True without a request."""
        wanted = self.wanted
        return not wanted or bool(self._there and self._there[0] == wanted)

    @property
    def unfolded(self) -> Unfolded | None:
        """The recorded steps of the slow motion; None until available, and without a request."""
        return self._there[1] if self._there and self.wanted else None

    @property
    def moment(self) -> int:
        """The index, from 0, of the step that the slow motion shows."""
        unfolded = self.unfolded
        return unfolded.moment(self._state.unfolding.moment) if unfolded else 0

    def prepare(self, frame: Frame, patience: float | None) -> bool:
        """Start or continue to record the requested slow motion; return whether it is available.

        Args:
            frame: the chosen frame.
            patience: seconds to wait; None: until it is done.

        Raises:
            ValueError: the stage is off, or parameters do not fit the images.
            Unavailable: there is too little memory.
        """
        wanted = self.wanted
        if not wanted or self.ready:
            return True
        if self._asked != wanted:
            self.cancel()
        if not self._task:
            self._begin(wanted, frame)
        assert self._task
        if not self._task.wait(patience):
            return False
        task, self._task, self._asked = self._task, None, None
        try:
            self._there = wanted, task.result()
        except MemoryError as error:
            raise Unavailable(f"{wanted.unfolding.name}: too little memory") from error
        return True

    def _begin(self, wanted: Watched, frame: Frame) -> None:
        if self._kept_of != wanted.computed:
            self._kept, self._kept_of = Kept(), wanted.computed
        kept, tiling = self._kept, _tiling(wanted, *frame.shape)

        def job(task: Task[Unfolded]) -> Unfolded:
            """Compute the frame up to the stage, then record the work of the stage."""
            step = f"slow motion: computing up to {wanted.unfolding.name}"
            asked = _asked(wanted, frame, lambda share: task.report(share, step))
            return wanted.unfolding.build(replace(asked, tiling=tiling, kept=kept))

        self._asked, self._began = wanted, time.perf_counter()
        self._task = self._worker.submit("slow motion", job)

    @property
    def progress(self) -> FrameProgress | None:
        """The progress of recording the slow motion; None while nothing is being recorded."""
        if not self._task:
            return None
        step = self._task.step or "slow motion: starting"
        return FrameProgress(self._task.progress, step, time.perf_counter() - self._began, True)

    def cancel(self) -> None:
        """Cancel the recording of the slow motion in the background."""
        if self._task:
            self._task.cancel()
        self._task = self._asked = None

    def picture(self, warning: str = "") -> Picture | None:
        """Fill the textures with the current step, and return its picture; None if not available.

        ``warning``: a text for the picture's caption.
        """
        unfolded = self.unfolded
        if not unfolded or not self._there:
            return None
        slot, moment = self._there[0].slot, self.moment
        if self._drawn != (unfolded, moment):
            for number, sheet in enumerate(unfolded.sheets):
                self._fill(number, sheet, unfolded, slot, moment)
            self._drawn = unfolded, moment
        return unfolded_picture(self._state, slot, unfolded, moment, warning)

    def _fill(self, number: int, sheet: Sheet, unfolded: Unfolded, slot: Run, moment: int) -> None:
        names, rows = textures(number, sheet, moment), stretch(unfolded, sheet)
        plain = is_plain(sheet, slot)
        stays = sheet.order is None and not callable(sheet.values)
        if not (stays and self._drawn and self._drawn[0] is unfolded):
            self._upload(names.values, texels(sheet, moment, rows, plain=plain))
        if sheet.marks:
            self._upload(names.marks, sheet.marks(moment).repeat(rows, axis=0).view("u1"))
        if names.boxes:
            self._upload(names.boxes, box_texels(sheet.boxes(moment), rows))

    def _upload(self, name: str, array: object) -> None:
        self._display.upload_image(name, array)  # type: ignore[arg-type]
        self._names.add(name)

    def close(self) -> None:
        """Cancel the recording, and release arrays and textures."""
        self.cancel()
        for name in self._names:
            self._display.remove(name)
        self._names.clear()
        self._kept, self._kept_of = Kept(), NOTHING_KEPT
        self._there = self._drawn = None


def _tiling(wanted: Watched, height: int, width: int) -> Tiling | None:
    if not wanted.unfolding.by_blocks:
        return None
    from wheatstone.gpu.analysis.unfolding.orders import tiling_of

    slot = wanted.slot
    return tiling_of(
        slot.pipeline, slot.variant, slot.params, height, width, wanted.unfolding.stage
    )


def _asked(wanted: Watched, frame: Frame, report: Callable[[float], None]) -> Asked:
    slot, (height, width) = wanted.slot, frame.shape
    row, column = wanted.pixel or (height // 2, width // 2)
    return Asked(
        slot.pipeline,
        slot.params,
        host_inputs(slot.pipeline.inputs, frame),
        height,
        width,
        wanted.unfolding.stage,
        (min(row, height - 1), min(column, width - 1)),
        wanted.path,
        report=report,
    )
