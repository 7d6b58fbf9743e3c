"""Try one case: make it, let the program read it, and list what should not have happened."""

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from traceback import extract_tb

from tests.fuzz.kinds import FuzzKind
from wheatstone.viewer.io.reading.checks import MOST_PIXELS

PATIENCE = 25.0  # seconds of a core that a case may take, the first of which compiles
SPEAKS = re.compile("(?i:traceback|warning|error:|corrupt|libpng)|TIFF[A-Z]")
LONGEST = 1000  # characters of a message
MEMORY = 1.5 * 3 * MOST_PIXELS * 12
"""Bytes that a case may take: 1.5 times what the largest image takes, RGB in floats. OpenCV holds
the file and its pixels, and copies these once more to turn blue, green, red into red, green, blue.
"""


def try_case(kind: FuzzKind, seed: int, folder: Path) -> list[str]:
    """Make a case in an empty folder, as ``folder / "case"``, and let the program read it.

    Returns:
        What went wrong, a sentence each; nothing if all is well.
    """
    (folder / "case").mkdir()
    kind.make(Random(f"{kind.name} {seed}"), folder / "case")
    return try_files(kind, folder)


def try_files(kind: FuzzKind, folder: Path) -> list[str]:
    """Let the program read what lies in ``folder / "case"``.

    Returns:
        What went wrong, a sentence each; nothing if all is well. Nothing may appear in the folder
        but inside ``case``.
    """
    case = folder / "case"
    _forget_peak()
    before, begun = _resident(), time.process_time()
    with tempfile.TemporaryFile() as printed:
        with _standard_streams(printed.fileno()):
            wrong = list(_outcome(kind, case))
        printed.seek(0)
        text = printed.read().decode(errors="replace")
    # What waits and computes nothing ends by the patience of `running`, by the clock.
    took, peak = time.process_time() - begun, _peak() - before
    if took > PATIENCE:
        wrong.append(f"took {took:.1f} s")
    if peak > MEMORY:
        wrong.append(f"took {peak / 2**20:.0f} MiB of memory")
    if strangers := sorted(path.name for path in folder.iterdir() if path.name != "case"):
        wrong.append(f"wrote outside: {', '.join(strangers)}")
    return wrong + list(_messages(text))


def _outcome(kind: FuzzKind, case: Path) -> Iterator[str]:
    try:
        code = kind.read(case)
    except (OSError, ValueError) as error:
        text = str(error)
        if not text.strip():
            yield f"no message: {error!r}"
    except SystemExit as error:
        if error.code not in kind.codes:
            yield f"left with exit code {error.code!r}"
    except BaseException as error:
        places = [f"{Path(at.filename).name}:{at.lineno}" for at in extract_tb(error.__traceback__)]
        yield f"{type(error).__name__}: {str(error)[:200]} ({' '.join(places[1:])})"
    else:
        if type(code) is int and code not in kind.codes:
            yield f"exit code {code}"


def _messages(text: str) -> Iterator[str]:
    """List what is wrong with what was printed: every line on it begins with the program's name."""
    for line in text.splitlines():
        # What a library prints has not the program's name in front of it.
        if SPEAKS.search(line) and not line.startswith("wheatstone"):
            yield f"printed: {line[:200]}"
        if len(line) > LONGEST:
            yield f"printed a line of {len(line)} characters: {line[:80]!r}"


@contextmanager
def _standard_streams(file: int) -> Iterator[None]:
    """Turn standard output and error into a file in the block, those of C libraries included."""
    sys.stdout.flush(), sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2)]
    try:
        for number, _ in kept:
            os.dup2(file, number)
        yield
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        for number, old in kept:
            os.dup2(old, number)
            os.close(old)


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    return _status("VmHWM")


def _resident() -> int:
    return _status("VmRSS")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024
