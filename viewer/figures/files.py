"""Files of figures: PNG, SVG and PDF, which store how to draw the figure again."""

import base64
import io
import re
from collections.abc import Iterable
from functools import cache
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from wheatstone.viewer import VERSION
from wheatstone.viewer.figures.plan import FigurePlan, from_text, to_text
from wheatstone.viewer.figures.sheet import FAMILY, POINT
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.documents import LARGEST
from wheatstone.viewer.io.reading.png_chunks import SIGNATURE, png_text
from wheatstone.viewer.io.reading.regular_files import MIB, in_units, open_regular

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.ImageFont import FreeTypeFont

TEXT = "{http://www.w3.org/2000/svg}text"
PLACING = {"GDEF", "GPOS", "GSUB"}
"""Tables of letter placement, which take long to read and which simple text does not need."""
STYLE = '<style type="text/css">'
ENDINGS = (".png", ".svg", ".pdf")
KEYWORD = "wheatstone-figure"
SVG_BEGIN, SVG_END = f"<dc:description>{KEYWORD} ", "</dc:description>"
PDF_BEGIN = f"/Subject ({KEYWORD} ".encode()
PDF_STRING = re.compile(rb"((?:[^\\()]|\\[\\()])*)\)")
"""The rest of a string in a PDF: brackets and backslashes have a backslash before them."""
MOST_PIXELS = 150_000_000  # of a PNG
LARGEST_FIGURE = 256 * MIB
CREATOR = f"wheatstone {VERSION}"


def check_ending(path: Path) -> None:
    """Raise ``ValueError`` unless a path has the suffix of a figure's file."""
    if path.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise ValueError(f"{path}: figures are {known} (got {path.suffix or 'no suffix'})")


def encoded(figure: "Figure", plan: FigurePlan, ending: str) -> bytes:
    """Encode a figure and its plan (content, style): equal input gives equal bytes."""
    text, file = to_text(plan), io.BytesIO()
    if len(text) > LARGEST:
        raise ValueError(f"a figure's plan is larger than {in_units(LARGEST)}: show fewer cells")
    if ending == ".png":
        return _png(figure, plan.style.dpi, text)
    description = f"{KEYWORD} {text}"
    if ending == ".svg":
        own = {"Creator": CREATOR, "Date": None, "Description": description}
        figure.savefig(file, format="svg", metadata=own)
        return _with_font(file.getvalue().decode()).encode()
    own = {
        "Creator": CREATOR,
        "Producer": "Matplotlib",
        "CreationDate": None,
        "Subject": description,
    }
    figure.savefig(file, format="pdf", metadata=own)
    return file.getvalue()


def _png(figure: "Figure", dpi: int, text: str) -> bytes:
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image, PngImagePlugin

    width, height = (round(side * dpi) for side in figure.get_size_inches())
    if width * height > MOST_PIXELS:
        raise ValueError(f"{width}x{height} pixels are too many for a .png: give fewer dpi")
    usual = figure.get_dpi()
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    figure.set_dpi(usual)
    texts, file = PngImagePlugin.PngInfo(), io.BytesIO()
    texts.add_itxt(KEYWORD, text)
    texts.add_text("Software", CREATOR)
    pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    Image.fromarray(pixels).save(file, "PNG", pnginfo=texts, dpi=(dpi, dpi))
    return file.getvalue()


def write_figure(path: Path, content: bytes) -> None:
    """Write a figure's file completely or not at all. Raises ``OSError`` if that is impossible."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def read_plan(path: Path) -> FigurePlan | None:
    """Read the plan (content and style) in a figure's file; None if the file is anything else.

    Raises:
        ValueError: the plan is damaged, or describes no valid figure; the message names the file.
    """
    if path.suffix.lower() not in ENDINGS:
        return None
    try:
        text = _text(path)
        return from_text(text) if text else None
    except OSError:
        return None
    except ValueError as error:
        raise ValueError(f"{path}: its plan is damaged: {error}") from error


def _text(path: Path) -> str | None:
    """Return the text of the figure plan stored in a file; None if the file has no plan."""
    with open_regular(path) as file:
        beginning = file.read(len(SIGNATURE))
        if beginning == SIGNATURE:
            return png_text(file, KEYWORD, LARGEST)
        content = beginning + file.read(LARGEST_FIGURE)
    if content.startswith(b"%PDF"):
        return _of_pdf(content)
    return _of_svg(content[: 2 * LARGEST])


def _of_svg(content: bytes) -> str | None:
    """Return the text of the figure plan stored in an SVG; None if the SVG has no plan."""
    begin, end = SVG_BEGIN.encode(), SVG_END.encode()
    start = content.find(begin)
    if start < 0:
        return None
    start += len(begin)
    stop = content.find(end, start)
    if stop < 0:
        raise ValueError("its end is missing")
    return unescape(_ascii(content[start:stop]))


def _of_pdf(content: bytes) -> str | None:
    """Return the text of the figure plan stored in a PDF; None if the PDF has no plan."""
    start = content.find(PDF_BEGIN)
    if start < 0:
        return None
    start += len(PDF_BEGIN)
    match = PDF_STRING.match(content, start, start + 2 * LARGEST)
    if not match:
        raise ValueError("its end is missing")
    return re.sub(r"\\(.)", r"\1", _ascii(match[1]))


def _ascii(content: bytes) -> str:
    """Decode ASCII text; raise ``ValueError`` for other characters or for too long a text."""
    if len(content) > LARGEST:
        raise ValueError(f"more than {in_units(LARGEST)}")
    try:
        return content.decode("ascii")
    except UnicodeDecodeError as error:
        raise ValueError(f"not in ASCII ({error.reason})") from None


def text_width(text: str, size: float) -> float:
    """Return the width in millimetres of a text at a size in points."""
    return _font().getlength(text) / 100 * size * POINT


@cache
def _font() -> "FreeTypeFont":
    from PIL import ImageFont

    return ImageFont.truetype(_font_file(), 100)


def _font_file() -> Path:
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def missing_letters(texts: Iterable[str]) -> str:
    """List the letters of texts that the font lacks, each once; they are drawn as boxes."""
    from fontTools.ttLib import TTFont

    with TTFont(_font_file(), lazy=True) as font:
        known = font.getBestCmap()
    letters = dict.fromkeys(letter for text in texts for letter in text)
    return "".join(letter for letter in letters if ord(letter) not in known)


def _with_font(svg: str) -> str:
    """Embed the letters that an SVG's texts use in its style sheet, as a TrueType font."""
    letters = {
        letter for text in ElementTree.fromstring(svg).iter(TEXT) for letter in text.text or ""
    }
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
    font = TTFont(_font_file(), recalcTimestamp=False)
    for name in PLACING & set(font.keys()):
        del font[name]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=sorted(map(ord, letters)))
    subsetter.subset(font)
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()
