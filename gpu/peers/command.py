"""Match by a program of the user that reads two images and writes a file of disparities."""

import atexit
import shlex
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import cv2

from wheatstone.gpu.image import Float32, Int16, Uint8
from wheatstone.gpu.interruption import end_group, interruptible
from wheatstone.gpu.peers.tensors import write_fixed_point

PLACES = ("{left}", "{right}", "{out}")
SUFFIXES = (".pfm", ".npy", ".png", ".tiff")
LONGEST_MESSAGE = 300

Read = Callable[[Path, tuple[int, int]], Float32]


_running: set[int] = set()


def _end(group: int) -> None:
    """Kill a program and all programs that it started."""
    end_group(group)
    _running.discard(group)


@atexit.register
def _end_all() -> None:
    """Kill the programs whose threads are still running when this process exits."""
    for group in tuple(_running):
        _end(group)


def split_command(text: str) -> list[str]:
    """Split a command into words, the first of which names a program.

    Raises:
        ValueError: it does not name the places of the pictures and of the result, or has an
            unclosed quote.
        OSError: there is no such program.
    """
    if missing := [place for place in PLACES if place not in text]:
        raise ValueError(f"the program needs {', '.join(missing)} among its arguments: {text}")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"the command cannot be split into words: {text}: {error}") from error
    if not which(words[0]):
        raise FileNotFoundError(f"{text}: no such program, or not executable: {words[0]}")
    return words


class ExternalProgram:
    """A program that reads a stereo pair from files and writes its disparity to a file.

    Args:
        read: reads a file of disparities of an expected size, NaN where there is none.
        seconds: the time limit for one pair.
        remedy: end of the message about a program that exceeds it: how to change the limit.
    """

    def __init__(self, text: str, read: Read, seconds: float, remedy: str = "") -> None:
        self.text, self.words = text, split_command(text)
        self._read, self._seconds, self._remedy = read, seconds, remedy

    def match(
        self, colour_left: Uint8, colour_right: Uint8, guided: Int16, min_disparity: int
    ) -> None:
        """Run the program on two views, (H, W, 4); write its disparities into ``guided``.

        Raises:
            ValueError: it fails, takes too long, or writes no disparities of the views' size.
            OSError: it cannot be started.
        """
        with TemporaryDirectory(prefix="wheatstone-") as name:
            folder = Path(name)
            places = {place: folder / place.strip("{}") for place in PLACES}
            for place, view in zip(PLACES, (colour_left, colour_right), strict=False):
                places[place] = places[place].with_suffix(".png")
                cv2.imwrite(str(places[place]), cv2.cvtColor(view, cv2.COLOR_RGBA2BGR))
            words = [_filled(word, places) for word in self.words]
            self._run(words)
            disparity = self._result(places["{out}"], guided.shape)
        write_fixed_point(disparity, min_disparity, guided)

    def _run(self, words: list[str]) -> None:
        """Run the program to its end, then kill the programs that it started and that still run."""
        with self._started(words) as process:
            _running.add(process.pid)
            try:
                with interruptible(partial(_end, process.pid)):
                    _, errors = process.communicate(timeout=self._seconds)
            except subprocess.TimeoutExpired:
                raise ValueError(
                    f"{self.text}: did not end within {self._seconds:g} s, the time limit of "
                    f"programs, and was ended{self._remedy}"
                ) from None
            finally:
                _end(process.pid)
        if process.returncode:
            lines = errors.decode(errors="replace").strip().splitlines() or ["no message"]
            last = "".join(c if c.isprintable() else " " for c in lines[-1])[-LONGEST_MESSAGE:]
            raise ValueError(f"{self.text}: {_ending(process.returncode)}: {last}")

    def _started(self, words: list[str]) -> subprocess.Popen[bytes]:
        """Start the program. Raises ``OSError`` with the reason if it cannot be started."""
        try:
            return subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise OSError(f"{self.text}: {words[0]} does not start: {error.strerror}") from error

    def _result(self, out: Path, shape: tuple[int, int]) -> Float32:
        """Read the program's output file; raise ``ValueError``, naming the program, on failure."""
        path = self._written(out)
        try:
            return self._read(path, shape)
        except (OSError, ValueError) as error:
            reason = str(error).replace(f"{path}", path.name)
            raise ValueError(f"{self.text}: {reason}") from error

    def _written(self, out: Path) -> Path:
        """Return the path of the file that the program wrote: the given one, or with a suffix."""
        for path in sorted(out.parent.glob("out*")):
            if path.suffix.lower() in SUFFIXES:
                return path
        raise ValueError(f"{self.text}: it wrote no file {{out}} with {', '.join(SUFFIXES)}")


def _ending(code: int) -> str:
    """Describe how a program failed, given its exit code."""
    if code >= 0:
        return f"exit code {code}"
    names = {each.value: each.name for each in signal.Signals}
    return f"ended by signal {-code} ({names.get(-code, 'unknown')})"


def _filled(word: str, places: dict[str, Path]) -> str:
    """Replace the placeholders in a word of the command by paths."""
    for place, path in places.items():
        word = word.replace(place, str(path))
    return word
