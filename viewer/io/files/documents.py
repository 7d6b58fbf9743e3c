"""Reading of JSON documents that the program wrote, which contain their schema and its version."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wheatstone.viewer.io.reading.documents import located, parsed, read_text
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.reading.regular_files import MIB
from wheatstone.viewer.io.reading.typed_values import shown, typed

T = TypeVar("T")
LARGEST = 16 * MIB
"""Maximum bytes of a document of results."""


@dataclass(frozen=True)
class WrittenForm:
    """A format of JSON documents that the program writes and reads back, with its version.

    Attributes:
        version: the schema's version that this program supports.
        writer: the command that writes such documents, for messages.
        remedy: advice for a document of another version, for messages.
        largest: maximum bytes of such a document.
    """

    schema: str
    version: int
    writer: str
    remedy: str
    largest: int = LARGEST

    def read(self, path: Path, kind: type[T]) -> T:
        """Read a document of this format, and convert it to a declared type.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file has another format, an unsupported version, or values that the type
                does not allow; the message names the file, and if possible the line.
        """
        text = read_text(path, self.largest)
        try:
            document = parsed(text, "JSON")
        except ValueError as error:
            raise ValueError(f"{path}: not written by {self.writer} ({error})") from error
        self._check_head(document, path)
        try:
            return typed(kind, document, "")  # type: ignore[no-any-return]
        except ValueError as error:
            raise ValueError(f"{path}: {located(error, text, 'JSON')}") from error

    def _check_head(self, document: Any, path: Path) -> None:
        """Raise ``ValueError`` if a document does not have this schema and version."""
        if not isinstance(document, dict) or not {"schema", "schema_version"} <= document.keys():
            raise ValueError(f"{path}: not written by {self.writer} (it names no schema)")
        schema, version = document["schema"], document["schema_version"]
        if (schema, version) != (self.schema, self.version) or type(version) is not int:
            got = shown(visible(f"{schema} {version}"))
            raise ValueError(
                f"{path}: {self.schema} {self.version} is needed (got {got}); {self.remedy}"
            )
