"""What a page is made of: sections of text, tables, charts, bars and pictures, without a format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from viewer.commands.report.chart import Chart
from viewer.measuring.tables import number

NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class TableCell:
    """What stands in a table.

    Attributes:
        at: where its number stands in the document (RFC 6901); empty: it is no number of it.
        mark: a sign before it, such as one for noise.
        alarming: whether something is wrong.
        code: whether it is a name of the program.
    """

    text: str
    at: str = ""
    mark: str = ""
    alarming: bool = False
    code: bool = False
    numeric: bool = False


@dataclass(frozen=True)
class TableBlock:
    """Cells in rows.

    Attributes:
        caption: what it holds: units, device, convention, kind of time.
        groups: a row above the header: words and how many columns they span.
        commands: what makes the rows again: names and command lines.
        notes: sentences below it.
        folded: whether it is long, and shown only when asked for.
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
        """Whether a column holds numbers."""
        return tuple(any(row[i].numeric for row in self.rows) for i in range(len(self.header)))


@dataclass(frozen=True)
class PlotBlock:
    """A chart with its caption; ``name`` is its file's stem where it is a file."""

    name: str
    caption: str
    chart: Chart
    kind: str = field(default="plot", init=False)


@dataclass(frozen=True)
class Segment:
    """A part of a bar.

    Attributes:
        left, width: in per cent of the longest bar.
        letter: its key in the legend; empty where there is no room for it.
        series: its colour.
    """

    left: float
    width: float
    letter: str
    series: int
    title: str


@dataclass(frozen=True)
class Bar:
    """A name, a number, and its parts."""

    name: str
    total: TableCell
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Bars:
    """Bars below each other; ``legend``: letter, series and name of every part."""

    name: str
    caption: str
    bars: tuple[Bar, ...]
    legend: tuple[tuple[str, int, str], ...]
    kind: str = field(default="bars", init=False)


@dataclass(frozen=True)
class PictureBlock:
    """A picture of the document."""

    file: str
    title: str
    alt: str
    command: str
    width: int
    height: int


@dataclass(frozen=True)
class Gallery:
    """Pictures beside each other."""

    caption: str
    pictures: tuple[PictureBlock, ...]
    kind: str = field(default="gallery", init=False)


@dataclass(frozen=True)
class Compared:
    """One picture before another."""

    title: str
    before: PictureBlock
    after: PictureBlock
    kind: str = field(default="slider", init=False)


Leaf = TableBlock | PlotBlock | Bars | Gallery | Compared


@dataclass(frozen=True)
class Beside:
    """Blocks that stand beside each other where there is room, such as a chart and its numbers."""

    blocks: tuple[Leaf, ...]
    kind: str = field(default="beside", init=False)


Block = Leaf | Beside


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    name: str
    title: str
    text: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def leaves(self) -> list[Leaf]:
        """The blocks, those beside each other one after the other."""
        every = [b.blocks if isinstance(b, Beside) else (b,) for b in self.blocks]
        return [leaf for some in every for leaf in some]


@dataclass(frozen=True)
class Numbers:
    """Makes cells of a document's numbers, each with the place where it stands there."""

    content: Mapping[str, Any]

    def cell(self, *path: str | int, percent: bool = False, plain: bool = False) -> TableCell:
        """The number at a place; a dash if there is none.

        Args:
            percent: show a share as per cent.
            plain: show it as JSON holds it.
        """
        value = self.at(*path)
        if value is None:
            return TableCell(NOTHING, numeric=True)
        text = f"{value:.0%}" if percent else json.dumps(value) if plain else number(value)
        return TableCell(text, "/" + "/".join(map(_escaped, path)), numeric=True)

    def at(self, *path: str | int) -> Any:
        """What stands at a place; None if the document has no such place."""
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


def words(*texts: str) -> tuple[TableCell, ...]:
    """Cells of words."""
    return tuple(TableCell(text) for text in texts)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names)
