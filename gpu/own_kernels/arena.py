"""Shared memory for the images of a call of a user's kernel, which another process executes.

On a GPU this is one allocation, which the other process opens through CUDA's inter-process
communication; zones with a pattern between the images show writes outside of them. On the CPU it is
a file in memory.
"""

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.image import Array, nbytes
from wheatstone.gpu.own_kernels.launching import ImageForm
from wheatstone.gpu.texture import Texture

ZONE = 256  # bytes between images, and what they are aligned to
PATTERN = 0xA5  # of bytes that no kernel has written
IN_MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class ArenaLayout:
    """The offsets of images in shared memory, and of the guard zones that detect overruns.

    Attributes:
        offsets: of the first byte of each image.
        zones: the first byte and the end of each zone between images, and the image before it, or
            after the first.
        nbytes: of all.
    """

    offsets: tuple[int, ...]
    zones: tuple[tuple[int, int, int], ...]
    nbytes: int


def layout_of(forms: Sequence[ImageForm]) -> ArenaLayout:
    """Compute the offsets of consecutive images, with guard zones around and between them."""
    offsets, zones, begin = list[int](), list[tuple[int, int, int]](), 0
    for number in range(len(forms) + 1):
        end = -(-(begin + ZONE) // ZONE) * ZONE
        zones.append((begin, end, max(number - 1, 0)))
        if number < len(forms):
            offsets.append(end)
            begin = end + nbytes(forms[number].shape, forms[number].dtype)
    return ArenaLayout(tuple(offsets), tuple(zones), end)


class Arena(ABC):
    """Shared memory that holds the images of one call of a user's kernel.

    Attributes:
        nbytes: that it has room for.
    """

    def __init__(self, whole: Array) -> None:
        self.nbytes = int(whole.size)
        self._bytes = whole

    @property
    @abstractmethod
    def address(self) -> dict[str, Any]:
        """Return plain data with which the other process opens this shared memory."""

    @abstractmethod
    def write(self, view: Array, image: Array) -> None:
        """Copy an image of the program into a view of this memory, and convert its type."""

    @abstractmethod
    def read(self, view: Array, image: Array) -> None:
        """Copy a view of this memory into an image of the program, and convert its type."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all copies into and out of this memory are done."""

    @abstractmethod
    def close(self) -> None:
        """Free the shared memory."""

    def view(self, offset: int, form: ImageForm) -> Array:
        """Return the array that represents an image at an offset in this memory."""
        part = self._bytes[offset : offset + nbytes(form.shape, form.dtype)]
        return part.view(form.dtype).reshape(form.shape)

    def poison(self, offset: int, form: ImageForm) -> None:
        """Fill the image at an offset with the guard pattern."""
        self._bytes[offset : offset + nbytes(form.shape, form.dtype)] = PATTERN

    def mark(self, layout: ArenaLayout) -> None:
        """Fill the guard zones between the images with the guard pattern."""
        for begin, end, _ in layout.zones:
            self._bytes[begin:end] = PATTERN

    def damaged(self, layout: ArenaLayout) -> list[int]:
        """List the images next to which the guard pattern was overwritten."""
        return [n for begin, end, n in layout.zones if (self._bytes[begin:end] != PATTERN).any()]


class HostArena(Arena):
    """Main memory that two processes share through a file, if possible in a memory file system."""

    def __init__(self, size: int) -> None:
        place = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
        handle, self._path = tempfile.mkstemp(prefix="wheatstone-kernel-", dir=place)
        with os.fdopen(handle, "r+b") as file:
            file.truncate(size)
            super().__init__(np.memmap(file, np.uint8, "r+", shape=(size,)))

    @property
    def address(self) -> dict[str, Any]:
        return {"path": self._path, "nbytes": self.nbytes}

    def write(self, view: Array, image: Array) -> None:
        view[...] = image

    def read(self, view: Array, image: Array) -> None:
        image[...] = view

    def synchronize(self) -> None:
        pass

    def close(self) -> None:
        Path(self._path).unlink(missing_ok=True)


class CudaArena(Arena):
    """GPU memory that another process opens by a CUDA handle."""

    def __init__(self, size: int) -> None:
        import cupy

        self._cupy, self._pointer = cupy, cupy.cuda.runtime.malloc(size)
        memory = cupy.cuda.UnownedMemory(self._pointer, size, self)
        super().__init__(cupy.ndarray(size, np.uint8, cupy.cuda.MemoryPointer(memory, 0)))
        self._handle: bytes = cupy.cuda.runtime.ipcGetMemHandle(self._pointer)

    @property
    def address(self) -> dict[str, Any]:
        device = self._cupy.cuda.Device().id
        return {"handle": self._handle.hex(), "nbytes": self.nbytes, "device": device}

    def write(self, view: Array, image: Array) -> None:
        if isinstance(image, Texture) and image.linear is None:
            image.copy_to(view, self._cupy.cuda.get_current_stream())
        else:
            source = image.linear if isinstance(image, Texture) else image
            self._cupy.copyto(view, source, casting="unsafe")

    def read(self, view: Array, image: Array) -> None:
        if isinstance(image, Texture):
            self._cupy.copyto(image.linear, view)
            image.fill()
        else:
            self._cupy.copyto(image, view, casting="unsafe")

    def synchronize(self) -> None:
        self._cupy.cuda.get_current_stream().synchronize()

    def close(self) -> None:
        self._cupy.cuda.runtime.free(self._pointer)
