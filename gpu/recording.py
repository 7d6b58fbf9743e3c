"""Call the steps of a frame, or replay the calls recorded for the same arrays."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from wheatstone.gpu.clock import Clock, between_marks
from wheatstone.gpu.device import Device
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.steps import Step

RECORDED_FRAMES = 8  # timed ones and others; a mapped buffer has the same address nearly always


class StepRecorder:
    """Turn the steps of a frame into one call, recorded once for each set of given arrays.

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
        """Return all steps as one call; it is recorded only if nothing happens between them.

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
