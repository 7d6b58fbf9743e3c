"""The pages of a report (HTML, Markdown, plots), made from its document and pictures."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.viewer.cli.report.blocks import (
    ChartBlock,
    Content,
    PictureBlock,
    Section,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.cli.report.picture_files import FOLDER, PictureFiles, file_name
from wheatstone.viewer.io.files.folders import own_folder
from wheatstone.viewer.io.files.markdown import Markdown, code, escaped
from wheatstone.viewer.io.files.markdown import cell as cell_of
from wheatstone.viewer.io.files.markdown import markdown as table
from wheatstone.viewer.io.reading.plain_text import KEPT, visible
from wheatstone.viewer.resources import ASSETS
from wheatstone.viewer.run.measuring.result_files import write

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = ASSETS / "report"
PLOTS = "plots"
PAGES = ("index.html", "report.md")
SPACES = f"{KEPT}\n\t"


def page_files(sections: Sequence[Section], pictures: PictureFiles) -> list[str]:
    """List the files that ``write_pages`` writes, relative to the target folder."""
    charts = [f"{PLOTS}/{chart.name}.svg" for chart in _charts(sections)]
    return [*(f"{FOLDER}/{file_name(name)}" for name in pictures.files), *charts, *PAGES]


def write_pages(
    content: Content, sections: Sequence[Section], pictures: PictureFiles, target: Path
) -> Iterator[Path]:
    """Write the pages of a report, and yield the HTML and the Markdown file.

    Args:
        sections: those of the document.
        pictures: the pictures that the document names, and that could be read.
        target: the folder to write to, which exists.

    Raises:
        OSError: a file cannot be written.
    """
    if pictures.files:
        pictures.write(own_folder(target / FOLDER))
    plots = own_folder(target / PLOTS)
    for chart in _charts(sections):
        write(plots / f"{chart.name}.svg", _file_of(chart))
    texts = html(content, sections, pictures), markdown(content, sections)
    for name, text in zip(PAGES, texts, strict=True):
        write(target / name, text)
        yield target / name


def _charts(sections: Sequence[Section]) -> Iterator[ChartBlock]:
    for section in sections:
        yield from (block for block in section.leaves if isinstance(block, ChartBlock))


def _file_of(chart: ChartBlock) -> str:
    """Return a chart as an SVG file, with the page's light colours and a width."""
    page = _text("page.css")
    style = f"<style>{page[: page.index('}') + 1]}</style>"
    paper = '<rect width="100%" height="100%" fill="var(--paper)"/>'
    head, rest = chart.svg.split(">", 1)
    return f'{head} width="720">{style}{paper}{rest}\n'


def html(content: Content, sections: Sequence[Section], pictures: PictureFiles) -> str:
    """Return the report as one self-contained HTML page with embedded pictures.

    Its policy lets a browser use the page's own script and style, identified by digests, and
    nothing else: no other script, and no address except those of the embedded pictures.
    """
    from markupsafe import Markup

    def embedded(one: PictureBlock) -> str:
        encoded = pictures.files[one.name].encoded
        return "data:image/png;base64," + base64.b64encode(encoded).decode()

    style, script = _text("page.css"), _text("page.js")
    page = _environment().get_template("page.html.j2")
    return page.render(
        content=content,
        sections=sections,
        embedded=embedded,
        style=Markup(style),
        script=Markup(script),
        policy=Markup(_policy(style, script)),
    )


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the Content Security Policy of the HTML page."""
    allowed = {"img-src": "data:", "style-src": _digest(style), "script-src": _digest(script)}
    none = ("default-src", "base-uri", "form-action")
    rules = dict.fromkeys(none, "'none'") | allowed
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    encoded = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{encoded}'"


def markdown(content: Content, sections: Sequence[Section]) -> str:
    """Return the report in Markdown, with links to the files of pictures and plots."""
    page = _markdown_environment().get_template("report.md.j2")
    return page.render(content=content, sections=sections, pictures=FOLDER, plots=PLOTS)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_seen,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _seen(value: object) -> object:
    """Make a text's invisible characters visible, before it is escaped for HTML or Markdown."""
    from markupsafe import Markup

    return visible(value, SPACES) if isinstance(value, str) and type(value) is not Markup else value


@cache
def _markdown_environment() -> "Environment":
    """Return the template environment for Markdown; it escapes all but ``Markdown`` values."""
    environment = _environment().overlay(
        autoescape=False,
        finalize=lambda value: value if isinstance(value, Markdown) else escaped(str(value)),
    )
    environment.filters |= {"markdown_table": _markdown_table, "code": code}
    return environment


def _markdown_table(block: TableBlock) -> Markdown:
    """Format a table in Markdown; a group's name is put before each of its columns' names."""
    spans = [name for name, count in block.groups for _ in range(count)] or [""] * len(block.header)
    header = [f"{span} {name}".strip() for span, name in zip(spans, block.header, strict=True)]
    rows = [[_in_markdown(cell) for cell in row] for row in block.rows]
    return Markdown(table([cell_of(name) or " " for name in header], rows))


def _in_markdown(cell: TableCell) -> Markdown:
    text = f"{cell.mark}{cell.text}"
    if cell.code:
        return code(text)
    return Markdown(f"**{cell_of(text)}**") if cell.alarming else cell_of(text)
