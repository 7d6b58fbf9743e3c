"""Make table cells of the numbers in a document, each with its place as a JSON pointer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheatstone.viewer.commands.report.blocks import TableCell
from wheatstone.viewer.measuring.tables import number

NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class Numbers:
    """The numbers of a document, as table cells with their places as JSON pointers."""

    content: Mapping[str, Any]

    def cell(self, *path: str | int, percent: bool = False, plain: bool = False) -> TableCell:
        """Make a cell of the number at a place; a dash if the place is empty.

        Args:
            path: the keys and indices that lead to the number.
            percent: show a share as per cent.
            plain: show the number as in JSON.
        """
        value = self.at(*path)
        if value is None:
            return TableCell(NOTHING, numeric=True)
        text = f"{value:.0%}" if percent else json.dumps(value) if plain else number(value)
        return TableCell(text, "/" + "/".join(map(_escaped, path)), numeric=True)

    def at(self, *path: str | int) -> Any:
        """Return the value at a place; None if the document has no such place."""
        found: Any = self.content
        for step in path:
            if isinstance(found, Mapping) and step not in found:
                return None
            found = found[step]
            if found is None:
                return None
        return found


def _escaped(step: str | int) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")
