"""One screen: a source, what the user chose, two slots on their way, the display they write to.

The window, the offscreen renderer and the tests all show frames through this one class.
"""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from gpu.device import open_device
from gpu.environment import describe, versions
from viewer import combined
from viewer.checks import Checks
from viewer.display import Display
from viewer.inputs import Inputs, views
from viewer.lane import Lane, Modes
from viewer.picture import Picture
from viewer.settings import Recipe, to_recipe
from viewer.shown import Shown, chosen, chosen_b
from viewer.sources import Frame, Source
from viewer.state import ViewerState
from viewer.worker import Worker


@dataclass(frozen=True)
class Facts:
    """What the status line and a screenshot say about the frame shown.

    Attributes:
        milliseconds: compute time of the newest finished frame; None before there is one.
        mode: how results reach OpenGL: ``interop``, ``copy`` or ``cpu``.
        why_not_interop: empty with ``interop``.
    """

    device: str
    milliseconds: float | None
    mode: str
    why_not_interop: str


class Session:
    """Shows frames of a source as the state says; owns everything that must be closed.

    Args:
        mode: how results of GPU variants reach OpenGL; ``auto``: interop where it works, else copy.

    Attributes:
        a, b: the slots.
        checks: whether they show the same.
        worker: does what takes long, beside the display.
    """

    def __init__(
        self, state: ViewerState, source: Source, display: Display, mode: str = "auto"
    ) -> None:
        self.state, self.source, self.display = state, source, display
        self._inputs, self._modes = Inputs(source.height, source.width), Modes(mode)
        self.a, self.b = self._lane(), self._lane()
        self._guests: dict[str, Lane] = {}  # other pipelines, for overlays
        self._on_display: dict[str, Frame] = {}  # frames whose images are in these textures
        self._turned = self._began = time.perf_counter()  # when the frame shown came up; the start
        self._mode = state.mixing.mode  # of what was computed last
        self.checks = Checks(state, source, self.a, self.b)
        self.worker = Worker()

    def _lane(self) -> Lane:
        return Lane(self.source, self._inputs, self._modes)

    @property
    def _wanted(self) -> list[tuple[Lane, Shown]]:
        """The slots that the state needs, each with what it shall show."""
        mixing = self.state.mixing
        wanted = [(self.a, chosen(self.state))] if mixing.uses_a else []
        return wanted + ([(self.b, chosen_b(self.state))] if mixing.uses_b else [])

    @property
    def prepared(self) -> bool:
        """Whether what is chosen is what is prepared; if not, ``compute`` prepares first.

        A view of images that are computed on demand is prepared for, any other is there at once.
        """
        return all(lane.is_prepared(shown.slot, shown.computed) for lane, shown in self._wanted)

    @property
    def unprepared(self) -> str:
        """What ``compute`` prepares first, by name."""
        lacking = (s.slot for lane, s in self._wanted if not lane.is_prepared(s.slot, s.computed))
        return " and ".join(dict.fromkeys(slot.variant for slot in lacking))

    @property
    def current(self) -> bool:
        """Whether the frame computed last is the one chosen, in the view chosen, and checked."""
        wanted = self._wanted
        checked = not self.state.mixing.check or self.checks.of == [shown for _, shown in wanted]
        same = self._mode == self.state.mixing.mode
        return same and checked and all(lane.shown == shown for lane, shown in wanted)

    def advance(self) -> None:
        """Move to the frame and to the turn of a blink that are due now.

        The frame stays while paused or while the next one is not ready.
        """
        state, source = self.state, self.source
        now = time.perf_counter()
        if state.mixing.mode == "blink":
            halves = int((now - self._began) / (state.mixing.period / 2))
            state.mix(turn="ab"[halves % 2])
        if state.paused or not source.rate:
            self._turned = now
            return
        due = int((now - self._turned) * source.rate)
        for frames in {due, min(due, 1)} - {0}:  # a slow source has the next frame at least
            if source.ready(state.frame + frames):
                state.frame = (state.frame + frames) % source.length
                self._turned = now
                return

    def prepare(self) -> None:
        """Make the slots chosen ready to compute what their views show.

        Raises:
            ValueError: the parameters do not fit the images, or the variant refuses them.
            Unavailable: the device is absent or has too little memory.
        """
        for lane, shown in self._wanted:
            lane.prepare(shown.slot, shown.computed)

    def compute(self) -> None:
        """Compute the frame chosen and bring what the views show into its textures.

        Raises:
            ValueError: as ``prepare``; or the source lacks an image that is read or shown, or the
                variant does not keep one; or A and B cannot be mixed as chosen.
            Unavailable: as ``prepare``.
        """
        wanted = self._wanted
        frames = {shown.frame: self.source.frame(shown.frame) for _, shown in wanted}
        for _, shown in wanted:
            if frames[shown.frame].right is None:
                shown.check_single_image(self.source.name)
        if not self.state.mixing.alone:
            both = [shown for _, shown in wanted]
            combined.check(self.state, both[0], both[1], self.source.height, self.source.width)
        self.prepare()
        for lane, shown in wanted:
            what_shows = f"which view {shown.view.name} shows; choose another variant or view"
            lane.check_kept(shown.computed, what_shows)
        self._run(wanted, frames)
        for _, shown in wanted:
            self._show_sources(shown, frames[shown.frame])
        self._mode = self.state.mixing.mode
        guests = {s.texture(guest): (guest, s) for _, s in wanted for guest in s.guests}
        for texture, (guest, shown) in guests.items():
            self._run_guest(guest, texture, frames[shown.frame])

    def _run(self, wanted: list[tuple[Lane, Shown]], frames: Mapping[int, Frame]) -> None:
        """Compute what is wanted, check it if that is due, and fill the textures."""
        checks = self.checks.due([shown for _, shown in wanted])
        ran = [
            (lane, shown)
            for lane, shown in wanted
            if checks or self.state.mixing.frozen is None or lane is self.a or lane.shown != shown
        ]
        with ExitStack() as running:
            arrays = [
                running.enter_context(
                    lane.run(frames[shown.frame], shown.computed, timed=not checks)
                )
                for lane, shown in ran
            ]
            if checks:
                self.checks.check(ran[0][1], ran[1][1], arrays)
        for lane, shown in ran:
            lane.shown = shown
            for array in shown.computed:
                self.display.upload_pixels(shown.texture(array), lane.buffer(array))

    def _show_sources(self, shown: Shown, frame: Frame) -> None:
        """Fill the textures of the source's images in the view, once a frame."""
        for name, pixels in views(frame).items():
            texture = shown.texture(name)
            if name in shown.arrays.values() and self._on_display.get(texture) is not frame:
                self.display.upload_image(texture, pixels)
                self._on_display[texture] = frame

    def _run_guest(self, guest: str, texture: str, frame: Frame) -> None:
        """Compute an image of another pipeline, with the settings it was left with."""
        name, array = guest.split(".")
        slot = self.state.slot_of(name)
        lane = self._guests.setdefault(name, self._lane())
        lane.prepare(slot, (array,))
        lane.check_kept((array,), "which lies over the view")
        with lane.run(frame, (array,)):
            pass
        self.display.upload_pixels(texture, lane.buffer(array))

    @property
    def picture(self) -> Picture:
        """What is drawn of the frame computed last."""
        badge = self.checks.badge(self.a.shown)
        # Until another mode is computed, and found possible, the last one is drawn.
        state = replace(self.state, mixing=replace(self.state.mixing, mode=self._mode))
        return combined.combined(state, self.a.shown, self.b.shown, badge)

    def draw(self, width: int, height: int) -> None:
        """Draw the frame computed last into the display's framebuffer, in pixels of that size."""
        self.display.draw(self.picture, width, height)

    def values(self, name: str) -> NDArray[Any]:
        """Compute A's frame once more and return an image of it, as stored: (H, W)."""
        shown = chosen(self.state)
        return self.a.values(self.source.frame(shown.frame), shown, name)

    def finish(self) -> None:
        """Wait until the devices have done all they were given."""
        for lane in (self.a, self.b):
            lane.finish()

    def facts(self, slot: str = "") -> Facts:
        """What there is to say about the newest frame of slot ``a`` or ``b``.

        Without a slot: of A, or of B where only B is computed.
        """
        lane = {"a": self.a, "b": self.b}[slot or ("a" if self.state.mixing.uses_a else "b")]
        assert lane.execution
        device = lane.execution.device
        return Facts(device.name, lane.execution.milliseconds(), *self._modes.of(device.kind))

    def recipe(self) -> Recipe:
        """All settings, and under ``made`` what they were run with and how long it took."""
        facts, slot = self.facts(), self.state.slot
        made: dict[str, Any] = describe(open_device(slot.declaration.device))
        made |= {"display": facts.mode, "packages": versions()}
        if facts.milliseconds is not None:
            made["compute_ms"] = round(facts.milliseconds, 4)
        if badge := self.checks.badge(self.a.shown):
            made["identity"] = badge.text
        return to_recipe(self.state, self.source.recipe) | {"made": made}

    def close(self) -> None:
        """Give back buffers and arrays; the display and the source are closed by their owners."""
        self.worker.close()
        for lane in (self.a, self.b, *self._guests.values()):
            lane.close()
        self._guests.clear()
