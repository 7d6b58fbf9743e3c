"""The font inside an SVG: the letters that a figure uses, so that it looks alike everywhere."""

import base64
import io
import re
from html import unescape
from typing import TYPE_CHECKING

from viewer.figures.drawing import FAMILY, font_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXTS = re.compile(r"<text[^>]*>([^<]*)<")
PLACING = {"GDEF", "GPOS", "GSUB"}
"""Tables of how letters are placed, which take long to read, and which simple text does without."""
STYLE = '<style type="text/css">'


def with_font(svg: str, figure: "Figure") -> str:
    """Add the letters that an SVG's texts use to its style sheet, as a font of TrueType."""
    letters = {letter for text in TEXTS.findall(svg) for letter in unescape(text)}
    if not letters or STYLE not in svg:
        return svg
    font = base64.b64encode(_subset(letters)).decode()
    face = f"@font-face{{font-family:'{FAMILY}';src:url(data:font/ttf;base64,{font})}}"
    return svg.replace(STYLE, f"{STYLE}{face}\n", 1)


def _subset(letters: set[str]) -> bytes:
    """Take letters out of the font: the same bytes for the same letters."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    options = Options(recalc_timestamp=False, hinting=False, notdef_outline=True)
    options.drop_tables += ["FFTM"]
    font = TTFont(font_file(), recalcTimestamp=False)
    for name in PLACING & set(font.keys()):
        del font[name]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=sorted(map(ord, letters)))
    subsetter.subset(font)
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()
