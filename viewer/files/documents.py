"""JSON documents that the program wrote itself, each with its schema and the schema's version."""

import json
from pathlib import Path
from typing import Any


def read_document(
    path: Path, schema: str, version: int, writer: str, remedy: str
) -> dict[str, Any]:
    """Read a JSON document of a schema.

    Args:
        version: the schema's version that this program knows.
        writer: what writes such documents, for messages.
        remedy: what to do about a document of another version, for messages.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is something else, or of a version that this program does not know.
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
