"""Reading of regular files only, up to a maximum size."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from wheatstone.viewer.io.reading.inputs import INPUTS

FLAGS = "NONBLOCK", "NOCTTY", "CLOEXEC", "BINARY"
UNIX_FLAGS = sum(getattr(os, f"O_{name}", 0) for name in FLAGS)  # 0 where a system lacks them
"""Flags that open a file without waiting, and not for processes started later."""

MIB = 2**20
KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


LARGEST_KEPT = 16 * MIB
_kept = threading.local()
"""The content of files that each thread reads next, with their states."""

State = tuple[int, ...]


def file_state(status: os.stat_result) -> State:
    """Return the properties of a file that change when the file is modified or replaced."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def keep_content(state: State, content: bytes) -> None:
    """Store the content of a file that this thread has just read, to avoid reading it again.

    Only the last two files are kept, the views of a pair, each until it is read.
    """
    if len(content) <= LARGEST_KEPT:
        kept = [*getattr(_kept, "files", ())[-1:], (state, content)]
        _kept.files = kept


def _kept_content(state: State) -> bytes | None:
    """Remove and return the content stored by ``keep_content``; None if the file was changed."""
    files = getattr(_kept, "files", ())
    content = next((content for known, content in files if known == state), None)
    if content is not None:
        _kept.files = [each for each in files if each[0] != state]
    return content


def read_regular(path: Path, largest: int, remedy: str = "check the path") -> bytes:
    """Read a complete file; raise an error for a pipe, a device or a folder without waiting.

    Args:
        largest: maximum bytes of the file.
        remedy: advice for the user in messages.

    Raises:
        OSError: the file is missing, no regular file, or may not be read.
        ValueError: it is empty or larger.
    """
    encoded = None
    with suppress(OSError):  # reported below
        encoded = _kept_content(file_state(os.stat(path)))
    if encoded is not None:
        INPUTS.add(path)
    else:
        with open_descriptor(path, remedy) as (file, status):
            if status.st_size <= largest:
                encoded = content_of(file, status, largest + 1)
    if encoded is None or len(encoded) > largest:
        raise ValueError(f"{path}: larger than {in_units(largest)}, the most that is read")
    if not encoded:
        raise ValueError(f"{path}: the file is empty (0 bytes); {remedy}")
    return encoded


def content_of(file: int, status: os.stat_result, most: int) -> bytes:
    """Read an open regular file from its beginning, up to a number of bytes.

    The size is not relied on: some files, such as those of /proc, have 0.
    """
    content = os.read(file, min(status.st_size + 1, most))
    if 0 < len(content) == status.st_size < most:
        return content
    parts = [content]
    while parts[-1] and (rest := most - sum(map(len, parts))):
        parts.append(os.read(file, min(rest, MIB)))
    return b"".join(parts)


@contextmanager
def open_regular(path: Path, remedy: str = "check the path") -> Iterator[BinaryIO]:
    """Open a regular file for reading; raise an error for a pipe, a device or a folder.

    From now on the file is an input of the command, which no output replaces.

    Args:
        remedy: as for ``read_regular``.

    Raises:
        OSError: as ``read_regular``, also for file errors in the block.
    """
    with open_descriptor(path, remedy) as (file, _), open(file, "rb", closefd=False) as opened:
        yield opened


@contextmanager
def open_descriptor(
    path: str | Path, remedy: str = "check the path"
) -> Iterator[tuple[int, os.stat_result]]:
    """Open a file as ``open_regular``; yield its descriptor and its status."""
    try:
        # What opens a device may set it in motion: look first; the file opened is looked at again.
        _require_regular(path, os.stat(path).st_mode, remedy)
        file = os.open(path, os.O_RDONLY | UNIX_FLAGS)
        try:
            status = os.fstat(file)
            _require_regular(path, status.st_mode, remedy)
            INPUTS.add(path)
            yield file, status
        finally:
            os.close(file)
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


def _require_regular(path: str | Path, mode: int, remedy: str) -> None:
    """Raise ``OSError`` with a remedy if a file's mode is not that of a regular file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path}: expected a file, found a folder; {remedy}")
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(f"{path}: expected a regular file, found {kind}; {remedy}")


def in_units(nbytes: int) -> str:
    """Format a number of bytes in MiB, or in KiB below 1 MiB."""
    return f"{nbytes // MIB} MiB" if nbytes >= MIB else f"{nbytes // 1024} KiB"
