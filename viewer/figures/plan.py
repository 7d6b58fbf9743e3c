"""The plan (content and style) of a figure as data, and as text to make the figure again."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.reading.documents import typed_text
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.measuring.row_types import Identity
from wheatstone.viewer.settings.recipe import with_names, with_uris
from wheatstone.viewer.theme import THEMES

SCHEMA, SCHEMA_VERSION = "wheatstone-figure", 1
WIDTHS = (20.0, 2000.0)  # millimetres
RESOLUTIONS = (30, 1200)  # pixels an inch
MOST_PIXELS = 20_000  # along the width
MOST_COLUMNS, MOST_CELLS, MOST_INSETS = 24, 400, 8
LONGEST_TEXT = 400  # characters
OWN = ("values", "values_seal")  # fields of a row with a file of values

Rectangle = tuple[int, int, int, int]
"""The x, y, width and height of a part of an image, in its pixels."""


@dataclass(frozen=True)
class FigureStyle:
    """The size, resolution and theme of a figure.

    Attributes:
        width: in millimetres.
        dpi: pixels per inch, where it is written as pixels.
        theme: name of the theme.

    Raises:
        ValueError: a value is out of bounds.
    """

    width: float = 174.0
    dpi: int = 300
    theme: str = "light"

    def __post_init__(self) -> None:
        for name, value, (low, high) in (
            ("width", self.width, WIDTHS),
            ("dpi", self.dpi, RESOLUTIONS),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} must be in [{low:g}, {high:g}] (got {value:g})")
        if self.theme not in THEMES:
            raise ValueError(f"theme must be one of {', '.join(THEMES)} (got {self.theme!r})")
        if self.width / 25.4 * self.dpi > MOST_PIXELS:
            raise ValueError(f"{self.width:g} mm at {self.dpi} dpi is over {MOST_PIXELS} pixels")


@dataclass(frozen=True)
class MeasuredVariant:
    """The measurements of a variant at the time when a figure was planned.

    Attributes:
        milliseconds: median compute time of a frame; None if it was not timed.
        identity: how its result compares with the reference's.
        device: name of the device used.
    """

    milliseconds: float | None
    identity: Identity
    device: str = ""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for an impossible compute time, or a name that is too long."""
        if len(self.device) > LONGEST_TEXT:
            raise ValueError(f"a device has {LONGEST_TEXT} characters at most")
        if self.milliseconds is not None and not 0 <= self.milliseconds < 1e9:
            raise ValueError(f"milliseconds must be a time (got {self.milliseconds})")


@dataclass(frozen=True)
class FigureCell:
    """A cell of a figure's grid: a view with its title, or an empty place.

    Attributes:
        title: its name; a view of several panes takes several places, named by their images.
        places: how many places it takes.
        recipe: its view, as in settings; empty: the place stays free.
        tells: whether the metrics of its result stand below it.
        measured: the measurements of its variant.
        names: the names of A and B, where their difference is shown.
        why: why nothing is shown, where that is known already.
    """

    title: str = ""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    places: int = 1
    tells: bool = True
    measured: MeasuredVariant | None = None
    names: tuple[str, ...] = ()
    why: str = ""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if texts are too long or the number of columns is impossible."""
        if max(map(len, (self.title, self.why, *self.names))) > LONGEST_TEXT:
            raise ValueError(f"a text of a cell has {LONGEST_TEXT} characters at most")
        if not 1 <= self.places <= MOST_COLUMNS:
            raise ValueError(f"places must be in [1, {MOST_COLUMNS}] (got {self.places})")


@dataclass(frozen=True)
class FigureRow:
    """The cells of one stereo pair in a figure, which take one or more lines of the grid.

    Attributes:
        name: of the pair.
        source: the section of a recipe that opens the pair.
        seal: shows that this user's program wrote the source; see ``viewer.settings.trust``.
        values: the section that opens a file of values, which B shows; empty: there is none.
        values_seal: the same for that file.
    """

    name: str
    source: Mapping[str, Any]
    cells: tuple[FigureCell, ...]
    seal: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    values_seal: str = ""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for an impossible source or a name that is too long."""
        if any(spec.values_in is None for spec in self.sources[1:]):
            raise ValueError("values must be those of a file (got another source)")
        if len(self.name) > LONGEST_TEXT:
            raise ValueError(f"the name of a pair has {LONGEST_TEXT} characters at most")

    @property
    def sources(self) -> tuple[SourceSpec, ...]:
        """List the pair's source and, if B shows a file of values, also the file's source."""
        return tuple(map(SourceSpec.from_dict, (self.source, *filter(None, [self.values]))))


@dataclass(frozen=True)
class FigurePlan:
    """The content and the style of a figure, from which it can be drawn again.

    Attributes:
        columns: places of the grid from left to right.
        insets: parts of every image that are shown larger below it.

    Raises:
        ValueError: there are too many of something.
    """

    rows: tuple[FigureRow, ...]
    columns: int
    style: FigureStyle = FigureStyle()
    insets: tuple[Rectangle, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.columns <= MOST_COLUMNS:
            raise ValueError(f"columns must be in [1, {MOST_COLUMNS}] (got {self.columns})")
        if not 1 <= (count := sum(len(row.cells) for row in self.rows)) <= MOST_CELLS:
            raise ValueError(f"a figure has 1 to {MOST_CELLS} cells (got {count})")
        if len(self.insets) > MOST_INSETS:
            raise ValueError(f"at most {MOST_INSETS} insets (got {len(self.insets)})")
        for x, y, width, height in self.insets:
            if min(x, y) < 0 or min(width, height) < 1 or max(x, y, width, height) > 2**20:
                got = f"{x},{y},{width},{height}"
                raise ValueError(f"an inset is X,Y,WIDTH,HEIGHT in pixels (got {got})")


@dataclass(frozen=True)
class _Document:
    """The JSON document in which a figure's file stores the content and style of the figure."""

    wheatstone: str
    schema: str
    schema_version: int
    columns: int
    style: FigureStyle
    insets: tuple[Rectangle, ...]
    rows: tuple[FigureRow, ...]

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a document that is not of a figure, or of a later version."""
        if self.schema != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA} (got {self.schema!r})")
        if self.schema_version != SCHEMA_VERSION:
            raise ValueError(f"version {self.schema_version} is not known; update wheatstone")


def to_text(plan: FigurePlan) -> str:
    """Convert a figure's plan to one line of JSON in ASCII; equal plans give equal text."""
    rows = [_with_uris(row) for row in plan.rows]
    document = {
        "wheatstone": VERSION,
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "columns": plan.columns,
        "style": {**asdict(plan.style), "width": float(plan.style.width)},
        "insets": plan.insets,
        "rows": with_uris({"rows": rows})["rows"],
    }
    return json.dumps(document, sort_keys=True, allow_nan=False)


def _with_uris(row: FigureRow) -> dict[str, Any]:
    """Convert a figure's row to JSON fields, with URIs for paths, without unused fields."""
    sections = {"source": row.source, **({"values": row.values} if row.values else {})}
    named = {name: with_uris({"source": one})["source"] for name, one in sections.items()}
    fields = {name: value for name, value in asdict(row).items() if row.values or name not in OWN}
    return {**fields, **named}


def from_text(text: str) -> FigurePlan:
    """Parse the plan of a figure that ``to_text`` or another program wrote.

    Raises:
        ValueError: the text is damaged, or describes no valid figure.
    """
    document = typed_text(text, "JSON", _Document)
    rows = tuple(_with_names(row) for row in document.rows)
    return FigurePlan(rows, document.columns, document.style, document.insets)


def _with_names(row: FigureRow) -> FigureRow:
    source, values = (with_names({"source": dict(s)})["source"] for s in (row.source, row.values))
    return replace(row, source=source, values=values)
