"""Call the user's kernels in a separate process, which may crash, hang or be ended.

The process is started once; a request is a line of JSON, and so is its reply. One that does not
reply in time is ended, and the next call starts another. Several processes emulate kernels at once,
each called by one thread at a time; a GPU has one.
"""

import atexit
import json
import math
import os
import selectors
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import LifoQueue
from signal import Signals
from typing import Any

from wheatstone.gpu.device import gpu_number
from wheatstone.gpu.emulation.compiler import CompileFailed
from wheatstone.gpu.host import HostClock
from wheatstone.gpu.image import Array, nbytes
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.kernels.programs import Program
from wheatstone.gpu.own_kernels.arena import Arena, CudaArena, HostArena, layout_of
from wheatstone.gpu.own_kernels.calls import (
    UNCHECKED,
    CallReport,
    Checking,
    StageCall,
    launch_of,
    report_of,
    request_of,
)
from wheatstone.gpu.own_kernels.compiling import compiled_programs
from wheatstone.gpu.own_kernels.contract import OwnStage
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.own_kernels.fault import OF_LAUNCHES, KernelFault

START = 60.0  # seconds until a process that does not start counts as ended
LIMIT = 2.0  # seconds until a kernel on the GPU counts as endless
THREAD, BYTE = 1e-4, 4e-7  # seconds more, emulated, for every thread and byte
MOST_LOADED = 64  # emulated programs of a process
MOST_EMULATING = 4  # processes at once, however many cores there are
CHECKED = 10  # times as long a checked program may take
OFTEN = 0.1  # seconds between two looks at whether another call of the kernel was endless
IN_PYTHON = 20.0  # seconds for a Python function, which may have to be compiled first


def call_stage(
    call: StageCall, images: Sequence[Array], checking: Checking = UNCHECKED
) -> CallReport:
    """Call a user's kernel with images of the program, into which the results are written.

    Raises:
        KernelFault: it does not compile, end, or stay within its memory.
        Unavailable: there is no compiler.
    """
    with _pool(on_gpu=not emulated()).idle() as process:
        report = process.call(call, images, checking)
    for fault in report.faults:
        reason = OF_LAUNCHES.get(fault.kind, "access")
        raise KernelFault(call.own.stage, reason, fault.message, fault.file, fault.line)
    return report


def resources(stage: str, launches: Sequence[Launch]) -> list[dict[str, Any]]:
    """Return the GPU resources that kernels need: registers, shared bytes and occupancy.

    Raises:
        KernelFault: a kernel does not compile, or cannot be loaded.
    """
    with _pool(on_gpu=not emulated()).idle() as process:
        return process.describe(stage, launches)


def process_count() -> int:
    """Return the number of calls, each in its own process, that can run at once."""
    return min(os.cpu_count() or 1, MOST_EMULATING) if emulated() else 1


def restart() -> None:
    """End the processes of the user's kernels; the next call starts a new process."""
    for process in _pool(on_gpu=not emulated()).processes:
        process.close()


class _ProcessPool:
    """The processes that emulate kernels, or the one process on the GPU, started when needed."""

    def __init__(self, count: int, *, on_gpu: bool) -> None:
        self.processes = [KernelProcess(on_gpu=on_gpu) for _ in range(count)]
        self._idle: LifoQueue[KernelProcess] = LifoQueue()
        for process in self.processes:
            self._idle.put(process)
            atexit.register(process.close)

    @contextmanager
    def idle(self) -> Iterator["KernelProcess"]:
        """Wait for a process that no other thread uses, and yield it, preferably the last used."""
        process = self._idle.get()
        try:
            yield process
        finally:
            self._idle.put(process)


_endless: dict[OwnStage | None, int] = {}  # calls that did not end in time


@cache
def _pool(*, on_gpu: bool) -> _ProcessPool:
    return _ProcessPool(process_count(), on_gpu=on_gpu)


class KernelProcess:
    """A child process that calls the user's kernels, and the memory shared with it."""

    def __init__(self, *, on_gpu: bool) -> None:
        self.on_gpu = on_gpu
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._arena: Arena | None = None
        self._loaded: set[str] = set()

    def call(self, call: StageCall, images: Sequence[Array], checking: Checking) -> CallReport:
        """Copy images to the process, call the kernel, and copy the results into the images.

        Returns:
            The report, in which an emulated launch may have faults; then no result is copied.

        Raises:
            KernelFault: the kernel does not compile, or the process ended.
        """
        programs = _compiled(call.own.stage, call.launches, checked=checking.accesses)
        layout = layout_of(call.forms)
        with self._lock:
            arena = self._memory(layout.nbytes)
            views = [arena.view(o, f) for o, f in zip(layout.offsets, call.forms, strict=True)]
            for number, (view, image) in enumerate(zip(views, images, strict=True)):
                if call.first and number in call.written:
                    arena.poison(layout.offsets[number], call.forms[number])
                else:
                    arena.write(view, image)
            arena.mark(layout)
            arena.synchronize()
            request = request_of(call, programs, checking) | {"memory": arena.address}
            request["offsets"] = layout.offsets
            self._load(call.own.stage, [str(path) for path in programs.values()])
            clock, limit = HostClock(2), _limit(call, checking, self.on_gpu)
            clock.mark(0)
            reply = self._ask(call.own.stage, request, limit, call.own)
            clock.mark(1)
            (reply["round_trip"],) = clock.milliseconds()
            if self.on_gpu and call.own.in_python:
                reply["milliseconds"] = reply["round_trip"]
            report = report_of(reply)
            if report.faults:
                return report
            if damaged := arena.damaged(layout):
                name = call.contract.images[damaged[0]].name
                raise KernelFault(call.own.stage, "access", f"it writes outside {name}")
            for number in call.written:
                arena.read(views[number], images[number])
            arena.synchronize()
            return report

    def describe(self, stage: str, launches: Sequence[Launch]) -> list[dict[str, Any]]:
        """Return the GPU resources that the kernels of launches need."""
        programs = _compiled(stage, launches)
        with self._lock:
            self._load(stage, [str(path) for path in programs.values()])
            request = {"describe": [launch_of(each, programs) for each in launches]}
            taken: list[dict[str, Any]] = self._ask(stage, request, START)["resources"]
            return taken

    def _load(self, stage: str, programs: list[str]) -> None:
        """Load compiled programs in the process; restart it first if it has loaded many."""
        self._loaded |= set(programs)
        if len(self._loaded) > MOST_LOADED and not self.on_gpu:  # they stay loaded until it ends
            self._end()
            self._loaded |= set(programs)
        self._ask(stage, {"load": programs}, START)

    def _memory(self, size: int) -> Arena:
        """Return memory shared with the child process, of at least the given size in bytes."""
        if self._arena is None or self._arena.nbytes < size:
            if self._arena:
                self._ask("", {"forget": True}, START)
                self._arena.close()
            self._arena = (CudaArena if self.on_gpu else HostArena)(size)
        return self._arena

    def _ask(
        self, stage: str, request: dict[str, Any], limit: float, own: OwnStage | None = None
    ) -> dict[str, Any]:
        """Send a request to the child process and return its reply.

        Args:
            own: the kernels that are called; once another call of them does not end in time, this
                one is ended as well.

        Raises:
            KernelFault: the process did not reply in time, ended, or replied with an error.
        """
        process = self._running(stage)
        assert process.stdin and process.stdout
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._ended(stage) from None
        before = _endless.get(own, 0)
        line = _line(process.stdout.fileno(), limit, lambda: _endless.get(own, 0) != before)
        if line is None:
            self._end()
            if _endless.get(own, 0) != before:
                raise KernelFault(
                    stage, "time", "the kernel did not end; a loop in it may be endless"
                )
            if own:
                _endless[own] = before + 1
            raise KernelFault(
                stage,
                "time",
                f"the kernel did not end within {limit:.3g} s; a loop in it may be endless",
            )
        if not line:
            raise self._ended(stage)
        reply: dict[str, Any] = json.loads(line)
        if reason := reply.get("reason"):
            if reply.get("ends"):
                self._end()
            place = reply.get("file", ""), reply.get("line", 0)
            raise KernelFault(stage, reason, reply["message"], *place)
        return reply

    def _running(self, stage: str) -> "subprocess.Popen[bytes]":
        """Return the running process; start it at the first call."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wheatstone.gpu.own_kernels.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl+C is for this process
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            self._ask(stage, {"begin": self.on_gpu, "device": gpu_number()}, START)
        return self._process

    def _ended(self, stage: str) -> KernelFault:
        """Return the fault for a process that ended unexpectedly."""
        process = self._process
        code = process.wait() if process else 0
        self._end()
        signal = Signals(-code).name if code < 0 else f"exit code {code}"
        return KernelFault(stage, "crash", f"the kernel ended its process ({signal})")

    def _end(self) -> None:
        if process := self._process:
            self._process = None
            self._loaded = set()
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()

    def close(self) -> None:
        """End the process and free the shared memory."""
        with self._lock:
            self._end()
            if self._arena:
                self._arena.close()
                self._arena = None


def _compiled(
    stage: str, launches: Sequence[Launch], *, checked: bool = False
) -> dict[Program, Path]:
    """Compile the programs of launches. Raises ``KernelFault`` if a program does not compile."""
    try:
        return compiled_programs(launches, checked=checked)
    except CompileFailed as error:
        first = error.errors[0]
        raise KernelFault(stage, "compile", first.message, first.file, first.line) from error


def _line(file: int, limit: float, gives_up: Callable[[], bool]) -> bytes | None:
    """Read a line from a pipe; empty if the pipe was closed; None after the time limit.

    Args:
        gives_up: called often; True ends the wait.
    """
    read = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(file, selectors.EVENT_READ)
        while not read.endswith(b"\n"):
            waits = (min(OFTEN, limit - n * OFTEN) for n in range(math.ceil(limit / OFTEN)))
            if not any(selector.select(each) or gives_up() for each in waits) or gives_up():
                return None
            if not (part := os.read(file, 2**16)):
                return b""
            read += part
    return bytes(read)


def _limit(call: StageCall, checking: Checking, on_gpu: bool) -> float:
    """Return the number of seconds after which a call is ended as an endless loop."""
    if call.own.in_python:
        return IN_PYTHON
    if on_gpu:
        return LIMIT
    threads = sum(math.prod((*launch.grid, *launch.block)) for launch in call.launches)
    size = sum(nbytes(form.shape, form.dtype) for form in call.forms)
    return (LIMIT + THREAD * threads + BYTE * size) * (CHECKED if checking.accesses else 1)
