"""Write the files of a report from its document and pictures alone: HTML, Markdown and plots."""

import base64
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viewer.commands.report.blocks import Bars, PlotBlock, Section, TableBlock, TableCell
from viewer.commands.report.pictures import FOLDER
from viewer.commands.report.sections import sections
from viewer.files.markdown import markdown as table
from viewer.measuring.result_files import write
from viewer.resources import ASSETS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = ASSETS / "report"
PLOTS = "plots"


def write_pages(content: Mapping[str, Any], source: Path, target: Path) -> Iterator[Path]:
    """Write the pages of a document, yielding each file that a reader begins with.

    Args:
        source: the folder that holds the document and its pictures.
        target: the folder to write to.

    Raises:
        OSError: a picture is missing, or a file cannot be written.
    """
    found = sections(content)
    if source.resolve() != target.resolve() and (source / FOLDER).is_dir():
        shutil.copytree(source / FOLDER, target / FOLDER, dirs_exist_ok=True)
    (target / PLOTS).mkdir(exist_ok=True)
    for section in found:
        for block in section.leaves:
            if isinstance(block, PlotBlock | Bars):
                write(target / PLOTS / f"{block.name}.svg", plot(block))
    write(target / "index.html", html(content, found, source / FOLDER))
    yield target / "index.html"
    write(target / "report.md", markdown(content, found))
    yield target / "report.md"


def html(content: Mapping[str, Any], found: list[Section], pictures: Path) -> str:
    """Write one HTML page that holds all it shows, pictures included.

    Args:
        found: the sections of the page.
        pictures: the folder of the pictures.
    """

    def embedded(file: str) -> str:
        return "data:image/png;base64," + base64.b64encode((pictures / file).read_bytes()).decode()

    page = _environment().get_template("page.html.j2")
    return page.render(content=content, sections=found, embedded=embedded)


def markdown(content: Mapping[str, Any], found: list[Section]) -> str:
    """Write the page in Markdown, which refers to files of pictures and plots beside it."""
    page = _environment().get_template("report.md.j2")
    return page.render(content=content, sections=found, pictures=FOLDER, plots=PLOTS)


def plot(block: PlotBlock | Bars) -> str:
    """Draw a chart or bars as an SVG file of its own."""
    return _environment().get_template("plot.svg.j2").render(block=block)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=lambda name: name is None or not name.endswith(".md.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"with_style": _with_style, "markdown_table": _markdown_table}
    return found


def _with_style(drawing: str) -> "Markup":
    """Give a drawing the page's colours, a background and a width, for use as a file."""
    from markupsafe import Markup

    page, own = ((TEMPLATES / f"{name}.css").read_text() for name in ("page", "drawing"))
    colors = page[: page.index("}") + 1]
    head, rest = str(drawing).strip().split(">", 1)
    head = head.replace(' role="img"', ' width="720" role="img"')
    paper = '<rect width="100%" height="100%" fill="var(--paper)"/>'
    return Markup(f"{head}><style>{colors}\n{own}</style>{paper}{rest}\n")


def _markdown_table(block: TableBlock) -> str:
    """Write a table in Markdown; words that span columns stand before each column's name."""
    spans = [name for name, count in block.groups for _ in range(count)] or [""] * len(block.header)
    header = [f"{span} {name}".strip() for span, name in zip(spans, block.header, strict=True)]
    rows = [[_in_markdown(cell) for cell in row] for row in block.rows]
    return table([name or " " for name in header], rows)


def _in_markdown(cell: TableCell) -> str:
    text = f"{cell.mark}{cell.text}".replace("|", "\\|")
    return f"`{text}`" if cell.code and text else f"**{text}**" if cell.alarming else text
