"""Uploaded files in a temporary folder with limits, and written files for download."""

import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from wheatstone.viewer.io.files.locks import hold
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label

LARGEST = 2**30  # bytes of a file
LARGEST_OF_ALL = 4 * 2**30  # bytes of all files
MOST_FILES = 200
LONGEST_NAME = 200  # bytes
PREFIX, HELD = "wheatstone-uploads-", ".held"  # a folder's name, and what its program holds
MOST_OFFERED = 64


class TooLargeError(ValueError):
    """The exception raised when uploaded files exceed a limit."""


@dataclass(eq=False)
class _Upload:
    """An uploaded file, possibly incomplete."""

    path: Path
    size: int = 0  # bytes written so far


class Uploads:
    """The files uploaded by viewers, in a temporary folder that is deleted at the program's end.

    If the program is killed, the next one deletes the folder.
    Files of different names are in one folder, where a left view is paired with its right one; a
    name that exists already starts another folder.

    Args:
        root: the folder in which the temporary one is made.
        largest: maximum bytes of a file.
        largest_of_all: maximum bytes of all files.
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
        """Write an uploaded file from chunks; return its key.

        Raises:
            ValueError: the name is not allowed for a file.
            TooLargeError: it exceeds a limit; the part written is deleted.
            OSError: it cannot be written.
        """
        # Limits apply to existing files only, not to those that others have deleted.
        self._kept = {key: one for key, one in self._kept.items() if one.path.is_file()}
        if len(self._kept) + len(self._arriving) >= MOST_FILES:
            raise TooLargeError(f"at most {MOST_FILES} files are accepted")
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

    def _check(self, upload: _Upload) -> None:
        """Raise ``TooLargeError`` if a file, or the total, exceeds its limit."""
        if upload.size > self.largest:
            raise TooLargeError(f"{label(upload.path.name)} is larger than {self.largest:,} bytes")
        if sum(one.size for one in (*self._kept.values(), *self._arriving)) > self._largest_of_all:
            raise TooLargeError(f"all files are larger than {self._largest_of_all:,} bytes")

    def _place(self, name: str) -> Path:
        """Return a path for a new upload; create the folder if necessary."""
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
        """Return whether a path is in the folder of uploaded files."""
        return self._top is not None and resolved(path).is_relative_to(resolved(self._top))

    def paths(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the paths of the uploaded files with the given keys; unknown keys are skipped."""
        return tuple(str(self._kept[key].path) for key in keys if key in self._kept)

    def close(self) -> None:
        """Delete all uploaded files."""
        if self._top is not None:
            shutil.rmtree(self._top, ignore_errors=True)
        if self._held:
            self._held.close()


def remove_forsaken(root: Path) -> None:
    """Delete upload folders whose lock file nobody holds: those of killed programs."""
    for folder in root.glob(f"{PREFIX}*"):
        with suppress(OSError), (folder / HELD).open("rb+") as file:
            if hold(file):
                shutil.rmtree(folder, ignore_errors=True)


def plain_name(name: str) -> str:
    """Return an upload's file name; raise ``ValueError`` if it is not a plain name."""
    hidden = name.startswith(".")
    leads_away = any(character in name for character in "/\\\0") or name in ("", ".", "..")
    if hidden or leads_away or not name.isprintable() or len(name.encode()) > LONGEST_NAME:
        raise ValueError(
            f"a file name must have at most {LONGEST_NAME} bytes, no slashes, no leading dot and "
            "only printable characters"
        )
    return name


@dataclass(frozen=True)
class Offered:
    """A file written by the program that viewers can download.

    Attributes:
        key: its key in requests.
        size: in bytes.
    """

    key: str
    path: Path
    size: int

    @property
    def message(self) -> dict[str, str | int]:
        """Return the message that announces the file to viewers."""
        return {"type": "file", "id": self.key, "name": self.path.name, "size": self.size}


class Offers:
    """The newest files written by the program, for download."""

    def __init__(self) -> None:
        self._files: dict[str, Offered] = {}

    def add(self, path: Path) -> Offered:
        """Add a written file for download; raise ``OSError`` if it does not exist."""
        offered = Offered(secrets.token_urlsafe(12), path.absolute(), path.stat().st_size)
        self._files[offered.key] = offered
        while len(self._files) > MOST_OFFERED:
            self._files.pop(next(iter(self._files)))
        return offered

    def find(self, key: str) -> Offered | None:
        """Return the offered file with a key; None if the key is unknown."""
        return self._files.get(key)

    @property
    def all(self) -> list[Offered]:
        """List the offered files, the oldest first."""
        return list(self._files.values())
