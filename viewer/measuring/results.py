"""The results of a run of ``bench``, with a description of the machine."""

import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from wheatstone.gpu.analysis.environment import describe, versions
from wheatstone.gpu.device import open_device, why_unavailable
from wheatstone.viewer import VERSION
from wheatstone.viewer.measuring.rows import MeasuredRow, to_json

SCHEMA, SCHEMA_VERSION = "wheatstone-bench", 1


def environment() -> dict[str, Any]:
    """Describe this machine: its devices, and the versions of the program and its packages."""
    kinds = [kind for kind in ("cpu", "cuda") if not why_unavailable(kind)]
    return {
        "wheatstone": VERSION,
        "python": platform.python_version(),
        "system": platform.platform(),
        "devices": {kind: describe(open_device(kind)) for kind in kinds},
        "packages": versions(),
    }


@dataclass
class Results:
    """The results of a run of ``bench``.

    Attributes:
        command: the command line of the run.
        copies: gigabytes per second of a plain copy, by kind of device.
    """

    command: str
    rows: list[MeasuredRow] = field(default_factory=list)
    copies: dict[str, float] = field(default_factory=dict)
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    environment: dict[str, Any] = field(default_factory=environment)

    def to_json(self) -> dict[str, Any]:
        """Build the document that ``--json`` writes and ``--baseline`` reads."""
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "date": self.date,
            "command": self.command,
            "environment": self.environment,
            "copy_gb_per_s": self.copies,
            "rows": [to_json(row) for row in self.rows],
        }
