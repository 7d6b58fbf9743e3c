"""Files that browsers send, in a temporary folder with bounds, and files that they may fetch."""

import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from wheatstone.viewer.files.held import hold
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.reading.plain_text import label

LARGEST = 2**30  # bytes of a file
LARGEST_OF_ALL = 4 * 2**30  # bytes of all files
MOST_FILES = 200
LONGEST_NAME = 200  # bytes
PREFIX, HELD = "wheatstone-uploads-", ".held"  # a folder's name, and what its program holds
MOST_OFFERED = 64


class TooLargeError(ValueError):
    """A file, or all together, are more than is taken."""


@dataclass(eq=False)
class _Upload:
    """A file that was sent, or is being sent.

    Attributes:
        size: bytes written until now.
    """

    path: Path
    size: int = 0


class Uploads:
    """Files that were sent; they are gone when the program ends, or when the next one takes some.

    Files of different names lie in one folder, where a left view finds its right one; a name that
    is there already begins another folder.

    Args:
        root: the folder in which the temporary one is made.
        largest: bytes of a file.
        largest_of_all: bytes of all.
    """

    def __init__(
        self, root: Path, largest: int = LARGEST, largest_of_all: int = LARGEST_OF_ALL
    ) -> None:
        self.largest, self._largest_of_all = largest, largest_of_all
        self._root, self._folder = root, Path()
        self._top: Path | None = None
        self._held: IO[bytes] | None = None
        self._kept: dict[str, _Upload] = {}
        self._arriving: list[_Upload] = []

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> str:
        """Write a file that is being sent; return what it is called by.

        Raises:
            ValueError: the name is none that a file may have.
            TooLargeError: it is larger than it may be; what was written is gone.
            OSError: it cannot be written.
        """
        self._forget_deleted()
        if len(self._kept) + len(self._arriving) >= MOST_FILES:
            raise TooLargeError(f"no more than {MOST_FILES} files are taken")
        upload = _Upload(self._place(plain_name(name)))
        self._arriving.append(upload)
        try:
            with upload.path.open("xb") as file:
                async for chunk in chunks:
                    upload.size += len(chunk)
                    self._check(upload)
                    file.write(chunk)
        except BaseException:
            upload.path.unlink(missing_ok=True)
            raise
        finally:
            self._arriving.remove(upload)
        key = secrets.token_urlsafe(12)
        self._kept[key] = upload
        return key

    def _forget_deleted(self) -> None:
        """Forget files that somebody deleted: the limits are those of files that are there."""
        self._kept = {key: one for key, one in self._kept.items() if one.path.is_file()}

    def _check(self, upload: _Upload) -> None:
        """Raise ``TooLargeError`` if a file, or all together, are too large."""
        if upload.size > self.largest:
            raise TooLargeError(f"{label(upload.path.name)} is larger than {self.largest:,} bytes")
        if sum(one.size for one in (*self._kept.values(), *self._arriving)) > self._largest_of_all:
            raise TooLargeError(f"all files are larger than {self._largest_of_all:,} bytes")

    def _place(self, name: str) -> Path:
        """Choose where a file goes."""
        if self._top is None:
            remove_forsaken(self._root)
            self._top = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._root))
            self._held = (self._top / HELD).open("xb")
            hold(self._held)
            self._folder = self._top
        if (self._folder / name).exists():
            self._folder = Path(tempfile.mkdtemp(prefix="again-", dir=self._top))
        return self._folder / name

    def holds(self, path: str) -> bool:
        """Tell whether a path is that of a file that was sent."""
        return self._top is not None and resolved(path).is_relative_to(resolved(self._top))

    def paths(self, keys: Iterable[str]) -> tuple[str, ...]:
        """List the paths of files that were sent; what is none is left out."""
        return tuple(str(self._kept[key].path) for key in keys if key in self._kept)

    def close(self) -> None:
        """Delete all files that were sent."""
        if self._top is not None:
            shutil.rmtree(self._top, ignore_errors=True)
        if self._held:
            self._held.close()


def remove_forsaken(root: Path) -> None:
    """Delete what programs left in a folder that were killed: nobody holds their files any more."""
    for folder in root.glob(f"{PREFIX}*"):
        with suppress(OSError), (folder / HELD).open("rb+") as file:
            if hold(file):
                shutil.rmtree(folder, ignore_errors=True)


def plain_name(name: str) -> str:
    """Check the name of a file that is sent; raises ``ValueError`` unless it is a name alone."""
    hidden = name.startswith(".")
    leads_away = any(character in name for character in "/\\\0") or name in ("", ".", "..")
    if hidden or leads_away or not name.isprintable() or len(name.encode()) > LONGEST_NAME:
        wanted = f"without slashes, a dot ahead and signs that do not print, {LONGEST_NAME} bytes"
        raise ValueError(f"names of files are {wanted} at most")
    return name


@dataclass(frozen=True)
class Offered:
    """A file that the program wrote.

    Attributes:
        key: what it is called by.
        size: in bytes.
    """

    key: str
    path: Path
    size: int

    @property
    def message(self) -> dict[str, str | int]:
        """What viewers are told of it."""
        return {"type": "file", "id": self.key, "name": self.path.name, "size": self.size}


class Offers:
    """Files that the program wrote, the newest ones."""

    def __init__(self) -> None:
        self._files: dict[str, Offered] = {}

    def add(self, path: Path) -> Offered:
        """Offer a file. Raises ``OSError`` if there is none."""
        offered = Offered(secrets.token_urlsafe(12), path.absolute(), path.stat().st_size)
        self._files[offered.key] = offered
        while len(self._files) > MOST_OFFERED:
            self._files.pop(next(iter(self._files)))
        return offered

    def find(self, key: str) -> Offered | None:
        """Find a file by what it is called by."""
        return self._files.get(key)

    @property
    def all(self) -> list[Offered]:
        """List the files, the oldest first."""
        return list(self._files.values())
