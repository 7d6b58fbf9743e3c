"""Folders that belong to one run, with a record of its definition and the files it may write.

A file in the folder holds the run's definition and the names of all files that it may write. It is
written before any of these: a file of such a name was written by the run, even if the run was
killed before it could record that.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypedDict

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.files.documents import WrittenForm
from wheatstone.viewer.io.files.output import named_errors, remove_unfinished, whole_file
from wheatstone.viewer.io.reading.documents import LARGEST_RECORD
from wheatstone.viewer.io.reading.inputs import INPUTS
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label, visible

NAME = "wheatstone-run.json"
FORM = WrittenForm("wheatstone-run", 1, "wheatstone", "choose another folder", LARGEST_RECORD)
PRESET, PARAMETERS = "preset", "parameters"
"""Facts of a definition: a preset is a name of parameters, and has no effect of its own."""
NAMED = 3  # differences in a message
Facts = Mapping[str, Any]


def outside(name: str) -> str:
    """Check that a name is that of a file within a folder; return an error text, or "" if it is."""
    path = PurePosixPath(name)
    wrong = path.is_absolute() or ".." in path.parts or not path.parts or name != visible(name)
    return "must be the name of a file in this folder" if wrong else ""


class RunDict(TypedDict):
    """The content of the file, in a run's folder, that defines the run and lists its files.

    Attributes:
        wheatstone: version of the program that wrote it.
        verb: of the command line.
        definition: the facts that determine the results, by names known to the user.
        files: names of all files that the run may write.
    """

    schema: str
    schema_version: int
    wheatstone: str
    verb: str
    definition: dict[str, Any]
    files: list[Annotated[str, outside]]


@dataclass(frozen=True)
class RunDefinition:
    """The definition of a run: its command and the facts that determine its results.

    Attributes:
        facts: all facts that determine the results, as JSON values, by names that the user knows.
        restart: the option that removes an earlier run, for messages; empty: no such option.
    """

    verb: str
    facts: Facts
    restart: str = ""

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the facts in the form of a JSON document, with lists for tuples."""
        document: dict[str, Any] = json.loads(json.dumps(self.facts))
        return document

    def differences(self, there: RunDict) -> list[str]:
        """Describe the differences between this run and the run recorded in a folder."""
        if there["verb"] != self.verb:
            return [f"command: {label(there['verb'])} there, {self.verb} here"]
        ours, theirs = _flat(self.as_json), _flat(there["definition"])
        names = [n for n in dict.fromkeys((*theirs, *ours)) if ours.get(n) != theirs.get(n)]
        values = [name for name in names if name[0] == PARAMETERS]
        if (PRESET,) in names:
            explained = values or [(PRESET,)]
            names = [name for name in names if name not in explained]
        return [
            f"{label(name[-1])}: {_word(theirs.get(name))} there, {_word(ours.get(name))} here"
            for name in names
        ]


def _flat(facts: Facts) -> dict[tuple[str, ...], Any]:
    """Flatten a run's definition by one level, so that each inner value has its own key."""
    values: dict[tuple[str, ...], Any] = {}
    for name, value in facts.items():
        inner = value.items() if isinstance(value, dict) else ()
        values |= {(name, key): one for key, one in inner} if inner else {(name,): value}
    return values


def _word(value: Any) -> str:
    """Format a value that defines a run, as text for a message."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(_word, value)) or "none"
    return "none" if value in (None, "", {}) else label(str(value))


class RunFolder:
    """A folder with the files of one run, and with a file that records the run's definition.

    Attributes:
        files: names of the files that the run may have written; others are not its own.

    Raises:
        OSError, ValueError: the file with the run's definition cannot be read or is invalid.
    """

    def __init__(self, path: Path, definition: RunDefinition) -> None:
        self.path, self._definition = path, definition
        self._earlier: RunDict | None = None
        INPUTS.add_output(path / NAME)  # it is read and written again
        if os.path.lexists(path / NAME):
            self._earlier = FORM.read(path / NAME, RunDict)
        self.files: set[str] = set(self._earlier["files"]) if self._earlier else set()

    @property
    def begun(self) -> bool:
        """Return whether the folder already belongs to a run, perhaps another one."""
        return self._earlier is not None

    def check(self) -> None:
        """Raise ``ValueError`` if the folder belongs to a run with another definition."""
        if differing := self.differences:
            more = "; ..." if len(differing) > NAMED else ""
            remedy = "choose another --out"
            if self._definition.restart and self._of_this_verb:
                remedy += f", or give {self._definition.restart} to remove that run"
            listed = "; ".join(differing[:NAMED])
            raise ValueError(f"{self.path} belongs to another run ({listed}{more}); {remedy}")

    @property
    def differences(self) -> list[str]:
        """Describe the differences between this run and the run in the folder; empty if equal."""
        return self._definition.differences(self._earlier) if self._earlier else []

    @property
    def _of_this_verb(self) -> bool:
        return not self._earlier or self._earlier["verb"] == self._definition.verb

    @property
    def folders(self) -> set[Path]:
        """List the folders that contain the files of the run, without those behind links."""
        every = {self.path, *((self.path / name).parent for name in self.files)}
        return {folder for folder in every if self._is_inside(folder)}

    def check_foreign(self, files: Iterable[str]) -> None:
        """Raise ``FileExistsError`` for existing files in the folder that the run did not write.

        Args:
            files: names of the files to write.

        Raises:
            FileExistsError: such a file exists; the message names the first.
        """
        foreign = [n for n in files if n not in self.files and os.path.lexists(self.path / n)]
        if foreign:
            more = f" and {len(foreign) - 1} more" if foreign[1:] else ""
            raise FileExistsError(
                f"{self.path / foreign[0]}{more}: not written by this run; choose another --out, "
                "or give --force to replace what is there"
            )

    def claim(self, files: Collection[str]) -> None:
        """Record that the folder belongs to the run, and the files that the run may write.

        Args:
            files: names of the files, in addition to those claimed before.

        Raises:
            OSError: the record cannot be written.
        """
        if self._earlier and self.files.issuperset(files):
            return
        self.files = self.files.union(files)
        document: RunDict = {
            "schema": FORM.schema,
            "schema_version": FORM.version,
            "wheatstone": VERSION,
            "verb": self._earlier["verb"] if self._earlier else self._definition.verb,
            "definition": self._earlier["definition"]
            if self._earlier
            else self._definition.as_json,
            "files": sorted(self.files),
        }
        with whole_file(self.path / NAME) as temporary:
            temporary.write_text(json.dumps(document, indent=1) + "\n")
        self._earlier = document

    def clear(self) -> None:
        """Delete the run's files, their empty folders, and last the file that defines the run.

        Raises:
            OSError: a file cannot be deleted, or is behind a link.
            ValueError: the folder belongs to a run of another verb.
        """
        if not self._of_this_verb:
            self.check()
        remove_unfinished(self.folders)
        # Those at the top, with records of the others, come last.
        for name in sorted(self.files, key=lambda name: ("/" not in name, name)):
            self._delete(self.path / name)
        for folder in sorted(self.folders, reverse=True):
            while folder != self.path and _removed(folder):
                folder = folder.parent
        self._delete(self.path / NAME)
        self._earlier, self.files = None, set()

    def _delete(self, path: Path) -> None:
        """Delete a file; raise ``OSError`` if a link leads to it outside the folder."""
        if not self._is_inside(path.parent):
            raise OSError(f"{path}: lies behind a link, and is not deleted; remove the link")
        with named_errors(path):
            path.unlink(missing_ok=True)

    def _is_inside(self, folder: Path) -> bool:
        return resolved(folder).is_relative_to(resolved(self.path))

    def check_intact(self) -> None:
        """Raise ``FileNotFoundError`` if the folder or the file with the definition was removed."""
        if os.path.isfile(place := os.path.join(self.path, NAME)):
            return
        if self.path.is_dir():
            raise FileNotFoundError(f"{place}: removed during the run")
        raise FileNotFoundError(f"{self.path}: the folder was removed during the run")

    @property
    def intact(self) -> bool:
        """Return whether the folder still exists and belongs to a run."""
        with suppress(FileNotFoundError):
            self.check_intact()
            return True
        return False


def _removed(folder: Path) -> bool:
    """Remove a folder if it is empty; return whether it was removed."""
    try:
        folder.rmdir()
    except OSError:
        return False
    return True
