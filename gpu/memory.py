"""Hold the state that stages of an execution carry from frame to frame of a sequence."""

from collections.abc import Hashable, Mapping, Sequence

from wheatstone.gpu.image import Array

Moment = tuple[Hashable, int]
"""A sequence of frames, and the number of one of them."""


class Memory:
    """Holds pairs of arrays: the state before a frame, and the state after it.

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
        """Prepare the states before a frame.

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

    def copy(self) -> "Memory":
        """Copy the arrays, too; the device that holds them must be active."""
        copied = Memory(self._pairs, {name: each.copy() for name, each in self.arrays.items()})
        copied.done = self.done
        return copied
