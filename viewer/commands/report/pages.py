"""Write the files of a report (HTML, Markdown, plots) from its document and pictures only."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wheatstone.viewer.commands.report.blocks import (
    BarChart,
    PictureBlock,
    PlotBlock,
    Section,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.commands.report.picture_files import FOLDER, PictureFiles, file_name
from wheatstone.viewer.commands.report.sections import sections
from wheatstone.viewer.files.folders import own_folder
from wheatstone.viewer.files.markdown import Markdown, code, escaped
from wheatstone.viewer.files.markdown import cell as cell_of
from wheatstone.viewer.files.markdown import markdown as table
from wheatstone.viewer.measuring.result_files import write
from wheatstone.viewer.reading.plain_text import KEPT, visible
from wheatstone.viewer.resources import ASSETS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = ASSETS / "report"
PLOTS = "plots"
PAGES = ("index.html", "report.md")
SPACES = f"{KEPT}\n\t"
Content = Mapping[str, Any]


def page_files(content: Content, pictures: PictureFiles) -> list[str]:
    """List the files that ``write_pages`` writes, relative to its folder."""
    plots = [f"{PLOTS}/{block.name}.svg" for block in _plots(sections(pictures.content(content)))]
    return [*(f"{FOLDER}/{file_name(name)}" for name in pictures.found), *plots, *PAGES]


def write_pages(content: Content, pictures: PictureFiles, target: Path) -> Iterator[Path]:
    """Write the pages of a document, and yield each file that a reader may open first.

    Args:
        pictures: the pictures that the document names, and that could be read.
        target: the folder to write to, which exists.

    Raises:
        OSError: a file cannot be written.
    """
    content = pictures.content(content)
    found = sections(content)
    if pictures.found:
        pictures.write(own_folder(target / FOLDER))
    plots = own_folder(target / PLOTS)
    for block in _plots(found):
        write(plots / f"{block.name}.svg", plot(block))
    for name, text in zip(
        PAGES, (html(content, found, pictures), markdown(content, found)), strict=True
    ):
        write(target / name, text)
        yield target / name


def _plots(found: list[Section]) -> Iterator[PlotBlock | BarChart]:
    """Yield the charts and bar charts that get files of their own."""
    for section in found:
        for block in section.leaves:
            if isinstance(block, PlotBlock | BarChart):
                yield block


def html(content: Content, found: list[Section], pictures: PictureFiles) -> str:
    """Write one self-contained HTML page, including its pictures.

    Its policy lets a browser use the page's own script and style, identified by digests, and
    nothing else: no other script, and no address except those of the embedded pictures.

    Args:
        found: the sections of the page.
    """
    from markupsafe import Markup

    def embedded(one: PictureBlock) -> str:
        encoded = pictures.found[one.name].encoded
        return "data:image/png;base64," + base64.b64encode(encoded).decode()

    style, script = _text("page.css") + _text("drawing.css"), _text("page.js")
    page = _environment().get_template("page.html.j2")
    return page.render(
        content=content,
        sections=found,
        embedded=embedded,
        style=Markup(style),
        script=Markup(script),
        policy=Markup(_policy(style, script)),
    )


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Write the page's Content Security Policy."""
    allowed = {"img-src": "data:", "style-src": _digest(style), "script-src": _digest(script)}
    none = ("default-src", "base-uri", "form-action")
    rules = dict.fromkeys(none, "'none'") | allowed
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    encoded = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{encoded}'"


def markdown(content: Content, found: list[Section]) -> str:
    """Write the page in Markdown, with links to the files of pictures and plots."""
    page = _markdown_environment().get_template("report.md.j2")
    return page.render(content=content, sections=found, pictures=FOLDER, plots=PLOTS)


def plot(block: PlotBlock | BarChart) -> str:
    """Draw a chart or a bar chart as a separate SVG file."""
    return _environment().get_template("plot.svg.j2").render(block=block)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_seen,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["with_style"] = _with_style
    return found


def _seen(value: object) -> object:
    """Escape the invisible characters of a text, before it is escaped for HTML or Markdown."""
    from markupsafe import Markup

    return visible(value, SPACES) if isinstance(value, str) and type(value) is not Markup else value


@cache
def _markdown_environment() -> "Environment":
    """Make the template environment for Markdown, which escapes all values except ``Markdown``."""
    found = _environment().overlay(
        autoescape=False,
        finalize=lambda value: value if isinstance(value, Markdown) else escaped(str(value)),
    )
    found.filters |= {"markdown_table": _markdown_table, "code": code}
    return found


def _with_style(drawing: str) -> "Markup":
    """Add the page's colours, a background and a width to a drawing, for use as a file."""
    from markupsafe import Markup

    page, own = ((TEMPLATES / f"{name}.css").read_text() for name in ("page", "drawing"))
    colors = page[: page.index("}") + 1]
    head, rest = str(drawing).strip().split(">", 1)
    head = head.replace(' role="img"', ' width="720" role="img"')
    paper = '<rect width="100%" height="100%" fill="var(--paper)"/>'
    return Markup(f"{head}><style>{colors}\n{own}</style>{paper}{rest}\n")


def _markdown_table(block: TableBlock) -> Markdown:
    """Write a table in Markdown; words that span columns are put before each column's name."""
    spans = [name for name, count in block.groups for _ in range(count)] or [""] * len(block.header)
    header = [f"{span} {name}".strip() for span, name in zip(spans, block.header, strict=True)]
    rows = [[_in_markdown(cell) for cell in row] for row in block.rows]
    return Markdown(table([cell_of(name) or " " for name in header], rows))


def _in_markdown(cell: TableCell) -> Markdown:
    text = f"{cell.mark}{cell.text}"
    if cell.code:
        return code(text)
    return Markdown(f"**{cell_of(text)}**") if cell.alarming else cell_of(text)
