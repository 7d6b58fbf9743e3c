"""Formatting of tables and escaping of untrusted text in Markdown."""

import re
from collections.abc import Iterable, Sequence

from wheatstone.viewer.io.reading.plain_text import visible

MARKS = re.compile(
    r"[\\`*\[\]|]|~~+"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word an underscore is only that
)
"""Characters with a meaning in Markdown."""
FIRST_MARKS = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+#=]))(.)(?=[-+#=\s]|$)")
"""Characters with a meaning at the beginning of a paragraph."""
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


class Markdown(str):
    """Text that is Markdown already, and must not be escaped again."""

    __slots__ = ()


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format a Markdown table; the cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def escaped(text: str) -> Markdown:
    """Escape text, as one line, so that Markdown shows it unchanged: no tags, links or pictures."""
    return Markdown(FIRST_MARKS.sub(r"\1\\\2", cell(text)))


def cell(text: str) -> Markdown:
    """Escape text for a cell of a Markdown table; marks that only begin a paragraph stay as is."""
    line = visible(" ".join(text.split()))
    plain = re.sub("[&<>]", lambda match: ENTITIES[match[0]], line)
    return Markdown(MARKS.sub(lambda match: "".join(f"\\{c}" for c in match[0]), plain))


def code(text: str) -> Markdown:
    """Format text, in one line, as code, such as a name or a command line."""
    line = " ".join(text.split())
    if not line or re.search(r"[`<>&|\\]", line) or not line.isprintable():
        return Markdown(f"<code>{cell(line)}</code>" if line else "")
    return Markdown(f"`{line}`")
