"""The conversion of Matplotlib charts to SVG that the HTML page of a report embeds.

The policy of the page forbids styles of elements, so these become attributes, and colours become
variables of the page's style sheet, which has a light and a dark version.
"""

import io
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from wheatstone.viewer.io.reading.plain_text import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SERIES = 8
"""How many colours of series the style sheet has."""
COLORS = (
    *("paper", "ink", "quiet", "line"),
    *(f"{kind}{number}" for kind in ("s", "on") for number in range(SERIES)),
)
"""The variables of the style sheet, each of which Matplotlib knows as the colour of its number."""
KEPT = {"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "text-anchor"}
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
ADDRESS = "http://www.w3.org/2000/svg"

Notes = dict[str, list[tuple[str, str]]]
"""The place in the document as a JSON pointer, and the title, of every shape in a group."""


def color_of(name: str) -> str:
    """Return the placeholder colour for a variable of the page's style sheet."""
    return f"#{COLORS.index(name) + 1:06x}"  # black would be omitted from an SVG


def page_svg(figure: "Figure", caption: str, notes: Notes) -> str:
    """Convert a Matplotlib figure to an SVG element without styles, identifiers and links.

    Args:
        notes: the shapes of groups, by the identifiers that the chart gives to its artists.
    """
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    file = io.BytesIO()
    figure.savefig(
        file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
    )
    source = fromstring(file.getvalue().decode())
    shapes = {shape.get("id"): shape for shape in source.iter(f"{SVG}path")}
    about = {"xmlns": ADDRESS, "viewBox": source.get("viewBox", ""), "role": "img"}
    about |= {"font-family": "system-ui, sans-serif", "aria-label": visible(caption)}
    root = Element("svg", about)
    remaining = {name: iter(some) for name, some in notes.items()}
    for shape, group in _shapes(source, ""):
        copy = SubElement(root, shape.tag.removeprefix(SVG), _attributes(shape, shapes))
        copy.text = shape.text
        if group in remaining:
            pointer, title = next(remaining[group])
            copy.attrib |= {"data-at": pointer} if pointer else {}
            SubElement(copy, "title").text = visible(title)
        elif group.startswith("/"):
            copy.set("data-at", group)
        elif group == "letter":
            copy.set("class", group)
    return tostring(root, encoding="unicode")


def _shapes(parent: Element, group: str) -> Iterator[tuple[Element, str]]:
    """Yield the visible elements below another one, with the identifier of their group."""
    for child in parent:
        kind = child.tag.removeprefix(SVG)
        if kind == "g":
            yield from _shapes(child, child.get("id", group))
        elif kind in ("path", "text", "use"):
            child.tag = "path" if kind == "use" else kind
            yield child, group


def _attributes(shape: Element, shapes: Mapping[str | None, Element]) -> dict[str, str]:
    """Convert the position and the style of an SVG element to attributes."""
    names = ("d", "x", "y", "transform")
    attributes = {name: _short(shape.get(name, "")) for name in names if name in shape.attrib}
    if link := shape.get(LINK):
        attributes = {"d": _short(shapes[link[1:]].get("d", ""))}
        attributes["transform"] = _short(f"translate({shape.get('x')},{shape.get('y')})")
    style = shape.get("style", "")
    pairs = (pair.split(": ", 1) for pair in style.split("; ") if pair)
    attributes |= {name: _variable(value) for name, value in pairs if name in KEPT}
    if size := re.search(r"\b([\d.]{1,20})px", style):
        attributes["font-size"] = size[1]
    return attributes


def _short(places: str) -> str:
    """Round the numbers in the text of an SVG path or transformation to two digits."""
    short = re.sub(r"-?\d{1,9}\.\d{3,20}", lambda match: f"{float(match[0]):.2f}", places)
    first, *rest = short.split("\n")
    return (
        "".join([first.rstrip(), *map(str.strip, rest[:-1]), rest[-1].lstrip()]) if rest else first
    )


def _variable(value: str) -> str:
    if not value.startswith("#"):
        return value
    return f"var(--{COLORS[int(value[1:], 16) - 1]})"
