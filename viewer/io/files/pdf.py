"""Writing of PDF pages with filled rectangles and words, in millimetres from the top left."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

POINTS = 72 / 25.4
"""PDF units (1/72 inch) per millimetre."""
Font = Literal["Helvetica", "Courier"]
FONTS: dict[Font, str] = {"Helvetica": "F1", "Courier": "F2"}
"""Names of the standard fonts, which every PDF reader has."""


@dataclass
class PdfPage:
    """A PDF page to which shapes and words are added.

    Attributes:
        width, height: in millimetres.
    """

    width: float
    height: float
    _pieces: list[str] = field(default_factory=list)

    def fill(self, rectangles: NDArray[np.float64]) -> None:
        """Fill rectangles, (N, 4) x, y, width and height in millimetres, in black."""
        shape = "\n".join(" ".join(f"{n:.4f}" for n in row) + " re" for row in rectangles)
        self._pieces.append(f"0 g\n{shape}\nf")

    def write(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        font: Font = "Helvetica",
    ) -> None:
        """Write words in Latin letters.

        Args:
            x, y: start of their base line.
            size: of the font, in millimetres.
        """
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        place = f"1 0 0 -1 {x:.4f} {y:.4f} Tm"  # upright: the page's y goes down
        operators = f"/{FONTS[font]} {size:.4f} Tf {place} ({escaped}) Tj"
        self._pieces.append(f"BT 0 g {operators} ET")

    def to_pdf(self) -> bytes:
        """Return the page as a PDF, which readers print in its true size by default."""
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
    """Encode objects, numbered from 1, as a PDF file with the table of their places."""
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
