"""A calibration board as a PDF file in its true size, with a ruler and the command to use it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.boards import Board, millimetres
from wheatstone.viewer.io.files.output import whole_file

POINTS = 72 / 25.4
"""PDF units (1/72 inch) per millimetre."""
Font = Literal["Helvetica", "Courier"]
FONTS: dict[Font, str] = {"Helvetica": "F1", "Courier": "F2"}
"""Names of the standard fonts, which every PDF reader has."""


@dataclass
class PdfPage:
    """A PDF page to which rectangles and text are added.

    Attributes:
        width, height: in millimetres.
    """

    width: float
    height: float
    _pieces: list[str] = field(default_factory=list)

    def fill(self, rectangles: NDArray[np.float64]) -> None:
        """Add black rectangles: (N, 4) x, y, width and height in millimetres."""
        shape = "\n".join(" ".join(f"{n:.4f}" for n in row) + " re" for row in rectangles)
        self._pieces.append(f"0 g\n{shape}\nf")

    def write(
        self, x: float, y: float, words: str, size: float, *, font: Font = "Helvetica"
    ) -> None:
        """Add a line of text in Latin letters.

        Args:
            x, y: start of their base line.
            size: of the font, in millimetres.
        """
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        place = f"1 0 0 -1 {x:.4f} {y:.4f} Tm"  # upright: the page's y goes down
        operators = f"/{FONTS[font]} {size:.4f} Tf {place} ({escaped}) Tj"
        self._pieces.append(f"BT 0 g {operators} ET")

    def to_pdf(self) -> bytes:
        """Encode the page as a PDF file that readers print in its true size by default."""
        content = "\n".join((f"{POINTS:.9f} 0 0 {-POINTS:.9f} 0 {self._box[1]} cm", *self._pieces))
        fonts = " ".join(
            f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{font} "
            "/Encoding /WinAnsiEncoding >>"
            for font, name in FONTS.items()
        )
        box = f"/MediaBox [0 0 {self._box[0]} {self._box[1]}]"
        return _document(
            "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R {box} /Contents 4 0 R "
            f"/Resources << /Font << {fonts} >> >> >>",
            f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream",
        )

    @property
    def _box(self) -> tuple[str, str]:
        return f"{self.width * POINTS:.4f}", f"{self.height * POINTS:.4f}"


def _document(*objects: str) -> bytes:
    """Encode PDF objects, numbered from 1, as a file with the table of their offsets."""
    parts, places = [b"%PDF-1.4\n"], []
    for number, text in enumerate(objects, 1):
        places.append(sum(map(len, parts)))
        parts.append(f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252"))
    begin, count = sum(map(len, parts)), len(objects) + 1
    parts.append(_table(places, count))
    parts.append(f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{begin}\n%%EOF\n".encode())
    return b"".join(parts)


def _table(places: Iterable[int], count: int) -> bytes:
    lines = [f"xref\n0 {count}\n0000000000 65535 f \n"]
    return "".join(lines + [f"{place:010} 00000 n \n" for place in places]).encode()


PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4), "a3": (297.0, 420.0)}
"""Width and height in millimetres, upright."""
MARGIN, FOOTER = 8.0, 22.0
"""Millimetres around the board, and below it for the ruler and the words."""
RULER = 100
"""Millimetres that the ruler is long."""
TEXT, SMALL = 3.2, 2.5
"""Sizes of fonts in millimetres."""


def print_board(path: Path, board: Board, paper: str) -> None:
    """Write a calibration board as a PDF file.

    Args:
        paper: one of ``PAPERS``; turned to landscape format if the board needs it.

    Raises:
        ValueError: the board is too large for the paper.
        OSError: the file cannot be written.
    """
    page = board_page(board, paper)
    with whole_file(path) as temporary:
        temporary.write_bytes(page.to_pdf())


def board_page(board: Board, paper: str) -> PdfPage:
    """Lay out a calibration board on a page. Raises ``ValueError`` if it does not fit."""
    width, height = _turned(board, paper)
    page = PdfPage(width, height)
    across, down = (side * 1e3 for side in board.size)
    left, top = (width - across) / 2, (height - FOOTER - down) / 2
    page.fill(board.black * 1e3 + [left, top, 0, 0])
    below = height - FOOTER
    page.fill(_ticks(MARGIN, below))
    for number in range(0, RULER + 1, 50):
        page.write(MARGIN + number + 0.8, below + 5.5, f"{number}", SMALL)
    page.write(MARGIN + RULER + 8, below + 3, "100 mm, printed at 100 % (actual size).", SMALL)
    page.write(MARGIN, below + 11, described(board), TEXT)
    page.write(MARGIN, below + 15.5, in_command(board), SMALL, font="Courier")
    return page


def described(board: Board) -> str:
    """Describe a calibration board, such as ``chess:9x6, squares of 30mm``."""
    words = f"{board}, squares of {millimetres(board.square)}"
    if board.kind == "chess":
        return words
    return f"{words}, markers of {millimetres(board.marker)} from {board.dictionary}"


def in_command(board: Board) -> str:
    """Return the command line that calibrates with a board."""
    words = f"wheatstone calibrate FOLDER --board {board} --square {millimetres(board.square)}"
    if board.kind != "chess":
        words += f" --marker {millimetres(board.marker)} --dictionary {board.dictionary}"
    return f"{words} --out rig.toml"


def _turned(board: Board, paper: str) -> tuple[float, float]:
    """Choose portrait or landscape format for a board: width and height in millimetres.

    Raises ``ValueError`` if the board fits neither.
    """
    short, long = PAPERS[paper]
    ways = ((short, long), (long, short))
    for width, height in ways if board.size[0] <= board.size[1] else ways[::-1]:
        if _room(board, width, height) >= 1:
            return width, height
    largest = max(_room(board, *way) for way in ways) * board.square
    fitting = math.floor(largest * 2e3) / 2e3
    across, down = (f"{side * 1e3:g}" for side in board.size)
    larger = "" if paper == "a3" else "give --paper a3, or "
    raise ValueError(
        f"{board} with squares of {millimetres(board.square)} is {across} x {down} mm and does not "
        f"fit {paper}; {larger}squares of at most {millimetres(fitting)}"
    )


def _room(board: Board, width: float, height: float) -> float:
    """Compute how many times larger a board could be printed on a page."""
    across, down = (side * 1e3 for side in board.size)
    return min((width - 2 * MARGIN) / across, (height - MARGIN - FOOTER) / down)


def _ticks(left: float, top: float) -> NDArray[np.float64]:
    """Return the rectangles of a ruler: a line, and one tick for every millimetre."""
    thin = 0.1
    at = np.arange(RULER + 1)
    long = np.select([at % 10 == 0, at % 5 == 0], [3.0, 2.0], 1.2)
    ticks = np.stack([left + at - thin / 2, np.full(at.shape, top), np.full(at.shape, thin), long])
    line = [left - thin / 2, top - thin, RULER + thin, thin]
    return np.vstack([line, ticks.T])
