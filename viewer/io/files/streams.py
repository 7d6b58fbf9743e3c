"""Printing to standard output and error, safe for any text and for closed streams."""

import errno
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from wheatstone.viewer.io.reading.plain_text import one_line

TO_THE_END = "\x1b[K"  # what lets terminals erase a line from the cursor on
_lock = threading.Lock()  # of the line drawn: what compiles may say so from its own thread
_line_drawn = False
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def say(text: object) -> None:
    """Print a message to standard error: one line, after the program's name.

    If standard error cannot be written to, the message is lost and the program continues.
    """
    erase_line()
    _write(one_line(f"wheatstone: {text}") + "\n")


def on_terminal() -> bool:
    """Return whether standard error is a terminal on which a line can be overwritten."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def overwrite(text: str) -> None:
    """Replace the line last drawn on the terminal by a text, cut to the terminal's width.

    The next message, or ``erase_line``, removes it.
    """
    global _line_drawn
    with _lock:
        _write(f"\r{one_line(text, max(_columns() - 1, 20))}{TO_THE_END}")
        _line_drawn = True


def erase_line() -> None:
    """Erase the line on the terminal that ``overwrite`` drew last."""
    global _line_drawn
    with _lock:
        if _line_drawn:
            _write(f"\r{TO_THE_END}")
        _line_drawn = False


def _columns() -> int:
    """Return the width of standard error's terminal in columns; 80 if it is not known."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def open_streams() -> None:
    """Make standard output and error accept every text, and open them if they are closed.

    A closed one is opened to the null device: else the next file opened would get its number, and
    libraries would print into that file.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (number := os.open(os.devnull, os.O_RDWR)) < 3:
            os.set_inheritable(number, True)
        os.close(number)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush_output() -> None:
    """Flush standard output.

    Raises:
        BrokenPipeError: the reader of standard output has ended.
        OSError: it cannot be written to.
    """
    try:
        sys.stdout.flush()
    except OSError:
        _discard(sys.stdout)
        raise


def in_words(error: OSError) -> OSError:
    """Convert a system error to an error whose text names the file and the reason.

    A write error without a file name is one of standard output: other errors name their file.
    """
    if error.errno is None:
        return error
    if error.errno in FULL and error.filename is None:
        return OSError(f"standard output cannot be written to ({error.strerror})")
    named = f"{os.fsdecode(error.filename)}: " if error.filename else ""
    return OSError(f"{named}{error.strerror}")


@contextmanager
def without_errors() -> Iterator[None]:
    """Discard standard error in the ``with`` block, including output of libraries and threads."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _discard(stream: TextIO) -> None:
    """Redirect a broken stream to the null device, so that Python's flush at exit cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
