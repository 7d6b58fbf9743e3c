"""The parts of a report's pages in any format: sections, tables, charts and pictures."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wheatstone.viewer.run.measuring.tables import number

NOTHING = "\N{EN DASH}"
Content = Mapping[str, Any]
"""The document of a report."""
Place = tuple[str | int, ...]
"""The keys and indices that lead to a row or a number in the document."""


@dataclass(frozen=True)
class TableCell:
    """A cell of a table in a report.

    Attributes:
        at: the place of the cell's number in the document, as a JSON pointer (RFC 6901); empty for
            words.
        mark: a sign before the text, such as the one for noise.
        alarming: whether the cell reports an error.
        code: whether the text is a name or a command line of the program.
        numeric: whether the text is a number.
    """

    text: str
    at: str = ""
    mark: str = ""
    alarming: bool = False
    code: bool = False
    numeric: bool = False


@dataclass(frozen=True)
class TableBlock:
    """A table in a report, with its caption and notes.

    Attributes:
        caption: a description of the content: units, device, convention, kind of time.
        groups: a row above the header: words and how many columns they span.
        commands: names and command lines that reproduce the rows.
        notes: sentences below the table.
        folded: whether the table is long, and collapsed at first.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    folded: bool = False
    kind: str = field(default="table", init=False)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Return for every column whether it holds numbers."""
        return tuple(any(row[i].numeric for row in self.rows) for i in range(len(self.header)))


@dataclass(frozen=True)
class ChartBlock:
    """A chart as SVG, with its caption; ``name`` is the stem of the chart's file."""

    name: str
    caption: str
    svg: str
    kind: str = field(default="chart", init=False)


@dataclass(frozen=True)
class PictureBlock:
    """A picture in a report, with the command line that draws it.

    Its file has the picture's name.
    """

    name: str
    title: str
    alt: str
    command: str
    width: int
    height: int


@dataclass(frozen=True)
class Gallery:
    """Several pictures in a report, arranged in a grid with a common caption."""

    caption: str
    pictures: tuple[PictureBlock, ...]
    kind: str = field(default="gallery", init=False)


@dataclass(frozen=True)
class SliderBlock:
    """Two pictures in the same place, and a slider that moves the border between them."""

    title: str
    before: PictureBlock
    after: PictureBlock
    kind: str = field(default="slider", init=False)


Leaf = TableBlock | ChartBlock | Gallery | SliderBlock


@dataclass(frozen=True)
class SideBySide:
    """Blocks that are placed side by side if there is space, such as a chart and a table."""

    blocks: tuple[Leaf, ...]
    kind: str = field(default="beside", init=False)


Block = Leaf | SideBySide


@dataclass(frozen=True)
class Section:
    """A section of a report: title, text and blocks."""

    name: str
    title: str
    text: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def leaves(self) -> list[Leaf]:
        """List all blocks in order, including those inside ``SideBySide`` blocks."""
        every = [b.blocks if isinstance(b, SideBySide) else (b,) for b in self.blocks]
        return [leaf for some in every for leaf in some]


@dataclass(frozen=True)
class Numbers:
    """Access to the numbers in a report's document, as values and as table cells."""

    content: Content

    def cell(self, *path: str | int, percent: bool = False, plain: bool = False) -> TableCell:
        """Return a table cell with the number at a path in the document; a dash if missing.

        Args:
            path: the keys and indices that lead to the number.
            percent: show a share as per cent.
            plain: show the number as in JSON.
        """
        value = self.at(*path)
        if value is None:
            return TableCell(NOTHING, numeric=True)
        text = f"{value:.0%}" if percent else json.dumps(value) if plain else number(value)
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
        return TableCell(text, "/" + "/".join(steps), numeric=True)

    def at(self, *path: str | int) -> Any:
        """Return the value at a path of keys in the report's document; None if it is missing."""
        value: Any = self.content
        for step in path:
            if isinstance(value, Mapping) and step not in value:
                return None
            value = value[step]
            if value is None:
                return None
        return value

    def places(self, name: str) -> dict[str, list[Place]]:
        """Return the paths to an experiment's measurements, grouped by configuration title."""
        by_title: dict[str, list[Place]] = {}
        for i, experiment in enumerate(self.content["experiments"]):
            if experiment["name"] == name:
                for j, row in enumerate(experiment["rows"]):
                    by_title.setdefault(row["title"], []).append(("experiments", i, "rows", j))
        return by_title

    def looks(self) -> dict[str, int]:
        """Return a number for every variant, which selects its colour and marker in all charts."""
        rows = [row for one in self.content["experiments"] for row in one["rows"]]
        return {name: index for index, name in enumerate(dict.fromkeys(r["variant"] for r in rows))}
