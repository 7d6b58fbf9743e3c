"""Define the parts of a page in any format: sections, tables, charts, bars and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wheatstone.viewer.commands.report.chart import Chart


@dataclass(frozen=True)
class TableCell:
    """A cell of a table.

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
    """A table of a page.

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
class PlotBlock:
    """A chart with its caption; ``name`` is the stem of the chart's file."""

    name: str
    caption: str
    chart: Chart
    kind: str = field(default="plot", init=False)


@dataclass(frozen=True)
class Segment:
    """A part of a bar.

    Attributes:
        left, width: in per cent of the longest bar.
        letter: the part's key in the legend; empty where there is no room for a letter.
        series: the index of the part's colour.
        title: the name of the part, with its share.
    """

    left: float
    width: float
    letter: str
    series: int
    title: str


@dataclass(frozen=True)
class Bar:
    """A bar: a name, a number, and the parts that make it up."""

    name: str
    total: TableCell
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class BarChart:
    """Bars below each other; ``legend``: letter, series and name of every part."""

    name: str
    caption: str
    bars: tuple[Bar, ...]
    legend: tuple[tuple[str, int, str], ...]
    kind: str = field(default="bars", init=False)


@dataclass(frozen=True)
class PictureBlock:
    """A picture, and the command line that draws it; its file has its name."""

    name: str
    title: str
    alt: str
    command: str
    width: int
    height: int


@dataclass(frozen=True)
class Gallery:
    """Pictures next to each other, with a caption."""

    caption: str
    pictures: tuple[PictureBlock, ...]
    kind: str = field(default="gallery", init=False)


@dataclass(frozen=True)
class SliderBlock:
    """Two pictures in the same place, with a slider that reveals one or the other."""

    title: str
    before: PictureBlock
    after: PictureBlock
    kind: str = field(default="slider", init=False)


Leaf = TableBlock | PlotBlock | BarChart | Gallery | SliderBlock


@dataclass(frozen=True)
class SideBySide:
    """Blocks that are placed side by side if there is room, such as a chart and its numbers."""

    blocks: tuple[Leaf, ...]
    kind: str = field(default="beside", init=False)


Block = Leaf | SideBySide


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    name: str
    title: str
    text: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def leaves(self) -> list[Leaf]:
        """List all blocks in order, including those inside ``SideBySide`` blocks."""
        every = [b.blocks if isinstance(b, SideBySide) else (b,) for b in self.blocks]
        return [leaf for some in every for leaf in some]


def words(*texts: str) -> tuple[TableCell, ...]:
    """Make table cells of texts."""
    return tuple(TableCell(text) for text in texts)


def listed(names: Sequence[str]) -> str:
    """Join names to a list for a sentence."""
    return ", ".join(names)
