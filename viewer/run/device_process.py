"""A process that computes on a device for all worker processes of this machine.

Workers of one GPU would each have a CUDA context, between which the GPU switches in slices of time.
Instead a single process has the context. A worker writes the inputs of a frame into memory that it
shares with that process, sends a short message, and finds the images in the same memory.

    device = DeviceProcess("cuda", "0")           in the parent: what by_processes has to start
    share_engine(RemoteEngine(device.kind, device.address))        in a worker
"""

import mmap
import os
import pickle
import struct
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate
from multiprocessing import AuthenticationError, current_process
from multiprocessing.connection import Client, Connection, Listener
from multiprocessing.reduction import recv_handle, send_handle
from queue import SimpleQueue
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import Device, another_device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.recording import Moment
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.engine import Engine, finished, share_engine
from wheatstone.viewer.run.inputs import host_inputs
from wheatstone.viewer.run.jobs.workers import WorkerPool
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run

LANES = {"cuda": 4, "cpu": 1}
"""Frames in progress on a device: one is computed while others are copied from and to it."""
KEPT = 4  # executions of each lane
WORKERS = 256  # that may connect at the same moment
TRIES = 2  # device processes that may end with a frame until it is given up
RECONNECTING = 120.0  # seconds until a device process that does not answer counts as absent
PAUSE = 0.02
AFTER_DEVICE = 5  # how much nicer workers are, all of which wait for the process of the device
PAGE = 4096
DIED = f"the process that computes on the device ended {TRIES} times with it"

NUMBER, TIME = struct.Struct("<I"), struct.Struct("<dII")  # of messages; longer ones are pickled
Arrays = Mapping[str, NDArray[Any]]
Layout = tuple[tuple[str, tuple[int, ...], str], ...]
"""Name, shape and dtype of arrays that lie one after the other, each at the begin of a page."""


@dataclass(frozen=True)
class DeviceProcess:
    """A process that computes for others on one device; see ``by_processes``.

    Attributes:
        kind: of the device, ``cpu`` or ``cuda``.
        number: of the GPU; empty: the one that CUDA numbers first.
        address: of its socket, in Linux's abstract namespace, where nothing remains to be deleted.
    """

    kind: str
    number: str = ""
    address: str = field(default_factory=lambda: f"\0wheatstone-{uuid4()}")

    def __call__(self) -> None:
        """Compute for all who connect, for ever; call it in a process of its own."""
        self._choose_gpu()
        lanes, key = _Lanes(self.kind), current_process().authkey
        with Listener(self.address, "AF_UNIX", WORKERS, key) as listener:
            while True:
                with suppress(OSError, EOFError, AuthenticationError):  # others may try to connect
                    connection = listener.accept()
                    serving = threading.Thread(target=lanes.serve, args=(connection,), daemon=True)
                    serving.start()

    def connect(self) -> None:
        """Make all runs in this process compute there, or else on the same GPU."""
        self._choose_gpu()
        os.nice(AFTER_DEVICE)
        share_engine(RemoteEngine(self.kind, self.address))

    def _choose_gpu(self) -> None:
        if self.number:
            os.environ["CUDA_VISIBLE_DEVICES"] = self.number  # before CUDA starts


def device_processes(pool: WorkerPool) -> list[DeviceProcess]:
    """List the processes that a pool's workers compute through: one for each GPU."""
    return [DeviceProcess("cuda", number) for number in pool.gpus or ("",) if pool.device == "cuda"]


def arrays_of(layout: Layout, memory: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a layout in shared memory, by name."""
    places = [0, *accumulate(map(_room, layout))]
    return {
        name: np.ndarray(shape, dtype, memory.data, place)
        for (name, shape, dtype), place in zip(layout, places, strict=False)
    }


def _room(array: tuple[str, tuple[int, ...], str]) -> int:
    """Return the bytes that an array of a layout takes, in full pages."""
    _, shape, dtype = array
    return -(-int(np.prod(shape)) * np.dtype(dtype).itemsize // PAGE) * PAGE


@dataclass(frozen=True)
class _Order:
    """A request that a worker repeats for each frame: a run on frames of one size.

    Attributes:
        inputs, images: as they lie in the shared memory, the images after the inputs.
    """

    run: Run
    shape: tuple[int, int]
    inputs: Layout
    images: Layout

    @property
    def layout(self) -> Layout:
        return self.inputs + self.images

    @property
    def nbytes(self) -> int:
        return sum(map(_room, self.layout))


@dataclass(frozen=True)
class _NewMemory:
    """Announces shared memory of another size, whose handle follows."""

    nbytes: int


@dataclass(frozen=True, eq=False)
class _Place:
    """The arrays of an order in the shared memory of a worker.

    Attributes:
        inputs, images: the arrays by name.
        locked: whether the device has locked the memory, and copies from and to it by itself.
    """

    order: _Order
    inputs: Arrays
    images: Arrays
    locked: bool


class _Slot:
    """The shared memory of a worker, with the orders that it has given."""

    def __init__(self, device: Device) -> None:
        self.orders: dict[int, _Order] = {}
        self._device, self._locked = device, False
        self._memory = np.empty(0, np.uint8)
        self._places: dict[int, _Place] = {}

    def replace(self, memory: NDArray[np.uint8]) -> None:
        """Replace the memory, and let the device lock it."""
        if self._locked:
            self._device.unlock(self._memory)
        self._places.clear()
        self._memory = memory
        self._locked = bool(memory.nbytes) and self._device.lock(memory)

    def place(self, number: int) -> _Place:
        """Return the place of an order."""
        if number not in self._places:
            order = self.orders[number]
            arrays = arrays_of(order.layout, self._memory)
            images = {name: arrays.pop(name) for name, _, _ in order.images}
            self._places[number] = _Place(order, arrays, images, self._locked)
        return self._places[number]


class _Lane:
    """An engine of a device process, with a queue of its own on the device.

    Attributes:
        ready: the executions that have computed an order before, by the order's ``id``.
    """

    def __init__(self, device: Device) -> None:
        self.engine = Engine(KEPT, device)
        self.ready: dict[int, Execution] = {}

    def compute_first(self, place: _Place, run: Run) -> float:
        """Compute the first frame of an order here, which checks its arrays.

        Args:
            run: that of the order, perhaps with the number of bands that another lane chose.
        """
        order, arrays = place.order, (place.inputs, place.images)
        milliseconds = self.engine.compute_into(run, order.shape, *arrays)
        self.ready[id(order)] = self.engine.prepared(run, *order.shape)
        self.ready = {key: one for key, one in self.ready.items() if self.engine.keeps(one)}
        return milliseconds


class _Lanes:
    """The lanes of a device process, which take frames of any worker."""

    def __init__(self, kind: str) -> None:
        devices = [another_device(kind) for _ in range(LANES[kind])]
        self._device, self._count = devices[0], len(devices)
        self._free: SimpleQueue[_Lane] = SimpleQueue()
        self._first = threading.Lock()  # what is compiled for one lane is loaded by the others
        self._orders: dict[_Order, _Order] = {}  # each once, whichever workers give it
        self._bands: dict[int, int] = {}  # that the first lane chose, by the order's ``id``
        self._rows: dict[int, int] = {}  # of each of these bands
        for device in devices:
            self._free.put(_Lane(device))

    def serve(self, connection: "Connection[Any, Any]") -> None:
        """Compute the frames of a worker until it ends."""
        slot = _Slot(self._device)
        with suppress(EOFError, OSError), connection:
            connection.send(self._device.name)
            while True:
                message = connection.recv_bytes()
                if len(message) == NUMBER.size:
                    (number,) = NUMBER.unpack(message)
                elif isinstance(asked := pickle.loads(message), _NewMemory):
                    slot.replace(_mapped(recv_handle(connection), asked.nbytes))
                    continue
                else:
                    number, order = asked
                    slot.orders[number] = self._orders.setdefault(order, order)
                connection.send_bytes(self._answer(slot.place(number)))
        slot.replace(np.empty(0, np.uint8))

    def _answer(self, place: _Place) -> bytes:
        """Compute a frame in shared memory; return its time, bands and rows, or the error, packed.

        An error that cannot be sent becomes one that names it.
        """
        try:
            milliseconds = self._computed(place)
            number = id(place.order)
            return TIME.pack(milliseconds, self._bands[number], self._rows[number])
        except (OSError, ValueError, MemoryError, Unavailable) as error:
            return pickle.dumps(error)
        except Exception as error:
            return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))

    def _computed(self, place: _Place) -> float:
        while True:
            lane = self._free.get()
            kept = True
            try:
                if execution := lane.ready.get(id(place.order)):
                    where = place if place.locked else None
                    return execution.exchange(place.inputs, place.images, where)
                with self._first:
                    order = place.order
                    run = replace(order.run, bands=self._bands.get(id(order), order.run.bands))
                    milliseconds = lane.compute_first(place, run)
                    execution = lane.ready[id(order)]
                    self._bands[id(order)] = execution.bands
                    self._rows[id(order)] = execution.computed_rows
                    return milliseconds
            except Unavailable:  # such as memory that suffices for fewer lanes only
                kept = self._count == 1
                if kept:
                    raise
                self._count -= 1
            finally:
                if kept:
                    self._free.put(lane)


def _mapped(handle: int, nbytes: int) -> NDArray[np.uint8]:
    """Map shared memory, and close its handle."""
    try:
        return np.frombuffer(mmap.mmap(handle, nbytes), np.uint8)
    finally:
        os.close(handle)


def _unpacked(answer: bytes) -> tuple[float, int, int] | Exception:
    """Return the milliseconds of a frame, the number of its bands and their rows, or the error."""
    if len(answer) == TIME.size:
        milliseconds, bands, rows = TIME.unpack(answer)
        return milliseconds, bands, rows
    error: Exception = pickle.loads(answer)
    return error


class RemoteEngine(Engine):
    """Compute runs in a device process; runs on other devices, and frames in order, here.

    Args:
        kind: of its device.
        address: of its socket.
    """

    def __init__(self, kind: str, address: str) -> None:
        super().__init__()
        self._kind, self._address = kind, address
        self._connection: Connection[Any, Any] | None = None
        self._name = ""
        self._orders: dict[_Order, int] = {}
        self._memory = np.empty(0, np.uint8)
        self._handle = -1

    def device_name(self, run: Run) -> str:
        """Return the name of the processor that computes a run."""
        return self._name or super().device_name(run)

    def compute(self, run: Run, frame: Frame, moment: Moment | None = None) -> Result:
        """Compute a run on a frame, as ``Engine`` does.

        Raises:
            ValueError, Unavailable: as of ``Engine``, or the device process ended with the frame.
        """
        if moment is not None or run.declaration.device != self._kind:
            return super().compute(run, frame, moment)
        order, inputs = _order(run, frame)
        with self._turn:
            if order.nbytes > self._memory.nbytes:
                self._grow(order.nbytes)
            arrays = arrays_of(order.layout, self._memory)
            for name, array in inputs.items():
                np.copyto(arrays[name], array, casting="no")
            answer = self._asked(order)
            if isinstance(answer, Exception):
                raise answer
            images = {name: arrays[name].copy() for name in run.images}
        milliseconds, bands, rows = answer
        done = finished(run, frame, images, milliseconds)
        return replace(done, division=f"in {bands} bands of {rows} rows") if bands > 1 else done

    def _asked(self, order: _Order) -> tuple[float, int, int] | Exception:
        """Send a request, again if the device process ends and is replaced; return the answer."""
        for _ in range(TRIES):
            with suppress(EOFError, OSError):
                connection = self._connection or self._connected()
                number = self._orders.get(order)
                if number is None:
                    number = self._orders[order] = len(self._orders)
                    connection.send((number, order))
                else:
                    connection.send_bytes(NUMBER.pack(number))
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
        """Make shared memory of at least a size, which ends with the last process that has it."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = os.memfd_create("wheatstone")
        os.ftruncate(self._handle, nbytes)
        self._memory = np.frombuffer(mmap.mmap(self._handle, nbytes), np.uint8)
        if self._connection:
            with suppress(OSError):  # it has ended, which is noticed next
                self._announce(self._connection)

    def _announce(self, connection: "Connection[Any, Any]") -> None:
        connection.send(_NewMemory(self._memory.nbytes))
        send_handle(connection, self._handle, None)


def _order(run: Run, frame: Frame) -> tuple[_Order, Mapping[str, NDArray[Any]]]:
    """Describe the computation of a frame; return its inputs, too."""
    inputs = host_inputs(run.inputs, frame)
    height, width = frame.shape
    declared = [run.pipeline.image(name) for name in run.images]
    return _Order(
        run,
        (height, width),
        tuple((name, array.shape, array.dtype.str) for name, array in inputs.items()),
        tuple(
            (name, image.shape(height, width, run.params), np.dtype(image.dtype).str)
            for name, image in zip(run.images, declared, strict=True)
        ),
    ), inputs
