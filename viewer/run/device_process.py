"""A process that computes on a device for all worker processes of this machine.

Workers of one GPU would each have a CUDA context, between which the GPU switches in slices of time.
Instead a single process has the context. A worker writes the inputs of a frame into memory that it
shares with that process, sends a short message, and finds the images in the same memory. A frame
of a video can be decoded there, so that it never leaves the GPU.

    device = DeviceProcess("cuda", "0")           in the parent: what by_processes has to start
    share_engine(RemoteEngine(device.kind, device.address))        in a worker
"""

import mmap
import os
import pickle
import sys
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import AuthenticationError, current_process
from multiprocessing.connection import Connection, Listener
from multiprocessing.reduction import recv_handle
from selectors import EVENT_READ, DefaultSelector
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import Device, another_device
from wheatstone.gpu.execution import Execution
from wheatstone.viewer.io.footage.gpu_decoding import decode_elsewhere
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.decoded_video import DecodedVideo
from wheatstone.viewer.run.engine import Engine, converting, share_engine
from wheatstone.viewer.run.inputs import upload_planes
from wheatstone.viewer.run.jobs.workers import WorkerPool
from wheatstone.viewer.run.remote_engine import (
    NUMBER,
    TIME,
    Arrays,
    NewMemory,
    Order,
    RemoteEngine,
    arrays_of,
)
from wheatstone.viewer.run.run import Run

LANES = {"cuda": 4, "cpu": 1}
"""Frames in progress on a device: one is computed while others are copied from and to it."""
KEPT = 4  # executions of each lane
WORKERS = 256  # that may connect at the same moment
AFTER_DEVICE = 5  # how much nicer workers are, all of which wait for the process of the device
POLLS = 1000  # of the device without news, about a millisecond, until it is polled less often
POLLED = 0.0003  # seconds between later polls
TURN = 0.0005  # seconds that a thread keeps Python to itself while others decode videos


@dataclass(frozen=True)
class DeviceProcess:
    """A process that computes on one device for all worker processes that connect to it.

    Attributes:
        kind: of the device, ``cpu`` or ``cuda``.
        number: of the GPU; empty: the one that CUDA numbers first.
        address: of its socket, in Linux's abstract namespace, where nothing remains to be deleted.
    """

    kind: str
    number: str = ""
    address: str = field(default_factory=lambda: f"\0wheatstone-{uuid4()}")

    def __call__(self) -> None:
        """Compute for all connected workers until killed; call it in a process of its own."""
        self._choose_gpu()
        server, key = _Server(self.kind), current_process().authkey
        with Listener(self.address, "AF_UNIX", WORKERS, key) as listener:
            threading.Thread(target=_accept, args=(listener, server), daemon=True).start()
            server.serve()

    def connect(self) -> None:
        """Make this worker use the device process, and for its own computations the same GPU."""
        self._choose_gpu()
        os.nice(AFTER_DEVICE)
        decode_elsewhere()  # a decoder on the GPU would have a context of its own
        share_engine(RemoteEngine(self.kind, self.address))

    def _choose_gpu(self) -> None:
        if self.number:
            os.environ["CUDA_VISIBLE_DEVICES"] = self.number  # before CUDA starts


def device_processes(pool: WorkerPool) -> list[DeviceProcess]:
    """List the device processes that a pool's workers need: one for each GPU."""
    return [DeviceProcess("cuda", number) for number in pool.gpus or ("",) if pool.device == "cuda"]


@dataclass(frozen=True, eq=False)
class _Place:
    """The arrays in a worker's shared memory that belong to one order (a request to compute a run).

    Attributes:
        inputs, images: the arrays by name.
        locked: whether the device has locked the memory, and copies from and to it itself.
    """

    order: Order
    inputs: Arrays
    images: Arrays
    locked: bool


class _Worker:
    """A connected worker process: its shared memory, and its orders (requests for frames).

    Attributes:
        busy: whether it waits for an answer, so that its memory is in use.
        ended: whether it ended meanwhile.
    """

    def __init__(self, connection: "Connection[Any, Any]", device: Device) -> None:
        self.connection = connection
        self.busy = self.ended = False
        self._orders: dict[int, Order] = {}
        self._device, self._locked = device, False
        self._memory = np.empty(0, np.uint8)
        self._places: dict[int, _Place] = {}
        self._video: DecodedVideo | None = None

    def asked(self, known: dict[Order, Order]) -> "_Frame | None":
        """Receive a message of the worker; return the requested frame, or None for other messages.

        Args:
            known: the orders of all workers, to which a new one is added.

        Raises:
            EOFError, OSError: the worker has ended.
        """
        message = self.connection.recv_bytes()
        if len(message) == NUMBER.size:
            number, index = NUMBER.unpack(message)
        elif isinstance(sent := pickle.loads(message), NewMemory):
            self.replace(_mapped(recv_handle(self.connection), sent.nbytes))
            return None
        else:
            number, index, order = sent
            self._orders[number] = known.setdefault(order, order)
        place = self._place(number)
        spec = place.order.video
        return _Frame(self, place, self._opened(spec).frame(index) if spec else None)

    def _opened(self, spec: SourceSpec) -> DecodedVideo:
        """Return the video that the worker reads; open it first if another video was open."""
        if self._video is None or self._video.spec != spec:
            self.close_video()
            self._video = DecodedVideo(spec, on_host=self._device.on_host)
        return self._video

    def close_video(self) -> None:
        """Close the video that the worker reads."""
        if self._video:
            self._video.close()

    def replace(self, memory: NDArray[np.uint8]) -> None:
        """Replace the memory shared with the worker; lock the new memory for transfers."""
        if self._locked:
            self._device.unlock(self._memory)
        self._places.clear()
        self._memory = memory
        self._locked = bool(memory.nbytes) and self._device.lock(memory)

    def _place(self, number: int) -> _Place:
        if number not in self._places:
            order = self._orders[number]
            arrays = arrays_of(order.layout, self._memory)
            images = {name: arrays.pop(name) for name, _, _ in order.images}
            self._places[number] = _Place(order, arrays, images, self._locked)
        return self._places[number]


class _Lane:
    """An engine of a device process, with its own GPU queue for computing frames.

    Attributes:
        ready: the executions that have computed an order before, by the order's ``id``.
        uploaded: the inputs of decoded video that an execution has, see ``upload_planes``.
    """

    def __init__(self, device: Device) -> None:
        self.engine, self.device = Engine(KEPT, device), device
        self.ready: dict[int, Execution] = {}
        self.uploaded: WeakKeyDictionary[Execution, dict[str, object]] = WeakKeyDictionary()

    def compute_first(self, place: _Place, run: Run, decoded: Frame | None) -> float:
        """Compute the first frame of an order (a run to compute), and check the order's arrays.

        Args:
            run: that of the order, perhaps with the number of bands that another lane chose.
            decoded: the frame, if this process decodes it.
        """
        order, arrays = place.order, (place.inputs, place.images)
        if decoded:
            execution, milliseconds = self.engine.compute_planes(
                converting(run), decoded, place.images
            )
        else:
            milliseconds = self.engine.compute_into(run, order.shape, *arrays)
            execution = self.engine.prepared(run, *order.shape)
        self.ready[id(order)] = execution
        self.uploaded[execution] = {}
        self.ready = {key: one for key, one in self.ready.items() if self.engine.keeps(one)}
        return milliseconds


@dataclass(frozen=True, eq=False)
class _Frame:
    """A frame that a worker has requested and waits for.

    Attributes:
        decoding: gives the decoded frame of a video; None: the place has the views.
    """

    worker: _Worker
    place: _Place
    decoding: "Future[Frame] | None" = None

    @property
    def ready(self) -> bool:
        """Whether the frame's video image is decoded, so that the device can compute the frame."""
        return self.decoding is None or self.decoding.done()

    @property
    def number(self) -> int:
        """The number of the order (a request to compute a run) that the frame belongs to."""
        return id(self.place.order)


class _Server:
    """The server of a device process: one thread queues and answers the workers' frames."""

    def __init__(self, kind: str) -> None:
        self._free = [_Lane(another_device(kind)) for _ in range(LANES[kind])]
        self._device, self._lanes = self._free[0].device, len(self._free)
        self._selector = DefaultSelector()
        self._waiting: deque[_Frame] = deque()
        self._started: list[tuple[_Frame, _Lane, Execution]] = []
        self._orders: dict[Order, Order] = {}  # each once, whichever workers give it
        self._divisions: dict[int, tuple[int, int]] = {}  # bands and their rows, by order
        self._decodes = False  # videos, in threads that polling would delay

    def add(self, connection: "Connection[Any, Any]") -> None:
        """Add a connected worker; may be called in any thread."""
        connection.send(self._device.name)
        worker = _Worker(connection, self._device)
        self._selector.register(connection, EVENT_READ, worker)

    def serve(self) -> None:
        """Receive requests and compute frames until the process is killed."""
        polls = 0
        while True:
            timeout = POLLED if self._started or self._waiting else None
            if self._started and polls < POLLS and not self._decodes:
                timeout = 0
            news = self._selector.select(timeout)
            for key, _ in news:
                self._receive(key.data)
            while self._free and (frame := next((f for f in self._waiting if f.ready), None)):
                self._waiting.remove(frame)
                self._start(frame)
            polls = 0 if self._answer_finished() or news else polls + 1

    def _receive(self, worker: _Worker) -> None:
        try:
            if frame := worker.asked(self._orders):
                worker.busy = True
                self._waiting.append(frame)
                if frame.decoding and not self._decodes:
                    self._decodes = True
                    sys.setswitchinterval(TURN)
        except (EOFError, OSError):
            self._selector.unregister(worker.connection)
            worker.ended = True
            self._release(worker)

    def _release(self, worker: _Worker) -> None:
        """Release the resources of a worker process that ended, unless its frame is in progress."""
        if worker.ended and not worker.busy:
            worker.connection.close()
            worker.close_video()
            worker.replace(np.empty(0, np.uint8))

    def _start(self, frame: _Frame) -> None:
        """Queue a frame on a free engine; the first frame of an order is computed immediately."""
        place, number = frame.place, frame.number
        lane = next((each for each in self._free if number in each.ready), self._free[0])
        self._free.remove(lane)
        try:
            decoded = frame.decoding.result() if frame.decoding else None
            if execution := lane.ready.get(number):
                if decoded:
                    upload_planes(execution, decoded, lane.uploaded[execution])
                where = place if place.locked else None
                execution.start_exchange(place.inputs, place.images, where)
                self._started.append((frame, lane, execution))
                return
            run = place.order.run
            bands, _ = self._divisions.get(number, (run.bands, 0))
            milliseconds = lane.compute_first(place, replace(run, bands=bands), decoded)
            execution = lane.ready[number]
            self._divisions[number] = execution.bands, execution.computed_rows
            self._answer(frame, lane, self._packed(frame, milliseconds))
        except Unavailable as error:  # such as memory that suffices for fewer lanes only
            if self._lanes == 1:
                self._answer(frame, lane, _packed_error(error))
            else:
                self._lanes -= 1
                self._waiting.appendleft(frame)
        except Exception as error:
            self._answer(frame, lane, _packed_error(error))

    def _answer_finished(self) -> bool:
        """Report finished frames to the worker processes; return whether there were any."""
        unfinished = []
        for frame, lane, execution in self._started:
            try:
                if not lane.device.idle:
                    unfinished.append((frame, lane, execution))
                    continue
                answer = self._packed(frame, execution.milliseconds(wait=True) or 0.0)
            except Exception as error:
                answer = _packed_error(error)
            self._answer(frame, lane, answer)
        count, self._started = len(self._started), unfinished
        return len(unfinished) < count

    def _packed(self, frame: _Frame, milliseconds: float) -> bytes:
        return TIME.pack(milliseconds, *self._divisions[frame.number])

    def _answer(self, frame: _Frame, lane: _Lane, answer: bytes) -> None:
        self._free.append(lane)
        worker = frame.worker
        worker.busy = False
        with suppress(OSError):  # it has ended
            worker.connection.send_bytes(answer)
        self._release(worker)


def _accept(listener: Listener, server: _Server) -> None:
    """Accept connections of workers, and add them to the server, until the process is killed."""
    while True:
        with suppress(OSError, EOFError, AuthenticationError):  # others may try to connect
            server.add(listener.accept())


def _packed_error(error: Exception) -> bytes:
    """Pickle an error for a worker; one of an unusual type becomes a ``RuntimeError``."""
    if not isinstance(error, (OSError, ValueError, MemoryError, Unavailable)):
        error = RuntimeError(f"{type(error).__name__}: {error}")
    return pickle.dumps(error)


def _mapped(handle: int, nbytes: int) -> NDArray[np.uint8]:
    """Map shared memory as an array of bytes, and close its handle."""
    try:
        return np.frombuffer(mmap.mmap(handle, nbytes), np.uint8)
    finally:
        os.close(handle)
