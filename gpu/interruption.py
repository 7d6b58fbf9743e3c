"""Interrupt a running computation, such as a network or a program, from another thread."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

Interrupt = Callable[[], object]


class ComputationInterrupted(Exception):
    """The error that a computation raises when it ends early by request."""


class Interruption:
    """A request, from another thread, to end a computation early.

    Attributes:
        requested: whether the computation is to end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.requested = False
        self._interrupt: Interrupt | None = None

    def request(self) -> None:
        """Interrupt the running part of the computation, and every later part as it starts."""
        with self._lock:
            self.requested = True
            if self._interrupt:
                self._interrupt()

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this object the interruption of the calling thread inside the block."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    @contextmanager
    def _by(self, interrupt: Interrupt) -> Iterator[None]:
        with self._lock:
            self._interrupt = interrupt
            if self.requested:
                interrupt()
        try:
            yield
        finally:
            with self._lock:
                self._interrupt = None


_current: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


@contextmanager
def interruptible(interrupt: Interrupt) -> Iterator[None]:
    """Allow the interruption of the calling thread to end the code inside the block.

    Args:
        interrupt: makes the enclosed code end soon, called by another thread.
    """
    if interruption := _current.get():
        with interruption._by(interrupt):
            yield
    else:
        yield


def check_interruption() -> None:
    """Raise ``ComputationInterrupted`` if the interruption of the calling thread was requested."""
    if (interruption := _current.get()) and interruption.requested:
        raise ComputationInterrupted


def end_group(group: int) -> None:
    """Kill a process that was started in its own session, and all processes that it started."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
