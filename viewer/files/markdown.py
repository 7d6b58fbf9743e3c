"""Tables in Markdown, and text from outside that is to be shown there as it is."""

import re
from collections.abc import Iterable, Sequence

from wheatstone.viewer.reading.plain_text import visible

MARKS = re.compile(
    r"[\\`*\[\]|]|~~+"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word an underscore is only that
)
"""What Markdown would take for more than text."""
FIRST_MARKS = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+#=]))(.)(?=[-+#=\s]|$)")
"""What it would take for more at the beginning of a paragraph."""
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


class Markdown(str):
    """Text that is Markdown already, and is not to be escaped again."""

    __slots__ = ()


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table in Markdown, of cells in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def escaped(text: str) -> Markdown:
    """Write text, in one line, so that Markdown shows it as it is: no tags, links or pictures."""
    return Markdown(FIRST_MARKS.sub(r"\1\\\2", cell(text)))


def cell(text: str) -> Markdown:
    """Write text as ``escaped`` does, for where no paragraph begins, as in a table."""
    line = visible(" ".join(text.split()))
    plain = re.sub("[&<>]", lambda found: ENTITIES[found[0]], line)
    return Markdown(MARKS.sub(lambda found: "".join(f"\\{c}" for c in found[0]), plain))


def code(text: str) -> Markdown:
    """Write text, in one line, as a name or a command line."""
    line = " ".join(text.split())
    if not line or re.search(r"[`<>&|\\]", line) or not line.isprintable():
        return Markdown(f"<code>{cell(line)}</code>" if line else "")
    return Markdown(f"`{line}`")
