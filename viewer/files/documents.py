"""JSON documents that the program wrote itself, each with its schema and the schema's version."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wheatstone.viewer.reading.documents import located, parsed, read_text
from wheatstone.viewer.reading.plain_text import visible
from wheatstone.viewer.reading.regular_files import MIB
from wheatstone.viewer.reading.typed_values import shown, typed

T = TypeVar("T")
LARGEST = 16 * MIB
"""Bytes of a document of results."""


@dataclass(frozen=True)
class WrittenForm:
    """A form of documents that the program writes, and reads back.

    Attributes:
        version: the schema's version that this program knows.
        writer: what writes such documents, for messages.
        remedy: what to do about a document of another version, for messages.
        largest: bytes that such a document may have.
    """

    schema: str
    version: int
    writer: str
    remedy: str
    largest: int = LARGEST

    def read(self, path: Path, kind: type[T]) -> T:
        """Read a document as the type that declares it.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is something else, of a version that this program does not know, or
                holds what the type forbids; the message names the file, and the line if it can.
        """
        text = read_text(path, self.largest)
        try:
            found = parsed(text, "JSON")
        except ValueError as error:
            raise ValueError(f"{path}: not written by {self.writer} ({error})") from error
        self._check_head(found, path)
        try:
            return typed(kind, found, "")  # type: ignore[no-any-return]
        except ValueError as error:
            raise ValueError(f"{path}: {located(error, text, 'JSON')}") from error

    def _check_head(self, found: Any, path: Path) -> None:
        """Raise ``ValueError`` unless a document says that it is of this form."""
        if not isinstance(found, dict) or not {"schema", "schema_version"} <= found.keys():
            raise ValueError(f"{path}: not written by {self.writer} (it names no schema)")
        schema, version = found["schema"], found["schema_version"]
        if (schema, version) != (self.schema, self.version) or type(version) is not int:
            got = shown(visible(f"{schema} {version}"))
            raise ValueError(
                f"{path}: {self.schema} {self.version} is needed (got {got}); {self.remedy}"
            )
