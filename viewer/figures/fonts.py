"""The font of figures: the widths of its texts, and its letters embedded in an SVG."""

import base64
import io
import re
from collections.abc import Iterable
from functools import cache
from html import unescape
from pathlib import Path

from PIL import ImageFont

from wheatstone.viewer.figures.placed import POINT

FAMILY = "DejaVu Sans"
"""The font of figures, which comes with Matplotlib."""
TEXTS = re.compile(r"<text[^>]*>([^<]*)<")
PLACING = {"GDEF", "GPOS", "GSUB"}
"""Tables of letter placement, which take long to read and which simple text does not need."""
STYLE = '<style type="text/css">'


def text_width(text: str, size: float) -> float:
    """Return the width in millimetres of a text whose size is in points."""
    return _font().getlength(text) / 100 * size * POINT


@cache
def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_file(), 100)


def font_file() -> Path:
    """Return the file of the font."""
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def missing_letters(texts: Iterable[str]) -> str:
    """List the letters of texts that the font lacks, each once; they are drawn as boxes."""
    from fontTools.ttLib import TTFont

    with TTFont(font_file(), lazy=True) as font:
        known = font.getBestCmap()
    letters = dict.fromkeys(letter for text in texts for letter in text)
    return "".join(letter for letter in letters if ord(letter) not in known)


def with_font(svg: str) -> str:
    """Embed the letters that an SVG's texts use in its style sheet, as a TrueType font."""
    letters = {letter for text in TEXTS.findall(svg) for letter in unescape(text)}
    if not letters or STYLE not in svg:
        return svg
    font = base64.b64encode(_subset(letters)).decode()
    face = f"@font-face{{font-family:'{FAMILY}';src:url(data:font/ttf;base64,{font})}}"
    return svg.replace(STYLE, f"{STYLE}{face}\n", 1)


def _subset(letters: set[str]) -> bytes:
    """Return a font file with only some letters: the same bytes for the same letters."""
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
