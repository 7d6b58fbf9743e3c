"""Function calls in other processes, which are killed if a call takes too long.

A thread is not enough to read an untrusted file: compiled code that holds Python's global lock,
such as a regular expression, stops all threads of its process and cannot be interrupted.
"""

import math
import multiprocessing
import pickle
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar, TypeVarTuple

from wheatstone.viewer.run.jobs.processes import held_interruptions

R = TypeVar("R")
Words = TypeVarTuple("Words")

STARTS = 120.0  # seconds that a process may take to start
GRACE = 5  # seconds after which the system ends a process that nobody has killed


class _Caller:
    """A process that executes function calls, one at a time."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # OpenGL and threads do not survive a fork
        self._pipe, inner = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_answer, args=(inner,), daemon=True)
        with held_interruptions():  # Ctrl+C is for the program, which then ends this process
            self._process.start()
        inner.close()
        self._ready = False

    def call(self, function: Callable[..., R], words: tuple[object, ...], seconds: float) -> R:
        """Call a function in the process, within a number of seconds.

        Raises:
            TimeoutError: it takes longer; the process is killed.
            OSError: the process ended.
            Exception: the error that the function raised.
        """
        try:
            if not self._ready:
                self._receive(STARTS)
                self._ready = True
            self._pipe.send((function, words, math.ceil(seconds) + GRACE))
            result, error = self._receive(seconds)
        except (EOFError, ConnectionError):
            self.kill()  # its end of the pipe closes before the process has ended
            raise OSError("the process that reads the file ended unexpectedly") from None
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def _receive(self, seconds: float) -> tuple[Any, Exception | None]:
        """Return the answer of the process. Raises ``TimeoutError`` if it comes too late."""
        if not self._pipe.poll(seconds):
            self.kill()
            raise TimeoutError(f"reading was cancelled after {seconds:g} s")
        return pickle.loads(self._pipe.recv_bytes())  # type: ignore[no-any-return]

    @property
    def alive(self) -> bool:
        """Return whether the process is alive and can execute another call."""
        return self._process.is_alive()

    def kill(self) -> None:
        """Kill the process, even if it is executing a call."""
        self._process.kill()
        self._process.join()


class IsolatedCalls:
    """A set of processes in which functions are called, each call with a time limit.

    May be called from several threads; each call has a process for itself, and processes are used
    again.

    Args:
        seconds: the limit for a call.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._idle: list[_Caller] = []
        self._all: list[_Caller] = []
        self._closed, self._lock = False, threading.Lock()

    def __call__(self, function: Callable[[*Words], R], *words: *Words) -> R:
        """Call a module-level function in another process; arguments and result are pickled.

        Raises:
            TimeoutError: it takes too long.
            OSError: the process that called it ended.
            Exception: the error that the function raised.
        """
        caller = self._borrow()
        try:
            return caller.call(function, words, self.seconds)
        finally:
            with self._lock:
                if caller.alive and not self._closed:
                    self._idle.append(caller)
                else:
                    self._all.remove(caller)

    def _borrow(self) -> _Caller:
        """Return an idle process, or start one. Raises ``OSError`` after ``close``."""
        with self._lock:
            if self._closed:
                raise OSError("the program ends")
            while self._idle:
                if (caller := self._idle.pop()).alive:
                    return caller
                self._all.remove(caller)  # the system has ended it
            self._all.append(caller := _Caller())
            return caller

    def close(self) -> None:
        """Kill all processes, even those that are executing a call."""
        with self._lock:
            self._closed = True
        for caller in list(self._all):
            caller.kill()


def _answer(pipe: Connection) -> None:
    """Execute calls received from a pipe, until the other end of the pipe is closed."""
    pipe.send_bytes(pickle.dumps((None, None)))
    with suppress(EOFError, ConnectionError):
        while True:
            function, words, seconds = pipe.recv()
            _end_after(seconds)
            answer = _answered(function, words)
            _end_after(0)
            pipe.send_bytes(answer)


def _answered(function: Callable[..., object], words: tuple[object, ...]) -> bytes:
    """Call a function and pickle its result or error.

    An error that cannot be pickled becomes a ``ValueError`` with its message.
    """
    try:
        return pickle.dumps((function(*words), None))
    except Exception as error:
        try:
            answer = pickle.dumps((None, error))
            pickle.loads(answer)
        except Exception:
            return pickle.dumps((None, ValueError(str(error))))
        return answer


def _end_after(seconds: int) -> None:
    """Schedule the end of this process after some seconds, or cancel it if ``seconds`` is 0.

    The calling process may have been killed before it could kill this one.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
