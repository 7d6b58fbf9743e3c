"""Reading of regular files only, up to a maximum size."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from wheatstone.viewer.io.reading.inputs import INPUTS

MIB = 2**20
KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_regular(path: Path, largest: int, remedy: str = "check the path") -> bytes:
    """Read a complete file; raise an error for a pipe, a device or a folder without waiting.

    Args:
        largest: maximum bytes of the file.
        remedy: advice for the user in messages.

    Raises:
        OSError: the file is missing, no regular file, or may not be read.
        ValueError: it is empty or larger.
    """
    with open_regular(path, remedy) as file:
        # The size told is not believed: some files, such as those of /proc, tell 0.
        told = os.fstat(file.fileno()).st_size
        encoded = file.read(largest + 1) if told <= largest else None
    if encoded is None or len(encoded) > largest:
        raise ValueError(f"{path}: larger than {in_units(largest)}, the most that is read")
    if not encoded:
        raise ValueError(f"{path}: the file is empty (0 bytes); {remedy}")
    return encoded


@contextmanager
def open_regular(path: Path, remedy: str = "check the path") -> Iterator[BinaryIO]:
    """Open a file to read parts of it; raise an error for a pipe, a device or a folder.

    From now on the file is an input of the command, which no output replaces.

    Args:
        remedy: as for ``read_regular``.

    Raises:
        OSError: as ``read_regular``, also for file errors in the block.
    """
    try:
        # What opens a device may set it in motion: look first; the file opened is looked at again.
        _require_regular(path, os.stat(path).st_mode, remedy)
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with open(file, "rb") as opened:
            _require_regular(path, os.fstat(file).st_mode, remedy)
            INPUTS.add(path)
            yield opened
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file; check the path") from None
    except PermissionError:
        raise PermissionError(
            f"{path}: not allowed to read it; change its permissions (chmod +r)"
        ) from None
    except OSError as error:
        if error.errno is None:  # raised below
            raise
        raise OSError(
            f"{path}: cannot be read ({error.strerror}); check the path and the disk"
        ) from None


def _require_regular(path: Path, mode: int, remedy: str) -> None:
    """Raise ``OSError``, without an error number, if the mode is not that of a regular file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path}: expected a file, found a folder; {remedy}")
    if not stat.S_ISREG(mode):
        found = KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(f"{path}: expected a regular file, found {found}; {remedy}")


def in_units(nbytes: int) -> str:
    """Format a number of bytes in MiB, or in KiB below 1 MiB."""
    return f"{nbytes // MIB} MiB" if nbytes >= MIB else f"{nbytes // 1024} KiB"
