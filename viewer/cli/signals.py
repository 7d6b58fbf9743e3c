"""Handlers for signals that end the program: raise an exception, or close the window."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from wheatstone.viewer.choices.state import ViewerState

INTERRUPTED = 128 + signal.SIGINT
HANGUP = getattr(signal, "SIGHUP", signal.SIGTERM)  # which Windows lacks
ENDING = tuple(dict.fromkeys((signal.SIGTERM, HANGUP)))
AGAIN = 0.05  # seconds until an exception that was lost is raised again


class Terminated(KeyboardInterrupt):
    """The exception for a signal that ends the program.

    Attributes:
        code: the exit code, 128 plus the signal's number, as in shells.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number
        self.code = 128 + number


def code_of(interruption: KeyboardInterrupt) -> int:
    """Return the exit code after Ctrl+C or another signal."""
    return interruption.code if isinstance(interruption, Terminated) else INTERRUPTED


@contextmanager
def raised_signals() -> Iterator[None]:
    """Return a context in which signals that end the program raise ``Terminated``.

    A signal that is ignored, as SIGHUP is under ``nohup``, stays ignored. While the first one is
    handled, SIGHUP is ignored, which terminals send twice, and SIGTERM ends the program at once.

    Python drops an exception that a signal raises in a destructor or in a callback from C, such as
    the import system and the compiler of the CPU variants have. It is raised again shortly after.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    caught = [number for number in ENDING if before[number] == signal.SIG_DFL]
    for number in caught:
        signal.signal(number, _raise)
    report = sys.unraisablehook

    def raise_again(dropped: "sys.UnraisableHookArgs") -> None:
        """Repeat a signal whose exception was dropped; report other dropped exceptions."""
        if not isinstance(dropped.exc_value, KeyboardInterrupt):
            report(dropped)
            return
        number = getattr(dropped.exc_value, "number", signal.SIGINT)
        if number in caught:
            signal.signal(number, _raise)
        repeat = threading.Timer(AGAIN, os.kill, [os.getpid(), number])
        repeat.daemon = True
        repeat.start()

    sys.unraisablehook = raise_again
    try:
        yield
    finally:
        sys.unraisablehook = report
        for number in caught:
            signal.signal(number, before[number])


def _raise(number: int, frame: FrameType | None) -> None:
    signal.signal(HANGUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise Terminated(number)


@contextmanager
def closing_at_signals(state: ViewerState) -> Iterator[list[int]]:
    """Return a context in which Ctrl+C, SIGTERM and SIGHUP close the window.

    A second signal interrupts the program.

    Yields:
        The list of the signal received; empty until then.
    """
    came: list[int] = []

    def close(number: int, _: FrameType | None) -> None:
        """Record a signal, and request that the window closes."""
        if came:
            raise KeyboardInterrupt
        came.append(number)
        state.closing = True

    # What is ignored stays so: nohup means it.
    heeded = [n for n in (signal.SIGINT, *ENDING) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, close) for number in heeded}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
