"""Signals that end the program, answered by closing the window as the user would."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from viewer.choices.state import ViewerState

ENDING = tuple(getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n))


@contextmanager
def closing_at_signals(state: ViewerState) -> Iterator[list[int]]:
    """Let Ctrl+C, SIGTERM and SIGHUP close the window; a second one interrupts what goes on.

    Yields:
        The signal that came, if one did.
    """
    came: list[int] = []

    def close(number: int, _: FrameType | None) -> None:
        """Note a signal, and ask for the window to close."""
        if came:
            raise KeyboardInterrupt
        came.append(number)
        state.closing = True

    # What is ignored stays so: nohup means it.
    heeded = [n for n in ENDING if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, close) for number in heeded}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
