"""The findings (warnings, hints) that the user dismissed, by source, in the settings folder."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from wheatstone.viewer.findings import FINDINGS
from wheatstone.viewer.io.files.documents import WrittenForm
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.regular_files import MIB
from wheatstone.viewer.settings.trust import settings_folder

MOST = 500  # sources
FORM = WrittenForm(
    "wheatstone-dismissed", 1, "wheatstone view", "it is written again by the next dismissal", MIB
)


@dataclass(frozen=True)
class DismissedFindings:
    """The stored document: names of dismissed findings by their source's key, newest last."""

    schema: str
    schema_version: int
    dismissed: Mapping[str, tuple[str, ...]]


def dismissed_file() -> Path:
    """Return the path of the document of dismissed findings, which need not exist."""
    return settings_folder() / "dismissed.json"


def read_dismissed() -> dict[str, tuple[str, ...]]:
    """Read the dismissed findings, by source; empty if the document is missing or invalid."""
    path = dismissed_file()
    if not path.exists():
        return {}
    try:
        dismissed = FORM.read(path, DismissedFindings).dismissed
    except (OSError, ValueError) as error:
        say(f"dismissed findings are ignored: {error}")
        return {}
    return {
        key: tuple(name for name in names if name in FINDINGS) for key, names in dismissed.items()
    }


def write_dismissed(dismissed: Mapping[str, tuple[str, ...]]) -> None:
    """Write the newest dismissed findings; raise ``OSError`` if that fails."""
    newest = dict(islice(dismissed.items(), max(len(dismissed) - MOST, 0), None))
    document = {"schema": FORM.schema, "schema_version": FORM.version, "dismissed": newest}
    dismissed_file().parent.mkdir(parents=True, exist_ok=True)
    with whole_file(dismissed_file(), own=True) as temporary:
        temporary.write_text(json.dumps(document, indent=1), encoding="utf-8")
