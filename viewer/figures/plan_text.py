"""Convert the plan of a figure to the text stored in the figure's file, and back."""

import json
from dataclasses import asdict, dataclass

from wheatstone.viewer import VERSION
from wheatstone.viewer.figures.plan import FigurePlan, FigureRow, FigureStyle, Rectangle
from wheatstone.viewer.reading.documents import located, parsed
from wheatstone.viewer.reading.typed_values import section
from wheatstone.viewer.settings.recipe import with_names, with_uris

SCHEMA, SCHEMA_VERSION = "wheatstone-figure", 1


@dataclass(frozen=True)
class _Document:
    """A plan in the form that a figure's file stores."""

    wheatstone: str
    schema: str
    schema_version: int
    columns: int
    style: FigureStyle
    insets: tuple[Rectangle, ...]
    rows: tuple[FigureRow, ...]

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a document of another kind or of a later version."""
        if self.schema != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA} (got {self.schema!r})")
        if self.schema_version != SCHEMA_VERSION:
            raise ValueError(f"version {self.schema_version} is not known; update wheatstone")


def to_text(plan: FigurePlan) -> str:
    """Convert a plan to one line of JSON in ASCII, the same for the same plan."""
    rows = [{**asdict(row), **with_uris({"source": row.source})} for row in plan.rows]
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


def from_text(text: str) -> FigurePlan:
    """Parse a plan that ``to_text`` or another program wrote.

    Raises:
        ValueError: the text is damaged, or describes no valid figure.
    """
    try:
        said = section(_Document, parsed(text, "JSON"), "")
        rows = tuple(_with_names(row) for row in said.rows)
        return FigurePlan(rows, said.columns, said.style, said.insets)
    except ValueError as error:
        raise located(error, text, "JSON") from error


def _with_names(row: FigureRow) -> FigureRow:
    source = with_names({"source": dict(row.source)})["source"]
    return FigureRow(row.name, source, row.cells, row.seal)
