"""The tour through the window while it is shown: plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tour:
    """A tour that is under way.

    Attributes:
        before: all settings as they were when it began; its end restores them.
        step: which of its steps is shown, from 0.
    """

    before: Mapping[str, Any]
    step: int = 0
