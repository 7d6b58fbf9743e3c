"""Compute runs in another process: the connection of a worker to the device process.

A worker writes the inputs of a frame into memory that it shares with that process, sends a short
message, and reads the images from the same memory.
"""

import math
import mmap
import os
import pickle
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from multiprocessing import current_process
from multiprocessing.connection import Client, Connection
from multiprocessing.reduction import send_handle
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.recording import Moment
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.engine import Engine, finished
from wheatstone.viewer.run.inputs import host_inputs
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run

TRIES = 2  # device processes that may end with a frame until it is given up
RECONNECTING = 120.0  # seconds until a device process that does not answer counts as absent
PAUSE = 0.02
PAGE = 4096
DIED = f"the process that computes on the device ended {TRIES} times with it"

NUMBER, TIME = struct.Struct("<Ii"), struct.Struct("<dII")  # of messages; others are pickled
Arrays = Mapping[str, NDArray[Any]]
Memory = mmap.mmap | bytes | NDArray[np.uint8]
Layout = tuple[tuple[str, tuple[int, ...], str], ...]
"""Name, shape and dtype of arrays that lie one after the other, each at the begin of a page."""


def arrays_of(layout: Layout, memory: Memory) -> dict[str, NDArray[Any]]:
    """Create arrays over shared memory, by name, as a layout declares them."""
    places = [0, *accumulate(map(_room, layout))]
    return {
        name: np.ndarray(shape, dtype, memory, place)
        for (name, shape, dtype), place in zip(layout, places, strict=False)
    }


def _room(array: tuple[str, tuple[int, ...], str]) -> int:
    """Return the bytes that an array occupies in shared memory, rounded up to full pages."""
    _, shape, dtype = array
    return -(-math.prod(shape) * np.dtype(dtype).itemsize // PAGE) * PAGE


@dataclass(frozen=True)
class Order:
    """A request to the device process: a run on frames of one size; sent again for each frame.

    Attributes:
        inputs, images: as they lie in the shared memory, the images after the inputs.
        video: what opens the video that the device process decodes itself; None: ``inputs`` has
            the views.
    """

    run: Run
    shape: tuple[int, int]
    inputs: Layout
    images: Layout
    video: SourceSpec | None = None

    @property
    def layout(self) -> Layout:
        return self.inputs + self.images

    @cached_property
    def nbytes(self) -> int:
        return sum(map(_room, self.layout))


@dataclass(frozen=True)
class NewMemory:
    """The message that announces new shared memory; the memory's handle is sent after it."""

    nbytes: int


def _unpacked(answer: bytes) -> tuple[float, int, int] | Exception:
    """Parse the device process's answer: time, number of bands and rows per band, or an error."""
    if len(answer) == TIME.size:
        milliseconds, bands, rows = TIME.unpack(answer)
        return milliseconds, bands, rows
    error: Exception = pickle.loads(answer)
    return error


class RemoteEngine(Engine):
    """An engine that computes runs of one kind of device in a device process.

    Other runs, and frames that must come in order, are computed in this process.

    Args:
        kind: of its device.
        address: of its socket.
    """

    def __init__(self, kind: str, address: str) -> None:
        super().__init__()
        self._kind, self._address = kind, address
        self._connection: Connection[Any, Any] | None = None
        self._name = ""
        self._orders: dict[Order, int] = {}
        self._memory: Memory = b""
        self._handle = -1
        self._returned: list[ref[NDArray[Any]]] = []  # images that lie in this memory

    def device_name(self, run: Run) -> str:
        """Return the name of the processor that computes a run."""
        return self._name or super().device_name(run)

    def compute(self, run: Run, frame: Frame, moment: Moment | None = None) -> Result:
        """Compute a run on a frame in the device process, or in this one if that cannot do it.

        The images lie in the shared memory. While one of them exists, the next frame gets another.
        Frames of videos are decoded in that process if it can, otherwise here.

        Raises:
            ValueError, Unavailable: as for ``Engine``, or the device process ended with the frame.
        """
        if moment is not None or run.declaration.device != self._kind:
            return super().compute(run, frame, moment)
        there = frame.elsewhere
        if there and there.possible:
            done = self._computed(_order(run, frame.shape, (), there.spec), frame, {})
            if isinstance(done, Result):
                return done
            there.possible = False
        inputs = host_inputs(run.inputs, frame)
        layout = tuple((name, array.shape, array.dtype.str) for name, array in inputs.items())
        done = self._computed(_order(run, frame.shape, layout), frame, inputs)
        if isinstance(done, Exception):
            raise done
        return done

    def _computed(self, order: Order, frame: Frame, inputs: Arrays) -> Result | Exception:
        """Compute a frame in the device process; return the result, or the error it raised."""
        run = order.run
        with self._turn:
            in_use = any(image() is not None for image in self._returned)
            if in_use or order.nbytes > len(self._memory):
                self._grow(order.nbytes)
            arrays = arrays_of(order.layout, self._memory)
            for name, array in inputs.items():
                np.copyto(arrays[name], array, casting="no")
            answer = self._asked(order, frame.index)
            if isinstance(answer, Exception):
                return answer
            images = {name: arrays[name] for name in run.images}
            self._returned = [ref(image) for image in images.values()]
        milliseconds, bands, rows = answer
        done = finished(run, frame, images, milliseconds)
        return replace(done, division=f"in {bands} bands of {rows} rows") if bands > 1 else done

    def _asked(self, order: Order, index: int) -> tuple[float, int, int] | Exception:
        """Send a request and return the answer; repeat it if the device process was replaced."""
        for _ in range(TRIES):
            with suppress(EOFError, OSError):
                connection = self._connection or self._connected()
                number = self._orders.get(order)
                if number is None:
                    number = self._orders[order] = len(self._orders)
                    connection.send((number, index, order))
                else:
                    connection.send_bytes(NUMBER.pack(number, index))
                return _unpacked(connection.recv_bytes())
            self._connection = None
        raise ValueError(DIED)

    def _connected(self) -> "Connection[Any, Any]":
        """Connect to the device process, which may still be starting, and share the memory."""
        ends = time.monotonic() + RECONNECTING
        while True:
            try:
                connection = Client(self._address, "AF_UNIX", authkey=current_process().authkey)
                self._name = connection.recv()
                break
            except (EOFError, OSError) as error:
                if time.monotonic() > ends:
                    raise Unavailable("no process computes on the device") from error
                time.sleep(PAUSE)
        self._connection = connection
        self._orders.clear()
        self._announce(connection)
        return connection

    def _grow(self, nbytes: int) -> None:
        """Create shared memory of at least ``nbytes``, and announce it to the device process.

        It is freed with the last process that has it.
        """
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = os.memfd_create("wheatstone")
        os.ftruncate(self._handle, nbytes)
        self._memory = mmap.mmap(self._handle, nbytes)
        if self._connection:
            with suppress(OSError):  # it has ended, which is noticed next
                self._announce(self._connection)

    def _announce(self, connection: "Connection[Any, Any]") -> None:
        connection.send(NewMemory(len(self._memory)))
        send_handle(connection, self._handle, None)


@lru_cache(maxsize=16)
def _order(
    run: Run, shape: tuple[int, int], inputs: Layout, video: SourceSpec | None = None
) -> Order:
    """Build the request for a run on frames of one size; cached."""
    declared = [(name, run.pipeline.image(name)) for name in run.images]
    images = (
        (name, image.shape(*shape, run.params), np.dtype(image.dtype).str)
        for name, image in declared
    )
    return Order(run, shape, inputs, tuple(images), video)
