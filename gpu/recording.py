"""The state that stages pass from frame to frame, and the recording of a frame's steps."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial

from wheatstone.gpu.clock import Clock, Work, between_marks
from wheatstone.gpu.device import Device
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.steps import Step

Moment = tuple[Hashable, int]
"""A sequence of frames, and the number of one of them."""


class Memory:
    """The state that temporal filters keep between frames, in arrays before and after a frame.

    Args:
        pairs: the names of the image that is read and of the one that is written; see
            ``Image.remembers``.
        images: the arrays by name.

    Attributes:
        arrays: the arrays of both by name, for the frame that is computed next or was last.
        done: the frame that was computed last; None if it is no part of a sequence, or failed.
    """

    def __init__(self, pairs: Sequence[tuple[str, str]], images: Mapping[str, Array]) -> None:
        self._pairs = pairs
        self.arrays = {name: images[name] for pair in pairs for name in pair}
        self.done: Moment | None = None

    def begin(self, moment: Moment | None) -> None:
        """Prepare the temporal filters' states for a frame of the same or of a new sequence.

        A later frame of a sequence continues it; the same frame again starts from the same states;
        any other frame is the first of its sequence, as every frame is whose moment is None.
        """
        done, self.done = self.done, None  # stays so if the frame fails
        if moment is not None and moment == done:
            return
        follows = moment and done and moment[0] == done[0] and moment[1] > done[1]
        for past, state in self._pairs:
            if follows:
                self.arrays[past], self.arrays[state] = self.arrays[state], self.arrays[past]
            else:
                self.arrays[past].fill(0)

    def fits(self, other: "Memory") -> bool:
        """Return whether the stored states of another execution have the shapes of these."""
        shapes = [[(n, a.shape) for n, a in each.arrays.items()] for each in (self, other)]
        return type(self) is type(other) and shapes[0] == shapes[1]

    def copy(self) -> "Memory":
        """Return a copy, including the arrays; the device that holds them must be active."""
        copied = Memory(self._pairs, {name: each.copy() for name, each in self.arrays.items()})
        copied.done = self.done
        return copied


RECORDED_FRAMES = 8  # timed ones and others; a mapped buffer has the same address nearly always


class StepRecorder:
    """A recorder of a frame's steps, which replays them as a single call.

    Args:
        recorded: whether calls may be recorded.

    Attributes:
        compiled: whether a frame was called before, so that every kernel is compiled.
    """

    def __init__(self, steps: Sequence[Step], device: Device, recorded: bool) -> None:
        self.compiled = False
        self._steps, self._device, self._recorded = steps, device, recorded
        self._frames: dict[tuple[int, ...], Callable[[], None]] = {}

    def frame(
        self,
        images: Mapping[str, Array],
        given: Mapping[str, Array],
        after: Callable[[int], None] | None,
        clock: Clock | None,
    ) -> Callable[[], None]:
        """Return a call of all steps, replayed from a recording unless ``after`` follows each step.

        Args:
            images: the arrays of the frame by name.
            given: arrays that replace some of them, and may differ from frame to frame.
            after: called after every step with the number of steps done; absent if nothing happens.
            clock: has two marks, set before and after the call; absent if it is not to be timed.
        """
        if after:
            return _timed(partial(call_steps, self._steps, {**images, **given}, after), clock)
        if not self.compiled or not self._recorded:  # compiling cannot be recorded
            self.compiled = True
            return _timed(self._calling(images, given), clock)
        key = (clock is not None, *map(self._device.address, given.values()))
        if key not in self._frames:
            if len(self._frames) == RECORDED_FRAMES:
                self._frames.clear()
            recorder = clock if clock else self._device
            self._frames[key] = recorder.record(self._calling(images, given))
        return self._frames[key]

    def exchange(
        self, images: Mapping[str, Array], clock: Clock, before: Work, after: Work
    ) -> Work | None:
        """Record all steps and the copies before and after them as one launch; None if impossible.

        Args:
            before, after: called before and after the steps; the clock does not measure them.
        """
        if not self.compiled or not self._recorded or self._device.on_host:
            return None
        return clock.record(self._calling(images, {}), before, after)

    def _calling(
        self, images: Mapping[str, Array], given: Mapping[str, Array]
    ) -> Callable[[], None]:
        return partial(call_steps, self._steps, {**images, **given}, lambda index: None)


def _timed(work: Callable[[], None], clock: Clock | None) -> Callable[[], None]:
    return between_marks(clock, work) if clock else work


def call_steps(
    steps: Sequence[Step], images: Mapping[str, Array], done: Callable[[int], None]
) -> None:
    """Call steps in order; after each, call ``done`` with the number of steps done.

    An execution keeps these calls, so they must not refer to it: its arrays would outlive it.
    """
    for index, step in enumerate(steps, 1):
        step.function(*(images[name] for name in step.images), *step.arguments)
        done(index)
