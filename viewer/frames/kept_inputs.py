"""Inputs kept in GPU memory for frames that come again: a loop is uploaded only once."""

from collections.abc import Hashable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.device import Device
from wheatstone.gpu.pipeline import Array
from wheatstone.viewer.sources.frame import Frame

MOST_BYTES = 2**30
SHARE = 4  # of the memory that is free, one part of so many is the most that is taken


class KeptInputs:
    """Keeps inputs of frames on a GPU, each as long as the source keeps its frame.

    An input is kept when it is uploaded to the same place for the second time: a camera's frame
    comes only once, a frame of a loop, which the source keeps, comes again and again.
    """

    def __init__(self) -> None:
        self._arrays: WeakKeyDictionary[Frame, dict[str, Array]] = WeakKeyDictionary()
        self._came: WeakKeyDictionary[Frame, set[Hashable]] = WeakKeyDictionary()

    def of(self, frame: Frame, name: str) -> Array | None:
        """Return an input of a frame; None if it is not kept."""
        return self._arrays.get(frame, {}).get(name)

    def note(
        self, frame: Frame, name: str, to: Hashable, host: NDArray[np.uint8], device: Device
    ) -> Array | None:
        """Record the upload of an input to a place; return the kept array, if it is kept now.

        Args:
            host: the input on the host.
        """
        came = self._came.setdefault(frame, set())
        if to not in came:
            came.add(to)
            return None
        if not self._has_room(host.nbytes, device):
            return None
        with device.active():
            kept = device.zeros(host.shape, host.dtype)
        device.upload(kept, host)
        self._arrays.setdefault(frame, {})[name] = kept
        return kept

    def _has_room(self, size: int, device: Device) -> bool:
        """Return whether ``size`` more bytes may be kept."""
        free = device.free_bytes()
        most = MOST_BYTES if free is None else min(MOST_BYTES, (self.nbytes + free) // SHARE)
        return self.nbytes + size <= most

    @property
    def nbytes(self) -> int:
        """Number of bytes kept."""
        return sum(array.nbytes for held in self._arrays.values() for array in held.values())

    def forget(self) -> bool:
        """Free all memory; return whether there was any."""
        had = bool(self._arrays)
        self._arrays.clear()
        return had
