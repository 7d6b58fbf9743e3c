"""JSON documents that the program wrote itself, each with its schema and the version of it."""

import json
from pathlib import Path
from typing import Any


def read_document(
    path: Path, schema: str, version: int, writer: str, remedy: str
) -> dict[str, Any]:
    """A document of a schema.

    Args:
        version: of the schema, which this program knows.
        writer: what writes such documents.
        remedy: what to do about one of another version.

    Raises:
        OSError: it cannot be read.
        ValueError: it is something else, or of a version that this program does not know.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = document["schema"], document["schema_version"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not written by {writer} ({error!r})") from error
    if found != (schema, version):
        raise ValueError(
            f"{path}: {schema} {version} is needed (got {found[0]} {found[1]}); {remedy}"
        )
    return dict(document)
