"""Register of the running command's input files, which no output may replace.

Every reader passes through ``open_regular``, which adds the file here; sources also add the files
that they will read later. Writers call ``refuse_input`` before they replace a file.
"""

import os
import threading
from collections.abc import Iterable
from pathlib import Path

Place = tuple[str, str]
"""The real path of a folder, and the name of a file in it."""
FileId = tuple[int, int]
"""Device and inode number, which are the same for all names of a file."""


class InputFiles:
    """The files that a command reads, recognised under any name.

    A file is recognised by its place, for any path to it, and by its identity on the disk, which
    hard links, symbolic links and names in another case share. Adding a file is cheap: the disk is
    accessed only when an existing file is about to be replaced.

    Files that the command writes are no inputs when it reads them back.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added: dict[str, None] = {}
        self._places: dict[Place, str] = {}
        self._ids: dict[FileId, str] = {}
        self._outputs: set[Place] = set()
        self._folders: dict[str, str] = {}

    def add(self, path: str | Path) -> None:
        """Register a file that is read now or later; ignore a path without a file."""
        with self._lock:
            self._added[_whole(path)] = None

    def add_output(self, path: Path) -> None:
        """Register a file that the command writes, which never counts as an input."""
        with self._lock:
            self._outputs.add(self._place(_whole(path)))

    def find(self, path: Path) -> Path | None:
        """Return the input file that a path denotes; None if it is not an input, or no file."""
        if not os.path.lexists(path):
            return None
        with self._lock:
            self._look_up()
            known = self._places.get(self._place(_whole(path)))
            file = _id_of(str(path))
            if known is None and file is not None:
                known = self._ids.get(file)
                if known is not None and _id_of(known) != file:
                    known = None  # the input is gone, and its number was given to another file
            return None if known is None else Path(known)

    def clear(self) -> None:
        """Remove all registered input files, because another command begins."""
        with self._lock:
            for known in (self._added, self._places, self._ids, self._outputs, self._folders):
                known.clear()

    def _look_up(self) -> None:
        """Register place and identity on the disk of the files added since the last call."""
        for path in self._added:
            place = self._place(path)
            if place not in self._outputs:
                self._places[place] = path
                if (file := _id_of(path)) is not None:
                    self._ids[file] = path
        self._added.clear()

    def _place(self, path: str) -> Place:
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return self._folders[folder], name


def _whole(path: str | Path) -> str:
    """Make a path absolute without removing ``..``, because a name before it may be a link."""
    return str(path) if os.path.isabs(path) else os.path.join(os.getcwd(), path)


def _id_of(path: str) -> FileId | None:
    """Return the device and inode numbers of a file, following links; None if there is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


INPUTS = InputFiles()
"""The input files of the running command."""


def add_inputs(paths: Iterable[str | Path]) -> None:
    """Register files that the command reads now or later, so that no output replaces them."""
    for path in paths:
        INPUTS.add(path)


def refuse_input(path: Path) -> None:
    """Raise ``ValueError`` if writing to a path would replace an input of the command."""
    known = INPUTS.find(path)
    if known is not None:
        is_it = "" if _whole(path) == str(known) else f" (the file {known})"
        raise ValueError(f"{path}: would replace an input{is_it}; choose another name")
