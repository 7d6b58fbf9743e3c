"""The running tour through the window, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tour:
    """A tour in progress.

    Attributes:
        before: all settings as they were when it began; its end restores them.
        step: which of its steps is shown, from 0.
    """

    before: Mapping[str, Any]
    step: int = 0
